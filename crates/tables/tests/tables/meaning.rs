//! Categories, dates and labels.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_schema::DataType;
use tacit_program::domain::{Members, TEXTS, text_code};
use tacit_program::{Domain, Element, Meaning};
use tacit_tables::{
    Field, Format, OutputColumn, OutputTable, Problem, Schema, Sharing, TableError,
};

use crate::{csv_error, raw, read, read_csv};

fn names(name: &str, members: &[&str]) -> Arc<Domain> {
    let members = Members::Names(members.iter().map(ToString::to_string).collect());
    Arc::new(Domain { name: name.into(), members })
}

fn level() -> Arc<Domain> {
    names("level", &["junior", "senior"])
}

/// What the example of this file's program wants of a party.
fn fields(party: &str) -> Vec<Field> {
    let level = Field::new(format!("{party}.level"), Element::uint(8)).within(0, 1);
    let since = Field::new(format!("{party}.since"), Element::int(32)).within(0, 20_088);
    vec![level.standing_for(Meaning::Domain(self::level())), since.standing_for(Meaning::Date)]
}

#[test]
fn the_program_says_what_cells_stand_for() {
    let schema = Schema::for_inputs(&fields("a"));
    let text = "a.level,a.since\nsenior,1970-01-02\n junior , 2024-12-31 \n";
    let table = read_csv(text, &schema).unwrap();
    assert_eq!(raw(&table, "a.level"), [1, 0]);
    assert_eq!(raw(&table, "a.since"), [1, 20_088]);
    assert_eq!(table.fields(), fields("a"));
}

#[test]
fn wrong_categories_and_dates_name_the_place_and_not_the_cell() {
    let schema = Schema::for_inputs(&fields("a"));
    let text = "a.level,a.since\nSecretive,2024-12-31\njunior,31.12.2024\njunior,2025-01-01\n1,x\n";
    let error = csv_error(text, &schema);
    for part in [
        "line 2, row 1, column \"a.level\": none of the categories junior, senior",
        "line 3, row 2, column \"a.since\": not a date",
        "line 4, row 3, column \"a.since\": outside 1970-01-01..2024-12-31",
        "line 5, row 4, column \"a.level\"",
        "2024-01-31",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(!error.contains("Secretive") && !error.contains("31.12"), "{error}");
    match read_csv(b"a.level,a.since\njunior,\xff\n", &schema).unwrap_err() {
        TableError::Cells { errors, .. } => assert_eq!(errors[0].problem, Problem::NotUtf8),
        other => panic!("{other}"),
    }
}

#[test]
fn texts_become_what_stands_for_them() {
    let mail = Field::new("mail", Element::uint(64)).within(TEXTS.low, TEXTS.high);
    let fields = [mail.standing_for(Meaning::Text)];
    let schema = Schema::for_inputs(&fields);
    let table = read_csv("mail\n ann@example.org\nBob\n\"x, y\"\n7\n", &schema).unwrap();
    let codes = ["ann@example.org", "Bob", "x, y", "7"].map(text_code);
    assert_eq!(raw(&table, "mail"), codes);
    assert!(codes.iter().all(|code| (0..(1 << 61) - 1).contains(code)));
    // The number is the same on every machine, and in every version.
    assert_eq!(text_code("ann@example.org"), 1_746_786_204_044_378_157);
    let error = csv_error("mail\n\n  \n", &schema);
    assert!(error.contains("no value"), "{error}");
    let wrong = csv_error("nail\nx\n", &schema);
    assert!(wrong.contains("no column \"mail\""), "{wrong}");
    for file in [
        "[[column]]\ninput = 'mail'\ncategories = { a = 0 }\n",
        "[[column]]\ninput = 'mail'\nrange = [0, 9]\n",
    ] {
        let error = Schema::parse(file, "s.toml", &fields).unwrap_err().to_string();
        assert!(error.contains("texts go in as they are"), "{error}");
    }
}

#[test]
fn a_schema_may_spell_categories_otherwise_and_declare_dates() {
    let file = "[[column]]\ninput = 'a.level'\ncategories = { Jr = 0, Sr = 1 }\n\
                [[column]]\ninput = 'a.since'\ntype = 'date'\nrange = ['2000-01-01', '2024-12-31']\n\
                missing = { fill = '2000-01-01' }\n";
    let schema = Schema::parse(file, "s.toml", &fields("a")).unwrap();
    let table = read_csv("a.level,a.since\nSr,\nJr,2000-01-02\n", &schema).unwrap();
    assert_eq!(raw(&table, "a.level"), [1, 0]);
    assert_eq!(raw(&table, "a.since"), [10_957, 10_958]);
    let alone = Schema::parse("[[column]]\ninput = 'd'\ntype = 'date'\n", "s.toml", &[]).unwrap();
    assert_eq!(alone.columns[0].element, Element::int(32));
    let wide = "[[column]]\ninput = 'a.since'\nrange = ['1960-01-01', '2024-12-31']\n";
    let error = Schema::parse(wide, "s.toml", &fields("a")).unwrap_err().to_string();
    assert!(
        error.contains("1960-01-01..2024-12-31 is not within 1970-01-01..2024-12-31"),
        "{error}"
    );
}

#[test]
fn unknown_columns_are_compared_with_those_of_the_file() {
    let schema = Schema::for_inputs(&[Field::new("salary", Element::uint(8))]);
    let error = csv_error("level,salry\n1,2\n", &schema);
    assert!(error.contains("did you mean \"salry\"? Say so: --column salary=salry"), "{error}");
    let error = csv_error("level,pay\n1,2\n", &schema);
    assert!(error.contains("name one of them: --column salary=COLUMN"), "{error}");
}

#[test]
fn one_schema_file_serves_several_parties() {
    let file = "[[column]]\ninput = 'level'\nname = 'Stufe'\n\
                [[column]]\ninput = 'bob.since'\nname = 'Eintritt'\n\
                [[column]]\ninput = 'since'\nname = 'Datum'\n\
                [[column]]\ninput = 'pay'\nmissing = 'drop'\n";
    let others = ["alice.level", "bob.level", "bob.since", "since", "level", "pay"];
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    let columns = |party: &str| {
        let by = Sharing { owner: party.into(), others: others.clone() };
        let schema = Schema::parse_for(file, "s.toml", &fields(party), &by).unwrap();
        assert_eq!(schema.fields(), fields(party));
        schema.columns.iter().map(|spec| spec.column.clone()).collect::<Vec<_>>()
    };
    assert_eq!(columns("alice"), ["Stufe", "Datum"]);
    assert_eq!(columns("bob"), ["Stufe", "Eintritt"]);
    let by = Sharing { owner: "alice".into(), others };
    let wrong = "[[column]]\ninput = 'levle'\n";
    let error = Schema::parse_for(wrong, "s.toml", &fields("alice"), &by).unwrap_err().to_string();
    assert!(error.starts_with("s.toml:1:") && error.contains("did you mean \"level\"?"), "{error}");
}

/// Counts by level and group, a ratio by level, and a matrix.
fn labelled() -> Vec<OutputColumn> {
    let group = names("group", &["women", "men"]);
    let year =
        Domain { name: "year".into(), members: Members::Numbers { first: 2023, last: 2024 } };
    let column = |name: &str, shape: &[u64], raw: &[i64], labels: Vec<Vec<Arc<Domain>>>| {
        let column = OutputColumn::new(name, Element::int(32), shape.to_vec(), raw.to_vec().into());
        OutputColumn { labels, ..column }
    };
    let mut since = column("since", &[4], &[0, 1, 2, 3], vec![vec![level(), group.clone()]]);
    since.meaning = Meaning::Date;
    vec![
        column("people", &[4], &[10, 20, 30, 40], vec![vec![level(), group.clone()]]),
        since,
        column(
            "by year",
            &[4, 2],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            vec![vec![level(), group], vec![Arc::new(year)]],
        ),
    ]
}

fn written(columns: Vec<OutputColumn>, format: Format) -> String {
    let mut bytes = Vec::new();
    OutputTable::new(columns).unwrap().write_to(&mut bytes, format, 99).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn rows_and_columns_of_results_are_labelled() {
    let expected = "level,group,people,since,by year[2023],by year[2024]\n\
                    junior,women,10,1970-01-01,1,2\njunior,men,20,1970-01-02,3,4\n\
                    senior,women,30,1970-01-03,5,6\nsenior,men,40,1970-01-04,7,8\n";
    assert_eq!(written(labelled(), Format::Csv), expected);
    let screen = written(labelled(), Format::Table);
    let rows: Vec<Vec<&str>> =
        screen.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["senior", "men", "40", "1970-01-04", "7", "8"]), "{screen}");
    let json: serde_json::Value = serde_json::from_str(&written(labelled(), Format::Json)).unwrap();
    assert_eq!(json["people"]["junior"]["men"], 20);
    assert_eq!(json["since"]["senior"]["women"], "1970-01-03");
    assert_eq!(json["by year"]["senior"]["men"]["2024"], 8);
}

#[test]
fn parquet_has_labels_as_texts_and_numbers_and_dates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.parquet");
    let mut columns = labelled();
    columns.truncate(2);
    OutputTable::new(columns).unwrap().write(&path, None).unwrap();
    let group = names("group", &["women", "men"]);
    let fields = [
        Field::new("level", Element::uint(8)).within(0, 1).standing_for(Meaning::Domain(level())),
        Field::new("group", Element::uint(8)).within(0, 1).standing_for(Meaning::Domain(group)),
        Field::new("people", Element::int(32)),
        Field::new("since", Element::int(32)),
    ];
    let table = read(&path, &Schema::for_inputs(&fields)).unwrap();
    assert_eq!(raw(&table, "level"), [0, 0, 1, 1]);
    assert_eq!(raw(&table, "group"), [0, 1, 0, 1]);
    assert_eq!(raw(&table, "people"), [10, 20, 30, 40]);
    assert_eq!(raw(&table, "since"), [0, 1, 2, 3]);
}

#[test]
fn dates_are_dates_where_arrow_has_them() {
    let types = |columns: Vec<OutputColumn>| -> Vec<DataType> {
        let schema = OutputTable::new(columns).unwrap().arrow().unwrap().schema();
        schema.fields().iter().map(|field| field.data_type().clone()).collect()
    };
    let numbers = DataType::Int32;
    let labels = [DataType::Utf8, DataType::Utf8];
    let values = [numbers.clone(), DataType::Date32, numbers.clone(), numbers];
    assert_eq!(types(labelled()), [&labels[..], &values[..]].concat());
    let since = OutputColumn::new("since", Element::int(64), vec![], vec![5].into());
    assert_eq!(types(vec![OutputColumn { meaning: Meaning::Date, ..since }]), [DataType::Utf8]);
}

/// What a program wants of prices that may be missing.
fn prices() -> Vec<Field> {
    let price = Field::new("price", Element::int(32)).within(100, 99_999);
    vec![price.standing_for(Meaning::Decimal(2)), Field::new("price.known", Element::Bit)]
}

#[test]
fn decimals_are_exact_and_missing_ones_are_said_to_be() {
    let schema = Schema::for_inputs(&prices());
    let table = read_csv("other,price\na,12.34\nb,\nc,7\nd,1.5e1\ne,2.345\n", &schema).unwrap();
    assert_eq!(raw(&table, "price"), [1234, 100, 700, 1500, 234]);
    assert_eq!(raw(&table, "price.known"), [1, 0, 1, 1, 1]);
    let error = csv_error("price\n1000.01\n", &schema);
    assert!(error.contains("column \"price\": outside 1.00..999.99"), "{error}");
    // A schema may say otherwise.
    let file = "[[column]]\ninput = \"price\"\nrange = [1.5, 20]\nmissing = { fill = 2.5 }\n";
    let schema = Schema::parse(file, "s.toml", &prices()).unwrap();
    let table = read_csv("price\n\n\"\"\n20\n", &schema).unwrap();
    assert_eq!([raw(&table, "price"), raw(&table, "price.known")], [[250, 2000], [0, 1]]);
}

/// What is said of missing values goes before what is usual: they are refused, or their rows are left out.
#[test]
fn schemas_and_flags_decide_what_becomes_of_missing_values() {
    let text = "price\n12.34\n\"\"\n7\n";
    for missing in ["error", "drop"] {
        let file = format!("[[column]]\ninput = \"price\"\nmissing = \"{missing}\"\n");
        let by_file = Schema::parse(&file, "s.toml", &prices()).unwrap();
        let mut by_flag = Schema::for_inputs(&prices());
        by_flag.set_missing(&format!("price={missing}")).unwrap();
        by_flag.check().unwrap();
        for schema in [by_file, by_flag] {
            match missing {
                "error" => assert!(csv_error(text, &schema).contains("no value")),
                _ => {
                    let table = read_csv(text, &schema).unwrap();
                    assert_eq!(
                        [raw(&table, "price"), raw(&table, "price.known")],
                        [[1234, 700], [1, 1]]
                    );
                }
            }
        }
    }
    let wrong = "[[column]]\ninput = \"price\"\nmissing = { fill = \"abc\" }\n";
    let error = Schema::parse(wrong, "s.toml", &prices()).unwrap_err().to_string();
    assert!(error.contains("`abc` is not a decimal(2) in 1.00..999.99"), "{error}");
}

#[test]
fn results_with_missing_values_and_decimals_are_written_and_read() {
    let raw_values = vec![1234, 0, -5].into();
    let column = OutputColumn {
        meaning: Meaning::Decimal(2),
        known: Some(vec![true, false, true]),
        ..OutputColumn::new("price", Element::int(32), vec![3], raw_values)
    };
    assert_eq!(written(vec![column.clone()], Format::Csv), "price\n12.34\n\"\"\n-0.05\n");
    let json: serde_json::Value =
        serde_json::from_str(&written(vec![column.clone()], Format::Json)).unwrap();
    assert_eq!(json["price"], serde_json::json!([12.34, null, -0.05]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.parquet");
    OutputTable::new(vec![column]).unwrap().write(&path, None).unwrap();
    let mut wanted = prices();
    wanted[0] = Field::new("price", Element::int(32)).standing_for(Meaning::Decimal(2));
    let table = read(&path, &Schema::for_inputs(&wanted)).unwrap();
    assert_eq!([raw(&table, "price"), raw(&table, "price.known")], [[1234, 0, -5], [1, 0, 1]]);
}

#[test]
fn arrow_refuses_what_is_no_table() {
    let column = |name: &str, element, shape: &[u64]| {
        let raw = vec![1; shape.iter().product::<u64>() as usize];
        OutputColumn::new(name, element, shape.to_vec(), raw.into())
    };
    let refused = |columns| OutputTable::new(columns).unwrap().arrow().err().unwrap().to_string();
    let small = Element::uint(8);
    let error = refused(vec![column("a", small, &[3]), column("b", small, &[])]);
    assert!(error.contains("\"a\" has 3 rows, \"b\" a single value"), "{error}");
    let error = refused(vec![column("cube", small, &[2, 2, 2])]);
    assert!(error.contains("\"cube\" has 3 axes"), "{error}");
    assert!(refused(vec![]).contains("there are none"));
    let fixed = |fraction| Element::Fixed { bits: 64, fraction };
    let error = refused(vec![column("fine", fixed(28), &[2])]);
    assert!(error.contains("\"fine\" is fixed(64,28)") && error.contains("38 digits"), "{error}");
    assert!(OutputTable::new(vec![column("fine", fixed(27), &[2])]).unwrap().arrow().is_ok());
}

#[test]
fn results_with_other_labels_stand_apart_on_screen() {
    let column = |name: &str| OutputColumn::new(name, Element::uint(8), vec![2], vec![1, 2].into());
    let by = OutputColumn { labels: vec![vec![level()]], ..column("by level") };
    let text = written(vec![by.clone(), column("plain")], Format::Table);
    let heads = text.lines().filter(|line| line.contains("by level") || line.contains("plain"));
    assert_eq!(heads.count(), 2, "{text}");
    let wrong = OutputColumn { shape: vec![1], raw: vec![1].into(), ..by };
    let error = OutputTable::new(vec![wrong]).err().unwrap().to_string();
    assert!(error.contains("labels of result \"by level\""), "{error}");
}
