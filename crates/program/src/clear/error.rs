//! What can go wrong when a program is evaluated in the clear.

use crate::ir::{NodeId, Span};
use crate::types::{Element, Interval};
use thiserror::Error;

/// The reason why one operation has no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpError {
    /// More elements than fit in memory.
    #[error("an array is too large for this machine's memory")]
    TooLarge,
    /// A value that its element type does not have. The value is not shown: it may be secret.
    #[error("value {index} is outside the range of {element}")]
    Value {
        /// Its position, row-major.
        index: usize,
        /// The element type.
        element: Element,
    },
    /// Values outside the range that the program checks. They are not shown: they may be secret.
    #[error("{outside} values left the range that is checked here")]
    Check {
        /// How many.
        outside: u64,
    },
    /// What a checked program never does.
    #[error("malformed program: {0}")]
    Malformed(&'static str),
}

/// The reason why a program has no result. Messages name positions, never input values.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ClearError {
    /// Not one row count per dim.
    #[error("the program has {expected} row counts, {found} are given")]
    RowCounts {
        /// Dims of the program.
        expected: usize,
        /// Row counts given.
        found: usize,
    },
    /// More rows than the program was checked for.
    #[error("`{dim}` has {rows} rows, the program allows at most {max}")]
    TooManyRows {
        /// Name of the dim.
        dim: String,
        /// Rows given.
        rows: u64,
        /// Rows allowed.
        max: u64,
    },
    /// Fewer rows than the program was checked for.
    #[error("`{dim}` has {rows} rows, the program asks for at least {min}")]
    TooFewRows {
        /// Name of the dim.
        dim: String,
        /// Rows given.
        rows: u64,
        /// Rows asked for.
        min: u64,
    },
    /// An input that nobody gave.
    #[error("input `{0}` is missing")]
    MissingInput(String),
    /// A value for no input.
    #[error("the program has no input `{0}`")]
    UnknownInput(String),
    /// An input of another element type.
    #[error("input `{name}` must be {expected}, not {found}")]
    InputElement {
        /// Name of the input.
        name: String,
        /// What the program says.
        expected: Element,
        /// What was given.
        found: Element,
    },
    /// An input of another shape.
    #[error("input `{name}` must have the shape {expected:?}, not {found:?}")]
    InputShape {
        /// Name of the input.
        name: String,
        /// What the program says, with these row counts.
        expected: Vec<usize>,
        /// What was given.
        found: Vec<usize>,
    },
    /// An input value outside the range declared for it.
    #[error(
        "input `{name}`: its value at place {index}, counted from 0, is outside its declared range {} to {}",
        interval.low, interval.high
    )]
    InputRange {
        /// Name of the input.
        name: String,
        /// Position of the first such value, row-major.
        index: usize,
        /// The declared range of raw values.
        interval: Interval,
    },
    /// An operation that has no result.
    #[error("{}{error}", span.prefix())]
    Op {
        /// The node: its position in the outermost block, then in the loop body, and so on.
        node: Vec<NodeId>,
        /// Where the user asked for it.
        span: Span,
        /// Why.
        error: OpError,
    },
}

impl ClearError {
    /// Whether a value left a range that the program checks.
    #[must_use]
    pub fn is_failed_check(&self) -> bool {
        matches!(self, ClearError::Op { error: OpError::Check { .. }, .. })
    }
}
