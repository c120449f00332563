//! Errors of the program: how they are shown, in words of its command line.

use serde_json::json;
use std::fmt;
use tacit::runtime::{ForPeers, Remedy};
use tacit_engine::circuit::EvaluateError;
use tacit_engine::values::ValueError;
use tacit_net::{AbortKind, NetError};
use tacit_tables::TableError;

pub use tacit::ErrorKind;

/// The table of exit codes as text, for `--help`.
pub fn exit_codes() -> String {
    let mut text = String::from("Exit codes:\n    0  success\n");
    for (_, code, name, meaning) in ErrorKind::TABLE {
        text.push_str(&format!("  {code:>3}  {name}: {meaning}\n"));
    }
    text
}

/// An error on its way to the user.
#[derive(Debug)]
pub struct CliError {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// What is wrong, where, and what to do.
    pub message: String,
}

impl CliError {
    /// An error of the user's command, input or circuit.
    pub fn input(message: impl Into<String>) -> CliError {
        CliError { kind: ErrorKind::Input, message: message.into() }
    }

    /// An error that names the file it happened in.
    pub fn file(path: &std::path::Path, error: &std::io::Error) -> CliError {
        let kind = ErrorKind::of_file(error.kind());
        CliError { kind, message: format!("{}: {error}", path.display()) }
    }

    /// An error of this machine.
    pub fn system(message: impl Into<String>) -> CliError {
        CliError { kind: ErrorKind::System, message: message.into() }
    }

    /// The error as one JSON object.
    pub fn json(&self) -> serde_json::Value {
        json!({ "error": {
            "kind": self.kind.name(),
            "exit_code": self.kind.exit_code(),
            "message": self.message,
        }})
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for CliError {}

impl ForPeers for CliError {
    fn for_peers(&self) -> (AbortKind, &'static str) {
        self.kind.for_peers()
    }
}

impl From<tacit::Error> for CliError {
    fn from(error: tacit::Error) -> CliError {
        CliError { kind: error.kind(), message: error.in_words(flags) }
    }
}

impl From<EvaluateError> for CliError {
    fn from(error: EvaluateError) -> CliError {
        tacit::Error::from(error).into()
    }
}

impl From<ValueError> for CliError {
    fn from(error: ValueError) -> CliError {
        tacit::Error::from(error).into()
    }
}

impl From<NetError> for CliError {
    fn from(error: NetError) -> CliError {
        tacit::Error::from(error).into()
    }
}

impl From<TableError> for CliError {
    fn from(error: TableError) -> CliError {
        tacit::Error::from(error).into()
    }
}

/// Which flags help.
fn flags(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Disagreement(what) => advice(what).to_owned(),
        Remedy::Timeout => "; --timeout SECONDS sets how long it waits".to_owned(),
        Remedy::ConnectTimeout => "; --connect-timeout SECONDS sets how long it waits".to_owned(),
        Remedy::Table(party, rows) => {
            let rows = rows.as_ref().map_or_else(String::new, |rows| format!("/{rows}"));
            format!(": add --table {party}{rows}=FILE")
        }
        Remedy::Value(name) => format!(": add --value {name}=VALUE"),
    }
}

/// How parties that differ in something find out why.
fn advice(what: &str) -> &'static str {
    match what {
        "program" => {
            "; compare the digests and texts that `tacit program check FILE` prints at each"
        }
        "the session" => ": the same command with the same --session",
        "the number of workers" => ": the same --threads, --roles and --mix",
        "who the parties are" => ": compare what `tacit party show` prints at each",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tacit_net::{PartyId, Peer};

    #[test]
    fn an_error_that_a_deadline_caused_names_the_flag_that_sets_it() {
        let waited = std::time::Duration::from_secs(30);
        let peer = || Arc::new(Peer { id: PartyId(1), name: "bob".into(), address: "b:1".into() });
        let place = tacit_net::Place { phase: tacit_net::Phase::Online, step: 3 };
        let stream = tacit_net::Stream::On;
        for (error, flag) in [
            (NetError::Timeout { peer: peer(), stream, place, waited }, "--timeout"),
            (NetError::ControlTimeout { peer: peer(), doing: "x".into(), waited }, "--timeout"),
            (NetError::Silent { peer: peer(), waited }, "--timeout"),
            (NetError::NotConnected { peer: peer(), hint: "x".into() }, "--connect-timeout"),
        ] {
            let CliError { kind, message } = error.into();
            assert_eq!(kind, ErrorKind::Network);
            assert!(message.contains(&format!("{flag} SECONDS")), "{message}");
        }
    }

    #[test]
    fn the_readme_documents_every_exit_code() {
        let readme = include_str!("../../../README.md");
        for (_, code, name, meaning) in ErrorKind::TABLE {
            let row = format!("| {code} | {name} | {meaning} |");
            assert!(readme.contains(&row), "README.md lacks: {row}");
        }
    }
}
