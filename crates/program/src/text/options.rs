//! Named options of functions: `axis 0`, `to u32`, `wrap`.

use super::decimal;
use super::expression::{Operand, Term};
use super::hints;
use super::lex::Kind;
use super::parser::{Parser, unknown};
use super::types::element;
use crate::build::Quantile;
use crate::domain::Domain;
use crate::error::ProgramError;
use crate::ir::{LEAST_BITS, MOST_BITS};
use crate::types::{Element, Extent, Interval, Shape};
use std::sync::Arc;

/// Fractional bits of means and variances unless given.
pub(super) const DEFAULT_FRACTION: u8 = 16;

/// The options of one call. Those that were not given have a value that stands for nothing.
pub(super) struct Options {
    given: Vec<&'static str>,
    pub axis: u32,
    pub by: u8,
    /// By how many places elements are shifted.
    pub places: i64,
    /// What a shift fills up with, raw.
    pub fill: i128,
    pub fraction: u8,
    /// How many bits of an approximation are right.
    pub bits: u8,
    pub rows: u64,
    pub first: i64,
    pub groups: u64,
    pub start: u64,
    pub step: u64,
    pub length: Extent,
    pub shape: Shape,
    pub order: Vec<u32>,
    pub at: Vec<u64>,
    /// What groups are labelled by.
    pub domains: Vec<Arc<Domain>>,
    /// The fractions that stand behind the first operand, without a word before them.
    pub quantiles: Vec<Quantile>,
    /// Whether they stand in a list.
    pub quantile_list: bool,
    pub to: Element,
    pub within: Interval,
    pub wrap: bool,
    pub descending: bool,
    pub reverse: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            given: Vec::new(),
            axis: 0,
            by: 0,
            places: 0,
            fill: 0,
            fraction: DEFAULT_FRACTION,
            bits: MOST_BITS,
            rows: 0,
            first: 0,
            groups: 0,
            start: 0,
            step: 1,
            length: Extent::default(),
            shape: Shape::new(),
            order: Vec::new(),
            at: Vec::new(),
            domains: Vec::new(),
            quantiles: Vec::new(),
            quantile_list: false,
            to: Element::Bit,
            within: Interval::point(0),
            wrap: false,
            descending: false,
            reverse: false,
        }
    }
}

impl Options {
    pub fn any(&self) -> bool {
        !self.given.is_empty()
    }

    pub fn any_quantile(&self) -> bool {
        self.quantile_list || !self.quantiles.is_empty()
    }

    pub fn has(&self, name: &str) -> bool {
        self.given.contains(&name)
    }

    /// Notes that an option is given.
    pub fn give(&mut self, name: &'static str) -> Result<(), String> {
        if self.has(name) {
            return Err(format!("`{name}` is given twice"));
        }
        self.given.push(name);
        Ok(())
    }

    /// Labels groups: by the members of a domain, or all combinations of the members of several.
    pub fn label(&mut self, domains: Vec<Arc<Domain>>) -> Result<(), String> {
        let sizes = domains.iter().map(|domain| domain.len());
        self.groups = sizes.reduce(u64::saturating_mul).ok_or("no domain is named")?;
        self.first = match domains.as_slice() {
            [domain] => domain.first(),
            _ => 0,
        };
        self.domains = domains;
        Ok(())
    }
}

/// How an option is written.
pub(super) fn usage(name: &str) -> &'static str {
    match name {
        "axis" => "axis NUMBER",
        "by" => "by PLACES",
        "fraction" => "fraction BITS",
        "bits" => "bits NUMBER",
        "rows" => "rows COUNT",
        "first" => "first NUMBER",
        "groups" => "groups COUNT",
        "start" => "start NUMBER",
        "step" => "step NUMBER",
        "length" => "length LENGTH",
        "shape" => "shape [LENGTH, ...]",
        "order" => "order [AXIS, ...]",
        "at" => "at [POSITION, ...]",
        "to" => "to TYPE",
        "in" => "in LOW..HIGH",
        "fill" => "fill NUMBER",
        "wrap" => "wrap",
        "reverse" => "reverse",
        _ => "descending",
    }
}

impl<'a> Parser<'a> {
    /// Whether an option stands here: a flag, or a word with its value behind it.
    /// A sign may stand before a value only of those that `signed` has beside ranges and groups.
    pub(super) fn at_option(&self, signed: &[&str]) -> bool {
        let (token, ahead) = (&self.cursor.token, &self.cursor.ahead);
        let flag = matches!(token.text, "wrap" | "descending" | "reverse") && !ahead.is("(");
        let value = match ahead.text {
            "[" => matches!(token.text, "shape" | "order" | "at" | "by"),
            "-" => matches!(token.text, "in" | "first") || signed.contains(&token.text),
            _ => matches!(ahead.kind, Kind::Word | Kind::Number | Kind::Quoted),
        };
        let value = value && hints::infix(ahead).is_none() && hints::word(token.text).is_none();
        token.kind == Kind::Word && (flag || value)
    }

    /// Reads one option of the function, which knows those in `known`.
    pub(super) fn option(
        &mut self,
        function: &str,
        known: &[&'static str],
        operands: &[Operand<'a>],
        options: &mut Options,
    ) -> Result<(), ProgramError> {
        let span = self.cursor.span();
        let written = self.cursor.advance()?.text;
        let Some(name) = known.iter().find(|name| **name == written) else {
            let what = format!("option of `{function}` called");
            return Err(unknown(&what, written, known.iter().copied(), &span));
        };
        options.give(name).map_err(|message| ProgramError::new(&span, message))?;
        self.option_value(function, name, operands, options)
    }

    /// `level` or `[level, group]` behind `by`: the groups are the members of a domain, or all
    /// pairs of members of two.
    fn groups(&mut self, options: &mut Options) -> Result<(), ProgramError> {
        let span = self.cursor.span();
        let mut domains = Vec::new();
        if self.cursor.at("[") {
            let opened = self.cursor.advance()?;
            while !self.cursor.accept("]")? {
                domains.push(self.domain()?);
                self.cursor.separate(&opened, "]")?;
            }
        } else {
            domains.push(self.domain()?);
        }
        options.label(domains).map_err(|message| ProgramError::new(&span, message))
    }

    fn option_value(
        &mut self,
        function: &str,
        name: &str,
        operands: &[Operand<'a>],
        options: &mut Options,
    ) -> Result<(), ProgramError> {
        let cursor = &mut self.cursor;
        match name {
            "axis" => options.axis = cursor.number("an axis", 0, u32::MAX)?,
            "by" if function.starts_with("group") => self.groups(options)?,
            "by" if function == "shift" => {
                options.places = cursor.number("the places", i64::MIN, i64::MAX)?;
            }
            "by" => options.by = cursor.number("the places", 0, 63)?,
            "fraction" => options.fraction = cursor.number("the fractional bits", 0, 62)?,
            "bits" => options.bits = cursor.number("the right bits", LEAST_BITS, MOST_BITS)?,
            "rows" => options.rows = cursor.number("the number of rows", 0, u64::MAX)?,
            "first" => options.first = cursor.number("the least group", i64::MIN, i64::MAX)?,
            "groups" => options.groups = cursor.number("the number of groups", 0, u64::MAX)?,
            "start" => options.start = cursor.number("the first position", 0, u64::MAX)?,
            "step" => options.step = cursor.number("the step", 0, u64::MAX)?,
            "length" if function == "slice_at" => {
                options.length = cursor.number("the length", 0, u64::MAX)?.into();
            }
            "length" => options.length = self.extent()?,
            "fill" => options.fill = self.filling(operands)?,
            "shape" => options.shape = self.shape()?,
            "order" => options.order = self.numbers("an axis", u32::MAX)?,
            "at" => options.at = self.numbers("a position", u64::MAX)?,
            "to" => options.to = element(&mut self.cursor)?,
            "in" => options.within = self.promise(operands)?,
            "wrap" => options.wrap = true,
            "reverse" => options.reverse = true,
            _ => options.descending = true,
        }
        Ok(())
    }

    /// What a quantile is of: a fraction from 0 to 1, or a list of them.
    pub(super) fn quantiles(&mut self, options: &mut Options) -> Result<(), ProgramError> {
        options.quantile_list = self.cursor.at("[");
        if !options.quantile_list {
            options.quantiles.push(self.quantile()?);
            return Ok(());
        }
        let opened = self.cursor.expect("[")?;
        while !self.cursor.accept("]")? {
            options.quantiles.push(self.quantile()?);
            self.cursor.separate(&opened, "]")?;
        }
        Ok(())
    }

    /// `0.9` or `9/10`, exactly.
    fn quantile(&mut self) -> Result<Quantile, ProgramError> {
        let span = self.cursor.span();
        let (above, unit) = self.ratio()?;
        let (below, part) = if self.cursor.accept("/")? { self.ratio()? } else { (1, 1) };
        let numerator = above.checked_mul(part);
        let denominator = unit.checked_mul(below);
        let quantile = numerator.zip(denominator).and_then(|(n, d)| Quantile::new(n, d));
        quantile.ok_or_else(|| {
            let what = "a fraction is from 0 to 1, with a denominator of at most a million";
            ProgramError::new(&span, what)
        })
    }

    fn ratio(&mut self) -> Result<(u64, u64), ProgramError> {
        if self.cursor.token.kind != Kind::Number {
            return Err(self.cursor.expected("a fraction from 0 to 1, such as 9/10 or 0.9"));
        }
        let ratio = decimal::to_ratio(self.cursor.token.text)
            .ok_or_else(|| self.cursor.error("this number has too many digits"))?;
        self.cursor.advance()?;
        Ok(ratio)
    }

    fn numbers<T>(&mut self, what: &str, most: T) -> Result<Vec<T>, ProgramError>
    where
        T: Copy + Default + TryFrom<i128> + Into<i128>,
    {
        let mut all = Vec::new();
        self.cursor.list(["[", "]"], |cursor| {
            all.push(cursor.number(what, T::default(), most)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// A range of values of the first operand's type.
    fn promise(&mut self, operands: &[Operand<'a>]) -> Result<Interval, ProgramError> {
        let element = self.element_of_first(operands, "a range is of one value that has a type")?;
        self.interval(element)
    }

    /// A value of the first operand's type.
    fn filling(&mut self, operands: &[Operand<'a>]) -> Result<i128, ProgramError> {
        let element =
            self.element_of_first(operands, "what fills up goes with one value that has a type")?;
        self.cursor.raw(element.fraction(), "a value to fill up with")
    }

    fn element_of_first(
        &self,
        operands: &[Operand<'a>],
        wrong: &str,
    ) -> Result<Element, ProgramError> {
        match operands.first().map(|operand| &operand.term) {
            Some(Term::Values(values)) if values.len() == 1 => Ok(self.ty(values[0]).element),
            _ => Err(self.cursor.error(wrong)),
        }
    }
}
