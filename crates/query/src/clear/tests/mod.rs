//! Plans by hand, with their results by hand.

mod expressions;
mod groups;
mod operators;
mod queries;
mod windows;

use super::{Cell, Rows};
use crate::error::Result;
use crate::kind::{INTEGER, Kind};
use crate::plan::{
    Aggregate, Compute, Expr, Field, Function, Node, Operator, OrderKey, Plan, Query,
};
use std::sync::Arc;
use tacit_program::domain::Members;
use tacit_program::{Domain, Span};

const MONEY: Kind = Kind::Decimal { scale: 2 };
const FIXED: Kind = Kind::Fixed { fraction: 4 };

/// A place that messages can be recognised by.
fn span() -> Span {
    Span { file: "q.sql".into(), line: 3, column: 7 }
}

fn colours() -> Kind {
    let members = ["red", "green"].map(str::to_owned).to_vec();
    Kind::Category(Arc::new(Domain { name: "colour".to_owned(), members: Members::Names(members) }))
}

/// Integers that may be null.
fn integers(count: usize) -> Vec<Field> {
    fields(&vec![INTEGER; count])
}

fn fields(kinds: &[Kind]) -> Vec<Field> {
    let field = |kind: &Kind| Field { name: "x".to_owned(), kind: kind.clone(), nullable: true };
    kinds.iter().map(field).collect()
}

fn rows<const COLUMNS: usize>(rows: &[[Cell; COLUMNS]]) -> Rows {
    Rows { columns: COLUMNS, rows: rows.iter().map(|row| row.to_vec()).collect() }
}

fn plan(node: Node, fields: Vec<Field>) -> Plan {
    Plan { node, fields, span: span() }
}

fn scan(table: usize, fields: Vec<Field>) -> Plan {
    plan(Node::Scan(table), fields)
}

fn group(input: Plan, keys: &[usize], aggregates: &[(Function, Option<usize>, bool)]) -> Plan {
    let aggregates: Vec<Aggregate> = aggregates
        .iter()
        .map(|(function, column, distinct)| Aggregate {
            function: *function,
            column: *column,
            other: None,
            distinct: *distinct,
            span: span(),
        })
        .collect();
    let kind = |it: &Aggregate| match (it.function, it.column) {
        (Function::Mean, _) => FIXED,
        (Function::Quantile(at), _) if at.between => FIXED,
        (Function::Sum | Function::Min | Function::Max | Function::Quantile(_), Some(column)) => {
            input.fields[column].kind.clone()
        }
        _ => INTEGER,
    };
    let kinds: Vec<Kind> = aggregates.iter().map(kind).collect();
    let mut columns: Vec<Field> = keys.iter().map(|key| input.fields[*key].clone()).collect();
    columns.extend(fields(&kinds));
    plan(Node::Group { input: Box::new(input), keys: keys.to_vec(), aggregates }, columns)
}

fn filter(input: Plan, condition: Expr) -> Plan {
    let fields = input.fields.clone();
    plan(Node::Filter { input: Box::new(input), condition }, fields)
}

fn project(input: Plan, columns: Vec<Expr>) -> Plan {
    let kinds: Vec<Kind> = columns.iter().map(|column| column.kind.clone()).collect();
    plan(Node::Project { input: Box::new(input), columns }, fields(&kinds))
}

fn first(input: Plan, by: Vec<OrderKey>, rows: u64) -> Plan {
    let fields = input.fields.clone();
    plan(Node::First { input: Box::new(input), by, rows }, fields)
}

fn key(column: usize, descending: bool, nulls_first: bool) -> OrderKey {
    OrderKey { column, descending, nulls_first }
}

fn expr(compute: Compute, kind: Kind) -> Expr {
    Expr { compute, kind, nullable: true, span: span() }
}

fn column(number: usize) -> Expr {
    expr(Compute::Column(number), INTEGER)
}

fn raw(value: impl Into<Cell>, kind: Kind) -> Expr {
    expr(Compute::Literal(value.into()), kind)
}

fn int(value: impl Into<Cell>) -> Expr {
    raw(value, INTEGER)
}

fn bit(value: impl Into<Cell>) -> Expr {
    raw(value, Kind::Bit)
}

fn binary(operator: Operator, a: Expr, b: Expr, kind: Kind) -> Expr {
    expr(Compute::Binary(operator, Box::new(a), Box::new(b)), kind)
}

/// The rows of a plan, in canonical order.
fn evaluated(plan: &Plan, tables: &[Rows]) -> Result<Vec<Vec<Cell>>> {
    let mut rows = super::rows(plan, tables)?;
    rows.rows.sort_by(|a, b| crate::rows::compare(&[], a, b));
    Ok(std::mem::take(&mut rows.rows))
}

/// The rows of a plan that has some.
fn table(plan: &Plan, tables: &[Rows]) -> Vec<Vec<Cell>> {
    evaluated(plan, tables).expect("the plan has rows")
}

/// What is wrong.
fn mistake(plan: &Plan, tables: &[Rows]) -> String {
    evaluated(plan, tables).expect_err("the plan has no rows").to_string()
}

/// One row without columns.
fn one_row() -> Plan {
    group(plan(Node::Union(Vec::new()), Vec::new()), &[], &[])
}

/// The value of an expression that is of no columns.
fn value(expr: Expr) -> Cell {
    table(&project(one_row(), vec![expr]), &[])[0][0]
}

/// What is wrong with an expression.
fn wrong(expr: Expr) -> String {
    mistake(&project(one_row(), vec![expr]), &[])
}

fn query(plan: Plan) -> Query {
    Query {
        name: "query".to_owned(),
        plan,
        order: Vec::new(),
        to: vec!["alice".to_owned()],
        max_rows: None,
        min_rows: None,
    }
}
