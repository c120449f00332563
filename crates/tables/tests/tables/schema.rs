use tacit_program::{Element, Interval};
use tacit_tables::{Field, Missing, Schema};

use crate::FIXED;

#[track_caller]
fn refused(toml: &str, wanted: &[Field], expected: &str) {
    let error = Schema::parse(toml, "s.toml", wanted).unwrap_err().to_string();
    assert!(error.starts_with("s.toml") && error.contains(expected), "{error}");
}

#[test]
fn a_whole_file() {
    let schema = Schema::parse(
        r#"
        [csv]
        delimiter = "tab"
        quote = "'"
        header = false
        missing = ["NA", "-"]

        [[column]]
        input = "pay"
        name = "3"
        type = "fixed(32,16)"
        range = [0.5, "1000.25"]
        missing = { fill = 0.5 }
        validity = "pay_known"

        [[column]]
        input = "level"
        type = "u64"
        range = [1, "18446744073709551615"]
        missing = "drop"
        categories = { junior = 1, senior = 5 }
        "#,
        "s.toml",
        &[],
    )
    .unwrap();
    assert_eq!((schema.csv.delimiter, schema.csv.quote), (Some(b'\t'), b'\''));
    assert_eq!((schema.csv.header, schema.csv.missing.len()), (false, 2));
    let [pay, level] = &schema.columns[..] else { panic!("two columns") };
    assert_eq!((pay.column.as_str(), pay.element), ("3", FIXED));
    assert_eq!(pay.range, Interval { low: 1 << 15, high: 1000 * (1 << 16) + (1 << 14) });
    assert_eq!((pay.missing, pay.validity.as_deref()), (Missing::Fill(1 << 15), Some("pay_known")));
    assert_eq!((level.column.as_str(), level.missing), ("level", Missing::Drop));
    assert_eq!(level.range, Interval { low: 1, high: u64::MAX.into() });
    assert_eq!(level.categories, [("junior".to_owned(), 1), ("senior".to_owned(), 5)]);
}

#[test]
fn a_program_completes_the_file() {
    let wanted = [
        Field::new("level", Element::uint(8)).within(0, 5),
        Field::new("pay", FIXED),
        Field::new("known", Element::Bit),
    ];
    let file =
        "[[column]]\ninput = 'pay'\nname = 'Salary'\nmissing = { fill = 0 }\nvalidity = 'known'";
    let schema = Schema::parse(file, "s.toml", &wanted).unwrap();
    assert_eq!(schema.fields(), wanted);
    assert_eq!(schema.columns[1].column, "Salary");
    refused(
        "[[column]]\ninput = 'age'",
        &wanted,
        "s.toml:1: input \"age\": the program wants none",
    );
    refused(
        "\n[[column]]\ninput = 'pay'\ntype = 'i8'",
        &wanted,
        "s.toml:2: input \"pay\": `type` is i8, but the program wants fixed(32,16)",
    );
    refused(
        "[[column]]\ninput = 'level'\nrange = [0, 6]",
        &wanted,
        "`range` 0..6 is not within 0..5",
    );
    refused(
        "[[column]]\ninput = 'level'\nmissing = { fill = 0 }\nvalidity = 'pay'",
        &wanted,
        "`validity` gives bits",
    );
    refused(
        "[[column]]\ninput = 'level'\nmissing = { fill = 0 }\nvalidity = 'v'",
        &wanted,
        "wants no input \"v\"",
    );
}

#[test]
fn what_is_refused() {
    let column = |rest: &str| format!("[[column]]\ninput = 'x'\n{rest}");
    let cases = [
        ("type = 'i8'\ncolour = 1", "s.toml:4"),
        ("", "`type` is missing"),
        ("type = 'i7'", "\"i7\": expected a type"),
        ("type = 'u128'", "expected a type"),
        ("type = 'fixed(65,3)'", "from 2 to 64"),
        ("type = 'fixed(8,8)'", "from 0 to 7"),
        ("type = 'fixed(8)'", "expected `,`"),
        ("type = 'u8 u8'", "expected the end"),
        ("type = 'i8'\nrange = [5, 4]", "no range of i8 is 5..4"),
        ("type = 'i8'\nrange = [0, 128]", "`range` 0..128 is not within -128..127"),
        ("type = 'i8'\nrange = [0, 1.5]", "1.5 is not a i8"),
        ("type = 'i8'\nrange = [0, 'many']", "many is not a i8"),
        (
            "type = 'i8'\nrange = [0, 5]\nmissing = { fill = 6 }",
            "the fill value `6` is not a i8 in 0..5",
        ),
        ("type = 'i8'\nmissing = 'ignore'", "s.toml:4"),
        ("type = 'i8'\nvalidity = 'v'", "set `missing` to one"),
        ("type = 'i8'\nmissing = { fill = 1 }\nvalidity = 'x'", "\"x\" is there twice"),
        ("type = 'bit'\ncategories = ['a', 'b', 'c']", "\"c\", 2 is outside 0..1"),
        ("type = 'u8'\ncategories = ['a', 'a']", "\"a\" is there twice"),
        ("type = 'u8'\ncategories = ['a', ' b']", "has spaces around it"),
        ("type = 'u8'\ncategories = [1, 2]", "a list of names, or a table"),
        ("type = 'fixed(8,4)'\ncategories = ['a']", "categories stand for integers"),
    ];
    for (rest, expected) in cases {
        refused(&column(rest), &[], expected);
    }
    refused("", &[], "no columns");
    refused("rows = 5", &[], "s.toml:1: unknown field `rows`");
    refused("csv = { delimiter = '||' }", &[], "`delimiter` should be one ASCII character");
    refused("csv = { delimiter = '\"' }", &[], "`delimiter` and `quote` should differ");
    refused("[[column]\n", &[], "s.toml:1");
}

#[test]
fn flags() {
    let fields = [Field::new("x", Element::int(8)).within(0, 9), Field::new("f", FIXED)];
    let mut schema = Schema::for_inputs(&fields);
    schema.set_column("x=Job level = 1").unwrap();
    schema.set_missing("x=drop").unwrap();
    schema.set_missing("f=fill:-0.5").unwrap();
    assert_eq!(schema.columns[0].column, "Job level = 1");
    assert_eq!(schema.columns[0].missing, Missing::Drop);
    assert_eq!(schema.columns[1].missing, Missing::Fill(-(1 << 15)));
    schema.set_missing("x=error").unwrap();
    assert_eq!(schema.columns[0].missing, Missing::Error);
    schema.check().unwrap();
    for (flag, expected) in [
        ("x", "want INPUT=error, INPUT=drop or INPUT=fill:VALUE"),
        ("x=skip", "want INPUT=error"),
        ("z=drop", "no input \"z\"; there are: x, f"),
        ("x=fill:10", "the fill value `10` is not a i8 in 0..9"),
        ("x=fill:", "the fill value is empty"),
    ] {
        let error = schema.set_missing(flag).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(schema.set_column("x").unwrap_err().to_string().contains("want INPUT=COLUMN"));
}

#[test]
fn a_fill_value_of_categories() {
    let file = |fill: &str| {
        format!(
            "[[column]]\ninput = 'x'\ntype = 'u8'\ncategories = ['a', 'b']\n\
             missing = {{ fill = {fill} }}"
        )
    };
    for (fill, raw) in [("'b'", 1), ("9", 9)] {
        let schema = Schema::parse(&file(fill), "s.toml", &[]).unwrap();
        assert_eq!(schema.columns[0].missing, Missing::Fill(raw));
    }
    refused(&file("'c'"), &[], "the fill value `c` is not a u8");
}
