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
        let Span { file, line, column } = &self.span;
        match (file.is_empty(), *line, *column) {
            (true, 0, _) => f.write_str(&self.message),
            (true, line, 0) => write!(f, "line {line}: {}", self.message),
            (true, line, column) => write!(f, "line {line}:{column}: {}", self.message),
            (false, 0, _) => write!(f, "{file}: {}", self.message),
            (false, line, 0) => write!(f, "{file}:{line}: {}", self.message),
            (false, line, column) => write!(f, "{file}:{line}:{column}: {}", self.message),
        }
    }
}
