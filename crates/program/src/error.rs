//! What is wrong with a program, and where.

use crate::ir::Span;
use std::fmt;

/// A mistake in a program, with the place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProgramError {
    /// Where; unknown for programs that were not written by hand.
    pub span: Span,
    /// What is wrong and what to do.
    pub message: String,
}

impl ProgramError {
    /// An error at a place.
    #[must_use]
    pub fn new(span: &Span, message: impl Into<String>) -> Self {
        ProgramError { span: span.clone(), message: message.into() }
    }

    /// An error of the program as a whole.
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
