//! From plans to assignments of a job.

use crate::network::Network;
use crate::roles::{Demand, NoPlan, Plan, orders, plan, single, split};
use tacit_backend::cost::{self, Traffic};
use tacit_circuit::Circuit;
use tacit_engine::circuit::{
    Alone, Assignment, Compiled, EvaluateError, Job, predict, predict_alone,
};
use tacit_net::PartyId;
use tacit_sharing::Protocol;

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
    /// The assignments to put into a job.
    pub assignments: Vec<Assignment>,
    /// Seconds that the network takes for them at least.
    pub seconds: f64,
    /// Seconds that it takes for the best single assignment.
    pub single_seconds: f64,
}

/// Chooses assignments of roles of some protocols for a circuit. The assignments of the job are ignored.
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
    if let [protocol] = protocols
        && protocol.garbles()
    {
        return for_garbled(network, circuit, job, *protocol);
    }
    let all: Vec<Assignment> =
        protocols.iter().flat_map(|p| all_assignments(network.parties(), *p)).collect();
    let mut job = job.clone();
    job.options.assignments.clone_from(&all);
    let compiled = Compiled::new(circuit, job)?;
    let demands: Vec<Demand> = predict_alone(&compiled).iter().map(demand).collect();
    let most = compiled.total_words();
    choose(network, &all, &demands, wanted, most).map_err(|e| EvaluateError::Bug(e.to_string()))
}

/// The assignment of a protocol that garbles, by all bytes of the job; its rounds are few.
fn for_garbled(
    network: &Network,
    circuit: &Circuit,
    job: &Job,
    protocol: Protocol,
) -> Result<Chosen, EvaluateError> {
    let all = match protocol.has_unlike_roles() {
        true => in_all_orders(network.parties(), protocol),
        false => vec![Assignment::in_order(protocol)],
    };
    let demand = |assignment: &Assignment| {
        let job = job.clone().with(|it| it.assignments = vec![assignment.clone()]);
        let bytes = predict(&Compiled::new(circuit, job)?).bytes;
        Ok(Demand { bytes: loads(&bytes), critical: Vec::new(), depth: 0 })
    };
    let demands = all.iter().map(demand).collect::<Result<Vec<_>, EvaluateError>>()?;
    let chosen = choose(network, &all, &demands, Wanted::Single, 1);
    chosen.map_err(|e| EvaluateError::Bug(e.to_string()))
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
    match protocol.has_roles() {
        true => in_all_orders(parties, protocol),
        false => vec![Assignment::in_order(protocol)],
    }
}

fn in_all_orders(parties: usize, protocol: Protocol) -> Vec<Assignment> {
    let assignment = |places: Vec<PartyId>| Assignment::new(protocol, places);
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
    use tacit_circuit::Builder;
    use tacit_engine::protocols::{
        ASTRA, BMR, FANTASTIC_FOUR, MULTI_FAN_IN, QUAD, QUAD_A, QUAD_HET, REPLICATED, TETRAD, TRIO,
        YAO, YAO_SILENT, YAO_THREE,
    };

    #[test]
    fn products_on_equal_links() {
        for (parties, protocol, rate) in [
            (3, TRIO, 2.0),
            (3, ASTRA, 2.0),
            (3, REPLICATED, 2.0),
            (3, MULTI_FAN_IN, 2.0),
            (4, TRIO, 4.0),
            (4, QUAD, 2.4),
            (4, QUAD_A, 2.4),
            (4, QUAD_HET, 4.8),
            (4, TETRAD, 2.4),
            (4, FANTASTIC_FOUR, 2.0),
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
        let [a, het] = [QUAD_A, QUAD_HET].map(|protocol| seconds(&[protocol]));
        let both = seconds(&[QUAD_A, QUAD_HET]);
        assert!(both < 0.95 * a.min(het), "{both} against {a} and {het}");
    }

    /// A circuit of many ANDs and few inputs.
    fn deep() -> Circuit {
        let mut b = Builder::new();
        let (x, y) = (b.input(1), b.input(1));
        let mut wire = x[0];
        for _ in 0..1 << 16 {
            let and = b.and2(wire, y[0]);
            wire = b.xor(and, x[0]);
        }
        b.output(&[wire]);
        b.finish()
    }

    #[test]
    fn who_has_the_faster_uplink_garbles() {
        let circuit = deep();
        for (protocol, fast) in [(YAO, [1, 0]), (YAO_SILENT, [0, 1]), (YAO_THREE, [2, 1])] {
            let network = Network::new(protocol.parties(), |a, b| {
                let is_fast = [a.index(), b.index()] == fast;
                (if is_fast { 1e9 } else { 1e6 }, 0.01)
            });
            let everybody = PartyId::all(protocol.parties()).collect();
            let job = Job::new(protocol, vec![PartyId(0), PartyId(1)], vec![everybody]);
            let choose = |wanted| for_circuit(&network, &circuit, &job, &[protocol], wanted);
            let Chosen { assignments, seconds, single_seconds } = choose(Wanted::Best).unwrap();
            // The table goes from role 0 to the last.
            let places = &assignments[0].places;
            assert_eq!([places[0], places[places.len() - 1]], fast.map(|p| PartyId(p as u8)));
            assert!(assignments.len() == 1 && seconds == single_seconds);
            assert_eq!(choose(Wanted::Split).unwrap().assignments, assignments);
        }
    }

    #[test]
    fn where_roles_are_alike_parties_stay_in_order() {
        let circuit = deep();
        let network = Network::new(3, |a, b| (if a.0 > b.0 { 1e9 } else { 1e6 }, 0.01));
        let job = Job::new(BMR.fitting(3), vec![PartyId(0), PartyId(1)], vec![vec![PartyId(2)]]);
        let chosen = for_circuit(&network, &circuit, &job, &[BMR.fitting(3)], Wanted::Best);
        assert_eq!(chosen.unwrap().assignments, [Assignment::in_order(BMR.fitting(3))]);
    }

    #[test]
    fn too_few_parties_are_an_error() {
        let network = Network::uniform(3);
        assert!(for_products(&network, &[QUAD], (64, 8), Wanted::Best).is_err());
    }
}
