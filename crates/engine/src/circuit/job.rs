//! What is computed, by whom and for whom.

use super::assignment::{self, Assignment, list};
use super::{EvaluateError, Guard};
use std::fmt;
use std::str::FromStr;
use tacit_circuit::Circuit;
use tacit_garbling::Terms;
use tacit_garbling::authenticated::Sizes;
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

    /// Whether circuits are streamed, where the protocol does that; `auto` says it where it is left open.
    pub(crate) fn streams(
        self,
        does: bool,
        preprocessing: Preprocessing,
        auto: impl FnOnce() -> Result<bool, EvaluateError>,
    ) -> Result<bool, EvaluateError> {
        let may = does && preprocessing == Preprocessing::Interleaved;
        Ok(match self {
            Garbling::Streamed => may,
            Garbling::Whole => false,
            Garbling::Auto => may && auto()?,
        })
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

/// The form of products with more than two factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormChoice {
    /// Half the traffic, from the helper; the evaluators exchange one element per output.
    #[default]
    Dealer,
    /// All sub-products between the evaluators: for a helper with a narrow uplink.
    Symmetric,
    /// Per level, the one that takes less time if the helper's uplink is `1 / ratio` as fast as
    /// the evaluators' link.
    Cheaper {
        /// Speed of the evaluators' link divided by the speed of the helper's uplink, in percent.
        ratio_percent: u32,
    },
}

impl FormChoice {
    /// The name used on command lines and in reports.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            FormChoice::Dealer => "dealer".into(),
            FormChoice::Symmetric => "symmetric".into(),
            FormChoice::Cheaper { ratio_percent } => format!("cheaper at {ratio_percent} %"),
        }
    }
}

/// What parties compare where preprocessing is stored.
pub(crate) const STORED: &str = "stored (tacit prepare, tacit run --prepared)";

/// Bytes of inputs and outputs of one run, at most.
pub const MAX_VALUE_BYTES: usize = 32 << 30;

/// How lanes are cut for evaluation. Zero means: choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocking {
    /// 64-lane words per block.
    pub block_words: usize,
    /// Blocks under way at once.
    pub blocks: usize,
    /// Bytes of one level's messages that may be under way per direction when `blocks` is
    /// chosen. More hides more latency, less keeps data in cache.
    pub window_bytes: usize,
}

/// A computation that all parties agree on before any share is sent.
#[derive(Clone, Debug)]
pub struct Job {
    /// Who plays which role of which protocol: one assignment, or several side by side.
    pub assignments: Vec<Assignment>,
    /// Owner of each input port.
    pub owners: Vec<PartyId>,
    /// Who learns each output port.
    pub receivers: Vec<Vec<PartyId>>,
    /// Number of instances.
    pub instances: usize,
    /// Worker threads per party and assignment.
    pub workers: usize,
    /// When preprocessing runs.
    pub preprocessing: Preprocessing,
    /// Preprocessing runs in a session of its own and is stored: part of what parties agree on, in both.
    pub stored: bool,
    /// Form of wide products.
    pub form: FormChoice,
    /// How garbled tables that parties make together open, if not as the protocol does by itself.
    pub opening: Option<Opening>,
    /// What hides rows of garbled tables that parties make together, if not the usual function.
    pub label_function: Option<LabelFunction>,
    /// How circuits are garbled.
    pub garbling: Garbling,
    /// How lanes are cut.
    pub blocking: Blocking,
    /// Under authenticated garbling, what the first output port says, which everybody learns: it opens before the
    /// others do, which stay closed unless all of it is zero. Empty if there is no such port.
    pub guard: Guard,
}

impl Job {
    /// A job with defaults: roles in party order, one worker, interleaved preprocessing.
    #[must_use]
    pub fn new(protocol: Protocol, owners: Vec<PartyId>, receivers: Vec<Vec<PartyId>>) -> Self {
        Job {
            assignments: vec![Assignment::in_order(protocol)],
            owners,
            receivers,
            instances: 1,
            workers: 1,
            preprocessing: Preprocessing::default(),
            stored: false,
            form: FormChoice::default(),
            opening: None,
            label_function: None,
            garbling: Garbling::Auto,
            blocking: Blocking::default(),
            guard: Guard::default(),
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

    /// How garbled tables that parties make together open.
    #[must_use]
    pub fn opening(&self) -> Opening {
        self.opening.unwrap_or(self.protocol().opening())
    }

    /// What parties have agreed on who garble.
    pub(super) fn terms(&self) -> Terms {
        let label_function = self.label_function.unwrap_or_default();
        let (opening, workers) = (self.opening(), self.threads());
        Terms { parties: self.protocol().parties(), opening, label_function, workers }
    }

    /// Gives all instances to one assignment of the protocol's roles.
    pub fn assign(&mut self, places: Vec<PartyId>) {
        self.assignments = vec![Assignment::new(self.protocol(), places)];
    }

    /// Worker threads per party, all assignments together: as many meshes a session needs.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.saturating_mul(self.assignments.len())
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self, circuit: &Circuit) -> Vec<(&'static str, String)> {
        let assignments: Vec<String> = self.assignments.iter().map(Assignment::to_string).collect();
        let receivers: Vec<String> =
            self.receivers.iter().map(|to| format!("[{}]", list(to.iter()))).collect();
        let preprocessing = if self.stored { STORED } else { self.preprocessing.name() };
        let mut facts = vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("circuit", hex::encode(circuit.digest())),
            ("protocol", self.protocol().to_string()),
            ("roles", assignments.join("; ")),
            ("input owners", list(self.owners.iter())),
            ("output receivers", receivers.join(" ")),
            ("instances", self.instances.to_string()),
            ("threads", self.workers.to_string()),
            ("preprocessing", preprocessing.to_string()),
            ("form of wide products", self.form.name()),
            ("blocking", format!("{:?}", self.blocking)),
        ];
        if !self.guard.is_empty() {
            facts.push(("bits that open first", self.guard.bits().to_string()));
        }
        facts.extend(opening_fact(self.protocol(), self.opening));
        facts.extend(label_fact(self.protocol(), self.label_function));
        facts.extend(silent_fact(self.protocol()));
        facts.extend(self.protocol().authenticates().then(|| bucket_fact(self.threads())));
        facts
    }

    fn check_guard(&self, circuit: &Circuit) -> Result<(), EvaluateError> {
        let bits = circuit.output_ports().first().map(|port| port.len());
        let mut everybody = self.assignments.iter().flat_map(|assignment| &assignment.places);
        let first = self.receivers.first();
        let all_learn = first.is_some_and(|to| everybody.all(|party| to.contains(party)));
        let fits = self.protocol().authenticates() && bits == Some(self.guard.bits()) && all_learn;
        match fits {
            true => Ok(()),
            false => Err(EvaluateError::Bug("outputs that open first, and do not fit".into())),
        }
    }

    /// Checks the job against the circuit.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, circuit: &Circuit) -> Result<(), EvaluateError> {
        let fail = |text: String| Err(EvaluateError::Job(text));
        let (inputs, outputs) = (circuit.input_widths().len(), circuit.output_ports().len());
        if self.owners.len() != inputs {
            let given = self.owners.len();
            return fail(format!("the circuit has {inputs} inputs, but {given} have an owner"));
        }
        if self.receivers.len() != outputs {
            let given = self.receivers.len();
            return fail(format!("the circuit has {outputs} outputs, but {given} have receivers"));
        }
        if !self.guard.is_empty() {
            self.check_guard(circuit)?;
        }
        if self.instances == 0 || self.workers == 0 {
            return fail("a job needs at least one instance and one thread".into());
        }
        let dealt = self.protocol().fan_in() > 2 && self.protocol().proves_products();
        if dealt && !matches!(self.form, FormChoice::Dealer) {
            return fail(format!(
                "not supported: the symmetric form of products under {}, which proves what the helper deals",
                self.protocol()
            ));
        }
        check_opening(self.protocol(), self.opening)?;
        check_label_function(self.protocol(), self.label_function)?;
        let protocol = self.protocol();
        let does = (protocol, protocol.one_garbles(), "yao, yao-silent and yao-three");
        check_garbling(does, self.garbling, self.preprocessing)?;
        self.check_size(circuit)?;
        assignment::check(&self.assignments)?;
        for party in self.owners.iter().chain(self.receivers.iter().flatten()) {
            self.assignments[0].role_of(*party)?;
        }
        Ok(())
    }

    /// Refuses what cannot be held: values of all instances must fit [`MAX_VALUE_BYTES`].
    fn check_size(&self, circuit: &Circuit) -> Result<(), EvaluateError> {
        let bits = circuit.input_bits() + circuit.output_bits();
        let bytes = self.instances.div_ceil(64).checked_mul(8 * bits.max(1));
        if bytes.is_some_and(|bytes| bytes <= MAX_VALUE_BYTES) {
            return Ok(());
        }
        Err(EvaluateError::Job(format!(
            "{} instances of {bits} input and output bits are more than one run may hold ({} GiB); \
             split them over several runs",
            self.instances,
            MAX_VALUE_BYTES >> 30
        )))
    }
}

/// How garbled tables open under a protocol that opens them: a fact that parties compare.
pub(crate) fn opening_fact(
    protocol: Protocol,
    opening: Option<Opening>,
) -> Option<(&'static str, String)> {
    let opening = opening.unwrap_or(protocol.opening());
    protocol.opens_tables().then(|| ("opening of garbled tables", opening.name().to_string()))
}

/// What hides their rows: a fact that parties compare.
pub(crate) fn label_fact(
    protocol: Protocol,
    function: Option<LabelFunction>,
) -> Option<(&'static str, String)> {
    let name = function.unwrap_or_default().name();
    protocol.opens_tables().then(|| ("function of labels", name.to_string()))
}

/// The parameters of silent transfers, where there are any: a fact that parties compare.
pub(crate) fn silent_fact(protocol: Protocol) -> Option<(&'static str, String)> {
    protocol.is_silent().then(|| ("parameters of silent transfers", Method::SILENT.to_string()))
}

/// How seldom buckets of triples leak, in a worker of so many: a fact that parties compare.
pub(super) fn bucket_fact(workers: usize) -> (&'static str, String) {
    let rho = Sizes::of(workers).rho();
    ("buckets of a thread leak with probability", format!("2^-{rho} at most"))
}

/// Refuses to say what hides rows where no tables open.
pub(crate) fn check_label_function(
    protocol: Protocol,
    function: Option<LabelFunction>,
) -> Result<(), EvaluateError> {
    match function.is_some() && !protocol.opens_tables() {
        true => Err(EvaluateError::Job(format!(
            "not supported: another function of labels under {protocol}; bmr and its kin take one"
        ))),
        false => Ok(()),
    }
}

/// Refuses to say how garbled tables open where none do.
pub(crate) fn check_opening(
    protocol: Protocol,
    opening: Option<Opening>,
) -> Result<(), EvaluateError> {
    match opening.is_some() && !protocol.opens_tables() {
        true => Err(EvaluateError::Job(format!(
            "{protocol} opens no garbled tables: leave out how to open them"
        ))),
        false => Ok(()),
    }
}

/// Refuses to stream circuits where that cannot be; `others` are protocols that do it.
pub(crate) fn check_garbling(
    (protocol, does, others): (Protocol, bool, &str),
    garbling: Garbling,
    preprocessing: Preprocessing,
) -> Result<(), EvaluateError> {
    if garbling != Garbling::Streamed {
        return Ok(());
    }
    if !does {
        return Err(EvaluateError::Job(format!(
            "not supported: circuits that are streamed under {protocol}; {others} do that"
        )));
    }
    match preprocessing {
        Preprocessing::Interleaved => Ok(()),
        Preprocessing::Separate => Err(EvaluateError::Job(
            "circuits that are streamed are garbled in the run, not before the inputs: leave out one of \
             --garbling streamed and separate or stored preprocessing"
                .into(),
        )),
    }
}
