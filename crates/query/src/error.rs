//! The error of a query that is wrong: what is wrong, what to write instead, and where.

use std::fmt;
use tacit_program::{ProgramError, Span};

/// A mistake in a query, or something that queries cannot say, with the place in the user's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct QueryError {
    /// The place; unknown for plans that were not written by hand.
    pub span: Span,
    /// The message: what is wrong and what to do.
    pub message: String,
}

impl QueryError {
    /// Makes an error at a place.
    #[must_use]
    pub fn new(span: &Span, message: impl Into<String>) -> Self {
        QueryError { span: span.clone(), message: message.into() }
    }
}

/// `file:line:column: message`, as far as the place is known.
impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.span.prefix(), self.message)
    }
}

impl From<ProgramError> for QueryError {
    /// What a program advises is not for SQL.
    fn from(error: ProgramError) -> Self {
        let message = match error.message.rsplit_once(": ") {
            Some((what, advice)) if advice.contains("`assume`") => format!(
                "{what}: give the columns narrower ranges by CHECK, fewer rows by max_rows, or fewer decimals by CAST"
            ),
            _ => error.message,
        };
        QueryError { span: error.span, message }
    }
}

/// What a step of a query gives, or why there is none.
pub type Result<T> = std::result::Result<T, QueryError>;
