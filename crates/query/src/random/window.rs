//! Random window functions.
//!
//! Which of several peers comes first is no matter for DuckDB: where it shows, windows are ordered by what tells all rows apart that differ.

use super::expr::{Shape, Term};
use super::parts::MOST_SUM;
use super::select::{Queries, Source};

/// What windows are of.
pub(super) struct Rows<'t> {
    /// What may stand in them.
    pub(super) columns: &'t [Term],
    /// What tells rows apart.
    pub(super) all: &'t [Term],
    /// How many rows there are at most.
    pub(super) most: i128,
    /// Whether there may be results in fixed point.
    pub(super) fixed: bool,
}

impl Queries<'_> {
    /// A `SELECT` of columns and windows of rows.
    pub(super) fn windowed(&mut self, source: &Source, from: &str, fixed: bool) -> Source {
        let columns = source.columns.clone();
        let rows = Rows { columns: &columns, all: &columns, most: source.most, fixed };
        let mut items: Vec<Term> = Vec::new();
        for _ in 0..self.rng.below(4) {
            items.push(self.rng.pick(&columns).clone());
        }
        items.extend(self.windows(&rows));
        if self.rng.chance(20) && !fixed {
            let shape = items[0].shape;
            let known = items.clone();
            items.push(self.terms(&known, &[]).term(shape, 1));
        }
        let mut select = self.selected("SELECT", &items, from, source);
        if self.rng.chance(20) {
            let over = self.over(&rows, false, true);
            let function = self.rng.pick(&["rank", "dense_rank"]);
            let most = 1 + self.rng.below(3);
            select.sql += &format!(" QUALIFY {function}() {over} <= {most}");
        }
        select
    }

    /// One window or several, of which one may tell peers apart.
    pub(super) fn windows(&mut self, rows: &Rows<'_>) -> Vec<Term> {
        let mut made = Vec::new();
        if self.rng.chance(60) {
            let over = self.over(rows, true, true);
            for _ in 0..1 + self.rng.below(2) {
                made.push(self.telling(rows, &over));
            }
        }
        for _ in 0..self.rng.below(3) + usize::from(made.is_empty()) {
            made.push(self.range(rows));
        }
        made
    }

    /// `OVER`: by all columns, or by some, or without an order.
    fn over(&mut self, rows: &Rows<'_>, all: bool, ordered: bool) -> String {
        let mut parts = Vec::new();
        let mut partition = Vec::new();
        for _ in 0..*self.rng.pick(&[0, 1, 1, 1, 2]) {
            partition.push(self.rng.pick(rows.columns).text.clone());
        }
        if !partition.is_empty() {
            parts.push(format!("PARTITION BY {}", partition.join(", ")));
        }
        let mut keys: Vec<&Term> = Vec::new();
        if all {
            keys = rows.all.iter().collect();
            for place in (1..keys.len()).rev() {
                keys.swap(place, self.rng.below(place + 1));
            }
        } else if ordered {
            for _ in 0..1 + self.rng.below(2) {
                keys.push(self.rng.pick(rows.columns));
            }
        }
        let keys: Vec<String> = keys
            .into_iter()
            .map(|key| {
                let direction = self.rng.pick(&["", " ASC", " DESC", " DESC"]);
                let nulls = self.rng.pick(&["", "", " NULLS FIRST", " NULLS LAST"]);
                format!("{}{direction}{nulls}", key.text)
            })
            .collect();
        if !keys.is_empty() {
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        format!("OVER ({})", parts.join(" "))
    }

    /// A window that may tell peers apart.
    fn telling(&mut self, rows: &Rows<'_>, over: &str) -> Term {
        let with = |frame: &str| framed(over, frame);
        let of = self.rng.pick(rows.columns).clone();
        match self.rng.below(8) {
            0 | 1 => Term {
                text: format!("row_number() {over}"),
                shape: Shape::Integer,
                bound: rows.most,
                nullable: false,
            },
            2 | 3 => {
                let name = self.rng.pick(&["lag", "lead"]);
                let by = self.rng.below(4);
                let (arguments, bound, nullable) = match (self.rng.below(3), of.shape) {
                    (0, _) => (of.text.clone(), of.bound, true),
                    (1, Shape::Integer | Shape::Decimal(_) | Shape::Date) => {
                        let other = self.terms(rows.columns, &[]).leaf(of.shape);
                        let nullable = of.nullable || other.nullable;
                        (
                            format!("{}, {by}, {}", of.text, other.text),
                            of.bound.max(other.bound),
                            nullable,
                        )
                    }
                    _ => (format!("{}, {by}", of.text), of.bound, true),
                };
                Term { text: format!("{name}({arguments}) {over}"), bound, nullable, ..of }
            }
            4 => {
                let name = self.rng.pick(&["first_value", "last_value"]);
                let frame = self.rng.pick(&[
                    "",
                    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                    "ROWS UNBOUNDED PRECEDING",
                ]);
                Term { text: format!("{name}({}) {}", of.text, with(frame)), ..of }
            }
            5 => {
                let before = self.rng.below(4);
                let frame = format!("ROWS BETWEEN {before} PRECEDING AND CURRENT ROW");
                self.folded(rows, of, &with(&frame), false)
            }
            _ => {
                let frame = self.rng.pick(&[
                    "ROWS UNBOUNDED PRECEDING",
                    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                ]);
                let over = with(frame);
                self.folded(rows, of, &over, true)
            }
        }
    }

    /// A window that does not tell peers apart.
    fn range(&mut self, rows: &Rows<'_>) -> Term {
        if self.rng.chance(30) {
            let over = self.over(rows, false, true);
            let name = self.rng.pick(&["rank", "dense_rank"]);
            let text = format!("{name}() {over}");
            return Term { text, shape: Shape::Integer, bound: rows.most, nullable: false };
        }
        let ordered = self.rng.chance(50);
        let over = self.over(rows, false, ordered);
        let frame = self.rng.pick(&[
            "",
            "",
            "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        ]);
        let over = framed(&over, frame);
        let of = self.rng.pick(rows.columns).clone();
        self.folded(rows, of, &over, true)
    }

    /// An aggregate of a window.
    fn folded(&mut self, rows: &Rows<'_>, of: Term, over: &str, extremes: bool) -> Term {
        let filter = match self.rng.chance(12) {
            true => format!(" FILTER (WHERE {})", self.terms(rows.columns, &[]).bit(1).text),
            false => String::new(),
        };
        let number = matches!(of.shape, Shape::Integer | Shape::Decimal(_));
        let sums = of.bound * rows.most <= MOST_SUM;
        let made = |name: &str, of: Term| Term {
            text: format!("{name}({}){filter} {over}", of.text),
            nullable: true,
            ..of
        };
        match self.rng.below(6) {
            0 | 1 if number && sums => {
                let bound = of.bound * rows.most;
                made("sum", Term { bound, ..of })
            }
            2 if number && sums && rows.fixed => {
                made("avg", Term { shape: Shape::Fixed, bound: 0, ..of })
            }
            3 if extremes => made("min", of),
            4 if extremes => made("max", of),
            5 => Term {
                text: format!("count(*){filter} {over}"),
                shape: Shape::Integer,
                bound: rows.most,
                nullable: false,
            },
            _ => Term {
                nullable: false,
                ..made("count", Term { shape: Shape::Integer, bound: rows.most, ..of })
            },
        }
    }
}

/// `OVER` with a frame.
fn framed(over: &str, frame: &str) -> String {
    match frame {
        "" => over.to_owned(),
        _ => format!("{} {frame})", over.strip_suffix(')').unwrap_or(over)),
    }
}
