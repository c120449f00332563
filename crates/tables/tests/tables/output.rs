use std::path::Path;

use tacit_program::Element;
use tacit_tables::{Format, OutputColumn, OutputTable, TableError, check_shapes};

use crate::{FIXED, raw, read, wanted};

fn column(name: &str, element: Element, shape: &[u64], raw: &[i64]) -> OutputColumn {
    OutputColumn::new(name, element, shape.to_vec(), raw.to_vec().into())
}

fn written(columns: Vec<OutputColumn>, format: Format) -> Result<String, TableError> {
    let mut bytes = Vec::new();
    OutputTable::new(columns)?.write_to(&mut bytes, format, 3)?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn rectangle() -> Vec<OutputColumn> {
    vec![
        column("n", Element::uint(64), &[2], &[-1, 7]),
        column("mean \"m\"", FIXED, &[2], &[6554, -(1 << 16)]),
        column("m", Element::int(8), &[2, 2], &[1, 2, 3, -4]),
        column("b", Element::Bit, &[2], &[0, 1]),
    ]
}

#[test]
fn csv() {
    let expected = "n,\"mean \"\"m\"\"\",m[0],m[1],b\n\
                    18446744073709551615,0.100006103515625,1,2,0\n7,-1.0,3,-4,1\n";
    assert_eq!(written(rectangle(), Format::Csv).unwrap(), expected);
    let single = vec![column("x", FIXED, &[], &[1]), column("y", Element::int(8), &[], &[-5])];
    assert_eq!(written(single, Format::Csv).unwrap(), "x,y\n0.0000152587890625,-5\n");
    let empty = vec![column("x", FIXED, &[0], &[])];
    assert_eq!(written(empty, Format::Csv).unwrap(), "x\n");
}

#[test]
fn json() {
    let mut columns = rectangle();
    columns.push(column("s", FIXED, &[], &[1 << 15]));
    columns.push(column("t", Element::int(8), &[2, 1, 2], &[1, 2, 3, 4]));
    columns.push(column("e", Element::int(8), &[0, 2], &[]));
    let text = written(columns, Format::Json).unwrap();
    let expected = r#"{
  "n": [18446744073709551615, 7],
  "mean \"m\"": [0.100006103515625, -1.0],
  "m": [[1, 2], [3, -4]],
  "b": [false, true],
  "s": 0.5,
  "t": [[[1, 2]], [[3, 4]]],
  "e": []
}
"#;
    assert_eq!(text, expected);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["n"][0], u64::MAX);
    let none: serde_json::Value =
        serde_json::from_str(&written(Vec::new(), Format::Json).unwrap()).unwrap();
    assert!(none.as_object().unwrap().is_empty());
}

#[test]
fn screen() {
    let mut columns = rectangle();
    columns.push(column("s", FIXED, &[], &[6554]));
    columns.push(column("long", Element::int(8), &[5], &[1, 2, 3, 4, 5]));
    let text = written(columns, Format::Table).unwrap();
    assert!(text.contains("0.1 ") && text.contains("18446744073709551615"), "{text}");
    assert!(text.contains("and 2 more rows"), "{text}");
    assert_eq!(text.matches("long").count(), 1, "{text}");
    let widths: Vec<usize> = text.lines().take(4).map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    let wide = vec![column("w", Element::int(8), &[1, 20], &[1; 20])];
    let text = written(wide, Format::Table).unwrap();
    assert!(text.contains("w[11]") && text.contains("w: 8 more columns"), "{text}");
}

#[test]
fn what_formats_cannot_hold() {
    let mixed: &[(&str, &[u64])] = &[("a", &[3]), ("b", &[])];
    for format in [Format::Csv, Format::Parquet] {
        let error = check_shapes(format, mixed).unwrap_err().to_string();
        assert!(error.contains("\"a\" has 3 rows, \"b\" a single value; write JSON"), "{error}");
        check_shapes(format, &[("a", &[3, 4]), ("b", &[3])]).unwrap();
        check_shapes(format, &[("a", &[1, 2, 3])]).unwrap_err();
        check_shapes(format, &[]).unwrap_err();
    }
    check_shapes(Format::Json, mixed).unwrap();
    check_shapes(Format::Table, mixed).unwrap();
    let error = written(vec![column("a", FIXED, &[3], &[1])], Format::Json).unwrap_err();
    assert!(error.to_string().contains("has 1 values"), "{error}");
    let twice = vec![column("a", FIXED, &[], &[1]); 2];
    assert!(written(twice, Format::Json).unwrap_err().to_string().contains("two results"));
}

#[test]
fn files_are_whole_and_of_the_format_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let table = OutputTable::new(rectangle()).unwrap();
    let write = |name: &str| table.write(&folder.path().join(name), None);
    for name in ["a.csv", "a.json", "a.parquet", "a.txt", "a.csv"] {
        write(name).unwrap();
        assert!(folder.path().join(name).metadata().unwrap().len() > 20, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "no temporary files stay");
    let path = folder.path().join("odd");
    assert!(table.write(&path, None).unwrap_err().to_string().contains("which format?"));
    table.write(&path, Some(Format::Csv)).unwrap();
    std::fs::create_dir(folder.path().join("d.csv")).unwrap();
    assert!(write("d.csv").unwrap_err().to_string().contains("is a folder"));
    let error = write("none/a.csv").unwrap_err().to_string();
    assert!(error.starts_with("cannot write") && error.contains("none/a.csv"), "{error}");
    let error = table.write(Path::new("/dev/null"), Some(Format::Csv)).unwrap_err().to_string();
    assert!(error.contains("not a plain file"), "{error}");
}

#[test]
fn an_output_that_does_not_fit_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "precious").unwrap();
    let mixed = vec![column("a", FIXED, &[1], &[1]), column("b", FIXED, &[], &[1])];
    OutputTable::new(mixed).unwrap().write(&path, None).unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_results() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    OutputTable::new(rectangle()).unwrap().write(&path, None).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0);
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = tempfile::tempdir().unwrap();
    let [real, link] = ["real.csv", "link.csv"].map(|name| folder.path().join(name));
    std::fs::write(&real, "").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    OutputTable::new(rectangle()).unwrap().write(&link, None).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(real.metadata().unwrap().len() > 0);
}

#[test]
fn formats_by_name() {
    assert_eq!("csv".parse::<Format>().unwrap(), Format::Csv);
    assert!("xls".parse::<Format>().unwrap_err().to_string().contains("no format `xls`"));
    assert_eq!(Format::from_path(Path::new("A.PQ")), Some(Format::Parquet));
    assert_eq!(Format::from_path(Path::new("a")), None);
}

/// More rows than a batch, all widths: what is written is what is read.
#[test]
fn parquet_of_many_rows() {
    let rows = 100_000_u64;
    let values: Vec<i64> = (0..rows.cast_signed()).map(|i| i * 40_961 % 65_536 - 32_768).collect();
    let types =
        [("a", Element::int(16)), ("b", FIXED), ("c", Element::Fixed { bits: 64, fraction: 40 })];
    let columns = types.map(|(name, element)| column(name, element, &[rows], &values));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    OutputTable::new(columns.into()).unwrap().write(&path, None).unwrap();
    let table = read(&path, &wanted(&types)).unwrap();
    types.iter().for_each(|(name, _)| assert_eq!(raw(&table, name), values, "{name}"));
}
