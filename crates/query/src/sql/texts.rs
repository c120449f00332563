//! What cannot be done with texts without a list: nobody sees them, and what goes in for them has no order of theirs.

use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{Compute, Expr, Field, Function, Node, Operator, OrderKey, Plan, Query, Ranged};
use tacit_program::Span;

/// Refuses to put such texts in order, and to show them.
pub(super) fn check(query: &Query) -> Result<()> {
    plan(&query.plan)?;
    ordered(&query.order, &query.plan.fields, &query.plan.span)?;
    match query.plan.fields.iter().find(|field| field.kind == Kind::Text) {
        None => Ok(()),
        Some(field) => {
            let what = format!(
                "`{}` is a TEXT, which the computation knows as a number without meaning and cannot show: show another column of its rows, such as a number that its owner knows, or list the texts in an ENUM",
                field.name
            );
            Err(QueryError::new(&query.plan.span, what))
        }
    }
}

fn refused(span: &Span) -> QueryError {
    let what = "a TEXT can be compared by = and <>, joined, grouped and counted, and has no order, no least and no greatest: an ENUM, which lists the texts, has";
    QueryError::new(span, what)
}

fn ordered(by: &[OrderKey], fields: &[Field], span: &Span) -> Result<()> {
    let is_text = |key: &OrderKey| fields.get(key.column).is_some_and(|it| it.kind == Kind::Text);
    if by.iter().any(is_text) { Err(refused(span)) } else { Ok(()) }
}

fn plan(of: &Plan) -> Result<()> {
    let is_text = |input: &Plan, column: Option<usize>| {
        column.and_then(|it| input.fields.get(it)).is_some_and(|it| it.kind == Kind::Text)
    };
    let in_order =
        |function| matches!(function, Function::Min | Function::Max | Function::Quantile(_));
    match &of.node {
        Node::Scan(_) => Ok(()),
        Node::Union(inputs) => inputs.iter().try_for_each(plan),
        Node::Filter { input, condition } => plan(input).and_then(|()| expr(condition)),
        Node::Project { input, columns } => {
            plan(input)?;
            columns.iter().try_for_each(expr)
        }
        Node::Group { input, aggregates, .. } => {
            plan(input)?;
            let wrong =
                aggregates.iter().find(|it| in_order(it.function) && is_text(input, it.column));
            wrong.map_or(Ok(()), |it| Err(refused(&it.span)))
        }
        Node::Join { left, right, .. } | Node::Match { left, right, .. } => {
            plan(left)?;
            plan(right)
        }
        Node::Window { input, by, calls, .. } => {
            plan(input)?;
            ordered(by, &input.fields, &of.span)?;
            let wrong = calls.iter().find(|it| match it.function {
                Ranged::Aggregate(function, _) => in_order(function) && is_text(input, it.column),
                _ => false,
            });
            wrong.map_or(Ok(()), |it| Err(refused(&it.span)))
        }
        Node::First { input, by, .. } => {
            plan(input)?;
            ordered(by, &input.fields, &of.span)
        }
    }
}

fn expr(of: &Expr) -> Result<()> {
    match &of.compute {
        Compute::Column(_) | Compute::Literal(_) => Ok(()),
        Compute::Scalar(inner) => plan(inner),
        Compute::Convert(a)
        | Compute::Negate(a)
        | Compute::Absolute(a)
        | Compute::Not(a)
        | Compute::IsNull(a)
        | Compute::DatePart(_, a) => expr(a),
        Compute::Binary(operator, a, b) => {
            let compares = matches!(operator, Operator::Less | Operator::LessOrEqual);
            if compares && a.kind == Kind::Text {
                return Err(refused(&of.span));
            }
            expr(a)?;
            expr(b)
        }
        Compute::Case(branches, last) => {
            branches.iter().try_for_each(|(when, then)| expr(when).and_then(|()| expr(then)))?;
            expr(last)
        }
        Compute::Extreme { .. } if of.kind == Kind::Text => Err(refused(&of.span)),
        Compute::Coalesce(all) | Compute::Extreme { of: all, .. } => all.iter().try_for_each(expr),
    }
}
