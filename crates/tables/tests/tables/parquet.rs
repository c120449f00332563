use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, TimestampSecondArray,
    UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use tacit_program::Element;
use tacit_tables::{Problem, Schema, Table, TableError};
use tempfile::TempDir;

use crate::{FIXED, parsed, raw, read, wanted};

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>, compression: Compression) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let options = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(5000))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(options)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn read_arrays(columns: Vec<(&str, ArrayRef)>, schema: &Schema) -> Result<Table, TableError> {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, columns, Compression::SNAPPY);
    read(&path, schema)
}

fn read_one(array: impl Array + 'static, element: Element) -> Result<Vec<i64>, Problem> {
    match read_arrays(vec![("x", Arc::new(array))], &wanted(&[("x", element)])) {
        Ok(table) => Ok(raw(&table, "x").to_vec()),
        Err(TableError::Cells { errors, .. }) => Err(errors[0].problem),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn numbers_of_every_kind() {
    let i64s = Element::int(64);
    assert_eq!(
        read_one(Int64Array::from(vec![i64::MIN, i64::MAX]), i64s),
        Ok(vec![i64::MIN, i64::MAX])
    );
    assert_eq!(read_one(UInt64Array::from(vec![u64::MAX]), Element::uint(64)), Ok(vec![-1]));
    assert_eq!(read_one(UInt64Array::from(vec![u64::MAX]), i64s), Err(Problem::Outside));
    assert_eq!(read_one(Int8Array::from(vec![-1]), Element::uint(8)), Err(Problem::Outside));
    assert_eq!(read_one(Int8Array::from(vec![0, 1]), Element::Bit), Ok(vec![0, 1]));
    assert_eq!(read_one(Int8Array::from(vec![2]), Element::Bit), Err(Problem::NotBit));
    assert_eq!(read_one(Int8Array::from(vec![-3]), FIXED), Ok(vec![-3 << 16]));
    assert_eq!(read_one(Int64Array::from(vec![i64::MAX]), FIXED), Err(Problem::Outside));
    assert_eq!(read_one(BooleanArray::from(vec![true, false]), Element::Bit), Ok(vec![1, 0]));
    assert_eq!(read_one(BooleanArray::from(vec![true]), i64s), Ok(vec![1]));
    assert_eq!(
        read_one(Date32Array::from(vec![-1, 19_000]), Element::int(32)),
        Ok(vec![-1, 19_000])
    );
}

#[test]
fn floats_round_to_nearest() {
    let fixed = Element::Fixed { bits: 16, fraction: 2 };
    let halves = vec![0.125, 0.375, -0.125, 0.1, -8191.99];
    assert_eq!(read_one(Float64Array::from(halves), fixed), Ok(vec![0, 2, 0, 0, -32768]));
    assert_eq!(read_one(Float32Array::from(vec![0.1]), FIXED), Ok(vec![6554]));
    let half = Float16Array::from_iter_values(read_f16(&[1.5]));
    assert_eq!(read_one(half, fixed), Ok(vec![6]));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(read_one(Float64Array::from(vec![value]), fixed), Err(Problem::NotFinite));
    }
    assert_eq!(read_one(Float64Array::from(vec![1e300]), fixed), Err(Problem::Outside));
    assert_eq!(read_one(Float64Array::from(vec![3.0, -0.0]), Element::int(8)), Ok(vec![3, 0]));
    assert_eq!(read_one(Float64Array::from(vec![2.5]), Element::int(8)), Err(Problem::Fraction));
    assert_eq!(read_one(Float64Array::from(vec![1.0]), Element::Bit), Ok(vec![1]));
}

/// `half::f16` without naming the crate.
fn read_f16<T: From<i8> + std::ops::Div<Output = T>>(values: &[f64]) -> Vec<T> {
    values.iter().map(|v| T::from((v * 2.0) as i8) / T::from(2)).collect()
}

#[test]
fn decimals_are_exact() {
    let narrow = Decimal64Array::from(vec![12_345]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!(read_one(narrow, FIXED), Ok(vec![8_090_419]));
    let wide = Decimal128Array::from(vec![10_i128.pow(37) * 5]).with_precision_and_scale(38, 37);
    assert_eq!(read_one(wide.unwrap(), Element::uint(8)), Ok(vec![5]));
    let part = Decimal128Array::from(vec![15]).with_precision_and_scale(3, 1).unwrap();
    assert_eq!(read_one(part, Element::uint(8)), Err(Problem::Fraction));
    let huge = Decimal256Array::from(vec![Some(1.into()), None]).with_precision_and_scale(76, 1);
    let schema = parsed("[[column]]\ninput = 'x'\ntype = 'fixed(8,4)'\nmissing = { fill = 0 }");
    let table = read_arrays(vec![("x", Arc::new(huge.unwrap()))], &schema).unwrap();
    assert_eq!(raw(&table, "x"), [2, 0]);
}

#[test]
fn texts_dictionaries_and_nothing() {
    let schema = parsed(
        "[[column]]\ninput = 'x'\ntype = 'u8'\ncategories = ['a', 'b']\nmissing = { fill = 9 }",
    );
    let values = [Some("b"), None, Some("a"), Some("")];
    let dictionary: DictionaryArray<Int8Type> = values.iter().copied().collect();
    let arrays: [ArrayRef; 5] = [
        Arc::new(StringArray::from_iter(values)),
        Arc::new(LargeStringArray::from_iter(values)),
        Arc::new(StringViewArray::from_iter(values)),
        Arc::new(dictionary),
        Arc::new(StringArray::new_null(4)),
    ];
    for (i, array) in arrays.into_iter().enumerate() {
        let table = read_arrays(vec![("x", array)], &schema).unwrap();
        let expected = if i < 4 { [1, 9, 0, 9] } else { [9; 4] };
        assert_eq!(raw(&table, "x"), expected, "array {i}");
    }
    assert_eq!(
        read_one(StringArray::from(vec![" 12 ", "-3e0"]), Element::int(8)),
        Ok(vec![12, -3])
    );
    assert_eq!(read_one(NullArray::new(1), Element::int(8)), Err(Problem::Missing));
    let nulls: DictionaryArray<Int32Type> = [None::<&str>].into_iter().collect();
    assert_eq!(read_one(nulls, Element::int(8)), Err(Problem::Missing));
}

#[test]
fn missing_values_over_several_batches() {
    let rows = 20_000;
    let x = Int64Array::from_iter((0..rows).map(|i| (i % 3 != 0).then_some(i)));
    let schema = |missing: &str| {
        parsed(&format!("[[column]]\ninput = 'x'\ntype = 'i64'\nmissing = {missing}"))
    };
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let folder = tempfile::tempdir().unwrap();
        // Found by its first bytes, not by its name.
        let path = folder.path().join("data");
        write(&path, vec![("x", Arc::new(x.clone()))], compression);
        let table = read(&path, &schema("'drop'")).unwrap();
        assert_eq!(table.rows + table.dropped, 20_000);
        assert!(raw(&table, "x").iter().copied().eq((0..rows).filter(|i| i % 3 != 0)));
        let table = read(&path, &schema("{ fill = -1 }")).unwrap();
        let filled = |i| if i % 3 == 0 { -1 } else { i };
        assert!(raw(&table, "x").iter().copied().eq((0..rows).map(filled)));
        match read(&path, &schema("'error'")).unwrap_err() {
            TableError::Cells { errors, more: true, .. } => {
                assert_eq!((errors[9].row, errors[9].line), (28, None));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn what_does_not_fit() {
    let error = |schema: &Schema| {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("x", Arc::new(Int64Array::from(vec![1]))),
            ("t", Arc::new(TimestampSecondArray::from(vec![1]))),
        ];
        read_arrays(columns, schema).unwrap_err().to_string()
    };
    let missing = error(&wanted(&[("y", Element::Bit)]));
    assert!(missing.contains("no column \"y\"; the file has: x, t"), "{missing}");
    let time = error(&wanted(&[("t", Element::int(64))]));
    assert!(time.contains("column \"t\" holds Timestamp(s), which cannot be i64"), "{time}");
    let categories = error(&parsed("[[column]]\ninput = 'x'\ntype = 'u8'\ncategories = ['a']"));
    assert!(categories.contains("holds Int64, but its categories are texts"), "{categories}");
    let input = crate::file("t.parquet", "x\n1\n");
    let other = read(&input.path, &wanted(&[("x", Element::Bit)])).unwrap_err().to_string();
    assert!(other.contains("not a Parquet file, or damaged"), "{other}");
}

/// Whatever is in a file, reading it ends in a table or an error.
#[test]
fn damaged_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let x = Int64Array::from_iter((0..50).map(|i| (i % 7 > 0).then_some(i)));
    let s = StringArray::from_iter_values((0..50).map(|i| format!("{i}")));
    write(&path, vec![("x", Arc::new(x)), ("s", Arc::new(s))], Compression::SNAPPY);
    let good = std::fs::read(&path).unwrap();
    let schema = wanted(&[("x", Element::int(64)), ("s", Element::int(64))]);
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).unwrap();
        let _ = read(&path, &schema);
        std::fs::write(&path, &good[..at]).unwrap();
        read(&path, &schema).unwrap_err();
    }
}
