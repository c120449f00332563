//! Workers: a process for each attempt, and what it says.

use crate::core::{Event, Events};
use crate::data::Data;
use crate::worker::{Job, Said, Told};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tacit_node::{Document, Ending, Failure, Launch, WorkerEvent};
use tracing::{info, warn};

/// How long a worker that is to end may take to tell the others.
const GRACE: Duration = Duration::from_secs(3);

/// A worker: its process, once that is started, and the way to tell it something.
#[derive(Default)]
struct Worker {
    child: Option<Child>,
    input: Option<ChildStdin>,
    /// It is not wanted any more.
    killed: bool,
    /// It has ended, or will never start.
    over: bool,
}

type Shared = Arc<Mutex<Worker>>;

fn locked(worker: &Mutex<Worker>) -> MutexGuard<'_, Worker> {
    worker.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    fn has_ended(&mut self) -> bool {
        let gone = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        self.over |= self.child.as_mut().is_some_and(gone);
        self.over
    }
}

/// All workers of the daemon.
pub struct Workers {
    party: PathBuf,
    data: Arc<Data>,
    results: PathBuf,
    start: Arc<dyn Fn() -> Option<Command> + Send + Sync>,
    events: Events,
    running: BTreeMap<(String, u32), Shared>,
}

/// The file of an attempt's results.
#[must_use]
pub fn results_file(folder: &std::path::Path, session: &str, attempt: u32) -> PathBuf {
    folder.join(format!("{session}-{attempt}.json"))
}

/// The file of an attempt's report.
#[must_use]
pub fn report_file(folder: &std::path::Path, session: &str, attempt: u32) -> PathBuf {
    folder.join(format!("{session}-{attempt}.report.json"))
}

impl Workers {
    /// No workers yet. `start` gives the command that a worker is, without its standard streams.
    pub fn new(
        party: PathBuf,
        data: Arc<Data>,
        results: PathBuf,
        start: Arc<dyn Fn() -> Option<Command> + Send + Sync>,
        events: Events,
    ) -> Workers {
        Workers { party, data, results, start, events, running: BTreeMap::new() }
    }

    /// Starts the worker of an attempt, once those before it have let go of the party's port. If it cannot be started, that is how
    /// it ended. `digest` is that of the party's table.
    pub fn launch(&mut self, launch: Launch, (study, digest): (Option<Document>, String)) {
        let Launch { session, attempt, id, table, .. } = launch;
        let before: Vec<Shared> = self.running.values().cloned().collect();
        self.running.retain(|_, worker| !locked(worker).has_ended());
        let worker = Shared::default();
        self.running.insert((session.clone(), attempt), worker.clone());
        let job = study.map(|document| Job {
            party: self.party.clone(),
            program: document.program,
            protocol: document.terms.protocol,
            roles: document.terms.parties,
            session: id,
            threads: document.terms.threads as usize,
            table: table.map(|(dataset, version)| (self.data.path(&dataset, &version), digest)),
            results: results_file(&self.results, &session, attempt),
            report: report_file(&self.results, &session, attempt),
        });
        let files = [results_file, report_file].map(|of| of(&self.results, &session, attempt));
        let (start, events) = (self.start.clone(), self.events.clone());
        // The thread lives as long as the process that it starts: the system ends that one with it.
        let work = move || {
            wait_for(&before);
            let ending = match job
                .ok_or("the study is not known".to_owned())
                .and_then(|job| begin(&job, &worker, &*start))
            {
                Ok(output) => watch(&session, attempt, output, &worker, &events),
                Err(error) => {
                    warn!(session, attempt, error, "the worker cannot be started");
                    Ending::Failed(Failure::System)
                }
            };
            if ending != Ending::Computed {
                // Results that were written just before are nobody's. Most often there are none.
                files.iter().for_each(|file| drop(fs::remove_file(file)));
            }
            locked(&worker).over = true;
            events.send(Event::Worker(session, attempt, WorkerEvent::Ended(ending)));
        };
        // Without a thread the attempt lasts until its limit.
        if let Err(error) = thread::Builder::new().name("tacit-worker".into()).spawn(work) {
            warn!(%error, "no thread for a worker");
        }
    }

    /// Answers a worker at its gate.
    pub fn answer(&mut self, session: &str, attempt: u32, refused: Option<&str>) {
        let Some(worker) = self.running.get(&(session.to_owned(), attempt)) else { return };
        let told = match refused {
            None => Told::Granted,
            Some(why) => Told::Denied(why.to_owned()),
        };
        if let Some(input) = &mut locked(worker).input {
            // A worker that is gone says so by that.
            let _ = write_line(input, &told);
        }
    }

    /// Ends a worker: it may tell the others, for a moment.
    pub fn kill(&mut self, session: &str, attempt: u32) {
        let Some(worker) = self.running.get(&(session.to_owned(), attempt)).cloned() else {
            return;
        };
        {
            let mut worker = locked(&worker);
            worker.killed = true;
            // The end of its standard input ends its run.
            drop(worker.input.take());
        }
        let shared = worker.clone();
        let end = move || {
            let since = Instant::now();
            while since.elapsed() < GRACE && !locked(&shared).has_ended() {
                thread::sleep(Duration::from_millis(50));
            }
            end_now(&shared);
        };
        if thread::Builder::new().name("tacit-end".into()).spawn(end).is_err() {
            end_now(&worker);
        }
    }

    /// Deletes what an attempt wrote.
    pub fn discard(&self, session: &str, attempt: u32) {
        // Most often there is nothing.
        let files = [results_file, report_file].map(|of| of(&self.results, session, attempt));
        files.iter().for_each(|file| drop(fs::remove_file(file)));
    }

    /// Deletes results of a session.
    pub fn forget(&self, session: &str) {
        let Ok(files) = fs::read_dir(&self.results) else { return };
        for file in files.flatten() {
            if file.file_name().to_string_lossy().starts_with(&format!("{session}-"))
                && let Err(error) = fs::remove_file(file.path())
            {
                warn!(session, %error, "results cannot be deleted");
            }
        }
    }
}

fn end_now(worker: &Mutex<Worker>) {
    if let Some(child) = &mut locked(worker).child {
        // It may have ended by itself.
        let _ = child.kill();
    }
}

fn write_line(input: &mut ChildStdin, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    input.write_all(&line)?;
    input.flush()
}

/// Waits until workers that were to end have done so, but not for ever.
fn wait_for(workers: &[Shared]) {
    let since = Instant::now();
    while since.elapsed() < GRACE * 2 && !workers.iter().all(|worker| locked(worker).has_ended()) {
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts the process of a worker, and gives what it says.
fn begin(
    job: &Job,
    worker: &Mutex<Worker>,
    start: &dyn Fn() -> Option<Command>,
) -> Result<ChildStdout, String> {
    if locked(worker).killed {
        return Err("it is not wanted any more".into());
    }
    let mut command = start().ok_or("no command is known that a worker is")?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    locked(worker).child = Some(child);
    let (Some(mut input), Some(output)) = (input, output) else { return Err("no pipes".into()) };
    // Without the lock: a process that does not read may be ended meanwhile.
    write_line(&mut input, job).map_err(|e| e.to_string())?;
    let mut worker = locked(worker);
    if !worker.killed {
        worker.input = Some(input);
    }
    Ok(output)
}

/// Passes on what a worker says, until it has ended, and gives how.
fn watch(
    session: &str,
    attempt: u32,
    output: ChildStdout,
    worker: &Mutex<Worker>,
    events: &Events,
) -> Ending {
    let mut last = Ending::Failed(Failure::Crashed);
    for line in BufReader::new(output).lines() {
        let said = line.ok().and_then(|line| serde_json::from_str(&line).ok());
        match said {
            Some(Said::Gate) => {
                let event = WorkerEvent::GateAsked;
                events.send(Event::Worker(session.to_owned(), attempt, event));
            }
            Some(Said::Ended { ending, why }) => {
                info!(session, attempt, ?ending, why, "the worker has ended");
                last = ending;
            }
            None => break,
        }
    }
    while !locked(worker).has_ended() {
        thread::sleep(Duration::from_millis(10));
    }
    last
}
