//! `tacit circuit table`.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use tacit_circuit::table::{self, Table};

/// Arguments of `tacit circuit table`.
#[derive(Args, Debug)]
#[command(after_help = "Every number is counted in a circuit that is built for the table; all \
tables take some seconds.

Examples:
  tacit circuit table
  tacit circuit table adders s-boxes
  tacit circuit table published-multipliers --json")]
pub struct TableArgs {
    /// The tables [default: all]
    #[arg(value_name = "TABLE", value_parser = table::names())]
    names: Vec<String>,
}

/// The tables asked for.
#[derive(Serialize)]
struct Tables {
    tables: Vec<Table>,
}

impl Report for Tables {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.iter().try_for_each(|table| writeln!(out, "{table}"))
    }
}

/// Runs the command.
pub fn run(args: &TableArgs, output: Output) -> Result<(), CliError> {
    let tables = match args.names.as_slice() {
        [] => table::tables(),
        names => names.iter().filter_map(|name| table::table(name)).collect(),
    };
    output.print(&Tables { tables })
}
