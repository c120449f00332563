//! Hex, binary and decimal text: one line per instance, values separated by blanks,
//! blank lines and `#` comments ignored.

use super::digits::{parse_binary, parse_decimal, parse_hex};
use super::parse::Rows;
use super::{Format, Problem, ValueError};
use std::io::{BufRead, Read};
use zeroize::Zeroizing;

/// Reads all lines of `source` in a text format.
pub(super) fn parse(
    source: &mut dyn BufRead,
    name: &str,
    format: Format,
    rows: &mut Rows<'_>,
) -> Result<(), ValueError> {
    let limit = line_limit(rows);
    let ports = rows.wide();
    // Filled to its capacity at most, so that no reallocation leaves a copy behind.
    let mut line = Zeroizing::new(Vec::with_capacity(limit + 1));
    for number in 1.. {
        line.clear();
        let read = source
            .take(limit as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(|e| ValueError::in_file(name, Problem::Io(e.kind())))?;
        if read == 0 {
            break;
        }
        if read > limit {
            return Err(ValueError::at(name, number, 0, Problem::LineTooLong { limit }));
        }
        let content = line.split(|&c| c == b'#').next().unwrap_or(&[]);
        parse_line(content, format, &ports, rows)
            .map_err(|(column, problem)| ValueError::at(name, number, column, problem))?;
    }
    Ok(())
}

/// Bytes that a valid line can have, with ample blanks and room for a comment.
fn line_limit(rows: &Rows<'_>) -> usize {
    let digits: usize = rows.ports.iter().map(|p| p.width as usize + 64).sum();
    digits + 4096
}

/// Adds the line's instance, if it has one; an error comes with its column.
fn parse_line(
    line: &[u8],
    format: Format,
    ports: &[usize],
    rows: &mut Rows<'_>,
) -> Result<(), (u64, Problem)> {
    let found = tokens(line).count();
    if found == 0 {
        return Ok(());
    }
    if found != ports.len() {
        let (expected, names) = (ports.len(), rows.names());
        return Err((0, Problem::ValueCount { expected, found, ports: names }));
    }
    for (&port, (start, token)) in ports.iter().zip(tokens(line)) {
        rows.value(port, |spec, limbs| match format {
            Format::Hex => parse_hex(token, spec, limbs),
            Format::Binary => parse_binary(token, spec, limbs),
            _ => parse_decimal(token, spec, limbs),
        })
        .map_err(|(offset, problem)| ((start + offset) as u64 + 1, problem))?;
    }
    rows.end();
    Ok(())
}

/// The blank-separated tokens of a line with their offsets.
fn tokens(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    line.split(u8::is_ascii_whitespace)
        .map(move |token| {
            let start = at;
            at += token.len() + 1;
            (start, token)
        })
        .filter(|(_, token)| !token.is_empty())
}
