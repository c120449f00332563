//! `tacit session`.

use super::{At, Shown, text, time};
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, remark};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tacit_serve::client::Client;

/// How often a session that is watched is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `tacit session`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit session start pay --idempotency-key 2027-04   # at the study's home; prints the session's id
  tacit session watch 3f2a                            # until it ends; the beginning of the id is enough
  tacit session results 3f2a --output pay.json        # at each party that learns something

A session that is started twice with one key is one session.")]
pub struct SessionArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Subcommand, Debug)]
enum SessionCommand {
    /// Start a session of a study, at its home
    Start {
        /// The study's name, or the beginning of its id
        study: String,
        /// The same key gives the same session, for 7 days
        #[arg(long, value_name = "KEY")]
        idempotency_key: Option<String>,
    },
    /// List the sessions that the node knows
    List,
    /// Show one session
    Show(Named),
    /// Follow a session until it ends; fails unless it succeeded
    Watch {
        #[command(flatten)]
        session: Named,
        /// Seconds after which it is not watched any more
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
    },
    /// Cancel a session, unless its results may have opened
    Cancel(Named),
    /// End, as partial, a session that has waited a day for the other parties
    Settle(Named),
    /// Print what this party learned in a session
    Results {
        #[command(flatten)]
        session: Named,
        /// The file for it, which only you can read; nothing is overwritten
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Print what a session cost
    Report(Named),
}

#[derive(Args, Debug)]
struct Named {
    /// The session's id, or its beginning
    session: String,
}

/// Runs a `tacit session` command.
pub fn run(args: SessionArgs, output: Output) -> Result<(), CliError> {
    let client = args.at.client();
    let of = |Named { session }: &Named, what: &str| format!("/v1/sessions/{session}{what}");
    let answer = match args.command {
        SessionCommand::Start { study, idempotency_key } => {
            client.post("/v1/sessions", &json!({ "study": study }), idempotency_key.as_deref())?
        }
        SessionCommand::List => {
            return output.print(&Shown { answer: client.get("/v1/sessions")?, text: list });
        }
        SessionCommand::Show(session) => {
            let answer = client.get(&of(&session, ""))?;
            return output.print(&Shown { answer, text: whole });
        }
        SessionCommand::Watch { session, timeout } => {
            return watch(&client, &of(&session, ""), timeout, output);
        }
        SessionCommand::Cancel(session) => {
            client.post(&of(&session, "/cancel"), &Value::Null, None)?
        }
        SessionCommand::Settle(session) => {
            client.post(&of(&session, "/settle"), &Value::Null, None)?
        }
        SessionCommand::Results { session, output: file } => {
            return results(&client.bytes(&of(&session, "/results"))?, file, output);
        }
        SessionCommand::Report(session) => {
            let answer = client.get(&of(&session, "/report"))?;
            return output.print(&Shown { answer, text: pretty });
        }
    };
    output.print(&Shown { answer, text: one })
}

fn watch(
    client: &Client,
    path: &str,
    timeout: Option<u64>,
    output: Output,
) -> Result<(), CliError> {
    let (since, mut said) = (Instant::now(), String::new());
    loop {
        let answer = client.get(path)?;
        let state = text(&answer, "state").to_owned();
        let now = match answer["waiting"].as_str() {
            Some(waiting) => format!("{state}: waits for {waiting}"),
            None => state.clone(),
        };
        if answer["ended"] == true {
            let detail = why(&answer);
            return match state == "succeeded" {
                true => output.print(&Shown { answer, text: one }),
                false => Err(CliError {
                    kind: ErrorKind::Peer,
                    message: format!("the session has ended: {state}{detail}"),
                }),
            };
        }
        if now != said {
            remark(&now);
            said = now;
        }
        if timeout.is_some_and(|most| since.elapsed() >= Duration::from_secs(most)) {
            let message = format!("the session has not ended yet; {said}");
            return Err(CliError { kind: ErrorKind::Network, message });
        }
        sleep(LOOK);
    }
}

/// Why a session has not succeeded, and what to do.
fn why(session: &Value) -> String {
    match (session["code"].as_str(), session["refused_by"].as_str()) {
        (Some(code), party) => {
            let party = party.map(|party| format!(" by {party}")).unwrap_or_default();
            format!("{party}: {code}: {}", text(session, "advice"))
        }
        _ if session["state"] == "succeeded" => String::new(),
        _ => session["why"].as_str().map(|why| format!(": {why}")).unwrap_or_default(),
    }
}

fn results(bytes: &[u8], file: Option<PathBuf>, output: Output) -> Result<(), CliError> {
    let Some(path) = file else {
        let answer = serde_json::from_slice(bytes)
            .map_err(|e| CliError::system(format!("the node's results: {e}")))?;
        return output.print_results(&Shown { answer, text: pretty });
    };
    use std::os::unix::fs::OpenOptionsExt;
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    made.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .map_err(|e| CliError::file(&path, &e))
}

fn pretty(answer: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, answer)?;
    writeln!(out)
}

fn one(session: &Value, out: &mut dyn Write) -> io::Result<()> {
    let (id, study) = (text(session, "session"), text(session, "study_name"));
    let charged = if session["charged"] == true { "charged" } else { "not charged" };
    let attempts = session["attempts"].as_array().map_or(0, Vec::len);
    let attempts = format!("{attempts} attempt{}", if attempts == 1 { "" } else { "s" });
    let (state, created) = (text(session, "state"), time(session, "created_ms"));
    writeln!(out, "{id}  {created}  {study}  {state}{}; {attempts}, {charged}", why(session))?;
    match session["waiting"].as_str() {
        Some(waiting) => writeln!(out, "  waits for {waiting}"),
        None => Ok(()),
    }
}

/// A session with its attempts, and what each party says of them.
fn whole(session: &Value, out: &mut dyn Write) -> io::Result<()> {
    one(session, out)?;
    writeln!(out, "study    {}", text(session, "study"))?;
    let over = match session["ended"] == true {
        true => format!("ended    {}", time(session, "ended_ms")),
        false => format!("expires  {}", time(session, "expires_ms")),
    };
    writeln!(out, "{over}")?;
    for attempt in session["attempts"].as_array().into_iter().flatten() {
        let class = attempt["class"].as_str().unwrap_or_else(|| text(attempt, "stage"));
        writeln!(out, "attempt {}  {}  {class}", attempt["attempt"], time(attempt, "began_ms"))?;
        for outcome in attempt["outcomes"].as_array().into_iter().flatten() {
            let ending = &outcome["ending"];
            let ending = ending.as_str().or_else(|| ending["failed"].as_str()).unwrap_or("-");
            let released = if outcome["released"] == true { ", gate passed" } else { "" };
            writeln!(out, "  {}: {ending}{released}", text(outcome, "party"))?;
        }
    }
    Ok(())
}

fn list(all: &Value, out: &mut dyn Write) -> io::Result<()> {
    all.as_array().into_iter().flatten().try_for_each(|session| one(session, out))
}
