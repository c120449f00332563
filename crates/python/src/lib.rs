//! The extension module of Tacit's Python package: programs that are recorded operation by operation, and their runs.
//!
//! It has no logic of its own. What users see is Python (`python/src/tacit`); `_tacit.pyi` there describes this module.

mod arrow;
mod data;
mod error;
mod front;
mod outcome;
mod plot;
mod program;
mod run;

use pyo3::prelude::*;
use std::ffi::OsString;
use tacit_cli::Invocation;

/// The command `tacit`: `start` are the words that start it, before its arguments. Gives the exit code, where the command does
/// not end the process.
#[pyfunction]
fn command(py: Python<'_>, start: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| tacit_cli::main(Invocation::through(start, arguments)))
}

#[pymodule]
fn _tacit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Mistake", module.py().get_type::<error::Mistake>())?;
    module.add("Failure", module.py().get_type::<error::Failure>())?;
    module.add_class::<front::FrontEnd>()?;
    module.add_class::<front::Node>()?;
    module.add_class::<front::Length>()?;
    module.add_class::<front::Domain>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<data::Derived>()?;
    module.add_class::<data::Raw>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_class::<run::Party>()?;
    module.add_class::<arrow::Column>()?;
    module.add_class::<arrow::Table>()?;
    module.add_function(wrap_pyfunction!(arrow::read_stream, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::read_array, module)?)?;
    module.add_function(wrap_pyfunction!(data::scaled, module)?)?;
    module.add_function(wrap_pyfunction!(data::text_codes, module)?)?;
    module.add_function(wrap_pyfunction!(run::run_local, module)?)?;
    module.add_function(wrap_pyfunction!(run::loopback, module)?)?;
    module.add_function(wrap_pyfunction!(run::protocols, module)?)?;
    module.add_function(wrap_pyfunction!(run::protection, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_class::<run::Watch>()?;
    module.add_class::<run::Connection>()?;
    module.add_function(wrap_pyfunction!(plot::plot_run, module)?)?;
    module.add_function(wrap_pyfunction!(plot::plot_plan, module)?)?;
    module.add_function(wrap_pyfunction!(plot::plot_operations, module)?)?;
    Ok(())
}
