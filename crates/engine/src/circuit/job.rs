//! What is computed, by whom and for whom.

use super::assignment::{self, Assignment, list};
use super::{EvaluateError, Guard};
use crate::options::{Options, Preprocessing};
use tacit_circuit::Circuit;
use tacit_garbling::authenticated::Sizes;
use tacit_net::PartyId;
use tacit_sharing::Protocol;

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
    /// How it is computed.
    pub options: Options,
    /// Owner of each input port.
    pub owners: Vec<PartyId>,
    /// Who learns each output port.
    pub receivers: Vec<Vec<PartyId>>,
    /// Number of instances.
    pub instances: usize,
    /// Form of wide products.
    pub form: FormChoice,
    /// How lanes are cut.
    pub blocking: Blocking,
    /// Under authenticated garbling, what the first output port says, which everybody learns: it opens before the
    /// others do, which stay closed unless all of it is zero. Empty if there is no such port.
    pub guard: Guard,
}

impl Job {
    /// A job with the [usual options](Options::new), of one instance.
    #[must_use]
    pub fn new(protocol: Protocol, owners: Vec<PartyId>, receivers: Vec<Vec<PartyId>>) -> Self {
        Job {
            options: Options::new(protocol),
            owners,
            receivers,
            instances: 1,
            form: FormChoice::default(),
            blocking: Blocking::default(),
            guard: Guard::default(),
        }
    }

    /// The same job with other options.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// The protocol, of the first assignment if there are several.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.options.protocol()
    }

    /// Gives all instances to one assignment of the protocol's roles.
    pub fn assign(&mut self, places: Vec<PartyId>) {
        self.options.assignments = vec![Assignment::new(self.protocol(), places)];
    }

    /// Worker threads per party, all assignments together: as many meshes a session needs.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.options.threads()
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self, circuit: &Circuit) -> Vec<(&'static str, String)> {
        let receivers: Vec<String> =
            self.receivers.iter().map(|to| format!("[{}]", list(to.iter()))).collect();
        let preprocessing =
            [Preprocessing::Interleaved, Preprocessing::Separate].map(Preprocessing::name);
        let mut facts = vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("circuit", hex::encode(circuit.digest())),
            ("protocol", self.protocol().to_string()),
            ("roles", self.options.roles()),
            ("input owners", list(self.owners.iter())),
            ("output receivers", receivers.join(" ")),
            ("instances", self.instances.to_string()),
            ("threads", self.options.workers.to_string()),
            ("preprocessing", self.options.preprocessing_fact(preprocessing)),
            ("form of wide products", self.form.name()),
            ("blocking", format!("{:?}", self.blocking)),
        ];
        if !self.guard.is_empty() {
            facts.push(("bits that open first", self.guard.bits().to_string()));
        }
        facts.extend(self.options.facts_of_some());
        facts.extend(self.protocol().authenticates().then(|| bucket_fact(self.threads())));
        facts
    }

    fn check_guard(&self, circuit: &Circuit) -> Result<(), EvaluateError> {
        let bits = circuit.output_ports().first().map(|port| port.len());
        let mut everybody =
            self.options.assignments.iter().flat_map(|assignment| &assignment.places);
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
        if self.instances == 0 || self.options.workers == 0 {
            return fail("a job needs at least one instance and one thread".into());
        }
        let dealt = self.protocol().fan_in() > 2 && self.protocol().proves_products();
        if dealt && !matches!(self.form, FormChoice::Dealer) {
            return fail(format!(
                "not supported: the symmetric form of products under {}, which proves what the helper deals",
                self.protocol()
            ));
        }
        self.options.check_tables()?;
        self.options
            .check_garbling(self.protocol().one_garbles(), "yao, yao-silent and yao-three")?;
        self.check_size(circuit)?;
        assignment::check(&self.options.assignments)?;
        for party in self.owners.iter().chain(self.receivers.iter().flatten()) {
            self.options.assignments[0].role_of(*party)?;
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

/// How seldom buckets of triples leak, in a worker of so many: a fact that parties compare.
pub(super) fn bucket_fact(workers: usize) -> (&'static str, String) {
    let rho = Sizes::of(workers).rho();
    ("buckets of a thread leak with probability", format!("2^-{rho} at most"))
}
