//! Each rewrite by an example. That all of them change no answer is tested where queries are lowered.

use super::{merge, nulls, rewritten, sides};
use crate::catalog::Catalog;
use crate::plan::{Node, Plan};
use crate::sql::{self, Settings};

const TABLES: &str = "CREATE TABLE alice.t (k INT NOT NULL CHECK (k BETWEEN 0 AND 9), a INT CHECK (a BETWEEN 0 AND 9), b INT CHECK (b BETWEEN 0 AND 9)) WITH (max_rows = 9);
    CREATE TABLE bob.u (k INT NOT NULL UNIQUE CHECK (k BETWEEN 0 AND 9), v INT CHECK (v BETWEEN 3 AND 9)) WITH (max_rows = 9);
    GRANT SELECT ON result TO alice;";

/// A plan after some rewrites, as a text.
fn after(query: &str, rewrite: impl Fn(Plan) -> Plan) -> (Plan, String) {
    let mut catalog: Catalog =
        sql::parse("q", &format!("{TABLES} SELECT count(*) AS n FROM t")).expect("tables").0;
    let bound = sql::bind("q", query, &mut catalog, &Settings::default()).expect("a query");
    let plan = rewrite(bound.plan);
    let text = plan.text(&catalog).to_string();
    (plan, text)
}

fn lines(lines: &[&str]) -> String {
    lines.join("\n")
}

#[test]
fn projections_become_one() {
    let (_, text) =
        after("SELECT z + 1 AS y FROM (SELECT a * 2 AS z, b FROM t) WHERE b > 3", merge::merged);
    assert_eq!(text, lines(&["project (a * 2) + 1 as y", "  filter b > 3", "    scan alice.t"]));
    // What is used twice is computed once.
    let (_, text) = after("SELECT z + z AS y FROM (SELECT a * 2 AS z FROM t)", merge::merged);
    let twice = ["project z + z as y", "  project a * 2 as z", "    scan alice.t"];
    assert_eq!(text, lines(&twice));
}

#[test]
fn conditions_say_what_is_known() {
    let known = |query: &str| {
        let plan = after(query, |plan| nulls::known(merge::merged(plan))).0;
        plan.fields.iter().map(|field| !field.nullable).collect::<Vec<_>>()
    };
    assert_eq!(known("SELECT a, b FROM t WHERE a IS NOT NULL"), [true, false]);
    assert_eq!(known("SELECT a, b FROM t WHERE a > 3 AND (b < 2 OR b + a = 7)"), [true, true]);
    assert_eq!(known("SELECT a, b FROM t WHERE a > 3 OR b < 2"), [false, false]);
    assert_eq!(known("SELECT a, b FROM t WHERE (a > b) IS TRUE"), [true, true]);
    assert_eq!(known("SELECT a, b FROM t WHERE (a > b) IS NOT TRUE"), [false, false]);
    assert_eq!(known("SELECT a, b FROM t WHERE coalesce(a, 0) > 3 AND NOT b = 1"), [false, true]);
    assert_eq!(known("SELECT t.a + 1, v FROM t JOIN u ON t.a = u.k"), [true, false]);
    assert_eq!(known("SELECT t.a, v FROM t LEFT JOIN u ON t.a = u.k"), [false, false]);
    assert_eq!(
        known("SELECT a, max(b), sum(k) FROM t WHERE b > 1 GROUP BY a"),
        [false, true, true]
    );
    assert_eq!(known("SELECT max(b), count(a) FROM t WHERE b > 1"), [false, true]);
    assert_eq!(
        known("SELECT sum(b) OVER (), lag(b) OVER (ORDER BY b) FROM t WHERE b > 1"),
        [true, false]
    );
}

#[test]
fn sides_of_joins_compute_their_own() {
    let moved = |query: &str| after(query, |plan| sides::on_their_sides(merge::merged(plan))).1;
    let query =
        "SELECT sum(a * b + v * v) AS s FROM t JOIN u ON t.k = u.k WHERE a * b > 7 OR v > 3";
    let expected = [
        "group all: sum((a * b) + (v * v)) as s",
        "  filter ((a * b) > 7) or (v > 3)",
        "    join on k = k",
        "      project k, a, b, a * b, (a * b) > 7",
        "        scan alice.t",
        "      project k, v, v * v, v > 3",
        "        scan bob.u",
    ];
    assert_eq!(moved(query), lines(&expected));
    // Where a row has no match, this is zero and not null.
    let query = "SELECT coalesce(v, 0) AS z, abs(v) AS y FROM t LEFT JOIN u ON t.k = u.k";
    let text = moved(query);
    assert!(
        text.starts_with("project coalesce(v, 0) as z, abs(v) as y")
            && text.contains("project k, v, abs(v)"),
        "{text}"
    );
}

/// A column that is computed below a filter may be null there, whatever the filter says of what it leaves.
#[test]
fn what_is_computed_on_a_side_is_not_known_there() {
    for query in [
        "SELECT t.k, abs(a) AS z FROM t JOIN u ON t.k = u.k WHERE abs(a) > v",
        "SELECT abs(v) AS z FROM t LEFT JOIN u ON t.k = u.k WHERE abs(v) > a",
        "SELECT sum(abs(a)) AS z FROM t JOIN u ON t.k = u.k WHERE abs(a) >= v",
    ] {
        let plan = after(query, rewritten).0;
        let mut plans = vec![&plan];
        let mut computed = 0;
        while let Some(plan) = plans.pop() {
            if let Node::Join { left, right, .. } = &plan.node {
                for side in [left, right] {
                    let added = side.fields.iter().filter(|field| field.name.starts_with("abs("));
                    computed += added.clone().count();
                    assert!(added.into_iter().all(|field| field.nullable), "{query}");
                }
            }
            plans.extend(plan.inputs());
        }
        assert_eq!(computed, 1, "{query}");
    }
}

#[test]
fn unused_columns_are_left_out() {
    let query = "SELECT s FROM (SELECT a + b AS s, k, count(*) AS n, max(b) AS m FROM t GROUP BY a + b, k) JOIN u ON u.k = s";
    let expected = [
        "project s",
        "  join on s = k",
        "    group by a + b as s, k: count(*) as n",
        "      scan alice.t",
        "    scan bob.u",
    ];
    assert_eq!(after(query, rewritten).1, lines(&expected));
}

#[test]
fn what_is_computed_has_the_name_that_it_is_selected_under() {
    let query = "SELECT a AS x, sum(b) AS s, max(k) - 1 AS m FROM t GROUP BY a HAVING count(*) > 2";
    let expected = [
        "project a as x, s, max(k) - 1 as m",
        "  filter count(*) > 2",
        "    group by a: count(*), sum(b) as s, max(k)",
        "      scan alice.t",
    ];
    assert_eq!(after(query, rewritten).1, lines(&expected));
}
