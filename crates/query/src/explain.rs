//! What a query does and discloses, for people to read before they consent.

use crate::catalog::Catalog;
use crate::kind::Kind;
use crate::lower::Shown;
use crate::plan::{
    Aggregate, Compute, Expr, Field, Function, Node, Operator, OrderKey, Plan, Query,
};
use std::fmt::Write as _;
use tacit_program::Meaning;

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
    let mut plan = String::new();
    write_plan(&query.plan, catalog, 0, &mut plan);
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
        Node::Join { right, on, .. } => {
            let keys: Vec<usize> = on.iter().map(|(_, column)| *column).collect();
            if !right.has_key(&keys, None) {
                let names: Vec<&str> =
                    keys.iter().map(|key| right.fields[*key].name.as_str()).collect();
                checked.push(format!(
                    "that no two rows on one side of a join have the same {}",
                    names.join(", ")
                ));
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
        Node::Filter { input, .. } | Node::Project { input, .. } | Node::First { input, .. } => {
            shown_groups(input)
        }
        _ => None,
    }
}

fn write_plan(plan: &Plan, catalog: &Catalog, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let line = match &plan.node {
        Node::Scan(table) => format!("table {}", catalog.tables[*table].full_name()),
        Node::Union(_) => "all rows of".to_owned(),
        Node::Filter { input, condition } => {
            format!("rows where {}", text(condition, &input.fields))
        }
        Node::Project { input, columns } => {
            // Columns as they are say nothing.
            let made = columns.iter().zip(&plan.fields).filter(|(column, field)| {
                !matches!(column.compute, Compute::Column(at) if input.fields[at].name == field.name)
            });
            let made: Vec<String> = made
                .map(|(column, field)| format!("{} = {}", field.name, text(column, &input.fields)))
                .collect();
            if made.is_empty() {
                return write_plan(input, catalog, depth, out);
            }
            format!("with {}", made.join(", "))
        }
        Node::Group { input, keys, aggregates } => {
            let keys: Vec<&str> = keys.iter().map(|key| input.fields[*key].name.as_str()).collect();
            let of: Vec<String> = aggregates
                .iter()
                .map(|aggregate| aggregate_text(aggregate, &input.fields))
                .collect();
            match (keys.is_empty(), of.is_empty()) {
                (true, _) => of.join(", "),
                (false, true) => format!("each {} once", keys.join(", ")),
                (false, false) => format!("by {}: {}", keys.join(", "), of.join(", ")),
            }
        }
        Node::Join { left, right, on, outer } => {
            format!("{} on {}", if *outer { "left join" } else { "join" }, keys(left, right, on))
        }
        Node::Match { left, right, on, anti } => {
            format!(
                "{} on {}",
                if *anti { "anti join" } else { "semi join" },
                keys(left, right, on)
            )
        }
        Node::First { input, by, rows } => format!("first {rows} by {}", order(by, &input.fields)),
    };
    let _ = writeln!(out, "{indent}{line}");
    plan.inputs().into_iter().for_each(|input| write_plan(input, catalog, depth + 1, out));
}

fn keys(left: &Plan, right: &Plan, on: &[(usize, usize)]) -> String {
    let name = |plan: &Plan, column: usize| match plan.fields[column].name.as_str() {
        "" => "an expression".to_owned(),
        name => name.to_owned(),
    };
    let pairs: Vec<String> =
        on.iter().map(|(a, b)| format!("{} = {}", name(left, *a), name(right, *b))).collect();
    pairs.join(", ")
}

fn order(by: &[OrderKey], fields: &[Field]) -> String {
    let key = |key: &OrderKey| {
        format!("{}{}", fields[key.column].name, if key.descending { " descending" } else { "" })
    };
    by.iter().map(key).collect::<Vec<_>>().join(", ")
}

fn aggregate_text(aggregate: &Aggregate, fields: &[Field]) -> String {
    let name = match aggregate.function {
        Function::Count => "count",
        Function::Sum => "sum",
        Function::Mean => "mean",
        Function::Min => "min",
        Function::Max => "max",
    };
    let of = aggregate.column.map_or("rows", |column| fields[column].name.as_str());
    format!("{name} of {}{of}", if aggregate.distinct { "distinct " } else { "" })
}

/// An expression, as SQL would have it.
fn text(expr: &Expr, fields: &[Field]) -> String {
    let of = |expr: &Expr| text(expr, fields);
    let list = |all: &[Expr]| all.iter().map(of).collect::<Vec<_>>().join(", ");
    match &expr.compute {
        Compute::Column(column) => {
            fields.get(*column).map_or_else(String::new, |field| field.name.clone())
        }
        Compute::Literal(None) => "null".to_owned(),
        Compute::Literal(Some(raw)) => literal(&expr.kind, *raw),
        Compute::Scalar(_) => "(subquery)".to_owned(),
        Compute::Convert(a) => of(a),
        Compute::Negate(a) => format!("-{}", of(a)),
        Compute::Absolute(a) => format!("abs({})", of(a)),
        Compute::Not(a) => format!("not {}", of(a)),
        Compute::IsNull(a) => format!("{} is null", of(a)),
        Compute::Binary(operator, a, b) => {
            let sign = match operator {
                Operator::Add => "+",
                Operator::Subtract => "-",
                Operator::Multiply => "*",
                Operator::Divide => "/",
                Operator::IntegerDivide => "//",
                Operator::Remainder => "%",
                Operator::Equal => "=",
                Operator::Less => "<",
                Operator::LessOrEqual => "<=",
                Operator::And => "and",
                Operator::Or => "or",
            };
            format!("({} {sign} {})", of(a), of(b))
        }
        Compute::Case(branches, last) => {
            let branches: Vec<String> = branches
                .iter()
                .map(|(when, then)| format!("when {} then {}", of(when), of(then)))
                .collect();
            format!("case {} else {} end", branches.join(" "), of(last))
        }
        Compute::Coalesce(all) => format!("coalesce({})", list(all)),
        Compute::Extreme { greatest, of: all } => {
            format!("{}({})", if *greatest { "greatest" } else { "least" }, list(all))
        }
        Compute::DatePart(part, a) => format!("{}({})", format!("{part:?}").to_lowercase(), of(a)),
    }
}

fn literal(kind: &Kind, raw: i128) -> String {
    match kind {
        Kind::Bit => (raw == 1).to_string(),
        Kind::Decimal { scale } => Meaning::Decimal(*scale).show(raw),
        Kind::Fixed { fraction } => (raw as f64 / 2f64.powi(i32::from(*fraction))).to_string(),
        Kind::Date => Meaning::Date.show(raw),
        Kind::Category(domain) => {
            domain.label(raw).map_or_else(|| raw.to_string(), |text| format!("'{text}'"))
        }
    }
}
