//! Random `SELECT`s.

use super::data::MOST_ROWS;
use super::expr::{Shape, Term, Terms, any_shape};
use super::rng::Rng;
use crate::catalog::{Catalog, Column, Table};
use crate::kind::Kind;
use tacit_program::domain::Members;

/// Something that rows come from, or the rows that a `SELECT` has.
#[derive(Clone)]
pub(super) struct Source {
    /// What stands behind `FROM`, or the whole `SELECT`.
    pub(super) sql: String,
    /// Its columns, as they are called elsewhere.
    pub(super) columns: Vec<Term>,
    /// Sets of columns that no two rows have equal values in.
    pub(super) unique: Vec<Vec<usize>>,
    /// How many rows there are at most.
    pub(super) most: i128,
}

/// Queries in the making.
pub(super) struct Queries<'a> {
    pub(super) rng: &'a mut Rng,
    catalog: &'a Catalog,
    names: usize,
    /// `WITH`.
    common: Vec<String>,
}

/// A random query, and whether it orders its rows by all columns.
pub(super) fn query(rng: &mut Rng, catalog: &Catalog) -> (String, bool) {
    let depth = rng.below(3);
    let mut queries = Queries { rng, catalog, names: 0, common: Vec::new() };
    let fixed = queries.rng.chance(35);
    let select = queries.select(depth, fixed);
    let ordered = queries.rng.chance(50);
    let select = if ordered { queries.ordered(select) } else { select };
    let ordered = ordered && select.columns.iter().all(|column| column.shape != Shape::Fixed);
    let with = match queries.common.is_empty() {
        true => String::new(),
        false => format!("WITH {} ", queries.common.join(", ")),
    };
    (with + &select.sql, ordered)
}

/// The shape of a column.
fn shape(column: &Column) -> Shape {
    match &column.kind {
        Kind::Bit => Shape::Bit,
        // There are no such columns yet.
        Kind::Decimal { scale: 0 } | Kind::Text => Shape::Integer,
        Kind::Decimal { scale } => Shape::Decimal(*scale),
        Kind::Fixed { .. } => Shape::Fixed,
        Kind::Date => Shape::Date,
        Kind::Category(domain) => {
            let same = |members: &&[&str]| {
                let Members::Names(names) = &domain.members else { return false };
                names.iter().map(String::as_str).eq(members.iter().copied())
            };
            let number = super::data::DOMAINS.iter().position(|(_, members)| same(members));
            Shape::Category(number.unwrap_or(0))
        }
    }
}

impl Queries<'_> {
    /// A new name.
    pub(super) fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    pub(super) fn terms<'t>(&'t mut self, columns: &'t [Term], scalars: &'t [Term]) -> Terms<'t> {
        Terms { rng: self.rng, columns, scalars }
    }

    /// A table under a new name, if possible of the wanted one: of one party, or of all that give one of this name.
    pub(super) fn table(&mut self, wanted: Option<&str>) -> Source {
        let whole = self.rng.chance(60);
        self.table_of(wanted, whole)
    }

    /// A table of one party under a new name.
    pub(super) fn part(&mut self) -> Source {
        self.table_of(None, false)
    }

    fn table_of(&mut self, wanted: Option<&str>, whole: bool) -> Source {
        let named = |table: &&Table| wanted.is_none_or(|name| table.name == name);
        let mut fitting: Vec<&Table> = self.catalog.tables.iter().filter(named).collect();
        if fitting.is_empty() {
            fitting = self.catalog.tables.iter().collect();
        }
        let table = *self.rng.pick(&fitting);
        let parts = if whole { self.catalog.parts(None, &table.name).len() } else { 1 };
        let alias = self.name('r');
        let name = if whole { table.name.clone() } else { table.full_name() };
        let columns = table.columns.iter().map(|column| Term {
            text: format!("{alias}.{}", column.name),
            shape: shape(column),
            bound: column.range.start().abs().max(column.range.end().abs()),
            nullable: column.nullable,
        });
        Source {
            sql: format!("{name} AS {alias}"),
            columns: columns.collect(),
            unique: if parts == 1 { table.unique.clone() } else { Vec::new() },
            most: i128::from(MOST_ROWS) * parts as i128,
        }
    }

    /// A table, a subquery or one of `WITH`.
    pub(super) fn source(&mut self, depth: usize) -> Source {
        if depth == 0 || self.rng.chance(30) {
            return self.table(None);
        }
        let select = self.select(depth - 1, false);
        self.named(select)
    }

    /// A `SELECT` as a source of rows.
    pub(super) fn named(&mut self, select: Source) -> Source {
        let alias = self.name('r');
        let sql = if self.rng.chance(30) {
            let name = self.name('w');
            self.common.push(format!("{name} AS ({})", select.sql));
            format!("{name} AS {alias}")
        } else {
            format!("({}) AS {alias}", select.sql)
        };
        let columns = select.columns.into_iter();
        let columns =
            columns.map(|it| Term { text: format!("{alias}.{}", it.text), ..it }).collect();
        Source { sql, columns, ..select }
    }

    /// A `SELECT`. Its columns may be in fixed point only if that is said.
    fn select(&mut self, depth: usize, fixed: bool) -> Source {
        if !fixed && self.rng.chance(12) {
            return self.union(depth);
        }
        let (source, filter) = self.rows(depth);
        let from = format!("{}{filter}", source.sql);
        let select = match self.rng.below(10) {
            0..=4 => self.groups(&source, &from, fixed),
            5 if !fixed => self.distinct(&source, &from),
            6 | 7 => self.windowed(&source, &from, fixed),
            _ => {
                let shapes = self.shapes(&source.columns);
                self.columns(&source, &from, &shapes, fixed)
            }
        };
        match !fixed && self.rng.chance(15) {
            true => self.limited(select),
            false => select,
        }
    }

    fn shapes(&mut self, columns: &[Term]) -> Vec<Shape> {
        let count = 1 + self.rng.below(4);
        (0..count).map(|_| any_shape(self.rng, columns)).collect()
    }

    /// Expressions of some shapes, row by row.
    fn columns(&mut self, source: &Source, from: &str, shapes: &[Shape], fixed: bool) -> Source {
        let scalars = self.scalars(source);
        let mut items: Vec<Term> = Vec::new();
        for shape in shapes {
            let depth = self.rng.below(4);
            items.push(self.terms(&source.columns, &scalars).term(*shape, depth));
        }
        if fixed {
            items.push(self.quotient(&source.columns));
        }
        self.selected("SELECT", &items, from, source)
    }

    /// A quotient of integers.
    pub(super) fn quotient(&mut self, columns: &[Term]) -> Term {
        let mut terms = self.terms(columns, &[]);
        let (a, b) = (terms.term(Shape::Integer, 1), terms.term(Shape::Integer, 1));
        let text = format!("({} / {})", a.text, b.text);
        Term { text, shape: Shape::Fixed, bound: 0, nullable: true }
    }

    /// `SELECT` of some items.
    pub(super) fn selected(
        &mut self,
        what: &str,
        items: &[Term],
        from: &str,
        source: &Source,
    ) -> Source {
        let names: Vec<String> = items.iter().map(|_| self.name('o')).collect();
        let texts: Vec<String> = items
            .iter()
            .zip(&names)
            .map(|(item, name)| format!("{} AS {name}", item.text))
            .collect();
        let columns =
            items.iter().zip(names).map(|(item, name)| Term { text: name, ..item.clone() });
        // Columns that no two rows have in common still are so where all of them are selected as they stand.
        let place = |column: &usize| {
            items.iter().position(|item| item.text == source.columns[*column].text)
        };
        let unique = source.unique.iter().filter_map(|set| set.iter().map(place).collect());
        Source {
            sql: format!("{what} {} FROM {from}", texts.join(", ")),
            columns: columns.collect(),
            unique: unique.collect(),
            most: source.most,
        }
    }

    fn distinct(&mut self, source: &Source, from: &str) -> Source {
        let shapes = self.shapes(&source.columns);
        let items: Vec<Term> =
            shapes.iter().map(|shape| self.terms(&source.columns, &[]).term(*shape, 1)).collect();
        let select = self.selected("SELECT DISTINCT", &items, from, source);
        Source { unique: vec![(0..items.len()).collect()], ..select }
    }

    fn union(&mut self, depth: usize) -> Source {
        let depth = depth.min(1);
        let (first, first_filter) = self.rows(depth);
        let (second, second_filter) = self.rows(depth);
        let mut shapes = self.shapes(&first.columns);
        // A category is of both, or of none.
        shapes.iter_mut().for_each(|it| {
            if matches!(it, Shape::Category(_))
                && second.columns.iter().all(|column| column.shape != *it)
            {
                *it = Shape::Integer;
            }
        });
        let a = self.columns(&first, &format!("{}{first_filter}", first.sql), &shapes, false);
        let b = self.columns(&second, &format!("{}{second_filter}", second.sql), &shapes, false);
        let columns = a.columns.into_iter().zip(b.columns).map(|(a, b)| Term {
            bound: a.bound.max(b.bound),
            nullable: a.nullable || b.nullable,
            ..a
        });
        let columns: Vec<Term> = columns.collect();
        let operator = *self.rng.pick(&["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"]);
        let unique = match operator {
            "UNION ALL" => Vec::new(),
            _ => vec![(0..columns.len()).collect()],
        };
        Source {
            sql: format!("{} {operator} {}", a.sql, b.sql),
            columns,
            unique,
            most: a.most + b.most,
        }
    }

    /// The first rows, as a `SELECT`.
    fn limited(&mut self, select: Source) -> Source {
        let most = *self.rng.pick(&[0, 1, 2, 2, 3, 3, 4, 5, 6, 20]);
        let ordered = self.ordered(select);
        Source { sql: format!("{} LIMIT {most}", ordered.sql), most, ..ordered }
    }

    /// A `SELECT` with an order by all columns, but for those in fixed point.
    fn ordered(&mut self, select: Source) -> Source {
        let has_order = select.sql.contains(" ORDER BY ");
        let select = match has_order {
            true => {
                let source = self.named(select);
                self.selected("SELECT", &source.columns, &source.sql, &source)
            }
            false => select,
        };
        let mut keys: Vec<String> = Vec::new();
        let mut left: Vec<&Term> =
            select.columns.iter().filter(|column| column.shape != Shape::Fixed).collect();
        while !left.is_empty() {
            let column = left.remove(self.rng.below(left.len()));
            let direction = self.rng.pick(&["", " ASC", " DESC"]);
            let nulls = self.rng.pick(&["", " NULLS FIRST", " NULLS LAST"]);
            keys.push(format!("{}{direction}{nulls}", column.text));
        }
        let by =
            if keys.is_empty() { String::new() } else { format!(" ORDER BY {}", keys.join(", ")) };
        Source { sql: select.sql.clone() + &by, ..select }
    }
}
