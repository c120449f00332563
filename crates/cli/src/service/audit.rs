//! `tacit audit`.

use super::{At, Shown, text, time};
use crate::error::{CliError, ErrorKind};
use crate::output::Output;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io::{self, Write};
use tacit_serve::{Entry, verify};

/// Arguments of `tacit audit`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit audit show --json > audit.json
  tacit audit verify --head DIGEST    # the whole digest, as it was written down earlier")]
pub struct AuditArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Subcommand, Debug)]
enum AuditCommand {
    /// Print the audit log
    Show,
    /// Check that the log is a chain, and that it has an entry that was written down
    Verify {
        /// The digest of an entry, as `tacit node status` showed it as the head
        #[arg(long, value_name = "DIGEST")]
        head: Option<String>,
    },
}

/// Runs a `tacit audit` command.
pub fn run(args: AuditArgs, output: Output) -> Result<(), CliError> {
    let answer = args.at.client().get("/v1/audit")?;
    let AuditCommand::Verify { head } = args.command else {
        return output.print(&Shown { answer, text: show });
    };
    let broken = |message: String| CliError { kind: ErrorKind::Config, message };
    let is_digest = |head: &String| head.len() == 64 && head.bytes().all(|c| c.is_ascii_hexdigit());
    if head.as_ref().is_some_and(|head| !is_digest(head)) {
        return Err(CliError::input("--head is a whole digest, of 64 hexadecimal digits"));
    }
    let entries: Vec<Entry> = serde_json::from_value(answer)
        .map_err(|e| CliError::system(format!("the node's audit log: {e}")))?;
    let last = verify(&entries).map_err(|why| broken(format!("the audit log is broken: {why}")))?;
    if let Some(head) = head.filter(|head| entries.iter().all(|entry| entry.hash != *head)) {
        return Err(broken(format!("the audit log is another one: it has no entry {head}")));
    }
    output.print(&Shown { answer: json!(last), text: verified })
}

fn show(entries: &Value, out: &mut dyn Write) -> io::Result<()> {
    for entry in entries.as_array().into_iter().flatten() {
        writeln!(
            out,
            "{}  {}  {}  {}",
            entry["seq"],
            time(entry, "time_ms"),
            text(entry, "kind"),
            entry["body"]
        )?;
    }
    Ok(())
}

fn verified(head: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} entries, all in their places; head {}", head["seq"], text(head, "hash"))
}
