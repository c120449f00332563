//! Evaluation in the clear: the oracle for every protocol, what the `plain` protocol runs, and
//! how a party computes on public values and on those that it holds alone.
//!
//! Integers and bits are exact, bit for bit. Fixed point is exact up to the stated rounding of
//! each operation, and the same on every machine. See `docs/semantics.md`.
//!
//! Nothing here is protected: whoever evaluates has all inputs.

mod array;
mod block;
mod elementwise;
mod error;
mod lanes;
mod layout;
mod observe;
mod op;
mod real;
mod reduce;
mod scalar;
mod table;

#[cfg(test)]
mod tests;

pub use array::Array;
pub use block::evaluate_op;
pub use error::{ClearError, OpError};
pub use observe::{EXAMPLES, NodePath, Observed, Outside, Violation};

use crate::ir::{Dim, Op, Program, Span};
use crate::types::Type;
use block::{Run, take};
use observe::bind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The arrays that parties give, by the names of inputs.
pub type Inputs = BTreeMap<String, Array>;
/// The arrays that a program reveals, by name, in its order.
pub type Outputs = Vec<(String, Array)>;

/// Evaluates a program: `rows` are the row counts of its dims, `inputs` the inputs of all
/// parties. Gives what it reveals.
///
/// # Errors
/// If row counts or inputs do not fit the program, or an operation has no result. Values that
/// leave their declared ranges are no error: see [`evaluate_observed`].
pub fn evaluate(program: &Program, rows: &[u64], inputs: Inputs) -> Result<Outputs, ClearError> {
    evaluate_observed(program, rows, inputs).map(|(outputs, _)| outputs)
}

/// Evaluates a program, and gives beside what it reveals the ranges that all values really took, and those that left
/// the interval of their type, for which a protocol may give wrong results.
///
/// # Errors
/// If row counts or inputs do not fit the program, or an operation has no result.
pub fn evaluate_observed(
    program: &Program,
    rows: &[u64],
    mut inputs: Inputs,
) -> Result<(Outputs, Observed), ClearError> {
    check_rows(program, rows)?;
    for (id, name, _) in program.inputs() {
        let array = inputs.get(name).ok_or_else(|| ClearError::MissingInput(name.to_owned()))?;
        check_input(name, array, &program.body.nodes[id as usize].types[0], rows)?;
    }
    let unknown = |name: &&String| program.inputs().all(|(_, known, _)| known != name.as_str());
    if let Some(name) = inputs.keys().find(unknown) {
        return Err(ClearError::UnknownInput(name.clone()));
    }
    let mut source = |op: &Op| match op {
        Op::Input { name, .. } => inputs.remove(name).map(|array| (Arc::new(array), true)),
        _ => None,
    };
    let wanted: Vec<_> = program.reveals.iter().map(|reveal| reveal.value).collect();
    let mut run = Run::new(rows);
    let values = run.block(&program.body, &wanted, &mut source)?;
    let names = program.reveals.iter().map(|reveal| reveal.name.clone());
    Ok((names.zip(values.into_iter().map(take)).collect(), run.observed))
}

/// Checks that there is a row count for each dim, from its minimum to its maximum.
///
/// # Errors
/// [`ClearError::RowCounts`], [`ClearError::TooManyRows`] or [`ClearError::TooFewRows`] if not.
pub fn check_rows(program: &Program, rows: &[u64]) -> Result<(), ClearError> {
    if rows.len() != program.dims.len() {
        return Err(ClearError::RowCounts { expected: program.dims.len(), found: rows.len() });
    }
    program.dims.iter().zip(rows).try_for_each(|(dim, &rows)| check_row_count(dim, rows))
}

/// Checks that the program allows so many of these rows.
///
/// # Errors
/// [`ClearError::TooManyRows`] or [`ClearError::TooFewRows`] if not.
pub fn check_row_count(dim: &Dim, rows: u64) -> Result<(), ClearError> {
    let Dim { name, min, max } = dim;
    let (name, min, max) = (|| name.clone(), *min, *max);
    if rows > max {
        return Err(ClearError::TooManyRows { dim: name(), rows, max });
    }
    if rows < min {
        return Err(ClearError::TooFewRows { dim: name(), rows, min });
    }
    Ok(())
}

/// Checks that an array fits the type of the input of this name: element, shape with these row
/// counts (which [`check_rows`] must accept), and range.
///
/// # Errors
/// [`ClearError::InputElement`], [`ClearError::InputShape`] or [`ClearError::InputRange`] if not.
pub fn check_input(name: &str, array: &Array, ty: &Type, rows: &[u64]) -> Result<(), ClearError> {
    let name = || name.to_owned();
    if array.element() != ty.element {
        let (expected, found) = (ty.element, array.element());
        return Err(ClearError::InputElement { name: name(), expected, found });
    }
    let no_shape = |error| ClearError::Op { node: Vec::new(), span: Span::default(), error };
    let expected = bind(&ty.shape, rows).map_err(no_shape)?;
    if array.shape() != expected {
        return Err(ClearError::InputShape {
            name: name(),
            expected,
            found: array.shape().to_vec(),
        });
    }
    match array.values().position(|value| !array::holds(ty.interval, value)) {
        Some(index) => Err(ClearError::InputRange { name: name(), index, interval: ty.interval }),
        None => Ok(()),
    }
}
