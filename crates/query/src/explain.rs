//! What a query does and discloses, for people to read before they consent.

use crate::catalog::Catalog;
use crate::lint::lint;
use crate::lower::Lowered;
use crate::plan::{Node, Plan, Query};
use crate::rewrite::rewritten;
use tacit_program::derived::computed;

/// What a query does and discloses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Its operators, an input below what reads it.
    pub plan: String,
    /// Who learns what.
    pub learned: Vec<String>,
    /// What everybody learns.
    pub public: Vec<String>,
    /// What owners compute of their texts themselves, and what goes in of it.
    pub computed: Vec<String>,
    /// What the run checks; everybody learns whether all of it holds.
    pub checked: Vec<String>,
    /// What looks unwise, or slow, and what can be written instead: each begins with a code of [`lint`].
    pub advice: Vec<String>,
}

/// Explains a query, as what it was lowered to.
#[must_use]
pub fn explain(query: &Query, catalog: &Catalog, lowered: &Lowered) -> Explained {
    let shown = &lowered.shown;
    let query = &Query { plan: rewritten(query.plan.clone()), ..query.clone() };
    let plan = query.plan.text(catalog).to_string();
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
        if table.there.is_some() {
            return format!("that {} has {most} rows at most, and not how many", table.full_name());
        }
        format!("how many rows {} has, from {least} to {most}", table.full_name())
    };
    Explained {
        plan,
        learned,
        public: scanned.iter().map(rows).collect(),
        computed: computed(&lowered.program),
        checked,
        advice: lint(query, catalog).iter().map(ToString::to_string).collect(),
    }
}

fn visit<'p>(plan: &'p Plan, see: &mut impl FnMut(&'p Plan)) {
    see(plan);
    plan.inputs().into_iter().for_each(|input| visit(input, see));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;
    use crate::sql::parse;

    #[test]
    fn queries_say_what_they_disclose() {
        let file = "CREATE TABLE alice.people (id INT PRIMARY KEY CHECK (id BETWEEN 0 AND 99), plan ENUM ('a', 'b') NOT NULL) WITH (max_rows = 100);
            CREATE TABLE bob.visits (person INT NOT NULL CHECK (person BETWEEN 0 AND 99), cost DECIMAL(7, 2) NOT NULL) WITH (max_rows = 200);
            GRANT SELECT ON result TO alice, bob;
            SELECT p.plan, avg(v.cost) AS cost, count(*) AS n FROM visits v JOIN people p ON v.person = p.id GROUP BY p.plan";
        let (catalog, query) = parse("q", file).expect("a query");
        let lowered = lower(&query, &catalog).expect("a program");
        let explained = explain(&query, &catalog, &lowered);
        assert_eq!(explained.computed, Vec::<String>::new());
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
        let codes: Vec<&str> = explained.advice.iter().map(|it| &it[..4]).collect();
        assert_eq!(codes, ["D3  ", "D7  "]);
        let plan = [
            "group by plan: mean(cost) as cost, count(*) as n",
            "  join on person = id",
            "    scan bob.visits",
            "    scan alice.people",
        ];
        assert_eq!(explained.plan, plan.join("\n"));
    }
}
