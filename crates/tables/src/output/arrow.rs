//! Results as Arrow data.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, StringArray, make_array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use tacit_program::{Element, Interval, Meaning};

use super::flat::{self, Content, Flat};
use super::table::OutputTable;

type I256 = <Decimal256Type as ArrowPrimitiveType>::Native;

const BATCH_ROWS: usize = 1 << 16;

/// Every raw value of as many bits is an `f64`.
const FLOAT_BITS: u8 = 54;

/// Digits of `Decimal128`.
const DECIMAL128_DIGITS: u8 = 38;

/// The columns of results that have equally many rows, and their rows batch by batch.
pub(super) fn batches(
    table: &OutputTable,
) -> (SchemaRef, impl Iterator<Item = Result<RecordBatch, ArrowError>>) {
    let (columns, rows) = flat::table(table);
    let fields: Vec<Field> =
        columns.iter().map(|c| Field::new(&c.name, column_type(c), c.may_miss())).collect();
    let schema = Arc::new(Schema::new(fields));
    let made = schema.clone();
    let batch = move |start: usize| {
        let range = start..rows.min(start + BATCH_ROWS);
        let arrays = columns.iter().map(|column| array(column, range.clone()));
        RecordBatch::try_new(made.clone(), arrays.collect::<Result<_, _>>()?)
    };
    (schema, (0..rows).step_by(BATCH_ROWS).map(batch))
}

/// Labels that are names, and members of domains, are texts; other labels integers.
fn column_type(column: &Flat<'_>) -> DataType {
    match column.content() {
        Content::Values { of, .. } if of.meaning == Meaning::Date && is_date(of.element) => {
            DataType::Date32
        }
        _ if column.is_text() => DataType::Utf8,
        Content::Values { of, .. } if of.meaning.decimals() > 0 => {
            DataType::Decimal128(DECIMAL128_DIGITS, of.meaning.decimals().cast_signed())
        }
        Content::Values { of, .. } => data_type(of.element),
        Content::Labels { .. } => DataType::Int64,
    }
}

/// Whether a type takes decimals of more digits than `Decimal128` has.
pub(super) fn is_wide(element: Element) -> bool {
    matches!(data_type(element), DataType::Decimal256(..))
}

/// Whether all values of a type are days that `Date32` holds.
fn is_date(element: Element) -> bool {
    let Interval { low, high } = element.interval();
    i128::from(i32::MIN) <= low && high <= i128::from(i32::MAX)
}

fn data_type(element: Element) -> DataType {
    match element {
        Element::Bit => DataType::Boolean,
        Element::Int { signed: true, bits: 8 } => DataType::Int8,
        Element::Int { signed: true, bits: 16 } => DataType::Int16,
        Element::Int { signed: true, bits: 32 } => DataType::Int32,
        Element::Int { signed: true, .. } => DataType::Int64,
        Element::Int { signed: false, bits: 8 } => DataType::UInt8,
        Element::Int { signed: false, bits: 16 } => DataType::UInt16,
        Element::Int { signed: false, bits: 32 } => DataType::UInt32,
        Element::Int { signed: false, .. } => DataType::UInt64,
        Element::Fixed { bits, .. } if bits <= FLOAT_BITS => DataType::Float64,
        Element::Fixed { bits, fraction } => decimal(bits, fraction),
    }
}

/// `raw / 2^fraction = raw * 5^fraction / 10^fraction`: as many digits as the largest has.
#[expect(clippy::cast_possible_truncation, reason = "at most 64 digits")]
fn decimal(bits: u8, fraction: u8) -> DataType {
    let largest = five_to(fraction).wrapping_mul(I256::from_i128(1 << (bits - 1)));
    let digits = largest.to_string().len() as u8;
    let scale = fraction.cast_signed();
    if digits <= DECIMAL128_DIGITS {
        DataType::Decimal128(digits, scale)
    } else {
        DataType::Decimal256(digits, scale)
    }
}

fn five_to(power: u8) -> I256 {
    (0..power).fold(I256::from_i128(1), |product, _| product.wrapping_mul(I256::from_i128(5)))
}

fn array(column: &Flat<'_>, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let data_type = column_type(column);
    if data_type == DataType::Utf8 {
        let text = |row| column.is_known(row).then(|| column.exact(row));
        return Ok(Arc::new(rows.map(text).collect::<StringArray>()));
    }
    let raw: Vec<i64> = rows.clone().map(|row| column.value(row)).collect();
    let known =
        column.may_miss().then(|| rows.map(|row| column.is_known(row)).collect::<Vec<bool>>());
    let fraction = match column.content() {
        Content::Values { of, .. } => of.element.fraction(),
        Content::Labels { .. } => 0,
    };
    let array: ArrayRef = match data_type {
        DataType::Boolean => Arc::new(raw.iter().map(|v| Some(*v != 0)).collect::<BooleanArray>()),
        DataType::Int8 => integers::<Int8Type>(&raw),
        DataType::Int16 => integers::<Int16Type>(&raw),
        DataType::Int32 => integers::<Int32Type>(&raw),
        DataType::Date32 => integers::<Date32Type>(&raw),
        DataType::UInt8 => integers::<UInt8Type>(&raw),
        DataType::UInt16 => integers::<UInt16Type>(&raw),
        DataType::UInt32 => integers::<UInt32Type>(&raw),
        DataType::UInt64 => primitives::<UInt64Type>(&raw, i64::cast_unsigned),
        DataType::Float64 => {
            let unit = (-f64::from(fraction)).exp2();
            #[expect(clippy::cast_precision_loss, reason = "at most 54 bits")]
            let float = |v| v as f64 * unit;
            primitives::<Float64Type>(&raw, float)
        }
        DataType::Decimal128(digits, scale) => {
            let factor = 5_i128.pow(u32::from(fraction));
            let values = raw.iter().map(|v| column.wide(*v) * factor);
            let values = PrimitiveArray::<Decimal128Type>::from_iter_values(values);
            Arc::new(values.with_precision_and_scale(digits, scale)?)
        }
        DataType::Decimal256(digits, scale) => {
            let factor = five_to(fraction);
            let values = raw.iter().map(|v| I256::from_i128(i128::from(*v)).wrapping_mul(factor));
            let values = PrimitiveArray::<Decimal256Type>::from_iter_values(values);
            Arc::new(values.with_precision_and_scale(digits, scale)?)
        }
        _ => primitives::<Int64Type>(&raw, |v| v),
    };
    let Some(known) = known else { return Ok(array) };
    let known = BooleanArray::from(known).values().inner().clone();
    let data = array.to_data().into_builder().null_bit_buffer(Some(known));
    Ok(make_array(data.build()?))
}

fn primitives<T: ArrowPrimitiveType>(raw: &[i64], convert: impl Fn(i64) -> T::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(raw.iter().map(|v| convert(*v))))
}

/// Raw values lie within their type.
fn integers<T: ArrowPrimitiveType<Native: TryFrom<i64, Error: std::fmt::Debug>>>(
    raw: &[i64],
) -> ArrayRef {
    primitives::<T>(raw, |v| v.try_into().expect("a raw value of the type"))
}
