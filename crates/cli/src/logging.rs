//! Logs: what happens and when, on standard error with `-v`, or in a file. Never what is computed on.

use crate::error::CliError;
use crate::local;
use crate::progress::{self, Shown};
use clap::{ArgAction, Args};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

/// Where logs go, and how much of them.
#[derive(Args, Clone, Debug)]
pub struct LogArgs {
    /// Log on standard error what happens, with times: -v phases, -vv also what parties compare, -vvv everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,

    /// Append the log to a file: phases, or as much as -v, -vv or -vvv says. All parties of --local write to it
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

impl LogArgs {
    /// Starts to log. A daemon logs phases without being asked, under `--json` as an object for each event.
    pub fn start(&self, daemon: bool, json: bool) -> Result<(), CliError> {
        let party =
            local::own_number().map_or_else(String::new, |party| format!("party {party}: "));
        let lines = Lines { party: party.into() };
        let file = self.log_file.as_ref().map(|path| {
            let file = OpenOptions::new().append(true).create(true).open(path);
            file.map(Arc::new).map_err(|e| CliError::file(path, &e))
        });
        let level = [None, Some(Level::INFO), Some(Level::DEBUG), Some(Level::TRACE)];
        let verbose = self.verbose.max(u8::from(daemon));
        let level = level[usize::from(verbose).min(level.len() - 1)];
        let to_file = file.transpose()?.map(|file| {
            let layer = fmt::layer().event_format(lines.clone()).with_writer(Appended(file));
            layer.with_filter(of_tacit(level.unwrap_or(Level::INFO)))
        });
        let level = level.filter(|_| self.log_file.is_none());
        let to_collector = level
            .filter(|_| daemon && json)
            .map(|level| fmt::layer().json().with_writer(|| Aside).with_filter(of_tacit(level)));
        let to_people = level.filter(|_| !(daemon && json)).map(|level| {
            let layer = fmt::layer().event_format(lines).with_writer(|| Aside);
            layer.with_filter(of_tacit(level))
        });
        let shown = Shown.with_filter(of_tacit(Level::INFO));
        let subscriber =
            Registry::default().with(to_file).with(to_collector).with(to_people).with(shown);
        subscriber.try_init().map_err(|e| CliError::system(format!("cannot log: {e}")))
    }
}

/// Events of Tacit's own crates.
fn of_tacit(level: Level) -> Targets {
    Targets::new().with_target("tacit", level)
}

/// One line per event: when, how important, which local party, where, what.
#[derive(Clone)]
struct Lines {
    party: Arc<str>,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        SystemTime.format_time(&mut writer)?;
        let (level, target) = (event.metadata().level(), event.metadata().target());
        write!(writer, " {level:>5} {}{target}: ", self.party)?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// A file to which several processes append whole lines.
struct Appended(Arc<File>);

impl<'a> MakeWriter<'a> for Appended {
    type Writer = &'a File;

    fn make_writer(&'a self) -> &'a File {
        &self.0
    }
}

/// Standard error, beside what shows progress.
struct Aside;

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::aside(|| io::stderr().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
