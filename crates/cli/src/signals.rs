//! Ctrl-C and SIGTERM: the others are told, and the user hears what ended.

use crate::error::{CliError, ErrorKind};
use crate::local;
use crate::output::Output;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tacit_net::{AbortKind, Phase, Stopper};

/// How long a party that is stopped may take to tell the others.
const GRACE: Duration = Duration::from_millis(1500);
/// What peers are told.
const STOPPED: &str = "whoever runs it has stopped it";

/// The signal that came, or 0.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// The exit code of a command that has ended and only tells the others, or 0.
static PARTING: AtomicU8 = AtomicU8::new(0);
/// Somebody says what ended already.
static SAID: AtomicBool = AtomicBool::new(false);
/// This party has what it is to learn.
static OPENED: AtomicBool = AtomicBool::new(false);
/// The session to end.
static SESSION: Mutex<Option<Stopper>> = Mutex::new(None);

/// Waits for signals from here on.
pub fn watch(output: Output) -> Result<(), CliError> {
    let wrong = |e| CliError::system(format!("cannot wait for signals: {e}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(wrong)?;
    let wait = move || {
        for signal in signals.forever() {
            caught(signal, output);
        }
    };
    std::thread::Builder::new().name("tacit-signals".into()).spawn(wait).map(drop).map_err(wrong)
}

/// From here on a signal ends this session, and the others hear of it.
pub fn end_session(stopper: Stopper) {
    *SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
}

/// From here on this party has its results.
pub fn opened() {
    OPENED.store(true, Ordering::Release);
}

/// From here on a signal ends the process, with this code: the user knows why already.
pub fn parting(code: u8) {
    PARTING.store(code, Ordering::Release);
}

/// If a signal came, the exit code for it: what else went wrong was because of it. Says what ended.
pub fn caught_and_said(output: Output) -> Option<u8> {
    let signal = CAUGHT.load(Ordering::Acquire);
    (signal != 0).then(|| say(signal, output))
}

fn caught(signal: i32, output: Output) {
    let code = PARTING.load(Ordering::Acquire);
    if code != 0 {
        exit(code.into());
    }
    if CAUGHT.swap(signal, Ordering::AcqRel) != 0 {
        // Whoever asks twice is in a hurry.
        exit(kind(signal).exit_code().into());
    }
    let session = SESSION.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(session) = session {
        session.stop(AbortKind::Interrupted, STOPPED);
        // The thread that runs the session ends the process as soon as the others are told.
        let since = Instant::now();
        while since.elapsed() < GRACE {
            sleep(Duration::from_millis(20));
        }
    }
    exit(say(signal, output).into());
}

/// Says what ended, once; the exit code.
fn say(signal: i32, output: Output) -> u8 {
    let kind = kind(signal);
    // The launcher of a local party speaks for it.
    let silent = local::is_child();
    if !SAID.swap(true, Ordering::AcqRel) && !silent {
        let session = SESSION.lock().unwrap_or_else(PoisonError::into_inner).clone();
        output.error(&CliError { kind, message: what_ended(kind, session.as_ref()) });
    }
    kind.exit_code()
}

fn kind(signal: i32) -> ErrorKind {
    match signal {
        SIGTERM => ErrorKind::Terminated,
        _ => ErrorKind::Interrupted,
    }
}

fn what_ended(kind: ErrorKind, session: Option<&Stopper>) -> String {
    let by = match kind {
        ErrorKind::Terminated => "SIGTERM",
        _ => "Ctrl-C (SIGINT)",
    };
    let Some(session) = session else { return format!("stopped by {by}") };
    let how_far = match session.phase() {
        _ if OPENED.load(Ordering::Acquire) => {
            "when the run was over, while its results were written: others have theirs".to_owned()
        }
        None => {
            "before the parties began to compute: nothing was sent that depends on inputs".into()
        }
        Some(phase @ (Phase::Setup | Phase::Offline)) => {
            format!("in phase {phase}: no result was opened; start again at all parties")
        }
        Some(phase) => format!(
            "in phase {phase}: this party has no result, but others may have learnt theirs; start again at \
             all parties"
        ),
    };
    format!("stopped by {by} {how_far}")
}
