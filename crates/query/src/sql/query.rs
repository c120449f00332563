//! Queries: what they are made of, in which order, and how many rows.

use super::from::{filtered, projected};
use super::scope::Scope;
use super::typing::{self, converted, truth};
use super::{At, Binder, DEEPEST, Settings};
use crate::error::{QueryError, Result};
use crate::plan::{Aggregate, Compute, Expr, Field, Function, Node, OrderKey, Plan, Query};
use sqlparser::ast::{
    self, Expr as Ast, LimitClause, OrderByKind, SetExpr, SetOperator, SetQuantifier, Spanned,
    Value,
};
use tacit_program::Span;

impl Binder<'_> {
    /// A whole query, with what is shown of it. Texts in it are still to be seen to.
    pub fn whole(&mut self, query: &ast::Query, settings: &Settings) -> Result<Query> {
        let (plan, order) = self.ordered(query)?;
        let Settings { name, to, max_rows, min_rows, .. } = settings.clone();
        Ok(Query { name, plan, order, to, max_rows, min_rows })
    }

    /// A query within another one, whose rows have no order.
    pub fn query(&mut self, query: &ast::Query) -> Result<Plan> {
        Ok(self.ordered(query)?.0)
    }

    /// A query, and what its rows are ordered by.
    fn ordered(&mut self, query: &ast::Query) -> Result<(Plan, Vec<OrderKey>)> {
        if self.depth >= DEEPEST {
            return self.error(query, "this is nested too deep: name its parts by WITH");
        }
        self.depth += 1;
        let names = self.named.len();
        let bound = self.with_names(query);
        self.named.truncate(names);
        self.depth -= 1;
        bound
    }

    fn with_names(&mut self, query: &ast::Query) -> Result<(Plan, Vec<OrderKey>)> {
        if let Some(with) = &query.with {
            if with.recursive {
                return self.error(query, "WITH RECURSIVE is not supported");
            }
            let outside = self.named.len();
            for table in &with.cte_tables {
                let before = self.tables;
                let mut plan = self.query(&table.query)?;
                let tables = std::mem::replace(&mut self.tables, before) - before;
                let columns = &table.alias.columns;
                if !columns.is_empty() && columns.len() != plan.fields.len() {
                    return self.error(
                        &At(&table.alias.name),
                        format!("this has {} columns", plan.fields.len()),
                    );
                }
                plan.fields
                    .iter_mut()
                    .zip(columns)
                    .for_each(|(field, column)| field.name.clone_from(&column.name.value));
                let name = &table.alias.name.value;
                if self.named[outside..].iter().any(|(known, ..)| known.eq_ignore_ascii_case(name))
                {
                    return self
                        .error(&At(&table.alias.name), format!("WITH names `{name}` twice"));
                }
                self.named.push((name.clone(), plan, tables));
            }
        }
        if query.fetch.is_some()
            || !query.locks.is_empty()
            || query.for_clause.is_some()
            || !query.pipe_operators.is_empty()
        {
            let words = ["FETCH", "FOR"];
            let what = "a query has WITH, SELECT, ORDER BY and LIMIT here";
            return self.error_at(&words, query, what);
        }
        let by = match &query.order_by {
            None => Vec::new(),
            Some(order) => match &order.kind {
                OrderByKind::Expressions(by) => by.iter().collect(),
                OrderByKind::All(_) => {
                    let what = "ORDER BY ALL is not supported: name the columns";
                    return self.error_at(&["ORDER"], query, what);
                }
            },
        };
        let (plan, order) = match query.body.as_ref() {
            SetExpr::Select(select) => self.select(select, &by)?,
            body => {
                let plan = self.body(body)?;
                let order =
                    by.iter().map(|key| self.named_key(key, &plan)).collect::<Result<Vec<_>>>()?;
                (plan, order)
            }
        };
        let Some(limit) = &query.limit_clause else { return Ok((plan, order)) };
        let rows = self.limit(limit, query)?;
        if order.is_empty() && plan_rows(&plan).is_none_or(|known| known > rows) {
            let what = "LIMIT without ORDER BY would show rows by chance: add ORDER BY";
            return self.error_at(&["LIMIT"], query, what);
        }
        let (fields, span) = (plan.fields.clone(), plan.span.clone());
        let node = Node::First { input: Box::new(plan), by: order.clone(), rows };
        Ok((Plan { node, fields, span }, order))
    }

    fn limit(&self, limit: &LimitClause, query: &ast::Query) -> Result<u64> {
        const OFFSET: &str = "LIMIT has a number of rows, and no OFFSET: leave out rows by what they hold, in WHERE or QUALIFY";
        let LimitClause::LimitOffset { limit: Some(rows), offset: None, limit_by } = limit else {
            return self.error_at(&["OFFSET"], query, OFFSET);
        };
        let number = match rows {
            Ast::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse().ok(),
                _ => None,
            },
            _ => None,
        };
        match number {
            Some(rows) if limit_by.is_empty() => Ok(rows),
            _ => self.error(rows, "LIMIT has a number of rows"),
        }
    }

    /// What stands between parentheses, or beside UNION.
    fn body(&mut self, body: &SetExpr) -> Result<Plan> {
        match body {
            SetExpr::Select(select) => Ok(self.select(select, &[])?.0),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let distinct =
                    matches!(set_quantifier, SetQuantifier::None | SetQuantifier::Distinct);
                let all = *op == SetOperator::Union && *set_quantifier == SetQuantifier::All;
                if !distinct && !all || *op == SetOperator::Minus {
                    let what = "there are UNION, UNION ALL, INTERSECT and EXCEPT: columns go by their places";
                    return Err(QueryError::new(&self.operator(left), what));
                }
                if self.depth >= DEEPEST {
                    return self.error(body, "this is nested too deep: name its parts by WITH");
                }
                self.depth += 1;
                let sides = self.body(left).and_then(|left| Ok((left, self.body(right)?)));
                self.depth -= 1;
                let place = self.operator(left);
                let (left, right) = sides?;
                let union = self.union(left, right, &place, *op != SetOperator::Union)?;
                Ok(match op {
                    SetOperator::Union if all => union,
                    SetOperator::Union => each_once(union),
                    _ => of_sides(union, *op == SetOperator::Intersect)?,
                })
            }
            SetExpr::Values(_) => {
                self.error(body, "VALUES is not supported: rows come from tables")
            }
            _ => self.error(body, "a SELECT is wanted here"),
        }
    }

    /// Where the word stands that puts a SELECT and another one together.
    fn operator(&self, left: &SetExpr) -> Span {
        let end = left.span().end;
        let (line, column) = (end.line as u32, end.column as u32);
        let end = Span { file: self.file.clone(), line, column };
        self.words.from(end, &["UNION", "INTERSECT", "EXCEPT", "MINUS"])
    }

    /// The rows of both sides; marked, with two bits more that say of which side a row is.
    fn union(&self, left: Plan, right: Plan, at: &Span, marked: bool) -> Result<Plan> {
        if left.fields.len() != right.fields.len() {
            let what = format!(
                "the sides of UNION have {} and {} columns",
                left.fields.len(),
                right.fields.len()
            );
            return Err(QueryError::new(at, what));
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (number, (a, b)) in left.fields.iter().zip(&right.fields).enumerate() {
            let [first, second] = [(a, &left), (b, &right)].map(|(field, plan)| Expr {
                compute: Compute::Column(number),
                kind: field.kind.clone(),
                nullable: field.nullable,
                span: plan.span.clone(),
            });
            let kind = typing::common(&first, &second)?;
            sides[0].push((converted(first, &kind)?, a.name.clone()));
            sides[1].push((converted(second, &kind)?, a.name.clone()));
        }
        let span = left.span.clone();
        if marked {
            for (side, columns) in sides.iter_mut().enumerate() {
                let bit = |number: usize| (truth(number == side, span.clone()), String::new());
                columns.extend([bit(0), bit(1)]);
            }
        }
        let [first, second] = sides;
        let (left, right) = (projected(left, first), projected(right, second));
        let pairs = left.fields.iter().zip(&right.fields);
        let fields =
            pairs.map(|(a, b)| Field { nullable: a.nullable || b.nullable, ..a.clone() }).collect();
        Ok(Plan { node: Node::Union(vec![left, right]), fields, span })
    }

    /// A key of an order, by the name or the place of a column.
    fn named_key(&self, by: &ast::OrderByExpr, plan: &Plan) -> Result<OrderKey> {
        let column = match self.place(&by.expr, plan.fields.len())? {
            Some(column) => Some(column),
            None => match &by.expr {
                Ast::Identifier(name) => {
                    Scope::of(plan, None).find(None, &name.value).first().copied()
                }
                _ => None,
            },
        };
        match column {
            Some(column) => self.key(by, column),
            None => self.error(
                &by.expr,
                "what is ordered by is a column of the result, by its name or its place",
            ),
        }
    }

    /// The column that a number means in ORDER BY and GROUP BY.
    pub fn place(&self, ast: &Ast, columns: usize) -> Result<Option<usize>> {
        let Ast::Value(value) = ast else { return Ok(None) };
        let Value::Number(digits, _) = &value.value else { return Ok(None) };
        match digits.parse::<usize>() {
            Ok(place) if (1..=columns).contains(&place) => Ok(Some(place - 1)),
            _ => self.error(ast, format!("there is no column {digits}: there are {columns}")),
        }
    }

    /// A key of an order. Nulls come last unless the query says otherwise, as in DuckDB.
    pub fn key(&self, by: &ast::OrderByExpr, column: usize) -> Result<OrderKey> {
        let descending = match &by.options.sort {
            None | Some(ast::OrderBySort::Asc) => false,
            Some(ast::OrderBySort::Desc) => true,
            Some(_) => return self.error(&by.expr, "an order is ASC or DESC"),
        };
        Ok(OrderKey { column, descending, nulls_first: by.options.nulls_first.unwrap_or(false) })
    }
}

/// The rows of a plan, each once.
pub(super) fn each_once(plan: Plan) -> Plan {
    let (fields, span) = (plan.fields.clone(), plan.span.clone());
    let keys = (0..fields.len()).collect();
    Plan { node: Node::Group { input: Box::new(plan), keys, aggregates: Vec::new() }, fields, span }
}

/// The different rows of a marked union that both sides have, or the first alone. Null is equal to null.
fn of_sides(union: Plan, both: bool) -> Result<Plan> {
    let (span, width) = (union.span.clone(), union.fields.len() - 2);
    let side = |number: usize| Aggregate {
        function: Function::Max,
        column: Some(width + number),
        other: None,
        distinct: false,
        span: span.clone(),
    };
    let fields = union.fields.clone();
    let node = Node::Group {
        keys: (0..width).collect(),
        aggregates: vec![side(0), side(1)],
        input: Box::new(union),
    };
    let column = |number: usize, field: &Field| Expr {
        compute: Compute::Column(number),
        kind: field.kind.clone(),
        nullable: field.nullable,
        span: span.clone(),
    };
    let [first, second] = [width, width + 1].map(|number| column(number, &fields[number]));
    let second = if both { second } else { typing::not(second)? };
    let shown = fields.iter().enumerate().take(width);
    let shown = shown.map(|(number, field)| (column(number, field), field.name.clone())).collect();
    let groups = Plan { node, fields: fields.clone(), span: span.clone() };
    Ok(projected(filtered(groups, typing::and(first, second)?), shown))
}

/// How many rows a plan has at most, if it says so itself.
fn plan_rows(plan: &Plan) -> Option<u64> {
    match &plan.node {
        Node::Group { keys, .. } if keys.is_empty() => Some(1),
        Node::First { rows, .. } => Some(*rows),
        Node::Project { input, .. } | Node::Filter { input, .. } => plan_rows(input),
        _ => None,
    }
}
