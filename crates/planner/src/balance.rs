//! Products of one assignment of roles, divided between the ways to make them so that the links take
//! the least time: the linear program of several assignments, with ways in place of those.

use crate::assign::{demand, loads};
use crate::network::Network;
use crate::roles::{Demand, NoPlan, Plan, WORTH_SPLITTING, mix, single};
use tacit_backend::cost;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, Compiled, EvaluateError, Job, predict_alone};
use tacit_net::PartyId;
use tacit_sharing::Protocol;
use tacit_sharing::balance::{Balance, Way};

/// How products are to be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights<'b> {
    /// By these weights.
    Given(&'b Balance),
    /// By those that take the least time.
    Best,
}

/// An assignment with weights, and why these.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// The assignment to put into a job.
    pub assignment: Assignment,
    /// Seconds that the network takes for it at least.
    pub seconds: f64,
    /// Seconds that it takes for the best assignment without weights.
    pub plain_seconds: f64,
}

/// Divides a circuit's products, by the best of some orders of the parties: who plays role 0, 1 and so on.
/// The assignments of the job are not looked at. Best weights are taken if they save a tenth.
///
/// # Errors
/// When the job does not fit the circuit, or the protocol has no ways to choose from.
pub fn balance_circuit(
    network: &Network,
    circuit: &Circuit,
    job: &Job,
    (protocol, orders): (Protocol, &[Vec<PartyId>]),
    weights: Weights<'_>,
) -> Result<Balanced, EvaluateError> {
    let bug = |e: NoPlan| EvaluateError::Bug(e.to_string());
    let all = columns(protocol, orders, weights);
    let mut job = job.clone();
    job.options.assignments.clone_from(&all);
    let demands: Vec<Demand> =
        predict_alone(&Compiled::new(circuit, job)?).iter().map(demand).collect();
    choose(network, (protocol, orders), (&all, &demands), weights).map_err(bug)
}

/// Divides products of words of `bytes` bytes between ways, as [`balance_circuit`] does for a circuit.
///
/// # Errors
/// When there is no order, or the linear program has no solution.
pub fn balance_products(
    network: &Network,
    (protocol, orders): (Protocol, &[Vec<PartyId>]),
    bytes: usize,
    weights: Weights<'_>,
) -> Result<Balanced, NoPlan> {
    let all = columns(protocol, orders, weights);
    let demand = |assignment: &Assignment| {
        let (traffic, products) = cost::balanced(&assignment.balance, assignment.protocol);
        // As much for each assignment, whatever its weights add up to.
        let scale = (1 << 20) as f64 * bytes as f64 / products as f64;
        let bytes = loads(&traffic.placed(&assignment.places));
        let bytes = bytes.into_iter().map(|(from, to, load)| (from, to, load * scale)).collect();
        Demand { bytes, critical: Vec::new(), depth: 1 }
    };
    let demands: Vec<Demand> = all.iter().map(demand).collect();
    choose(network, (protocol, orders), (&all, &demands), weights)
}

/// Every order without weights; then every order with those that are given, or in each way.
fn columns(protocol: Protocol, orders: &[Vec<PartyId>], weights: Weights<'_>) -> Vec<Assignment> {
    let balances: Vec<Balance> = match weights {
        Weights::Given(balance) => vec![balance.clone()],
        Weights::Best => Way::all(protocol).into_iter().map(Balance::only).collect(),
    };
    let plain = |order: &Vec<PartyId>| Assignment::new(protocol, order.clone());
    let balanced = orders
        .iter()
        .flat_map(|order| balances.iter().map(move |by| plain(order).balanced(by.clone())));
    orders.iter().map(plain).chain(balanced).collect()
}

fn choose(
    network: &Network,
    (protocol, orders): (Protocol, &[Vec<PartyId>]),
    (all, demands): (&[Assignment], &[Demand]),
    weights: Weights<'_>,
) -> Result<Balanced, NoPlan> {
    let (plain, others) = demands.split_at(orders.len());
    let alone = single(network, plain)?;
    let plain_seconds = alone.seconds;
    let assignment = match weights {
        Weights::Given(_) => {
            let Plan { parts, seconds } = single(network, others)?;
            let assignment = all[orders.len() + parts[0].0].clone();
            return Ok(Balanced { assignment, seconds, plain_seconds });
        }
        Weights::Best => all[alone.parts[0].0].clone(),
    };
    let mut best = Balanced { assignment, seconds: plain_seconds, plain_seconds };
    let ways = Way::all(protocol);
    for (order, demands) in orders.iter().zip(others.chunks(ways.len().max(1))) {
        let Plan { parts, seconds } = mix(network, demands, |_| true)?;
        // All ways wait for the same link.
        let seconds = seconds + demands[0].waiting(network);
        if seconds < WORTH_SPLITTING * plain_seconds && seconds < best.seconds * (1.0 - 1e-9) {
            let weights = parts.iter().map(|(way, weight)| (ways[*way], *weight)).collect();
            let balance = Balance::new(weights).map_err(|_| NoPlan)?;
            let assignment = Assignment::new(protocol, order.clone()).balanced(balance);
            best = Balanced { assignment, seconds, plain_seconds };
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::orders;
    use tacit_engine::protocols::{ASTRA, QUAD, QUAD_A, QUAD_HET, TRIO};

    /// Rates of links in both directions; all others carry next to nothing.
    fn network(rates: &[((u8, u8), f64)]) -> Network {
        Network::new(4, |a, b| {
            let pair = (a.0.min(b.0), a.0.max(b.0));
            let rate = rates.iter().find(|(link, _)| *link == pair).map_or(1e3, |(_, rate)| *rate);
            (rate, 0.0)
        })
    }

    fn in_order() -> Vec<Vec<PartyId>> {
        vec![PartyId::all(4).collect()]
    }

    fn best(network: &Network, protocol: Protocol, orders: &[Vec<PartyId>]) -> Balanced {
        balance_products(network, (protocol, orders), 8, Weights::Best).unwrap()
    }

    /// Seconds of the same products where one way sends an element over each link of rate 1e9.
    const UNIT: f64 = (8 << 20) as f64 / 1e9;

    #[test]
    fn the_example_of_the_specification() {
        // `docs/spec/honest-majority-rings.md` section 6.4: {0,2} and {1,2} at rate 1, {0,3} at 1/2,
        // nothing else: 1/3 Het and 2/3 A give 3/4.
        let network = network(&[((0, 2), 1e9), ((1, 2), 1e9), ((0, 3), 5e8)]);
        let chosen = best(&network, QUAD_HET, &in_order());
        assert_eq!(chosen.assignment.balance.to_string(), "a=2,het=1");
        assert!((UNIT / chosen.seconds - 0.75).abs() < 1e-3, "{chosen:?}");
        assert!((UNIT / chosen.plain_seconds - 0.5).abs() < 1e-3, "{chosen:?}");
        // Any order is as good for some way, or worse.
        let free = best(&network, QUAD_HET, &orders(4, 4));
        assert!((UNIT / free.seconds - 0.75).abs() < 1e-3, "{free:?}");
    }

    #[test]
    fn crossed_products_keep_the_rate_without_the_mask_holder() {
        // The links of role 3 are bad, all others alike: half of Het goes the other way round.
        let network = network(&[((0, 1), 1e9), ((0, 2), 1e9), ((1, 2), 1e9)]);
        let chosen = best(&network, QUAD, &in_order());
        assert_eq!(chosen.assignment.balance.to_string(), "het=1,het-crossed=1");
        assert_eq!(chosen.assignment.protocol, QUAD_HET);
        assert!((UNIT / chosen.seconds - 1.0).abs() < 1e-3, "{chosen:?}");
    }

    #[test]
    fn the_uplink_of_a_dealer_is_shared() {
        // Of three parties the dealer has two uplinks of half the rate of the others' link.
        let network = Network::new(3, |a, b| (if a.0 == 0 || b.0 == 0 { 5e8 } else { 1e9 }, 0.0));
        for protocol in [TRIO, ASTRA] {
            let order = vec![PartyId::all(3).collect()];
            let chosen = best(&network, protocol, &order);
            assert_eq!(chosen.assignment.balance.to_string(), "straight=1,crossed=1");
            assert!((UNIT / chosen.seconds - 1.0).abs() < 1e-3, "{chosen:?}");
            assert!((UNIT / chosen.plain_seconds - 0.5).abs() < 1e-3, "{chosen:?}");
        }
    }

    #[test]
    fn what_saves_little_is_left_out() {
        let chosen = best(&Network::uniform(4), QUAD, &in_order());
        assert_eq!(chosen.assignment, Assignment::new(QUAD, in_order().remove(0)));
        assert!(balance_products(&Network::uniform(4), (QUAD, &[]), 8, Weights::Best).is_err());
    }

    #[test]
    fn one_way_alone_is_its_protocol() {
        let network = network(&[((0, 2), 1e9), ((1, 2), 1e9)]);
        let chosen = best(&network, QUAD, &in_order());
        assert_eq!(chosen.assignment, Assignment::new(QUAD_HET, in_order().remove(0)));
    }

    #[test]
    fn given_weights_choose_the_order() {
        let network = network(&[((1, 3), 1e9), ((1, 2), 1e9), ((0, 3), 5e8)]);
        let balance = Balance::of(QUAD, [("a", 2), ("het", 1)]).unwrap();
        let orders = orders(4, 4);
        let given = Weights::Given(&balance);
        let chosen = balance_products(&network, (QUAD, &orders), 8, given).unwrap();
        assert_eq!(chosen.assignment.places, [3, 2, 1, 0].map(PartyId));
        assert!((UNIT / chosen.seconds - 0.75).abs() < 1e-3, "{chosen:?}");
        assert_eq!(cost::balanced(&balance, QUAD_A).0.total(), 15);
    }
}
