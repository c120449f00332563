//! Results of programs, printed or written.

use super::args::TableArgs;
use crate::error::CliError;
use std::path::Path;
use tacit::Program;
use tacit_program::clear::Array;
use tacit_query::lower::Shown;
use tacit_tables::{Format, OutputColumn, OutputTable};
use zeroize::Zeroizing;

/// Rows of a result that are printed as a table.
const SHOWN_ROWS: usize = 100;

/// What a party learned, as a table, with the labels that the program gives its results.
pub fn table(program: &Program, revealed: &[(String, Array)]) -> Result<OutputTable, CliError> {
    if let Some(shown) = program.shown() {
        return answer(program, shown, revealed);
    }
    let column = |(name, array): &(String, Array)| {
        let shape = array.shape().iter().map(|n| *n as u64).collect();
        let raw = array.raw().to_vec().into();
        let column = OutputColumn::new(name, array.element(), shape, raw);
        match program.reveals.iter().find(|reveal| reveal.name == *name) {
            None => column,
            Some(reveal) => OutputColumn {
                labels: program.labels(reveal),
                meaning: reveal.meaning.clone(),
                ..column
            },
        }
    };
    Ok(OutputTable::new(revealed.iter().map(column).collect())?)
}

/// The answer of a query, as a table.
fn answer(
    program: &Program,
    shown: &Shown,
    revealed: &[(String, Array)],
) -> Result<OutputTable, CliError> {
    let result =
        |name: &str| revealed.iter().find(|(known, _)| known == name).map(|(_, array)| array);
    let values = |name: &str| result(name).map(|array| array.values().collect());
    let answer = shown.answer(values).map_err(CliError::system)?;
    let rows = answer.rows.rows.len();
    let mut columns = Vec::new();
    for (number, column) in shown.columns.iter().enumerate() {
        let Some(array) = result(&column.result) else { continue };
        let cells = answer.rows.rows.iter().map(|row| row[number]);
        let known = cells.clone().map(|cell| cell.is_some()).collect::<Vec<_>>();
        let raw = cells.map(|cell| cell.unwrap_or(0) as i64).collect::<Vec<_>>();
        let meaning = program.reveals.iter().find(|reveal| reveal.name == column.result);
        columns.push(OutputColumn {
            meaning: meaning.map(|reveal| reveal.meaning.clone()).unwrap_or_default(),
            known: column.known.is_some().then_some(known),
            ..OutputColumn::new(&column.result, array.element(), vec![rows as u64], raw.into())
        });
    }
    Ok(OutputTable::new(columns)?)
}

/// What is to be said beside the answer of a query.
pub fn remarks(program: &Program, revealed: &[(String, Array)]) -> Vec<String> {
    let Some(shown) = program.shown() else { return Vec::new() };
    let more = shown
        .truncated
        .as_deref()
        .and_then(|name| revealed.iter().find(|(known, _)| known == name));
    let mut remarks = Vec::new();
    if more.is_some_and(|(_, bit)| bit.values().next() == Some(1)) {
        remarks.push(
            "there are more rows than these: SET max_rows says how many are shown at most"
                .to_owned(),
        );
    }
    if let Some(least) = shown.min_rows {
        remarks.push(format!("groups of fewer than {least} rows are not shown"));
    }
    remarks
}

/// Writes results to a file, in the format that its name says.
pub fn write(program: &Program, path: &Path, revealed: &[(String, Array)]) -> Result<(), CliError> {
    table(program, revealed)?.write(path, None)?;
    remarks(program, revealed).iter().for_each(|remark| crate::output::remark(remark));
    Ok(())
}

/// Results as text.
pub fn text(
    program: &Program,
    args: &TableArgs,
    revealed: &[(String, Array)],
    json: bool,
) -> Result<Zeroizing<String>, CliError> {
    let mut text = Zeroizing::new(Vec::new());
    let usual = if args.prints_alone() { Format::Csv } else { Format::Table };
    let (format, rows) = match args.result_format.unwrap_or(usual) {
        _ if json => (Format::Json, usize::MAX),
        Format::Table => (Format::Table, SHOWN_ROWS),
        format => (format, usize::MAX),
    };
    table(program, revealed)?.write_to(&mut *text, format, rows)?;
    for remark in remarks(program, revealed) {
        match format {
            Format::Table => text.extend_from_slice(format!("{remark}\n").as_bytes()),
            _ => crate::output::remark(&remark),
        }
    }
    Ok(Zeroizing::new(String::from_utf8_lossy(&text).into_owned()))
}

/// Results that were printed as JSON, as a JSON value.
pub fn parsed(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
