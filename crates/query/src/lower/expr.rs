//! What is computed row by row.

use super::frame::{Cell, Frame};
use super::{Bits, Lowering, element_of};
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{Compute, Expr, Operator, Plan};
use tacit_program::build::Value;
use tacit_program::{Element, Extent, Interval};

/// Whether an expression is a column as it stands.
pub(super) fn is_column(expr: &Expr, column: usize) -> bool {
    matches!(expr.compute, Compute::Column(it) if it == column)
}

impl Lowering<'_> {
    /// An expression for every row of a table, or for all of them alike.
    pub fn expr(&mut self, expr: &Expr, frame: &Frame) -> Result<Cell> {
        self.at(&expr.span);
        let cell = match &expr.compute {
            Compute::Column(column) => return frame.column(*column, &expr.span),
            Compute::Literal(raw) => self.literal(&expr.kind, *raw),
            Compute::Scalar(plan) => self.scalar(plan)?,
            Compute::Convert(a) => {
                let cell = self.expr(a, frame)?;
                self.at(&expr.span);
                Cell { value: self.converted(cell.value, &a.kind, &expr.kind, a)?, ..cell }
            }
            Compute::Negate(a) => {
                let cell = self.expr(a, frame)?;
                Cell { value: self.b.neg(cell.value), ..cell }
            }
            Compute::Absolute(a) => {
                let cell = self.expr(a, frame)?;
                Cell { value: self.b.abs(cell.value), ..cell }
            }
            Compute::Not(a) => {
                let cell = self.expr(a, frame)?;
                Cell { value: self.b.not(cell.value), ..cell }
            }
            Compute::IsNull(a) => {
                let known = self.expr(a, frame)?.known;
                let value = match known {
                    Some(known) => self.b.not(known),
                    None => self.b.constant(Element::Bit, 0),
                };
                Cell { value, known: None }
            }
            Compute::Binary(operator, a, b) => {
                let (a, b) = (self.expr(a, frame)?, self.expr(b, frame)?);
                self.at(&expr.span);
                self.binary(*operator, &expr.kind, a, b)
            }
            Compute::Case(branches, last) => {
                let mut chosen = self.expr(last, frame)?;
                for (condition, value) in branches.iter().rev() {
                    let condition = self.expr(condition, frame)?;
                    let condition = self.is_true(&condition);
                    let value = self.expr(value, frame)?;
                    self.at(&expr.span);
                    chosen = self.chosen(condition, value, chosen);
                }
                chosen
            }
            Compute::Coalesce(of) => {
                let cells = self.all(of, frame)?;
                let mut chosen = self.literal(&expr.kind, None);
                for cell in cells.into_iter().rev() {
                    chosen = match cell.known {
                        Some(known) => self.chosen(known, Cell { known: None, ..cell }, chosen),
                        None => cell,
                    };
                }
                chosen
            }
            Compute::Extreme { greatest, of } => {
                let mut cells = self.all(of, frame)?.into_iter();
                let first = cells.next().unwrap_or_else(|| self.literal(&expr.kind, None));
                cells.fold(first, |extreme, cell| self.extreme(*greatest, extreme, cell))
            }
            Compute::Bucket(a, edges) => {
                let cell = self.expr(a, frame)?;
                self.at(&expr.span);
                Cell { value: self.bucket(cell.value, edges), ..cell }
            }
            Compute::Root(a) => {
                let cell = self.expr(a, frame)?;
                self.at(&expr.span);
                let known = match self.interval(cell.value).low < 0 {
                    true => {
                        let has = self.b.ge(cell.value, 0);
                        self.and(cell.known, Some(has))
                    }
                    false => cell.known,
                };
                Cell { value: self.b.sqrt(cell.value), known }
            }
            Compute::OfText(..) => {
                return Err(QueryError::new(&expr.span, crate::plan::LETTERS));
            }
            Compute::DatePart(part, a) => {
                let cell = self.expr(a, frame)?;
                self.at(&expr.span);
                Cell { value: self.date_part(*part, cell.value, &a.span)?, ..cell }
            }
        };
        self.checked(cell)
    }

    fn all(&mut self, of: &[Expr], frame: &Frame) -> Result<Vec<Cell>> {
        of.iter().map(|expr| self.expr(expr, frame)).collect()
    }

    /// A number of the query, or null.
    fn literal(&mut self, kind: &Kind, raw: Option<i128>) -> Cell {
        let known = raw.is_none().then(|| self.b.constant(Element::Bit, 0));
        let raw = raw.unwrap_or(0);
        let value = self.raw(element_of(kind, Interval::point(raw)), raw);
        Cell { value, known }
    }

    /// How many of some raw values are at most a value.
    fn bucket(&mut self, value: Value, edges: &[i128]) -> Value {
        let value = self.integer(value);
        let Interval { low, high } = self.interval(value);
        let below = edges.iter().filter(|edge| **edge <= low).count();
        let within = edges.iter().filter(|edge| (low + 1..=high).contains(*edge));
        let reached: Vec<Value> = within.map(|edge| self.b.ge(value, *edge)).collect();
        let mut count = self.b.constant(Element::uint(16), below as i128);
        for bit in reached {
            let one = self.b.cast(bit, Element::uint(16));
            count = self.b.add(count, one);
        }
        count
    }

    /// The only value of a plan.
    fn scalar(&mut self, plan: &Plan) -> Result<Cell> {
        let frame = self.plan(plan, &[true])?;
        if frame.rows != Extent::fixed(1) {
            let what = "a subquery that stands for a value has one row: take an aggregate of it, or ORDER BY .. LIMIT 1";
            return Err(QueryError::new(&plan.span, what));
        }
        let cell = frame.column(0, &plan.span)?;
        let known = self.and(frame.valid, cell.known);
        let value = self.b.reshape(cell.value, Vec::new());
        Ok(Cell { value, known: known.map(|known| self.b.reshape(known, Vec::new())) })
    }

    /// Whether a bit is one, and not null.
    pub fn is_true(&mut self, cell: &Cell) -> Value {
        self.and(Some(cell.value), cell.known).unwrap_or(cell.value)
    }

    /// One value where a bit is one, else another.
    fn chosen(&mut self, bit: Value, a: Cell, b: Cell) -> Cell {
        let known = match (a.known, b.known) {
            (None, None) => None,
            (a, b) => {
                let [a, b] =
                    [a, b].map(|bits| bits.unwrap_or_else(|| self.b.constant(Element::Bit, 1)));
                Some(self.select(bit, a, b))
            }
        };
        Cell { value: self.select(bit, a.value, b.value), known }
    }

    /// A choice of numbers or of bits.
    fn select(&mut self, bit: Value, a: Value, b: Value) -> Value {
        self.b.select(bit, a, b)
    }

    /// The lesser or greater of two values, of one where the other is null.
    fn extreme(&mut self, greatest: bool, a: Cell, b: Cell) -> Cell {
        let is_bit = self.b.type_of(a.value).is_some_and(|ty| ty.element == Element::Bit);
        let first = match (is_bit, greatest) {
            // A bit is less than another one if it is zero and that is one.
            (true, false) => self.b.not(a.value),
            (true, true) => a.value,
            (false, false) => self.b.le(a.value, b.value),
            (false, true) => self.b.ge(a.value, b.value),
        };
        let mut takes_first = first;
        if let Some(known) = b.known {
            let unknown = self.b.not(known);
            takes_first = self.b.or(takes_first, unknown);
        }
        let takes_first = self.and(Some(takes_first), a.known).unwrap_or(takes_first);
        let known = match (a.known, b.known) {
            (Some(a), Some(b)) => Some(self.b.or(a, b)),
            _ => None,
        };
        Cell { value: self.select(takes_first, a.value, b.value), known }
    }

    fn binary(&mut self, operator: Operator, kind: &Kind, a: Cell, b: Cell) -> Cell {
        let both = self.and(a.known, b.known);
        let of = |value| Cell { value, known: both };
        match operator {
            Operator::Add => of(self.b.add(a.value, b.value)),
            Operator::Subtract => of(self.b.sub(a.value, b.value)),
            Operator::Multiply => of(self.b.mul(a.value, b.value)),
            Operator::Equal => of(self.b.eq(a.value, b.value)),
            Operator::Less => {
                let [a, b] = [a, b].map(|cell| self.compared(cell.value));
                of(self.b.lt(a, b))
            }
            Operator::LessOrEqual => {
                let [a, b] = [a, b].map(|cell| self.compared(cell.value));
                of(self.b.le(a, b))
            }
            Operator::Divide => {
                let known = self.unless_zero(both, b.value);
                Cell { value: self.b.div(a.value, b.value), known }
            }
            Operator::IntegerDivide | Operator::Remainder => {
                let known = self.unless_zero(both, b.value);
                let value = self.truncated(operator == Operator::Remainder, a.value, b.value);
                Cell { value, known }
            }
            Operator::And | Operator::Or => self.logic(operator == Operator::And, kind, a, b),
        }
    }

    /// Bits as numbers, which can be compared.
    fn compared(&mut self, value: Value) -> Value {
        match self.b.type_of(value).map(|ty| ty.element) {
            Some(Element::Bit) => self.b.cast(value, Element::uint(8)),
            _ => value,
        }
    }

    /// Known where a divisor is not zero.
    fn unless_zero(&mut self, known: Bits, divisor: Value) -> Bits {
        let Interval { low, high } = self.interval(divisor);
        if low > 0 || high < 0 {
            return known;
        }
        let divides = self.b.ne(divisor, 0);
        self.and(known, Some(divides))
    }

    /// The quotient rounded towards zero, or what remains. The program's own operations round down.
    fn truncated(&mut self, remainder: bool, a: Value, b: Value) -> Value {
        let negative = [a, b].map(|value| self.interval(value).low < 0);
        let [above, below] = [a, b]
            .map(|value| if self.interval(value).low < 0 { self.b.abs(value) } else { value });
        let value = if remainder { self.b.rem(above, below) } else { self.b.div(above, below) };
        let mut turned: Bits = None;
        for (value, negative) in [a, b].into_iter().zip(negative) {
            if negative && !(remainder && value == b) {
                let less = self.b.lt(value, 0);
                turned = Some(match turned {
                    Some(turned) => self.b.xor(turned, less),
                    None => less,
                });
            }
        }
        let Some(turned) = turned else { return value };
        let opposite = self.b.neg(value);
        self.select(turned, opposite, value)
    }

    /// Conjunction, or disjunction, of bits that may be null.
    fn logic(&mut self, and: bool, kind: &Kind, a: Cell, b: Cell) -> Cell {
        debug_assert_eq!(*kind, Kind::Bit);
        if a.known.is_none() && b.known.is_none() {
            let value =
                if and { self.b.and(a.value, b.value) } else { self.b.or(a.value, b.value) };
            return Cell { value, known: None };
        }
        // A value decides alone if it is known, and zero for a conjunction, one for a disjunction.
        let [first, second] = [a, b].map(|cell| {
            let decides = if and { self.b.not(cell.value) } else { cell.value };
            self.and(Some(decides), cell.known).unwrap_or(decides)
        });
        let decided = self.b.or(first, second);
        let known = match self.and(a.known, b.known) {
            Some(both) => Some(self.b.or(both, decided)),
            None => None,
        };
        let value = if and { self.b.not(decided) } else { decided };
        Cell { value, known }
    }

    /// A value as one of another kind.
    fn converted(&mut self, value: Value, from: &Kind, to: &Kind, of: &Expr) -> Result<Value> {
        Ok(match (from, to) {
            (from, to) if from == to => value,
            (Kind::Bit, Kind::Decimal { scale }) => {
                let number = self.b.cast(value, Element::uint(8));
                self.times_ten(number, *scale)
            }
            (Kind::Bit, Kind::Fixed { fraction }) => {
                let number = self.b.cast(value, Element::uint(8));
                self.b.to_fixed(number, *fraction)
            }
            (Kind::Decimal { scale }, Kind::Decimal { scale: wanted }) if wanted >= scale => {
                self.times_ten(value, wanted - scale)
            }
            (Kind::Decimal { scale }, Kind::Decimal { scale: wanted }) => {
                let unit = ten(scale - wanted);
                let rounding = self.half_away(value, unit / 2);
                self.b.div(rounding, unit)
            }
            (Kind::Decimal { scale }, Kind::Fixed { fraction }) => {
                let number = self.b.to_fixed(value, *fraction);
                match scale {
                    0 => number,
                    _ => self.b.div(number, ten(*scale)),
                }
            }
            (Kind::Fixed { fraction }, Kind::Decimal { scale }) => {
                let number = self.many_times(value, ten(*scale));
                let rounding = self.half_away(number, 1 << fraction >> 1);
                let Interval { low, high } = self.interval(rounding);
                let whole = Interval { low: low >> fraction, high: high >> fraction };
                self.b.cast(rounding, super::integer_of(whole))
            }
            (Kind::Fixed { .. }, Kind::Fixed { fraction }) => self.b.to_fixed(value, *fraction),
            _ => {
                let what = format!("{from} cannot become {to}");
                return Err(QueryError::new(&of.span, what));
            }
        })
    }

    /// What, rounded down to units of twice `half`, is the nearest unit, half away from zero.
    fn half_away(&mut self, value: Value, half: i128) -> Value {
        let Some(ty) = self.b.type_of(value).cloned() else { return value };
        let step = self.raw(ty.element, half);
        let raised = self.b.add(value, step);
        if ty.interval.low >= 0 {
            return raised;
        }
        let negative = self.b.lt(value, 0);
        let unit = self.raw(ty.element, 1);
        let less = self.b.sub(raised, unit);
        self.select(negative, less, raised)
    }

    fn times_ten(&mut self, value: Value, digits: u8) -> Value {
        if digits == 0 { value } else { self.b.mul(value, ten(digits)) }
    }

    /// Fixed point so many times, exactly.
    fn many_times(&mut self, value: Value, times: i128) -> Value {
        let mut sum = None;
        for bit in (0..64u8).filter(|bit| times >> bit & 1 == 1) {
            let part = self.b.shift_left(value, bit);
            sum = Some(match sum {
                Some(sum) => self.b.add(sum, part),
                None => part,
            });
        }
        sum.unwrap_or(value)
    }
}

/// A power of ten.
pub(super) fn ten(digits: u8) -> i128 {
    10i128.pow(u32::from(digits))
}
