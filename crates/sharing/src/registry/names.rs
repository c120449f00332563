//! Names of protocols, and what is wrong with a name.

use super::{MAX_PARTIES, Protocol, Security};
use crate::proof::{BatchSize, Method, Proving, Source, Strength, UnknownBatch};
use std::fmt;
use std::str::FromStr;
use tacit_circuit::spelling;

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.batch(), self.takes_any_number()) {
            (Some(batch), _) => write!(f, "{}/{batch}", self.name()),
            (None, true) => write!(f, "{}:{}", self.name(), self.parties()),
            (None, false) => f.write_str(self.name()),
        }
    }
}

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
        let all = Protocol::STRONG.iter().filter_map(|strong| strong.method());
        let all: Vec<&str> = all.map(|method| method.descriptor().name).collect();
        write!(
            f,
            "not supported: {protocol} has a statistical parameter of {}, not of {strength}; one of \
             {} can be chosen under {}; protocols of four parties notice every cheat",
            protocol.strength(),
            Strength::Strong,
            all.join(", ")
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
        let Some(proving) = protocol.proving() else {
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
        if let Some(other) = proving.batch {
            return write!(f, "not supported: {protocol} has batches of {other}, not of {batch}");
        }
        let Some(bucket) =
            batch.bucket().filter(|_| proving.method == Method::Brain(Source::Buckets))
        else {
            return write!(
                f,
                "not supported: {protocol} compares no numbers in buckets: leave out how large they are"
            );
        };
        let proving = Proving { batch: Some(*batch), ..proving };
        write!(
            f,
            "not sound: a batch of {} in buckets of {bucket} lets a cheat pass with 2^-{:.1}, and {protocol} \
             promises 2^-{}",
            batch.products(),
            proving.soundness(),
            proving.strength
        )?;
        match proving.least_batch() {
            Some(least) => write!(f, ": {} or more would do, or larger buckets", least.products()),
            None => write!(f, ": larger buckets would do"),
        }
    }
}

/// No protocol has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownProtocol {
    /// Not even without what follows it.
    #[error("unknown protocol '{0}'{hint}", hint = meant(.0))]
    Name(String),
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
    let (name, least) = (protocol.name(), protocol.fitting(0).parties());
    match protocol.takes_any_number() {
        true => format!("write {name}:N with N from {least} to {MAX_PARTIES}"),
        false => format!("{least} parties compute, so write {name} alone"),
    }
}

/// The name that was meant, or else all.
fn meant(name: &str) -> String {
    let known = || Protocol::ALL.into_iter().chain(Protocol::STRONG).map(Protocol::name);
    match spelling::hint(name, known()) {
        hint if hint.is_empty() => format!(": choose one of {}", Protocol::names()),
        hint => hint,
    }
}

impl Protocol {
    /// The names that [`Protocol::from_str`] takes, and what may stand behind them.
    #[must_use]
    pub fn names() -> String {
        let (any, fixed): (Vec<Protocol>, Vec<Protocol>) = Protocol::ALL
            .into_iter()
            .chain(Protocol::STRONG)
            .partition(|protocol| protocol.takes_any_number());
        let mut names: Vec<String> = fixed.iter().map(|protocol| protocol.to_string()).collect();
        for least in 2..=MAX_PARTIES {
            let any = any.iter().filter(|protocol| protocol.fitting(0).parties() == least.into());
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

impl FromStr for Protocol {
    type Err = UnknownProtocol;
    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        if let Some((name, batch)) = name.split_once('/') {
            return Ok(name.parse::<Protocol>()?.with_batch(batch.parse()?)?);
        }
        let (kind, parties) = match name.split_once(':') {
            Some((kind, parties)) => (kind, Some(parties)),
            None => (name, None),
        };
        let shown = |text: &str| -> String { text.chars().take(40).collect() };
        let mut all = Protocol::ALL.into_iter().chain(Protocol::STRONG);
        let named = all.find(|protocol| protocol.name() == kind);
        let named = named.ok_or_else(|| UnknownProtocol::Name(shown(kind)))?;
        let Some(parties) = parties else { return Ok(named.fitting(0)) };
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
}
