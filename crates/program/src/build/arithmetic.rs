//! Numbers: arithmetic and conversions.

use super::{Arg, Builder, Number, POISON, Value};
use crate::ir::{MOST_BITS, Op};
use crate::types::{Element, Interval};
use std::ops::RangeInclusive;

impl Builder {
    #[track_caller]
    pub(super) fn binary(&mut self, op: Op, a: Arg, b: Arg) -> Value {
        let operands = self.pair(a, b);
        self.push(op, &operands, None)
    }

    /// A bit as an integer, anything else as it is.
    #[track_caller]
    pub(super) fn number(&mut self, a: Value) -> Value {
        match self.type_of(a).map(|t| t.element) {
            Some(Element::Bit) => self.cast(a, Element::uint(8)),
            _ => a,
        }
    }

    /// `a + b`, in a type that holds it.
    #[track_caller]
    pub fn add(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Add { wrap: false }, a.into(), b.into())
    }

    /// `a - b`, in a type that holds it.
    #[track_caller]
    pub fn sub(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Sub { wrap: false }, a.into(), b.into())
    }

    /// `a b`, in a type that holds it; fixed point within one unit of the last place.
    #[track_caller]
    pub fn mul(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Mul { wrap: false }, a.into(), b.into())
    }

    /// `a + b` modulo `2^bits` of their one type.
    #[track_caller]
    pub fn add_wrapping(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Add { wrap: true }, a.into(), b.into())
    }

    /// `a - b` modulo `2^bits` of their one type.
    #[track_caller]
    pub fn sub_wrapping(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Sub { wrap: true }, a.into(), b.into())
    }

    /// `a b` modulo `2^bits` of their one integer type.
    #[track_caller]
    pub fn mul_wrapping(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Mul { wrap: true }, a.into(), b.into())
    }

    /// `-a`, in a type that holds it.
    #[track_caller]
    pub fn neg(&mut self, a: Value) -> Value {
        self.push(Op::Neg { wrap: false }, &[a], None)
    }

    /// `-a` modulo `2^bits`.
    #[track_caller]
    pub fn neg_wrapping(&mut self, a: Value) -> Value {
        self.push(Op::Neg { wrap: true }, &[a], None)
    }

    /// `|a|`.
    #[track_caller]
    pub fn abs(&mut self, a: Value) -> Value {
        self.push(Op::Abs, &[a], None)
    }

    /// The lesser of two.
    #[track_caller]
    pub fn min(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Min, a.into(), b.into())
    }

    /// The greater of two.
    #[track_caller]
    pub fn max(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Max, a.into(), b.into())
    }

    /// `a 2^by`.
    #[track_caller]
    pub fn shift_left(&mut self, a: Value, by: u8) -> Value {
        self.push(Op::ShiftLeft { by }, &[a], None)
    }

    /// `floor(raw / 2^by)`.
    #[track_caller]
    pub fn shift_right(&mut self, a: Value, by: u8) -> Value {
        self.push(Op::ShiftRight { by }, &[a], None)
    }

    /// `a / b` rounded down; zero where `b` is zero.
    #[track_caller]
    pub fn div(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Div { bits: None }, a.into(), b.into())
    }

    /// `a / b` of which about `bits` bits are right; see [`Op::Div`].
    #[track_caller]
    pub fn div_to(&mut self, a: impl Into<Arg>, b: impl Into<Arg>, bits: u8) -> Value {
        self.binary(Op::Div { bits: Some(bits) }, a.into(), b.into())
    }

    /// `a - b floor(a / b)`; zero where `b` is zero.
    #[track_caller]
    pub fn rem(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Rem, a.into(), b.into())
    }

    /// `1 / a` in fixed point, rounded down; zero where `a` is zero.
    #[track_caller]
    pub fn reciprocal(&mut self, a: Value) -> Value {
        self.div(1, a)
    }

    /// The square root, rounded down; zero of negative values.
    #[track_caller]
    pub fn sqrt(&mut self, a: Value) -> Value {
        self.push(Op::Sqrt, &[a], None)
    }

    /// `e^a` of fixed point; see [`crate::lower`] for error and cut-off.
    #[track_caller]
    pub fn exp(&mut self, a: Value) -> Value {
        self.push(Op::Exp { bits: MOST_BITS }, &[a], None)
    }

    /// The natural logarithm of fixed point; see [`crate::lower`] for the error.
    #[track_caller]
    pub fn log(&mut self, a: Value) -> Value {
        self.push(Op::Log { bits: MOST_BITS }, &[a], None)
    }

    /// `1 / (1 + e^-a)` of fixed point; see [`crate::lower`] for the error.
    #[track_caller]
    pub fn sigmoid(&mut self, a: Value) -> Value {
        self.push(Op::Sigmoid { bits: MOST_BITS }, &[a], None)
    }

    /// `e^a` of which about `bits` bits are right; see [`Op::Exp`].
    #[track_caller]
    pub fn exp_to(&mut self, a: Value, bits: u8) -> Value {
        self.push(Op::Exp { bits }, &[a], None)
    }

    /// The natural logarithm, of which about `bits` bits are right; see [`Op::Log`].
    #[track_caller]
    pub fn log_to(&mut self, a: Value, bits: u8) -> Value {
        self.push(Op::Log { bits }, &[a], None)
    }

    /// `1 / (1 + e^-a)` of which about `bits` bits are right; see [`Op::Sigmoid`].
    #[track_caller]
    pub fn sigmoid_to(&mut self, a: Value, bits: u8) -> Value {
        self.push(Op::Sigmoid { bits }, &[a], None)
    }

    /// The hyperbolic tangent, `2 / (1 + e^-2a) - 1`: as far off as twice a sigmoid of one bit more, if there is one more.
    #[track_caller]
    pub fn tanh(&mut self, a: Value, bits: u8) -> Value {
        let twice = self.shift_left(a, 1);
        let sigmoid = self.sigmoid_to(twice, bits.saturating_add(1).min(MOST_BITS));
        let double = self.shift_left(sigmoid, 1);
        self.sub(double, 1)
    }

    /// Casts numbers to another type, which must hold them.
    #[track_caller]
    pub fn cast(&mut self, a: Value, to: Element) -> Value {
        match self.type_of(a).map(|t| t.element) {
            Some(from) if from == to => a,
            _ => self.push(Op::Cast(to), &[a], None),
        }
    }

    /// Casts numbers to fixed point, with as many bits as they need. They are rounded down if they
    /// have more fractional bits.
    #[track_caller]
    pub fn to_fixed(&mut self, a: Value, fraction: u8) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let old = ty.element.fraction();
        let by = Interval::point(1 << fraction.saturating_sub(old).min(64));
        let raw = crate::infer::range::mul(ty.interval, by);
        let raw = raw.map(|i| crate::infer::range::shift_right(i, old.saturating_sub(fraction)));
        let need = raw.map_or(64, Interval::signed_bits).max(u32::from(fraction) + 1).max(2);
        let bits = match ty.element {
            Element::Fixed { bits, .. } if bits > fraction => need.max(bits.into()),
            _ => need,
        };
        self.cast(a, Element::Fixed { bits: bits.min(64) as u8, fraction })
    }

    /// Takes the low bits of integers, as another integer type.
    #[track_caller]
    pub fn wrap(&mut self, a: Value, to: Element) -> Value {
        self.push(Op::Wrap(to), &[a], None)
    }

    /// Promises that values lie in a range. A promise that is broken gives wrong results.
    #[track_caller]
    pub fn assume<T: Into<Number> + Copy>(&mut self, a: Value, range: RangeInclusive<T>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let raw = |n: &T| (*n).into().raw(ty.element);
        match (raw(range.start()), raw(range.end())) {
            (Ok(low), Ok(high)) => self.assume_raw(a, Interval { low, high }),
            (Err(message), _) | (_, Err(message)) => self.fail(message),
        }
    }

    /// Checks in the run that values lie in a range. If some value that the program checks does not, the run ends with an
    /// error at all parties, who learn no more than that, before anything is revealed.
    #[track_caller]
    pub fn check<T: Into<Number> + Copy>(&mut self, a: Value, range: RangeInclusive<T>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let raw = |n: &T| (*n).into().raw(ty.element);
        match (raw(range.start()), raw(range.end())) {
            (Ok(low), Ok(high)) => self.check_raw(a, Interval { low, high }),
            (Err(message), _) | (_, Err(message)) => self.fail(message),
        }
    }

    /// Checks in the run that values lie in an interval of raw values; what is left of it within the known one is the
    /// result's. Nothing is computed where it holds all values that there can be.
    #[track_caller]
    pub fn check_raw(&mut self, a: Value, checked: Interval) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let low = checked.low.max(ty.interval.low);
        let high = checked.high.min(ty.interval.high);
        match (Interval { low, high }, low <= high) {
            (interval, true) if interval == ty.interval => a,
            (interval, true) => self.push(Op::Check(interval), &[a], None),
            (_, false) => self.fail("no value lies in the range that is checked"),
        }
    }

    /// Promises that values lie in an interval of raw values; what counts is what remains of it within
    /// the known one.
    #[track_caller]
    pub fn assume_raw(&mut self, a: Value, promised: Interval) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let low = promised.low.max(ty.interval.low);
        let high = promised.high.min(ty.interval.high);
        match (Interval { low, high }, low <= high) {
            (interval, true) if interval == ty.interval => a,
            (interval, true) => self.push(Op::Assume(interval), &[a], None),
            (_, false) => self.fail("no value lies in the promised range"),
        }
    }
}
