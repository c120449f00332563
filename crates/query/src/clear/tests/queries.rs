//! Whole queries: what tables must obey, and what is shown.

use super::super::{Answer, evaluate};
use super::*;
use crate::catalog::{Catalog, Column, Table};
use Function::Count;

/// One table with an integer of 0 to 9 that may be null, and a colour; of 0 to 4 rows, the integers unique or not.
fn catalog(unique: bool) -> Catalog {
    let column = |name: &str, kind, range, nullable| Column::new(name, kind, range, nullable);
    let columns = vec![column("n", INTEGER, 0..=9, true), column("c", colours(), 0..=1, false)];
    let unique = if unique { vec![vec![0]] } else { Vec::new() };
    let (owner, name) = ("alice".to_owned(), "t".to_owned());
    Catalog {
        tables: vec![Table { owner, name, columns, rows: 0..=4, there: None, unique }],
        others: Vec::new(),
    }
}

fn all() -> Plan {
    let mut fields = fields(&[INTEGER, colours()]);
    fields[1].nullable = false;
    scan(0, fields)
}

fn answer(query: &Query, table: &Rows) -> Answer {
    evaluate(query, &catalog(false), std::slice::from_ref(table)).expect("the query has an answer")
}

fn some() -> Rows {
    rows(&[[Some(2), Some(1)], [None, Some(0)], [Some(2), Some(0)], [Some(7), Some(0)]])
}

#[test]
fn tables_obey_the_catalog() {
    let refused = |table: Rows, unique| {
        evaluate(&query(all()), &catalog(unique), &[table]).expect_err("refused").to_string()
    };
    let cases = [
        (
            rows(&[[Some(1), Some(0)], [Some(10), Some(0)]]),
            "alice.t: column `n` of row 2 is outside of its range",
        ),
        (rows(&[[Some(-1), Some(0)]]), "alice.t: column `n` of row 1 is outside of its range"),
        (rows(&[[Some(1), Some(2)]]), "alice.t: column `c` of row 1 is outside of its range"),
        (
            rows(&[[Some(1), None]]),
            "alice.t: column `c` of row 1 is null, which the column may not be",
        ),
        (rows(&[[Some(1), Some(0)]; 5]), "alice.t has 5 rows, not 0 to 4"),
        (rows(&[[Some(1)]]), "alice.t has rows of another number of columns than 2"),
    ];
    for (table, what) in cases {
        assert_eq!(refused(table, false), what);
    }
    let what = "alice.t: rows 1 and 3 are equal in `n`, which is unique";
    assert_eq!(refused(some(), true), what);
    let nulls = rows(&[[None, Some(0)], [None, Some(0)], [Some(1), Some(0)]]);
    assert!(evaluate(&query(all()), &catalog(true), &[nulls]).is_ok());
    let none = evaluate(&query(all()), &catalog(false), &[]).expect_err("refused").to_string();
    assert_eq!(none, "the catalog has 1 tables, 0 are given");
    let other =
        evaluate(&query(scan(0, integers(2))), &catalog(false), &[some()]).expect_err("refused");
    assert!(other.to_string().contains("its columns are not those of its operator"));
}

#[test]
fn rows_are_in_canonical_order() {
    let mut by = query(all());
    let wanted = [[Some(2), Some(0)], [Some(2), Some(1)], [Some(7), Some(0)], [None, Some(0)]];
    assert_eq!(answer(&by, &some()), Answer { rows: rows(&wanted), truncated: false });
    by.order = vec![key(1, true, false), key(0, true, true)];
    let wanted = [[Some(2), Some(1)], [None, Some(0)], [Some(7), Some(0)], [Some(2), Some(0)]];
    assert_eq!(answer(&by, &some()).rows, rows(&wanted));
    by.order = vec![key(0, true, false)];
    let wanted = [[Some(7), Some(0)], [Some(2), Some(0)], [Some(2), Some(1)], [None, Some(0)]];
    assert_eq!(answer(&by, &some()).rows, rows(&wanted));
    by.order = vec![key(2, false, false)];
    assert!(evaluate(&by, &catalog(false), &[some()]).is_err());
}

#[test]
fn not_more_rows_than_may_be_shown() {
    let mut by = query(all());
    by.max_rows = Some(2);
    let first = rows(&[[Some(2), Some(0)], [Some(2), Some(1)]]);
    assert_eq!(answer(&by, &some()), Answer { rows: first.clone(), truncated: true });
    assert_eq!(answer(&by, &first), Answer { rows: first.clone(), truncated: false });
    by.max_rows = Some(0);
    assert_eq!(answer(&by, &first), Answer { rows: Rows::new(2), truncated: true });
    assert!(!answer(&by, &Rows::new(2)).truncated);
}

#[test]
fn small_groups_are_hidden_below_what_is_above() {
    let counts = group(all(), &[1], &[(Count, None, false), (Function::Max, Some(0), false)]);
    let mut shown = query(counts.clone());
    shown.min_rows = Some(2);
    assert_eq!(answer(&shown, &some()).rows, rows(&[[Some(0), Some(3), Some(7)]]));
    shown.min_rows = Some(1);
    assert_eq!(answer(&shown, &some()).rows.rows.len(), 2);
    // LIMIT takes the first of those that are left, which is not the first of all.
    let by_maximum = first(counts.clone(), vec![key(2, false, false)], 1);
    let few = filter(by_maximum, binary(Operator::Less, int(0), column(1), Kind::Bit));
    let mut limited = query(project(few, vec![column(1)]));
    assert_eq!(answer(&limited, &some()).rows, rows(&[[Some(1)]]));
    limited.min_rows = Some(2);
    assert_eq!(answer(&limited, &some()).rows, rows(&[[Some(3)]]));
    // Groups under the outermost ones are not hidden.
    let mut nested = query(group(counts, &[1], &[(Count, None, false)]));
    nested.min_rows = Some(1);
    assert_eq!(answer(&nested, &some()).rows.rows.len(), 2);
    nested.min_rows = Some(2);
    assert!(answer(&nested, &some()).rows.rows.is_empty());
}

#[test]
fn small_groups_need_groups() {
    let total = group(all(), &[], &[(Count, None, false)]);
    for (plan, what) in [
        (all(), "here rows of a table are shown"),
        (total, "this is one row of all rows"),
        (filter(all(), bit(1)), "here rows of a table are shown"),
    ] {
        let mut shown = query(plan);
        shown.min_rows = Some(2);
        let refused = evaluate(&shown, &catalog(false), &[some()]).expect_err("no groups");
        let refused = refused.to_string();
        assert!(refused.starts_with("q.sql:3:7: min_rows") && refused.contains(what), "{refused}");
    }
}

#[test]
fn rows_are_not_printed() {
    assert_eq!(format!("{:?}", some()), "Rows(4 rows of 2 columns)");
    assert!(!format!("{:?}", answer(&query(all()), &some())).contains('7'));
}
