//! What a command prints: text for people, or one JSON object. Results go to standard output, all else to standard
//! error.

use crate::error::CliError;
use crate::progress;
use serde::Serialize;
use serde_json::json;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::Builder;

/// A command's result: its fields are the JSON, its text is what people read.
pub trait Report: Serialize {
    /// Writes the result for people.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;

    /// What alone goes to standard output, where that was asked for; the text then goes to standard error.
    fn data(&self) -> Option<&[u8]> {
        None
    }
}

/// Whether remarks are JSON, as results are.
static JSON: AtomicBool = AtomicBool::new(false);

/// Says something beside results and errors, on standard error: under `--json` as an object in a line.
pub fn remark(text: &str) {
    let line = match JSON.load(Ordering::Relaxed) {
        true => json!({ "remark": text }).to_string(),
        false => format!("tacit: {text}"),
    };
    // With standard error gone there is nobody left to tell.
    let _ = progress::aside(|| writeln!(io::stderr(), "{line}"));
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// Results as JSON, or else as text.
    pub fn new(json: bool) -> Output {
        JSON.store(json, Ordering::Relaxed);
        Output { json }
    }

    /// Whether results are JSON.
    pub fn is_json(self) -> bool {
        self.json
    }

    /// Prints what a command found out on standard output.
    pub fn print(self, report: &impl Report) -> Result<(), CliError> {
        accept_closed(self.write(report, &mut io::stdout().lock()))
    }

    /// Prints what parties computed together. If that is not possible, it is kept in a file of the
    /// working folder: it cannot be had again at will.
    pub fn print_results(self, report: &impl Report) -> Result<(), CliError> {
        if !self.json && report.data().is_some() {
            // Results matter more than what is said about them.
            let _ = report.text(&mut io::stderr());
        }
        self.write(report, &mut io::stdout().lock()).map_err(|error| {
            let kept = match self.keep(report) {
                Ok(path) => {
                    format!("the results are in {}, which only you can read", path.display())
                }
                Err(e) => format!("nor can a file here be ({e}): the results are lost"),
            };
            CliError::system(format!("standard output cannot be written ({error}); {kept}"))
        })
    }

    fn keep(self, report: &impl Report) -> io::Result<PathBuf> {
        let suffix = if self.json { ".json" } else { ".txt" };
        let file = Builder::new().prefix("tacit-results-").suffix(suffix).tempfile_in(".")?;
        let mut out = BufWriter::new(&file);
        self.write(report, &mut out)?;
        drop(out);
        Ok(file.keep()?.1)
    }

    fn write(self, report: &impl Report, mut out: &mut dyn Write) -> io::Result<()> {
        if self.json {
            serde_json::to_writer(&mut out, report)?;
            out.write_all(b"\n")?;
        } else if let Some(data) = report.data() {
            out.write_all(data)?;
        } else {
            report.text(out)?;
        }
        out.flush()
    }

    /// Prints an error on standard error.
    pub fn error(self, error: &CliError) {
        let text = match self.json {
            true => error.json().to_string(),
            false => format!("tacit: {error}"),
        };
        // With standard error gone there is nobody left to tell.
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// A reader that closed its end early (`tacit ... | head`) is content.
pub fn accept_closed(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::system(format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}
