//! Errors: whose fault they are, and what to do about them.

use std::fmt;
use std::io;
use std::path::Path;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::values::{Problem, ValueError};
use tacit_net::{AbortKind, NetError};
use tacit_program::Span;
use tacit_protocol::UnknownProtocol;
use tacit_tables::TableError;

/// Whose fault an error is, and so what to do about it. Each kind has its own exit code, which the program `tacit`
/// ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The user's command, input, circuit or program: correct it.
    Input,
    /// A configuration file, certificate or key, or parties that want different things: correct it, at all parties.
    Config,
    /// The network: a peer that cannot be reached, or is lost. It may work when it is tried again.
    Network,
    /// A peer's misbehaviour: a failed check or a malformed message. Nothing opened that depends on it. Find out
    /// who it was before anything is run with the same parties again.
    Misbehaviour,
    /// Another party ended the run for a reason of its own: its input, configuration, machine or user.
    Peer,
    /// A value left a range that the program checks in the run. No result was revealed; everybody learnt that a check
    /// failed, and nothing else.
    Check,
    /// A bug in Tacit: report it.
    Bug,
    /// This machine has no more of something: disk, memory, threads, randomness.
    System,
    /// Whoever runs this party stopped it (Ctrl-C under the program `tacit`).
    Interrupted,
    /// SIGTERM ended the program `tacit`.
    Terminated,
}

impl ErrorKind {
    /// Every kind, with its exit code, name and meaning: the one table of exit codes.
    pub const TABLE: [(ErrorKind, u8, &str, &str); 10] = [
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
        (
            ErrorKind::Check,
            7,
            "check",
            "a value left a range that the program checks; there is no result",
        ),
        (ErrorKind::Bug, 70, "bug", "a bug in Tacit; please report it"),
        (
            ErrorKind::System,
            71,
            "system",
            "this machine has no more disk, memory, threads or randomness, or a result cannot be written after a run",
        ),
        (ErrorKind::Interrupted, 130, "interrupted", "Ctrl-C (SIGINT) ended this party"),
        (ErrorKind::Terminated, 143, "terminated", "SIGTERM ended this party"),
    ];

    fn row(self) -> (ErrorKind, u8, &'static str, &'static str) {
        // The table lists the kinds in the order of the enum; a test holds that.
        ErrorKind::TABLE[self as usize]
    }

    /// The exit code of a process that ends with such an error.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        self.row().1
    }

    /// The kind with an exit code; an unknown one is a bug.
    #[must_use]
    pub fn of_code(code: u8) -> ErrorKind {
        let row = ErrorKind::TABLE.iter().find(|row| row.1 == code);
        row.map_or(ErrorKind::Bug, |row| row.0)
    }

    /// Whose fault it is that a file that the user named cannot be read or written.
    #[doc(hidden)]
    #[must_use]
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

    /// Its name, in one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// What peers are told of an error that ends a session: its kind, and a sentence without names, values
    /// or places.
    #[doc(hidden)]
    #[must_use]
    pub fn for_peers(self) -> (AbortKind, &'static str) {
        match self {
            ErrorKind::Input => (
                AbortKind::Input,
                "its command, a table or another input of it cannot be used, and its own output says why",
            ),
            ErrorKind::Config => (
                AbortKind::Configuration,
                "its configuration cannot be used or does not allow it, and its own output says why",
            ),
            ErrorKind::Network => (AbortKind::Failure, "it cannot reach a party, or has lost one"),
            ErrorKind::Misbehaviour => (AbortKind::Misbehaviour, "a peer of it broke the protocol"),
            ErrorKind::Peer => (AbortKind::Failure, "another party has ended it"),
            ErrorKind::Check => (
                AbortKind::Check,
                "a value that the program checks left its range: no result was revealed",
            ),
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
}

/// What a caller can do about an error, beyond what its message says: in words of this library, or, in the program
/// `tacit`, of its command line.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A longer deadline for waits.
    Timeout,
    /// A longer deadline for parties to come up.
    ConnectTimeout,
    /// The parties differ in this fact.
    Disagreement(String),
    /// A table of a party is missing; the name of its row count, where the party has several.
    Table(String, Option<String>),
    /// The value of an input is missing.
    Value(String),
}

impl Remedy {
    fn of(error: &NetError) -> Option<Remedy> {
        match error {
            NetError::Timeout { .. }
            | NetError::ControlTimeout { .. }
            | NetError::Silent { .. } => Some(Remedy::Timeout),
            NetError::NotConnected { .. } => Some(Remedy::ConnectTimeout),
            NetError::Disagreement { what, .. } => Some(Remedy::Disagreement(what.clone())),
            _ => None,
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Timeout => f.write_str("; `Run::timeout` sets how long it waits"),
            Remedy::ConnectTimeout => {
                f.write_str("; `Run::connect_timeout` sets how long it waits")
            }
            Remedy::Disagreement(what) => match what.as_str() {
                "program" => f.write_str("; compare what `Program::text` gives at each"),
                "the session" => f.write_str(": the same calls with the same `Run::session`"),
                "the number of workers" => {
                    f.write_str(": the same `Run::threads` and `Run::roles`")
                }
                "who the parties are" => f.write_str(": the same names and fingerprints"),
                _ => Ok(()),
            },
            Remedy::Table(_, None) => f.write_str(": add it by `.table(...)`"),
            Remedy::Table(_, Some(rows)) => write!(f, ": add them by `.table_of(\"{rows}\", ...)`"),
            Remedy::Value(name) => write!(f, ": give it one by `.input(\"{name}\", ...)`"),
        }
    }
}

/// Why something did not work: whose fault it is, and a sentence that says what to do.
///
/// Where a run fails, no party has a partial result, unless the error is of [`ErrorKind::Network`] at the very end: a
/// party that is lost while results open may have learnt its own, or others may have. Under protocols against malicious
/// parties, nothing opens before all checks have passed.
///
/// No error holds an input, a share, a key or a result. `Debug` shows what `Display` does.
///
/// ```
/// let error = tacit::Program::parse("stay.tacit", "program stay\nparties alice\n").unwrap_err();
/// assert_eq!(error.kind(), tacit::ErrorKind::Input);
/// assert_eq!(error.kind().exit_code(), 2);
/// assert!(error.to_string().contains("reveals nothing"));
/// ```
pub struct Error(Box<What>);

struct What {
    kind: ErrorKind,
    message: String,
    remedy: Option<Remedy>,
    /// What is said behind the remedy.
    after: String,
    told: Option<(AbortKind, &'static str)>,
    /// Whether it is what another party said when it ended the session.
    heard: bool,
    /// Where it is in the text of a program or a query.
    place: Option<Span>,
}

/// What every fallible function of this crate gives.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Whose fault it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it is in the text of a program or a query: the file's name, the line and the column, from 1. The message begins with
    /// them too.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32, u32)> {
        self.0.place.as_ref().map(|span| (&*span.file, span.line, span.column))
    }

    /// With its place, if that is known.
    pub(crate) fn at(mut self, span: &Span) -> Error {
        self.0.place = (span.line > 0).then(|| span.clone());
        self
    }

    /// Whether it is what another party said when it ended the session.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.heard
    }

    /// An error of this kind.
    #[doc(hidden)]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = message.into();
        Error(Box::new(What {
            kind,
            message,
            remedy: None,
            after: String::new(),
            told: None,
            heard: false,
            place: None,
        }))
    }

    /// An error of the user's program, input or circuit.
    #[doc(hidden)]
    pub fn input(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, message)
    }

    /// An error that names the file it happened in.
    #[doc(hidden)]
    pub fn file(path: &Path, error: &io::Error) -> Error {
        Error::new(ErrorKind::of_file(error.kind()), format!("{}: {error}", path.display()))
    }

    /// With what can be done about it.
    pub(crate) fn with_remedy(mut self, remedy: Remedy) -> Error {
        self.0.remedy = Some(remedy);
        self
    }

    /// With more behind it.
    pub(crate) fn and(mut self, more: String) -> Error {
        self.0.after += &more;
        self
    }

    /// With what peers are told of it, if not what they are told of every error of its kind.
    pub(crate) fn telling(mut self, kind: AbortKind, reason: &'static str) -> Error {
        self.0.told = Some((kind, reason));
        self
    }

    /// What peers are told of an error that ends a session.
    #[doc(hidden)]
    #[must_use]
    pub fn for_peers(&self) -> (AbortKind, &'static str) {
        self.0.told.unwrap_or_else(|| self.0.kind.for_peers())
    }

    /// The sentence, with what can be done about it in other words than this library's.
    #[doc(hidden)]
    #[must_use]
    pub fn in_words(&self, remedy: impl FnOnce(&Remedy) -> String) -> String {
        let What { message, after, .. } = &*self.0;
        let remedy = self.0.remedy.as_ref().map_or_else(String::new, remedy);
        format!("{message}{remedy}{after}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(Remedy::to_string))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.0.kind.name())
    }
}

impl std::error::Error for Error {}

impl From<EvaluateError> for Error {
    fn from(e: EvaluateError) -> Error {
        let kind = match e {
            EvaluateError::Net(e) => return e.into(),
            EvaluateError::OtherProgram { cause, difference } => {
                let mut error = Error::from(cause);
                error.0.after = difference;
                return error;
            }
            EvaluateError::Job(_) => ErrorKind::Input,
            EvaluateError::Misbehaviour { .. } => ErrorKind::Misbehaviour,
            EvaluateError::Check(_) => ErrorKind::Check,
            EvaluateError::Refused(_) => ErrorKind::Interrupted,
            EvaluateError::System(_) => ErrorKind::System,
            EvaluateError::Bug(_) => ErrorKind::Bug,
            EvaluateError::Lost { run, cause } => {
                let mut error = Error::from(*cause);
                error.0.after = EvaluateError::lost(&run);
                return error;
            }
        };
        Error::new(kind, e.to_string())
    }
}

impl From<ValueError> for Error {
    fn from(e: ValueError) -> Error {
        let kind = match e.problem {
            Problem::Io(error) => ErrorKind::of_file(error),
            _ => ErrorKind::Input,
        };
        Error::new(kind, e.to_string())
    }
}

impl From<NetError> for Error {
    fn from(e: NetError) -> Error {
        let told = matches!(e, NetError::PeerAborted { .. });
        let kind = match AbortKind::of(&e) {
            AbortKind::Disagreement => ErrorKind::Config,
            AbortKind::Misbehaviour => ErrorKind::Misbehaviour,
            AbortKind::Failure => ErrorKind::Network,
            AbortKind::Check => ErrorKind::Check,
            _ if told => ErrorKind::Peer,
            AbortKind::Input => ErrorKind::Input,
            AbortKind::Configuration => ErrorKind::Config,
            AbortKind::System => ErrorKind::System,
            AbortKind::Bug => ErrorKind::Bug,
            AbortKind::Interrupted => ErrorKind::Interrupted,
        };
        let remedy = Remedy::of(&e);
        let mut error = Error::new(kind, e.to_string());
        error.0.remedy = remedy;
        error.0.heard = told;
        error
    }
}

impl From<UnknownProtocol> for Error {
    /// A name that no protocol has.
    fn from(error: UnknownProtocol) -> Error {
        Error::input(error.to_string())
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Error {
        let kind = match &error {
            TableError::Io { source, .. } => ErrorKind::of_file(source.kind()),
            _ => ErrorKind::Input,
        };
        Error::new(kind, error.to_string())
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
            (aborted(AbortKind::Check), 7),
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
            assert_eq!(Error::from(error).kind().exit_code(), code);
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
        let job = |e: EvaluateError| Error::from(e).kind().exit_code();
        assert_eq!(job(EvaluateError::Job(text())), 2);
        assert_eq!(job(EvaluateError::Net(NetError::Configuration(text()))), 3);
        let (kind, reason) = (AbortKind::Failure, text());
        assert_eq!(job(EvaluateError::Net(NetError::Stopped { kind, reason })), 4);
        assert_eq!(job(EvaluateError::Misbehaviour { party: 1, what: text() }), 5);
        assert_eq!(job(EvaluateError::Check(None)), 7);
        assert_eq!(job(EvaluateError::Bug(text())), 70);
        assert_eq!(job(EvaluateError::System(text())), 71);
    }

    #[test]
    fn a_missing_file_is_the_users_matter_and_a_full_disk_the_systems() {
        let file = |kind: io::ErrorKind| Error::file("x".as_ref(), &kind.into()).kind();
        assert_eq!(file(io::ErrorKind::NotFound), ErrorKind::Input);
        assert_eq!(file(io::ErrorKind::StorageFull), ErrorKind::System);
    }
}
