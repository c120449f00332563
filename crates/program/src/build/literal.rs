//! Numbers in the user's terms, and declarations of arrays.

use super::{Builder, POISON, Value};
use crate::domain::Meaning;
use crate::infer::element::smallest;
use crate::ir::Op;
use crate::types::{Element, Extent, Interval, PartyId, Shape, Type, Visibility};
use std::ops::RangeInclusive;

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int(i128),
    /// Anything else; rounded to the nearest value of the fixed-point type that it meets.
    Float(f64),
}

impl From<i32> for Number {
    fn from(n: i32) -> Self {
        Number::Int(n.into())
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Number::Int(n.into())
    }
}

impl From<u64> for Number {
    fn from(n: u64) -> Self {
        Number::Int(n.into())
    }
}

impl From<i128> for Number {
    fn from(n: i128) -> Self {
        Number::Int(n)
    }
}

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Number::Float(x)
    }
}

impl Number {
    /// The raw value of the nearest number of a type.
    ///
    /// # Errors
    /// If it is not finite, far too large, or no integer where one is needed.
    pub fn raw(self, element: Element) -> Result<i128, String> {
        let fraction = element.fraction();
        match self {
            Number::Int(n) => n.checked_mul(1 << fraction).ok_or(format!("{n} is too large")),
            Number::Float(x) if !x.is_finite() => Err(format!("{x} is not a number")),
            Number::Float(x) if matches!(element, Element::Fixed { .. }) => {
                Ok((x * 2f64.powi(fraction.into())).round() as i128)
            }
            Number::Float(x) if x.fract() == 0.0 => Ok(x as i128),
            Number::Float(x) => Err(format!("{x} with {element}: cast that to fixed point first")),
        }
    }
}

/// A value, or a number or truth value in its place.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A value.
    Value(Value),
    /// A number, of the type that it meets.
    Number(Number),
    /// A truth value.
    Bit(bool),
}

impl From<Value> for Arg {
    fn from(value: Value) -> Self {
        Arg::Value(value)
    }
}

impl<T: Into<Number>> From<T> for Arg {
    fn from(number: T) -> Self {
        Arg::Number(number.into())
    }
}

impl From<bool> for Arg {
    fn from(bit: bool) -> Self {
        Arg::Bit(bit)
    }
}

/// The declaration of an array: element type, axes, range of its values.
#[derive(Clone, Debug)]
pub struct Array {
    element: Element,
    shape: Shape,
    range: Option<(Number, Number)>,
    meaning: Meaning,
}

impl Array {
    /// A single element, of any value.
    #[must_use]
    pub fn of(element: Element) -> Self {
        Array { element, shape: Shape::new(), range: None, meaning: Meaning::Number }
    }

    /// With one more axis, innermost: a length or a row count.
    #[must_use]
    pub fn axis(mut self, extent: impl Into<Extent>) -> Self {
        self.shape.push(extent.into());
        self
    }

    /// Whose values all lie within a range, which inputs are checked against.
    #[must_use]
    pub fn range<T: Into<Number> + Copy>(mut self, range: RangeInclusive<T>) -> Self {
        self.range = Some(((*range.start()).into(), (*range.end()).into()));
        self
    }

    /// Whose values stand for something: cells of tables hold dates, or members of a domain. It
    /// is also the range, unless there is another.
    #[must_use]
    pub fn meaning_of(mut self, meaning: Meaning) -> Self {
        self.meaning = meaning;
        self
    }

    pub(super) fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    pub(super) fn into_type(self, party: Option<PartyId>) -> Result<Type, String> {
        let Array { element, shape, range, meaning } = self;
        crate::infer::element::valid(element)?;
        let interval = match range {
            Some((low, high)) => Interval { low: low.raw(element)?, high: high.raw(element)? },
            None => meaning.interval().unwrap_or(element.interval()),
        };
        let visibility = party.map_or(Visibility::Public, Visibility::Private);
        Ok(Type { element, shape, visibility, interval })
    }
}

impl Builder {
    /// A public constant.
    #[track_caller]
    pub fn constant(&mut self, element: Element, value: impl Into<Number>) -> Value {
        self.filled(element, Shape::new(), value.into())
    }

    /// A public array of constants, row-major, of known shape.
    #[track_caller]
    pub fn constants<T: Into<Number> + Copy>(
        &mut self,
        element: Element,
        shape: &[u64],
        values: &[T],
    ) -> Value {
        let raw: Result<Vec<i128>, String> =
            values.iter().map(|&v| v.into().raw(element)).collect();
        let shape = shape.iter().map(|&n| Extent::fixed(n)).collect();
        match raw {
            Ok(raw) => self.raw_constant(element, shape, raw),
            Err(message) => self.fail(message),
        }
    }

    /// An array of one public number.
    #[track_caller]
    pub(super) fn filled(&mut self, element: Element, shape: Shape, value: Number) -> Value {
        match value.raw(element) {
            Ok(raw) => self.raw_constant(element, shape, vec![raw]),
            Err(message) => self.fail(message),
        }
    }

    #[track_caller]
    pub(super) fn raw_constant(&mut self, element: Element, shape: Shape, raw: Vec<i128>) -> Value {
        let interval = element.interval();
        let ty = Type { element, shape, visibility: Visibility::Public, interval };
        self.push(Op::Constant(raw), &[], Some(&[ty]))
    }

    /// An argument as a value that can meet values of type `other`.
    #[track_caller]
    pub(super) fn lift(&mut self, arg: Arg, other: Option<Element>) -> Value {
        match arg {
            Arg::Value(value) => value,
            Arg::Bit(bit) => self.filled(Element::Bit, Shape::new(), Number::Int(bit.into())),
            Arg::Number(number) => match literal_element(number, other) {
                Ok(element) => self.filled(element, Shape::new(), number),
                Err(message) => self.fail(message),
            },
        }
    }

    /// The element type of an argument that is a value.
    pub(super) fn element_of(&self, arg: Arg) -> Option<Element> {
        match arg {
            Arg::Value(value) => self.type_of(value).map(|t| t.element),
            _ => None,
        }
    }

    /// Two arguments as values of one shape and kind of element.
    #[track_caller]
    pub(super) fn pair(&mut self, a: Arg, b: Arg) -> [Value; 2] {
        let (ea, eb) = (self.element_of(a), self.element_of(b));
        let (a, b) = (self.lift(a, eb), self.lift(b, ea));
        let [a, b] = self.unify([a, b]);
        self.broadcast_pair(a, b)
    }

    /// Bits as integers, integers that meet fixed point as fixed point.
    #[track_caller]
    fn unify(&mut self, values: [Value; 2]) -> [Value; 2] {
        let [Some(a), Some(b)] = values.map(|v| self.type_of(v).map(|t| t.element)) else {
            return [POISON; 2];
        };
        if a == Element::Bit && b == Element::Bit {
            return values;
        }
        [self.toward(values[0], b), self.toward(values[1], a)]
    }

    #[track_caller]
    fn toward(&mut self, value: Value, other: Element) -> Value {
        let Some(ty) = self.ty(value) else { return POISON };
        match (ty.element, other) {
            (Element::Bit | Element::Int { .. }, Element::Fixed { fraction, .. }) => {
                self.to_fixed(value, fraction)
            }
            (Element::Bit, Element::Int { .. }) => self.cast(value, other),
            _ => value,
        }
    }
}

/// The type of a literal beside values of another type.
fn literal_element(number: Number, other: Option<Element>) -> Result<Element, String> {
    match (number, other) {
        (_, Some(Element::Fixed { fraction, .. })) => {
            let need = Interval::point(number.raw(Element::Fixed { bits: 64, fraction })?);
            let bits = need.signed_bits().max(u32::from(fraction) + 2);
            Ok(Element::Fixed { bits: bits.min(64) as u8, fraction })
        }
        (Number::Int(n), Some(element @ Element::Int { .. }))
            if element.interval().contains(Interval::point(n)) =>
        {
            Ok(element)
        }
        (Number::Int(n), _) => {
            smallest(Interval::point(n)).ok_or(format!("{n} has more than 64 bits"))
        }
        (Number::Float(x), _) => {
            Err(format!("{x} beside no fixed point: cast the other operand, or use `constant`"))
        }
    }
}
