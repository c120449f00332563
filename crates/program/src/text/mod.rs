//! Programs as text files (`.tacit`): what people write and read, and what parties hash.
//!
//! [`parse`] reads a program; [`print()`] writes the canonical form, one operation per line with
//! all types, which reads back as the same program. [`digest`] is the digest of that form.
//! The language is described in `docs/programs.md`.

mod call;
mod circuit_call;
mod circuits;
mod cursor;
pub(crate) mod decimal;
mod derived;
mod expression;
mod front;
mod functions;
mod hints;
mod lex;
mod literal;
mod loops;
pub(crate) mod names;
pub(crate) mod op_names;
mod options;
mod parse;
mod parser;
pub(crate) mod print;
#[cfg(test)]
mod tests;
mod types;

pub use front::{Argument, Carried, FrontEnd, OpenLoop, Revealed, Setting};
pub use parse::{parse, parse_with};
pub use print::{print, print_with_places};
pub use tacit_circuit::spelling::similar;
pub use types::parse_element;

use crate::ir::{Op, Program};
use crate::types::Type;

/// The digest by which parties agree on a program: BLAKE3 of its canonical text.
#[must_use]
pub fn digest(program: &Program) -> [u8; 32] {
    tacit_ring::hash::digest(&[b"tacit program 1", print(program).as_bytes()])
}

/// A type as the text form writes it, its range only if it is not the element's own.
#[must_use]
pub fn type_text(program: &Program, ty: &Type) -> String {
    print::type_text(program, ty)
}

/// The name of an operation, as functions of the language are called.
#[must_use]
pub fn op_name(op: &Op) -> &'static str {
    op_names::name(op)
}
