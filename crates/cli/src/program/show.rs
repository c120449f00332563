//! `tacit program show` and `check`.

use super::args::NamedValue;
use super::costs::{self, ProtocolCost};
use crate::error::CliError;
use crate::flags;
use crate::output::{Output, Report};
use crate::units::bytes;
use clap::Args;
use comfy_table::{Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tacit_circuit::spelling;
use tacit_program::summary::summary;
use tacit_program::{Program, text};

/// Rows that costs are shown for, unless the user says otherwise.
const ROWS: u64 = 1000;

/// Arguments of `tacit program show`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  tacit program show pay-gap.tacit --rows n=6000")]
pub struct ShowArgs {
    /// The program
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,

    #[arg(long, value_name = "ROWS=NUMBER", help = flags::ROWS)]
    rows: Vec<NamedValue>,
}

/// Shows a program.
pub fn run(args: &ShowArgs, output: Output) -> Result<(), CliError> {
    let program = tacit::Program::read(&args.path)?;
    let rows = rows(&program, &args.rows)?;
    let costs = costs::all(&program, &rows);
    let dims = program.dims.iter().map(|dim| dim.name.clone()).zip(rows).collect();
    let digest = hex::encode(text::digest(&program));
    let summary = summary(&program).to_string();
    output.print(&Shown { summary, digest, rows: dims, costs })
}

/// Row counts, as the user says or small ones.
pub fn rows(program: &Program, given: &[NamedValue]) -> Result<Vec<u64>, CliError> {
    for value in given {
        if program.dim(&value.name).is_none() {
            let all: Vec<&str> = program.dims.iter().map(|dim| dim.name.as_str()).collect();
            let hint = spelling::hint(&value.name, all.iter().copied());
            return Err(CliError::input(format!(
                "--rows {}: the program's row counts are {}{hint}",
                value.name,
                all.join(", ")
            )));
        }
    }
    let count = |dim: &tacit_program::ir::Dim| {
        let Some(given) = given.iter().find(|value| value.name == dim.name) else {
            return Ok(ROWS.clamp(dim.min, dim.max));
        };
        let count = given.value.replace('_', "").parse();
        count.map_err(|_| CliError::input(format!("--rows {}: not a number", dim.name)))
    };
    program.dims.iter().map(count).collect()
}

/// Checks a program and prints its canonical form.
pub fn check(path: &Path, output: Output) -> Result<(), CliError> {
    let program = tacit::Program::read(path)?;
    let digest = hex::encode(text::digest(&program));
    output.print(&Checked { digest, canonical: text::print(&program) })
}

#[derive(Serialize)]
struct Checked {
    digest: String,
    canonical: String,
}

impl Report for Checked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "# digest {}\n{}", self.digest, self.canonical)
    }
}

#[derive(Serialize)]
struct Shown {
    summary: String,
    digest: String,
    rows: Vec<(String, u64)>,
    costs: Vec<ProtocolCost>,
}

impl Report for Shown {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.summary.trim_end())?;
        let rows: Vec<String> =
            self.rows.iter().map(|(dim, rows)| format!("{dim} = {rows}")).collect();
        let rows =
            if rows.is_empty() { String::new() } else { format!(" with {}", rows.join(", ")) };
        writeln!(out, "\ncost{rows}:")?;
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header(["protocol", "numbers by", "sent in all", "busiest link", "rounds"]);
        for cost in &self.costs {
            match &cost.error {
                Some(error) => table.add_row([&cost.protocol, &cost.by, error]),
                None => table.add_row([
                    cost.protocol.clone(),
                    cost.by.clone(),
                    bytes(cost.total_bytes),
                    bytes(cost.busiest_link_bytes),
                    cost.rounds.to_string(),
                ]),
            };
        }
        writeln!(out, "{table}")
    }
}
