//! Who plays which role, given or chosen.

use crate::error::{Error, Result};
use crate::names::Parties;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, Job};
use tacit_engine::program::ProgramJob;
use tacit_engine::protocols;
use tacit_net::probe::LinkProbe;
use tacit_planner::{Chosen, Network, Wanted, for_circuit, split_program};
use tacit_program::Program;
use tacit_proof::{BatchSize, Strength};
use tacit_sharing::Protocol;

/// How roles are given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Roles {
    /// Chosen for the links between the parties, which are measured first.
    Auto,
    /// Assignments side by side, so that equal links are equally busy.
    Split,
    /// One assignment, or several side by side: parties by name or number, behind a protocol and a
    /// colon if it is another one, before ` x3` if it takes three times as large a part as others.
    Given(Vec<String>),
}

impl FromStr for Roles {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Roles, String> {
        match text.trim() {
            "auto" => Ok(Roles::Auto),
            "split" => Ok(Roles::Split),
            "" => Err("write auto, split, or parties such as 0,1,2".into()),
            given => Ok(Roles::Given(given.split(';').map(|one| one.trim().into()).collect())),
        }
    }
}

/// The assignments that arguments name: all parties in order by default, and until the links are
/// measured.
pub fn named(
    roles: Option<&Roles>,
    protocol: Protocol,
    parties: &Parties,
) -> Result<Vec<Assignment>> {
    match roles {
        Some(Roles::Given(given)) => {
            given.iter().map(|one| assignment(one, protocol, parties)).collect()
        }
        _ => Ok(vec![Assignment::in_order(protocol)]),
    }
}

/// Assignments as [`named`] takes them, parties by number.
#[must_use]
pub fn written(assignments: &[Assignment]) -> String {
    let several = assignments.len() > 1;
    let written = |it: &Assignment| {
        let places = it.places.iter().map(|party| party.0.to_string()).collect::<Vec<_>>();
        let protocol = match it.protocol == assignments[0].protocol {
            true => String::new(),
            false => format!("{}:", it.protocol),
        };
        let weight =
            if several && it.weight != 1 { format!(" x{}", it.weight) } else { String::new() };
        format!("{protocol}{}{weight}", places.join(","))
    };
    assignments.iter().map(written).collect::<Vec<_>>().join(";")
}

fn assignment(text: &str, protocol: Protocol, parties: &Parties) -> Result<Assignment> {
    let (text, weight) = match text.rsplit_once(" x") {
        None => (text, 1),
        Some((text, weight)) => {
            let weight = weight.parse().ok().filter(|weight| (1..=MAX_WEIGHT).contains(weight));
            let weight = weight.ok_or_else(|| {
                Error::input(format!("behind x stands a part, from 1 to {MAX_WEIGHT}: {text} x3"))
            })?;
            (text.trim_end(), weight)
        }
    };
    let (protocol, names) = match text.split_once(':') {
        None => (protocol, text),
        Some((name, names)) => {
            let named = protocols::named(name.trim())?;
            // How products of one are checked holds for all.
            let strong = Some(protocol.strength()).filter(|it| *it == Strength::Strong);
            (checked(named, strong, protocol.batch())?, names)
        }
    };
    Ok(Assignment { weight, ..Assignment::new(protocol, parties.list(names)?) })
}

/// The largest weight of an assignment.
const MAX_WEIGHT: u32 = 1 << 16;

/// A protocol whose checks of products are as strong as is asked for, and check so many together.
pub fn checked(
    protocol: Protocol,
    strength: Option<Strength>,
    batch: Option<BatchSize>,
) -> Result<Protocol> {
    let strong = match strength {
        None => Ok(protocol),
        Some(strength) => protocol.with_strength(strength),
    };
    let strong = strong.map_err(|e| Error::input(e.to_string()))?;
    let sized = batch.map_or(Ok(strong), |batch| strong.with_batch(batch));
    sized.map_err(|e| Error::input(e.to_string()))
}

/// Protocols that may be chosen: the wanted one, and those beside which it may run.
pub fn eligible(protocol: Protocol, mix: &[Protocol]) -> Vec<Protocol> {
    let mut all = vec![protocol];
    all.extend(mix.iter().filter(|other| **other != protocol));
    all
}

/// Assignments that are side by side at most: a linear program with a condition per directed link
/// uses no more.
pub fn most(parties: usize) -> usize {
    parties * parties.saturating_sub(1)
}

/// What was chosen, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Seconds that the links take at least.
    pub seconds: f64,
    /// Seconds that the links take at least with the best single assignment, its products not balanced.
    pub single_seconds: f64,
    /// Whether products were to be balanced.
    pub balanced: bool,
    /// Measured links.
    pub links: Vec<Measured>,
}

/// A directed link as it was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Sending party.
    pub from: u8,
    /// Receiving party.
    pub to: u8,
    /// There and back.
    pub rtt_ms: f64,
    /// Bulk data.
    pub mbit_per_second: Option<f64>,
}

/// Puts the best assignments for measured links into a job.
pub fn choose_for_links(
    job: &mut Job,
    circuit: &Circuit,
    protocols: &[Protocol],
    probes: &[LinkProbe],
) -> Result<Choice> {
    let network = Network::measured(job.protocol().parties(), probes);
    let Chosen { assignments, seconds, single_seconds } =
        for_circuit(&network, circuit, job, protocols, Wanted::Best)?;
    job.options.assignments = assignments;
    Ok(Choice { seconds, single_seconds, balanced: false, links: measured(probes) })
}

/// Links as reports show them.
pub fn measured(probes: &[LinkProbe]) -> Vec<Measured> {
    let link = |probe: &LinkProbe| Measured {
        from: probe.from.0,
        to: probe.to.0,
        rtt_ms: probe.rtt_ns as f64 * 1e-6,
        mbit_per_second: probe.bits_per_second.map(|bits| bits as f64 * 1e-6),
    };
    probes.iter().map(link).collect()
}

/// Puts assignments into a job that keep equal links equally busy.
pub fn split_evenly(job: &mut Job, circuit: &Circuit, protocols: &[Protocol]) -> Result<()> {
    let network = Network::uniform(job.protocol().parties());
    // Whatever is left over when few instances are cut does not count.
    let many = Job { instances: job.instances.max(1 << 16), ..job.clone() };
    job.options.assignments =
        for_circuit(&network, circuit, &many, protocols, Wanted::Split)?.assignments;
    Ok(())
}

/// Assignments for a program that keep equal links equally busy, whatever its number of rows: as many as they
/// may be, up to a number at which fixed costs do not count.
pub fn split_program_evenly(
    job: &mut ProgramJob,
    program: &Program,
    protocols: &[Protocol],
) -> Result<()> {
    let parties = job.everyone().iter().map(|party| party.index() + 1).max().unwrap_or(0);
    let network = Network::uniform(parties);
    let rows = program.dims.iter().map(|dim| MANY_ROWS.clamp(dim.min, dim.max)).collect();
    let many = ProgramJob { rows, ..job.clone() };
    let chosen = split_program(&network, program, &many, protocols, Wanted::Split)?;
    Ok(job.assign(chosen.assignments)?)
}

/// Rows of a program for which its roles are split.
const MANY_ROWS: u64 = 1 << 16;

/// Roles as a report names them: `alice, bob, carol`.
pub fn names(roles: &[u8], names: &[String]) -> String {
    let roles: Vec<&str> = roles.iter().map(|p| names[usize::from(*p)].as_str()).collect();
    roles.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    use tacit_net::PartyId;

    fn parsed(name: &str) -> Protocol {
        tacit_engine::protocols::named(name).expect("a protocol")
    }

    #[test]
    fn roles_are_read() {
        assert_eq!("auto".parse(), Ok(Roles::Auto));
        assert_eq!(" split ".parse(), Ok(Roles::Split));
        let two = Roles::Given(vec!["0,1,2".into(), "2,1,0".into()]);
        assert_eq!("0,1,2; 2,1,0".parse(), Ok(two.clone()));
        assert!("".parse::<Roles>().is_err());
        let all = named(Some(&two), parsed("trio"), &Parties::numbered(3)).unwrap();
        assert_eq!(all[1].places, [2, 1, 0].map(PartyId));
        assert!(named(Some(&two), parsed("trio"), &Parties::numbered(2)).is_err());
        let mixed: Roles = "0,1,2,3; quad-het:3,2,1,0".parse().unwrap();
        let all = named(Some(&mixed), parsed("quad"), &Parties::numbered(4)).unwrap();
        assert_eq!([all[0].protocol, all[1].protocol], [parsed("quad"), parsed("quad-het")]);
        let unknown: Roles = "quadr:0,1,2,3".parse().unwrap();
        assert!(named(Some(&unknown), parsed("quad"), &Parties::numbered(4)).is_err());
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let parties = Parties(["alice", "bob", "carol", "dave"].map(String::from).to_vec());
        for (protocol, text, weights) in [
            (parsed("quad"), "2,0,1,3", vec![1]),
            (parsed("quad"), "0,1,2,3 x3;3,2,1,0", vec![3, 1]),
            (parsed("quad"), "0,1,2,3 x2;quad-het:3,2,1,0 x5", vec![2, 5]),
        ] {
            let roles: Roles = text.parse().unwrap();
            let found = named(Some(&roles), protocol, &parties).unwrap();
            assert_eq!(found.iter().map(|it| it.weight).collect::<Vec<_>>(), weights);
            assert_eq!(written(&found), text);
        }
        let by_name: Roles = "alice,bob,carol,dave x7;dave,carol,bob,alice".parse().unwrap();
        let found = named(Some(&by_name), parsed("quad-het"), &parties).unwrap();
        assert_eq!(written(&found), "0,1,2,3 x7;3,2,1,0");
        for wrong in ["0,1,2 x0", "0,1,2 x", "0,1,2 x99999999", "0,1,2 x-1"] {
            let error = named(Some(&wrong.parse().unwrap()), parsed("lift"), &parties).unwrap_err();
            assert!(error.to_string().contains("from 1 to"), "{error}");
        }
    }
}
