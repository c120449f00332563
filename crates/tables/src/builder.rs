//! A table as it grows row by row, and the errors found on the way.

use zeroize::Zeroizing;

use crate::cell::{Cell, Target};
use crate::column::{Column, Table};
use crate::error::{CellError, MAX_CELL_ERRORS, TableError};
use crate::problem::Problem;
use crate::schema::{ColumnSpec, Missing, Schema};
use tacit_program::{Element, Meaning};

/// Rows that a column first has room for.
const FIRST_ROWS: usize = 1 << 10;

pub(crate) struct Builder<'a> {
    file: &'a str,
    specs: &'a [ColumnSpec],
    /// What cells of each column become.
    pub targets: Vec<Target>,
    values: Vec<Zeroizing<Vec<i64>>>,
    /// For columns that have one, which values were there.
    validity: Vec<Zeroizing<Vec<i64>>>,
    /// The row at hand, one value per column, and whether it was there.
    row: Zeroizing<Vec<i64>>,
    present: Vec<bool>,
    seen: u64,
    dropped: usize,
    errors: Vec<CellError>,
    /// Where in the file the row of each error begins.
    offsets: Vec<u64>,
}

impl<'a> Builder<'a> {
    /// The schema has been checked.
    pub fn new(file: &'a str, schema: &'a Schema) -> Self {
        let columns = schema.columns.len();
        let target = |spec| Target::new(spec, &schema.csv.missing);
        Builder {
            file,
            specs: &schema.columns,
            targets: schema.columns.iter().map(target).collect(),
            values: vec![Zeroizing::default(); columns],
            validity: vec![Zeroizing::default(); columns],
            row: Zeroizing::new(vec![0; columns]),
            present: vec![false; columns],
            seen: 0,
            dropped: 0,
            errors: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Takes a row that begins at byte `offset` of the file, its cells by column. Cells of rows
    /// that are left out are checked all the same. False when there were enough errors.
    pub fn row(&mut self, offset: u64, mut cell: impl FnMut(usize, &Target) -> Cell) -> bool {
        self.seen += 1;
        let mut keep = true;
        for i in 0..self.specs.len() {
            let cell = cell(i, &self.targets[i]);
            self.present[i] = matches!(cell, Ok(Some(_)));
            match (cell, self.specs[i].missing) {
                (Ok(Some(raw)), _) | (Ok(None), Missing::Fill(raw)) => self.row[i] = raw,
                (Ok(None), Missing::Drop) => keep = false,
                (Ok(None), Missing::Error) => self.error(offset, Some(i), Problem::Missing),
                (Err(problem), _) => self.error(offset, Some(i), problem),
            }
        }
        if keep {
            self.keep();
        } else {
            self.dropped += 1;
        }
        self.errors.len() < MAX_CELL_ERRORS
    }

    /// Takes a row that has the wrong number of cells. False when there were enough errors.
    pub fn bad_row(&mut self, offset: u64, problem: Problem) -> bool {
        self.seen += 1;
        self.error(offset, None, problem);
        self.errors.len() < MAX_CELL_ERRORS
    }

    fn error(&mut self, offset: u64, column: Option<usize>, problem: Problem) {
        if self.errors.len() == MAX_CELL_ERRORS {
            return;
        }
        let spec = column.map(|i| &self.specs[i]);
        self.errors.push(CellError {
            row: self.seen,
            line: None,
            column: spec.map(|spec| spec.column.clone()),
            problem,
            allowed: spec.map(ColumnSpec::allowed).unwrap_or_default(),
        });
        self.offsets.push(offset);
    }

    fn keep(&mut self) {
        for (i, spec) in self.specs.iter().enumerate() {
            push(&mut self.values[i], self.row[i]);
            if spec.validity.is_some() {
                push(&mut self.validity[i], i64::from(self.present[i]));
            }
        }
    }

    /// The table, or the errors; `lines` gives the lines of rows that begin at these offsets.
    pub fn finish(self, lines: impl Fn(&[u64]) -> Vec<Option<u64>>) -> Result<Table, TableError> {
        if !self.errors.is_empty() {
            let lines = lines(&self.offsets);
            let more = self.errors.len() == MAX_CELL_ERRORS;
            let set = |(error, line)| CellError { line, ..error };
            let errors = self.errors.into_iter().zip(lines).map(set).collect();
            return Err(TableError::Cells { file: self.file.to_owned(), errors, more });
        }
        let rows = self.values.first().map_or(0, |values| values.len());
        let mut columns = Vec::new();
        for ((spec, raw), valid) in self.specs.iter().zip(self.values).zip(self.validity) {
            columns.push(Column {
                name: spec.input.clone(),
                element: spec.element,
                interval: spec.range,
                meaning: spec.meaning.clone(),
                raw,
            });
            columns.extend(spec.validity.as_ref().map(|name| Column {
                name: name.clone(),
                element: Element::Bit,
                interval: Element::Bit.interval(),
                meaning: Meaning::Number,
                raw: valid,
            }));
        }
        Ok(Table { rows, dropped: self.dropped, columns })
    }
}

/// As `Vec::push`, but erases the memory that it outgrows.
pub(crate) fn push(values: &mut Zeroizing<Vec<i64>>, value: i64) {
    if values.len() == values.capacity() {
        reserve(values, values.len().max(FIRST_ROWS));
    }
    values.push(value);
}

/// Makes room for more values, and erases the memory outgrown.
pub(crate) fn reserve(values: &mut Zeroizing<Vec<i64>>, more: usize) {
    if values.capacity() - values.len() < more {
        let mut larger = Zeroizing::new(Vec::with_capacity(values.len() + more));
        larger.extend_from_slice(values);
        *values = larger;
    }
}
