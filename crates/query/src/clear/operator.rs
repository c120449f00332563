//! Rows of operators.

use super::input;
use super::wrong::malformed;
use crate::error::{QueryError, Result};
use crate::plan::{Field, Node, Plan};
use crate::rows::{Cell, Rows, compare};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tacit_program::Span;

/// An evaluation.
pub(super) struct Run<'a> {
    tables: &'a [Rows],
    hidden: Option<Hidden<'a>>,
    /// The rows of scalar subqueries that were computed, by where their plans are.
    pub(super) scalars: RefCell<HashMap<*const Plan, Rows>>,
}

/// Groups that are not shown.
pub(super) struct Hidden<'a> {
    /// The operators that make them.
    pub(super) groups: Vec<&'a Plan>,
    /// The least number of rows of a group that is shown.
    pub(super) least: u64,
}

impl<'a> Run<'a> {
    pub(super) fn new(tables: &'a [Rows], hidden: Option<Hidden<'a>>) -> Self {
        Run { tables, hidden, scalars: RefCell::default() }
    }

    /// The rows of a plan, in any order, which are compared with what its fields say.
    pub(super) fn plan(&self, plan: &Plan) -> Result<Rows> {
        let rows = self.operator(plan)?;
        let fits = |row: &Vec<Cell>| {
            row.len() == plan.fields.len()
                && plan.fields.iter().zip(row).all(|(field, cell)| is_of(field, *cell))
        };
        if rows.columns != plan.fields.len() || !rows.rows.iter().all(fits) {
            return Err(malformed(&plan.span, "its rows are not what its columns say"));
        }
        Ok(rows)
    }

    fn operator(&self, plan: &Plan) -> Result<Rows> {
        match &plan.node {
            Node::Scan(number) => {
                let table = self.tables.get(*number);
                table.cloned().ok_or_else(|| malformed(&plan.span, "there is no such table"))
            }
            Node::Union(inputs) => {
                let mut all = Rows::new(plan.fields.len());
                for input in inputs {
                    all.rows.extend(self.plan(input)?.rows.iter().cloned());
                }
                Ok(all)
            }
            Node::Filter { input, condition } => {
                let input = self.plan(input)?;
                let mut kept = Rows::new(input.columns);
                for row in &input.rows {
                    if self.value(condition, row)? == Some(1) {
                        kept.rows.push(row.clone());
                    }
                }
                Ok(kept)
            }
            Node::Project { input, columns } => {
                let input = self.plan(input)?;
                let mut results = Rows::new(columns.len());
                for row in &input.rows {
                    let mut result = Vec::with_capacity(columns.len());
                    for column in columns {
                        result.push(self.value(column, row)?);
                    }
                    results.rows.push(result);
                }
                Ok(results)
            }
            Node::Group { input, keys, aggregates } => {
                let hides = |hidden: &&Hidden<'_>| {
                    hidden.groups.iter().any(|group| std::ptr::eq(*group, plan))
                };
                let least = self.hidden.as_ref().filter(hides).map_or(0, |hidden| hidden.least);
                let fields = (input.fields.as_slice(), &plan.fields[keys.len()..]);
                super::group::rows(&self.plan(input)?, keys, aggregates, fields, least)
            }
            Node::Join { left, right, on, outer, matches } => {
                let (left, right) = (self.plan(left)?, self.plan(right)?);
                join([&left, &right], on, *outer, *matches, &plan.span)
            }
            Node::Match { left, right, on, anti } => {
                let (left, right) = (self.plan(left)?, self.plan(right)?);
                Ok(matching(&left, &right, on, *anti))
            }
            Node::Window { input, partition, by, calls } => {
                let fields = plan.fields.split_at(input.fields.len());
                super::window::rows(&self.plan(input)?, partition, by, calls, fields)
            }
            Node::First { input, by, rows } => {
                let mut input = self.plan(input)?;
                input.rows.sort_by(|a, b| compare(by, a, b));
                input.truncate(usize::try_from(*rows).unwrap_or(usize::MAX));
                Ok(input)
            }
        }
    }
}

/// Whether a value may be in a column.
fn is_of(field: &Field, cell: Cell) -> bool {
    cell.map_or(field.nullable, |raw| input::is_of(&field.kind, raw))
}

/// The values of some columns, or none where one of them is null, since null is equal to nothing.
fn key(row: &[Cell], columns: impl Iterator<Item = usize>) -> Option<Vec<&Cell>> {
    let key: Vec<&Cell> = columns.map(|column| &row[column]).collect();
    key.iter().all(|cell| cell.is_some()).then_some(key)
}

/// The key of a row on the left.
fn left_key<'r>(row: &'r [Cell], on: &[(usize, usize)]) -> Option<Vec<&'r Cell>> {
    key(row, on.iter().map(|(left, _)| *left))
}

/// The key of a row on the right.
fn right_key<'r>(row: &'r [Cell], on: &[(usize, usize)]) -> Option<Vec<&'r Cell>> {
    key(row, on.iter().map(|(_, right)| *right))
}

fn join(
    [left, right]: [&Rows; 2],
    on: &[(usize, usize)],
    outer: bool,
    matches: u64,
    span: &Span,
) -> Result<Rows> {
    let mut by_key: BTreeMap<Vec<&Cell>, Vec<&[Cell]>> = BTreeMap::new();
    for row in &right.rows {
        let Some(key) = right_key(row, on) else { continue };
        let same = by_key.entry(key).or_default();
        same.push(row);
        if same.len() as u64 > matches {
            let what = match matches {
                1 => "the rows of the right side of this join do not have each key once".to_owned(),
                _ => format!(
                    "more than {matches} rows of the right side of this join have the same key"
                ),
            };
            return Err(QueryError::new(span, what));
        }
    }
    let missing = vec![None; right.columns];
    let mut joined = Rows::new(left.columns + right.columns);
    for row in &left.rows {
        match left_key(row, on).and_then(|key| by_key.get(&key)) {
            Some(partners) => {
                joined.rows.extend(partners.iter().map(|it| [row.as_slice(), it].concat()))
            }
            None if outer => joined.rows.push([row.as_slice(), &missing].concat()),
            None => {}
        }
    }
    Ok(joined)
}

fn matching(left: &Rows, right: &Rows, on: &[(usize, usize)], anti: bool) -> Rows {
    let keys: BTreeSet<Vec<&Cell>> =
        right.rows.iter().filter_map(|row| right_key(row, on)).collect();
    let mut kept = Rows::new(left.columns);
    for row in &left.rows {
        let found = left_key(row, on).is_some_and(|key| keys.contains(&key));
        if found != anti {
            kept.rows.push(row.clone());
        }
    }
    kept
}
