//! Expressions.

use super::group::Groups;
use super::scope::Scope;
use super::typing::{
    arithmetic, binary, condition, converted, decimal, folded, is_null_literal, literal, not,
    number, text, truth, unified,
};
use super::window::Windows;
use super::{At, Binder, DEEPEST, MOST_LOOKS, TOO_LARGE, typing};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, Expr, Operator};
use sqlparser::ast::{self, BinaryOperator, DataType, Expr as Ast, UnaryOperator, Value};
use tacit_program::Span;

/// What expressions are of: rows, or groups of rows.
pub(super) struct Rows<'s> {
    /// The columns of the rows.
    pub scope: &'s Scope,
    /// The groups, if expressions are of those.
    pub groups: Option<Groups>,
    /// The windows, where there may be some.
    pub windows: Option<Windows>,
    /// What is selected, where its names stand for it.
    pub names: &'s [ast::SelectItem],
}

impl<'s> Rows<'s> {
    /// Rows, one by one.
    pub fn of(scope: &'s Scope) -> Self {
        Rows { scope, groups: None, windows: None, names: &[] }
    }
}

impl Binder<'_> {
    /// An expression of single rows.
    pub fn plain(&mut self, ast: &Ast, scope: &Scope) -> Result<Expr> {
        self.expr(ast, &mut Rows::of(scope), None)
    }

    /// An expression. A text, or NULL, in it is of the kind that is wanted.
    pub fn expr(&mut self, ast: &Ast, rows: &mut Rows<'_>, wanted: Option<&Kind>) -> Result<Expr> {
        if self.depth >= DEEPEST {
            return self.error(ast, "this is nested too deep: name its parts by WITH");
        }
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return self.error(ast, TOO_LARGE);
        }
        self.depth += 1;
        let bound = self.whole_key(ast, rows).map_or_else(|| self.node(ast, rows, wanted), Ok);
        self.depth -= 1;
        bound
    }

    /// The key of groups that an expression is, if it is one.
    fn whole_key(&mut self, ast: &Ast, rows: &Rows<'_>) -> Option<Expr> {
        let groups = rows.groups.as_ref()?;
        let bound = self.plain(ast, rows.scope).ok()?;
        groups.key(&bound)
    }

    fn node(&mut self, ast: &Ast, rows: &mut Rows<'_>, wanted: Option<&Kind>) -> Result<Expr> {
        let span = self.span(ast);
        match ast {
            Ast::Nested(inner) => self.expr(inner, rows, wanted),
            Ast::Identifier(name) => self.identifier(name, rows, wanted),
            Ast::CompoundIdentifier(name) => self.row_column(name, rows),
            Ast::Value(value) => self.value(&value.value, &span, wanted),
            Ast::TypedString(typed) => match (&typed.data_type, &typed.value.value) {
                (DataType::Date, Value::SingleQuotedString(date)) => {
                    text(date, Some(&Kind::Date), &span)
                }
                _ => self.error(ast, "only dates are written with their type: DATE '2024-01-31'"),
            },
            Ast::UnaryOp { op, expr } => {
                let inner = self.expr(expr, rows, wanted)?;
                let (nullable, kind) = (inner.nullable, inner.kind.clone());
                match op {
                    UnaryOperator::Not => not(condition(inner)?),
                    UnaryOperator::Plus => number(inner),
                    UnaryOperator::Minus => {
                        let inner = Box::new(number(inner)?);
                        let kind = inner.kind.clone();
                        folded(Expr { compute: Compute::Negate(inner), kind, nullable, span })
                    }
                    _ => {
                        let _ = kind;
                        self.error(ast, format!("the operator {op} is not supported"))
                    }
                }
            }
            Ast::BinaryOp { left, op, right } => self.operation((left, op, right), rows, &span),
            Ast::IsNull(inner) | Ast::IsUnknown(inner) => self.is_null(inner, rows, &span),
            Ast::IsNotNull(inner) | Ast::IsNotUnknown(inner) => {
                not(self.is_null(inner, rows, &span)?)
            }
            Ast::IsTrue(inner) => self.is_truth(inner, rows, true),
            Ast::IsNotTrue(inner) => not(self.is_truth(inner, rows, true)?),
            Ast::IsFalse(inner) => self.is_truth(inner, rows, false),
            Ast::IsNotFalse(inner) => not(self.is_truth(inner, rows, false)?),
            Ast::IsNotDistinctFrom(a, b) => self.not_distinct(a, b, rows, &span),
            Ast::IsDistinctFrom(a, b) => not(self.not_distinct(a, b, rows, &span)?),
            Ast::Between { expr, negated, low, high } => {
                let above = self.compared(low, Operator::LessOrEqual, expr, rows, &span)?;
                let below = self.compared(expr, Operator::LessOrEqual, high, rows, &span)?;
                let within = typing::and(above, below)?;
                if *negated { not(within) } else { Ok(within) }
            }
            Ast::In { expr, target: ast::InTarget::List(list), negated, .. } => {
                let mut equal = Vec::new();
                for item in list {
                    equal.push(self.compared(expr, Operator::Equal, item, rows, &span)?);
                }
                let any = typing::all(Operator::Or, equal, &span)?;
                if *negated { not(any) } else { Ok(any) }
            }
            Ast::In { .. } | Ast::Exists { .. } => self.error(
                ast,
                "IN (SELECT ..) and EXISTS stand alone in WHERE, or beside other conditions by AND",
            ),
            Ast::Like { negated, any: false, .. } | Ast::ILike { negated, any: false, .. } => {
                match self.of_text(ast, rows, wanted)? {
                    Some(like) if *negated => not(like),
                    Some(like) => Ok(like),
                    None => self.error(ast, "this is not supported in an expression"),
                }
            }
            Ast::Case { operand, conditions, else_result, .. } => self.case(
                operand.as_deref(),
                conditions,
                else_result.as_deref(),
                rows,
                wanted,
                &span,
            ),
            Ast::Cast { expr, data_type, .. } => {
                let kind = self.kind_of(data_type, ast)?;
                let inner = self.expr(expr, rows, Some(&kind))?;
                match (&inner.kind, &kind) {
                    (Kind::Decimal { .. }, Kind::Bit) => {
                        let zero = literal(inner.kind.clone(), Some(0), span.clone());
                        not(binary(Operator::Equal, inner, zero, Kind::Bit, &span)?)
                    }
                    _ => Ok(Expr { span, ..converted(inner, &kind)? }),
                }
            }
            Ast::Extract { field, expr, .. } => {
                let part = super::function::date_part(&field.to_string());
                let Some(part) = part else {
                    return self.error(ast, format!("there is no {field} of a date: there are year, quarter, month, day and dayofweek"));
                };
                let date = self.expr(expr, rows, Some(&Kind::Date))?;
                super::function::part_of(part, date, span)
            }
            Ast::Function(function) => match self.of_text(ast, rows, wanted)? {
                Some(of_text) => Ok(of_text),
                None => self.function(function, ast, rows, wanted),
            },
            Ast::Substring { .. } | Ast::Trim { .. } => match self.of_text(ast, rows, wanted)? {
                Some(of_text) => Ok(of_text),
                None => self.error(ast, "this is not supported in an expression"),
            },
            Ast::Subquery(query) => {
                if let Some(value) = self.value_of(query, rows) {
                    return value;
                }
                self.outside.push(rows.scope.clone());
                let plan = self.query(query);
                self.outside.pop();
                let plan = plan?;
                let [field] = plan.fields.as_slice() else {
                    return self.error(ast, "a subquery that stands for a value has one column");
                };
                let kind = field.kind.clone();
                Ok(Expr { compute: Compute::Scalar(Box::new(plan)), kind, nullable: true, span })
            }
            Ast::Interval(_) => {
                self.error(ast, "an INTERVAL is added to a date, or subtracted from one")
            }
            Ast::ILike { .. } | Ast::SimilarTo { .. } | Ast::RLike { .. } | Ast::Like { .. } => {
                self.error(
                    ast,
                    "of patterns there are LIKE and ILIKE, with % for any characters and _ for one",
                )
            }
            Ast::Position { .. } | Ast::Overlay { .. } => {
                self.error(ast, super::letters::NO_SUCH_FUNCTION)
            }
            Ast::Ceil { .. } | Ast::Floor { .. } => self
                .error(ast, "CEIL and FLOOR are not supported: CAST to INT rounds to the nearest"),
            _ => self.error(ast, "this is not supported in an expression"),
        }
    }

    /// A column, or where it may have one, something else that is selected under this name.
    fn identifier(
        &mut self,
        name: &ast::Ident,
        rows: &mut Rows<'_>,
        wanted: Option<&Kind>,
    ) -> Result<Expr> {
        // Groups have keys, which are known by now, and no other columns.
        let other = rows.groups.is_some() || rows.scope.find(None, &name.value).is_empty();
        let mut items = rows.names.iter().filter_map(super::scope::item);
        let named = items
            .find(|(_, alias)| alias.is_some_and(|alias| alias.eq_ignore_ascii_case(&name.value)));
        let Some((of, _)) = named.filter(|_| other) else {
            return self.row_column(std::slice::from_ref(name), rows);
        };
        let names = std::mem::take(&mut rows.names);
        let bound = self.expr(of, rows, wanted);
        rows.names = names;
        bound
    }

    /// A column of rows; of groups it must be a key.
    fn row_column(&mut self, name: &[ast::Ident], rows: &Rows<'_>) -> Result<Expr> {
        let column = self.column(name, rows.scope)?;
        if rows.groups.is_none() {
            return Ok(column);
        }
        let shown = name.last().map_or("", |name| name.value.as_str());
        let what = format!(
            "`{shown}` is not what rows are grouped by: add it to GROUP BY, or take an aggregate of it, such as max({shown})"
        );
        self.error(&At(&name[0]), what)
    }

    fn value(&self, value: &Value, span: &Span, wanted: Option<&Kind>) -> Result<Expr> {
        match value {
            Value::Number(digits, _) => decimal(digits, span),
            Value::SingleQuotedString(string) => text(string, wanted, span),
            Value::Boolean(bit) => Ok(truth(*bit, span.clone())),
            Value::Null => Ok(literal(wanted.cloned().unwrap_or(INTEGER), None, span.clone())),
            _ => Err(QueryError::new(
                span,
                "values are written as numbers, as texts between single quotes, as true, false or NULL",
            )),
        }
    }

    /// Both sides of an operation: a text takes the kind of what it meets.
    pub fn both(&mut self, a: &Ast, b: &Ast, rows: &mut Rows<'_>) -> Result<(Expr, Expr)> {
        if is_text(a) {
            let b = self.expr(b, rows, None)?;
            return Ok((self.expr(a, rows, Some(&b.kind))?, b));
        }
        let a = self.expr(a, rows, None)?;
        let b = self.expr(b, rows, Some(&a.kind))?;
        Ok((a, b))
    }

    /// A comparison.
    fn compared(
        &mut self,
        a: &Ast,
        operator: Operator,
        b: &Ast,
        rows: &mut Rows<'_>,
        span: &Span,
    ) -> Result<Expr> {
        let (a, b) = self.both(a, b, rows)?;
        let (a, b) = unified(a, b)?;
        binary(operator, a, b, Kind::Bit, span)
    }

    fn operation(
        &mut self,
        (left, op, right): (&Ast, &BinaryOperator, &Ast),
        rows: &mut Rows<'_>,
        span: &Span,
    ) -> Result<Expr> {
        let operator = match op {
            BinaryOperator::And | BinaryOperator::Or => {
                // A chain, which may be long, from its end.
                let (mut first, mut chain) = (left, vec![right]);
                while let Ast::BinaryOp { left, op: other, right } = first
                    && other == op
                {
                    chain.push(right);
                    first = left;
                }
                chain.push(first);
                let mut conditions = Vec::new();
                for part in chain.into_iter().rev() {
                    conditions.push(condition(self.expr(part, rows, Some(&Kind::Bit))?)?);
                }
                let operator =
                    if *op == BinaryOperator::And { Operator::And } else { Operator::Or };
                return typing::all(operator, conditions, span);
            }
            BinaryOperator::Eq => return self.compared(left, Operator::Equal, right, rows, span),
            BinaryOperator::NotEq => {
                return not(self.compared(left, Operator::Equal, right, rows, span)?);
            }
            BinaryOperator::Lt => return self.compared(left, Operator::Less, right, rows, span),
            BinaryOperator::LtEq => {
                return self.compared(left, Operator::LessOrEqual, right, rows, span);
            }
            BinaryOperator::Gt => return self.compared(right, Operator::Less, left, rows, span),
            BinaryOperator::GtEq => {
                return self.compared(right, Operator::LessOrEqual, left, rows, span);
            }
            BinaryOperator::Plus => Operator::Add,
            BinaryOperator::Minus => Operator::Subtract,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
            BinaryOperator::DuckIntegerDivide => Operator::IntegerDivide,
            BinaryOperator::Modulo => Operator::Remainder,
            _ => {
                let what = format!(
                    "the operator {op} is not supported: there are + - * / // % = <> < <= > >= AND OR"
                );
                return Err(QueryError::new(span, what));
            }
        };
        if let (Ast::Interval(interval), Operator::Add | Operator::Subtract) = (right, operator) {
            let date = self.expr(left, rows, Some(&Kind::Date))?;
            return self.later(date, interval, operator == Operator::Subtract, span);
        }
        if let (Ast::Interval(interval), Operator::Add) = (left, operator) {
            let date = self.expr(right, rows, Some(&Kind::Date))?;
            return self.later(date, interval, false, span);
        }
        let (a, b) = self.both(left, right, rows)?;
        arithmetic(operator, a, b, span, self.fraction)
    }

    fn is_null(&mut self, inner: &Ast, rows: &mut Rows<'_>, span: &Span) -> Result<Expr> {
        let inner = self.expr(inner, rows, None)?;
        if !inner.nullable {
            return Ok(truth(false, span.clone()));
        }
        let compute = Compute::IsNull(Box::new(inner));
        folded(Expr { compute, kind: Kind::Bit, nullable: false, span: span.clone() })
    }

    /// Whether a condition is true, or false: not null.
    fn is_truth(&mut self, inner: &Ast, rows: &mut Rows<'_>, bit: bool) -> Result<Expr> {
        let inner = condition(self.expr(inner, rows, Some(&Kind::Bit))?)?;
        let inner = if bit { inner } else { not(inner)? };
        let span = inner.span.clone();
        let no = truth(false, span.clone());
        folded(Expr {
            compute: Compute::Coalesce(vec![inner, no]),
            kind: Kind::Bit,
            nullable: false,
            span,
        })
    }

    fn not_distinct(&mut self, a: &Ast, b: &Ast, rows: &mut Rows<'_>, span: &Span) -> Result<Expr> {
        let nulls = [self.is_null(a, rows, span)?, self.is_null(b, rows, span)?];
        let equal = self.compared(a, Operator::Equal, b, rows, span)?;
        let no = truth(false, span.clone());
        let equal = Expr {
            compute: Compute::Coalesce(vec![equal, no]),
            kind: Kind::Bit,
            nullable: false,
            span: span.clone(),
        };
        let [first, second] = nulls;
        let both = typing::and(first, second)?;
        binary(Operator::Or, equal, both, Kind::Bit, span)
    }

    fn case(
        &mut self,
        operand: Option<&Ast>,
        conditions: &[ast::CaseWhen],
        last: Option<&Ast>,
        rows: &mut Rows<'_>,
        wanted: Option<&Kind>,
        span: &Span,
    ) -> Result<Expr> {
        let mut branches = Vec::new();
        let mut results = Vec::new();
        for ast::CaseWhen { condition: when, result } in conditions {
            branches.push(match operand {
                Some(operand) => self.compared(operand, Operator::Equal, when, rows, span)?,
                None => condition(self.expr(when, rows, Some(&Kind::Bit))?)?,
            });
            results.push(result);
        }
        results.extend(last);
        let mut all = self.all(&results, rows, wanted)?;
        if last.is_none() {
            let kind = all.iter().find(|result| !is_null_literal(result));
            let kind = kind.map_or(INTEGER, |result| result.kind.clone());
            all.push(literal(kind, None, span.clone()));
        }
        let mut all = alike(all)?;
        let last = all.pop().unwrap_or_else(|| literal(INTEGER, None, span.clone()));
        let nullable = last.nullable || all.iter().any(|result| result.nullable);
        let kind = last.kind.clone();
        let branches = branches.into_iter().zip(all).collect();
        Ok(Expr {
            compute: Compute::Case(branches, Box::new(last)),
            kind,
            nullable,
            span: span.clone(),
        })
    }
}

/// Expressions as ones of the kind that they all have in common.
pub(super) fn alike(of: Vec<Expr>) -> Result<Vec<Expr>> {
    let mut like: Option<Expr> = None;
    for expr in &of {
        like = Some(match like {
            Some(like) => Expr {
                kind: typing::common(&like, expr)?,
                compute: Compute::Literal(Some(0)),
                ..like
            },
            None if is_null_literal(expr) => continue,
            None => expr.clone(),
        });
    }
    let Some(like) = like else { return Ok(of) };
    of.into_iter().map(|expr| converted(expr, &like.kind)).collect()
}

fn is_text(ast: &Ast) -> bool {
    match ast {
        Ast::Value(value) => matches!(value.value, Value::SingleQuotedString(_) | Value::Null),
        Ast::Nested(inner) => is_text(inner),
        _ => false,
    }
}
