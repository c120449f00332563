//! What a run gives, as Python holds it.

use crate::arrow::Table;
use crate::error::failure;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The domains that label an axis, each with the names of its members.
type AxisLabels = Vec<(String, Vec<String>)>;

/// What one party has after a run, or all parties of one process.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Outcome(pub tacit::Outcome);

#[pymethods]
impl Outcome {
    /// Names of the results, in the program's order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.results().map(|(name, _)| name.to_owned()).collect()
    }

    /// A result as an array: of bool, int64 or float64. Decimals are rounded; `exact` has them.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.found(name)?;
        let shape = PyTuple::new(py, value.shape())?;
        let flat = match value.kind() {
            _ if value.decimals() > 0 => PyArray1::from_iter(py, value.numbers()).into_any(),
            "bit" => PyArray1::from_iter(py, value.integers().map(|it| it != 0)).into_any(),
            "fixed" => PyArray1::from_iter(py, value.numbers()).into_any(),
            _ => match value.integers().map(i64::try_from).collect::<Result<Vec<_>, _>>() {
                Ok(all) => PyArray1::from_vec(py, all).into_any(),
                Err(_) => PyArray1::from_iter(py, value.integers().map(|it| it as u64)).into_any(),
            },
        };
        flat.call_method1("reshape", (shape,))
    }

    /// A result exactly: raw integers in row-major order, and the bits behind the point.
    fn exact(&self, name: &str) -> PyResult<(Vec<i128>, u8)> {
        let value = self.found(name)?;
        Ok((value.raw().collect(), value.fraction()))
    }

    /// Digits behind the decimal point of a result; none but of decimals.
    fn decimals(&self, name: &str) -> PyResult<u8> {
        Ok(self.found(name)?.decimals())
    }

    /// The answer of the query that the program was read from, and what is to be said beside it.
    #[getter]
    fn answer(&self) -> PyResult<Option<(Table, Vec<String>)>> {
        let answer = self.0.answer().map_err(failure)?;
        Ok(answer.map(|it| (Table::of(it.table().clone()), it.remarks().to_vec())))
    }

    /// What the numbers stand for, in row-major order; nothing if they are numbers.
    fn texts(&self, name: &str) -> PyResult<Option<Vec<String>>> {
        let value = self.found(name)?;
        Ok(value.is_named().then(|| value.texts().collect()))
    }

    /// The labels of each axis, outermost first: names with the members' names, the last domain's fastest.
    fn labels(&self, name: &str) -> PyResult<Vec<AxisLabels>> {
        Ok(self.found(name)?.axis_labels())
    }

    /// The results as a table.
    #[getter]
    fn table(&self) -> String {
        self.0.to_string()
    }

    /// Where values left their ranges, under `plain`.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }

    /// What the run cost, as JSON.
    #[getter]
    fn report(&self) -> String {
        serde_json::to_string(self.0.report()).expect("a report is numbers and texts")
    }

    /// Why the protocol is what it is, if the parties chose it, as JSON.
    #[getter]
    fn choice(&self) -> Option<String> {
        self.0.choice().map(|it| serde_json::to_string(it).expect("a choice is numbers and texts"))
    }
}

impl Outcome {
    pub fn found(&self, name: &str) -> PyResult<&tacit::Value> {
        let missing = || pyo3::exceptions::PyKeyError::new_err(name.to_owned());
        self.0.get(name).ok_or_else(missing)
    }
}
