//! Circuits in a text: definitions, and calls on arrays lane by lane.

use super::circuits::{self, Named, Recipe};
use super::lex::Kind;
use super::parser::{Parser, unknown};
use super::types::Written;
use crate::build::Value;
use crate::error::ProgramError;
use crate::ir::{Op, Span};
use crate::types::{Element, Interval, Shape, Type, Visibility};
use std::sync::Arc;
use tacit_circuit::Circuit;
use tacit_circuit::library;

/// Most different circuits of a text, since building them takes time.
const MAX_CIRCUITS: usize = 256;

impl<'a> Parser<'a> {
    /// `circuit LABEL "name" ("hexadecimal" ...)`: a circuit as a whole.
    pub(super) fn circuit_definition(&mut self) -> Result<(), ProgramError> {
        let label = self.cursor.word("a label for the circuit")?;
        let name = self.cursor.quoted("the circuit's name")?;
        let mut digits = String::new();
        self.cursor.expect("(")?;
        while !self.cursor.accept(")")? {
            digits.push_str(&self.cursor.quoted("the circuit's hexadecimal binary form")?.text);
        }
        let circuit = circuits::from_hex(&name.text, &digits)
            .map_err(|message| ProgramError::new(&name.span, message))?;
        let named = Named { name: name.text, circuit: Arc::new(circuit) };
        if self.labels.insert(label.text.clone(), named).is_some() {
            let message = format!("circuit `{}` is defined twice", label.text);
            return Err(ProgramError::new(&label.span, message));
        }
        Ok(())
    }

    /// A circuit in parentheses, then its operands.
    pub(super) fn circuit_call(
        &mut self,
        declared: &[Option<Written>],
    ) -> Result<Vec<Value>, ProgramError> {
        let span = self.cursor.span();
        let from_file = self.cursor.advance()?.text == "circuit_file";
        self.cursor.expect("(")?;
        let named = match (from_file, self.cursor.token.kind) {
            (true, _) => self.circuit_from_file()?,
            (false, Kind::Quoted) => self.library_circuit()?,
            (false, _) => self.labelled_circuit()?,
        };
        let operands = self.circuit_operands(&named.circuit, &span)?;
        let is_whole = matches!(self.cursor.token.kind, Kind::Newline | Kind::End);
        let declared = if is_whole { declared } else { &[] };
        let types = self.circuit_types(&named, declared, &operands, &span)?;
        let op = Op::Circuit { name: named.name, circuit: named.circuit };
        self.push_all(op, &operands, Some(&types), &span)
    }

    fn labelled_circuit(&mut self) -> Result<Named, ProgramError> {
        let label = self.cursor.word("a design in quotes or the label of a circuit")?;
        self.cursor.expect(")")?;
        let found = self.labels.get(&label.text).cloned();
        found.ok_or_else(|| {
            let known = self.labels.keys().map(String::as_str);
            unknown("circuit", &label.text, known, &label.span)
        })
    }

    fn circuit_from_file(&mut self) -> Result<Named, ProgramError> {
        let path = self.cursor.quoted("the circuit's file")?;
        self.cursor.expect(")")?;
        let error = |message: String| ProgramError::new(&path.span, message);
        let label = format!("file {}", path.text);
        if let Some(known) = self.labels.get(&label) {
            return Ok(known.clone());
        }
        let bytes = (self.load)(&path.text).map_err(error)?;
        let circuit = circuits::from_bytes(&path.text, &bytes).map_err(error)?;
        let file = path.text.rsplit('/').next().unwrap_or_default();
        let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
        let named = Named { name: stem.to_owned(), circuit: Arc::new(circuit) };
        self.labels.insert(label, named.clone());
        Ok(named)
    }

    /// `"design", parameter value, ..., digest "hexadecimal")`.
    fn library_circuit(&mut self) -> Result<Named, ProgramError> {
        let design = self.cursor.quoted("a design of the library")?;
        let mut recipe = Recipe { design: design.text, params: Vec::new() };
        let mut digest = None;
        while !self.cursor.accept(")")? {
            self.cursor.expect(",")?;
            if self.cursor.accept("digest")? {
                digest = Some(self.cursor.quoted("the digest of the circuit")?);
            } else {
                recipe.params.push(self.parameter()?);
            }
        }
        recipe.params.sort();
        let circuit = self.build(&recipe, &design.span)?;
        if let Some(digest) = digest.filter(|d| d.text != hex::encode(circuit.digest())) {
            let message = "the library of this version builds another circuit than the one meant";
            return Err(ProgramError::new(&digest.span, message));
        }
        Ok(Named { name: recipe.name(), circuit })
    }

    fn parameter(&mut self) -> Result<(String, String), ProgramError> {
        let name = self.cursor.word("a parameter of the design")?.text.replace('-', "_");
        let value = match self.cursor.token.kind {
            Kind::Number => self.cursor.advance()?.text.to_owned(),
            _ if self.cursor.at("true") || self.cursor.at("false") => {
                self.cursor.advance()?.text.to_owned()
            }
            _ => self.cursor.name("the parameter's value")?.text,
        };
        Ok((name, value))
    }

    fn build(&mut self, recipe: &Recipe, span: &Span) -> Result<Arc<Circuit>, ProgramError> {
        if let Some(circuit) = self.built.get(recipe) {
            return Ok(circuit.clone());
        }
        if self.built.len() >= MAX_CIRCUITS {
            let message = format!("more than {MAX_CIRCUITS} circuits of the library");
            return Err(ProgramError::new(span, message));
        }
        let designs = library::registry().iter().map(|design| design.name);
        if designs.clone().all(|name| name != recipe.design) {
            return Err(unknown("circuit in the library called", &recipe.design, designs, span));
        }
        let built = recipe.build().map_err(|e| ProgramError::new(span, e.to_string()))?;
        let circuit = Arc::new(built);
        self.built.insert(recipe.clone(), circuit.clone());
        Ok(circuit)
    }

    /// The operands, each number as wide as its port.
    fn circuit_operands(
        &mut self,
        circuit: &Circuit,
        span: &Span,
    ) -> Result<Vec<Value>, ProgramError> {
        let mut operands = Vec::new();
        let opened = self.cursor.expect("(")?;
        while !self.cursor.accept(")")? {
            operands.push(self.expression(&[])?);
            self.cursor.separate(&opened, ")")?;
        }
        let lanes = self.model(&operands).map(|ty| ty.shape.clone()).unwrap_or_default();
        let ports =
            circuit.input_widths().iter().map(|&w| element_of(w)).chain(std::iter::repeat(None));
        let values = operands.iter().zip(ports);
        let values = values.map(|(operand, port)| self.single_like(operand, port, &lanes));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        self.builder.at(span);
        let values = self.builder.broadcast_all(&values);
        self.builder.checked(values)
    }

    /// Types of the results: as declared, else bits and unsigned integers.
    fn circuit_types(
        &self,
        named: &Named,
        declared: &[Option<Written>],
        operands: &[Value],
        span: &Span,
    ) -> Result<Vec<Type>, ProgramError> {
        let types = operands.iter().map(|&v| self.ty(v));
        let visibility =
            types.clone().map(|t| t.visibility).fold(Visibility::Public, Visibility::join);
        let lanes: Option<Shape> = types.map(|t| t.shape.clone()).next();
        let declared = declared.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let ports = named.circuit.output_ports().iter().zip(declared);
        let typed = |(port, declared): (&Vec<_>, Option<&Written>)| {
            let (element, interval) = match declared {
                Some(written) => (written.element, written.interval),
                None => (element_of(port.len() as u32).ok_or_else(|| untyped(span))?, None),
            };
            let interval: Interval = interval.unwrap_or(element.interval());
            let own = declared.map(|written| written.shape.clone());
            let shape = lanes.clone().or(own).unwrap_or_default();
            Ok(Type { element, shape, visibility, interval })
        };
        ports.map(typed).collect()
    }
}

fn untyped(span: &Span) -> ProgramError {
    let message =
        "a circuit's results of such widths need types: `let x: fixed(20,4) = circuit...`";
    ProgramError::new(span, message)
}

/// The unsigned type of so many bits.
fn element_of(width: u32) -> Option<Element> {
    match width {
        1 => Some(Element::Bit),
        8 | 16 | 32 | 64 => Some(Element::uint(width as u8)),
        _ => None,
    }
}
