//! Errors, as Python raises them; `tacit.errors` gives them their classes.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tacit_program::ProgramError;

create_exception!(
    _tacit,
    Mistake,
    PyException,
    "A mistake in a program: file, line, what is wrong."
);
create_exception!(
    _tacit,
    Failure,
    PyException,
    "A run that failed: the kind of the error, what went wrong."
);

/// A mistake in a program.
pub fn mistake(error: ProgramError) -> PyErr {
    let ProgramError { span, message } = error;
    Mistake::new_err((span.file.to_string(), span.line, message))
}

/// A run that failed.
pub fn failure(error: tacit::Error) -> PyErr {
    Failure::new_err((error.kind().name(), error.to_string()))
}
