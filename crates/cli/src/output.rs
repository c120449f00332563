//! What a command prints: text for people, or one JSON object.

use crate::error::CliError;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// A command's result: its fields are the JSON, its text is what people read.
pub trait Report: Serialize {
    /// Writes the result for people.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// Results as JSON, or else as text.
    pub fn new(json: bool) -> Output {
        Output { json }
    }

    /// Whether results are JSON.
    pub fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result on standard output.
    pub fn print(self, report: &impl Report) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let written = if self.json {
            serde_json::to_writer(&mut out, report)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
        } else {
            report.text(&mut out)
        };
        accept_closed(written.and_then(|()| out.flush()))
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
