//! Plots of what Python holds as JSON.

use crate::error::failure;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use tacit::plot;

fn read<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A run's report, beside a candidate of a plan, with the seconds that it took in this process.
#[pyfunction]
#[pyo3(signature = (report, parties, predicted, here))]
pub fn plot_run(
    report: &str,
    parties: Vec<String>,
    predicted: Option<&str>,
    here: Option<f64>,
) -> PyResult<String> {
    let predicted = predicted.map(read).transpose()?;
    plot::run(&read(report)?, &parties, predicted.as_ref(), here).map_err(failure)
}

/// What protocols would take on a network.
#[pyfunction]
pub fn plot_plan(plan: &str, network: &str) -> PyResult<String> {
    plot::plan(&read(plan)?, network).map_err(failure)
}

/// What operations would take.
#[pyfunction]
pub fn plot_operations(explained: &str) -> PyResult<String> {
    plot::operations(&read(explained)?).map_err(failure)
}
