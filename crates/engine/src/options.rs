//! How a job is computed, whatever it computes: by whom, under which protocols, and when.

use crate::circuit::{Assignment, EvaluateError};
use std::fmt;
use std::str::FromStr;
use tacit_garbling::Terms;
use tacit_garbling::bmr::{LabelFunction, Opening};
use tacit_gmw::Method;
use tacit_net::PartyId;
use tacit_sharing::Protocol;

/// When messages that do not depend on inputs are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preprocessing {
    /// Just ahead of the online messages that need them; nothing is stored.
    #[default]
    Interleaved,
    /// All before the online phase starts, kept in memory. Independent of all inputs.
    Separate,
}

impl Preprocessing {
    /// The name used on command lines and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preprocessing::Interleaved => "interleaved",
            Preprocessing::Separate => "separate",
        }
    }
}

/// How circuits are garbled, and those of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Garbling {
    /// Streamed where protocols do that, but for small programs.
    #[default]
    Auto,
    /// As one circuit, before its inputs are known: what all its parts have in common is garbled once. It is kept
    /// in memory.
    Whole,
    /// As the program runs or the inputs are there, in memory that does not grow with tables: gate by gate, or under
    /// protocols whose parties garble together circuit by circuit, each of which goes on from the one before.
    Streamed,
}

impl Garbling {
    /// All of them.
    pub const ALL: [Garbling; 3] = [Garbling::Auto, Garbling::Whole, Garbling::Streamed];

    /// The name used on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Garbling::Auto => "auto",
            Garbling::Whole => "whole",
            Garbling::Streamed => "streamed",
        }
    }

    /// What parties compare of a protocol that streams.
    pub(crate) fn fact(does: bool, streams: bool) -> Option<(&'static str, String)> {
        let how = if streams { Garbling::Streamed } else { Garbling::Whole };
        does.then(|| ("circuits are garbled", how.to_string()))
    }
}

impl fmt::Display for Garbling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Garbling {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|it| it.name() == name);
        known
            .ok_or_else(|| "circuits are garbled `whole`, `streamed`, or as is best: `auto`".into())
    }
}

/// How a job is computed: part of what all parties agree on before any share is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Who plays which role of which protocol: one assignment, or several side by side (*Split-Roles*).
    pub assignments: Vec<Assignment>,
    /// Worker threads per party and assignment.
    pub workers: usize,
    /// When what does not depend on inputs is made.
    pub preprocessing: Preprocessing,
    /// Preprocessing runs in a session of its own and is stored: part of what parties agree on, in both.
    pub stored: bool,
    /// How garbled tables that parties make together open, if not as the protocol does by itself.
    pub opening: Option<Opening>,
    /// What hides rows of garbled tables that parties make together, if not the usual function.
    pub label_function: Option<LabelFunction>,
    /// How circuits are garbled.
    pub garbling: Garbling,
}

impl Options {
    /// The usual ones: roles in party order, one worker, interleaved preprocessing.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Options {
            assignments: vec![Assignment::in_order(protocol)],
            workers: 1,
            preprocessing: Preprocessing::default(),
            stored: false,
            opening: None,
            label_function: None,
            garbling: Garbling::Auto,
        }
    }

    /// The protocol, of the first assignment if there are several.
    ///
    /// # Panics
    /// When there is no assignment.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.assignments[0].protocol
    }

    /// By role, the parties that play the roles of the first assignment.
    ///
    /// # Panics
    /// When there is no assignment.
    #[must_use]
    pub fn places(&self) -> &[PartyId] {
        &self.assignments[0].places
    }

    /// Worker threads per party, all assignments together: as many meshes a session needs.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.saturating_mul(self.assignments.len())
    }

    /// How garbled tables that parties make together open.
    #[must_use]
    pub fn opening(&self) -> Opening {
        self.opening.unwrap_or(self.protocol().opening())
    }

    /// What parties have agreed on who garble.
    pub(crate) fn terms(&self) -> Terms {
        let label_function = self.label_function.unwrap_or_default();
        let (parties, opening, workers) =
            (self.protocol().parties(), self.opening(), self.threads());
        Terms { parties, opening, label_function, workers }
    }

    /// All assignments of roles, as parties compare them.
    pub(crate) fn roles(&self) -> String {
        self.assignments.iter().map(Assignment::to_string).collect::<Vec<_>>().join("; ")
    }

    /// When preprocessing runs, as parties compare it: by the first name in the run, and by the second before the inputs.
    pub(crate) fn preprocessing_fact(&self, [interleaved, separate]: [&str; 2]) -> String {
        let name = match self.preprocessing {
            _ if self.stored => "stored (tacit prepare, tacit run --prepared)",
            Preprocessing::Interleaved => interleaved,
            Preprocessing::Separate => separate,
        };
        name.to_owned()
    }

    /// What parties compare of what only some protocols have: how garbled tables open, what hides their rows, and the
    /// parameters of silent transfers.
    pub(crate) fn facts_of_some(&self) -> impl Iterator<Item = (&'static str, String)> {
        let (protocol, function) = (self.protocol(), self.label_function.unwrap_or_default());
        let of_tables = [
            ("opening of garbled tables", self.opening().name()),
            ("function of labels", function.name()),
        ];
        let of_tables = of_tables.into_iter().filter(move |_| protocol.opens_tables());
        of_tables.map(|(what, name)| (what, name.to_string())).chain(silent_fact(protocol))
    }

    /// Whether circuits are streamed, where the protocol does that; `auto` says it where it is left open.
    pub(crate) fn streams(
        &self,
        does: bool,
        auto: impl FnOnce() -> Result<bool, EvaluateError>,
    ) -> Result<bool, EvaluateError> {
        let may = does && self.preprocessing == Preprocessing::Interleaved;
        Ok(match self.garbling {
            Garbling::Streamed => may,
            Garbling::Whole => false,
            Garbling::Auto => may && auto()?,
        })
    }

    /// Refuses to say how garbled tables open, or what hides their rows, where no tables open.
    pub(crate) fn check_tables(&self) -> Result<(), EvaluateError> {
        let protocol = self.protocol();
        match (protocol.opens_tables(), self.opening, self.label_function) {
            (false, Some(_), _) => Err(EvaluateError::Job(format!(
                "{protocol} opens no garbled tables: leave out how to open them"
            ))),
            (false, None, Some(_)) => Err(EvaluateError::Job(format!(
                "not supported: another function of labels under {protocol}; bmr and its kin take one"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses to stream circuits where that cannot be; `others` are protocols that do it.
    pub(crate) fn check_garbling(&self, does: bool, others: &str) -> Result<(), EvaluateError> {
        if self.garbling != Garbling::Streamed {
            return Ok(());
        }
        if !does {
            return Err(EvaluateError::Job(format!(
                "not supported: circuits that are streamed under {}; {others} do that",
                self.protocol()
            )));
        }
        match self.preprocessing {
            Preprocessing::Interleaved => Ok(()),
            Preprocessing::Separate => Err(EvaluateError::Job(
                "circuits that are streamed are garbled in the run, not before the inputs: leave out one of \
                 --garbling streamed and separate or stored preprocessing"
                    .into(),
            )),
        }
    }
}

/// The parameters of silent transfers, where there are any: a fact that parties compare.
pub(crate) fn silent_fact(protocol: Protocol) -> Option<(&'static str, String)> {
    protocol.is_silent().then(|| ("parameters of silent transfers", Method::SILENT.to_string()))
}
