//! Results as plain columns.

use tacit_program::Element;

use super::{OutputColumn, OutputTable};

/// A result, or a column of a matrix.
pub(super) struct Flat<'a> {
    pub name: String,
    pub element: Element,
    raw: &'a [i64],
    start: usize,
    stride: usize,
}

impl Flat<'_> {
    pub fn value(&self, row: usize) -> i64 {
        self.raw[row * self.stride + self.start]
    }
}

/// Rows of a result: of more than two axes, all but the last count the rows.
pub(super) fn rows(column: &OutputColumn) -> usize {
    match column.shape.as_slice() {
        [] | [_] => column.raw.len(),
        [leading @ .., _] => leading.iter().product::<u64>() as usize,
    }
}

/// The columns of a result; those of a matrix `m` are `m[0]`, `m[1]`, ...
pub(super) fn columns(column: &OutputColumn) -> Vec<Flat<'_>> {
    let flat = |name, start, stride| Flat {
        name,
        element: column.element,
        raw: &column.raw,
        start,
        stride,
    };
    match column.shape.as_slice() {
        [] | [_] => vec![flat(column.name.clone(), 0, 1)],
        [.., width] => {
            let width = *width as usize;
            (0..width).map(|i| flat(format!("{}[{i}]", column.name), i, width)).collect()
        }
    }
}

/// All columns and the number of rows, for results that have equally many.
pub(super) fn table(table: &OutputTable) -> (Vec<Flat<'_>>, usize) {
    let flat = table.columns.iter().flat_map(columns).collect();
    (flat, table.columns.first().map_or(0, rows))
}
