//! From plans to assignments of a job.

use crate::network::Network;
use crate::roles::{Demand, NoPlan, Plan, orders, plan, single, split};
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Alone, Assignment, Compiled, EvaluateError, Job, predict_alone};
use tacit_net::PartyId;
use tacit_sharing::Protocol;
use tacit_sharing::cost::{self, Traffic};

/// How roles are to be given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// One assignment.
    Single,
    /// Several side by side.
    Split,
    /// What takes less time.
    Best,
}

/// Assignments, and why these.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// To put into a job.
    pub assignments: Vec<Assignment>,
    /// Seconds that the network takes for them at least.
    pub seconds: f64,
    /// Seconds that it takes for the best single assignment.
    pub single_seconds: f64,
}

/// Chooses assignments of roles of some protocols for a circuit. Those of the job are not looked
/// at.
///
/// # Errors
/// When the job does not fit the circuit, or the protocols do not run side by side.
pub fn for_circuit(
    network: &Network,
    circuit: &Circuit,
    job: &Job,
    protocols: &[Protocol],
    wanted: Wanted,
) -> Result<Chosen, EvaluateError> {
    let all: Vec<Assignment> =
        protocols.iter().flat_map(|p| all_assignments(network.parties(), *p)).collect();
    let mut job = job.clone();
    job.assignments.clone_from(&all);
    let compiled = Compiled::new(circuit, job)?;
    let demands: Vec<Demand> = predict_alone(&compiled).iter().map(demand).collect();
    let most = compiled.total_words();
    choose(network, &all, &demands, wanted, most).map_err(|e| EvaluateError::Bug(e.to_string()))
}

/// Chooses assignments of roles of some protocols for `words` products of words of `bytes` bytes.
///
/// # Errors
/// When a protocol has more roles than there are parties.
pub fn for_products(
    network: &Network,
    protocols: &[Protocol],
    (words, bytes): (usize, usize),
    wanted: Wanted,
) -> Result<Chosen, NoPlan> {
    let all: Vec<Assignment> =
        protocols.iter().flat_map(|p| all_assignments(network.parties(), *p)).collect();
    let demand = |assignment: &Assignment| {
        let traffic = cost::product(assignment.protocol).placed(&assignment.places);
        Demand { bytes: loads(&(traffic * (words * bytes) as u64)), critical: Vec::new(), depth: 1 }
    };
    let demands: Vec<Demand> = all.iter().map(demand).collect();
    choose(network, &all, &demands, wanted, words)
}

fn all_assignments(parties: usize, protocol: Protocol) -> Vec<Assignment> {
    let assignment = |places: Vec<PartyId>| Assignment::new(protocol, places);
    if !protocol.has_roles() {
        return vec![Assignment::in_order(protocol)];
    }
    orders(parties, protocol.parties()).into_iter().map(assignment).collect()
}

/// At most so many assignments as there are words of instances.
pub(crate) fn choose(
    network: &Network,
    all: &[Assignment],
    demands: &[Demand],
    wanted: Wanted,
    most: usize,
) -> Result<Chosen, NoPlan> {
    let alone = single(network, demands)?;
    let best = match wanted {
        Wanted::Single => alone.clone(),
        Wanted::Split => split(network, demands)?,
        Wanted::Best => plan(network, demands)?,
    };
    let single_seconds = alone.seconds;
    let Plan { parts, seconds } = if best.parts.len() > most { alone } else { best };
    let assignment =
        |(index, weight): &(usize, u32)| Assignment { weight: *weight, ..all[*index].clone() };
    Ok(Chosen { assignments: parts.iter().map(assignment).collect(), seconds, single_seconds })
}

pub(crate) fn demand(alone: &Alone) -> Demand {
    Demand { bytes: loads(&alone.bytes), critical: alone.critical.clone(), depth: alone.depth }
}

pub(crate) fn loads(bytes: &Traffic) -> Vec<(usize, usize, f64)> {
    let used = cost::links().filter(|(from, to)| bytes.link(*from, *to) > 0);
    used.map(|(from, to)| (from, to, bytes.link(from, to) as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_on_equal_links() {
        for (parties, protocol, rate) in [
            (3, Protocol::Trio, 2.0),
            (3, Protocol::Astra, 2.0),
            (3, Protocol::Replicated, 2.0),
            (3, Protocol::MultiFanIn, 2.0),
            (4, Protocol::Trio, 4.0),
            (4, Protocol::Quad, 2.4),
            (4, Protocol::QuadA, 2.4),
            (4, Protocol::QuadHet, 4.8),
            (4, Protocol::Tetrad, 2.4),
            (4, Protocol::FantasticFour, 2.0),
        ] {
            let network = Network::uniform(parties);
            let choose =
                |wanted| for_products(&network, &[protocol], (1 << 20, 8), wanted).unwrap();
            let [one, many, best] = [Wanted::Single, Wanted::Split, Wanted::Best].map(choose);
            assert_eq!(one.assignments.len(), 1);
            assert!((one.seconds / many.seconds / rate - 1.0).abs() < 1e-2, "{protocol}");
            assert_eq!(best.assignments, many.assignments);
            let few = for_products(&network, &[protocol], (1, 8), Wanted::Best).unwrap();
            assert_eq!(few.assignments.len(), 1, "a word cannot be split");
        }
    }

    #[test]
    fn protocols_of_a_class_mix() {
        // Two good links, one of half their rate, three that carry next to nothing.
        let network = Network::new(4, |a, b| {
            let rate = match (a.0.min(b.0), a.0.max(b.0)) {
                (0, 2) | (1, 2) => 1e9,
                (0, 3) => 5e8,
                _ => 1e3,
            };
            (rate, 0.0)
        });
        let seconds = |protocols: &[Protocol]| {
            for_products(&network, protocols, (1 << 20, 8), Wanted::Split).unwrap().seconds
        };
        let [a, het] = [Protocol::QuadA, Protocol::QuadHet].map(|protocol| seconds(&[protocol]));
        let both = seconds(&[Protocol::QuadA, Protocol::QuadHet]);
        assert!(both < 0.95 * a.min(het), "{both} against {a} and {het}");
    }

    #[test]
    fn too_few_parties_are_an_error() {
        let network = Network::uniform(3);
        assert!(for_products(&network, &[Protocol::Quad], (64, 8), Wanted::Best).is_err());
    }
}
