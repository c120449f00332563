//! Errors, as Python raises them; `tacit.errors` gives them their classes.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tacit::runtime::Remedy;
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
    Failure::new_err((error.kind().name(), error.in_words(arguments)))
}

/// Which arguments help. Inputs that are missing are told before a run, by those who know how they are given.
fn arguments(remedy: &Remedy) -> String {
    let text = match remedy {
        Remedy::Timeout => "; `timeout=` of `tc.connect` sets how long it waits",
        Remedy::ConnectTimeout => "; `connect_timeout=` of `tc.connect` sets how long it waits",
        Remedy::Disagreement(what) => match what.as_str() {
            "program" => "; compare what `job.text` gives at each",
            "the session" => ": the same jobs, with the same `session=`",
            "the number of workers" => ": the same `threads=` and `roles=`",
            "numbers by" => ": the same `by=`",
            "rows per chunk" => ": the same `chunk_rows=`",
            "who the parties are" => ": the same names and fingerprints",
            _ => "",
        },
        Remedy::Table(..) | Remedy::Value(_) => "",
    };
    text.to_owned()
}
