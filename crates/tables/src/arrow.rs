//! Arrow arrays as cells.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use crate::cell::{Cell, Target};

/// Whether a column of this type can be an input, and if it holds text.
pub(crate) fn holds_text(data: &DataType) -> Option<bool> {
    match data {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(true),
        DataType::Dictionary(_, values) => holds_text(values),
        DataType::Null
        | DataType::Boolean
        | DataType::Date32
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Some(false),
        data if data.is_integer() || data.is_floating() => Some(false),
        _ => None,
    }
}

/// All cells of an array of a type that [`holds_text`] knows.
pub(crate) fn cells(array: &dyn Array, target: &Target) -> Vec<Cell> {
    match array.data_type() {
        DataType::Boolean => {
            collect(array.as_boolean().iter(), |bit| target.integer(i128::from(bit)))
        }
        DataType::Int8 => integers::<Int8Type>(array, target),
        DataType::Int16 => integers::<Int16Type>(array, target),
        DataType::Int32 => integers::<Int32Type>(array, target),
        DataType::Int64 => integers::<Int64Type>(array, target),
        DataType::UInt8 => integers::<UInt8Type>(array, target),
        DataType::UInt16 => integers::<UInt16Type>(array, target),
        DataType::UInt32 => integers::<UInt32Type>(array, target),
        DataType::UInt64 => integers::<UInt64Type>(array, target),
        DataType::Date32 => integers::<Date32Type>(array, target),
        DataType::Float16 => floats::<Float16Type>(array, target),
        DataType::Float32 => floats::<Float32Type>(array, target),
        DataType::Float64 => floats::<Float64Type>(array, target),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, *scale, target),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, *scale, target),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, *scale, target),
        DataType::Decimal256(_, scale) => {
            collect(array.as_primitive::<Decimal256Type>().iter(), |mantissa| {
                target.decimal_text(&format!("{mantissa}e{}", -i32::from(*scale)))
            })
        }
        DataType::Utf8 => collect(array.as_string::<i32>().iter(), |s| target.text(s.as_bytes())),
        DataType::LargeUtf8 => {
            collect(array.as_string::<i64>().iter(), |s| target.text(s.as_bytes()))
        }
        DataType::Utf8View => collect(array.as_string_view().iter(), |s| target.text(s.as_bytes())),
        DataType::Dictionary(..) => dictionary(array, target),
        _ => vec![Ok(None); array.len()],
    }
}

fn collect<T>(values: impl Iterator<Item = Option<T>>, cell: impl Fn(T) -> Cell) -> Vec<Cell> {
    values.map(|value| value.map_or(Ok(None), &cell)).collect()
}

fn integers<T: ArrowPrimitiveType<Native: Into<i128>>>(
    array: &dyn Array,
    target: &Target,
) -> Vec<Cell> {
    collect(array.as_primitive::<T>().iter(), |value| target.integer(value.into()))
}

fn floats<T: ArrowPrimitiveType<Native: Into<f64>>>(
    array: &dyn Array,
    target: &Target,
) -> Vec<Cell> {
    collect(array.as_primitive::<T>().iter(), |value| target.float(value.into()))
}

fn decimals<T: ArrowPrimitiveType<Native: Into<i128>>>(
    array: &dyn Array,
    scale: i8,
    target: &Target,
) -> Vec<Cell> {
    collect(array.as_primitive::<T>().iter(), |value| target.decimal(value.into(), scale))
}

fn dictionary(array: &dyn Array, target: &Target) -> Vec<Cell> {
    let dictionary = array.as_any_dictionary();
    let values = cells(dictionary.values().as_ref(), target);
    if values.is_empty() {
        return vec![Ok(None); array.len()];
    }
    let keys = dictionary.normalized_keys();
    let cell = |(i, key): (usize, usize)| if array.is_null(i) { Ok(None) } else { values[key] };
    keys.into_iter().enumerate().map(cell).collect()
}
