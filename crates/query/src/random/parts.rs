//! Parts of random `SELECT`s: joins, conditions, groups.

use super::expr::{Shape, Term};
use super::select::{Queries, Source};
use super::window::Rows;

/// The most that a sum may be, without its sign.
pub(super) const MOST_SUM: i128 = 1_000_000_000;

/// Fractions of quantiles.
const FRACTIONS: [&str; 10] =
    ["0.5", "0.5", "0.25", "0.75", "0.1", "0.9", "0.333", "0", "1", "1.0"];

impl Queries<'_> {
    /// Rows of one source, or of several that are joined, and the `WHERE` behind it.
    pub(super) fn rows(&mut self, depth: usize) -> (Source, String) {
        let mut source = self.source(depth);
        if self.rng.chance(40) {
            source = self.joined(source, depth);
        }
        let mut conditions = Vec::new();
        for _ in 0..*self.rng.pick(&[0, 0, 0, 1, 1, 2]) {
            conditions.push(self.condition(&source));
        }
        let filter = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        (source, filter)
    }

    /// A join with another source, where one fits.
    fn joined(&mut self, left: Source, depth: usize) -> Source {
        if self.rng.chance(30) {
            let right = self.table(None);
            let pairs = self.pairs(&left, &right);
            let kind = self.rng.pick(&["SEMI", "ANTI"]);
            return match pairs {
                Some(on) => Source {
                    sql: format!("{} {kind} JOIN {} ON {on}", left.sql, right.sql),
                    ..left
                },
                None => left,
            };
        }
        let right = match self.rng.below(3) {
            0 => self.unique_keys(),
            1 if depth > 0 => self.source(depth - 1),
            _ => self.table(Some("u")),
        };
        let outer = self.rng.chance(50);
        let kind = if outer { "LEFT JOIN" } else { *self.rng.pick(&["JOIN", "INNER JOIN"]) };
        if self.rng.chance(25) {
            // Of one party, so that not many rows have one key.
            let right = self.part();
            let Some(on) = self.pairs(&left, &right) else { return left };
            let others = right.columns.into_iter();
            let others = others.map(|it| Term { nullable: it.nullable || outer, ..it });
            return Source {
                sql: format!("{} {kind} {} ON {on}", left.sql, right.sql),
                columns: left.columns.into_iter().chain(others).collect(),
                unique: Vec::new(),
                most: left.most * right.most,
            };
        }
        let Some(on) = self.keys(&left, &right) else { return left };
        let others = right.columns.into_iter();
        let others = others.map(|it| Term { nullable: it.nullable || outer, ..it });
        Source {
            sql: format!("{} {kind} {} ON {on}", left.sql, right.sql),
            columns: left.columns.into_iter().chain(others).collect(),
            ..left
        }
    }

    /// A subquery with the distinct values of a column.
    fn unique_keys(&mut self) -> Source {
        let table = self.table(None);
        let mut items = vec![self.rng.pick(&table.columns).clone()];
        let group = items[0].text.clone();
        items.push(self.aggregate(&table, false));
        let mut select = self.selected("SELECT", &items, &table.sql, &table);
        select.sql += &format!(" GROUP BY {group}");
        select.unique = vec![vec![0]];
        self.named(select)
    }

    /// Equalities with all columns of a unique set.
    fn keys(&mut self, left: &Source, right: &Source) -> Option<String> {
        let mut all = Vec::new();
        for set in &right.unique {
            let pairs: Option<Vec<String>> = set
                .iter()
                .map(|column| {
                    let right = &right.columns[*column];
                    let fitting: Vec<&Term> =
                        left.columns.iter().filter(|it| it.shape == right.shape).collect();
                    (!fitting.is_empty())
                        .then(|| format!("{} = {}", self.rng.pick(&fitting).text, right.text))
                })
                .collect();
            all.extend(pairs.filter(|pairs| !pairs.is_empty()).map(|pairs| pairs.join(" AND ")));
        }
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    /// One or two equalities of columns, if there are some of one shape.
    fn pairs(&mut self, left: &Source, right: &Source) -> Option<String> {
        let mut all = Vec::new();
        for a in &left.columns {
            let fitting =
                right.columns.iter().filter(|b| b.shape == a.shape && a.shape != Shape::Fixed);
            all.extend(fitting.map(|b| format!("{} = {}", b.text, a.text)));
        }
        if all.is_empty() {
            return None;
        }
        let mut on = self.rng.pick(&all).clone();
        if self.rng.chance(20) {
            on += &format!(" AND {}", self.rng.pick(&all));
        }
        Some(on)
    }

    /// A part of `WHERE`.
    fn condition(&mut self, source: &Source) -> String {
        let kind = self.rng.below(10);
        let inner = self.table(None);
        let mut filter = String::new();
        if self.rng.chance(30) {
            filter = self.terms(&inner.columns, &[]).bit(1).text;
        }
        if kind < 2 {
            // IN is looked up like a join.
            let column = self.rng.pick(&source.columns).clone();
            let fitting: Vec<&Term> =
                inner.columns.iter().filter(|it| it.shape == column.shape).collect();
            if !fitting.is_empty() {
                let of = (*self.rng.pick(&fitting)).clone();
                let not = !column.nullable && !of.nullable && self.rng.chance(50);
                let not = if not { "NOT " } else { "" };
                let filter = if filter.is_empty() { filter } else { format!(" WHERE {filter}") };
                return format!(
                    "{} {not}IN (SELECT {} FROM {}{filter})",
                    column.text, of.text, inner.sql
                );
            }
        } else if kind < 4
            && let Some(on) = self.pairs(source, &inner)
        {
            let not = self.rng.pick(&["", "NOT "]);
            let filter = if filter.is_empty() { filter } else { format!(" AND {filter}") };
            return format!("{not}EXISTS (SELECT 1 FROM {} WHERE {on}{filter})", inner.sql);
        }
        let scalars = self.scalars(source);
        let depth = 1 + self.rng.below(2);
        self.terms(&source.columns, &scalars).bit(depth).text
    }

    /// Sometimes a subquery with one integer, which may be about the row outside.
    pub(super) fn scalars(&mut self, outside: &Source) -> Vec<Term> {
        if self.rng.chance(75) {
            return Vec::new();
        }
        let table = self.table(None);
        let column = table.columns.iter().find(|column| column.shape == Shape::Integer);
        let (of, bound, nullable) = match (column, self.rng.below(5)) {
            (Some(column), 0) => (format!("max({})", column.text), column.bound, true),
            (Some(column), 1) => (format!("min({})", column.text), column.bound, true),
            (Some(column), 2) => (format!("sum({})", column.text), column.bound * table.most, true),
            (Some(column), 3) => {
                (format!("COALESCE(sum({}), -1)", column.text), column.bound * table.most, false)
            }
            _ => ("count(*)".to_owned(), table.most, false),
        };
        let mut filter = match self.rng.chance(50) {
            true => self.pairs(outside, &table).map_or(String::new(), |on| format!(" WHERE {on}")),
            false => String::new(),
        };
        if !filter.is_empty() && self.rng.chance(30) {
            filter += &format!(" AND {}", self.terms(&table.columns, &[]).bit(1).text);
        }
        let text = format!("(SELECT {of} FROM {}{filter})", table.sql);
        vec![Term { text, shape: Shape::Integer, bound, nullable }]
    }

    /// A `SELECT` with aggregates, most often by groups.
    pub(super) fn groups(&mut self, source: &Source, from: &str, fixed: bool) -> Source {
        let keys = if self.rng.chance(12) { Vec::new() } else { self.group_keys(source) };
        let mut aggregates: Vec<Term> = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            aggregates.push(self.aggregate(source, fixed));
        }
        // What expressions may be of: keys that are columns, and aggregates.
        let is_column = |term: &&Term| source.columns.iter().any(|column| column.text == term.text);
        let known: Vec<Term> = keys.iter().filter(is_column).chain(&aggregates).cloned().collect();
        let known: Vec<Term> = known.into_iter().filter(|it| it.shape != Shape::Fixed).collect();
        let whole = self.rng.chance(80);
        let mut items: Vec<Term> = if whole { keys.clone() } else { Vec::new() };
        for aggregate in aggregates {
            // At least one aggregate stays, or it would not be one row.
            let may = aggregate.shape != Shape::Fixed && !items.is_empty();
            let composed = may && self.rng.chance(30);
            items.push(match composed {
                true => self.terms(&known, &[]).term(aggregate.shape, 1),
                false => aggregate,
            });
        }
        if self.rng.chance(15) && !known.is_empty() && !keys.is_empty() {
            let rows = Rows { columns: &known, all: &keys, most: source.most, fixed };
            items.extend(self.windows(&rows));
        }
        let mut select = self.selected("SELECT", &items, from, source);
        if !keys.is_empty() {
            let texts: Vec<&str> = keys.iter().map(|key| key.text.as_str()).collect();
            select.sql += &format!(" GROUP BY {}", texts.join(", "));
        }
        if self.rng.chance(30) && !known.is_empty() && !keys.is_empty() {
            select.sql += &format!(" HAVING {}", self.terms(&known, &[]).bit(1).text);
        }
        let unique = if whole { vec![(0..keys.len()).collect()] } else { Vec::new() };
        let most = if keys.is_empty() { 1 } else { source.most };
        Source { unique: if keys.is_empty() { Vec::new() } else { unique }, most, ..select }
    }

    /// One or two keys, most often columns.
    fn group_keys(&mut self, source: &Source) -> Vec<Term> {
        let mut keys: Vec<Term> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let column = self.rng.pick(&source.columns).clone();
            let composed = self.rng.chance(20);
            let key = match column.shape {
                Shape::Integer if composed => {
                    let text = format!("({} % {})", column.text, self.rng.of(2..=4));
                    Term { text, nullable: true, ..column }
                }
                Shape::Date if composed => {
                    let part = self.rng.pick(&["year", "month", "dayofweek"]);
                    Term {
                        text: format!("{part}({})", column.text),
                        shape: Shape::Integer,
                        bound: 3000,
                        ..column
                    }
                }
                Shape::Decimal(_) if composed => Term {
                    text: format!("({} > 1)", column.text),
                    shape: Shape::Bit,
                    bound: 1,
                    ..column
                },
                _ => column,
            };
            if keys.iter().all(|other| other.text != key.text) {
                keys.push(key);
            }
        }
        keys
    }

    /// The fraction of a quantile.
    fn fraction(&mut self) -> &'static str {
        self.rng.pick::<&str>(&FRACTIONS)
    }

    /// An aggregate.
    fn aggregate(&mut self, source: &Source, fixed: bool) -> Term {
        let column = self.rng.pick(&source.columns).clone();
        let number = matches!(column.shape, Shape::Integer | Shape::Decimal(_));
        let count = |text: String| Term {
            text,
            shape: Shape::Integer,
            bound: source.most,
            nullable: false,
        };
        let distinct = if self.rng.chance(25) { "DISTINCT " } else { "" };
        match self.rng.below(10) {
            // Of several truth values.
            7 if column.shape == Shape::Bit => {
                let name = self.rng.pick(&["bool_and", "bool_or"]);
                Term { text: format!("{name}({})", column.text), nullable: true, ..column }
            }
            8 => {
                let at = self.fraction();
                let name = self.rng.pick(&["quantile_disc", "percentile_disc"]);
                let text = match *name {
                    "quantile_disc" => format!("{name}({}, {at})", column.text),
                    _ => format!("{name}({at}) WITHIN GROUP (ORDER BY {})", column.text),
                };
                Term { text, nullable: true, ..column }
            }
            9 if fixed && column.shape == Shape::Integer => {
                let at = self.fraction();
                let text = match self.rng.below(3) {
                    0 => format!("quantile_cont({}, {at})", column.text),
                    1 => format!("percentile_cont({at}) WITHIN GROUP (ORDER BY {})", column.text),
                    _ => format!("median({})", column.text),
                };
                Term { text, shape: Shape::Fixed, bound: 0, nullable: true }
            }
            0 | 1 => count("count(*)".to_owned()),
            2 => count(format!("count({distinct}{})", column.text)),
            3..=5 if number => {
                let of = match self.rng.chance(25) {
                    true => self.terms(&source.columns, &[]).term(column.shape, 1),
                    false => column,
                };
                if fixed && self.rng.chance(40) {
                    let text = format!("avg({})", of.text);
                    return Term { text, shape: Shape::Fixed, bound: 0, nullable: true };
                }
                let bound = of.bound * source.most;
                if bound > MOST_SUM {
                    return count(format!("count({})", of.text));
                }
                Term { text: format!("sum({distinct}{})", of.text), bound, nullable: true, ..of }
            }
            _ => {
                let name = self.rng.pick(&["min", "max"]);
                Term { text: format!("{name}({})", column.text), nullable: true, ..column }
            }
        }
    }
}
