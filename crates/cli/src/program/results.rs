//! Results of programs, printed or written.

use super::args::TableArgs;
use crate::error::CliError;
use std::path::Path;
use tacit::runtime::SHOWN_ROWS;
use tacit::{Answer, Program};
use tacit_program::clear::Array;
use tacit_query::lower::Shown;
use tacit_tables::{Format, OutputColumn, OutputTable};
use zeroize::Zeroizing;

/// What a party learned, as a table, with the labels that the program gives its results.
pub fn table(program: &Program, revealed: &[(String, Array)]) -> Result<OutputTable, CliError> {
    if let Some(shown) = program.shown() {
        return Ok(answer(shown, revealed)?.table().clone());
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

/// The answer of a query.
fn answer(shown: &Shown, revealed: &[(String, Array)]) -> Result<Answer, CliError> {
    let result =
        |name: &str| revealed.iter().find(|(known, _)| known == name).map(|(_, array)| array);
    Ok(Answer::of(shown, result)?)
}

/// What is to be said beside the answer of a query.
fn remarks(program: &Program, revealed: &[(String, Array)]) -> Result<Vec<String>, CliError> {
    let Some(shown) = program.shown() else { return Ok(Vec::new()) };
    Ok(answer(shown, revealed)?.remarks().to_vec())
}

/// Writes results to a file, in the format that its name says.
pub fn write(program: &Program, path: &Path, revealed: &[(String, Array)]) -> Result<(), CliError> {
    table(program, revealed)?.write(path, None)?;
    remarks(program, revealed)?.iter().for_each(|remark| crate::output::remark(remark));
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
    for remark in remarks(program, revealed)? {
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
