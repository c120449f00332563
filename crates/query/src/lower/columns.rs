//! Queries whose rows a program goes on with, in place of showing them.

use super::frame::Cell;
use super::{Lowering, keys};
use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::Query;
use crate::rewrite::rewritten;
use tacit_program::build::{Builder, Value};
use tacit_program::{Extent, Span};

/// The rows of a query, as values of a program.
#[derive(Clone, Debug)]
pub struct Columns {
    /// A value for each row, by column: zero where a row is not there.
    pub columns: Vec<Column>,
    /// How many rows there are, with those that are not there.
    pub rows: Extent,
    /// A bit for each row that says whether it is there. None: all are.
    pub there: Option<Value>,
}

/// A column of them.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name in the query.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Raw values, one for each row.
    pub value: Value,
}

/// Records the rows of a query in a program that has its parties: in their order, if the query has one, else in one that may follow from
/// keys and from whose rows they are. What the query checks goes into each program that computes one of these values. `place` is
/// where the user asks for it.
///
/// # Errors
/// As [`lower`](super::lower()), but that the number of rows may be private; where a value may be null, and where small groups are to be left out.
pub fn columns(query: &Query, catalog: &Catalog, place: &Span, b: &mut Builder) -> Result<Columns> {
    if query.min_rows.is_some() {
        let what = "min_rows leaves out groups of what is shown, and nothing is shown here: count rows, and filter by that";
        return Err(QueryError::new(&query.plan.span, what));
    }
    let query = &Query { plan: rewritten(query.plan.clone()), ..query.clone() };
    let taken = std::mem::replace(b, Builder::new(""));
    let mut lowering = Lowering::new(taken, query, catalog, Some(place.clone()));
    let columns = lowering.columns(query);
    *b = lowering.b;
    columns
}

impl Lowering<'_> {
    fn columns(&mut self, query: &Query) -> Result<Columns> {
        let fields = &query.plan.fields;
        let wanted = vec![true; fields.len()];
        let mut frame = self.plan(&query.plan, &wanted)?;
        if !query.order.is_empty() {
            frame = self.sorted(frame, fields, &keys::with_ties(&query.order, fields.len()))?;
        }
        let rows = frame.rows.clone();
        let there = frame.valid.map(|valid| self.per_row(valid, &rows));
        let mut columns = Vec::new();
        for (number, field) in fields.iter().enumerate() {
            let Cell { value, known } = frame.column(number, &query.plan.span)?;
            if known.is_some() {
                let what = format!(
                    "`{}` may be null, and a program has no nulls: give it a value by COALESCE, or leave these rows out by WHERE .. IS NOT NULL",
                    field.name
                );
                return Err(QueryError::new(&query.plan.span, what));
            }
            let value = self.per_row(value, &rows);
            let value = there.map_or(value, |there| self.only_where(there, value, 0));
            columns.push(Column { name: field.name.clone(), kind: field.kind.clone(), value });
        }
        let values = columns.iter().map(|column| column.value).chain(there);
        for value in values {
            for tied in self.tied.clone() {
                self.b.tie(value, tied);
            }
        }
        self.checked(Columns { columns, rows, there })
    }
}
