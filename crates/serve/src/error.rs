//! Errors of the daemon: whose fault they are, and a sentence.

use std::fmt;
use std::path::Path;
use tacit::ErrorKind;

/// An error, with its kind, which decides the exit code.
#[derive(Debug)]
pub struct Error {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// What is wrong, where, and what to do.
    pub message: String,
}

impl Error {
    /// An error of a configuration.
    pub fn config(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Config, message: message.into() }
    }

    /// An error of the user's command or input.
    pub fn input(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Input, message: message.into() }
    }

    /// An error of this machine.
    pub fn system(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::System, message: message.into() }
    }

    /// An error of a file.
    #[must_use]
    pub fn file(path: &Path, error: &std::io::Error) -> Error {
        let kind = ErrorKind::of_file(error.kind());
        Error { kind, message: format!("{}: {error}", path.display()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
