//! Results as plain columns.

use std::sync::Arc;

use tacit_program::{Domain, Element, Meaning};

use super::table::{OutputColumn, OutputTable};
use crate::render::{self, widen};

/// A column of labels, a result, or a column of a matrix.
pub(super) struct Flat<'a> {
    pub name: String,
    content: Content<'a>,
}

/// What a column holds.
pub(super) enum Content<'a> {
    /// Raw values.
    Values { of: &'a OutputColumn, start: usize, stride: usize },
    /// Members of a domain in turn, each so many times.
    Labels { domain: Arc<Domain>, times: usize },
}

impl Flat<'_> {
    pub fn content(&self) -> &Content<'_> {
        &self.content
    }

    /// A row's integer: of a result its raw value, of a label its code.
    pub fn value(&self, row: usize) -> i64 {
        match &self.content {
            Content::Values { of, start, stride } => of.raw[row * stride + start],
            Content::Labels { domain, times } => {
                let at = (row / times) as u64 % domain.len().max(1);
                domain.first().saturating_add_unsigned(at)
            }
        }
    }

    /// Whether a row has a value.
    pub fn is_known(&self, row: usize) -> bool {
        match &self.content {
            Content::Values { of, start, stride } => of.is_known(row * stride + start),
            Content::Labels { .. } => true,
        }
    }

    /// Whether rows may have no value.
    pub fn may_miss(&self) -> bool {
        matches!(&self.content, Content::Values { of, .. } if of.known.is_some())
    }

    /// A raw value as the number that it is.
    pub fn wide(&self, raw: i64) -> i128 {
        match &self.content {
            Content::Values { of, .. } => widen(of.element, raw),
            Content::Labels { .. } => raw.into(),
        }
    }

    /// A row as text: a label, a date, or a number written by `number`; nothing where there is no value.
    pub fn text(&self, row: usize, number: fn(Element, i64) -> String) -> String {
        if !self.is_known(row) {
            return String::new();
        }
        let value = self.value(row);
        match &self.content {
            Content::Values { of, .. } if of.meaning == Meaning::Number => {
                number(of.element, value)
            }
            Content::Values { of, .. } => of.meaning.show(widen(of.element, value)),
            Content::Labels { domain, .. } => domain.label(value.into()).unwrap_or_default(),
        }
    }

    /// A row as text, numbers exactly.
    pub fn exact(&self, row: usize) -> String {
        self.text(row, render::exact)
    }

    /// Whether both are labels, and the same in every row.
    fn is_same_label(&self, other: &Flat<'_>) -> bool {
        match (&self.content, &other.content) {
            (
                Content::Labels { domain, times },
                Content::Labels { domain: of_other, times: other_times },
            ) => domain == of_other && times == other_times,
            _ => false,
        }
    }

    /// Whether its rows are texts: labels that are names, or results that stand for something.
    pub fn is_text(&self) -> bool {
        match &self.content {
            Content::Values { of, .. } => {
                !matches!(of.meaning, Meaning::Number | Meaning::Decimal(_))
            }
            Content::Labels { domain, .. } => domain.is_named(),
        }
    }
}

/// Rows of a result: of more than two axes, all but the last count the rows.
pub(super) fn rows(column: &OutputColumn) -> usize {
    match column.shape.as_slice() {
        [] | [_] => column.raw.len(),
        [leading @ .., _] => leading.iter().product::<u64>() as usize,
    }
}

/// The domains that label the rows of a result, outermost first; none if an axis has none.
pub(super) fn row_labels(column: &OutputColumn) -> Vec<Arc<Domain>> {
    let axes = column.shape.len().saturating_sub(1).max(1).min(column.shape.len());
    let axes: Vec<&[Arc<Domain>]> = (0..axes).map(|at| column.axis(at)).collect();
    match axes.iter().any(|axis| axis.is_empty()) {
        true => Vec::new(),
        false => axes.concat(),
    }
}

/// The columns of labels, one per domain.
pub(super) fn labels(by: &[Arc<Domain>]) -> Vec<Flat<'static>> {
    let times = |at: usize| by[at + 1..].iter().map(|domain| domain.len() as usize).product();
    let column = |(at, domain): (usize, &Arc<Domain>)| Flat {
        name: domain.name.clone(),
        content: Content::Labels { domain: domain.clone(), times: times(at) },
    };
    by.iter().enumerate().map(column).collect()
}

/// The columns of a result; those of a matrix `m` are `m[0]`, `m[1]`, ..., or called by their labels.
pub(super) fn columns(column: &OutputColumn) -> Vec<Flat<'_>> {
    let flat =
        |name, start, stride| Flat { name, content: Content::Values { of: column, start, stride } };
    match column.shape.as_slice() {
        [] | [_] => vec![flat(column.name.clone(), 0, 1)],
        [leading @ .., width] => {
            let width = *width as usize;
            let labels = labels(column.axis(leading.len()));
            let label = |i: usize| match labels.is_empty() {
                true => i.to_string(),
                false => labels.iter().map(|by| by.exact(i)).collect::<Vec<_>>().join(", "),
            };
            (0..width).map(|i| flat(format!("{}[{}]", column.name, label(i)), i, width)).collect()
        }
    }
}

/// All columns and the number of rows, for results that have equally many. Labels stand before
/// the first result that has them.
pub(super) fn table(table: &OutputTable) -> (Vec<Flat<'_>>, usize) {
    let mut all: Vec<Flat<'_>> = Vec::new();
    for column in &table.columns {
        for label in labels(&row_labels(column)) {
            if !all.iter().any(|other| other.is_same_label(&label)) {
                all.push(label);
            }
        }
        all.extend(columns(column));
    }
    (all, table.columns.first().map_or(0, rows))
}
