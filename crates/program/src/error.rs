//! The error of a program that is wrong: what is wrong, and where.

use crate::ir::Span;
use std::fmt;

/// A mistake in a program, with the place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProgramError {
    /// The place; unknown for programs that were not written by hand.
    pub span: Span,
    /// The message: what is wrong and what to do.
    pub message: String,
}

impl ProgramError {
    /// Makes an error at a place.
    #[must_use]
    pub fn new(span: &Span, message: impl Into<String>) -> Self {
        ProgramError { span: span.clone(), message: message.into() }
    }

    /// Makes an error of the program as a whole.
    #[must_use]
    pub fn nowhere(message: impl Into<String>) -> Self {
        ProgramError { span: Span::default(), message: message.into() }
    }
}

/// `file:line:column: message`, as far as the place is known.
impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.span.prefix(), self.message)
    }
}
