//! `tacit node`.

use super::{At, Shown, text};
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_serve::config::NodeConfig;
use tacit_serve::daemon;

/// Arguments of `tacit node`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit node check --config /etc/tacit/node.toml    # before it is started
  tacit node status
  tacit node drain                                  # then stop the daemon when `status` shows nothing running
  tacit node backup --to /backups/tacit-2027-04-16  # while it runs
  tacit node restore --config /etc/tacit/node.toml --from /backups/tacit-2027-04-16
  tacit node recover                                # once all peers have said what the backup lacks")]
pub struct NodeArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: NodeCommand,
}

#[derive(Subcommand, Debug)]
enum NodeCommand {
    /// Test a node's configuration without starting it
    Check {
        /// The node's configuration
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Show a node's state
    Status,
    /// Take no more sessions at this node
    Drain,
    /// Copy the state of a node that runs into a new folder: not the party's file, which is kept apart
    Backup {
        /// The folder, which the node's daemon makes
        #[arg(long, value_name = "DIRECTORY")]
        to: PathBuf,
    },
    /// Put a backup back where a node has no state; then start its daemon, and run `recover`
    Restore {
        /// The node's configuration
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// The backup
        #[arg(long, value_name = "DIRECTORY")]
        from: PathBuf,
    },
    /// Go on with a state that was put back, once the peers have said what it lacks
    Recover {
        /// Releases of which nobody can tell: charge so many to a study; may be repeated
        #[arg(long = "charge", value_name = "STUDY=NUMBER", value_parser = charge)]
        charges: Vec<(String, u32)>,
    },
}

#[derive(Serialize)]
struct Checked {
    party: String,
    remarks: Vec<String>,
}

impl Report for Checked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "party {}", self.party)?;
        self.remarks.iter().try_for_each(|remark| writeln!(out, "{remark}"))
    }
}

/// Runs a `tacit node` command.
pub fn run(args: NodeArgs, output: Output) -> Result<(), CliError> {
    let answer = match args.command {
        NodeCommand::Check { config } => {
            let (config, party) = NodeConfig::load(&config)?;
            let remarks = daemon::check(&config, &party)?;
            return output.print(&Checked { party: party.name, remarks });
        }
        NodeCommand::Status => args.at.client().get("/v1/status")?,
        NodeCommand::Drain => args.at.client().post("/v1/drain", &Value::Null, None)?,
        NodeCommand::Backup { to } => {
            let to = std::path::absolute(&to)
                .map_err(|e| CliError::input(format!("{}: {e}", to.display())))?;
            let about = args.at.client().post("/v1/backup", &json!({ "to": to }), None)?;
            return output.print(&Shown { answer: about, text: backup });
        }
        NodeCommand::Restore { config, from } => {
            let (config, party) = NodeConfig::load(&config)?;
            let about = tacit_serve::backup::restore(&config, &party, &from)?;
            let answer = json!(about);
            return output.print(&Shown { answer, text: restored });
        }
        NodeCommand::Recover { charges } => {
            let mut all: BTreeMap<String, u32> = BTreeMap::new();
            for (study, count) in charges {
                *all.entry(study).or_default() += count;
            }
            args.at.client().post("/v1/recover", &json!({ "charges": all }), None)?
        }
    };
    output.print(&Shown { answer, text: status })
}

fn charge(text: &str) -> Result<(String, u32), String> {
    let (study, count) = text.split_once('=').ok_or("write STUDY=NUMBER")?;
    let count = count.parse().ok().filter(|count| (1..=10_000).contains(count));
    Ok((study.to_owned(), count.ok_or("write STUDY=NUMBER, with a number from 1 to 10000")?))
}

fn backup(about: &Value, out: &mut dyn Write) -> io::Result<()> {
    let (records, files) = (&about["records"], &about["files"]);
    writeln!(
        out,
        "{}: {records} records, and {files} files of tables and results",
        text(about, "party")
    )?;
    writeln!(out, "It is as secret as the tables. The party's file is not in it: keep that apart.")
}

fn restored(about: &Value, out: &mut dyn Write) -> io::Result<()> {
    let (party, at) = (text(about, "party"), super::time(about, "at_ms"));
    writeln!(out, "{party}'s state is the one of {at}.")?;
    writeln!(
        out,
        "Start the daemon. It takes part in no session until `tacit node recover` says that it may."
    )
}

fn status(status: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "party     {}, {}", text(status, "party"), text(status, "engine"))?;
    for peer in status["peers"].as_array().into_iter().flatten() {
        let state = if peer["connected"] == true { "connected" } else { "not connected" };
        writeln!(out, "peer      {}: {state}", text(peer, "peer"))?;
    }
    let sessions = &status["sessions"];
    writeln!(
        out,
        "sessions  {} running, {} not ended, {} in all; {} studies",
        sessions["running"], sessions["open"], sessions["all"], status["studies"]
    )?;
    writeln!(
        out,
        "audit     {} entries, head {}",
        status["audit"]["seq"],
        text(&status["audit"], "hash")
    )?;
    let recovery = &status["recovery"];
    if !recovery.is_null() {
        let since = super::time(recovery, "since_ms");
        writeln!(out, "state     was put back to an older one, noticed at {since}: no sessions")?;
        if recovery["waits_for"].as_array().is_some_and(|it| !it.is_empty()) {
            writeln!(
                out,
                "          waits for {} to say what it lacks",
                super::names(&recovery["waits_for"])
            )?;
        } else if recovery["missing"] != 0 {
            let missing = &recovery["missing"];
            writeln!(
                out,
                "          lacks {missing} releases: `tacit node recover --charge STUDY={missing}`"
            )?;
        } else {
            writeln!(out, "          has all that the others know: run `tacit node recover`")?;
        }
    }
    if status["draining"] == true {
        writeln!(out, "draining  it takes no more sessions")?;
    }
    Ok(())
}
