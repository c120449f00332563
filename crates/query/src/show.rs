//! Plans as texts, for people: one operator per line, its inputs indented below it.

use crate::catalog::Catalog;
use crate::kind::Kind;
use crate::plan::{
    Aggregate, Call, Compute, Expr, Field, Frame, Function, Node, Operator, OrderKey, Plan,
    Quantile, Ranged, Spread, Together,
};
use chrono::NaiveDate;
use std::fmt;

/// A plan with the tables that it reads, as a text.
#[derive(Clone, Copy, Debug)]
pub struct PlanText<'a> {
    plan: &'a Plan,
    catalog: Option<&'a Catalog>,
}

impl Plan {
    /// The plan as a text in which tables have their names. Without a catalog they have their numbers.
    #[must_use]
    pub fn text<'a>(&'a self, catalog: &'a Catalog) -> PlanText<'a> {
        PlanText { plan: self, catalog: Some(catalog) }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PlanText { plan: self, catalog: None }.fmt(f)
    }
}

impl fmt::Display for PlanText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.lines().into_iter().map(|(_, line)| line).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl<'a> PlanText<'a> {
    /// The lines, and the operator of each.
    pub(crate) fn lines(&self) -> Vec<(&'a Plan, String)> {
        let mut lines = Vec::new();
        self.add_lines(self.plan, 0, &mut lines);
        lines
    }

    fn add_lines(&self, plan: &'a Plan, depth: usize, lines: &mut Vec<(&'a Plan, String)>) {
        lines.push((plan, format!("{}{}", "  ".repeat(depth), self.operator(plan))));
        for input in plan.inputs() {
            // What groups are computed from stands in their own line.
            let input = match (&plan.node, &input.node) {
                (Node::Group { .. }, Node::Project { input, .. }) => input,
                _ => input,
            };
            self.add_lines(input, depth + 1, lines);
        }
    }

    /// A column, or how it is computed where the plan only does that.
    fn term(&self, plan: &Plan, column: usize) -> String {
        match &plan.node {
            Node::Project { input, columns } => self.expr(&columns[column], &input.fields),
            _ => name(&plan.fields, column).to_owned(),
        }
    }

    fn aggregate(&self, of: &Aggregate, input: &Plan) -> String {
        let function = named(of.function);
        let columns = of.columns().into_iter().map(|column| bare(self.term(input, column)));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let columns = if columns.is_empty() { "*" } else { &columns };
        format!("{function}({}{columns})", if of.distinct { "distinct " } else { "" })
    }

    fn operator(&self, plan: &Plan) -> String {
        match &plan.node {
            Node::Scan(number) => {
                match self.catalog.and_then(|catalog| catalog.tables.get(*number)) {
                    Some(table) => format!("scan {}", table.full_name()),
                    None => format!("scan table {number}"),
                }
            }
            Node::Union(_) => "union".to_owned(),
            Node::Filter { input, condition } => {
                format!("filter {}", bare(self.expr(condition, &input.fields)))
            }
            Node::Project { input, columns } => {
                let columns = columns
                    .iter()
                    .zip(&plan.fields)
                    .map(|(column, field)| called(bare(self.expr(column, &input.fields)), field));
                format!("project {}", columns.collect::<Vec<_>>().join(", "))
            }
            Node::Group { input, keys, aggregates } => {
                let (of_keys, of_made) = plan.fields.split_at(keys.len());
                let keys = keys.iter().zip(of_keys);
                let keys: Vec<String> =
                    keys.map(|(key, field)| called(bare(self.term(input, *key)), field)).collect();
                let made = aggregates.iter().zip(of_made);
                let made = made.map(|(it, field)| called(self.aggregate(it, input), field));
                let made = made.collect::<Vec<_>>().join(", ");
                match (keys.is_empty(), made.is_empty()) {
                    (true, _) => format!("group all: {made}"),
                    (false, true) => format!("group by {}", keys.join(", ")),
                    (false, false) => format!("group by {}: {made}", keys.join(", ")),
                }
            }
            Node::Join { left, right, on, outer, matches } => {
                let what = if *outer { "left join" } else { "join" };
                let most =
                    if *matches > 1 { format!(" of {matches} rows each") } else { String::new() };
                format!("{what}{most} on {}", pairs(left, right, on))
            }
            Node::Match { left, right, on, anti } => {
                let what = if *anti { "anti join" } else { "semi join" };
                format!("{what} on {}", pairs(left, right, on))
            }
            Node::Window { input, partition, by, calls } => {
                let partition: Vec<&str> =
                    partition.iter().map(|column| name(&input.fields, *column)).collect();
                let by: Vec<String> = by.iter().map(|key| order(key, &input.fields)).collect();
                let mut what = "window".to_owned();
                if !partition.is_empty() {
                    what += &format!(" by {}", partition.join(", "));
                }
                if !by.is_empty() {
                    what += &format!(" ordered by {}", by.join(", "));
                }
                let calls = calls.iter().zip(&plan.fields[input.fields.len()..]);
                let calls = calls.map(|(it, field)| called(call(it, &input.fields), field));
                format!("{what}: {}", calls.collect::<Vec<_>>().join(", "))
            }
            Node::First { input, by, rows } => {
                let by: Vec<String> = by.iter().map(|key| order(key, &input.fields)).collect();
                format!("first {rows} by {}", by.join(", "))
            }
        }
    }

    /// An expression on rows of some fields.
    fn expr(&self, expr: &Expr, fields: &[Field]) -> String {
        let show = |expr: &Expr| self.expr(expr, fields);
        let list = |of: &[Expr]| of.iter().map(show).collect::<Vec<_>>().join(", ");
        match &expr.compute {
            Compute::Column(column) => name(fields, *column).to_owned(),
            Compute::Literal(raw) => {
                raw.map_or_else(|| "null".to_owned(), |raw| value(&expr.kind, raw))
            }
            Compute::Scalar(plan) => {
                let lines = PlanText { plan, catalog: self.catalog }.lines();
                let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_start()).collect();
                format!("({})", lines.join(" < "))
            }
            Compute::Convert(a) => format!("{}::{}", show(a), kind(&expr.kind)),
            Compute::Negate(a) => format!("-{}", show(a)),
            Compute::Absolute(a) => format!("abs({})", show(a)),
            // What is compared stands first.
            Compute::Binary(Operator::Less, a, b) if matches!(a.compute, Compute::Literal(_)) => {
                format!("({} > {})", show(b), show(a))
            }
            Compute::Binary(Operator::LessOrEqual, a, b)
                if matches!(a.compute, Compute::Literal(_)) =>
            {
                format!("({} >= {})", show(b), show(a))
            }
            Compute::Binary(operator, a, b) => {
                format!("({} {} {})", show(a), symbol(*operator), show(b))
            }
            Compute::Not(a) => match &a.compute {
                Compute::IsNull(of) => format!("({} is not null)", show(of)),
                Compute::Binary(Operator::Equal, a, b) => format!("({} <> {})", show(a), show(b)),
                _ => format!("not {}", show(a)),
            },
            Compute::IsNull(a) => format!("({} is null)", show(a)),
            Compute::Case(branches, last) => {
                let branches: String = branches
                    .iter()
                    .map(|(condition, value)| {
                        format!(" when {} then {}", show(condition), show(value))
                    })
                    .collect();
                format!("case{branches} else {} end", show(last))
            }
            Compute::Coalesce(of) => format!("coalesce({})", list(of)),
            Compute::Extreme { greatest, of } => {
                format!("{}({})", if *greatest { "greatest" } else { "least" }, list(of))
            }
            Compute::Root(a) => format!("sqrt({})", bare(show(a))),
            Compute::Bucket(a, edges) => {
                let edges = edges.iter().map(|edge| value(&a.kind, *edge));
                let edges = edges.collect::<Vec<_>>().join(", ");
                format!("width_bucket({}, [{edges}])", bare(show(a)))
            }
            Compute::OfText(function, a) => function.of(&show(a)),
            Compute::DatePart(part, a) => {
                format!("{}({})", format!("{part:?}").to_lowercase(), show(a))
            }
        }
    }
}

fn name(fields: &[Field], column: usize) -> &str {
    fields.get(column).map_or("?", |field| &field.name)
}

/// An expression without the brackets around all of it.
fn bare(text: String) -> String {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return text;
    };
    let (mut depth, mut quoted) = (0, false);
    for character in inner.chars() {
        match character {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        // The first bracket is closed before the end.
        if depth < 0 {
            return text;
        }
    }
    inner.to_owned()
}

/// A value with its name, where that is another one than what it is.
fn called(value: String, field: &Field) -> String {
    if field.name.is_empty() || bare(field.name.clone()) == value {
        return value;
    }
    format!("{value} as {}", field.name)
}

fn pairs(left: &Plan, right: &Plan, on: &[(usize, usize)]) -> String {
    let pairs: Vec<String> = on
        .iter()
        .map(|(a, b)| format!("{} = {}", name(&left.fields, *a), name(&right.fields, *b)))
        .collect();
    pairs.join(" and ")
}

fn order(key: &OrderKey, fields: &[Field]) -> String {
    let descending = if key.descending { " desc" } else { "" };
    let nulls = if key.nulls_first { " nulls first" } else { "" };
    format!("{}{descending}{nulls}", name(fields, key.column))
}

pub(crate) fn call(of: &Call, fields: &[Field]) -> String {
    let column = of.column.map_or("*", |column| name(fields, column));
    let frame = |frame| match frame {
        Frame::Whole => " of all".to_owned(),
        Frame::Peers => " up to peers".to_owned(),
        Frame::Rows => " up to rows".to_owned(),
        Frame::Last(rows) => format!(" of rows and {rows} before"),
    };
    match of.function {
        Ranged::Number => "row number".to_owned(),
        Ranged::Rank => "rank".to_owned(),
        Ranged::DenseRank => "dense rank".to_owned(),
        Ranged::Shift(by) => {
            format!("{column} {} {}", by.abs(), if by < 0 { "before" } else { "after" })
        }
        Ranged::First => format!("first({column})"),
        Ranged::Last(of) => format!("last({column}){}", frame(of)),
        Ranged::Aggregate(function, of) => {
            format!("{}({column}){}", named(function), frame(of))
        }
    }
}

fn named(function: Function) -> String {
    match function {
        Function::Count => "count".to_owned(),
        Function::Sum => "sum".to_owned(),
        Function::Mean => "mean".to_owned(),
        Function::Min => "min".to_owned(),
        Function::Max => "max".to_owned(),
        Function::Spread(Spread { sample, root }) => {
            let name = if root { "stddev" } else { "var" };
            format!("{name}_{}", if sample { "samp" } else { "pop" })
        }
        Function::Together(Together::Covariance { sample: true }) => "covar_samp".to_owned(),
        Function::Together(Together::Covariance { sample: false }) => "covar_pop".to_owned(),
        Function::Together(Together::Correlation) => "corr".to_owned(),
        Function::Best { greatest } => if greatest { "arg_max" } else { "arg_min" }.to_owned(),
        Function::Quantile(Quantile { numerator, denominator, between }) => {
            let name = if between { "quantile_cont" } else { "quantile_disc" };
            format!("{name}[{numerator}/{denominator}]")
        }
    }
}

/// An expression of some fields, as a name.
pub(crate) fn expr(of: &Expr, fields: &[Field]) -> String {
    let nothing = Plan { fields: fields.to_vec(), ..Plan::nothing() };
    PlanText { plan: &nothing, catalog: None }.expr(of, fields)
}

/// What an aggregate is, as a name.
pub(crate) fn aggregate(of: &Aggregate, input: &Plan) -> String {
    PlanText { plan: input, catalog: None }.aggregate(of, input)
}

fn symbol(operator: Operator) -> &'static str {
    match operator {
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
    }
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Bit => "bit".to_owned(),
        Kind::Decimal { scale: 0 } => "int".to_owned(),
        Kind::Decimal { scale } => format!("dec{scale}"),
        Kind::Fixed { fraction } => format!("fix{fraction}"),
        Kind::Date => "date".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Category(domain) => domain.name.clone(),
    }
}

/// A raw value, as people write it.
fn value(kind: &Kind, raw: i128) -> String {
    match kind {
        Kind::Bit => (raw != 0).to_string(),
        Kind::Text => format!("text {raw:016x}"),
        Kind::Decimal { scale: 0 } => raw.to_string(),
        Kind::Decimal { scale } => {
            let digits = usize::from(*scale);
            let shown = format!("{:0>width$}", raw.unsigned_abs(), width = digits + 1);
            let (whole, part) = shown.split_at(shown.len() - digits);
            format!("{}{whole}.{part}", if raw < 0 { "-" } else { "" })
        }
        Kind::Fixed { fraction } => format!("{raw}/2^{fraction}"),
        Kind::Date => {
            let date = i32::try_from(raw).ok().and_then(NaiveDate::from_epoch_days);
            date.map_or_else(|| raw.to_string(), |date| date.to_string())
        }
        Kind::Category(domain) => {
            format!("'{}'", domain.label(raw).unwrap_or_else(|| raw.to_string()))
        }
    }
}
