//! Random expressions.

use super::data::DOMAINS;
use super::rng::Rng;

/// What a column or an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Integer,
    /// With so many decimals.
    Decimal(u8),
    Bit,
    Date,
    /// Of a list, by number.
    Category(usize),
    /// A quotient or a mean: nothing is computed of it.
    Fixed,
}

/// A text of SQL, and what it is.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) shape: Shape,
    /// What raw values are at most, without their sign.
    pub(super) bound: i128,
    pub(super) nullable: bool,
}

/// What raw values of numbers are at most, whatever is done with them.
const MOST: i128 = 1_000_000;

impl Term {
    fn new(text: String, shape: Shape, bound: i128, nullable: bool) -> Self {
        Term { text, shape, bound, nullable }
    }
}

/// Makes expressions of some columns, and of subqueries with one integer.
pub(super) struct Terms<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) columns: &'a [Term],
    pub(super) scalars: &'a [Term],
}

/// A shape that expressions are of.
pub(super) fn any_shape(rng: &mut Rng, columns: &[Term]) -> Shape {
    match rng.chance(75) && !columns.is_empty() {
        true => rng.pick(columns).shape,
        false => {
            *rng.pick(&[Shape::Integer, Shape::Integer, Shape::Decimal(2), Shape::Bit, Shape::Date])
        }
    }
}

impl Terms<'_> {
    /// An expression of a shape, with not more than so many operations on top of each other.
    pub(super) fn term(&mut self, shape: Shape, depth: usize) -> Term {
        if depth == 0 || self.rng.chance(30) {
            return self.leaf(shape);
        }
        let made = match self.rng.below(8) {
            0 => self.case(shape, depth),
            1 => self.coalesce(shape, depth),
            2 => self.extreme(shape, depth),
            _ => match shape {
                Shape::Integer => self.integer(depth),
                Shape::Decimal(scale) => self.decimal(scale, depth),
                Shape::Bit => self.bit(depth),
                Shape::Date => self.date(depth),
                Shape::Category(_) | Shape::Fixed => self.leaf(shape),
            },
        };
        if made.bound <= MOST { made } else { self.leaf(shape) }
    }

    /// A column or a literal.
    pub(super) fn leaf(&mut self, shape: Shape) -> Term {
        let fitting: Vec<&Term> =
            self.columns.iter().filter(|column| column.shape == shape).collect();
        // Categories have no literals of their own.
        let must = matches!(shape, Shape::Category(_) | Shape::Fixed);
        if !fitting.is_empty() && (must || self.rng.chance(80)) {
            return (*self.rng.pick(&fitting)).clone();
        }
        if shape == Shape::Integer && !self.scalars.is_empty() && self.rng.chance(25) {
            return self.rng.pick(self.scalars).clone();
        }
        self.literal(shape)
    }

    fn literal(&mut self, shape: Shape) -> Term {
        let signed = |text: String| if text.starts_with('-') { format!("({text})") } else { text };
        let (text, bound) = match shape {
            Shape::Integer | Shape::Fixed => (signed(self.rng.of(-4..=9).to_string()), 9),
            Shape::Decimal(scale) => {
                let unit = 10i128.pow(u32::from(scale));
                let raw = self.rng.of(-8..=12) * unit / 4;
                let (whole, part) = (raw.abs() / unit, raw.abs() % unit);
                let sign = if raw < 0 { "-" } else { "" };
                (
                    signed(format!("{sign}{whole}.{part:0width$}", width = usize::from(scale))),
                    4 * unit,
                )
            }
            Shape::Bit => (self.rng.pick(&["TRUE", "FALSE"]).to_string(), 1),
            Shape::Date => {
                let dates = ["2019-12-31", "2020-01-01", "2020-02-29", "2020-03-01", "2020-08-15"];
                (format!("DATE '{}'", self.rng.pick(&dates)), 20_000)
            }
            Shape::Category(number) => (self.text(number), 4),
        };
        Term::new(text, shape, bound, false)
    }

    /// A text of a list.
    fn text(&mut self, number: usize) -> String {
        format!("'{}'", self.rng.pick(DOMAINS[number].1))
    }

    fn case(&mut self, shape: Shape, depth: usize) -> Term {
        let mut text = "CASE".to_owned();
        let (mut bound, mut nullable) = (0, false);
        for _ in 0..1 + self.rng.below(2) {
            let condition = self.bit(depth - 1);
            let value = self.term(shape, depth - 1);
            text += &format!(" WHEN {} THEN {}", condition.text, value.text);
            bound = bound.max(value.bound);
            nullable |= value.nullable;
        }
        if self.rng.chance(70) {
            let last = match shape {
                Shape::Category(0) if self.rng.chance(40) => self.literal(shape),
                _ => self.term(shape, depth - 1),
            };
            text += &format!(" ELSE {}", last.text);
            bound = bound.max(last.bound);
            nullable |= last.nullable;
        } else {
            nullable = true;
        }
        Term::new(format!("({text} END)"), shape, bound, nullable)
    }

    fn coalesce(&mut self, shape: Shape, depth: usize) -> Term {
        let a = self.term(shape, depth - 1);
        let b = match shape {
            Shape::Category(0) => self.literal(shape),
            Shape::Category(_) => self.leaf(shape),
            _ if self.rng.chance(50) => self.literal(shape),
            _ => self.term(shape, depth - 1),
        };
        let (bound, nullable) = (a.bound.max(b.bound), a.nullable && b.nullable);
        Term::new(format!("COALESCE({}, {})", a.text, b.text), shape, bound, nullable)
    }

    fn extreme(&mut self, shape: Shape, depth: usize) -> Term {
        // DuckDB takes the least of texts, and of bits.
        if !matches!(shape, Shape::Integer | Shape::Decimal(_) | Shape::Date) {
            return self.leaf(shape);
        }
        let (a, b) = (self.term(shape, depth - 1), self.term(shape, depth - 1));
        let (bound, nullable) = (a.bound.max(b.bound), a.nullable && b.nullable);
        let name = self.rng.pick(&["LEAST", "GREATEST"]);
        Term::new(format!("{name}({}, {})", a.text, b.text), shape, bound, nullable)
    }

    fn integer(&mut self, depth: usize) -> Term {
        let shape = Shape::Integer;
        match self.rng.below(12) {
            0..=2 => self.sum(shape, depth),
            3 => {
                let (a, b) = (self.term(shape, depth - 1), self.term(shape, 0));
                let nullable = a.nullable || b.nullable;
                Term::new(format!("({} * {})", a.text, b.text), shape, a.bound * b.bound, nullable)
            }
            4 => {
                let (a, b) = (self.term(shape, depth - 1), self.term(shape, depth - 1));
                let text = match self.rng.below(5) {
                    0 | 1 => format!("({} // {})", a.text, b.text),
                    2 | 3 => format!("({} % {})", a.text, b.text),
                    _ => format!("mod({}, {})", a.text, b.text),
                };
                Term::new(text, shape, a.bound.max(b.bound), true)
            }
            5 if self.rng.chance(30) => {
                let of = *self.rng.pick(&[Shape::Integer, Shape::Decimal(2)]);
                let a = self.term(of, depth - 1);
                Term::new(format!("CAST(sign({}) AS INTEGER)", a.text), shape, 1, a.nullable)
            }
            5 => self.signed(shape, depth),
            6 => {
                let (a, b) = (self.term(shape, depth - 1), self.literal(shape));
                Term::new(format!("NULLIF({}, {})", a.text, b.text), shape, a.bound, true)
            }
            7 | 8 => {
                let date = self.term(Shape::Date, depth - 1);
                let part = self.rng.pick(&["year", "quarter", "month", "day", "dayofweek"]);
                Term::new(format!("{part}({})", date.text), shape, 3000, date.nullable)
            }
            9 => {
                let (a, b) = (self.term(Shape::Date, depth - 1), self.term(Shape::Date, 0));
                Term::new(
                    format!("({} - {})", a.text, b.text),
                    shape,
                    2000,
                    a.nullable || b.nullable,
                )
            }
            10 => {
                let bit = self.term(Shape::Bit, depth - 1);
                Term::new(format!("CAST({} AS INTEGER)", bit.text), shape, 1, bit.nullable)
            }
            _ => {
                let number = self.term(Shape::Decimal(2), depth - 1);
                let bound = number.bound / 100 + 1;
                Term::new(
                    format!("CAST({} AS INTEGER)", number.text),
                    shape,
                    bound,
                    number.nullable,
                )
            }
        }
    }

    fn decimal(&mut self, scale: u8, depth: usize) -> Term {
        let shape = Shape::Decimal(scale);
        match self.rng.below(6) {
            0..=2 => self.sum(shape, depth),
            3 => {
                let (a, b) = (self.term(shape, depth - 1), self.term(Shape::Integer, 0));
                let nullable = a.nullable || b.nullable;
                Term::new(format!("({} * {})", a.text, b.text), shape, a.bound * b.bound, nullable)
            }
            4 => self.signed(shape, depth),
            _ => {
                let number = self.term(Shape::Integer, depth - 1);
                let bound = number.bound * 10i128.pow(u32::from(scale));
                Term::new(
                    format!("CAST({} AS DECIMAL(18, {scale}))", number.text),
                    shape,
                    bound,
                    number.nullable,
                )
            }
        }
    }

    fn sum(&mut self, shape: Shape, depth: usize) -> Term {
        let (a, b) = (self.term(shape, depth - 1), self.term(shape, depth - 1));
        let operator = self.rng.pick(&["+", "-"]);
        let nullable = a.nullable || b.nullable;
        Term::new(format!("({} {operator} {})", a.text, b.text), shape, a.bound + b.bound, nullable)
    }

    fn signed(&mut self, shape: Shape, depth: usize) -> Term {
        let a = self.term(shape, depth - 1);
        let text = if self.rng.chance(50) {
            format!("ABS({})", a.text)
        } else {
            format!("(- {})", a.text)
        };
        Term::new(text, shape, a.bound, a.nullable)
    }

    fn date(&mut self, depth: usize) -> Term {
        let a = self.term(Shape::Date, depth - 1);
        let operator = self.rng.pick(&["+", "-"]);
        let text = format!("({} {operator} {})", a.text, self.rng.of(1..=40));
        Term::new(text, Shape::Date, a.bound + 40, a.nullable)
    }

    /// A condition.
    pub(super) fn bit(&mut self, depth: usize) -> Term {
        let shape = Shape::Bit;
        if depth == 0 {
            return self.compared(0);
        }
        match self.rng.below(9) {
            0 | 1 => {
                let (a, b) = (self.bit(depth - 1), self.bit(depth - 1));
                let operator = self.rng.pick(&["AND", "OR"]);
                let nullable = a.nullable || b.nullable;
                Term::new(format!("({} {operator} {})", a.text, b.text), shape, 1, nullable)
            }
            2 => {
                let a = self.bit(depth - 1);
                Term::new(format!("(NOT {})", a.text), shape, 1, a.nullable)
            }
            3 if !self.columns.is_empty() => {
                let a = self.rng.pick(self.columns).clone();
                let not = self.rng.pick(&["", " NOT"]);
                Term::new(format!("({} IS{not} NULL)", a.text), shape, 1, false)
            }
            4 => self.within(depth),
            5 if self.columns.iter().any(|column| column.shape == shape) => self.leaf(shape),
            _ => self.compared(depth - 1),
        }
    }

    fn compared(&mut self, depth: usize) -> Term {
        let shape = any_shape(self.rng, self.columns);
        let shape = if shape == Shape::Fixed { Shape::Integer } else { shape };
        let a = self.term(shape, depth);
        let (b, operators): (Term, &[&str]) = match shape {
            Shape::Category(0) if self.rng.chance(60) => {
                (self.literal(shape), &["=", "<>", "<", ">="])
            }
            Shape::Category(_) if self.rng.chance(60) => (self.literal(shape), &["=", "<>"]),
            Shape::Category(0) => (self.leaf(shape), &["=", "<>", "<", ">="]),
            // Expressions of these may be texts.
            Shape::Category(_) => (self.leaf(shape), &["=", "<>"]),
            Shape::Bit => (self.leaf(shape), &["=", "<>"]),
            Shape::Decimal(_) if self.rng.chance(40) => {
                (self.leaf(Shape::Integer), &["=", "<", "<=", ">", ">="])
            }
            _ => (self.leaf(shape), &["=", "<>", "<", "<=", ">", ">="]),
        };
        let operator = self.rng.pick(operators);
        let nullable = a.nullable || b.nullable;
        Term::new(format!("({} {operator} {})", a.text, b.text), Shape::Bit, 1, nullable)
    }

    /// BETWEEN, or IN with a list.
    fn within(&mut self, depth: usize) -> Term {
        let shape = any_shape(self.rng, self.columns);
        let shape = match shape {
            Shape::Fixed | Shape::Bit => Shape::Integer,
            shape => shape,
        };
        let a = self.term(shape, depth - 1);
        let not = self.rng.pick(&["", " NOT"]);
        let list = matches!(shape, Shape::Category(_)) || self.rng.chance(50);
        let (b, c) = (self.literal(shape), self.literal(shape));
        let text = match list {
            true => format!("({}{not} IN ({}, {}))", a.text, b.text, c.text),
            false => format!("({}{not} BETWEEN {} AND {})", a.text, b.text, c.text),
        };
        Term::new(text, Shape::Bit, 1, a.nullable)
    }
}
