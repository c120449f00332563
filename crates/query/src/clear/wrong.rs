//! What is wrong with plans.

use crate::error::QueryError;
use tacit_program::Span;

/// The error of a plan that contradicts itself, or is not what it says.
pub(super) fn malformed(span: &Span, what: &str) -> QueryError {
    QueryError::new(span, format!("malformed plan: {what}"))
}

/// The error of a number that is too large.
pub(super) fn too_large(span: &Span) -> QueryError {
    QueryError::new(span, "a number becomes larger than 128 bits here")
}
