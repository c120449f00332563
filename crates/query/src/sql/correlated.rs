//! Subqueries that stand for a value and are about the row outside: an aggregate of the rows that are equal to it in some columns.
//!
//! `(SELECT max(v) FROM u WHERE u.k = t.k)` is looked up like a left join: the aggregate is computed for each group of equal columns, and
//! rows of which there is no group have what it is of no rows.

use super::Binder;
use super::expr::Rows;
use super::from::{Source, filtered, projected, split, with_column};
use super::group::Groups;
use super::scope::item;
use super::typing::{condition, literal, truth};
use crate::error::Result;
use crate::kind::Kind;
use crate::plan::{Compute, Expr, Field, Node, Plan};
use sqlparser::ast::{
    self, BinaryOperator, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments,
};

/// How many subqueries are tried at most: one within the other is tried as often as all around it are.
const MOST_TRIED: usize = 256;

impl Binder<'_> {
    /// Rows with further columns, which the subqueries in some expressions stand for that are about these rows.
    pub(super) fn with_values(&mut self, source: Source, of: &[&Ast]) -> Result<Source> {
        let mut found = Vec::new();
        of.iter().for_each(|ast| subqueries(ast, &mut found));
        let mut source = source;
        for query in found {
            if self.is_about_outside(query) {
                self.outside.push(source.scope.clone());
                let with = self.with_value(source, query);
                self.outside.pop();
                source = with?;
            }
        }
        Ok(source)
    }

    /// Whether an expression has subqueries about the rows outside.
    pub(super) fn has_values(&mut self, ast: &Ast) -> bool {
        let mut found = Vec::new();
        subqueries(ast, &mut found);
        found.into_iter().any(|query| self.is_about_outside(query))
    }

    /// Whether a subquery cannot be read alone.
    fn is_about_outside(&mut self, query: &ast::Query) -> bool {
        self.tried += 1;
        if self.tried > MOST_TRIED || plain_select(query).is_none() {
            return false;
        }
        let (tables, named) = (self.tables, self.named.len());
        let alone = self.query(query).is_ok();
        self.named.truncate(named);
        self.tables = tables;
        !alone
    }

    fn with_value(&mut self, source: Source, query: &ast::Query) -> Result<Source> {
        let Some((select, of)) = plain_select(query) else { return Ok(source) };
        let span = self.span(query);
        let mut conditions = Vec::new();
        if let Some(condition) = &select.selection {
            split(condition, &mut conditions);
        }
        let mut inner = self.from(&select.from, None, &span)?;
        let (mut outer, mut on, mut links) = (source.plan, Vec::new(), Vec::new());
        for ast in conditions {
            let own = match self.plain(ast, &inner.scope) {
                Ok(own) => own,
                // About the row outside, or a mistake, which is told below.
                Err(_) if is_equality(ast) => {
                    links.push(ast);
                    continue;
                }
                Err(error) => return Err(error),
            };
            inner.plan = filtered(inner.plan, condition(own)?);
        }
        for ast in links {
            let Ast::BinaryOp { left: a, right: b, .. } = ast else { continue };
            let (outside, own) = self.sides([a, b], &source.scope, &inner.scope)?;
            let (plan, left) = with_column(outer, outside);
            outer = plan;
            let (plan, right) = with_column(inner.plan, own);
            inner.plan = plan;
            on.push((left, right));
        }
        let keys = on.iter().enumerate().map(|(number, (_, column))| {
            let field = &inner.plan.fields[*column];
            let (compute, span) = (Compute::Column(*column), span.clone());
            let key = Expr { compute, kind: field.kind.clone(), nullable: field.nullable, span };
            (format!("key {}", number + 1), key)
        });
        let wrong = "a subquery about the row outside that stands for a value is of aggregates, and of nothing else: (SELECT max(x) FROM u WHERE u.k = t.k)";
        if !self.has_aggregates(select, &inner.scope) {
            return self.error(of, wrong);
        }
        let groups = Some(Groups::by(keys.collect()));
        let mut rows = Rows { groups, ..Rows::of(&inner.scope) };
        let value = self.expr(of, &mut rows, None)?;
        let groups = rows.groups.take().unwrap_or_default();
        let Some(empty) = groups.of_no_rows(&value) else { return self.error(of, wrong) };
        let keys = on.len();
        let grouped = groups.plan(inner.plan, &span);
        let column = |number: usize, field: &Field| Expr {
            compute: Compute::Column(number),
            kind: field.kind.clone(),
            nullable: field.nullable,
            span: span.clone(),
        };
        let mut columns: Vec<(Expr, String)> = grouped
            .fields
            .iter()
            .enumerate()
            .take(keys)
            .map(|(number, field)| (column(number, field), field.name.clone()))
            .collect();
        let kind = value.kind.clone();
        columns.push((value, "value".to_owned()));
        columns.push((truth(true, span.clone()), "found".to_owned()));
        let right = projected(grouped, columns);
        let width = outer.fields.len();
        let of_right = right.fields.iter().cloned().map(|field| Field { nullable: true, ..field });
        let fields: Vec<Field> = outer.fields.iter().cloned().chain(of_right).collect();
        let on = on.into_iter().enumerate().map(|(number, (left, _))| (left, number)).collect();
        let (left, right) = (Box::new(outer), Box::new(right));
        let node = Node::Join { left, right, on, outer: true, matches: 1 };
        let plan = Plan { node, fields, span: span.clone() };
        let looked_up = Expr {
            compute: Compute::Column(width + keys),
            kind: kind.clone(),
            nullable: true,
            span: span.clone(),
        };
        let stands_for = match empty {
            None => looked_up,
            Some(empty) => {
                let found = column(width + keys + 1, &plan.fields[width + keys + 1]);
                let none = Expr {
                    compute: Compute::IsNull(Box::new(found)),
                    kind: Kind::Bit,
                    nullable: false,
                    span: span.clone(),
                };
                let empty = literal(kind.clone(), Some(empty), span.clone());
                let compute = Compute::Case(vec![(none, empty)], Box::new(looked_up));
                Expr { compute, kind, nullable: true, span: span.clone() }
            }
        };
        self.values.push((std::ptr::from_ref(query) as usize, stands_for));
        Ok(Source { plan, scope: source.scope })
    }

    /// What a subquery that was looked up stands for, of single rows.
    pub(super) fn value_of(&self, query: &ast::Query, rows: &Rows<'_>) -> Option<Result<Expr>> {
        let own = std::ptr::from_ref(query) as usize;
        let (_, expr) = self.values.iter().rev().find(|(of, _)| *of == own)?;
        Some(match &rows.groups {
            None => Ok(expr.clone()),
            Some(_) => {
                let what = "a subquery about the row outside is of rows here, not of groups: make it a column of a subquery in FROM";
                self.error(query, what)
            }
        })
    }
}

/// A SELECT of one expression of tables under conditions, and nothing else.
fn plain_select(query: &ast::Query) -> Option<(&ast::Select, &Ast)> {
    let ast::SetExpr::Select(select) = query.body.as_ref() else { return None };
    let grouped =
        !matches!(&select.group_by, ast::GroupByExpr::Expressions(by, _) if by.is_empty());
    let more = grouped
        || select.having.is_some()
        || select.qualify.is_some()
        || select.distinct.is_some()
        || query.with.is_some()
        || query.order_by.is_some()
        || query.limit_clause.is_some()
        || query.fetch.is_some();
    match select.projection.as_slice() {
        [one] if !more && select.selection.is_some() => {
            item(one).map(|(of, _)| (select.as_ref(), of))
        }
        _ => None,
    }
}

fn is_equality(ast: &Ast) -> bool {
    matches!(ast, Ast::BinaryOp { op: BinaryOperator::Eq, .. })
}

/// The subqueries of an expression that stand for values, but not those within them.
fn subqueries<'a>(ast: &'a Ast, into: &mut Vec<&'a ast::Query>) {
    match ast {
        Ast::Subquery(query) => into.push(query),
        Ast::Nested(a)
        | Ast::UnaryOp { expr: a, .. }
        | Ast::IsNull(a)
        | Ast::IsNotNull(a)
        | Ast::IsTrue(a)
        | Ast::IsNotTrue(a)
        | Ast::IsFalse(a)
        | Ast::IsNotFalse(a)
        | Ast::Cast { expr: a, .. }
        | Ast::Extract { expr: a, .. } => subqueries(a, into),
        Ast::BinaryOp { left, right, .. } => {
            // A chain may be long: from its end.
            let mut rights = vec![right];
            let mut first = left;
            while let Ast::BinaryOp { left, right, .. } = first.as_ref() {
                rights.push(right);
                first = left;
            }
            subqueries(first, into);
            rights.into_iter().rev().for_each(|part| subqueries(part, into));
        }
        Ast::IsDistinctFrom(a, b) | Ast::IsNotDistinctFrom(a, b) => {
            [a, b].into_iter().for_each(|part| subqueries(part, into));
        }
        Ast::Between { expr, low, high, .. } => {
            [expr, low, high].into_iter().for_each(|part| subqueries(part, into));
        }
        Ast::In { expr, target: ast::InTarget::List(list), .. } => {
            subqueries(expr, into);
            list.iter().for_each(|part| subqueries(part, into));
        }
        Ast::Case { operand, conditions, else_result, .. } => {
            operand.iter().for_each(|part| subqueries(part, into));
            for branch in conditions {
                subqueries(&branch.condition, into);
                subqueries(&branch.result, into);
            }
            else_result.iter().for_each(|part| subqueries(part, into));
        }
        Ast::Function(function) => {
            let FunctionArguments::List(list) = &function.args else { return };
            for argument in &list.args {
                if let FunctionArg::Unnamed(FunctionArgExpr::Expr(of)) = argument {
                    subqueries(of, into);
                }
            }
        }
        _ => {}
    }
}
