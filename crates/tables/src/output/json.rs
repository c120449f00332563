//! Results as one JSON object.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use tacit_program::{Domain, Element, Meaning};

use super::table::{OutputColumn, OutputTable};
use crate::render::{self, widen};

pub(super) fn write(table: &OutputTable, writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(b"{")?;
    for (i, column) in table.columns.iter().enumerate() {
        writer.write_all(if i == 0 { b"\n  " } else { b",\n  " })?;
        serde_json::to_writer(&mut *writer, &column.name)?;
        writer.write_all(b": ")?;
        array(writer, column, &levels(column), 0..column.raw.len())?;
    }
    writer.write_all(b"\n}\n")
}

/// One level of nesting: an axis, or one of the domains that label it.
struct Level {
    length: u64,
    labels: Option<Arc<Domain>>,
}

/// The levels of a result. A labelled axis has one per domain.
fn levels(column: &OutputColumn) -> Vec<Level> {
    let level = |(at, length): (usize, &u64)| match column.axis(at) {
        [] => vec![Level { length: *length, labels: None }],
        by => by
            .iter()
            .map(|domain| Level { length: domain.len(), labels: Some(domain.clone()) })
            .collect(),
    };
    column.shape.iter().enumerate().flat_map(level).collect()
}

/// Values as arrays, and as objects where there are labels.
fn array(
    writer: &mut dyn Write,
    column: &OutputColumn,
    levels: &[Level],
    at: Range<usize>,
) -> io::Result<()> {
    let Some((Level { length, labels }, inner)) = levels.split_first() else {
        return value(writer, column, at.start);
    };
    let step = inner.iter().map(|level| level.length).product::<u64>() as usize;
    writer.write_all(if labels.is_some() { b"{" } else { b"[" })?;
    for i in 0..*length as usize {
        if i > 0 {
            writer.write_all(b", ")?;
        }
        if let Some(domain) = labels {
            let code = i128::from(domain.first()) + i as i128;
            serde_json::to_writer(&mut *writer, &domain.label(code).unwrap_or_default())?;
            writer.write_all(b": ")?;
        }
        array(writer, column, inner, at.start + i * step..at.start + (i + 1) * step)?;
    }
    writer.write_all(if labels.is_some() { b"}" } else { b"]" })
}

fn value(writer: &mut dyn Write, column: &OutputColumn, at: usize) -> io::Result<()> {
    if !column.is_known(at) {
        return writer.write_all(b"null");
    }
    let raw = column.raw[at];
    match (column.element, &column.meaning) {
        (element, meaning @ Meaning::Decimal(_)) => {
            writer.write_all(meaning.show(widen(element, raw)).as_bytes())
        }
        (element, meaning) if *meaning != Meaning::Number => {
            serde_json::to_writer(writer, &meaning.show(widen(element, raw)))?;
            Ok(())
        }
        (Element::Bit, _) => writer.write_all((raw != 0).to_string().as_bytes()),
        (element, _) => writer.write_all(render::exact(element, raw).as_bytes()),
    }
}
