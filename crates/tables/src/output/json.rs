//! Results as one JSON object.

use std::io::{self, Write};

use tacit_program::Element;

use super::{OutputColumn, OutputTable};
use crate::render;

pub(super) fn write(table: &OutputTable, writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(b"{")?;
    for (i, column) in table.columns.iter().enumerate() {
        writer.write_all(if i == 0 { b"\n  " } else { b",\n  " })?;
        serde_json::to_writer(&mut *writer, &column.name)?;
        writer.write_all(b": ")?;
        array(writer, column, &column.shape, &column.raw)?;
    }
    writer.write_all(b"\n}\n")
}

fn array(
    writer: &mut dyn Write,
    column: &OutputColumn,
    shape: &[u64],
    raw: &[i64],
) -> io::Result<()> {
    let Some((length, inner)) = shape.split_first() else {
        return writer.write_all(value(column.element, raw[0]).as_bytes());
    };
    let step = inner.iter().product::<u64>() as usize;
    writer.write_all(b"[")?;
    for i in 0..*length as usize {
        if i > 0 {
            writer.write_all(b", ")?;
        }
        array(writer, column, inner, &raw[i * step..(i + 1) * step])?;
    }
    writer.write_all(b"]")
}

fn value(element: Element, raw: i64) -> String {
    match element {
        Element::Bit => (raw != 0).to_string(),
        element => render::exact(element, raw),
    }
}
