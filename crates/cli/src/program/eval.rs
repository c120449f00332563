//! `tacit program eval`: in the clear, to try programs and to check results.

use super::args::TableArgs;
use super::{check, results};
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use std::path::PathBuf;
use tacit::Program;
use tacit_program::{PartyId, clear};
use zeroize::Zeroizing;

/// Arguments of `tacit program eval`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  tacit program eval pay-gap.tacit --table alice=a.csv --table bob=b.csv --table carol=c.csv")]
pub struct EvalArgs {
    /// The program
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,

    #[command(flatten)]
    tables: TableArgs,
}

/// Runs the command.
pub fn run(args: &EvalArgs, output: Output) -> Result<(), CliError> {
    let program = Program::read(&args.path)?;
    check::flags(&program, &args.tables)?;
    if !args.tables.results.is_empty() {
        return Err(CliError::input("--result is for `tacit run`; this prints what all learn"));
    }
    let nobody = |_: &Option<String>| Ok(false);
    let mut given = args.tables.sources(&nobody)?.public(&program)?;
    for (id, name) in (0..).zip(&program.parties) {
        let is_party = |party: &Option<String>| match party {
            Some(party) => Ok(party == name),
            None => Err(CliError::input("say whose file it is: PARTY=FILE")),
        };
        let own = args.tables.sources(&is_party)?.of_party(&program, PartyId(id))?;
        given.inputs.extend(own.inputs);
        for (dim, rows) in own.rows {
            if let Some(other) = given.rows.insert(dim.clone(), rows).filter(|r| *r != rows) {
                return Err(CliError::input(format!(
                    "tables of row count `{dim}` have {other} and {rows} rows"
                )));
            }
        }
    }
    let rows: Vec<u64> =
        program.dims.iter().map(|dim| given.rows.get(&dim.name).copied().unwrap_or(0)).collect();
    for (dim, wanted) in check::bounds(&args.tables) {
        if let Some(rows) = given.rows.get(&dim).filter(|rows| !wanted.contains(rows)) {
            let (least, most) = wanted.into_inner();
            return Err(CliError::input(format!(
                "there are {rows} rows `{dim}`, and {least} to {most} are wanted"
            )));
        }
    }
    let (revealed, observed) = clear::evaluate_observed(&program, &rows, given.inputs)
        .map_err(|e| CliError::input(e.to_string()))?;
    let warnings: Vec<String> = observed.violations.values().map(ToString::to_string).collect();
    let printed = results::text(&program, &args.tables, &revealed, output.is_json())?;
    output.print(&Evaluated { results: printed, warnings })
}

#[derive(Serialize)]
struct Evaluated {
    #[serde(serialize_with = "as_json")]
    results: Zeroizing<String>,
    warnings: Vec<String>,
}

fn as_json<S: Serializer>(text: &Zeroizing<String>, serializer: S) -> Result<S::Ok, S::Error> {
    results::parsed(text).serialize(serializer)
}

impl Report for Evaluated {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.results.as_bytes())?;
        for warning in &self.warnings {
            writeln!(out, "warning: {warning}: under a protocol results would be wrong")?;
        }
        Ok(())
    }
}
