//! Lowered queries against the oracle of plans.

use super::{Lowered, Shown, lower};
use crate::catalog::Catalog;
use crate::clear::{self, Rows};
use crate::plan::Query;
use crate::random::{self, Case};
use crate::sql::{self, Settings};
use tacit_program::clear::{Array, evaluate};
use tacit_program::{Element, Program, text};

fn settings(case: &Case) -> Settings {
    let to = vec![case.catalog.tables[0].owner.clone()];
    Settings { to, max_rows: Some(400), ..Settings::default() }
}

/// The values of a program's inputs, from tables.
fn inputs(program: &Program, catalog: &Catalog, tables: &[Rows]) -> Vec<(String, Array)> {
    let value = |name: &str, element: Element, default: i128| {
        let (of, known) = name.strip_suffix(".known").map_or((name, false), |of| (of, true));
        let (number, table) = catalog
            .tables
            .iter()
            .enumerate()
            .find(|(_, table)| of.starts_with(&format!("{}.", table.full_name())))
            .expect("a table of the input");
        let column = of.strip_prefix(&format!("{}.", table.full_name()));
        let column =
            table.columns.iter().position(|it| Some(it.name.as_str()) == column).expect("a column");
        let raw = tables[number].rows.iter().map(|row| match known {
            true => i128::from(row[column].is_some()),
            false => row[column].unwrap_or(default),
        });
        let raw: Vec<i64> = raw.map(|raw| i64::try_from(raw).expect("64 bits")).collect();
        Array::new(element, vec![raw.len()], raw).expect("values of the element")
    };
    let inputs = program.inputs().map(|(node, name, _)| {
        let ty = &program.body.nodes[node as usize].types[0];
        (name.to_owned(), value(name, ty.element, ty.interval.low))
    });
    inputs.collect()
}

fn rows(program: &Program, catalog: &Catalog, tables: &[Rows]) -> Vec<u64> {
    let count = |name: &str| {
        let at =
            catalog.tables.iter().position(|table| table.full_name() == name).expect("a table");
        tables[at].rows.len() as u64
    };
    program.dims.iter().map(|dim| count(&dim.name)).collect()
}

/// What the program of a query shows.
fn shown(lowered: &Lowered, catalog: &Catalog, tables: &[Rows]) -> super::Answer {
    let Lowered { program, shown } = lowered;
    let given = inputs(program, catalog, tables).into_iter().collect();
    let results =
        evaluate(program, &rows(program, catalog, tables), given).expect("a program that runs");
    let result = |name: &str| {
        results.iter().find(|(known, _)| known == name).map(|(_, array)| array.values().collect())
    };
    Shown::answer(shown, result).expect("an answer")
}

fn check(query: &Query, case: &Case) {
    let lowered = lower(query, &case.catalog)
        .unwrap_or_else(|error| panic!("{}\n{}\n{error}", case.seed, case.sql));
    // What the parties compare reads back as the same program.
    let written = text::print(&lowered.program);
    let read = text::parse("query.tacit", &written)
        .unwrap_or_else(|error| panic!("{}\n{}\n{error}", case.seed, case.sql));
    assert_eq!(text::digest(&read), text::digest(&lowered.program));
    let expected = clear::evaluate(query, &case.catalog, &case.tables)
        .unwrap_or_else(|error| panic!("{}\n{}\n{error}", case.seed, case.sql));
    let answer = shown(&lowered, &case.catalog, &case.tables);
    assert_eq!(answer.rows, expected.rows.rows, "seed {}\n{}", case.seed, case.sql);
    assert_eq!(answer.truncated, expected.truncated, "seed {}\n{}", case.seed, case.sql);
}

/// More seeds: `SEEDS=2000`.
#[test]
fn random_queries_show_what_the_oracle_says() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300);
    for seed in 0..seeds {
        let case = random::case(seed);
        let query = sql::bind("random.sql", &case.sql, &case.catalog, &settings(&case));
        let query = query.unwrap_or_else(|error| panic!("{}\n{}\n{error}", case.seed, case.sql));
        check(&query, &case);
    }
}
