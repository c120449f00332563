//! Values that Python gives, copied once into memory that is wiped.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyList};
use tacit::{Scalar, Values};
use tacit_program::Meaning;
use zeroize::Zeroizing;

/// Values of one input as the program holds them: in fixed point times 2 to the bits behind the point, of decimals times 10 to the
/// digits behind it.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Raw(pub Values);

#[pymethods]
impl Raw {
    /// Copies an array of `int64` or `uint64`.
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Raw> {
        let wide = match (read::<i64>(values)?, read::<u64>(values)?) {
            (Some(all), _) => {
                Zeroizing::new(all.as_slice()?.iter().copied().map(i128::from).collect::<Vec<_>>())
            }
            (_, Some(all)) => {
                Zeroizing::new(all.as_slice()?.iter().copied().map(i128::from).collect())
            }
            _ => return Err(PyTypeError::new_err("an array of int64 or uint64")),
        };
        Ok(Raw(Values::raw(&wide)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// What the owner of a column of texts computes of it for a program.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Derived(pub tacit_program::Derived);

#[pymethods]
impl Derived {
    /// The column, called as an input that is the column itself would be.
    #[getter]
    fn column(&self) -> &str {
        &self.0.column
    }

    /// What is computed, as SQL writes it.
    #[getter]
    fn shown(&self) -> String {
        self.0.function.of(&self.0.column)
    }
}

/// What goes in for each text where texts have no list, or what is computed of it, as an array that is wiped in the end and cannot be written
/// to: -1 for `None`, for texts that are empty, and for those of which nothing is left.
#[pyfunction]
#[pyo3(signature = (texts, derived=None))]
pub fn text_codes<'py>(
    py: Python<'py>,
    texts: Vec<Option<PyBackedStr>>,
    derived: Option<&Bound<'py, Derived>>,
) -> PyResult<Bound<'py, PyAny>> {
    let code = code_of(derived);
    let mut codes = Zeroizing::new(Vec::with_capacity(texts.len()));
    codes.extend(texts.iter().map(|text| code(text.as_deref())));
    crate::arrow::wiped(py, codes)
}

/// What goes in for a text, or -1 where there is none.
pub fn code_of(derived: Option<&Bound<'_, Derived>>) -> impl Fn(Option<&str>) -> i64 {
    let of = derived.map(|derived| &derived.get().0.function);
    move |text| {
        let raw = |text| of.map_or_else(|| Meaning::Text.raw_of(text), |of| of.raw(text));
        text.and_then(raw).unwrap_or(-1)
    }
}

/// Numbers as decimals with so many digits behind the point, times 10 to those: floating point is rounded to the nearest, half to
/// even. An array of `int64`, of `uint64` where they are too large, which is wiped in the end.
#[pyfunction]
pub fn scaled<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    digits: u8,
) -> PyResult<Bound<'py, PyAny>> {
    let mut all = Zeroizing::new(Vec::new());
    if let Some(reals) = read::<f64>(values)? {
        all.reserve_exact(reals.len());
        let real = |value: &f64| tacit_tables::decimal_of(*value, digits).unwrap_or(i128::MAX);
        all.extend(reals.as_slice()?.iter().map(real));
    } else if let Some(whole) = read::<i64>(values)? {
        all.reserve_exact(whole.len());
        all.extend(whole.as_slice()?.iter().map(|value| times(i128::from(*value), digits)));
    } else if let Some(whole) = read::<u64>(values)? {
        all.reserve_exact(whole.len());
        all.extend(whole.as_slice()?.iter().map(|value| times(i128::from(*value), digits)));
    } else {
        return Err(PyTypeError::new_err("an array of float64, int64 or uint64"));
    }
    crate::arrow::whole(py, &all)
}

fn times(value: i128, digits: u8) -> i128 {
    value.saturating_mul(10i128.pow(u32::from(digits)))
}

/// The values of inputs, by name: [`Raw`], NumPy arrays of whole numbers, `float64` or `bool` in row-major order, or lists of texts.
pub fn values(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Values)>> {
    given.iter().map(|(name, value)| Ok((name.extract()?, of_one(&value)?))).collect()
}

fn of_one(value: &Bound<'_, PyAny>) -> PyResult<Values> {
    if let Ok(raw) = value.cast::<Raw>() {
        return Ok(raw.get().0.clone());
    }
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
    let Some(array) = read::<T>(value)? else { return Ok(None) };
    Ok(Some(Values::from(array.as_slice()?)))
}

/// An array of this type of elements, if it is one.
fn read<'py, T: Element>(
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<PyReadonlyArrayDyn<'py, T>>> {
    let Ok(array) = value.cast::<PyArrayDyn<T>>() else { return Ok(None) };
    if !array.is_c_contiguous() {
        return Err(PyTypeError::new_err("an array in row-major order"));
    }
    Ok(Some(array.readonly()))
}
