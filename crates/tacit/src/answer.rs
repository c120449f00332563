//! Answers of queries, from the results of their programs.

use crate::error::{Error, ErrorKind, Result};
use std::fmt;
use tacit_program::clear::Array;
use tacit_query::lower::Shown;
use tacit_tables::{Format, OutputColumn, OutputTable, TableError};
use zeroize::Zeroizing;

/// Rows of a table that are printed.
pub const SHOWN_ROWS: usize = 100;

/// The answer of a query, and what is to be said beside it.
///
/// `Display` prints it as `tacit run` does: the table, then a line for each remark. It has no `Debug`, because it holds opened
/// values; they are wiped when it is dropped.
#[derive(Clone)]
pub struct Answer {
    table: OutputTable,
    remarks: Vec<String>,
}

impl Answer {
    /// The answer that the results of a program make up, given by their names.
    ///
    /// # Errors
    /// An [`ErrorKind::Bug`] if a result is missing, or has another length than the others.
    #[doc(hidden)]
    pub fn of<'r>(shown: &Shown, result: impl Fn(&str) -> Option<&'r Array>) -> Result<Answer> {
        let bug = |what: String| Error::new(ErrorKind::Bug, what);
        let answer = shown.answer(|name| Some(result(name)?.values().collect())).map_err(bug)?;
        let rows = &answer.rows.rows;
        let mut columns = Vec::new();
        for (number, column) in shown.columns.iter().enumerate() {
            let Some(array) = result(&column.result) else { continue };
            let cells = rows.iter().map(|row| row[number]);
            let known: Vec<bool> = cells.clone().map(|cell| cell.is_some()).collect();
            let raw: Vec<i64> = cells.map(|cell| cell.unwrap_or(0) as i64).collect();
            let shape = vec![rows.len() as u64];
            columns.push(OutputColumn {
                meaning: column.meaning(),
                known: column.known.is_some().then_some(known),
                ..OutputColumn::new(&column.result, array.element(), shape, raw.into())
            });
        }
        Ok(Answer { table: OutputTable::new(columns)?, remarks: shown.remarks(&answer) })
    }

    /// The answer as `tacit-tables` takes it.
    #[doc(hidden)]
    #[must_use]
    pub fn table(&self) -> &OutputTable {
        &self.table
    }

    /// Names of the columns, in the order of the query.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.table.columns().iter().map(|column| column.name.as_str())
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.table.columns().first().map_or(0, |column| column.raw.len())
    }

    /// What people should know beside the answer, in sentences: whether there are more rows, and whether groups may be missing.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_table(f, &self.table)?;
        self.remarks.iter().try_for_each(|remark| writeln!(f, "{remark}"))
    }
}

/// Writes results as a table.
pub fn write_table(f: &mut fmt::Formatter<'_>, table: &OutputTable) -> fmt::Result {
    let text = || -> std::result::Result<Zeroizing<Vec<u8>>, TableError> {
        let mut text = Zeroizing::new(Vec::new());
        table.write_to(&mut *text, Format::Table, SHOWN_ROWS)?;
        Ok(text)
    };
    let text = text().map_err(|_| fmt::Error)?;
    f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}
