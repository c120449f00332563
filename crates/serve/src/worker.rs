//! What runs in the process of one attempt: this party's part of the study's program.
//!
//! The daemon writes the [`Job`] to standard input, as one line of JSON. The worker writes a line when it stands before its gate,
//! reads the answer, and writes a line when it has ended. It ends, too, when its standard input does: without its daemon
//! nothing may open.

use crate::data::{self, write_durably};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tacit::{ErrorKind, Party, Program, Protocol, Stopper, protocols};
use tacit_node::{Ending, Failure};

/// How long the others may take to come up.
const CONNECT: Duration = Duration::from_secs(60);

/// All that a worker is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The party's file.
    pub party: PathBuf,
    /// The program's text.
    pub program: String,
    /// The protocol.
    pub protocol: String,
    /// The parties by role.
    pub roles: Vec<String>,
    /// What the parties call the attempt.
    pub session: String,
    /// Worker threads.
    pub threads: usize,
    /// This party's table, and its digest.
    pub table: Option<(PathBuf, String)>,
    /// Where results go.
    pub results: PathBuf,
    /// Where the report goes.
    pub report: PathBuf,
}

/// What a worker says, a line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// It stands before its gate.
    Gate,
    /// It ended, and why, without values.
    Ended {
        /// How.
        ending: Ending,
        /// Why.
        why: String,
    },
}

/// What a worker is told at its gate, a line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// It may pass.
    Granted,
    /// It may not, and why.
    Denied(String),
}

fn say(said: &Said) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, said)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// How an error of a run counts.
fn ending(kind: ErrorKind) -> Ending {
    Ending::Failed(match kind {
        ErrorKind::Misbehaviour => return Ending::Cheated,
        ErrorKind::Input => Failure::Input,
        ErrorKind::Network => Failure::Network,
        // All have signed the study: who wants something else is still at another attempt, so this one is tried again.
        ErrorKind::Peer | ErrorKind::Config => Failure::Peer,
        ErrorKind::Check => Failure::Check,
        ErrorKind::System => Failure::System,
        ErrorKind::Interrupted => Failure::Denied,
        ErrorKind::Terminated => Failure::Restarted,
        ErrorKind::Bug => Failure::Bug,
    })
}

/// Does the job that standard input names, and says how it ended.
///
/// # Errors
/// Nobody can be told.
pub fn run() -> Result<(), Error> {
    // Whoever started this may be gone before it can say so.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(|e| Error::system(format!("standard input: {e}")))?;
    let job: Job = serde_json::from_str(&line)
        .map_err(|e| Error::input(format!("this command is for the daemon alone: {e}")))?;
    let stopper = Stopper::default();
    let told = listen(&stopper);
    let fits = job.table.as_ref().map_or(Ok(()), |(table, digest)| data::check(table, digest));
    let ready = fits.and_then(|()| Ready::of(&job).map_err(|e| Error::input(e.to_string())));
    let said = match ready.map(|ready| compute(&job, &ready, &stopper, told)) {
        Ok(Ok(())) => Said::Ended { ending: Ending::Computed, why: String::new() },
        Ok(Err(error)) => Said::Ended { ending: ending(error.kind()), why: error.to_string() },
        Err(error) => Said::Ended { ending: ending(error.kind), why: error.message },
    };
    say(&said).map_err(|e| Error::system(format!("the daemon is gone: {e}")))
}

/// Hears what the daemon says; when it is gone the run ends.
fn listen(stopper: &Stopper) -> Receiver<Told> {
    let (sender, receiver) = channel();
    let stopper = stopper.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let told = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            match told {
                Some(told) => drop(sender.send(told)),
                None => break,
            }
        }
        drop(sender);
        stopper.stop();
    });
    receiver
}

/// What can only be wrong at this party.
struct Ready {
    program: Program,
    party: Party,
    protocol: Protocol,
}

impl Ready {
    fn of(job: &Job) -> tacit::Result<Ready> {
        Ok(Ready {
            program: Program::parse("the study's program", &job.program)?,
            party: Party::from_file(&job.party)?,
            protocol: protocols::named(&job.protocol)?,
        })
    }
}

fn compute(
    job: &Job,
    Ready { program, party, protocol }: &Ready,
    stopper: &Stopper,
    told: Receiver<Told>,
) -> tacit::Result<()> {
    let mut run = party
        .run(program)
        .protocol(*protocol)
        .session(&job.session)
        .threads(job.threads)
        .connect_timeout(CONNECT)
        .stopper(stopper);
    if protocol.has_roles() {
        run = run.roles(job.roles.iter().map(String::as_str));
    }
    if let Some((table, _)) = &job.table {
        run = run.table(table);
    }
    let told = Mutex::new(told);
    let (results, report) = (job.results.clone(), job.report.clone());
    let kept = Arc::new(AtomicBool::new(false));
    let keeps = kept.clone();
    let run = run.gate(move || {
        say(&Said::Gate).map_err(|_| "the daemon is gone".to_owned())?;
        let told = told.lock().map_err(|_| "no answer of the daemon".to_owned())?;
        match told.recv() {
            Ok(Told::Granted) => Ok(()),
            Ok(Told::Denied(why)) => Err(why),
            Err(_) => Err("the daemon is gone".to_owned()),
        }
    });
    let run = run.keep(move |outcome| {
        let costs = serde_json::to_vec(outcome.report()).unwrap_or_default();
        write_durably(&report, &costs).map_err(|e| e.message)?;
        let text = outcome.json().map_err(|e| e.to_string())?;
        write_durably(&results, text.as_bytes()).map_err(|e| e.message)?;
        keeps.store(true, Ordering::Release);
        Ok(())
    });
    match run.start() {
        Ok(_) => Ok(()),
        // Only the last good-byes are lost: the results are on the disk.
        Err(error) if kept.load(Ordering::Acquire) => {
            tracing::warn!(%error, "the others could not be told that this party has finished");
            Ok(())
        }
        Err(error) => Err(error),
    }
}
