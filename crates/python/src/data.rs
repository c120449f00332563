//! Values that Python gives, copied once into memory that is wiped.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tacit::{Scalar, Values};

/// The values of inputs, by name: NumPy arrays of `int64`, `uint64`, `float64` or `bool` in row-major order, or lists of
/// texts.
pub fn values(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Values)>> {
    given.iter().map(|(name, value)| Ok((name.extract()?, of_one(&value)?))).collect()
}

fn of_one(value: &Bound<'_, PyAny>) -> PyResult<Values> {
    if let Ok(texts) = value.cast::<PyList>() {
        let texts: Vec<String> = texts.extract()?;
        let texts = zeroize::Zeroizing::new(texts);
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        return Ok(Values::from(&borrowed));
    }
    let found = numbers::<i64>(value)?
        .map_or_else(|| numbers::<f64>(value), |it| Ok(Some(it)))?
        .map_or_else(|| numbers::<bool>(value), |it| Ok(Some(it)))?
        .map_or_else(|| numbers::<u64>(value), |it| Ok(Some(it)))?;
    found.ok_or_else(|| PyTypeError::new_err("an array of int64, uint64, float64 or bool"))
}

fn numbers<T: Element + Scalar>(value: &Bound<'_, PyAny>) -> PyResult<Option<Values>> {
    let Ok(array) = value.cast::<PyArrayDyn<T>>() else { return Ok(None) };
    if !array.is_c_contiguous() {
        return Err(PyTypeError::new_err("an array in row-major order"));
    }
    let array = array.readonly();
    Ok(Some(Values::from(array.as_slice()?)))
}
