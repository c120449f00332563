//! What is known at a place of a text: declarations, names of values, circuits; and operations appended there.

use super::circuits::{Named, Recipe};
use super::cursor::{Cursor, Name};
use super::lex::Kind;
use crate::build::{Builder, Value};
use crate::error::ProgramError;
use crate::ir::{Op, Program, Span};
use crate::types::Type;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tacit_circuit::{Circuit, spelling};

/// Reads the circuit file of this name.
pub(super) type Load<'a> = &'a mut (dyn FnMut(&str) -> Result<Vec<u8>, String> + Send);

/// The names of the values of a block, each with the line that defines it.
pub(super) type Names = HashMap<String, (Value, u32)>;

/// What is known at some place of a text.
pub(super) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    pub builder: Builder,
    /// Of the open blocks, outermost first.
    pub names: Vec<Names>,
    /// Circuits by label.
    pub labels: HashMap<String, Named>,
    /// Circuits of the library.
    pub built: HashMap<Recipe, Arc<Circuit>>,
    pub load: Load<'a>,
    /// Expressions that are open.
    pub nesting: usize,
    /// Names of parties, row counts, inputs and results, behind the kind.
    declared: HashSet<(&'static str, String)>,
}

impl<'a> Parser<'a> {
    /// Before anything is read.
    pub(super) fn new(cursor: Cursor<'a>, load: Load<'a>) -> Self {
        Parser {
            cursor,
            builder: Builder::new(""),
            names: vec![Names::new()],
            labels: HashMap::new(),
            built: HashMap::new(),
            load,
            nesting: 0,
            declared: HashSet::new(),
        }
    }

    pub(super) fn skip_newline(&mut self) -> Result<(), ProgramError> {
        while self.cursor.token.kind == Kind::Newline {
            self.cursor.advance()?;
        }
        Ok(())
    }

    /// Refuses a second thing of the same kind and name.
    pub(super) fn declare(&mut self, kind: &'static str, name: &Name) -> Result<(), ProgramError> {
        if name.text.is_empty() {
            return Err(ProgramError::new(&name.span, format!("a {kind} needs a name")));
        }
        if self.declared.insert((kind, name.text.clone())) {
            return Ok(());
        }
        Err(ProgramError::new(&name.span, format!("there is already a {kind} `{}`", name.text)))
    }

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

/// More names than these are not listed in an error.
const LISTED: usize = 8;

/// The error about a name that does not exist, with the one that was meant, or with those that there are.
pub(super) fn unknown<'n>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
    span: &Span,
) -> ProgramError {
    let known: Vec<&str> = known.into_iter().collect();
    let mut hint = spelling::hint(name, known.iter().copied());
    if hint.is_empty() && (1..=LISTED).contains(&known.len()) {
        hint = format!("; what there is: {}", known.join(", "));
    }
    ProgramError::new(span, format!("there is no {what} `{name}`{hint}"))
}
