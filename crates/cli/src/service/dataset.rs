//! `tacit dataset`.

use super::{At, Shown, names, rows, text, time};
use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `tacit dataset`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit dataset add salaries salaries.csv    # again, to give a new version
  tacit dataset list --json

The table stays at this node. Sessions that have begun keep the version that they began with.")]
pub struct DatasetArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: DatasetCommand,
}

#[derive(Subcommand, Debug)]
enum DatasetCommand {
    /// Store a CSV file at the node, as a new version of a dataset
    Add {
        /// The dataset's name
        dataset: String,
        /// The CSV file, with the names of its columns in the first line
        file: PathBuf,
    },
    /// List the datasets and their versions
    List,
}

/// Runs a `tacit dataset` command.
pub fn run(args: DatasetArgs, output: Output) -> Result<(), CliError> {
    let client = args.at.client();
    match args.command {
        DatasetCommand::Add { dataset, file } => {
            let table = fs::read(&file).map_err(|e| CliError::file(&file, &e))?;
            let answer = client.put(&format!("/v1/datasets/{dataset}"), &table)?;
            output.print(&Shown { answer, text: added })
        }
        DatasetCommand::List => {
            output.print(&Shown { answer: client.get("/v1/datasets")?, text: list })
        }
    }
}

fn added(answer: &Value, out: &mut dyn Write) -> io::Result<()> {
    let (dataset, version) = (text(answer, "dataset"), text(answer, "version"));
    let (rows, columns) = (rows(&answer["rows"]), names(&answer["columns"]));
    writeln!(out, "{dataset}: version {version}, {rows}; columns {columns}")
}

fn list(all: &Value, out: &mut dyn Write) -> io::Result<()> {
    for dataset in all.as_array().into_iter().flatten() {
        // Sessions begin with the last one.
        for version in dataset["versions"].as_array().into_iter().flatten() {
            let (name, version_name) = (text(dataset, "dataset"), text(version, "version"));
            let (added, rows) = (time(version, "at_ms"), rows(&version["rows"]));
            writeln!(out, "{name}  {added}  {version_name}  {rows}")?;
        }
    }
    Ok(())
}
