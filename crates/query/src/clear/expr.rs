//! Values of expressions, for one row.

use super::number;
use super::operator::Run;
use super::wrong::{malformed, too_large};
use crate::error::{QueryError, Result};
use crate::plan::{Compute, DatePart, Expr, Operator, Plan};
use crate::rows::Cell;
use chrono::{Datelike, NaiveDate};

impl Run<'_> {
    /// The value of an expression for a row.
    pub(super) fn value(&self, expr: &Expr, row: &[Cell]) -> Result<Cell> {
        let value = self.any_value(expr, row)?;
        if value.is_none() && !expr.nullable {
            return Err(malformed(&expr.span, "this is null, and it says that it never is"));
        }
        Ok(value)
    }

    fn any_value(&self, expr: &Expr, row: &[Cell]) -> Result<Cell> {
        let value = |of: &Expr| self.value(of, row);
        let small = |number: Option<i128>| number.ok_or_else(|| too_large(&expr.span));
        match &expr.compute {
            Compute::Column(column) => Ok(row[*column]),
            Compute::Literal(raw) => Ok(*raw),
            Compute::Scalar(plan) => self.scalar(plan),
            Compute::Convert(a) => match value(a)? {
                Some(raw) => small(number::convert(&a.kind, &expr.kind, raw)).map(Some),
                None => Ok(None),
            },
            Compute::Negate(a) => match value(a)? {
                Some(raw) => small(raw.checked_neg()).map(Some),
                None => Ok(None),
            },
            Compute::Absolute(a) => match value(a)? {
                Some(raw) => small(raw.checked_abs()).map(Some),
                None => Ok(None),
            },
            Compute::Not(a) => Ok(value(a)?.map(|bit| 1 - bit)),
            Compute::IsNull(a) => Ok(Some(i128::from(value(a)?.is_none()))),
            Compute::Binary(operator, a, b) => match (operator, value(a)?, value(b)?) {
                // One operand decides, whatever the other one is.
                (Operator::And, Some(0), _) | (Operator::And, _, Some(0)) => Ok(Some(0)),
                (Operator::Or, Some(1), _) | (Operator::Or, _, Some(1)) => Ok(Some(1)),
                (operator, Some(a), Some(b)) => {
                    let result = number::binary(*operator, &expr.kind, a, b);
                    result.ok_or_else(|| too_large(&expr.span))
                }
                _ => Ok(None),
            },
            Compute::Case(branches, last) => {
                for (condition, result) in branches {
                    if value(condition)? == Some(1) {
                        return value(result);
                    }
                }
                value(last)
            }
            Compute::Coalesce(of) => {
                for operand in of {
                    if let Some(raw) = value(operand)? {
                        return Ok(Some(raw));
                    }
                }
                Ok(None)
            }
            Compute::Extreme { greatest, of } => {
                let mut extreme: Cell = None;
                for operand in of {
                    let Some(raw) = value(operand)? else { continue };
                    extreme = Some(match extreme {
                        None => raw,
                        Some(other) if *greatest => other.max(raw),
                        Some(other) => other.min(raw),
                    });
                }
                Ok(extreme)
            }
            Compute::Bucket(a, edges) => {
                let reached = |raw| edges.iter().filter(|edge| **edge <= raw).count() as i128;
                Ok(value(a)?.map(reached))
            }
            Compute::Root(a) => match value(a)? {
                Some(raw) if raw >= 0 => small(number::root(&expr.kind, raw)).map(Some),
                _ => Ok(None),
            },
            Compute::OfText(..) => Err(QueryError::new(&expr.span, crate::plan::LETTERS)),
            Compute::DatePart(part, a) => match value(a)? {
                Some(days) => {
                    let far = || QueryError::new(&expr.span, "this date is too far from today");
                    date_part(*part, days).ok_or_else(far).map(Some)
                }
                None => Ok(None),
            },
        }
    }

    /// The only value of a plan, or null where it has no row. It is the same for all rows, and computed once.
    fn scalar(&self, plan: &Plan) -> Result<Cell> {
        let place: *const Plan = plan;
        if let Some(known) = self.scalars.borrow().get(&place) {
            return Ok(known.rows.first().and_then(|row| row[0]));
        }
        let rows = self.plan(plan)?;
        if rows.rows.len() > 1 {
            return Err(QueryError::new(
                &plan.span,
                "this subquery has several rows where one value is needed",
            ));
        }
        let value = rows.rows.first().and_then(|row| row[0]);
        self.scalars.borrow_mut().insert(place, rows);
        Ok(value)
    }
}

/// A part of a date, which is so many days after 1970-01-01; none if it is too far from there.
fn date_part(part: DatePart, days: i128) -> Option<i128> {
    let date = NaiveDate::from_epoch_days(i32::try_from(days).ok()?)?;
    Some(match part {
        DatePart::Year => i128::from(date.year()),
        DatePart::Quarter => i128::from(date.month0() / 3 + 1),
        DatePart::Month => i128::from(date.month()),
        DatePart::Day => i128::from(date.day()),
        DatePart::Weekday => i128::from(date.weekday().num_days_from_sunday()),
    })
}
