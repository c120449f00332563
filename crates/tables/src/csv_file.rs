//! Reading CSV: any delimiter and quote, with or without a header.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use csv::ByteRecord;

use crate::builder::Builder;
use crate::column::Table;
use crate::error::TableError;
use crate::number;
use crate::problem::Problem;
use crate::schema::{ColumnSpec, Schema};

const BUFFER_BYTES: usize = 1 << 18;

/// Reads the columns of a schema, which has been checked.
pub(crate) fn read(path: &Path, file: &str, schema: &Schema) -> Result<Table, TableError> {
    let mut reader = open(path, file, schema)?;
    let mut record = ByteRecord::new();
    let mut more = next(&mut reader, &mut record, file)?;
    if !more {
        return Err(TableError::file(file, "the file is empty"));
    }
    let expected = record.len();
    let places = places(&record, file, schema)?;
    if schema.csv.header {
        more = next(&mut reader, &mut record, file)?;
    }
    let mut builder = Builder::new(file, schema);
    while more {
        let offset = record.position().map_or(0, csv::Position::byte);
        let found = record.len();
        let go_on = if found == expected {
            builder.row(offset, |i, target| target.text(&record[places[i]]))
        } else {
            builder.bad_row(offset, Problem::Count { found, expected })
        };
        more = go_on && next(&mut reader, &mut record, file)?;
    }
    builder.finish(|offsets| lines_at(path, offsets))
}

fn open(path: &Path, file: &str, schema: &Schema) -> Result<csv::Reader<File>, TableError> {
    let tabs = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("tsv"));
    let delimiter = schema.csv.delimiter.unwrap_or(if tabs { b'\t' } else { b',' });
    let opened = File::open(path).map_err(|e| TableError::read(file, e))?;
    Ok(csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quote(schema.csv.quote)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(BUFFER_BYTES)
        .from_reader(opened))
}

fn next(
    reader: &mut csv::Reader<File>,
    record: &mut ByteRecord,
    file: &str,
) -> Result<bool, TableError> {
    reader.read_byte_record(record).map_err(|e| match e.into_kind() {
        csv::ErrorKind::Io(source) => TableError::read(file, source),
        _ => TableError::file(file, "not CSV"),
    })
}

/// Where in each record the columns of the schema are.
fn places(first: &ByteRecord, file: &str, schema: &Schema) -> Result<Vec<usize>, TableError> {
    let wrong = |what| TableError::file(file, what);
    let names = if schema.csv.header {
        header(first).map_err(wrong)?
    } else {
        (1..=first.len()).map(|position| position.to_string()).collect()
    };
    let columns = schema.columns.iter().map(|spec| {
        let mut found = (0..).zip(&names).filter(|(_, name)| **name == spec.column);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (Some(_), Some(_)) => Err(format!(
                "two columns are called \"{}\"; rename one, or set `header = false` and name \
                 columns by position",
                spec.column
            )),
            (None, _) => Err(no_column(spec, &names, schema.csv.header)),
        }
    });
    columns.collect::<Result<_, _>>().map_err(wrong)
}

fn header(record: &ByteRecord) -> Result<Vec<String>, String> {
    let name = |cell: &[u8]| std::str::from_utf8(cell).map(|name| name.trim().to_owned());
    record.iter().map(name).collect::<Result<_, _>>().map_err(|_| {
        "the header is not UTF-8 text; save the file as UTF-8, or as Parquet if it is not CSV"
            .to_owned()
    })
}

/// Names the columns that there are, unless the first line may be data, which stays secret.
fn no_column(spec: &ColumnSpec, names: &[String], header: bool) -> String {
    let column = &spec.column;
    let start = format!("no column \"{column}\"");
    let is_data = |name: &String| {
        name.is_empty() || number::from_text(name.as_bytes(), number::Unit::binary(0)).is_ok()
    };
    match names {
        names if !header => {
            format!("{start}; without a header columns are called 1 to {}", names.len())
        }
        names if names.iter().any(is_data) => format!(
            "{start}: the first line is no header; add one, or set `header = false` and name \
             columns by position"
        ),
        [one] => format!("{start}, only \"{one}\"; is the delimiter right?"),
        names => format!(
            "{start}; the header has: {}; {}",
            names.join(", "),
            spec.advice(names.iter().map(String::as_str))
        ),
    }
}

/// The lines of rows that begin at these bytes, in ascending order; what cannot be read again (a
/// pipe) has none.
fn lines_at(path: &Path, offsets: &[u64]) -> Vec<Option<u64>> {
    let lines = if path.is_file() { count_lines(path, offsets) } else { Ok(Vec::new()) };
    let mut lines: Vec<_> = lines.unwrap_or_default().into_iter().map(Some).collect();
    lines.resize(offsets.len(), None);
    lines
}

fn count_lines(path: &Path, offsets: &[u64]) -> io::Result<Vec<u64>> {
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    let (mut line, mut at) = (1, 0);
    let mut lines = Vec::new();
    for &offset in offsets {
        while at < offset {
            let buffer = reader.fill_buf()?;
            let wanted = usize::try_from(offset - at).unwrap_or(usize::MAX).min(buffer.len());
            if wanted == 0 {
                break;
            }
            line += buffer[..wanted].iter().map(|b| u64::from(*b == b'\n')).sum::<u64>();
            at += wanted as u64;
            reader.consume(wanted);
        }
        // The rest of the line end before, and empty lines.
        while let Some(byte @ (b'\n' | b'\r')) = reader.fill_buf()?.first() {
            line += u64::from(*byte == b'\n');
            at += 1;
            reader.consume(1);
        }
        lines.push(line);
    }
    Ok(lines)
}
