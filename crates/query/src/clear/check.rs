//! Plans compared with what they say of themselves: that columns are there, and operands of the kinds that operations take.
//!
//! What plans say of nulls is compared with the rows themselves.

use super::number;
use super::wrong::malformed;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::kind::{INTEGER, Kind};
use crate::plan::{
    Aggregate, Call, Compute, Expr, Field, Frame, Function, Node, Operator, OrderKey, Plan, Ranged,
};
use tacit_program::Span;

/// Checks a plan with all that it reads; tables as well if the catalog is known.
pub(super) fn plan(of: &Plan, catalog: Option<&Catalog>) -> Result<()> {
    of.inputs().into_iter().try_for_each(|input| plan(input, catalog))?;
    let Plan { node, fields, span } = of;
    let same = |wanted: Vec<&Kind>| {
        let found: Vec<&Kind> = kinds(fields);
        ensure(found == wanted, span, "its columns are not those of its operator")
    };
    match node {
        Node::Scan(number) => match catalog {
            Some(catalog) => {
                let table = catalog.tables.get(*number);
                let table = table.ok_or_else(|| malformed(span, "there is no such table"))?;
                same(table.columns.iter().map(|column| &column.kind).collect())
            }
            None => Ok(()),
        },
        Node::Union(inputs) => inputs.iter().try_for_each(|input| same(kinds(&input.fields))),
        Node::Filter { input, condition } => {
            same(kinds(&input.fields))?;
            is(condition, &Kind::Bit)?;
            expr(condition, &input.fields, catalog)
        }
        Node::Project { input, columns } => {
            same(columns.iter().map(|column| &column.kind).collect())?;
            columns.iter().try_for_each(|column| expr(column, &input.fields, catalog))
        }
        Node::Group { input, keys, aggregates } => {
            let key =
                |key: &usize| field(&input.fields, *key, span).map(|field| field.kind.clone());
            let keys = keys.iter().map(key).collect::<Result<Vec<_>>>()?;
            let made = |number: usize| fields.get(keys.len() + number).map(|field| &field.kind);
            let results = aggregates.iter().enumerate();
            let results = results.map(|(number, it)| aggregate(it, &input.fields, made(number)));
            let results = results.collect::<Result<Vec<_>>>()?;
            same(keys.iter().chain(&results).collect())
        }
        Node::Join { left, right, on, .. } => {
            pairs(left, right, on, span)?;
            same(kinds(&left.fields).into_iter().chain(kinds(&right.fields)).collect())
        }
        Node::Match { left, right, on, .. } => {
            pairs(left, right, on, span)?;
            same(kinds(&left.fields))
        }
        Node::Window { input, partition, by, calls } => {
            for column in partition {
                field(&input.fields, *column, span)?;
            }
            order(by, input.fields.len(), span)?;
            let mut all: Vec<Kind> = input.fields.iter().map(|field| field.kind.clone()).collect();
            for (number, it) in calls.iter().enumerate() {
                let made = fields.get(input.fields.len() + number).map(|field| &field.kind);
                all.push(call(it, &input.fields, made)?);
            }
            same(all.iter().collect())
        }
        Node::First { input, by, .. } => {
            same(kinds(&input.fields))?;
            order(by, fields.len(), span)
        }
    }
}

/// Checks that the columns of an order are there.
pub(super) fn order(by: &[OrderKey], columns: usize, span: &Span) -> Result<()> {
    let all = by.iter().all(|key| key.column < columns);
    ensure(all, span, "it is ordered by a column that is not there")
}

fn kinds(fields: &[Field]) -> Vec<&Kind> {
    fields.iter().map(|field| &field.kind).collect()
}

fn field<'f>(fields: &'f [Field], column: usize, span: &Span) -> Result<&'f Field> {
    fields.get(column).ok_or_else(|| malformed(span, "there is no such column"))
}

fn ensure(holds: bool, span: &Span, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(malformed(span, what)) }
}

/// Checks that columns that rows are joined by are there, and of one kind.
fn pairs(left: &Plan, right: &Plan, on: &[(usize, usize)], span: &Span) -> Result<()> {
    for (a, b) in on {
        let (a, b) = (field(&left.fields, *a, span)?, field(&right.fields, *b, span)?);
        ensure(a.kind == b.kind, span, "keys of a join are of two kinds")?;
    }
    Ok(())
}

/// The kind of an aggregate. Means have the fraction that they say.
fn aggregate(of: &Aggregate, fields: &[Field], made: Option<&Kind>) -> Result<Kind> {
    let fraction = match made {
        Some(Kind::Fixed { fraction }) => *fraction,
        _ => 0,
    };
    let column = of.column.map(|column| field(fields, column, &of.span)).transpose()?;
    let kind = column.map(|column| &column.kind);
    let other = of.other.map(|column| field(fields, column, &of.span)).transpose()?;
    let other = other.map(|column| &column.kind);
    let two = matches!(of.function, Function::Together(_) | Function::Best { .. });
    let wrong = "this cannot be computed of such columns";
    ensure(other.is_some() == two && !(two && of.distinct), &of.span, wrong)?;
    match (of.function, kind) {
        (Function::Count, None) if !of.distinct => Ok(INTEGER),
        (Function::Count, Some(_)) => Ok(INTEGER),
        (Function::Sum, Some(kind)) if kind.is_number() => Ok(kind.clone()),
        (Function::Mean, Some(kind)) if kind.is_number() => Ok(Kind::Fixed { fraction }),
        (Function::Min | Function::Max, Some(kind)) => Ok(kind.clone()),
        (Function::Spread(_), Some(kind)) if kind.is_number() && !of.distinct => {
            Ok(Kind::Fixed { fraction })
        }
        (Function::Together(_), Some(kind)) => {
            let fixed = |kind: &Kind| matches!(kind, Kind::Fixed { .. });
            let alike = other.is_some_and(|other| {
                other.is_number() && (!fixed(other) && !fixed(kind) || other == kind)
            });
            ensure(kind.is_number() && alike, &of.span, wrong)?;
            Ok(Kind::Fixed { fraction })
        }
        (Function::Best { .. }, Some(kind)) => Ok(kind.clone()),
        (Function::Quantile(at), Some(kind)) if !of.distinct => match at.between {
            true if kind.is_number() => Ok(Kind::Fixed { fraction }),
            true => Err(malformed(&of.span, "there is nothing between such values")),
            false => Ok(kind.clone()),
        },
        _ => Err(malformed(&of.span, "this cannot be computed of such a column")),
    }
}

/// The kind of what is computed of partitions, where it says that it is of the kind `made`.
fn call(of: &Call, fields: &[Field], made: Option<&Kind>) -> Result<Kind> {
    let column = of.column.map(|column| field(fields, column, &of.span)).transpose()?;
    match (of.function, column) {
        (Ranged::Number | Ranged::Rank | Ranged::DenseRank, None) => Ok(INTEGER),
        (Ranged::Shift(_), None) => Ok(Kind::Bit),
        (Ranged::Last(Frame::Last(_)), _)
        | (Ranged::Aggregate(Function::Min | Function::Max, Frame::Last(_)), _)
        | (
            Ranged::Aggregate(
                Function::Quantile(_)
                | Function::Spread(_)
                | Function::Together(_)
                | Function::Best { .. },
                _,
            ),
            _,
        ) => Err(malformed(&of.span, "there is no such frame of this")),
        (Ranged::Shift(_) | Ranged::First | Ranged::Last(_), Some(column)) => {
            Ok(column.kind.clone())
        }
        (Ranged::Aggregate(function, _), _) => {
            let (column, span) = (of.column, of.span.clone());
            aggregate(
                &Aggregate { function, column, other: None, distinct: false, span },
                fields,
                made,
            )
        }
        _ => Err(malformed(&of.span, "this cannot be computed of such a column")),
    }
}

/// Checks that an expression is of a kind.
fn is(expr: &Expr, kind: &Kind) -> Result<()> {
    ensure(
        expr.kind == *kind,
        &expr.span,
        "this is of another kind than what is done with it takes",
    )
}

/// Checks an expression on rows of some fields.
fn expr(of: &Expr, fields: &[Field], catalog: Option<&Catalog>) -> Result<()> {
    let Expr { compute, kind, span, .. } = of;
    let check = |operand: &Expr| expr(operand, fields, catalog);
    let wrong = "this operation does not have such operands, or not such a result";
    match compute {
        Compute::Column(column) => ensure(field(fields, *column, span)?.kind == *kind, span, wrong),
        Compute::Literal(raw) => {
            let holds = raw.is_none_or(|raw| super::input::is_of(kind, raw));
            ensure(holds, span, "this literal is not of its kind")
        }
        Compute::Scalar(subquery) => {
            plan(subquery, catalog)?;
            ensure(kinds(&subquery.fields) == [kind], span, wrong)
        }
        Compute::Convert(a) => {
            check(a)?;
            ensure(number::converts(&a.kind, kind), span, wrong)
        }
        Compute::Negate(a) | Compute::Absolute(a) => {
            check(a)?;
            ensure(kind.is_number() && a.kind == *kind, span, wrong)
        }
        Compute::Binary(operator, a, b) => {
            check(a)?;
            check(b)?;
            ensure(result(*operator, &a.kind, &b.kind).as_ref() == Some(kind), span, wrong)
        }
        Compute::Not(a) => {
            check(a)?;
            is(a, &Kind::Bit)?;
            ensure(*kind == Kind::Bit, span, wrong)
        }
        Compute::IsNull(a) => {
            check(a)?;
            ensure(*kind == Kind::Bit, span, wrong)
        }
        Compute::Case(branches, last) => {
            for (condition, value) in branches {
                check(condition)?;
                is(condition, &Kind::Bit)?;
                check(value)?;
                is(value, kind)?;
            }
            check(last)?;
            is(last, kind)
        }
        Compute::Coalesce(of) | Compute::Extreme { of, .. } => {
            ensure(!of.is_empty(), span, wrong)?;
            of.iter().try_for_each(|operand| check(operand).and_then(|()| is(operand, kind)))
        }
        Compute::Bucket(a, edges) => {
            check(a)?;
            // Edges between two values are rounded to the same one.
            let rises = edges.windows(2).all(|pair| pair[0] <= pair[1]);
            let ordered = a.kind != Kind::Text && *kind == INTEGER;
            ensure(ordered && rises && !edges.is_empty(), span, wrong)
        }
        Compute::Root(a) => {
            check(a)?;
            ensure(matches!(kind, Kind::Fixed { .. }) && a.kind == *kind, span, wrong)
        }
        Compute::OfText(..) => ensure(false, span, wrong),
        Compute::DatePart(_, a) => {
            check(a)?;
            is(a, &Kind::Date)?;
            ensure(*kind == INTEGER, span, wrong)
        }
    }
}

/// The kind of an operation's result, or none if there is no such operation.
fn result(operator: Operator, a: &Kind, b: &Kind) -> Option<Kind> {
    use Operator as Op;
    match (operator, a, b) {
        (Op::Add | Op::Subtract, a, b) if a == b && a.is_number() => Some(a.clone()),
        (Op::Add | Op::Subtract, Kind::Date, b) if *b == INTEGER => Some(Kind::Date),
        (Op::Subtract, Kind::Date, Kind::Date) => Some(INTEGER),
        (Op::Multiply, Kind::Decimal { scale: a }, Kind::Decimal { scale: b }) => {
            Some(Kind::Decimal { scale: a.checked_add(*b)? })
        }
        (Op::Multiply | Op::Divide, Kind::Fixed { .. }, b) if a == b => Some(a.clone()),
        (Op::IntegerDivide | Op::Remainder, a, b) if *a == INTEGER && *b == INTEGER => {
            Some(INTEGER)
        }
        (Op::Equal | Op::Less | Op::LessOrEqual, a, b) if a == b => Some(Kind::Bit),
        (Op::And | Op::Or, Kind::Bit, Kind::Bit) => Some(Kind::Bit),
        _ => None,
    }
}
