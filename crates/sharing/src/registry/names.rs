//! Names of protocols, and what is wrong with a name.

use super::{MAX_PARTIES, Protocol, Security};
use crate::proof::{BatchSize, Method, Proving, Source, Strength, UnknownBatch};
use std::fmt;
use std::str::FromStr;

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
        let all: Vec<&str> = all.map(Method::name).collect();
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
    #[error("unknown protocol '{0}': choose one of {list}", list = names())]
    Name(String),
    /// What follows is no batch.
    #[error(transparent)]
    Batch(#[from] UnknownBatch),
    /// What follows is no batch of this protocol.
    #[error(transparent)]
    OtherBatch(#[from] OtherBatch),
}

/// The names that [`Protocol::from_str`] takes.
fn names() -> String {
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
            names.push(format!("{these} with N from {least} to {MAX_PARTIES}, {least} without :N"));
        }
    }
    let names = names.join("; ");
    format!(
        "{names}; those of three parties of which one may cheat with /N behind: N products checked together"
    )
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;
    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        if let Some((name, batch)) = name.split_once('/') {
            return Ok(name.parse::<Protocol>()?.with_batch(batch.parse()?)?);
        }
        let unknown = || UnknownProtocol::Name(name.chars().take(40).collect());
        let (kind, parties) = match name.split_once(':') {
            Some((kind, parties)) => (kind, Some(parties.parse().map_err(|_| unknown())?)),
            None => (name, None),
        };
        let all = Protocol::ALL.into_iter().chain(Protocol::STRONG);
        let named = all.into_iter().find(|protocol| protocol.name() == kind);
        let named = named.ok_or_else(unknown)?;
        match parties {
            None => Ok(named.fitting(0)),
            Some(parties) => {
                let fits = named.takes_any_number() && named.fitting(parties).parties() == parties;
                if fits { Ok(named.fitting(parties)) } else { Err(unknown()) }
            }
        }
    }
}
