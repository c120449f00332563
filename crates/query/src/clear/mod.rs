//! Queries evaluated row by row in the clear: the oracle for programs that queries are lowered to.
//!
//! It does what [`plan`](crate::plan) says and nothing clever: it knows of no lowering, and values are integers of 128 bits, whose
//! overflow is an error. Plans are checked first, so that a plan that contradicts itself is an error too.
//!
//! | module | what it does |
//! | --- | --- |
//! | `input` | compares tables with the catalog |
//! | `check` | compares operators and expressions with the kinds that they say |
//! | `operator`, `group`, `spread`, `window` | rows of operators |
//! | `expr`, `number` | values of expressions |
//! | `wrong` | what is wrong with plans |
//!
//! Nothing here is protected: whoever evaluates has all tables.

mod check;
mod expr;
mod group;
mod input;
mod number;
mod operator;
mod spread;
mod window;
mod wrong;

#[cfg(test)]
mod tests;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::plan::{Plan, Query};
use crate::rows::{Answer, Cell, Rows, compare};
use operator::{Hidden, Run};

/// Evaluates a query: `tables` are those of the catalog, by number.
///
/// Rows are in canonical order: by the query's order, rows that are equal by it by all columns from the first one on, nulls last. Not more
/// than [`Query::max_rows`] are given, the first ones. Groups of fewer rows than [`Query::min_rows`] are dropped before whatever is
/// above the group operators, such as `HAVING` and `LIMIT`: see [`Plan::shown_groups`].
///
/// # Errors
/// If tables do not obey the catalog, the plan contradicts itself, rows on the right of a join do not have each key once, a scalar
/// subquery has several rows, a number has more than 128 bits, or there is `min_rows` without groups. Messages name tables, columns,
/// positions of rows and places in the query, never values.
pub fn evaluate(query: &Query, catalog: &Catalog, tables: &[Rows]) -> Result<Answer> {
    input::check(catalog, tables)?;
    check::plan(&query.plan, Some(catalog))?;
    check::order(&query.order, query.plan.fields.len(), &query.plan.span)?;
    let hidden = match query.min_rows {
        Some(least) => Some(Hidden { groups: query.plan.shown_groups()?, least }),
        None => None,
    };
    let mut rows = Run::new(tables, hidden).plan(&query.plan)?;
    rows.rows.sort_by(|a, b| compare(&query.order, a, b));
    let most =
        query.max_rows.map_or(usize::MAX, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
    let truncated = rows.rows.len() > most;
    rows.truncate(most);
    Ok(Answer { rows, truncated })
}

/// The rows of a plan, in any order. Tables are not compared with a catalog.
///
/// # Errors
/// If the plan contradicts itself, or [as for queries](evaluate).
pub fn rows(plan: &Plan, tables: &[Rows]) -> Result<Rows> {
    check::plan(plan, None)?;
    Run::new(tables, None).plan(plan)
}

/// The value of an expression without columns and subqueries.
pub(crate) fn constant(expr: &crate::plan::Expr) -> Result<Cell> {
    Run::new(&[], None).value(expr, &[])
}
