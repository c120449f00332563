//! Types as written: `u32[n, 3] from alice in 0..100`.

use super::cursor::Cursor;
use super::lex::Kind;
use super::parser::{Parser, unknown};
use crate::domain::{DATE, DECIMAL, Domain, MAX_DECIMALS, Meaning, PADDING, TEXT, parse_date};
use crate::error::ProgramError;
use crate::ir::Span;
use crate::types::{DimId, Element, Extent, Interval, PartyId, Shape, Type, Visibility};
use std::sync::Arc;
use tacit_circuit::spelling;

/// Longest axis and largest factor of a row count that a text can ask for.
const MAX_EXTENT: u64 = 1 << 48;
/// Most axes.
const MAX_AXES: usize = 8;

/// A type of which parts may be left out.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub element: Element,
    pub shape: Shape,
    pub visibility: Option<Visibility>,
    pub interval: Option<Interval>,
    /// Whether it is written `date`.
    pub date: bool,
    pub span: Span,
}

impl Written {
    /// What differs from the type that a value has, if anything does.
    pub fn mismatch(&self, found: &Type) -> Option<&'static str> {
        if self.element != found.element {
            return Some("element type");
        }
        if self.shape != found.shape {
            return Some("shape");
        }
        if self.visibility.is_some_and(|v| v != found.visibility) {
            return Some("visibility");
        }
        self.interval.is_some_and(|i| !i.contains(found.interval)).then_some("range")
    }
}

/// Reads an element type as a program has it: `u32`, `fixed(32, 16)`.
///
/// # Errors
/// Says what is wrong.
pub fn parse_element(text: &str) -> Result<Element, String> {
    let whole = || {
        let mut cursor = Cursor::new("", text)?;
        let element = element(&mut cursor)?;
        cursor.end_line()?;
        if cursor.token.kind == Kind::End { Ok(element) } else { Err(cursor.expected("the end")) }
    };
    whole().map_err(|error: ProgramError| error.message)
}

const TYPES: [&str; 11] =
    ["bit", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", DATE, "fixed"];

/// An element type.
pub(super) fn element(cursor: &mut Cursor<'_>) -> Result<Element, ProgramError> {
    let element = match cursor.token.text {
        "bit" => Element::Bit,
        "fixed" => return fixed(cursor),
        "i8" => Element::int(8),
        "i16" => Element::int(16),
        "i32" => Element::int(32),
        "i64" => Element::int(64),
        "u8" => Element::uint(8),
        "u16" => Element::uint(16),
        "u32" => Element::uint(32),
        "u64" => Element::uint(64),
        _ => {
            let types = "a type: bit, i8 to i64, u8 to u64, date, or fixed(BITS, FRACTION)";
            let mut error = cursor.expected(types);
            error.message += &spelling::hint(cursor.token.text, TYPES);
            return Err(error);
        }
    };
    cursor.advance()?;
    Ok(element)
}

fn fixed(cursor: &mut Cursor<'_>) -> Result<Element, ProgramError> {
    cursor.advance()?;
    cursor.expect("(")?;
    let bits = cursor.number("the number of bits", 2u8, 64)?;
    cursor.expect(",")?;
    let fraction = cursor.number("the number of fractional bits", 0u8, bits - 1)?;
    cursor.expect(")")?;
    Ok(Element::Fixed { bits, fraction })
}

impl Parser<'_> {
    pub(super) fn written_type(&mut self) -> Result<Written, ProgramError> {
        let span = self.cursor.span();
        let date = self.cursor.accept(DATE)?;
        let element = if date { Element::int(32) } else { element(&mut self.cursor)? };
        let shape = if self.cursor.at("[") { self.shape()? } else { Shape::new() };
        let visibility = self.visibility()?;
        let interval = if self.cursor.accept("in")? { Some(self.interval(element)?) } else { None };
        Ok(Written { element, shape, visibility, interval, date, span })
    }

    pub(super) fn shape(&mut self) -> Result<Shape, ProgramError> {
        let mut shape = Shape::new();
        let opened = self.cursor.expect("[")?;
        while !self.cursor.accept("]")? {
            if shape.len() == MAX_AXES {
                return Err(self.cursor.error(format!("an array has at most {MAX_AXES} axes")));
            }
            shape.push(self.extent()?);
            self.cursor.separate(&opened, "]")?;
        }
        Ok(shape)
    }

    /// A length: `3`, `n`, `2*n + 1`.
    pub(super) fn extent(&mut self) -> Result<Extent, ProgramError> {
        let span = self.cursor.span();
        let mut extent = self.term()?;
        while self.cursor.accept("+")? {
            let term = self.term()?;
            extent = sum(&extent, &term)
                .ok_or_else(|| ProgramError::new(&span, "this length is too large"))?;
        }
        Ok(extent)
    }

    fn term(&mut self) -> Result<Extent, ProgramError> {
        if self.cursor.token.kind != Kind::Number {
            return Ok(Extent::rows(self.dim()?));
        }
        let factor = self.cursor.number("a length", 0, MAX_EXTENT)?;
        if !self.cursor.accept("*")? {
            return Ok(Extent::fixed(factor));
        }
        let dim = self.dim()?;
        let terms = if factor == 0 { vec![] } else { vec![(dim, factor)] };
        Ok(Extent { constant: 0, terms })
    }

    fn dim(&mut self) -> Result<DimId, ProgramError> {
        let name = self.cursor.name("a length: a number or a row count")?;
        let program = self.program();
        program.dim(&name.text).ok_or_else(|| {
            let known = program.dims.iter().map(|d| d.name.as_str());
            unknown("row count", &name.text, known, &name.span)
        })
    }

    /// `public`, `secret` or `from PARTY`.
    pub(super) fn visibility(&mut self) -> Result<Option<Visibility>, ProgramError> {
        Ok(if self.cursor.accept("public")? {
            Some(Visibility::Public)
        } else if self.cursor.accept("secret")? {
            Some(Visibility::Secret)
        } else if self.cursor.accept("from")? {
            Some(Visibility::Private(self.party()?))
        } else {
            None
        })
    }

    pub(super) fn party(&mut self) -> Result<PartyId, ProgramError> {
        let name = self.cursor.name("a party")?;
        let parties = (0..).zip(&self.program().parties);
        let found = parties.clone().find(|(_, party)| **party == name.text);
        found.map(|(id, _)| PartyId(id)).ok_or_else(|| {
            unknown("party", &name.text, parties.map(|(_, p)| p.as_str()), &name.span)
        })
    }

    /// `LOW..HIGH`, both included.
    pub(super) fn interval(&mut self, element: Element) -> Result<Interval, ProgramError> {
        let span = self.cursor.span();
        let low = self.range_end(element, "the least value")?;
        self.cursor.expect("..")?;
        let high = self.range_end(element, "the greatest value")?;
        let interval = Interval { low, high };
        if low > high {
            return Err(ProgramError::new(&span, "this range is empty: LOW..HIGH"));
        }
        if !element.interval().contains(interval) {
            let all = super::print::range(element.interval(), element);
            return Err(ProgramError::new(&span, format!("{element} has the values {all}")));
        }
        Ok(interval)
    }
}

impl Parser<'_> {
    /// An end of a range: a number or a date.
    fn range_end(&mut self, element: Element, what: &str) -> Result<i128, ProgramError> {
        if !self.at_date() {
            return self.cursor.raw(element.fraction(), what);
        }
        let span = self.cursor.span();
        let days = self.date()?;
        match element {
            Element::Int { .. } => Ok(days.into()),
            _ => Err(ProgramError::new(&span, format!("{element} has no dates: use i32"))),
        }
    }

    /// Whether `date("...")` stands here.
    pub(super) fn at_date(&self) -> bool {
        self.cursor.at(DATE) && self.cursor.ahead.is("(")
    }

    /// `date("2024-01-31")`: days since 1970-01-01.
    pub(super) fn date(&mut self) -> Result<i64, ProgramError> {
        self.cursor.advance()?;
        let opened = self.cursor.expect("(")?;
        let text = self.cursor.quoted("a date such as \"2024-01-31\"")?;
        let days = parse_date(&text.text).ok_or_else(|| {
            let what = "this is no date: write year, month and day, \"2024-01-31\"";
            ProgramError::new(&text.span, what)
        })?;
        self.cursor.separate(&opened, ")")?;
        self.cursor.expect(")")?;
        Ok(days)
    }

    /// A domain by its name.
    pub(super) fn domain(&mut self) -> Result<Arc<Domain>, ProgramError> {
        let name = self.cursor.name("a domain")?;
        let program = self.builder.program();
        program.domain(&name.text).cloned().ok_or_else(|| {
            let known = program.domains.iter().map(|domain| domain.name.as_str());
            unknown("domain", &name.text, known, &name.span)
        })
    }

    /// Domains with commas between them.
    pub(super) fn domains(&mut self) -> Result<Vec<Arc<Domain>>, ProgramError> {
        let mut all = vec![self.domain()?];
        while self.cursor.accept(",")? {
            all.push(self.domain()?);
        }
        Ok(all)
    }

    /// What stands behind `of`: a domain, `date`, `text`, `padding`, or `decimal(2)`.
    pub(super) fn meaning(&mut self) -> Result<Meaning, ProgramError> {
        if self.cursor.accept(DATE)? {
            return Ok(Meaning::Date);
        }
        if self.cursor.accept(PADDING)? {
            return Ok(Meaning::Padding);
        }
        if self.cursor.accept(TEXT)? {
            return match self.cursor.at("(") {
                true => Ok(Meaning::Derived(Arc::new(self.derived()?))),
                false => Ok(Meaning::Text),
            };
        }
        if self.cursor.accept(DECIMAL)? {
            self.cursor.expect("(")?;
            let digits = self.cursor.number("digits behind the point", 1, MAX_DECIMALS)?;
            self.cursor.expect(")")?;
            return Ok(Meaning::Decimal(digits));
        }
        Ok(Meaning::Domain(self.domain()?))
    }
}

/// The sum of two lengths, unless it is too large.
fn sum(a: &Extent, b: &Extent) -> Option<Extent> {
    let total =
        |e: &Extent| e.terms.iter().fold(u128::from(e.constant), |s, t| s + u128::from(t.1));
    (total(a) + total(b) <= u128::from(MAX_EXTENT)).then(|| a.clone() + b.clone())
}
