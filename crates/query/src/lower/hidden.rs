//! Groups of too few rows, where everybody knows which groups there can be.

use super::Shown;
use crate::kind::Kind;
use crate::plan::{Compute, Node, Plan};
use crate::rows::{Answer, Cell};
use std::collections::BTreeSet;

/// So many combinations are looked through at most.
const MOST_COMBINATIONS: usize = 4096;

/// So many of them are named.
const NAMED: usize = 20;

/// A column of an answer by which it is grouped, and the values that it can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupColumn {
    column: usize,
    values: Vec<Cell>,
}

/// The columns by which the rows of an answer are grouped, if it has a row for each group that is not too small, and all of them are of lists or
/// truth values.
pub(super) fn group_columns(plan: &Plan) -> Option<Vec<GroupColumn>> {
    let mut columns: Vec<usize> = (0..plan.fields.len()).collect();
    let mut below = plan;
    let keys = loop {
        match &below.node {
            Node::Project { input, columns: made } => {
                // What is not a column is not a key.
                let number = |column: &usize| match made.get(*column).map(|it| &it.compute) {
                    Some(Compute::Column(number)) => *number,
                    _ => usize::MAX,
                };
                columns = columns.iter().map(number).collect();
                below = input;
            }
            Node::Window { input, .. } => below = input,
            Node::Group { keys, .. } => {
                let small = below.shown_groups().ok()?;
                let here = small.len() == 1 && std::ptr::eq(small[0], below);
                break Some(keys.len()).filter(|_| here)?;
            }
            _ => return None,
        }
    };
    let mut found = Vec::new();
    let mut combinations = 1usize;
    for key in 0..keys {
        let column = columns.iter().position(|column| *column == key)?;
        let field = &plan.fields[column];
        let (first, number) = match &field.kind {
            Kind::Bit => (0, 2),
            Kind::Category(domain) => (domain.first(), domain.len()),
            _ => return None,
        };
        let number = usize::try_from(number).ok().filter(|it| *it <= MOST_COMBINATIONS)?;
        let values = (i128::from(first)..).take(number).map(Some);
        let values: Vec<Cell> = values.chain(field.nullable.then_some(None)).collect();
        combinations = combinations.checked_mul(values.len())?;
        if combinations > MOST_COMBINATIONS {
            return None;
        }
        found.push(GroupColumn { column, values });
    }
    Some(found)
}

impl Shown {
    /// Which groups an answer does not show, and the least number of rows of those that it does.
    pub(super) fn small_groups(&self, least: u64, answer: &Answer) -> String {
        let none = format!("groups of fewer than {least} rows are not shown");
        let Some(keys) = self.groups.as_ref().filter(|_| !answer.truncated) else { return none };
        let of = |row: &Vec<Cell>| keys.iter().map(|key| row[key.column]).collect();
        let there: BTreeSet<Vec<Cell>> = answer.rows.rows.iter().map(of).collect();
        let mut all = vec![Vec::new()];
        for key in keys {
            let longer = |group: &Vec<Cell>| {
                let values = key.values.clone().into_iter();
                let group = group.clone();
                values.map(move |value| [group.clone(), vec![value]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.retain(|group| !there.contains(group));
        if all.is_empty() {
            return format!("no group has fewer than {least} rows");
        }
        let name = |group: &Vec<Cell>| {
            let cells = keys.iter().zip(group);
            let cells = cells.map(|(key, cell)| {
                let column = &self.columns[key.column];
                let value = cell.map_or("null".to_owned(), |raw| column.meaning().show(raw));
                format!("{} {value}", column.name)
            });
            cells.collect::<Vec<_>>().join(", ")
        };
        let mut named: Vec<String> = all.iter().take(NAMED).map(name).collect();
        if all.len() > NAMED {
            named.push(format!("and {} more", all.len() - NAMED));
        }
        format!("{none}: {}", named.join("; "))
    }
}
