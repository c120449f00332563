//! What a query does and discloses, for people to read before they consent.

use crate::catalog::Catalog;
use crate::lower::Shown;
use crate::plan::{Aggregate, Function, Node, Plan, Query};
use crate::rewrite::rewritten;

/// What a query does and discloses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Its operators, an input below what reads it.
    pub plan: String,
    /// Who learns what.
    pub learned: Vec<String>,
    /// What everybody learns.
    pub public: Vec<String>,
    /// What the run checks; everybody learns whether all of it holds.
    pub checked: Vec<String>,
    /// What looks unwise, or slow, and what can be written instead.
    pub advice: Vec<String>,
}

/// Explains a query, of which `shown` is revealed.
#[must_use]
pub fn explain(query: &Query, catalog: &Catalog, shown: &Shown) -> Explained {
    let plan = rewritten(query.plan.clone()).text(catalog).to_string();
    let columns: Vec<&str> = shown.columns.iter().map(|column| column.name.as_str()).collect();
    let learn = if query.to.len() == 1 { "learns" } else { "learn" };
    let mut learned = vec![format!("{} {learn} {}", query.to.join(", "), columns.join(", "))];
    if shown.there.is_some() {
        let bound = query.max_rows.map_or(String::new(), |rows| format!(", of {rows} at most"));
        learned.push(format!("and how many rows there are{bound}"));
    }
    if shown.truncated.is_some() {
        learned.push("and whether there are more".to_owned());
    }
    if let Some(least) = query.min_rows {
        learned.push(format!("groups of fewer than {least} rows are left out"));
    }
    let mut scanned = Vec::new();
    let mut checked = Vec::new();
    visit(&query.plan, &mut |plan| match &plan.node {
        Node::Scan(table) if !scanned.contains(table) => scanned.push(*table),
        Node::Join { right, on, matches, .. } => {
            let keys: Vec<usize> = on.iter().map(|(_, column)| *column).collect();
            if *matches > 1 || !right.has_key(&keys, None) {
                let names: Vec<&str> =
                    keys.iter().map(|key| right.fields[*key].name.as_str()).collect();
                let names = names.join(", ");
                checked.push(match matches {
                    1 => format!("that no two rows on one side of a join have the same {names}"),
                    _ => format!("that not more than {matches} rows on one side of a join have the same {names}"),
                });
            }
        }
        _ => {}
    });
    let rows = |table: &usize| {
        let table = &catalog.tables[*table];
        let (least, most) = table.rows.clone().into_inner();
        format!("how many rows {} has, from {least} to {most}", table.full_name())
    };
    Explained {
        plan,
        learned,
        public: scanned.iter().map(rows).collect(),
        checked,
        advice: advice(query),
    }
}

fn visit<'p>(plan: &'p Plan, see: &mut impl FnMut(&'p Plan)) {
    see(plan);
    plan.inputs().into_iter().for_each(|input| visit(input, see));
}

/// What looks unwise or slow.
fn advice(query: &Query) -> Vec<String> {
    let mut advice = Vec::new();
    match shown_groups(&query.plan) {
        None => advice.push(
            "rows of tables are shown as they are, each of which may be about one person: aggregates of groups say less".to_owned(),
        ),
        Some((keys, aggregates)) => {
            if !keys.is_empty() && query.min_rows.is_none() {
                advice.push(
                    "groups may be of single rows, and what is shown of them is about one person then: SET min_rows = 10 leaves small groups out".to_owned(),
                );
            }
            let mean = aggregates.iter().any(|aggregate| aggregate.function == Function::Mean);
            let count = aggregates.iter().any(|aggregate| aggregate.function == Function::Count);
            if mean && count {
                advice.push(
                    "a mean and its count tell the sum: ask for sum and count instead, which need no division, and divide what is shown".to_owned(),
                );
            }
        }
    }
    advice
}

/// The groups that are shown: keys and aggregates, if what is shown are groups.
fn shown_groups(plan: &Plan) -> Option<(&[usize], &[Aggregate])> {
    match &plan.node {
        Node::Group { keys, aggregates, .. } if keys.is_empty() || !aggregates.is_empty() => {
            Some((keys, aggregates))
        }
        Node::Filter { input, .. }
        | Node::Project { input, .. }
        | Node::Window { input, .. }
        | Node::First { input, .. } => shown_groups(input),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;
    use crate::sql::parse;

    #[test]
    fn queries_say_what_they_disclose() {
        let file = "CREATE TABLE alice.people (id INT PRIMARY KEY CHECK (id BETWEEN 0 AND 99), plan ENUM ('a', 'b') NOT NULL) WITH (max_rows = 100);
            CREATE TABLE bob.visits (person INT NOT NULL CHECK (person BETWEEN 0 AND 99), cost DECIMAL(7, 2)) WITH (max_rows = 200);
            GRANT SELECT ON result TO alice, bob;
            SELECT p.plan, avg(v.cost) AS cost, count(*) AS n FROM visits v JOIN people p ON v.person = p.id GROUP BY p.plan";
        let (catalog, query) = parse("q", file).expect("a query");
        let shown = lower(&query, &catalog).expect("a program").shown;
        let explained = explain(&query, &catalog, &shown);
        assert_eq!(
            explained.learned,
            ["alice, bob learn plan, cost, n", "and how many rows there are"]
        );
        let rows = [
            "how many rows bob.visits has, from 0 to 200",
            "how many rows alice.people has, from 0 to 100",
        ];
        assert_eq!(explained.public, rows);
        assert_eq!(explained.checked, ["that no two rows on one side of a join have the same id"]);
        // Small groups, and a mean beside its count.
        assert_eq!(explained.advice.len(), 2);
    }
}
