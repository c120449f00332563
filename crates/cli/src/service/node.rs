//! `tacit node`.

use super::{At, Shown, text};
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_serve::config::NodeConfig;
use tacit_serve::daemon;

/// Arguments of `tacit node`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit node check --config /etc/tacit/node.toml    # before it is started
  tacit node status
  tacit node drain                                  # then stop the daemon when `status` shows nothing running")]
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
    };
    output.print(&Shown { answer, text: status })
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
    if status["draining"] == true {
        writeln!(out, "draining  it takes no more sessions")?;
    }
    Ok(())
}
