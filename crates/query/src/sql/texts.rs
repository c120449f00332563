//! What cannot be done with texts without a list: nobody sees them, and what goes in for them has no order of theirs.

use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{
    Aggregate, Compute, Expr, Field, Function, Node, Operator, OrderKey, Plan, Query, Ranged,
};
use tacit_program::Span;

/// Refuses to put such texts in order, and to show them.
pub(super) fn check(query: &Query, catalog: &Catalog) -> Result<()> {
    if let Some(field) = query.plan.fields.iter().find(|field| field.kind == Kind::Text) {
        let what = format!(
            "`{}` is a TEXT, which the computation knows as a number without meaning and cannot show: show another column of its rows, such as a number that its owner knows, or list the texts in an ENUM",
            field.name
        );
        return Err(QueryError::new(&query.plan.span, what));
    }
    // What the answer is ordered by is shown.
    plan(&query.plan, catalog)
}

fn refused(span: &Span) -> QueryError {
    let what = "a TEXT can be compared by = and <>, joined, grouped and counted, and has no order, no least and no greatest: an ENUM, which lists the texts, has";
    QueryError::new(span, what)
}

fn ordered(by: &[OrderKey], fields: &[Field], span: &Span) -> Result<()> {
    let is_text = |key: &OrderKey| fields.get(key.column).is_some_and(|it| it.kind == Kind::Text);
    if by.iter().any(is_text) { Err(refused(span)) } else { Ok(()) }
}

/// Refuses where which of several rows comes first would follow from such a text: `alike` are columns in which those rows are equal.
fn told_apart(of: &Plan, input: &Plan, alike: &[usize], catalog: &Catalog) -> Result<()> {
    let is_text = |column: &usize| input.fields[*column].kind == Kind::Text;
    let all = 0..input.fields.len();
    let Some(text) = all.clone().find(|it| is_text(it) && !alike.contains(it)) else {
        return Ok(());
    };
    let others: Vec<usize> = all.filter(|it| !is_text(it) || alike.contains(it)).collect();
    if input.has_key(&others, Some(catalog)) {
        return Ok(());
    }
    let what = format!(
        "rows that are equal in all else would be told apart by the TEXT `{}` here, which has no order: leave it out of the rows that are ordered, or add a column that is UNIQUE",
        input.fields[text].name
    );
    Err(QueryError::new(&of.span, what))
}

fn plan(of: &Plan, catalog: &Catalog) -> Result<()> {
    let plan = |inner: &Plan| plan(inner, catalog);
    let expr = |of: &Expr| expr(of, catalog);
    let is_text = |input: &Plan, column: Option<usize>| {
        column.and_then(|it| input.fields.get(it)).is_some_and(|it| it.kind == Kind::Text)
    };
    let in_order = |function| !matches!(function, Function::Count | Function::Sum | Function::Mean);
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
            let is_text = |of: &Aggregate| of.columns().iter().any(|it| is_text(input, Some(*it)));
            let wrong = aggregates.iter().find(|it| in_order(it.function) && is_text(it));
            wrong.map_or(Ok(()), |it| Err(refused(&it.span)))
        }
        Node::Join { left, right, .. } | Node::Match { left, right, .. } => {
            plan(left)?;
            plan(right)
        }
        Node::Window { input, partition, by, calls } => {
            plan(input)?;
            ordered(by, &input.fields, &of.span)?;
            if calls.iter().any(|call| call.function.tells_peers_apart()) {
                told_apart(of, input, partition, catalog)?;
            }
            let wrong = calls.iter().find(|it| match it.function {
                Ranged::Aggregate(function, _) => in_order(function) && is_text(input, it.column),
                _ => false,
            });
            wrong.map_or(Ok(()), |it| Err(refused(&it.span)))
        }
        Node::First { input, by, .. } => {
            plan(input)?;
            ordered(by, &input.fields, &of.span)?;
            told_apart(of, input, &[], catalog)
        }
    }
}

fn expr(of: &Expr, catalog: &Catalog) -> Result<()> {
    let expr = |of: &Expr| expr(of, catalog);
    match &of.compute {
        Compute::Column(_) | Compute::Literal(_) => Ok(()),
        Compute::Scalar(inner) => plan(inner, catalog),
        Compute::Convert(a)
        | Compute::Negate(a)
        | Compute::Absolute(a)
        | Compute::Not(a)
        | Compute::IsNull(a)
        | Compute::Root(a)
        | Compute::Bucket(a, _)
        | Compute::DatePart(_, a)
        | Compute::OfText(_, a) => expr(a),
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
