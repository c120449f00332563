//! Names of values, and operations at places of the text.

use super::parse::Parser;
use super::types::unknown;
use crate::build::Value;
use crate::error::ProgramError;
use crate::ir::{Op, Program, Span};
use crate::types::Type;
use std::collections::HashMap;

/// The names of the values of a block, each with the line that defines it.
pub(super) type Names = HashMap<String, (Value, u32)>;

impl Parser<'_> {
    /// The program as far as it is declared, without its body.
    pub(super) fn program(&mut self) -> &mut Program {
        self.builder.declared()
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: Value) -> &Type {
        self.builder.type_of(value).expect("reading stops at the first mistake")
    }

    /// Appends an operation as it is; its results.
    pub(super) fn push_all(
        &mut self,
        op: Op,
        operands: &[Value],
        declared: Option<&[Type]>,
        span: &Span,
    ) -> Result<Vec<Value>, ProgramError> {
        self.builder.at(span);
        let results = self.builder.exactly(op, operands, declared);
        self.builder.checked(results)
    }

    /// Appends an operation with one result.
    pub(super) fn push(
        &mut self,
        op: Op,
        operands: &[Value],
        declared: Option<Type>,
        span: &Span,
    ) -> Result<Value, ProgramError> {
        Ok(self.push_all(op, operands, declared.as_ref().map(std::slice::from_ref), span)?[0])
    }

    /// Names a value of the innermost block; `_` names nothing.
    pub(super) fn bind(
        &mut self,
        name: &str,
        value: Value,
        span: &Span,
    ) -> Result<(), ProgramError> {
        let names = self.names.last_mut().expect("the outermost block is always open");
        if name == "_" {
            return Ok(());
        }
        match names.insert(name.to_owned(), (value, span.line)) {
            None => Ok(()),
            Some((_, line)) => {
                let message = format!("`{name}` is already the name of a value, of line {line}");
                Err(ProgramError::new(span, message))
            }
        }
    }

    /// The value of this name, in the innermost block that has one.
    pub(super) fn find(&self, name: &str, span: &Span) -> Result<Value, ProgramError> {
        let found = self.names.iter().rev().find_map(|names| names.get(name));
        found.map(|(value, _)| *value).ok_or_else(|| {
            let known = self.names.iter().flat_map(|names| names.keys().map(String::as_str));
            let rows = self.builder.program().dims.iter().map(|dim| dim.name.as_str());
            let mut known: Vec<&str> = known.chain(rows).collect();
            known.sort_unstable();
            unknown("value", name, known, span)
        })
    }
}
