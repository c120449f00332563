//! Which columns are never null: what a condition is about is known in all rows for which it holds.

use super::with_inputs;
use crate::plan::{Compute, Expr, Field, Function, Node, Operator, Plan, Ranged};

/// A plan that says of its columns as often as may be that they are never null.
pub(super) fn known(plan: Plan) -> Plan {
    let mut plan = with_inputs(plan, known);
    let nullable: Vec<bool> = plan.inputs().iter().flat_map(|input| nulls(&input.fields)).collect();
    plan.exprs_mut().into_iter().for_each(|expr| settle(expr, &nullable));
    let found = of_node(&plan, &nullable);
    let fields = plan.fields.iter_mut().zip(found);
    fields.for_each(|(field, nullable)| field.nullable &= nullable);
    plan
}

fn nulls(fields: &[Field]) -> Vec<bool> {
    fields.iter().map(|field| field.nullable).collect()
}

/// Of each column of an operator whether it may be null. `nullable` says it of the columns of its inputs, one after the other.
fn of_node(plan: &Plan, nullable: &[bool]) -> Vec<bool> {
    let mut found = match &plan.node {
        Node::Scan(_) => nulls(&plan.fields),
        Node::Union(inputs) => {
            let any = |column: usize| inputs.iter().any(|input| input.fields[column].nullable);
            (0..plan.fields.len()).map(any).collect()
        }
        Node::Project { columns, .. } => columns.iter().map(|column| column.nullable).collect(),
        Node::Group { input, keys, aggregates } => {
            let of_keys = keys.iter().map(|key| input.fields[*key].nullable);
            let made = aggregates.iter().map(|it| {
                let column = it.columns().iter().any(|column| input.fields[*column].nullable);
                it.function != Function::Count
                    && (keys.is_empty() || column || it.function.may_be_null())
            });
            of_keys.chain(made).collect()
        }
        Node::Window { input, calls, .. } => {
            let made = calls.iter().map(|call| {
                let column = call.column.is_some_and(|column| input.fields[column].nullable);
                column || matches!(call.function, Ranged::Shift(_))
            });
            nullable.iter().copied().chain(made).collect()
        }
        Node::Filter { .. } | Node::First { .. } | Node::Join { .. } => nullable.to_vec(),
        Node::Match { left, .. } => nullable[..left.fields.len()].to_vec(),
    };
    match &plan.node {
        Node::Filter { condition, .. } => {
            if_true(condition).into_iter().for_each(|column| found[column] = false);
        }
        // Null is equal to nothing.
        Node::Join { left, on, outer: false, .. } => {
            for (a, b) in on {
                (found[*a], found[left.fields.len() + *b]) = (false, false);
            }
        }
        Node::Join { left, .. } => found[left.fields.len()..].fill(true),
        Node::Match { on, anti: false, .. } => {
            on.iter().for_each(|(column, _)| found[*column] = false);
        }
        _ => {}
    }
    found
}

/// Says of an expression and its operands whether they may be null by these columns alone, whatever was said of it elsewhere.
pub(super) fn unsettled(expr: &mut Expr, columns: &[Field]) {
    forget(expr);
    settle(expr, &nulls(columns));
}

fn forget(expr: &mut Expr) {
    expr.nullable = !matches!(expr.compute, Compute::Literal(Some(_)));
    expr.operands_mut().into_iter().for_each(forget);
}

/// Says of an expression and its operands whether they may be null, as far as it follows from those of its columns.
fn settle(expr: &mut Expr, columns: &[bool]) {
    expr.operands_mut().into_iter().for_each(|operand| settle(operand, columns));
    let any = |of: &[&Expr]| of.iter().any(|operand| operand.nullable);
    let operands = expr.operands();
    expr.nullable &= match &expr.compute {
        Compute::Column(column) => columns[*column],
        Compute::IsNull(_) => false,
        Compute::Coalesce(_) | Compute::Extreme { .. } => operands.iter().all(|it| it.nullable),
        Compute::Case(branches, last) => {
            last.nullable || branches.iter().any(|(_, value)| value.nullable)
        }
        Compute::Literal(_) | Compute::Scalar(_) | Compute::Root(_) | Compute::OfText(..) => true,
        Compute::Binary(Operator::Divide | Operator::IntegerDivide | Operator::Remainder, _, b) => {
            any(&operands) || !matches!(b.compute, Compute::Literal(Some(number)) if number != 0)
        }
        _ => any(&operands),
    };
}

/// Columns that are not null where a condition is true.
fn if_true(condition: &Expr) -> Vec<usize> {
    match &condition.compute {
        Compute::Binary(Operator::And, a, b) => [if_true(a), if_true(b)].concat(),
        Compute::Binary(Operator::Or, a, b) => {
            let other = if_true(b);
            if_true(a).into_iter().filter(|column| other.contains(column)).collect()
        }
        Compute::Not(a) => match &a.compute {
            Compute::IsNull(of) => if_known(of),
            _ => if_known(a),
        },
        // `IS TRUE`.
        Compute::Coalesce(of) => match of.as_slice() {
            [first, Expr { compute: Compute::Literal(Some(0)), .. }] => if_true(first),
            _ => Vec::new(),
        },
        _ => if_known(condition),
    }
}

/// Columns that are not null where an expression is not.
pub(super) fn if_known(expr: &Expr) -> Vec<usize> {
    match &expr.compute {
        Compute::Column(column) => vec![*column],
        Compute::Convert(a)
        | Compute::Negate(a)
        | Compute::Absolute(a)
        | Compute::Not(a)
        | Compute::Root(a)
        | Compute::Bucket(a, _)
        | Compute::DatePart(_, a)
        | Compute::OfText(_, a) => if_known(a),
        // One operand may decide alone.
        Compute::Binary(Operator::And | Operator::Or, ..) => Vec::new(),
        Compute::Binary(_, a, b) => [if_known(a), if_known(b)].concat(),
        Compute::Literal(_)
        | Compute::Scalar(_)
        | Compute::IsNull(_)
        | Compute::Case(..)
        | Compute::Coalesce(_)
        | Compute::Extreme { .. } => Vec::new(),
    }
}
