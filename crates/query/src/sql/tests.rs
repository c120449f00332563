//! What is refused, and where.

use super::{Settings, bind, parse};
use crate::catalog::Catalog;
use crate::explain::explain;
use crate::lower::lower;

const TABLES: &str = "\
CREATE TABLE alice.people (id INT PRIMARY KEY CHECK (id BETWEEN 0 AND 999), age INT CHECK (age BETWEEN 0 AND 120),
    plan ENUM ('basic', 'full') NOT NULL, born DATE NOT NULL CHECK (born BETWEEN '1990-01-01' AND '2020-12-31')) WITH (max_rows = 100);
CREATE TABLE bob.visits (person INT NOT NULL CHECK (person BETWEEN 0 AND 999), cost DECIMAL(7, 2), share DOUBLE CHECK (share BETWEEN 0 AND 1))
    WITH (max_rows = 200, min_rows = 5);
GRANT SELECT ON result TO alice, bob;
";

fn catalog() -> Catalog {
    parse("tables.sql", &format!("{TABLES}SELECT count(*) FROM people")).expect("tables").0
}

fn settings() -> Settings {
    Settings { to: vec!["alice".into()], max_rows: Some(10), ..Settings::default() }
}

fn refused(query: &str) -> String {
    bind("q", query, &catalog(), &settings()).expect_err(query).to_string()
}

#[test]
fn errors_say_where_and_what_to_write() {
    let wrong = [
        ("SELECT agee FROM people", "q:1:8: there is no column `agee` here: did you mean `age`?"),
        ("SELECT age FROM peeple", "q:1:17: there is no table `peeple`: did you mean `people`?"),
        ("SELECT p.age FROM people", "q:1:8: there is no column `p.age` here: did you mean `age`?"),
        (
            "SELECT age FROM people ORDER BY born",
            "q:1:33: what rows are ordered by is shown: add it to SELECT",
        ),
        (
            "SELECT age FROM people LIMIT 3",
            "q:1:1: LIMIT without ORDER BY would show rows by chance: add ORDER BY",
        ),
        (
            "SELECT age, count(*) FROM people",
            "q:1:8: `age` is not what rows are grouped by: add it to GROUP BY, or take an aggregate of it, such as max(age)",
        ),
        (
            "SELECT age FROM people WHERE plan = 'half'",
            "q:1:37: `half` is not in the list of this column: basic, full",
        ),
        (
            "SELECT age FROM people WHERE born > '2020-13-01'",
            "q:1:37: `2020-13-01` is no date: dates are written 2024-01-31",
        ),
        (
            "SELECT age FROM people WHERE age",
            "q:1:30: a condition is needed here, and this is INTEGER: compare it with something",
        ),
        (
            "SELECT plan + 1 FROM people",
            "q:1:8: one cannot calculate with this: it is ENUM (basic, full)",
        ),
        (
            "SELECT age FROM people, visits",
            "q:1:1: these tables are not joined: a join needs an equality between two tables, by ON or in WHERE",
        ),
        (
            "SELECT a.cost FROM visits a JOIN visits b ON a.person = b.person",
            "q:1:34: neither side of this join is known to have each key once: declare the key UNIQUE in a table, or GROUP one side BY it \
             first. A LEFT JOIN needs it on the right side",
        ),
        (
            "SELECT age FROM people WHERE id NOT IN (SELECT cost FROM visits)",
            "q:1:30: NOT IN of values that may be null is true of none, which is rarely meant: write NOT EXISTS",
        ),
        (
            "SELECT sum(age) OVER () FROM people",
            "q:1:8: window functions (OVER) are not supported yet: GROUP BY, or ORDER BY .. LIMIT, say much of it",
        ),
        (
            "SELECT sum(sum(age)) FROM people",
            "q:1:8: an aggregate cannot stand here: it is of groups of rows, in SELECT, HAVING or ORDER BY",
        ),
        (
            "SELECT age FROM people EXCEPT SELECT id FROM people",
            "q:1:1: EXCEPT and INTERSECT are not supported: [NOT] EXISTS or [NOT] IN can say them",
        ),
        (
            "SELECT upper(plan) FROM people",
            "q:1:8: there is no function `upper` of 1 arguments: there are count, sum, avg, min, max, abs, coalesce, nullif, least, greatest, year, quarter, month, day and dayofweek",
        ),
        (
            "SELECT cost * cost * cost * cost * cost * cost * cost FROM visits",
            "q:1:8: this product has 14 decimals, more than 12: CAST a factor to fewer first",
        ),
        (
            "SELECT age FROM people WHERE share LIKE 'a%'",
            "q:1:30: there is no column `share` here: there is id, age, plan, born",
        ),
        (
            "SELECT id FROM people WHERE id LIKE '1%'",
            "q:1:29: LIKE is of columns that are an ENUM: their list is public, and their texts are not",
        ),
    ];
    for (query, error) in wrong {
        assert_eq!(refused(query), error, "{query}");
    }
}

#[test]
fn tables_are_refused_with_their_place() {
    let file = |statements: &str| parse("q", statements).expect_err(statements).to_string();
    let wrong = [
        (
            "CREATE TABLE people (a INT) WITH (max_rows = 5); SELECT 1",
            "q:1:14: a table has a party that gives it: CREATE TABLE alice.visits (..)",
        ),
        (
            "CREATE TABLE alice.p (a INT); SELECT 1",
            "q:1:14: say how many rows `alice.p` has at most: WITH (max_rows = 100000)",
        ),
        (
            "CREATE TABLE alice.p (a TEXT) WITH (max_rows = 5); SELECT 1",
            "q:1:23: texts are not supported where nobody may see them: list the values, ENUM ('a', 'b'), or number them",
        ),
        (
            "CREATE TABLE alice.p (a BIGINT) WITH (max_rows = 5); SELECT 1",
            "q:1:23: say where the values of `a` lie: CHECK (a BETWEEN 0 AND 1000000). It is public, and decides what is fast",
        ),
        (
            "CREATE TABLE alice.p (a INT, a INT) WITH (max_rows = 5); SELECT 1",
            "q:1:30: there are two columns `a`",
        ),
        (
            "CREATE TABLE alice.p (a INT CHECK (a BETWEEN 5 AND 4)) WITH (max_rows = 5); SELECT 1",
            "q:1:23: no value lies in the range of `a`",
        ),
        (
            "CREATE TABLE alice.p (a INT) WITH (max_rows = 5);\nGRANT SELECT ON result TO alise;\nSELECT a FROM p",
            "q:2:27: there is no party `alise`: did you mean `alice`? One that gives no table is named by CREATE ROLE alise",
        ),
        (
            "CREATE TABLE alice.p (a INT) WITH (max_rows = 5); SELECT a FROM p",
            "q: nobody learns the result: GRANT SELECT ON result TO alice, or TO public, which means all parties",
        ),
    ];
    for (statements, error) in wrong {
        assert_eq!(file(statements), error, "{statements}");
    }
}

#[test]
fn parts_of_one_table_must_be_alike() {
    let file = "CREATE TABLE alice.t (a INT) WITH (max_rows = 5); CREATE TABLE bob.t (a SMALLINT) WITH (max_rows = 5);
        GRANT SELECT ON result TO alice; SELECT count(*) FROM t";
    let error = parse("q", file).expect_err("unequal tables").to_string();
    assert!(error.contains("alice.t and bob.t differ in a"), "{error}");
}

/// Numbers that might not fit are refused where they stand.
#[test]
fn ranges_are_told_with_their_place() {
    let file = format!("{TABLES}SELECT sum(cost * cost * cost * cost) FROM visits");
    let (catalog, query) = parse("q", &file).expect("a query");
    let error = lower(&query, &catalog).expect_err("too large").to_string();
    assert!(error.starts_with("q:6:"), "{error}");
}

#[test]
fn plans_are_explained() {
    let file = format!(
        "{TABLES}SELECT p.plan, avg(v.cost) AS cost, count(*) AS n FROM visits v JOIN people p ON v.person = p.id
         WHERE year(p.born) < 2000 GROUP BY p.plan"
    );
    let (catalog, query) = parse("q", &file).expect("a query");
    let lowered = lower(&query, &catalog).expect("a program");
    let explained = explain(&query, &catalog, &lowered.shown);
    assert_eq!(
        explained.plan,
        "with cost = aggregate 1, n = aggregate 2\n  by plan: mean of argument 1, count of rows\n    with argument 1 = cost\n      \
         join on person = id\n        table bob.visits\n        rows where (year(born) < 2000)\n          table alice.people\n"
    );
    assert_eq!(
        explained.learned,
        ["alice, bob learn plan, cost, n", "and how many rows there are"]
    );
    assert_eq!(explained.checked, ["that no two rows on one side of a join have the same id"]);
    assert_eq!(explained.advice.len(), 2);
}

/// Queries of TPC-H over its tables: all but 14 in the words of its specification, which asks for a share whose range nothing bounds.
#[test]
fn queries_of_tpc_h_bind_and_lower() {
    for query in include_str!("tests/tpch.sql").split("-- query ").skip(1) {
        let (number, query) = query.split_once('\n').expect("a number");
        let file = format!("{}{query}", include_str!("tests/tpch_tables.sql"));
        let (catalog, query) = parse(number, &file).unwrap_or_else(|error| panic!("{error}"));
        lower(&query, &catalog).unwrap_or_else(|error| panic!("{error}"));
    }
}
