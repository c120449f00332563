//! `tacit sql`: what a query takes, shows and does.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tacit_program::text;
use tacit_query::explain::{Explained, explain};
use tacit_query::{lower, sql};

/// Arguments of `tacit sql`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit sql visits.sql
  tacit sql visits.sql --output visits.tacit
  tacit run visits.sql --local --table alice=a.csv --table bob=b.csv --table carol=c.csv

A file of SQL is a program: `tacit run`, `tacit plan`, `tacit program eval` and the others take it.")]
pub struct SqlArgs {
    /// The file: CREATE TABLE, GRANT SELECT ON result TO .., and a SELECT
    #[arg(value_name = "FILE")]
    path: PathBuf,

    /// Write the program that it is lowered to, as text
    #[arg(long, value_name = "PROGRAM")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &SqlArgs, output: Output) -> Result<(), CliError> {
    let source = std::fs::read_to_string(&args.path).map_err(|e| CliError::file(&args.path, &e))?;
    let name = args.path.display().to_string();
    let (catalog, query) = sql::parse(&name, &source).map_err(wrong)?;
    let lowered = lower::lower(&query, &catalog).map_err(wrong)?;
    let digest = hex::encode(text::digest(&lowered.program));
    if let Some(path) = &args.output {
        write(path, &text::print(&lowered.program))?;
    }
    let Explained { plan, learned, public, computed, checked, advice } =
        explain(&query, &catalog, &lowered);
    let name = query.name;
    output.print(&SqlReport { name, digest, learned, public, computed, checked, advice, plan })
}

fn wrong(error: tacit_query::QueryError) -> CliError {
    CliError::input(error.to_string())
}

fn write(path: &Path, program: &str) -> Result<(), CliError> {
    std::fs::write(path, program).map_err(|e| CliError::file(path, &e))
}

#[derive(Serialize)]
struct SqlReport {
    name: String,
    /// The digest that the parties compare.
    digest: String,
    learned: Vec<String>,
    public: Vec<String>,
    computed: Vec<String>,
    checked: Vec<String>,
    advice: Vec<String>,
    plan: String,
}

impl Report for SqlReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "query {}\ndigest {}", self.name, self.digest)?;
        let sections = [
            ("LEARNED, and nothing else", &self.learned),
            ("LEARNED BY EVERYBODY", &self.public),
            ("COMPUTED BY THE OWNERS of texts, each of its own rows", &self.computed),
            (
                "CHECKED in the run: everybody learns whether it holds, and nothing is shown if it does not",
                &self.checked,
            ),
            ("LOOK AT", &self.advice),
        ];
        for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
            writeln!(out, "\n{title}")?;
            lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        writeln!(out, "\nCOMPUTED")?;
        self.plan.lines().try_for_each(|line| writeln!(out, "  {line}"))
    }
}
