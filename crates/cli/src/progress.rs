//! Progress on standard error, if it is a terminal: what is going on, for how long, and how much of it is done.
//!
//! It moves by itself, so that long steps of which nothing is counted are seen to be alive.

use crate::choice;
use crate::output::remark;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::{self, Debug};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tacit::Choice;
use tacit::runtime::Progress as Watch;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How often it moves.
const TICK: Duration = Duration::from_millis(250);

/// What is shown now, if anything is: events say what is going on.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Something that takes time; it is shown until this is dropped. The flag says whether people are told of it at all.
pub struct Progress(ProgressBar, bool);

impl Progress {
    /// Shows what engine and network say that they do, if `wanted`.
    pub fn new(wanted: bool) -> Progress {
        if !wanted {
            return Progress(ProgressBar::hidden(), false);
        }
        let bar = ProgressBar::new_spinner();
        set_style(&bar, "{spinner} {prefix}{msg} {elapsed}");
        bar.enable_steady_tick(TICK);
        *shown() = Some(bar.clone());
        Progress(bar, true)
    }

    /// What is done now, of several things: before what is going on in it.
    pub fn step(&self, step: &str) {
        self.0.set_prefix(format!("{step}: "));
    }

    /// From now on so much is counted.
    pub fn set_length(&self, length: u64) {
        if length > 0 && !self.0.is_hidden() {
            self.0.set_length(length);
            set_style(
                &self.0,
                "{spinner} {bar:30} {percent} % {prefix}{msg} {elapsed}, {eta} left",
            );
        }
    }

    /// So much more is done.
    pub fn add(&self, done: u64) {
        self.0.inc(done);
    }
}

impl Watch for Progress {
    fn chosen(&self, choice: &Choice, names: &[String]) {
        if self.1 {
            remark(&choice::why(choice, names));
            if let Some(trusted) = choice::trusted(choice) {
                remark(&trusted);
            }
        }
    }

    fn total(&self, all: u64) {
        self.set_length(all);
    }

    fn done(&self, more: u64) {
        self.add(more);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if !self.0.is_hidden() {
            *shown() = None;
        }
        self.0.finish_and_clear();
    }
}

fn shown() -> std::sync::MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_style(bar: &ProgressBar, template: &str) {
    // The templates are constants; what cannot be shown nicely is shown plainly.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// Writes to standard error what must not mix with what is shown.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Shows the messages of events.
pub struct Shown;

impl<S: Subscriber> Layer<S> for Shown {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(bar) = shown().clone() else { return };
        let mut message = Message(String::new());
        event.record(&mut message);
        bar.set_message(message.0);
    }
}

/// The message of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = fmt::Write::write_fmt(&mut self.0, format_args!("{value:?}"));
        }
    }
}
