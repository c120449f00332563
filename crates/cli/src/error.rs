//! Errors of the program: their kinds, exit codes and how they are shown.

use crate::deadlines;
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
    /// Another party ended the run for a reason of its own.
    Peer,
    /// A bug in Tacit.
    Bug,
    /// This machine has no more of something.
    System,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl ErrorKind {
    /// Every kind, with its exit code, name and meaning: the one table of exit codes.
    pub const TABLE: [(ErrorKind, u8, &str, &str); 9] = [
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
        (
            ErrorKind::Peer,
            6,
            "peer",
            "another party ended the run for a reason of its own: its input, configuration, machine or user",
        ),
        (ErrorKind::Bug, 70, "bug", "a bug in Tacit; please report it"),
        (
            ErrorKind::System,
            71,
            "system",
            "this machine has no more disk, memory, threads or randomness, or a result cannot be written",
        ),
        (ErrorKind::Interrupted, 130, "interrupted", "Ctrl-C (SIGINT) ended this party"),
        (ErrorKind::Terminated, 143, "terminated", "SIGTERM ended this party"),
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
    pub fn of_file(error: io::ErrorKind) -> ErrorKind {
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
        let mut text = String::from("Exit codes:\n    0  success\n");
        for (_, code, name, meaning) in ErrorKind::TABLE {
            text.push_str(&format!("  {code:>3}  {name}: {meaning}\n"));
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

    /// What peers are told of an error that ends a session: its kind, and a sentence without names, values
    /// or places.
    pub fn for_peers(&self) -> (AbortKind, &'static str) {
        match self.kind {
            ErrorKind::Input => (
                AbortKind::Input,
                "its command, a table or another input of it cannot be used, and its own output says why",
            ),
            ErrorKind::Config => (
                AbortKind::Configuration,
                "its configuration cannot be used, and its own output says why",
            ),
            ErrorKind::Network => (AbortKind::Failure, "it cannot reach a party, or has lost one"),
            ErrorKind::Misbehaviour => (AbortKind::Misbehaviour, "a peer of it broke the protocol"),
            ErrorKind::Peer => (AbortKind::Failure, "another party has ended it"),
            ErrorKind::Bug => (AbortKind::Bug, "it met a bug in Tacit"),
            ErrorKind::System => (
                AbortKind::System,
                "its machine has no more of something or cannot write, and its own output says what",
            ),
            ErrorKind::Interrupted | ErrorKind::Terminated => {
                (AbortKind::Interrupted, "whoever runs it has stopped it")
            }
        }
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
            EvaluateError::Lost { run, cause } => {
                let CliError { kind, message } = CliError::from(*cause);
                let message = format!("{message}{}", EvaluateError::lost(&run));
                return CliError { kind, message };
            }
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
        let told = matches!(e, NetError::PeerAborted { .. });
        let kind = match AbortKind::of(&e) {
            AbortKind::Disagreement => ErrorKind::Config,
            AbortKind::Misbehaviour => ErrorKind::Misbehaviour,
            AbortKind::Failure => ErrorKind::Network,
            _ if told => ErrorKind::Peer,
            AbortKind::Input => ErrorKind::Input,
            AbortKind::Configuration => ErrorKind::Config,
            AbortKind::System => ErrorKind::System,
            AbortKind::Bug => ErrorKind::Bug,
            AbortKind::Interrupted => ErrorKind::Interrupted,
        };
        let hint = match &e {
            NetError::Disagreement { what, .. } => advice(what).to_owned(),
            _ => deadlines::flag(&e).map_or_else(String::new, |flag| {
                format!("; {flag} SECONDS sets how long it waits")
            }),
        };
        CliError { kind, message: format!("{e}{hint}") }
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
    fn network_errors_have_the_exit_codes_of_their_causes() {
        let bob = Peer { id: PartyId(1), name: "bob".into(), address: "bob:1".into() };
        let aborted = |kind| NetError::PeerAborted {
            peer: Arc::new(bob.clone()),
            kind,
            reason: "why".into(),
        };
        let stopped = |kind| NetError::Stopped { kind, reason: "why".into() };
        for (error, code) in [
            (NetError::Check("a check".into()), 5),
            (aborted(AbortKind::Misbehaviour), 5),
            (aborted(AbortKind::Disagreement), 3),
            (aborted(AbortKind::Failure), 4),
            (aborted(AbortKind::Input), 6),
            (aborted(AbortKind::Configuration), 6),
            (aborted(AbortKind::System), 6),
            (aborted(AbortKind::Bug), 6),
            (aborted(AbortKind::Interrupted), 6),
            (NetError::Configuration("a key".into()), 3),
            (NetError::Listen { address: "a:1".into(), hint: "in use".into() }, 3),
            (NetError::Unauthorised { peer: Arc::new(bob.clone()), hint: "who?".into() }, 3),
            (stopped(AbortKind::Failure), 4),
            (stopped(AbortKind::System), 71),
            (stopped(AbortKind::Interrupted), 130),
        ] {
            assert_eq!(CliError::from(error).kind.exit_code(), code);
        }
    }

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
        let (kind, reason) = (AbortKind::Failure, text());
        assert_eq!(job(EvaluateError::Net(NetError::Stopped { kind, reason })), 4);
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
