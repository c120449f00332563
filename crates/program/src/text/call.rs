//! Calls of functions: operands, named options, and the operations they make.

use super::expression::Operand;
use super::functions::{Apply, FUNCTIONS, Function, counted};
use super::hints;
use super::options::{self, Options};
use super::parse::Parser;
use super::types::unknown;
use crate::build::Value;
use crate::error::ProgramError;
use crate::ir::{Op, Span};
use crate::types::{Extent, Shape, Type};

impl<'a> Parser<'a> {
    /// `name(operand, ..., option value, ...)`.
    pub(super) fn call(&mut self) -> Result<Vec<Value>, ProgramError> {
        let span = self.cursor.span();
        let name = self.cursor.advance()?.text;
        let Some(function) = FUNCTIONS.iter().find(|f| f.name == name) else {
            return Err(match hints::word(name) {
                Some(hint) => ProgramError::new(&span, hint),
                None => unknown("function", name, FUNCTIONS.iter().map(|f| f.name), &span),
            });
        };
        let (operands, options) = self.arguments(function)?;
        for required in function.required {
            if !options.has(required) {
                let usage = options::usage(required);
                return Err(ProgramError::new(&span, format!("`{name}` needs `{usage}`")));
            }
        }
        self.apply(function, &operands, &options, &span)
    }

    fn arguments(
        &mut self,
        function: &Function,
    ) -> Result<(Vec<Operand<'a>>, Options), ProgramError> {
        let mut operands = Vec::new();
        let mut options = Options::default();
        let opened = self.cursor.expect("(")?;
        while !self.cursor.accept(")")? {
            if self.at_option() {
                let known = [function.required, function.optional].concat();
                self.option(function.name, &known, &operands, &mut options)?;
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
        operands: &[Operand<'a>],
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
                    .map_err(|message| ProgramError::new(span, message))?;
                self.builder.at(span);
                let results = build(&mut self.builder, &values, options);
                self.builder.checked(results)
            }
        }
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
