//! Arrow data of other libraries, in and out, by the PyCapsule interface.
//!
//! Columns stay in the memory of the library that gave them until they are read; what is read of them is copied into memory
//! that is wiped. Reading and giving it is the only `unsafe` of this crate: capsules hold plain pointers.

use crate::data::Derived;
use crate::outcome::Outcome;
use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayReader, ArrayRef, ArrowPrimitiveType, RecordBatchReader, make_array,
};
use arrow_schema::{ArrowError, DataType, FieldRef, TimeUnit};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict, PyString, PyTuple};
use std::any::Any;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::CStr;
use std::fmt::Write;
use tacit::runtime::SHOWN_ROWS;
use tacit_tables::{Format, OutputTable, TableError};
use zeroize::{Zeroize, Zeroizing};

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A column of another library, in chunks of one type.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Column {
    data: DataType,
    chunks: Vec<ArrayRef>,
}

/// The columns of a stream by name, if its rows are structures, as those of frames; else its one column.
#[pyfunction]
#[expect(unsafe_code, reason = "the stream is behind a pointer")]
pub fn read_stream<'py>(
    py: Python<'py>,
    capsule: &Bound<'py, PyCapsule>,
) -> PyResult<Bound<'py, PyAny>> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast();
    // SAFETY: a capsule of this name holds such a stream, by the interface, and nobody else reads it while this thread has the
    // interpreter. It is moved out, so that what stays in the capsule is a stream that was released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    if stream.release().is_none() {
        return Err(unfit("this stream of Arrow data was read before, and gives them once"));
    }
    // The library may want the interpreter, in any of its threads.
    let read = || -> Result<(FieldRef, Vec<ArrayRef>), ArrowError> {
        let reader = ArrayStreamReader::try_new(stream)?;
        let field = ArrayReader::field(&reader).clone();
        Ok((field, reader.collect::<Result<_, _>>()?))
    };
    let (field, chunks) = py.detach(read).map_err(|error| unfit(failed(&error)))?;
    given(py, field.data_type(), chunks)
}

/// The columns of one array by name, if its rows are structures; else its one column.
#[pyfunction]
#[expect(unsafe_code, reason = "the array is behind a pointer")]
pub fn read_array<'py>(
    py: Python<'py>,
    schema: &Bound<'py, PyCapsule>,
    array: &Bound<'py, PyCapsule>,
) -> PyResult<Bound<'py, PyAny>> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast();
    let array = array.pointer_checked(Some(ARRAY))?.cast();
    // SAFETY: capsules of these names hold a schema and an array of it, by the interface, and nobody else reads them while this
    // thread has the interpreter. They are moved out, so that what stays in the capsules was released.
    let (schema, array) = unsafe {
        (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()))
    };
    if array.is_released() {
        return Err(unfit("this array of Arrow data was read before, and gives them once"));
    }
    // SAFETY: both come from one library, which gives an array of this schema.
    let data = unsafe { from_ffi(array, &schema) };
    let data = data.map_err(|_| unfit("this array of Arrow data is damaged"))?;
    given(py, &data.data_type().clone(), vec![make_array(data)])
}

/// Results with the same number of rows, as one table.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Table(OutputTable);

#[pymethods]
impl Table {
    #[new]
    fn new(results: Vec<(Bound<'_, Outcome>, String)>) -> PyResult<Table> {
        let column = |(outcome, name): &(Bound<'_, Outcome>, String)| {
            outcome.get().found(name).map(|value| value.output(name))
        };
        let columns = results.iter().map(column).collect::<PyResult<_>>()?;
        let table = OutputTable::new(columns).map_err(no_table)?;
        drop(table.arrow().map_err(no_table)?);
        Ok(Table(table))
    }

    /// Names of its columns, those of labels too.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        let schema = self.0.arrow().map_err(no_table)?.schema();
        Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// How many rows it has.
    #[getter]
    fn rows(&self) -> u64 {
        let shape = self.0.columns().first().map(|column| column.shape.first().copied());
        shape.map_or(0, |rows| rows.unwrap_or(1))
    }

    /// The results of these names, in this order.
    fn select(&self, names: Vec<String>) -> PyResult<Table> {
        let column = |name: &String| {
            let found = self.0.columns().iter().find(|column| column.name == *name);
            found.cloned().ok_or_else(|| PyKeyError::new_err(name.clone()))
        };
        let columns = names.iter().map(column).collect::<PyResult<_>>()?;
        OutputTable::new(columns).map(Table).map_err(no_table)
    }

    /// The table as text.
    #[getter]
    fn text(&self) -> PyResult<String> {
        let mut text = Vec::new();
        self.0.write_to(&mut text, Format::Table, SHOWN_ROWS).map_err(no_table)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A capsule with a stream of its rows.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.0.arrow().map_err(no_table)?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

impl Table {
    pub fn of(table: OutputTable) -> Table {
        Table(table)
    }
}

fn no_table(error: TableError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What to do about a stream that failed. What its library says may have values in it.
fn failed(error: &ArrowError) -> &'static str {
    // Polars gives columns of nothing a buffer, which they have not.
    if error.to_string().contains("datatype \"Null\" doesn't expect buffer") {
        return "a column of the type Null has no values: leave it out, or cast it to the type of its values";
    }
    "the library that gives these Arrow data failed while it did: read them into a frame of its own to see why"
}

fn unfit(message: impl Into<String>) -> PyErr {
    crate::error::Failure::new_err(("input", message.into()))
}

fn given<'py>(
    py: Python<'py>,
    data: &DataType,
    chunks: Vec<ArrayRef>,
) -> PyResult<Bound<'py, PyAny>> {
    let DataType::Struct(fields) = data else {
        return Ok(Bound::new(py, Column { data: data.clone(), chunks })?.into_any());
    };
    if chunks.iter().any(|chunk| chunk.null_count() > 0) {
        return Err(unfit("rows of these Arrow data are missing as a whole"));
    }
    let columns = PyDict::new(py);
    for (at, field) in fields.iter().enumerate() {
        if columns.contains(field.name())? {
            let message = format!("two columns are called {:?}: rename one", field.name());
            return Err(unfit(message));
        }
        let chunks = chunks.iter().map(|chunk| chunk.as_struct().column(at).clone()).collect();
        columns.set_item(field.name(), Column { data: field.data_type().clone(), chunks })?;
    }
    Ok(columns.into_any())
}

#[pymethods]
impl Column {
    /// The type of its elements, as Arrow calls it.
    #[getter(r#type)]
    fn type_name(&self) -> String {
        self.data.to_string()
    }

    /// Whether its elements are texts.
    #[getter]
    fn is_text(&self) -> bool {
        is_text(leaf(&self.data))
    }

    /// Its length, and that of its lists, if its elements are lists of one length.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.lengths())
    }

    /// Which rows are missing, or have missing parts; nothing if none are.
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
        let mut missing = Vec::with_capacity(self.lengths()[0]);
        for chunk in self.checked()? {
            missing.extend(missing_rows(chunk));
        }
        Ok(missing.contains(&true).then(|| PyArray1::from_vec(py, missing)))
    }

    /// Its values as an array, which is wiped in the end and cannot be written to: truth values, whole numbers, floating point,
    /// dates and times, or texts. Decimals are whole numbers if all of them are. What is missing is anything.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flat = match leaf(&self.data) {
            DataType::Boolean => self.array(py, |a: &dyn Array, out| {
                out.extend(a.as_boolean().iter().map(Option::unwrap_or_default))
            })?,
            DataType::Int8 => self.primitives::<Int8Type>(py)?,
            DataType::Int16 => self.primitives::<Int16Type>(py)?,
            DataType::Int32 => self.primitives::<Int32Type>(py)?,
            DataType::Int64 => self.primitives::<Int64Type>(py)?,
            DataType::UInt8 => self.primitives::<UInt8Type>(py)?,
            DataType::UInt16 => self.primitives::<UInt16Type>(py)?,
            DataType::UInt32 => self.primitives::<UInt32Type>(py)?,
            DataType::UInt64 => self.primitives::<UInt64Type>(py)?,
            DataType::Float16 => self.array(py, |a: &dyn Array, out: &mut Vec<f32>| {
                out.extend(a.as_primitive::<Float16Type>().values().iter().map(|v| v.to_f32()))
            })?,
            DataType::Float32 => self.primitives::<Float32Type>(py)?,
            DataType::Float64 => self.primitives::<Float64Type>(py)?,
            DataType::Null => {
                self.array(py, |a: &dyn Array, out| out.resize(out.len() + a.len(), f64::NAN))?
            }
            DataType::Date32 => {
                let days = self.array(py, |a: &dyn Array, out: &mut Vec<i64>| {
                    out.extend(
                        a.as_primitive::<Date32Type>().values().iter().map(|v| i64::from(*v)),
                    )
                })?;
                days.call_method1("view", ("datetime64[D]",))?
            }
            DataType::Date64 => times(self.primitives::<Date64Type>(py)?, TimeUnit::Millisecond)?,
            DataType::Timestamp(unit, None) => times(
                match unit {
                    TimeUnit::Second => self.primitives::<TimestampSecondType>(py)?,
                    TimeUnit::Millisecond => self.primitives::<TimestampMillisecondType>(py)?,
                    TimeUnit::Microsecond => self.primitives::<TimestampMicrosecondType>(py)?,
                    TimeUnit::Nanosecond => self.primitives::<TimestampNanosecondType>(py)?,
                },
                *unit,
            )?,
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => self.decimals(py, *scale)?,
            data if is_text(data) => {
                let mut all = Vec::with_capacity(self.count());
                for chunk in self.checked()? {
                    let python = |text: Option<&str>| text.map(|text| PyString::new(py, text));
                    for text in texts(chunk) {
                        all.push(python(text).into_pyobject(py)?.unbind());
                    }
                }
                PyArray1::from_vec(py, all).into_any()
            }
            _ => return Err(self.unsupported()),
        };
        flat.call_method1("reshape", (self.shape(py)?,))
    }

    /// Its decimals with so many digits behind the point, times 10 to those, in an array that is wiped in the end: rounded to the
    /// nearest, half to even. What is missing is zero.
    fn scaled<'py>(&self, py: Python<'py>, digits: u8) -> PyResult<Bound<'py, PyAny>> {
        let flat = match leaf(&self.data) {
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => {
                let mut all = self.filled(mantissas)?;
                rescale(&mut all, *scale, digits);
                whole(py, &all)?
            }
            _ => return Err(self.unsupported()),
        };
        flat.call_method1("reshape", (self.shape(py)?,))
    }

    /// Its decimals as texts, exactly. What is missing is anything.
    fn decimal_texts(&self) -> PyResult<Vec<String>> {
        match leaf(&self.data) {
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale) => {
                let all = self.filled(mantissas)?;
                Ok(all.iter().map(|it| format!("{it}E{}", -i32::from(*scale))).collect())
            }
            _ => Err(self.unsupported()),
        }
    }

    /// What goes in for each text where texts have no list, or what is computed of it, as an array that is wiped in the end and cannot be
    /// written to. What is missing is -1, and so is what is empty.
    #[pyo3(signature = (derived=None))]
    fn text_codes<'py>(
        &self,
        py: Python<'py>,
        derived: Option<&Bound<'py, Derived>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !self.is_text() {
            return Err(self.unsupported());
        }
        let mut codes = Zeroizing::new(Vec::with_capacity(self.count()));
        for chunk in self.checked()? {
            codes.extend(texts(chunk).into_iter().map(crate::data::code_of(derived)));
        }
        wiped(py, codes)?.call_method1("reshape", (self.shape(py)?,))
    }

    /// The place of each text among these names, -1 of one that is none of them, as an array that is wiped in the end and
    /// cannot be written to. What is missing is none of them.
    fn codes<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        if !self.is_text() {
            return Err(self.unsupported());
        }
        let places: HashMap<&str, i64> = names.iter().map(String::as_str).zip(0..).collect();
        let place = |text: Option<&str>| text.and_then(|it| places.get(it).copied()).unwrap_or(-1);
        let mut codes = Zeroizing::new(Vec::with_capacity(self.count()));
        for chunk in self.checked()? {
            codes.extend(texts(chunk).into_iter().map(place));
        }
        wiped(py, codes)?.call_method1("reshape", (self.shape(py)?,))
    }
}

impl Column {
    fn lengths(&self) -> Vec<usize> {
        let mut lengths = vec![self.chunks.iter().map(|chunk| chunk.len()).sum()];
        let mut data = &self.data;
        while let DataType::FixedSizeList(field, length) = data {
            lengths.push(usize::try_from(*length).unwrap_or_default());
            data = field.data_type();
        }
        lengths
    }

    fn count(&self) -> usize {
        self.lengths().into_iter().product()
    }

    /// The chunks, after a test that texts are UTF-8 and that what points somewhere points into them.
    fn checked(&self) -> PyResult<impl Iterator<Item = &dyn Array>> {
        if self.chunks.iter().any(|chunk| chunk.to_data().validate_full().is_err()) {
            return Err(unfit(format!("this column of {} is damaged", self.data)));
        }
        Ok(self.chunks.iter().map(AsRef::as_ref))
    }

    fn unsupported(&self) -> PyErr {
        let (data, way) = match leaf(&self.data) {
            DataType::Timestamp(_, Some(_)) => {
                (&self.data, "take the dates of it where it is, without the time zone")
            }
            data => (
                data,
                "cast it to whole numbers, floating point, decimals, booleans, dates or texts",
            ),
        };
        unfit(format!("a column of {data} is not read: {way}"))
    }

    fn array<'py, T: Number>(
        &self,
        py: Python<'py>,
        read: impl Fn(&dyn Array, &mut Vec<T>),
    ) -> PyResult<Bound<'py, PyAny>> {
        wiped(py, self.filled(read)?)
    }

    fn primitives<'py, T: ArrowPrimitiveType<Native: Number>>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |a: &dyn Array, out| out.extend_from_slice(a.as_primitive::<T>().values()))
    }

    fn decimals<'py>(&self, py: Python<'py>, scale: i8) -> PyResult<Bound<'py, PyAny>> {
        decimal_numbers(py, &self.filled(mantissas)?, scale)
    }

    /// All elements of all chunks.
    fn filled<T: Copy + Default + Zeroize>(
        &self,
        read: impl Fn(&dyn Array, &mut Vec<T>),
    ) -> PyResult<Zeroizing<Vec<T>>> {
        // Sized first: a vector that grows leaves copies behind.
        let mut all = Zeroizing::new(Vec::with_capacity(self.count()));
        for chunk in self.checked()? {
            fill(chunk, &mut all, &read);
        }
        Ok(all)
    }
}

/// What NumPy has arrays of, and memory can be wiped of.
pub trait Number: Element + Copy + Default + Zeroize + Send + Sync + 'static {}

impl<T: Element + Copy + Default + Zeroize + Send + Sync + 'static> Number for T {}

/// The type of the elements themselves, within lists and dictionaries.
fn leaf(data: &DataType) -> &DataType {
    match data {
        DataType::FixedSizeList(field, _) => leaf(field.data_type()),
        DataType::Dictionary(_, values) => leaf(values),
        data => data,
    }
}

fn is_text(data: &DataType) -> bool {
    matches!(data, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Appends all elements of an array, those within lists and dictionaries too. What is missing is anything.
fn fill<T: Copy + Default + Zeroize>(
    array: &dyn Array,
    out: &mut Vec<T>,
    read: &impl Fn(&dyn Array, &mut Vec<T>),
) {
    match array.data_type() {
        DataType::FixedSizeList(..) => {
            fill(array.as_fixed_size_list().values().as_ref(), out, read);
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let mut values = Zeroizing::new(Vec::with_capacity(dictionary.values().len()));
            fill(dictionary.values().as_ref(), &mut values, read);
            let keys = keys(dictionary).into_iter();
            out.extend(keys.map(|key| key.map_or_else(T::default, |key| values[key])));
        }
        _ => read(array, out),
    }
}

/// All texts of an array, those within lists and dictionaries too.
fn texts(array: &dyn Array) -> Vec<Option<&str>> {
    match array.data_type() {
        DataType::FixedSizeList(..) => texts(array.as_fixed_size_list().values().as_ref()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = texts(dictionary.values().as_ref());
            keys(dictionary).into_iter().map(|key| values[key?]).collect()
        }
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        _ => array.as_string_view().iter().collect(),
    }
}

/// Places in the dictionary.
fn keys(dictionary: &dyn AnyDictionaryArray) -> Vec<Option<usize>> {
    if dictionary.values().is_empty() {
        return vec![None; dictionary.len()];
    }
    let there = |(row, key)| dictionary.is_valid(row).then_some(key);
    dictionary.normalized_keys().into_iter().enumerate().map(there).collect()
}

/// Which rows of a chunk are missing, or have a part that is.
fn missing_rows(array: &dyn Array) -> Vec<bool> {
    let nulls = array.logical_nulls();
    let mut missing: Vec<bool> =
        (0..array.len()).map(|row| nulls.as_ref().is_some_and(|it| it.is_null(row))).collect();
    if let Some(lists) = array.as_fixed_size_list_opt() {
        let length = usize::try_from(lists.value_length()).unwrap_or_default().max(1);
        let parts = missing_rows(lists.values().as_ref());
        for (row, parts) in missing.iter_mut().zip(parts.chunks(length)) {
            *row |= parts.contains(&true);
        }
    }
    missing
}

/// Decimals, times ten to the power of their scale; those that no `i128` holds as the outermost.
fn mantissas(array: &dyn Array, out: &mut Vec<i128>) {
    macro_rules! narrow {
        ($type:ty) => {{
            let all = array.as_primitive::<$type>().iter();
            out.extend(all.map(|v| v.map_or(0, i128::from)))
        }};
    }
    match array.data_type() {
        DataType::Decimal32(..) => narrow!(Decimal32Type),
        DataType::Decimal64(..) => narrow!(Decimal64Type),
        DataType::Decimal128(..) => narrow!(Decimal128Type),
        _ => {
            let outermost = |negative| if negative { i128::MIN } else { i128::MAX };
            let all = array.as_primitive::<Decimal256Type>().iter().map(Option::unwrap_or_default);
            out.extend(all.map(|v| v.to_i128().unwrap_or(outermost(v.is_negative()))));
        }
    }
}

/// Decimals of one scale as those of another, rounded to the nearest, half to even; those that no `i128` holds as the outermost.
fn rescale(all: &mut [i128], scale: i8, digits: u8) {
    let more = i32::from(digits) - i32::from(scale);
    let unit = 10_i128.checked_pow(more.unsigned_abs());
    for value in all {
        *value = match (unit, more >= 0) {
            _ if *value == 0 => 0,
            (Some(unit), true) => value.saturating_mul(unit),
            (None, true) => {
                if *value < 0 {
                    i128::MIN
                } else {
                    i128::MAX
                }
            }
            (Some(unit), false) => halves_to_even(*value, unit),
            // The unit is more than twice as large as any value.
            (None, false) => 0,
        };
    }
}

/// The quotient by a positive number, rounded to the nearest, half to even.
fn halves_to_even(value: i128, unit: i128) -> i128 {
    let (down, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    match rest.cmp(&(unit - rest)) {
        Ordering::Less => down,
        Ordering::Equal => down + (down & 1),
        Ordering::Greater => down + 1,
    }
}

/// Whole numbers as an array that is wiped in the end: of `int64`, or of `uint64` if they do not fit that.
pub fn whole<'py>(py: Python<'py>, all: &[i128]) -> PyResult<Bound<'py, PyAny>> {
    if let Some(all) = collected(all, |v| i64::try_from(v).ok()) {
        return wiped(py, all);
    }
    match collected(all, |v| u64::try_from(v).ok()) {
        Some(all) => wiped(py, all),
        None => Err(unfit("some of these data are outside of what 64 bits hold")),
    }
}

/// Decimals as NumPy has them: whole numbers, if all are whole, and no longer than 64 bits; else floating point.
fn decimal_numbers<'py>(
    py: Python<'py>,
    mantissas: &[i128],
    scale: i8,
) -> PyResult<Bound<'py, PyAny>> {
    let unit = 10_i128.checked_pow(u32::from(scale.unsigned_abs()));
    // Nothing but zero is a multiple of a unit that is too large.
    let whole = |v: i128| match (unit, scale < 0) {
        _ if v == 0 => Some(0),
        (Some(unit), true) => v.checked_mul(unit),
        (Some(unit), false) if v % unit == 0 => Some(v / unit),
        _ => None,
    };
    if let Some(all) = collected(mantissas, |v| i64::try_from(whole(v)?).ok()) {
        return wiped(py, all);
    }
    if let Some(all) = collected(mantissas, |v| u64::try_from(whole(v)?).ok()) {
        return wiped(py, all);
    }
    let mut text = Zeroizing::new(String::with_capacity(64));
    let mut float = |v: i128| {
        text.clear();
        write!(text, "{v}e{}", -i32::from(scale)).ok()?;
        // A fraction that floating point of this size does not have would be lost without a word.
        text.parse().ok().filter(|float: &f64| float.abs() < EXACT || whole(v).is_some())
    };
    let all = collected(mantissas, &mut float).ok_or_else(|| {
        unfit("decimals of more than 53 bits before the point, with a fraction, are not read: round them to whole numbers")
    })?;
    wiped(py, all)
}

/// Floating point below this has all whole numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// All of them converted, if all can be.
fn collected<T: Zeroize>(
    all: &[i128],
    mut convert: impl FnMut(i128) -> Option<T>,
) -> Option<Zeroizing<Vec<T>>> {
    let mut found = Zeroizing::new(Vec::with_capacity(all.len()));
    for value in all {
        found.push(convert(*value)?);
    }
    Some(found)
}

/// An array of dates with times.
fn times<'py>(flat: Bound<'py, PyAny>, unit: TimeUnit) -> PyResult<Bound<'py, PyAny>> {
    let unit = match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    flat.call_method1("view", (format!("datetime64[{unit}]"),))
}

/// What an array of NumPy looks at: it lives as long, and is wiped then.
#[pyclass(frozen)]
struct Memory(Box<dyn Any + Send + Sync>);

/// An array of NumPy with these values, which cannot be written to.
#[expect(unsafe_code, reason = "the array looks at memory that something else owns")]
pub fn wiped<T: Number>(py: Python<'_>, values: Zeroizing<Vec<T>>) -> PyResult<Bound<'_, PyAny>> {
    let memory = Bound::new(py, Memory(Box::new(values)))?;
    let held = memory.get().0.downcast_ref::<Zeroizing<Vec<T>>>().expect("was put there");
    let view = ArrayView1::from(held.as_slice());
    // SAFETY: `memory` owns the values, on the heap, and the array keeps it. Nothing writes to them: the array is made read-only
    // before anybody else has it.
    let array = unsafe { PyArray1::borrow_from_array(&view, memory.clone().into_any()) };
    drop(array.readwrite().make_nonwriteable());
    Ok(array.into_any())
}
