//! Names of protocols, and what is wrong with a name.

use crate::{
    BatchSize, Descriptor, MAX_PARTIES, Parties, Protocol, Security, Strength, UnknownBatch,
};
use std::fmt;
use tacit_circuit::spelling;

/// A protocol does not have this statistical parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherStrength {
    /// The protocol.
    pub protocol: Protocol,
    /// The parameter that was asked for.
    pub strength: Strength,
}

impl std::error::Error for OtherStrength {}

impl fmt::Display for OtherStrength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherStrength { protocol, strength } = self;
        if !protocol.is_malicious() {
            return write!(f, "{protocol} notices no cheats: it has no statistical parameter");
        }
        write!(
            f,
            "not supported: {protocol} has a statistical parameter of {}, not of {strength}; one of {strong} can be \
             chosen under protocols whose names are also written with `@{strong}`; protocols of four parties notice every \
             cheat",
            protocol.strength(),
            strong = Strength::Strong,
        )
    }
}

/// A protocol does not check so many products together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherBatch {
    /// The protocol.
    pub protocol: Protocol,
    /// The batch that was asked for.
    pub batch: BatchSize,
}

impl std::error::Error for OtherBatch {}

impl fmt::Display for OtherBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherBatch { protocol, batch } = self;
        let Some(checks) = protocol.checks() else {
            return match protocol.security() {
                Security::MaliciousWithAbort => write!(
                    f,
                    "not supported: {protocol} has no batches of products: every wrong message is noticed, \
                     however many are compared together"
                ),
                Security::MaliciousDishonestMajority => write!(
                    f,
                    "not supported: {protocol} makes what all ANDs of a circuit need in one batch: its size \
                     follows from the circuit"
                ),
                _ => write!(f, "{protocol} notices no cheats: it checks no products"),
            };
        };
        if let Some(other) = protocol.batch() {
            return write!(f, "not supported: {protocol} has batches of {other}, not of {batch}");
        }
        let Some(bucket) = batch.bucket().filter(|_| checks.buckets) else {
            return write!(
                f,
                "not supported: {protocol} compares no numbers in buckets: leave out how large they are"
            );
        };
        let strength = protocol.strength();
        write!(
            f,
            "not sound: a batch of {} in buckets of {bucket} lets a cheat pass with 2^-{:.1}, and {protocol} \
             promises 2^-{strength}",
            batch.products(),
            checks.soundness.bits(strength, Some(*batch)),
        )?;
        match checks.soundness.least_batch(strength, *batch) {
            Some(least) => write!(f, ": {} or more would do, or larger buckets", least.products()),
            None => write!(f, ": larger buckets would do"),
        }
    }
}

/// A protocol that is there to be compared with, in a build without those.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is there to be compared with, and is not in this build of tacit: compile it with `--features baselines`"
)]
pub struct NotBuilt {
    /// Its name.
    pub name: &'static str,
}

/// No protocol has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownProtocol {
    /// Not even without what follows it.
    #[error("unknown protocol '{name}'{hint}")]
    Name {
        /// As it was given.
        name: String,
        /// Which one was meant, or which ones there are.
        hint: String,
    },
    /// This build does not have it.
    #[error(transparent)]
    NotBuilt(#[from] NotBuilt),
    /// It does not run with so many parties.
    #[error("{name} does not run with '{parties}' parties: {limits}", limits = limits(*.protocol))]
    Parties {
        /// Its name as it was given.
        name: String,
        /// What was given as the number of parties.
        parties: String,
        /// The protocol.
        protocol: Protocol,
    },
    /// What follows is no batch.
    #[error(transparent)]
    Batch(#[from] UnknownBatch),
    /// What follows is no batch of this protocol.
    #[error(transparent)]
    OtherBatch(#[from] OtherBatch),
}

/// With how many parties a protocol runs, and how that is written.
fn limits(protocol: Protocol) -> String {
    let name = protocol.name();
    match protocol.descriptor().parties {
        Parties::AtLeast(least) => format!("write {name}:N with N from {least} to {MAX_PARTIES}"),
        Parties::Exactly(parties) => format!("{parties} parties compute, so write {name} alone"),
    }
}

impl Descriptor {
    /// That this build has it.
    ///
    /// # Errors
    /// If it has not; the error says how to get it.
    pub fn built(&self) -> Result<(), NotBuilt> {
        self.is_built().then_some(()).ok_or(NotBuilt { name: self.name })
    }
}

impl Protocol {
    /// The protocol of a name among those of a list: `trio`, `gmw:5`, `lift@64`, `post/4096`.
    ///
    /// # Errors
    /// If none has this name, or not so many parties, or no such batch; the error says what could be written.
    pub fn named(name: &str, list: &[&'static Descriptor]) -> Result<Protocol, UnknownProtocol> {
        if let Some((name, batch)) = name.split_once('/') {
            return Ok(Protocol::named(name, list)?.with_batch(batch.parse()?)?);
        }
        let (kind, parties) = match name.split_once(':') {
            Some((kind, parties)) => (kind, Some(parties)),
            None => (name, None),
        };
        let shown = |text: &str| -> String { text.chars().take(40).collect() };
        let called = |of: &&&Descriptor| {
            of.name == kind || of.name_with(Strength::Strong).is_some_and(|strong| strong == kind)
        };
        if let Some(of) = list.iter().find(called) {
            of.built()?;
        }
        let mut all = Protocol::with_strengths(list);
        let named = all.find(|protocol| protocol.name() == kind);
        let named = named.ok_or_else(|| UnknownProtocol::Name {
            name: shown(kind),
            hint: meant(&shown(kind), list),
        })?;
        let Some(parties) = parties else { return Ok(named) };
        let number = parties.parse().ok().filter(|_| named.takes_any_number());
        number
            .map(|number| (named.fitting(number), number))
            .filter(|(fitting, number)| fitting.parties() == *number)
            .map(|(fitting, _)| fitting)
            .ok_or_else(|| UnknownProtocol::Parties {
                name: shown(kind),
                parties: shown(parties),
                protocol: named,
            })
    }

    /// All protocols of a list that this build has, with as few parties as they run with, and then those of them that are offered with
    /// another statistical parameter, with that one.
    pub fn with_strengths(list: &[&'static Descriptor]) -> impl Iterator<Item = Protocol> {
        let all = list.iter().filter(|of| of.is_built()).map(|of| Protocol::new(of));
        let strong = all.clone().filter(|protocol| protocol.proves_products());
        all.chain(strong.filter_map(|protocol| protocol.with_strength(Strength::Strong).ok()))
    }

    /// The names of protocols of a list, and what may stand behind them.
    #[must_use]
    pub fn names(list: &[&'static Descriptor]) -> String {
        let (any, fixed): (Vec<Protocol>, Vec<Protocol>) =
            Protocol::with_strengths(list).partition(|protocol| protocol.takes_any_number());
        let mut names: Vec<String> = fixed.iter().map(|protocol| protocol.to_string()).collect();
        for least in 2..=MAX_PARTIES {
            let any = any.iter().filter(|protocol| protocol.parties() == usize::from(least));
            let these: Vec<String> = any.map(|protocol| format!("{}:N", protocol.name())).collect();
            if !these.is_empty() {
                let these = these.join(", ");
                names.push(format!(
                    "{these} with N from {least} to {MAX_PARTIES}, {least} without :N"
                ));
            }
        }
        let names = names.join("; ");
        format!(
            "{names}; those of three parties of which one may cheat with /N behind: N products checked together"
        )
    }
}

/// The name that was meant, or else all.
fn meant(name: &str, list: &[&'static Descriptor]) -> String {
    match spelling::hint(name, Protocol::with_strengths(list).map(Protocol::name)) {
        hint if hint.is_empty() => format!(": choose one of {}", Protocol::names(list)),
        hint => hint,
    }
}
