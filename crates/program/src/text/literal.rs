//! Numbers in a text, which become constants of the type that their place calls for.

use super::decimal;
use super::parser::Parser;
use crate::build::Value;
use crate::error::ProgramError;
use crate::infer::element;
use crate::ir::Span;
use crate::types::{Element, Extent, Interval, Shape};

/// One number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    pub negative: bool,
    /// Without its sign; a truth value is `0` or `1`.
    pub text: &'a str,
}

/// A number or a list of numbers whose type is not known yet.
#[derive(Clone, Debug)]
pub(super) struct Literal<'a> {
    pub numbers: Vec<Number<'a>>,
    /// Lengths of nested lists; empty for a single number.
    pub shape: Vec<u64>,
    /// Whether they are written as `true` and `false`.
    pub truth: bool,
    pub span: Span,
}

impl<'a> Literal<'a> {
    pub fn number(text: &'a str, span: Span) -> Self {
        let numbers = vec![Number { negative: false, text }];
        Literal { numbers, shape: Vec::new(), truth: false, span }
    }

    pub fn truth(text: &str, span: Span) -> Self {
        let text = if text == "true" { "1" } else { "0" };
        Literal { truth: true, ..Literal::number(text, span) }
    }

    /// Puts literals into a list.
    pub fn list(items: Vec<Literal<'a>>, span: Span) -> Result<Self, ProgramError> {
        let first = items.first().map(|item| item.shape.clone()).unwrap_or_default();
        let mut all =
            Literal { numbers: Vec::new(), shape: vec![items.len() as u64], truth: false, span };
        all.shape.extend(&first);
        for item in items {
            if item.shape != first {
                let message = "the lists within a list must be equally long";
                return Err(ProgramError::new(&item.span, message));
            }
            all.truth |= item.truth;
            all.numbers.extend(item.numbers);
        }
        Ok(all)
    }

    pub fn negate(mut self) -> Self {
        self.numbers.iter_mut().for_each(|number| number.negative ^= true);
        self
    }

    fn raw(&self, fraction: u8) -> Result<Vec<i128>, ProgramError> {
        let raw = |number: &Number<'_>| {
            if fraction == 0 && number.text.contains('.') {
                let text = number.text;
                let message = format!("`{text}` stands where whole numbers are needed: {FIXED}");
                return Err(ProgramError::new(&self.span, message));
            }
            let raw = decimal::to_raw(number.text, fraction).ok_or_else(|| {
                ProgramError::new(&self.span, format!("`{}` is too large", number.text))
            })?;
            Ok(if number.negative { -raw } else { raw })
        };
        self.numbers.iter().map(raw).collect()
    }
}

/// How to get fixed point.
const FIXED: &str = "give it a type with `let x: fixed(32,16) = ...`, or cast the other operand";

impl Parser<'_> {
    /// The constant as an element type like `like`, wider if it must be; in `shape` if it is a
    /// single number.
    pub(super) fn constant_like(
        &mut self,
        literal: &Literal<'_>,
        like: Option<Element>,
        shape: &Shape,
    ) -> Result<Value, ProgramError> {
        let raw = literal.raw(like.map_or(0, Element::fraction))?;
        let interval = hull(&raw);
        let element = match like {
            _ if literal.truth => Element::Bit,
            Some(Element::Bit) if Element::Bit.interval().contains(interval) => Element::Bit,
            Some(Element::Bit) | None => smallest(interval, &literal.span)?,
            Some(like) => element::grow(like, interval)
                .map_err(|message| ProgramError::new(&literal.span, message))?,
        };
        let own = literal.shape.iter().map(|&n| Extent::fixed(n)).collect();
        let shape = if literal.shape.is_empty() { shape.clone() } else { own };
        self.constant(raw, element, shape, &literal.span)
    }

    /// The constant of a declared type: a single number fills it, a flat list is row-major.
    pub(super) fn constant_of(
        &mut self,
        literal: &Literal<'_>,
        element: Element,
        shape: &Shape,
    ) -> Result<Value, ProgramError> {
        let own: Shape = literal.shape.iter().map(|&n| Extent::fixed(n)).collect();
        let is_flat = own.len() == 1 && literal.numbers.len() != 1;
        if !own.is_empty() && !is_flat && own != *shape {
            let message = "the list has another shape than its type";
            return Err(ProgramError::new(&literal.span, message));
        }
        let raw = literal.raw(element.fraction())?;
        self.constant(raw, element, shape.clone(), &literal.span)
    }

    pub(super) fn constant(
        &mut self,
        raw: Vec<i128>,
        element: Element,
        shape: Shape,
        span: &Span,
    ) -> Result<Value, ProgramError> {
        self.builder.at(span);
        let value = self.builder.raw(element, shape, raw);
        self.builder.checked(value)
    }
}

fn smallest(interval: Interval, span: &Span) -> Result<Element, ProgramError> {
    let message = "this number has more than 64 bits";
    element::smallest(interval).ok_or_else(|| ProgramError::new(span, message))
}

fn hull(raw: &[i128]) -> Interval {
    let points = raw.iter().map(|&v| Interval::point(v));
    points.reduce(Interval::join).unwrap_or(Interval::point(0))
}
