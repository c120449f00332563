//! Tables of circuit sizes: the library's designs as built, beside published figures
//! where there are any (`docs/spec/circuits.md` sections 2.4, 3, 4, 5, 6, 7 and 10).
//!
//! Nothing is quoted but the published figures: every number of ours comes from a circuit that
//! is built for the table.

mod contents;
pub mod published;

use crate::{Circuit, Stats};
use comfy_table::{CellAlignment, Table as Text, presets};
use serde::Serialize;
use std::fmt;

/// A table of sizes.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// Short name, as given to [`table`].
    pub name: &'static str,
    /// What is shown, and in which units.
    pub title: &'static str,
    /// Headings of the columns after the first, which holds the rows' labels.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The design.
    pub label: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
}

/// One circuit's numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The numbers as the table shows them.
    pub ours: String,
    /// The published ones in the same form; `--` where the source is unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Everything counted in the circuit.
    pub sizes: Sizes,
}

/// What a circuit costs, gate by gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// AND depth.
    pub depth: u32,
    /// AND gates.
    pub size: u64,
    /// AND gates of 2, 3, ..., 8 inputs.
    pub ands: Vec<u64>,
    /// Polynomial gates; their traffic is not in the bits below.
    pub polys: u64,
    /// XOR gates.
    pub xors: u64,
    /// Bits per direction between the evaluators.
    pub direction_bits: u64,
    /// Bits that the helper sends.
    pub helper_bits: u64,
    /// Bits of all parties.
    pub total_bits: u64,
}

impl Sizes {
    /// Counts a circuit.
    pub fn of(circuit: &Circuit) -> Sizes {
        let stats: Stats = circuit.stats();
        Sizes {
            depth: stats.and_depth,
            size: stats.and_count(),
            ands: stats.ands[2..].to_vec(),
            polys: stats.polys,
            xors: stats.xors,
            direction_bits: stats.direction_bits(),
            helper_bits: stats.helper_bits(),
            total_bits: stats.total_bits(),
        }
    }

    /// AND gates of two inputs, of three or four, and of five to eight.
    fn classes(&self) -> [u64; 3] {
        [self.ands[0], self.ands[1] + self.ands[2], self.ands[3..].iter().sum()]
    }
}

impl Cell {
    /// The cell's text: ours, then the published numbers in brackets.
    pub fn text(&self) -> String {
        match &self.published {
            Some(published) => format!("{} [{published}]", self.ours),
            None => self.ours.clone(),
        }
    }
}

impl Table {
    /// The text of a cell by row label and column position.
    pub fn cell(&self, label: &str, column: usize) -> Option<&Cell> {
        self.rows.iter().find(|r| r.label == label)?.cells.get(column)
    }
}

/// A heading and a Markdown table.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new();
        text.load_style(presets::ASCII_MARKDOWN);
        text.set_header(std::iter::once(String::new()).chain(self.columns.iter().cloned()));
        for row in &self.rows {
            text.add_row(
                std::iter::once(row.label.clone()).chain(row.cells.iter().map(Cell::text)),
            );
        }
        for column in text.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "{}: {}\n\n{text}", self.name, self.title)
    }
}

/// Names of all tables, in the order of `docs/spec/circuits.md`.
pub fn names() -> Vec<&'static str> {
    contents::ALL.iter().map(|(name, _)| *name).collect()
}

/// Builds the circuits of one table.
pub fn table(name: &str) -> Option<Table> {
    contents::ALL.iter().find(|(known, _)| *known == name).map(|(_, build)| build())
}

/// Builds all tables.
pub fn tables() -> Vec<Table> {
    contents::ALL.iter().map(|(_, build)| build()).collect()
}
