//! Values that Python gives, copied once into memory that is wiped.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tacit::{Scalar, Values};

/// The values of inputs, by name: NumPy arrays of whole numbers, `float64` or `bool` in row-major order, or lists of texts.
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
    macro_rules! numbers_of {
        ($($scalar:ty),*) => { $(
            if let Some(found) = numbers::<$scalar>(value)? {
                return Ok(found);
            }
        )* };
    }
    numbers_of!(i64, f64, bool, u64, i32, i16, i8, u32, u16, u8);
    Err(PyTypeError::new_err("an array of whole numbers, float64 or bool"))
}

fn numbers<T: Element + Scalar>(value: &Bound<'_, PyAny>) -> PyResult<Option<Values>> {
    let Ok(array) = value.cast::<PyArrayDyn<T>>() else { return Ok(None) };
    if !array.is_c_contiguous() {
        return Err(PyTypeError::new_err("an array in row-major order"));
    }
    let array = array.readonly();
    Ok(Some(Values::from(array.as_slice()?)))
}
