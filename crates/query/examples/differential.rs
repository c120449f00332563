//! Random queries with the oracle's answers, for `scripts/query_differential.py`, which asks others the same.
//!
//! ```text
//! cargo run -p tacit-query --features random --example differential -- FIRST END
//! ```
//!
//! writes a line of JSON for each seed from FIRST up to END: the tables, statements that make them in DuckDB, the query, and
//! its answer or the error. Decimals are texts, and so are numbers in fixed point, exactly.

use std::io::Write;
use tacit_program::domain::Members;
use tacit_query::catalog::{Catalog, Table};
use tacit_query::clear;
use tacit_query::kind::Kind;
use tacit_query::random::{Case, case};
use tacit_query::{Answer, Cell, Rows};
use tacit_query::{Query, QueryError, sql};

fn main() -> std::io::Result<()> {
    let bounds: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [first, end] = bounds[..] else {
        eprintln!("usage: differential FIRST END");
        std::process::exit(2);
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for seed in first..end {
        writeln!(out, "{}", line(&case(seed)))?;
    }
    out.flush()
}

/// What is to be known of a query, in a line.
fn line(case: &Case) -> String {
    let Case { seed, catalog, tables, sql, ordered, .. } = case;
    let described = catalog.tables.iter().zip(tables).map(|(table, rows)| described(table, rows));
    let mut entries = vec![
        ("seed", seed.to_string()),
        ("ordered", ordered.to_string()),
        ("tables", array(described)),
        ("setup", array(setup(catalog, tables).iter().map(|statement| text(statement)))),
        ("duckdb", text(sql)),
    ];
    match answered(case) {
        Ok((query, answer)) => {
            let kinds: Vec<&Kind> = query.plan.fields.iter().map(|field| &field.kind).collect();
            entries.push(("columns", array(kinds.iter().map(|kind| text(&name_of(kind))))));
            entries.push(("rows", rows_of(&answer.rows, &kinds)));
        }
        Err(error) => entries.push(("error", text(&error.to_string()))),
    }
    object(&entries)
}

/// The query, and the oracle's answer.
fn answered(case: &Case) -> Result<(Query, Answer), QueryError> {
    let settings = sql::Settings { max_matches: case.max_matches, ..sql::Settings::default() };
    let query = sql::bind("query.sql", &case.sql, &mut case.catalog.clone(), &settings)?;
    let answer = clear::evaluate(&query, &case.catalog, &case.tables)?;
    Ok((query, answer))
}

fn described(table: &Table, rows: &Rows) -> String {
    let kinds: Vec<&Kind> = table.columns.iter().map(|column| &column.kind).collect();
    let columns = table.columns.iter().map(|column| {
        let kind = text(&name_of(&column.kind));
        let entries = [
            ("name", text(&column.name)),
            ("sql_type", text(&type_of(&column.kind))),
            ("kind", kind),
        ];
        match members(&column.kind) {
            Some(members) => {
                let members = array(members.iter().map(|member| text(member)));
                object(&entries.into_iter().chain([("members", members)]).collect::<Vec<_>>())
            }
            None => object(&entries),
        }
    });
    object(&[
        ("name", text(&format!("{}_{}", table.owner, table.name))),
        ("owner", text(&table.owner)),
        ("table", text(&table.name)),
        ("columns", array(columns)),
        ("rows", rows_of(rows, &kinds)),
    ])
}

/// The statements that make the tables in DuckDB: a schema for each party, and a view over all tables of one name.
fn setup(catalog: &Catalog, tables: &[Rows]) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut add = |statement: String| {
        if !statements.contains(&statement) {
            statements.push(statement);
        }
    };
    for column in catalog.tables.iter().flat_map(|table| &table.columns) {
        if let Some(members) = members(&column.kind) {
            let members: Vec<String> = members.iter().map(|member| format!("'{member}'")).collect();
            add(format!("CREATE TYPE {} AS ENUM ({})", type_of(&column.kind), members.join(", ")));
        }
    }
    for (table, rows) in catalog.tables.iter().zip(tables) {
        add(format!("CREATE SCHEMA {}", table.owner));
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|column| format!("{} {}", column.name, type_of(&column.kind)))
            .collect();
        add(format!("CREATE TABLE {} ({})", table.full_name(), columns.join(", ")));
        let rows: Vec<String> = rows
            .rows
            .iter()
            .map(|row| {
                let cells = row.iter().zip(&table.columns);
                let cells: Vec<String> = cells
                    .map(|(cell, column)| {
                        decoded(*cell, &column.kind)
                            .map_or("NULL".to_owned(), |it| format!("'{it}'"))
                    })
                    .collect();
                format!("({})", cells.join(", "))
            })
            .collect();
        if !rows.is_empty() {
            add(format!("INSERT INTO {} VALUES {}", table.full_name(), rows.join(", ")));
        }
    }
    for table in &catalog.tables {
        let parts = catalog.parts(None, &table.name);
        let parts: Vec<String> = parts
            .iter()
            .map(|part| format!("SELECT * FROM {}", catalog.tables[*part].full_name()))
            .collect();
        add(format!("CREATE VIEW {} AS {}", table.name, parts.join(" UNION ALL ")));
    }
    statements
}

/// The texts of a category.
fn members(kind: &Kind) -> Option<&[String]> {
    match kind {
        Kind::Category(domain) => match &domain.members {
            Members::Names(names) => Some(names),
            Members::Numbers { .. } => None,
        },
        _ => None,
    }
}

/// The type of a column in DuckDB.
fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Bit => "BOOLEAN".to_owned(),
        Kind::Decimal { scale: 0 } => "INTEGER".to_owned(),
        Kind::Decimal { scale } => format!("DECIMAL(9, {scale})"),
        Kind::Fixed { .. } => "DOUBLE".to_owned(),
        Kind::Date => "DATE".to_owned(),
        Kind::Text => "BIGINT".to_owned(),
        Kind::Category(domain) => domain.name.clone(),
    }
}

/// What the script calls a kind.
fn name_of(kind: &Kind) -> String {
    match kind {
        Kind::Bit => "bit".to_owned(),
        Kind::Decimal { scale: 0 } => "integer".to_owned(),
        Kind::Decimal { .. } => "decimal".to_owned(),
        Kind::Fixed { fraction } => format!("fixed {fraction}"),
        Kind::Date => "date".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Category(_) => "category".to_owned(),
    }
}

fn rows_of(rows: &Rows, kinds: &[&Kind]) -> String {
    array(rows.rows.iter().map(|row| {
        array(row.iter().zip(kinds).map(|(cell, kind)| match (decoded(*cell, kind), kind) {
            (None, _) => "null".to_owned(),
            (Some(value), Kind::Bit | Kind::Decimal { scale: 0 }) => value,
            (Some(value), _) => text(&value),
        }))
    }))
}

/// A value as a text, or none where it is null.
fn decoded(cell: Cell, kind: &Kind) -> Option<String> {
    let raw = cell?;
    Some(match kind {
        Kind::Bit => (raw == 1).to_string(),
        Kind::Decimal { scale } => decimal(raw, usize::from(*scale)),
        // What is so many halves of halves is as many decimals.
        Kind::Fixed { fraction } => {
            decimal(raw * 5i128.pow(u32::from(*fraction)), usize::from(*fraction))
        }
        Kind::Date => chrono::NaiveDate::from_epoch_days(raw as i32)
            .map_or_else(String::new, |date| date.to_string()),
        Kind::Text => raw.to_string(),
        Kind::Category(_) => {
            members(kind).map_or_else(String::new, |members| members[raw as usize].clone())
        }
    })
}

/// A number with so many decimals.
fn decimal(raw: i128, digits: usize) -> String {
    let unit = 10u128.pow(digits as u32);
    let (sign, size) = (if raw < 0 { "-" } else { "" }, raw.unsigned_abs());
    match digits {
        0 => raw.to_string(),
        _ => format!("{sign}{}.{:0digits$}", size / unit, size % unit),
    }
}

/// A text in JSON.
fn text(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control < ' ' => quoted += &format!("\\u{:04x}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn object(entries: &[(&str, String)]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|(name, value)| format!("{}: {value}", text(name))).collect();
    format!("{{{}}}", entries.join(", "))
}
