//! Queries, and the plans or errors that they give. Cases are in text files: a query on a line, then what it gives, then nothing.
//! `WRITE_CASES=1` writes what queries give instead of comparing it.

use super::{Settings, bind, parse};
use crate::catalog::Catalog;
use crate::clear::evaluate;
use crate::rewrite::rewritten;
use crate::rows::Rows;

/// The cases of a file, each with what it should give.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.trim_end().split("\n\n").map(|case| case.split_once('\n').expect("a query and its result"))
}

/// The tables of a text.
fn catalog(tables: &str) -> Catalog {
    let owner = tables.split_whitespace().nth(2).expect("a table").to_owned();
    let file =
        format!("{tables}\nGRANT SELECT ON result TO public; SELECT count(*) AS n FROM {owner}");
    parse("tables", &file).expect("the tables are right").0
}

fn wrong(catalog: &Catalog, query: &str) -> String {
    let bound = bind("q", query, &mut catalog.clone(), &Settings::default());
    let error = bound.map(|_| ()).expect_err(query);
    error.to_string()
}

/// Compares what the queries of a file give with what it says, or writes it.
fn compare(file: &str, text: &str, gives: impl Fn(&str) -> String) {
    let found: Vec<(&str, String)> = cases(text).map(|(query, _)| (query, gives(query))).collect();
    if std::env::var_os("WRITE_CASES").is_some() {
        let lines: Vec<String> =
            found.iter().map(|(query, given)| format!("{query}\n{given}\n")).collect();
        let path = format!("{}/src/sql/tests/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, lines.join("\n")).expect("a file");
        return;
    }
    for ((query, given), (_, wanted)) in found.iter().zip(cases(text)) {
        assert_eq!(given, wanted, "{query}");
    }
}

/// The plan of a query, as it is shown. The oracle finds that it does not contradict itself, nor does what it was made from.
fn right(catalog: &Catalog, query: &str) -> String {
    let mut catalog = catalog.clone();
    let bound = bind("q", query, &mut catalog, &Settings::default());
    let mut bound = bound.unwrap_or_else(|error| panic!("{query}\n{error}"));
    let catalog = &catalog;
    let empty: Vec<Rows> =
        catalog.tables.iter().map(|table| Rows::new(table.columns.len())).collect();
    evaluate(&bound, catalog, &empty).unwrap_or_else(|error| panic!("{query}\n{error}"));
    bound.plan = rewritten(bound.plan);
    evaluate(&bound, catalog, &empty).unwrap_or_else(|error| panic!("{query}\n{error}"));
    bound.plan.text(catalog).to_string()
}

#[test]
fn wrong_queries_say_what_is_wrong() {
    let catalog = catalog(include_str!("tests/tables.sql"));
    compare("wrong.txt", include_str!("tests/wrong.txt"), |query| wrong(&catalog, query));
}

#[test]
fn wrong_files_say_what_is_wrong() {
    let wrong = |file: &str| parse("f", file).map(|_| ()).expect_err(file).to_string();
    compare("files.txt", include_str!("tests/files.txt"), wrong);
}

#[test]
fn right_queries_become_plans() {
    let catalog = catalog(include_str!("tests/tables.sql"));
    compare("right.txt", include_str!("tests/right.txt"), |query| right(&catalog, query));
}

/// What owners compute of texts is in columns of their tables, or refused.
#[test]
fn functions_of_texts() {
    let catalog = catalog(include_str!("tests/letters.sql"));
    compare("letters.txt", include_str!("tests/letters.txt"), |query| right(&catalog, query));
    let wrong = |query: &str| wrong(&catalog, query);
    compare("letters_wrong.txt", include_str!("tests/letters_wrong.txt"), wrong);
}

#[test]
fn tpc_h() {
    let catalog = catalog(include_str!("tests/tpch.sql"));
    compare("tpch.txt", include_str!("tests/tpch.txt"), |query| right(&catalog, query));
}

/// Nothing overflows the stack, which is small in tests.
#[test]
fn long_and_deep_queries() {
    let catalog = catalog(include_str!("tests/tables.sql"));
    let chain = |part: &str, by: &str, times: usize| vec![part; times].join(by);
    let accepted = [
        format!("SELECT k FROM t WHERE {}", chain("k <> 3", " AND ", 499)),
        format!("SELECT k FROM t WHERE {}", chain("k = 3", " OR ", 499)),
        format!("SELECT k FROM t WHERE k IN ({})", chain("3", ",", 20_000)),
        chain("SELECT k FROM t", " UNION ALL ", 60),
    ];
    for query in accepted {
        let bound = bind("q", &query, &mut catalog.clone(), &Settings::default());
        assert!(bound.is_ok(), "{}", &query[..60]);
    }
    let many = "this expression has too many operations within each other";
    let refused = [
        (format!("SELECT k FROM t WHERE {}", chain("k = 3", " OR ", 30_000)), many),
        (format!("SELECT {} FROM t", chain("1", "+", 100_000)), many),
        (format!("SELECT {} FROM t", chain("1", "+", 900)), "nested too deep"),
        (format!("SELECT k{} FROM t", "::INT".repeat(50_000)), many),
        (format!("SELECT {}k{} FROM t", "(".repeat(5000), ")".repeat(5000)), many),
        (chain("SELECT k FROM t", " UNION ALL ", 20_000), "too many selects"),
    ];
    for (query, what) in refused {
        assert!(wrong(&catalog, &query).contains(what), "{}", &query[..60]);
    }
    let twice = |number: usize| {
        format!(", a{} AS (SELECT k FROM a{number} UNION ALL SELECT k FROM a{number})", number + 1)
    };
    let doubled: String = (0..26).map(twice).collect();
    let query = format!("WITH a0 AS (SELECT k FROM t){doubled} SELECT k FROM a26");
    assert!(wrong(&catalog, &query).contains("reads tables more than 2000 times"));
}

/// Names between quotes are names, and a CHECK says more of a date than is usual, or less.
#[test]
fn names_in_quotes_and_dates_of_other_centuries() {
    let tables = "CREATE TABLE \"Alice\".t (d DATE CHECK (d BETWEEN '1850-01-01' AND '1950-12-31'), e DATE NOT NULL, f DATE CHECK (f >= '2020-01-01')) WITH (max_rows = 3);
        CREATE TABLE bob.u (LIKE \"Alice\".t); CREATE ROLE \"Bob X\";";
    let of = |to: &str, query: &str| {
        parse("q", &format!("{tables} GRANT SELECT ON result TO {to}; {query}"))
    };
    let (catalog, query) =
        of("\"Bob X\", \"Alice\"", "SELECT count(*) AS n FROM \"Alice\".t").expect("a query");
    assert_eq!(query.to, ["Bob X", "Alice"]);
    assert_eq!(catalog.parties(), ["Alice", "bob", "Bob X"]);
    let day = |text| i128::from(tacit_program::domain::parse_date(text).expect("a date"));
    let ranges: Vec<_> =
        catalog.tables[1].columns.iter().map(|column| column.range.clone()).collect();
    assert_eq!(
        ranges,
        [
            day("1850-01-01")..=day("1950-12-31"),
            day("1900-01-01")..=day("2099-12-31"),
            day("2020-01-01")..=day("2099-12-31")
        ]
    );
    let (_, query) = of("PUBLIC", "SELECT count(*) AS n FROM bob.u").expect("a query");
    assert_eq!(query.to.len(), 3);
    let error = of("\"public\"", "SELECT count(*) AS n FROM bob.u").expect_err("no such party");
    assert!(error.to_string().contains("there is no party `public`"), "{error}");
    // What is the same in all rows may be a key, too.
    of("PUBLIC", "SELECT e IS NULL AS none, count(*) AS n FROM bob.u GROUP BY e IS NULL")
        .expect("a query");
}
