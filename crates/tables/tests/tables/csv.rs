use tacit_program::Element;
use tacit_tables::{Field, Problem, Schema, TableError};

use crate::{FIXED, csv_error, file, parsed, raw, read, read_csv, wanted};

#[test]
fn every_type_at_its_ends() {
    let types = [
        ("bit", Element::Bit, ["0", "1"], [0, 1]),
        ("i8", Element::int(8), ["-128", "127"], [-128, 127]),
        ("i16", Element::int(16), ["-32768", "32767"], [-32768, 32767]),
        ("i32", Element::int(32), ["-2147483648", "2147483647"], [-(1 << 31), (1 << 31) - 1]),
        (
            "i64",
            Element::int(64),
            ["-9223372036854775808", "9223372036854775807"],
            [i64::MIN, i64::MAX],
        ),
        ("u8", Element::uint(8), ["0", "255"], [0, 255]),
        ("u16", Element::uint(16), ["0", "65535"], [0, 65535]),
        ("u32", Element::uint(32), ["0", "4294967295"], [0, u32::MAX.into()]),
        ("u64", Element::uint(64), ["0", "18446744073709551615"], [0, -1]),
        ("fixed", FIXED, ["-32768", "32767.9999847412109375"], [-(1 << 31), (1 << 31) - 1]),
    ];
    for (name, element, texts, expected) in types {
        let schema = wanted(&[(name, element)]);
        let text = format!("{name}\n{}\n{}\n", texts[0], texts[1]);
        assert_eq!(raw(&read_csv(text, &schema).unwrap(), name), expected, "{name}");
    }
}

#[test]
fn every_type_beyond_its_ends() {
    let types = [
        (Element::int(8), ["-129", "128"]),
        (Element::int(64), ["-9223372036854775809", "9223372036854775808"]),
        (Element::uint(8), ["-1", "256"]),
        (Element::uint(64), ["-1", "18446744073709551616"]),
        (FIXED, ["-32768.1", "32768"]),
    ];
    for (element, texts) in types {
        let schema = wanted(&[("x", element)]);
        match read_csv(format!("x\n{}\n{}\n", texts[0], texts[1]), &schema).unwrap_err() {
            TableError::Cells { errors, more: false, .. } => {
                assert_eq!(errors.len(), 2, "{element}");
                assert!(errors.iter().all(|e| e.problem == Problem::Outside), "{element}");
            }
            other => panic!("{element}: {other}"),
        }
    }
}

#[test]
fn bits_and_fixed_point() {
    let schema = wanted(&[("b", Element::Bit), ("f", FIXED)]);
    let text = "b,f\ntrue,0.1\nFALSE,-0.00000762939453125\n1,2.5e3\n0.0,7\n";
    let table = read_csv(text, &schema).unwrap();
    assert_eq!(raw(&table, "b"), [1, 0, 1, 0]);
    assert_eq!(raw(&table, "f"), [6554, 0, 2500 << 16, 7 << 16], "the tie goes to even");
    let error = csv_error("b,f\n2,x\n0.5,NaN\n", &schema);
    assert!(error.contains("row 1, column \"b\": not 0, 1, true or false"), "{error}");
    assert!(error.contains("row 1, column \"f\": not a number"), "{error}");
    assert!(error.contains("row 2, column \"f\": not a finite number"), "{error}");
}

#[test]
fn columns_come_by_name_and_cells_are_trimmed() {
    let table = read_csv(
        "unused, Job level ,\"pay, yearly\"\nü,  2 ,\"1\"\n\"a \"\"b\"\"\nc\",3,+4\n",
        &parsed(
            "[[column]]\ninput = 'pay'\nname = 'pay, yearly'\ntype = 'i32'\n\
             [[column]]\ninput = 'level'\nname = 'Job level'\ntype = 'u8'\n",
        ),
    )
    .unwrap();
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["pay", "level"]);
    assert_eq!((raw(&table, "pay"), raw(&table, "level")), (&[1, 4][..], &[2, 3][..]));
}

#[test]
fn delimiters_quotes_tabs_and_no_header() {
    let mut schema =
        parsed("csv = { delimiter = ';', quote = \"'\" }\n[[column]]\ninput = 'x'\ntype = 'i8'");
    assert_eq!(raw(&read_csv("y;x\n'a;''b';5\n", &schema).unwrap(), "x"), [5]);
    schema = parsed("csv = { header = false }\n[[column]]\ninput = 'x'\nname = '2'\ntype = 'i8'");
    assert_eq!(raw(&read_csv("9,5\n8,6\n", &schema).unwrap(), "x"), [5, 6]);
    assert!(csv_error("9\n", &schema).contains("no column \"2\"; without a header"));
    let tabs = file("t.tsv", "y\tx\n1\t5\n");
    assert_eq!(raw(&read(&tabs.path, &wanted(&[("x", Element::int(8))])).unwrap(), "x"), [5]);
}

#[test]
fn byte_order_mark_line_ends_and_empty_lines() {
    let schema = wanted(&[("x", Element::int(8))]);
    for text in ["\u{feff}x,y\n1,1\n2,2", "x,y\r\n1,1\r\n2,2\r\n", "x,y\n\n1,1\n\n\n2,2\n\n"] {
        assert_eq!(raw(&read_csv(text, &schema).unwrap(), "x"), [1, 2], "{text:?}");
    }
    assert_eq!(read_csv("x\n", &schema).unwrap().rows, 0);
}

#[test]
fn errors_say_line_row_column_and_remedy_but_no_value() {
    let field = Field::new("pay", Element::int(32)).within(0, 100);
    let schema = Schema::for_inputs(&[field]);
    let error = csv_error("name,pay\n\"a\nb\",5\n\nc,4711\n", &schema);
    let expected = "t.csv: line 5, row 2, column \"pay\": outside 0..100; correct the values, or \
                    widen the column's type and range in the program and the schema";
    assert_eq!(error, expected);
    let error = csv_error("name,pay\r\n\r\na,5\r\nc,4711\r\nd,12.5\r\n\r\ne,\r\nf\r\n", &schema);
    let expected = "t.csv: 4 cells do not fit the schema
  line 4, row 2, column \"pay\": outside 0..100
  line 5, row 3, column \"pay\": not an integer
  line 7, row 4, column \"pay\": no value
  line 8, row 5: 1 cells where the file has 2 columns
";
    assert!(error.starts_with(expected), "{error}");
    assert!(!error.contains("4711") && !error.contains("12.5"), "{error}");
}

#[test]
fn at_most_ten_errors() {
    let schema = wanted(&[("x", Element::int(8)), ("y", Element::int(8))]);
    let text = format!("x,y\n{}", "a,b\n".repeat(1000));
    match read_csv(text, &schema).unwrap_err() {
        TableError::Cells { errors, more: true, .. } => {
            assert_eq!(errors.len(), 10);
            assert_eq!((errors[9].row, errors[9].line), (5, Some(6)));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn malformed_files() {
    let schema = wanted(&[("x", Element::int(8)), ("y", Element::int(8))]);
    let cases: [(&[u8], &str); 12] = [
        (b"", "t.csv: the file is empty"),
        (b"\n\n", "t.csv: the file is empty"),
        (b"x,y\n1\n", "row 1: 1 cells where the file has 2 columns"),
        (b"x,y\n1,2,3\n", "row 1: 3 cells where the file has 2 columns"),
        (b"1,2\n3,4\n", "the first line is no header"),
        (b"a,b\n3,4\n", "no column \"x\"; the header has: a, b"),
        (b"x;y\n3;4\n", "only \"x;y\"; is the delimiter right?"),
        (b"x,x,y\n1,2,3\n", "two columns are called \"x\""),
        (b"x,y\n\"1,2\n3,4\n", "row 1: 1 cells where the file has 2 columns"),
        (b"\xff\xfex\0,\0y\0\n\0", "the header is not UTF-8 text"),
        (b"x,y\n1,\xe9\n", "line 2, row 1, column \"y\": not UTF-8 text"),
        (b"x,y\n1,two\n", "line 2, row 1, column \"y\": not a number"),
    ];
    for (text, expected) in cases {
        let error = csv_error(text, &schema);
        assert!(error.contains(expected), "{:?}: {error}", text.escape_ascii().to_string());
    }
    // Names of columns may be data, if the header is missing.
    assert!(!csv_error("1,2\n3,4\n", &schema).contains("2, 1"));
}

#[test]
fn files_that_cannot_be_read() {
    let schema = wanted(&[("x", Element::int(8))]);
    let input = file("t.csv", "x\n1\n");
    let error = read(input.folder.path(), &schema).unwrap_err().to_string();
    assert!(error.ends_with("is a folder; name a CSV or Parquet file"), "{error}");
    let error = read(&input.folder.path().join("none.csv"), &schema).unwrap_err().to_string();
    assert!(error.starts_with("cannot read") && error.contains("none.csv"), "{error}");
}

#[test]
fn missing_values() {
    let text = "x,y\n1,1\n,2\n 3 ,\nNA,4\n";
    let schema = |missing: &str| {
        parsed(&format!(
            "csv.missing = ['NA']\n[[column]]\ninput = 'x'\ntype = 'i8'\nmissing = {missing}\n\
             [[column]]\ninput = 'y'\ntype = 'i8'\nmissing = {{ fill = -1 }}\nvalidity = 'has_y'\n"
        ))
    };
    match read_csv(text, &schema("'error'")).unwrap_err() {
        TableError::Cells { errors, .. } => {
            assert_eq!(errors.iter().map(|e| e.row).collect::<Vec<_>>(), [2, 4]);
            assert!(errors.iter().all(|e| e.problem == Problem::Missing));
        }
        other => panic!("{other}"),
    }
    let table = read_csv(text, &schema("'drop'")).unwrap();
    assert_eq!((table.rows, table.dropped), (2, 2));
    assert_eq!((raw(&table, "x"), raw(&table, "y")), (&[1, 3][..], &[1, -1][..]));
    assert_eq!(raw(&table, "has_y"), [1, 0]);
    let table = read_csv(text, &schema("{ fill = 7 }")).unwrap();
    assert_eq!((raw(&table, "x"), raw(&table, "y")), (&[1, 7, 3, 7][..], &[1, 2, -1, 4][..]));
    assert_eq!((raw(&table, "has_y"), table.dropped), (&[1, 1, 0, 1][..], 0));
    assert_eq!(table.fields(), schema("'drop'").fields());
}

#[test]
fn categories() {
    let schema = parsed(
        "[[column]]\ninput = 'level'\ntype = 'u8'\nrange = [0, 2]\n\
         categories = ['junior', 'senior', 'chef de projet']\n\
         [[column]]\ninput = 'group'\ntype = 'i16'\ncategories = { 'ä' = -5, b = 300 }\n",
    );
    let table = read_csv("level,group\nsenior,b\n chef de projet ,ä\n", &schema).unwrap();
    assert_eq!((raw(&table, "level"), raw(&table, "group")), (&[1, 2][..], &[300, -5][..]));
    let error = csv_error("level,group\nSenior,b\njunior,c\n", &schema);
    assert!(error.contains("none of the categories junior, senior, chef de projet"), "{error}");
    assert!(error.contains("line 3, row 2, column \"group\": none of the categories"), "{error}");
    assert!(!error.contains("Senior"), "{error}");
}

#[test]
fn a_million_rows() {
    use std::fmt::Write as _;
    let mut text = String::from("id,pay,level\n");
    for i in 0..1_000_000_u32 {
        writeln!(text, "{i},{}.{:02},{}", i % 90_000, i % 100, ["a", "b"][i as usize % 2]).unwrap();
    }
    let schema = parsed(
        "[[column]]\ninput = 'id'\ntype = 'u32'\n\
         [[column]]\ninput = 'pay'\ntype = 'fixed(40,8)'\n\
         [[column]]\ninput = 'level'\ntype = 'bit'\ncategories = ['a', 'b']\n",
    );
    let table = read_csv(text, &schema).unwrap();
    assert_eq!(table.rows, 1_000_000);
    assert!(raw(&table, "id").iter().copied().eq(0..1_000_000));
    assert_eq!(raw(&table, "level").iter().sum::<i64>(), 500_000);
    assert_eq!(raw(&table, "pay")[150], (150 << 8) + 128);
}
