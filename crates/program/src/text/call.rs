//! Calls of functions: operands, named options, and the operations they make.

use super::expression::Operand;
use super::functions::{Apply, FUNCTIONS, Function, GROUPS, counted};
use super::hints;
use super::options::{self, Options};
use super::parser::{Parser, unknown};
use crate::build::Value;
use crate::error::ProgramError;
use crate::ir::{Op, Span};
use crate::types::{Extent, Interval, Shape, Type};

impl<'a> Parser<'a> {
    /// `name(operand, ..., option value, ...)`.
    pub(super) fn call(&mut self) -> Result<Vec<Value>, ProgramError> {
        let span = self.cursor.span();
        let name = self.cursor.advance()?.text;
        if name == "rows" {
            return Ok(vec![self.rows_in_brackets(&span)?]);
        }
        let Some(function) = FUNCTIONS.iter().find(|f| f.name == name) else {
            return Err(match hints::word(name).or_else(|| hints::function(name)) {
                Some(hint) => ProgramError::new(&span, hint),
                None => unknown("function", name, FUNCTIONS.iter().map(|f| f.name), &span),
            });
        };
        let (operands, options) = self.arguments(function)?;
        self.checked_call(function, &operands, &options, &span)
    }

    /// The results of a function, if it has the options that it needs.
    pub(super) fn checked_call(
        &mut self,
        function: &Function,
        operands: &[Operand<'_>],
        options: &Options,
        span: &Span,
    ) -> Result<Vec<Value>, ProgramError> {
        let name = function.name;
        let missing = function.required.iter().find(|required| !options.has(required));
        if let Some(required) = missing.filter(|_| options.domains.is_empty()) {
            let usage = match function.required {
                GROUPS => "by DOMAIN` or `first NUMBER, groups COUNT",
                _ => options::usage(required),
            };
            return Err(ProgramError::new(span, format!("`{name}` needs `{usage}`")));
        }
        if !options.domains.is_empty() && (options.has("first") || options.has("groups")) {
            let message = "`by DOMAIN` says which groups there are: leave out `first` and `groups`";
            return Err(ProgramError::new(span, message));
        }
        self.apply(function, operands, options, span)
    }

    /// `(n)` behind `rows`: a length as a public number.
    fn rows_in_brackets(&mut self, span: &Span) -> Result<Value, ProgramError> {
        let opened = self.cursor.expect("(")?;
        let length = self.extent()?;
        self.cursor.separate(&opened, ")")?;
        self.cursor.expect(")")?;
        self.length(length, span)
    }

    /// A length as a public number.
    pub(super) fn length(&mut self, length: Extent, span: &Span) -> Result<Value, ProgramError> {
        self.builder.at(span);
        let value = self.builder.row_count(length);
        self.builder.checked(value)
    }

    fn arguments(
        &mut self,
        function: &Function,
    ) -> Result<(Vec<Operand<'a>>, Options), ProgramError> {
        let mut operands = Vec::new();
        let mut options = Options::default();
        let opened = self.cursor.expect("(")?;
        while !self.cursor.accept(")")? {
            // `by` and `fill` may also be names of values.
            let shifts = function.name == "shift" && !operands.is_empty();
            if self.at_option(if shifts { &["by", "fill"] } else { &[] }) {
                let known = [function.required, function.optional].concat();
                self.option(function.name, &known, &operands, &mut options)?;
            } else if function.name == "quantile" && operands.len() == 1 && !options.any_quantile()
            {
                self.quantiles(&mut options)?;
            } else if options.any() {
                return Err(self.cursor.expected("an option: operands come before options"));
            } else {
                operands.push(self.expression(&[])?);
            }
            self.cursor.separate(&opened, ")")?;
        }
        Ok((operands, options))
    }

    fn apply(
        &mut self,
        function: &Function,
        operands: &[Operand<'_>],
        options: &Options,
        span: &Span,
    ) -> Result<Vec<Value>, ProgramError> {
        match function.apply {
            Apply::Elementwise(op) => Ok(vec![self.elementwise(op(options), operands, span)?]),
            Apply::Exactly(op) => {
                let values = self.alike(operands)?;
                self.exactly(op(options), &values, options, span)
            }
            Apply::Built { least, most, build } => {
                let values = self.alike(operands)?;
                counted(function.name, values.len(), least, most)
                    .and_then(|()| self.pairs(&values, options))
                    .map_err(|message| ProgramError::new(span, message))?;
                self.builder.at(span);
                let results = build(&mut self.builder, &values, options);
                self.builder.checked(results)
            }
        }
    }

    /// Whether a key can number the combinations of several domains, so that labels are right.
    fn pairs(&self, values: &[Value], options: &Options) -> Result<(), String> {
        let [first, .., last] = options.domains.as_slice() else { return Ok(()) };
        let all = Interval { low: 0, high: i128::from(options.groups) - 1 };
        let found = values.first().map(|&key| self.ty(key).interval);
        if found == Some(all) {
            return Ok(());
        }
        let range = |interval: Interval| format!("{}..{}", interval.low, interval.high);
        Err(format!(
            "the groups from {} to {} are numbered {}, the last domain's members fastest, but the \
             key is in {}: number them as `a * {} + b`",
            first.name,
            last.name,
            range(all),
            found.map_or(String::new(), range),
            last.len()
        ))
    }

    fn exactly(
        &mut self,
        op: Op,
        values: &[Value],
        options: &Options,
        span: &Span,
    ) -> Result<Vec<Value>, ProgramError> {
        let shape = |ty: &Type| match &op {
            Op::Reshape | Op::Broadcast => Some(options.shape.clone()),
            Op::Slice { axis, .. } => sliced(&ty.shape, *axis, &options.length),
            _ => None,
        };
        let first = values.first().map(|&value| self.ty(value));
        let declared = first.and_then(|ty| shape(ty).map(|shape| Type { shape, ..ty.clone() }));
        self.push_all(op, values, declared.as_ref().map(std::slice::from_ref), span)
    }
}

/// The shape with another length of an axis, if it has the axis.
fn sliced(shape: &Shape, axis: u32, length: &Extent) -> Option<Shape> {
    let mut shape = shape.clone();
    *shape.get_mut(axis as usize)? = length.clone();
    Some(shape)
}
