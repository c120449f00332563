//! CSV: a header row that names the ports, then a row per instance.

use super::digits::parse_any;
use super::parse::Rows;
use super::{PortSpec, Problem, ValueError};
use csv::{ByteRecord, ErrorKind, ReaderBuilder, Trim};
use std::io::BufRead;

/// Reads all rows of `source`. Columns may be in any order.
pub(super) fn parse(
    source: &mut dyn BufRead,
    name: &str,
    rows: &mut Rows<'_>,
) -> Result<(), ValueError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(source);
    let mut record = ByteRecord::new();
    if !next(&mut reader, name, &mut record)? {
        return Ok(());
    }
    let header_line = line_of(&record);
    let ports = columns(&record, rows)
        .map_err(|(column, p)| ValueError::at(name, header_line, column, p))?;
    while next(&mut reader, name, &mut record)? {
        let line = line_of(&record);
        parse_row(&record, &ports, rows)
            .map_err(|(column, p)| ValueError::at(name, line, column, p))?;
    }
    Ok(())
}

/// Reads the next record; false at the end of the file.
fn next<R: std::io::Read>(
    reader: &mut csv::Reader<R>,
    name: &str,
    record: &mut ByteRecord,
) -> Result<bool, ValueError> {
    reader.read_byte_record(record).map_err(|e| {
        let line = e.position().map_or(0, csv::Position::line);
        let problem = match e.kind() {
            ErrorKind::Io(io) => Problem::Io(io.kind()),
            _ => Problem::Csv("the row cannot be read"),
        };
        ValueError::at(name, line, 0, problem)
    })
}

fn line_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// The port of each column, from the header; an error comes with its column.
fn columns(header: &ByteRecord, rows: &Rows<'_>) -> Result<Vec<usize>, (u64, Problem)> {
    let wide = rows.wide();
    let mut ports = Vec::with_capacity(wide.len());
    for (i, cell) in header.iter().enumerate() {
        let named = |&&p: &&usize| rows.ports[p].name.as_bytes() == cell;
        match wide.iter().find(named) {
            Some(port) if !ports.contains(port) => ports.push(*port),
            _ => {
                let ports = rows.names();
                return Err((i as u64 + 1, Problem::UnknownColumn { ports }));
            }
        }
    }
    match wide.iter().find(|port| !ports.contains(port)) {
        None => Ok(ports),
        Some(&missing) => Err((
            0,
            Problem::MissingColumn { port: rows.ports[missing].name.clone(), ports: rows.names() },
        )),
    }
}

/// Adds a row's instance; an error comes with the number of its cell.
fn parse_row(
    record: &ByteRecord,
    ports: &[usize],
    rows: &mut Rows<'_>,
) -> Result<(), (u64, Problem)> {
    if record.len() != ports.len() {
        let (expected, found) = (ports.len(), record.len());
        let ports = rows.names();
        return Err((0, Problem::ValueCount { expected, found, ports }));
    }
    for (i, (&port, cell)) in ports.iter().zip(record).enumerate() {
        let read = |spec: &PortSpec, limbs: &mut [u64]| parse_any(cell, spec, limbs);
        rows.value(port, read).map_err(|(_, problem)| (i as u64 + 1, problem))?;
    }
    rows.end();
    Ok(())
}
