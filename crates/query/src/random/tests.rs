//! What random queries are.

use super::case;
use crate::clear::evaluate;
use crate::plan::{Node, Plan, Query};
use crate::rows::Rows;
use crate::sql;
use tacit_program::Span;

/// The answer to a query about nothing: tables are checked before.
fn nothing() -> Query {
    let plan = Plan { node: Node::Union(Vec::new()), fields: Vec::new(), span: Span::default() };
    Query {
        name: "query".to_owned(),
        plan,
        order: Vec::new(),
        to: Vec::new(),
        max_rows: None,
        min_rows: None,
    }
}

#[test]
fn tables_obey_their_catalog() {
    for seed in 0..500 {
        let case = case(seed);
        let answer = evaluate(&nothing(), &case.catalog, &case.tables);
        assert_eq!(answer.expect("tables obey the catalog").rows, Rows::new(0), "seed {seed}");
    }
}

#[test]
fn a_seed_says_everything() {
    for seed in 0..50 {
        let (a, b) = (case(seed), case(seed));
        assert_eq!((a.catalog, a.tables, a.sql), (b.catalog, b.tables, b.sql));
    }
    assert_ne!(case(1).sql, case(2).sql);
}

#[test]
fn all_have_an_answer() {
    let mut rows = 0;
    for seed in 0..500 {
        let case = case(seed);
        let query = sql::bind(
            "query.sql",
            &case.sql,
            &mut case.catalog.clone(),
            &sql::Settings { max_matches: case.max_matches, ..sql::Settings::default() },
        );
        let query = query.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.sql));
        let answer = evaluate(&query, &case.catalog, &case.tables);
        let answer = answer.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.sql));
        rows += answer.rows.rows.len();
    }
    // Most answers are not empty.
    assert!(rows > 1000, "{rows} rows");
}
