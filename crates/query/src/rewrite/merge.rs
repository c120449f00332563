//! Columns that are computed of columns, put together: a projection of a projection is one, and one that changes nothing is none.

use super::with_inputs;
use crate::plan::{Compute, Expr, Field, Node, Plan};
use tacit_program::Span;

/// A plan with as few projections as may be, near what is shown.
pub(super) fn merged(plan: Plan) -> Plan {
    settled(with_inputs(plan, merged))
}

/// A plan whose inputs are merged already.
fn settled(plan: Plan) -> Plan {
    let Plan { node, fields, span } = plan;
    match node {
        Node::Project { input, columns } => project(*input, columns, fields, span),
        Node::Filter { input, condition } => filter(*input, condition, fields, span),
        Node::Match { left, right, on, anti } => match chosen(*left) {
            (left, Some((places, of))) => {
                let on = on.iter().map(|(a, b)| (places[*a], *b)).collect();
                let inner = left.fields.clone();
                let node = Node::Match { left: Box::new(left), right, on, anti };
                let matched = Plan { node, fields: inner, span: span.clone() };
                columns_of(settled(matched), &places, of, span)
            }
            (left, None) => {
                let left = Box::new(left);
                Plan { node: Node::Match { left, right, on, anti }, fields, span }
            }
        },
        Node::Join { left, right, on, outer, matches } => {
            let (left, of_left) = taken(*left);
            let (right, of_right) = taken(*right);
            let on = on.iter().map(|(a, b)| (of_left[*a], of_right[*b])).collect();
            let width = left.fields.len();
            let inner = left.fields.iter().cloned();
            let others = right.fields.iter().cloned();
            let others = others.map(|it| Field { nullable: it.nullable || outer, ..it });
            let inner = inner.chain(others).collect();
            let places: Vec<usize> =
                of_left.into_iter().chain(of_right.into_iter().map(|it| width + it)).collect();
            let (left, right) = (Box::new(left), Box::new(right));
            let node = Node::Join { left, right, on, outer, matches };
            let joined = Plan { node, fields: inner, span: span.clone() };
            columns_of(joined, &places, fields, span)
        }
        node => Plan { node, fields, span },
    }
}

/// A projection, without the one below where what that computes is used once.
fn project(input: Plan, columns: Vec<Expr>, fields: Vec<Field>, span: Span) -> Plan {
    if let Node::Project { columns: of, .. } = &input.node
        && used_once(&columns, of)
    {
        let Node::Project { input, columns: of } = input.node else { return Plan::nothing() };
        let columns = columns.into_iter().map(|column| replaced(column, &of)).collect();
        return project(*input, columns, fields, span);
    }
    let same = columns.len() == input.fields.len();
    let in_place = |(place, column): (usize, &Expr)| matches!(column.compute, Compute::Column(number) if number == place);
    if same && columns.iter().enumerate().all(in_place) {
        return Plan { fields, ..input };
    }
    Plan { node: Node::Project { input: Box::new(input), columns }, fields, span }
}

/// A filter, below the projection that it is of where that costs nothing. None where the condition always holds.
fn filter(input: Plan, condition: Expr, fields: Vec<Field>, span: Span) -> Plan {
    if matches!(condition.compute, Compute::Literal(Some(1))) {
        return input;
    }
    let mut used = vec![false; input.fields.len()];
    condition.mark_columns(&mut used);
    match input.node {
        Node::Project { input: inner, columns }
            if columns.iter().zip(&used).all(|(column, used)| !used || is_plain(column)) =>
        {
            let condition = replaced(condition, &columns);
            let inner_fields = inner.fields.clone();
            project(filter(*inner, condition, inner_fields, span.clone()), columns, fields, span)
        }
        node => {
            let input = Box::new(Plan { node, ..input });
            Plan { node: Node::Filter { input, condition }, fields, span }
        }
    }
}

/// The columns that are chosen, by number, and what they are called then.
type Choice = (Vec<usize>, Vec<Field>);

/// What a projection chooses from, and what it chooses, if it computes nothing.
fn chosen(plan: Plan) -> (Plan, Option<Choice>) {
    let Node::Project { columns, .. } = &plan.node else { return (plan, None) };
    let place = |column: &Expr| match column.compute {
        Compute::Column(number) => Some(number),
        _ => None,
    };
    let Some(places) = columns.iter().map(place).collect() else { return (plan, None) };
    match plan.node {
        Node::Project { input, .. } => (*input, Some((places, plan.fields))),
        _ => (Plan::nothing(), None),
    }
}

/// What a projection chooses from, and where its columns are there.
fn taken(plan: Plan) -> (Plan, Vec<usize>) {
    let width = plan.fields.len();
    match chosen(plan) {
        (plan, Some((places, _))) => (plan, places),
        (plan, None) => (plan, (0..width).collect()),
    }
}

/// Columns of a plan under other names.
fn columns_of(input: Plan, places: &[usize], fields: Vec<Field>, span: Span) -> Plan {
    let columns = places.iter().map(|place| Expr::column(*place, &input.fields, &span)).collect();
    project(input, columns, fields, span)
}

/// Whether an expression is a column, or written down.
fn is_plain(expr: &Expr) -> bool {
    matches!(expr.compute, Compute::Column(_) | Compute::Literal(_))
}

/// Whether what `of` computes is used not more than once.
fn used_once(columns: &[Expr], of: &[Expr]) -> bool {
    let mut uses = vec![0; of.len()];
    columns.iter().for_each(|column| count(column, &mut uses));
    of.iter().zip(uses).all(|(of, uses)| uses <= 1 || is_plain(of))
}

fn count(expr: &Expr, uses: &mut [usize]) {
    if let Compute::Column(number) = expr.compute {
        uses[number] += 1;
    }
    expr.operands().into_iter().for_each(|operand| count(operand, uses));
}

/// An expression with others in place of its columns.
fn replaced(mut expr: Expr, of: &[Expr]) -> Expr {
    if let Compute::Column(number) = expr.compute {
        let with = of[number].clone();
        let span = if is_plain(&with) { expr.span } else { with.span };
        return Expr { span, ..with };
    }
    for operand in expr.operands_mut() {
        let own = std::mem::replace(operand, Expr::nothing());
        *operand = replaced(own, of);
    }
    expr
}
