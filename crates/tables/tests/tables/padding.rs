use tacit_program::Element;
use tacit_tables::{Field, Schema, check_same_schema, pad};

use crate::{FIXED, raw, read_csv, wanted};

fn schema() -> Schema {
    Schema::for_inputs(&[
        Field::new("x", Element::int(8)).within(3, 9),
        Field::new("y", Element::int(64)).within(i64::MIN.into(), -2),
        Field::new("z", Element::uint(64)).within(1 << 63, u64::MAX.into()),
        Field::new("f", FIXED),
    ])
}

const TEXT: &str = "x,y,z,f\n5,-7,18446744073709551615,0.5\n6,-8,9223372036854775808,1\n";

#[test]
fn padding_lies_in_range_and_is_marked() {
    let padded = pad(read_csv(TEXT, &schema()).unwrap(), 4, "real").unwrap();
    assert_eq!((padded.real_rows(), padded.table.rows), (2, 4));
    let table = &padded.table;
    assert_eq!(raw(table, "x"), [5, 6, 3, 3]);
    assert_eq!(raw(table, "y"), [-7, -8, -2, -2]);
    assert_eq!(raw(table, "z"), [-1, i64::MIN, i64::MIN, i64::MIN]);
    assert_eq!(raw(table, "f"), [1 << 15, 1 << 16, 0, 0]);
    assert_eq!(raw(table, "real"), [1, 1, 0, 0]);
    let last = table.columns.last().unwrap();
    assert_eq!((last.name.as_str(), last.element), ("real", Element::Bit));
}

#[test]
fn full_empty_and_refused() {
    let table = read_csv(TEXT, &schema()).unwrap();
    assert_eq!(raw(&pad(table.clone(), 2, "real").unwrap().table, "real"), [1, 1]);
    let empty = pad(read_csv("x,y,z,f\n", &schema()).unwrap(), 3, "real").unwrap();
    assert_eq!((empty.real_rows(), raw(&empty.table, "real")), (0, &[0, 0, 0][..]));
    let error = pad(table.clone(), 1, "real").unwrap_err().to_string();
    assert!(error.contains("declared maximum of 1") && !error.contains('2'), "{error}");
    assert!(pad(table.clone(), 4, "x").unwrap_err().to_string().contains("\"x\" is a column"));
    assert!(pad(table, usize::MAX, "real").unwrap_err().to_string().contains("memory"));
}

#[test]
fn nothing_of_the_contents_is_shown() {
    let padded = pad(read_csv("x\n77\n", &wanted(&[("x", Element::int(8))])).unwrap(), 9, "r");
    let shown = format!("{:?}", padded.unwrap().table);
    assert!(shown.contains("Column(\"x\", i8, ..)"), "{shown}");
    assert!(!shown.contains("77") && !shown.contains('9'), "{shown}");
}

#[test]
fn same_schema() {
    let fields = schema().fields();
    let mut other = fields.clone();
    check_same_schema(&[]).unwrap();
    check_same_schema(&[("a", &fields), ("b", &other)]).unwrap();
    other[0].interval.high = 8;
    let error = check_same_schema(&[("a", &fields), ("c", &fields), ("b", &other)]).unwrap_err();
    let expected = "a and b have different columns: column 1, \"x\", has ranges 3..9 and 3..8; \
                    give both the same schema";
    assert_eq!(error.to_string(), expected);
    other[0] = Field::new("x", Element::int(16));
    let error = check_same_schema(&[("a", &fields), ("b", &other)]).unwrap_err().to_string();
    assert!(error.contains("has types i8 and i16"), "{error}");
    other.swap(0, 1);
    let error = check_same_schema(&[("a", &fields), ("b", &other)]).unwrap_err().to_string();
    assert!(error.contains("column 1 is \"x\" in one, \"y\" in the other"), "{error}");
    other.pop();
    let error = check_same_schema(&[("a", &fields), ("b", &other)]).unwrap_err().to_string();
    assert!(error.contains("4 and 3 columns"), "{error}");
}
