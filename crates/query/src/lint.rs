//! What looks unwise in a query. Nothing is refused for it.
//!
//! | code | what it is about |
//! | --- | --- |
//! | D1 | values of single rows |
//! | D2 | a number about the rows of two parties that one of them learns |
//! | D3 | groups that may be of few rows |
//! | D4 | two numbers whose difference is about few rows |
//! | D5 | bounds that look as if they were taken from data |
//! | D7 | means beside what they are computed from |
//! | Q | what is hardly meant |
//!
//! Arrays in Python have the same codes, and D6 for promises, which queries do not make.

use crate::catalog::{Catalog, Column};
use crate::kind::Kind;
use crate::plan::{Aggregate, Compute, Expr, Function, Node, Plan, Query};
use std::fmt;

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// Its code, as `D3`.
    pub code: &'static str,
    /// What it is, and what to write instead.
    pub message: String,
}

/// The code, two spaces, and the message.
impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.code, self.message)
    }
}

/// All remarks on a query whose plan was [rewritten](crate::rewrite), in the order of their codes.
#[must_use]
pub fn lint(query: &Query, catalog: &Catalog) -> Vec<Lint> {
    let mut groups = Vec::new();
    let whole = shown_groups(&query.plan, &mut groups);
    let groups: Vec<Groups<'_>> = groups.into_iter().filter_map(Groups::of).collect();
    let mut found = Vec::new();
    let mut add = |code, messages: Vec<String>| {
        for message in messages {
            let lint = Lint { code, message };
            if !found.contains(&lint) {
                found.push(lint);
            }
        }
    };
    let of_each = |of: &dyn Fn(&Groups<'_>) -> Vec<String>| groups.iter().flat_map(of).collect();
    add("D1", single_rows(whole));
    add("D1", of_each(&single_values));
    add("D2", of_each(&|of| of_two_owners(of, query, catalog)));
    add("D3", of_each(&|of| small_groups(of, query)));
    add("D3", of_each(&|of| repeated_rows(of, query)));
    add("D4", of_each(&differences));
    add("D4", totals_beside_groups(query));
    add("D5", bounds_from_data(catalog));
    add("D7", of_each(&means));
    add("Q", compared_with_null(&query.plan));
    found
}

/// Groups of rows.
struct Groups<'p> {
    plan: &'p Plan,
    input: &'p Plan,
    keys: &'p [usize],
    aggregates: &'p [Aggregate],
}

impl<'p> Groups<'p> {
    fn of(plan: &'p Plan) -> Option<Self> {
        let Node::Group { input, keys, aggregates } = &plan.node else { return None };
        Some(Groups { plan, input, keys, aggregates })
    }

    /// The name of an aggregate.
    fn name(&self, number: usize) -> &'p str {
        &self.plan.fields[self.keys.len() + number].name
    }

    /// How the column of an aggregate is computed.
    fn argument(&self, of: &Aggregate) -> Option<Expr> {
        let column = of.column?;
        Some(match &self.input.node {
            Node::Project { columns, .. } => columns[column].clone(),
            _ => Expr::column(column, &self.input.fields, &of.span),
        })
    }
}

/// Adds the groups that are shown, and says whether all rows that are shown are such.
fn shown_groups<'p>(plan: &'p Plan, groups: &mut Vec<&'p Plan>) -> bool {
    match &plan.node {
        Node::Group { keys, aggregates, .. } if keys.is_empty() || !aggregates.is_empty() => {
            groups.push(plan);
            true
        }
        // Different rows: groups of rows that are equal.
        Node::Group { input, .. } => {
            if !shown_groups(input, &mut Vec::new()) {
                groups.push(plan);
            } else {
                shown_groups(input, groups);
            }
            true
        }
        Node::Scan(_) => false,
        Node::Match { left, .. } => shown_groups(left, groups),
        _ => {
            // Each of them is looked at.
            let inputs = plan.inputs().into_iter();
            let all: Vec<bool> = inputs.map(|input| shown_groups(input, groups)).collect();
            plan.exprs().into_iter().for_each(|expr| groups_of_values(expr, groups));
            all.into_iter().all(|groups| groups)
        }
    }
}

/// Adds the groups of subqueries that stand for values.
fn groups_of_values<'p>(expr: &'p Expr, groups: &mut Vec<&'p Plan>) {
    if let Compute::Scalar(plan) = &expr.compute {
        shown_groups(plan, groups);
    }
    expr.operands().into_iter().for_each(|operand| groups_of_values(operand, groups));
}

fn single_rows(groups: bool) -> Vec<String> {
    let what = "rows of tables are shown as they are, each of which may be about one person: aggregates of groups say less";
    if groups { Vec::new() } else { vec![what.to_owned()] }
}

/// Aggregates that are what a single row holds, or lie near it.
fn single_values(of: &Groups<'_>) -> Vec<String> {
    let single = |it: &Aggregate| {
        let bit = it.column.is_some_and(|column| of.input.fields[column].kind == Kind::Bit);
        let one = matches!(
            it.function,
            Function::Min | Function::Max | Function::Quantile(_) | Function::Best { .. }
        );
        one && !bit
    };
    let numbered = of.aggregates.iter().enumerate().filter(|(_, it)| single(it));
    let names: Vec<&str> = numbered.map(|(number, _)| of.name(number)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (verb, rows) = match (names.len(), of.keys.is_empty()) {
        (1, true) => ("is", "all rows"),
        (_, true) => ("are", "all rows"),
        (1, false) => ("is", "each group"),
        (_, false) => ("are", "each group"),
    };
    vec![format!(
        "{} {verb} what a single one of {rows} holds, or near it: counts by width_bucket say less, and so does a mean",
        names.join(", ")
    )]
}

/// The parties whose rows stand one after the other.
fn owners_of_rows<'c>(plan: &Plan, catalog: &'c Catalog) -> Vec<&'c str> {
    let mut owners: Vec<&str> = match &plan.node {
        Node::Scan(table) => {
            catalog.tables.get(*table).map(|it| it.owner.as_str()).into_iter().collect()
        }
        // Of joins only who knows both sides can compute a part alone: they are left out.
        Node::Join { .. } => Vec::new(),
        Node::Match { left, .. } => owners_of_rows(left, catalog),
        _ => plan.inputs().into_iter().flat_map(|input| owners_of_rows(input, catalog)).collect(),
    };
    owners.sort_unstable();
    owners.dedup();
    owners
}

fn of_two_owners(of: &Groups<'_>, query: &Query, catalog: &Catalog) -> Vec<String> {
    let [a, b] = owners_of_rows(of.input, catalog)[..] else { return Vec::new() };
    let numbered = of.aggregates.iter().enumerate();
    let additive = numbered.filter(|(_, it)| it.function.is_additive() && !it.distinct);
    let names: Vec<&str> = additive.map(|(number, _)| of.name(number)).collect();
    let learns = |party: &str| query.to.iter().any(|to| to == party);
    let (who, other) = match (learns(a), learns(b)) {
        _ if names.is_empty() => return Vec::new(),
        (true, true) => (format!("{a} and {b}"), "own parts out of them, and learn each other's"),
        (true, false) => (a.to_owned(), "own part out of them, and learn the other's"),
        (false, true) => (b.to_owned(), "own part out of them, and learn the other's"),
        (false, false) => return Vec::new(),
    };
    let names = names.join(", ");
    vec![format!(
        "{names}: of the rows of {a} and {b} alone, and {who} can take their {other}: with a third party's rows nobody could"
    )]
}

fn small_groups(of: &Groups<'_>, query: &Query) -> Vec<String> {
    let what = "groups may be of single rows, and what is shown of them is about one person then: SET min_rows = 10 leaves small groups out";
    let bare = !of.keys.is_empty() && query.min_rows.unwrap_or(0) < 2;
    if bare { vec![what.to_owned()] } else { Vec::new() }
}

/// Rows of groups that may be there several times.
fn repeated_rows(of: &Groups<'_>, query: &Query) -> Vec<String> {
    let what = "min_rows counts rows as joins and UNION ALL leave them: a row of one side that is there several times counts as often, and a group may be of that one row";
    let mut scans = Vec::new();
    let repeats =
        joins(of.input, &mut scans) || (1..scans.len()).any(|i| scans[..i].contains(&scans[i]));
    let shown = query.min_rows.is_some() && !of.keys.is_empty() && repeats;
    if shown { vec![what.to_owned()] } else { Vec::new() }
}

/// Whether there is a join in a plan, and the tables that it reads.
fn joins(plan: &Plan, scans: &mut Vec<usize>) -> bool {
    match &plan.node {
        Node::Scan(table) => scans.push(*table),
        Node::Match { left, .. } => return joins(left, scans),
        _ => {}
    }
    let below: Vec<bool> = plan.inputs().into_iter().map(|input| joins(input, scans)).collect();
    matches!(plan.node, Node::Join { .. }) || below.contains(&true)
}

/// Aggregates of which one is of some of the rows that the other is of.
fn differences(of: &Groups<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (number, some) in of.aggregates.iter().enumerate() {
        let Some(kept) = of.argument(some).and_then(|it| kept(&it)) else { continue };
        let all = of.aggregates.iter().position(|all| {
            let same = match of.argument(all) {
                Some(argument) => argument.same(&kept),
                None => matches!(kept.compute, Compute::Literal(Some(_))),
            };
            let adds_up = matches!(some.function, Function::Count | Function::Sum);
            same && all.function == some.function && adds_up
        });
        if let Some(all) = all {
            let (some, all) = (of.name(number), of.name(all));
            found.push(format!(
                "{all} less {some} is about the rows that only {all} is of, which may be few"
            ));
        }
    }
    found
}

/// What counts where a condition holds, and else is null.
fn kept(of: &Expr) -> Option<Expr> {
    let Compute::Case(branches, last) = &of.compute else { return None };
    match (branches.as_slice(), &last.compute) {
        ([(_, value)], Compute::Literal(None)) => Some(value.clone()),
        _ => None,
    }
}

/// Totals that are computed into groups of which small ones are left out.
fn totals_beside_groups(query: &Query) -> Vec<String> {
    let what = "a total of all rows is computed into groups of which small ones are left out: what is shown may tell what these have, together";
    let shown = query.min_rows.is_some() && has_total(&query.plan);
    if shown { vec![what.to_owned()] } else { Vec::new() }
}

/// Whether there is a total in an expression above groups.
fn has_total(plan: &Plan) -> bool {
    match &plan.node {
        Node::Group { .. } => false,
        Node::Project { input, columns } => columns.iter().any(is_total) || has_total(input),
        _ => plan.inputs().into_iter().any(has_total),
    }
}

fn is_total(expr: &Expr) -> bool {
    matches!(expr.compute, Compute::Scalar(_)) || expr.operands().into_iter().any(is_total)
}

/// Ranges of columns that nobody would write without a look at the values.
fn bounds_from_data(catalog: &Catalog) -> Vec<String> {
    let columns = catalog
        .tables
        .iter()
        .flat_map(|table| table.columns.iter().map(move |column| (table.name.as_str(), column)));
    let odd = columns.filter(|(_, column)| is_odd(column));
    let message = |(table, column): (&str, &Column)| {
        format!(
            "the bounds of {table}.{} look as if they were taken from data, and everybody sees them: rounder, wider ones say less",
            column.name
        )
    };
    odd.map(message).collect()
}

/// Whether both ends of a range are numbers that are not round.
fn is_odd(column: &Column) -> bool {
    let (low, high) = (*column.range.start(), *column.range.end());
    let Kind::Decimal { scale } = column.kind else { return false };
    let is_year = |end: i128| scale == 0 && (1000..3000).contains(&end);
    [low, high].into_iter().all(|end| !is_round(end) && !is_year(end))
}

/// Whether a number has at most three digits that are not zero or nine at its end, or is one that types have.
fn is_round(raw: i128) -> bool {
    let size = raw.unsigned_abs();
    let near = |of: u128| of.is_power_of_two() || of < 1000 || digits(of) < 1000;
    near(size) || near(size + 1)
}

/// A number without zeros at its end.
fn digits(mut of: u128) -> u128 {
    while of > 0 && of.is_multiple_of(10) {
        of /= 10;
    }
    of
}

/// Means beside counts or sums of the same.
fn means(of: &Groups<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (number, mean) in of.aggregates.iter().enumerate() {
        if mean.function != Function::Mean {
            continue;
        }
        let beside = of.aggregates.iter().position(|it| match it.function {
            Function::Count if it.column.is_none() => {
                let nullable = |column: usize| of.input.fields[column].nullable;
                !it.distinct && mean.column.is_some_and(|column| !nullable(column))
            }
            Function::Count => !it.distinct && it.column == mean.column,
            Function::Sum => !it.distinct && it.column == mean.column,
            _ => false,
        });
        if let Some(beside) = beside {
            let (mean, beside) = (of.name(number), of.name(beside));
            found.push(format!(
                "{mean} is a quotient, and {beside} beside it tells what it is computed from: ask for the sum and the count instead, which need no division, and divide what is shown"
            ));
        }
    }
    found
}

/// Comparisons with the word NULL, which are true of nothing.
fn compared_with_null(plan: &Plan) -> Vec<String> {
    let below = plan.inputs().into_iter().flat_map(compared_with_null);
    let mut found: Vec<String> = below.collect();
    if plan.exprs().into_iter().any(|expr| is_compared_with_null(expr, false)) {
        let what = "a comparison with NULL is true of no row: IS NULL and IS NOT NULL ask for what is missing";
        found.push(what.to_owned());
    }
    found
}

/// Whether an expression is never true as something is compared with null, or never false: beside other conditions that may be meant.
fn is_compared_with_null(expr: &Expr, never: bool) -> bool {
    use crate::plan::Operator::{And, Equal, Less, LessOrEqual, Or};
    let null = |of: &Expr| matches!(of.compute, Compute::Literal(None));
    match &expr.compute {
        Compute::Binary(Equal | Less | LessOrEqual, a, b) => null(a) || null(b),
        Compute::Binary(operator @ (And | Or), a, b) if (*operator == Or) == never => {
            is_compared_with_null(a, never) || is_compared_with_null(b, never)
        }
        Compute::Not(of) => is_compared_with_null(of, !never),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::lint;
    use crate::plan::Query;
    use crate::rewrite::rewritten;
    use crate::sql::parse;

    const TABLES: &str = "CREATE TABLE alice.t (plan ENUM ('a', 'b') NOT NULL, pay INT CHECK (pay BETWEEN 0 AND 9999), m BOOLEAN NOT NULL) WITH (max_rows = 100);
        CREATE TABLE bob.t (LIKE alice.t);
        CREATE TABLE carol.t (LIKE alice.t);
        CREATE TABLE alice.u (plan ENUM ('a', 'b') NOT NULL, pay INT CHECK (pay BETWEEN 0 AND 9999)) WITH (max_rows = 100);
        CREATE TABLE bob.u (LIKE alice.u);";

    /// The codes of what is remarked, and all of it.
    fn lints(to: &str, query: &str) -> (Vec<&'static str>, String) {
        let file = format!("{TABLES} GRANT SELECT ON result TO {to}; {query}");
        let (catalog, query) = parse("q", &file).expect("a query");
        let query = Query { plan: rewritten(query.plan.clone()), ..query };
        let found = lint(&query, &catalog);
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        (found.iter().map(|it| it.code).collect(), texts.join("\n"))
    }

    fn codes(query: &str) -> Vec<&'static str> {
        lints("alice", query).0
    }

    #[test]
    fn single_rows_and_values() {
        assert_eq!(codes("SELECT sum(pay) AS s FROM t"), [""; 0]);
        assert_eq!(codes("SELECT plan, pay FROM t"), ["D1"]);
        assert_eq!(codes("SELECT median(pay) AS m, bool_or(m) AS b FROM t"), ["D1"]);
        let (found, text) = lints(
            "alice",
            "SET min_rows = 3; SELECT plan, max(pay) AS m, arg_max(plan, pay) AS p FROM t GROUP BY plan",
        );
        assert_eq!(found, ["D1"]);
        assert!(text.starts_with("D1  m, p are what a single one of each group holds"), "{text}");
        assert_eq!(codes("SELECT count(*) AS n FROM t UNION ALL SELECT pay FROM t"), ["D1"]);
    }

    #[test]
    fn numbers_about_two_owners() {
        let (found, text) = lints(
            "alice",
            "SELECT sum(pay) AS s FROM u JOIN (SELECT plan AS p, count(*) AS c FROM t GROUP BY plan) ON plan = p",
        );
        assert_eq!(found, [""; 0], "{text}");
        let sum = "SELECT sum(pay) AS s FROM u WHERE pay > 3";
        assert_eq!(lints("alice", sum).0, ["D2"]);
        assert_eq!(lints("bob, alice", sum).0, ["D2"]);
        assert!(lints("bob, alice", sum).1.contains("learn each other's"));
        assert_eq!(lints("carol", sum).0, [""; 0]);
        assert_eq!(codes("SELECT count(DISTINCT pay) AS s FROM u"), [""; 0]);
    }

    #[test]
    fn small_groups() {
        let groups = "SELECT plan, count(*) AS n FROM t GROUP BY plan";
        assert_eq!(codes(groups), ["D3"]);
        assert_eq!(codes(&format!("SET min_rows = 10; {groups}")), [""; 0]);
    }

    #[test]
    fn differences_and_totals() {
        let (found, text) =
            lints("alice", "SELECT count(*) AS n, count(*) FILTER (WHERE pay > 9) AS rich FROM t");
        assert_eq!(found, ["D4"]);
        assert!(text.contains("n less rich"), "{text}");
        assert_eq!(codes("SELECT sum(pay) AS s, sum(pay) FILTER (WHERE m) AS x FROM t"), ["D4"]);
        assert_eq!(codes("SELECT sum(pay) AS s, count(*) FILTER (WHERE m) AS x FROM t"), [""; 0]);
        let parts = "SELECT plan, count(*) - (SELECT count(*) FROM t) AS n FROM t GROUP BY plan";
        assert_eq!(codes(&format!("SET min_rows = 9; {parts}")), ["D4"]);
    }

    #[test]
    fn bounds_that_look_like_data() {
        let of = |kind: &str, low: &str, high: &str| {
            let file = format!(
                "CREATE TABLE a.t (x {kind} CHECK (x BETWEEN {low} AND {high})) WITH (max_rows = 9); GRANT SELECT ON result TO a; SELECT sum(x) AS s FROM t"
            );
            let (catalog, query) = parse("q", &file).expect("a query");
            lint(&query, &catalog).into_iter().map(|it| it.code).collect::<Vec<_>>()
        };
        assert_eq!(of("DECIMAL(12, 2)", "12.37", "81203.19"), ["D5"]);
        assert_eq!(of("DECIMAL(12, 2)", "0", "81203.19"), [""; 0]);
        assert_eq!(of("DECIMAL(12, 2)", "-99999.99", "99999.99"), [""; 0]);
        assert_eq!(of("INT", "1940", "2019"), [""; 0]);
        assert_eq!(of("INT", "41873", "90177"), ["D5"]);
    }

    #[test]
    fn comparisons_with_null() {
        assert_eq!(codes("SELECT count(*) AS n FROM t WHERE NOT pay = NULL"), ["Q"]);
        assert_eq!(codes("SELECT count(*) AS n FROM t WHERE pay NOT IN (1, NULL)"), ["Q"]);
        assert_eq!(codes("SELECT count(*) AS n FROM t WHERE pay IS NULL"), [""; 0]);
        assert_eq!(codes("SELECT count(*) AS n FROM t WHERE m OR pay = NULL"), [""; 0]);
    }

    #[test]
    fn means_beside_sums_and_counts() {
        assert_eq!(codes("SELECT avg(pay) AS m, count(pay) AS n FROM t"), ["D7"]);
        assert_eq!(
            codes("SELECT avg(CASE WHEN m THEN 1 ELSE 0 END) AS m, count(*) AS n FROM t"),
            ["D7"]
        );
        assert_eq!(codes("SELECT avg(pay) AS m, count(*) AS n FROM t"), [""; 0]);
        assert_eq!(codes("SELECT avg(pay) AS m, sum(pay) AS s FROM t"), ["D7"]);
        assert_eq!(codes("SELECT avg(pay) AS m, stddev(pay) AS s FROM t"), [""; 0]);
    }
}
