//! Errors of the program: their kinds, exit codes and how they are shown.

use serde_json::json;
use std::fmt;
use std::io;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::values::{Problem, ValueError};
use tacit_net::{AbortKind, NetError};

/// Whose fault an error is. Each kind has its own exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The user's command, input, circuit or program.
    Input,
    /// A configuration file, certificate or key.
    Config,
    /// The network: a peer that cannot be reached, or is lost.
    Network,
    /// A peer's misbehaviour: a failed check or a malformed message.
    Misbehaviour,
    /// A bug in Tacit.
    Bug,
    /// This machine has no more of something.
    System,
}

impl ErrorKind {
    /// Every kind, with its exit code, name and meaning: the one table of exit codes.
    pub const TABLE: [(ErrorKind, u8, &str, &str); 6] = [
        (ErrorKind::Input, 2, "input", "the command, an input file, a circuit or a program"),
        (
            ErrorKind::Config,
            3,
            "configuration",
            "a configuration file, certificate or key, or parties that disagree",
        ),
        (ErrorKind::Network, 4, "network", "a peer cannot be reached, is too slow, or was lost"),
        (
            ErrorKind::Misbehaviour,
            5,
            "misbehaviour",
            "a peer broke the protocol; there is no result",
        ),
        (ErrorKind::Bug, 70, "bug", "a bug in Tacit; please report it"),
        (
            ErrorKind::System,
            71,
            "system",
            "this machine has no more disk, memory, threads or randomness",
        ),
    ];

    fn row(self) -> (ErrorKind, u8, &'static str, &'static str) {
        // The table lists the kinds in the order of the enum; a test holds that.
        ErrorKind::TABLE[self as usize]
    }

    /// The exit code of the process.
    pub fn exit_code(self) -> u8 {
        self.row().1
    }

    /// The kind with an exit code; an unknown one is a bug.
    pub fn of_code(code: u8) -> ErrorKind {
        let row = ErrorKind::TABLE.iter().find(|row| row.1 == code);
        row.map_or(ErrorKind::Bug, |row| row.0)
    }

    /// Whose fault it is that a file that the user named cannot be read or written.
    fn of_file(error: io::ErrorKind) -> ErrorKind {
        match error {
            io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData => ErrorKind::Input,
            _ => ErrorKind::System,
        }
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// The table of exit codes as text, for `--help`.
    pub fn help() -> String {
        let mut text = String::from("Exit codes:\n   0  success\n");
        for (_, code, name, meaning) in ErrorKind::TABLE {
            text.push_str(&format!("  {code:>2}  {name}: {meaning}\n"));
        }
        text
    }
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

impl From<EvaluateError> for CliError {
    fn from(e: EvaluateError) -> CliError {
        let kind = match e {
            EvaluateError::Net(e) => return e.into(),
            EvaluateError::Job(_) => ErrorKind::Input,
            EvaluateError::Misbehaviour { .. } => ErrorKind::Misbehaviour,
            EvaluateError::System(_) => ErrorKind::System,
            EvaluateError::Bug(_) => ErrorKind::Bug,
        };
        CliError { kind, message: e.to_string() }
    }
}

impl From<ValueError> for CliError {
    fn from(e: ValueError) -> CliError {
        let kind = match e.problem {
            Problem::Io(error) => ErrorKind::of_file(error),
            _ => ErrorKind::Input,
        };
        CliError { kind, message: e.to_string() }
    }
}

impl From<NetError> for CliError {
    fn from(e: NetError) -> CliError {
        let kind = match e {
            NetError::Configuration(_)
            | NetError::Disagreement { .. }
            | NetError::PeerAborted { kind: AbortKind::Disagreement, .. } => ErrorKind::Config,
            NetError::Misbehaviour { .. }
            | NetError::Check(_)
            | NetError::PeerAborted { kind: AbortKind::Misbehaviour, .. } => {
                ErrorKind::Misbehaviour
            }
            _ => ErrorKind::Network,
        };
        let hint = match &e {
            NetError::Disagreement { what, .. } if what == "program" => {
                "; compare the digests and texts that `tacit program check FILE` prints at each"
            }
            _ => "",
        };
        CliError { kind, message: format!("{e}{hint}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tacit_net::{PartyId, Peer};

    #[test]
    fn network_errors_have_the_exit_codes_of_their_causes() {
        let bob = Peer { id: PartyId(1), name: "bob".into(), address: "bob:1".into() };
        let aborted = |kind| NetError::PeerAborted {
            peer: Arc::new(bob.clone()),
            kind,
            reason: "why".into(),
        };
        for (error, code) in [
            (NetError::Check("a check".into()), 5),
            (aborted(AbortKind::Misbehaviour), 5),
            (aborted(AbortKind::Disagreement), 3),
            (aborted(AbortKind::Failure), 4),
            (NetError::Configuration("a key".into()), 3),
            (NetError::Stopped("gone".into()), 4),
        ] {
            assert_eq!(CliError::from(error).kind.exit_code(), code);
        }
    }

    #[test]
    fn the_table_lists_the_kinds_in_order() {
        for (i, (kind, ..)) in ErrorKind::TABLE.iter().enumerate() {
            assert_eq!(*kind as usize, i);
        }
    }

    #[test]
    fn every_kind_of_error_of_a_job_has_its_exit_code() {
        let text = || "x".to_string();
        let job = |e: EvaluateError| CliError::from(e).kind.exit_code();
        assert_eq!(job(EvaluateError::Job(text())), 2);
        assert_eq!(job(EvaluateError::Net(NetError::Configuration(text()))), 3);
        assert_eq!(job(EvaluateError::Net(NetError::Stopped(text()))), 4);
        assert_eq!(job(EvaluateError::Misbehaviour { party: 1, what: text() }), 5);
        assert_eq!(job(EvaluateError::Bug(text())), 70);
        assert_eq!(job(EvaluateError::System(text())), 71);
    }

    #[test]
    fn a_missing_file_is_the_users_matter_and_a_full_disk_the_systems() {
        let file = |kind: io::ErrorKind| CliError::file("x".as_ref(), &kind.into()).kind;
        assert_eq!(file(io::ErrorKind::NotFound), ErrorKind::Input);
        assert_eq!(file(io::ErrorKind::StorageFull), ErrorKind::System);
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
