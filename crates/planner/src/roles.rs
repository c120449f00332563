//! One assignment for all instances, or several side by side.
//!
//! After Harth-Kitzerow et al. (PoPETs 2025): every assignment `pi` of roles loads the links
//! `load_pi`; at rates `y_pi` all together load them `sum y_pi load_pi`, which no link's rate may be
//! exceeded by. The largest sum of rates is a linear program of one variable per assignment.

use crate::network::{Network, Waits};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use tacit_net::PartyId;

/// What an assignment of roles asks of the network if all instances go through it.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Bytes over each directed link in use: sender, receiver, bytes.
    pub bytes: Vec<(usize, usize, f64)>,
    /// Directed links that are waited for in every level.
    pub critical: Vec<(usize, usize)>,
    /// Levels.
    pub depth: u64,
}

/// A choice: how much of the instances goes through each assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Assignments in use, by their number, and their weights.
    pub parts: Vec<(usize, u32)>,
    /// Seconds that the links take at least.
    pub seconds: f64,
}

/// There is nothing to choose from, or the solver found no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no assignment of roles to choose")]
pub struct NoPlan;

/// Weights are whole numbers up to this.
const WEIGHTS: f64 = 1000.0;
/// An assignment below this part of the largest one is left out.
const LEAST_PART: f64 = 0.03;
/// Several assignments must save this part of the time: they cost threads and set-up.
pub(crate) const WORTH_SPLITTING: f64 = 0.9;

impl Demand {
    /// Seconds of all levels.
    pub(crate) fn waiting(&self, network: &Network) -> f64 {
        network.waiting(&[Waits { links: self.critical.clone(), steps: self.depth }])
    }

    /// Seconds of the busiest link.
    fn sending(&self, network: &Network) -> f64 {
        network.sending(&self.bytes)
    }
}

/// All orders of `roles` of the parties: who plays role 0, 1 and so on.
#[must_use]
pub fn orders(parties: usize, roles: usize) -> Vec<Vec<PartyId>> {
    let mut orders: Vec<Vec<PartyId>> = vec![Vec::new()];
    for _ in 0..roles {
        let longer = orders.iter().flat_map(|order| {
            let left = PartyId::all(parties).filter(|party| !order.contains(party));
            left.map(|party| order.iter().copied().chain([party]).collect())
        });
        orders = longer.collect();
    }
    orders
}

/// The best single assignment; of equals the first.
///
/// # Errors
/// When there is none.
pub fn single(network: &Network, demands: &[Demand]) -> Result<Plan, NoPlan> {
    let times = demands.iter().map(|d| d.waiting(network) + d.sending(network)).enumerate();
    let best = times.reduce(|best, next| if next.1 < best.1 * (1.0 - 1e-9) { next } else { best });
    let (index, seconds) = best.ok_or(NoPlan)?;
    Ok(Plan { parts: vec![(index, 1)], seconds })
}

/// The best mix: the least time over all limits on how long an assignment may wait per level.
///
/// # Errors
/// When there is no assignment, or the linear program has no solution.
pub fn split(network: &Network, demands: &[Demand]) -> Result<Plan, NoPlan> {
    let mut limits: Vec<f64> = demands.iter().map(|demand| demand.waiting(network)).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup_by(|a, b| *a <= *b * (1.0 + 1e-9));
    let mut best: Option<Plan> = None;
    for limit in limits {
        let allowed = |demand: &Demand| demand.waiting(network) <= limit * (1.0 + 1e-9);
        let plan = mix(network, demands, allowed)?;
        let seconds = plan.seconds + limit;
        if best.as_ref().is_none_or(|best| seconds < best.seconds * (1.0 - 1e-9)) {
            best = Some(Plan { seconds, ..plan });
        }
    }
    best.ok_or(NoPlan)
}

/// The best single assignment, or the best mix if it saves enough.
///
/// # Errors
/// When there is no assignment.
pub fn plan(network: &Network, demands: &[Demand]) -> Result<Plan, NoPlan> {
    let single = single(network, demands)?;
    match split(network, demands) {
        Ok(split) if split.seconds < WORTH_SPLITTING * single.seconds => Ok(split),
        _ => Ok(single),
    }
}

/// The mix of allowed assignments that sends everything in the least time.
pub(crate) fn mix(
    network: &Network,
    demands: &[Demand],
    allowed: impl Fn(&Demand) -> bool,
) -> Result<Plan, NoPlan> {
    // Rates in units of the fastest assignment's, so that numbers are near one.
    let times = demands.iter().map(|demand| demand.sending(network));
    let unit = times.fold(f64::INFINITY, f64::min).max(1e-12);
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let rates: Vec<(usize, Variable)> = demands
        .iter()
        .enumerate()
        // Those too slow to get a part of any size would only strain the solver.
        .filter(|(_, demand)| allowed(demand) && LEAST_PART * demand.sending(network) <= unit)
        .map(|(index, _)| (index, problem.add_var(1.0, (0.0, 1e6))))
        .collect();
    for (from, to) in links(network.parties()) {
        let load = |index: usize| {
            let uses = demands[index].bytes.iter().filter(|(a, b, _)| (*a, *b) == (from, to));
            uses.map(|(.., bytes)| bytes / network.rate(from, to) / unit).sum::<f64>()
        };
        let terms: Vec<(Variable, f64)> =
            rates.iter().map(|(index, rate)| (*rate, load(*index))).collect();
        if terms.iter().any(|(_, load)| *load > 0.0) {
            problem.add_constraint(&terms[..], ComparisonOp::Le, 1.0);
        }
    }
    let solution = problem.solve().map_err(|_| NoPlan)?;
    let rates: Vec<(usize, f64)> =
        rates.iter().map(|(index, rate)| (*index, *solution.var_value(*rate))).collect();
    rounded(network, demands, &rates)
}

/// Whole weights near the rates, and what they take.
fn rounded(network: &Network, demands: &[Demand], rates: &[(usize, f64)]) -> Result<Plan, NoPlan> {
    let most = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let kept = rates.iter().filter(|(_, rate)| *rate > 0.0 && *rate >= LEAST_PART * most);
    let weight = |rate: f64| ((rate / most * WEIGHTS).round() as u32).max(1);
    let parts: Vec<(usize, u32)> = kept.map(|(index, rate)| (*index, weight(*rate))).collect();
    let parts = reduced(parts);
    let whole: f64 = parts.iter().map(|(_, weight)| f64::from(*weight)).sum();
    if parts.is_empty() {
        return Err(NoPlan);
    }
    let seconds = |(from, to)| {
        let load = |(index, weight): &(usize, u32)| {
            let uses = demands[*index].bytes.iter().filter(move |(a, b, _)| (*a, *b) == (from, to));
            uses.map(|(.., bytes)| bytes * f64::from(*weight) / whole).sum::<f64>()
        };
        parts.iter().map(load).sum::<f64>() / network.rate(from, to)
    };
    let seconds = links(network.parties()).map(seconds).fold(0.0, f64::max);
    Ok(Plan { parts, seconds })
}

/// Weights without a common factor.
fn reduced(mut parts: Vec<(usize, u32)>) -> Vec<(usize, u32)> {
    let common = parts.iter().fold(0, |common, (_, weight)| divisor(common, *weight)).max(1);
    parts.iter_mut().for_each(|(_, weight)| *weight /= common);
    parts
}

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn links(parties: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..parties).flat_map(move |from| (0..parties).map(move |to| (from, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Loads<'a> = &'a [(usize, usize, f64)];

    const TRIO: Loads<'static> = &[(0, 2, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
    const QUAD: Loads<'static> = &[(3, 2, 1.0), (3, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 0, 1.0)];
    const QUAD_A: Loads<'static> =
        &[(0, 2, 1.0), (3, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 0, 1.0)];
    const HET: Loads<'static> = &[(0, 2, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 0, 2.0)];

    /// All assignments of a protocol in which roles 1 and 2 wait for each other.
    fn demands(parties: usize, roles: usize, loads: Loads<'_>, depth: u64) -> Vec<Demand> {
        let demand = |order: Vec<PartyId>| {
            let at = |role: usize| order[role].index();
            Demand {
                bytes: loads.iter().map(|(a, b, load)| (at(*a), at(*b), *load)).collect(),
                critical: vec![(at(1), at(2)), (at(2), at(1))],
                depth,
            }
        };
        orders(parties, roles).into_iter().map(demand).collect()
    }

    fn ones(parties: usize) -> Network {
        Network::new(parties, |_, _| (1.0, 0.0))
    }

    fn near(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-3, "{found} instead of {wanted}");
    }

    #[test]
    fn equal_links_give_the_rates_of_the_spec() {
        // `docs/spec/honest-majority-rings.md` section 6.2.
        for (parties, roles, loads, rate) in
            [(3, 3, TRIO, 2.0), (4, 3, TRIO, 4.0), (4, 4, QUAD, 2.4), (4, 4, QUAD_A, 2.4)]
        {
            let demands = demands(parties, roles, loads, 1);
            near(1.0 / split(&ones(parties), &demands).unwrap().seconds, rate);
            near(1.0 / single(&ones(parties), &demands).unwrap().seconds, 1.0);
        }
    }

    #[test]
    fn two_slow_pairs_and_four_fast_links() {
        // `docs/spec/honest-majority-rings.md` section 6.3: twice the rate of the best single assignment.
        let network = Network::new(4, |a, b| {
            let slow = a.index() / 2 == b.index() / 2;
            (if slow { 1.0 } else { 2.0 }, 0.0)
        });
        let demands = demands(4, 4, QUAD_A, 1);
        near(1.0 / single(&network, &demands).unwrap().seconds, 2.0);
        near(1.0 / split(&network, &demands).unwrap().seconds, 4.0);
    }

    #[test]
    fn mixes_of_protocols_beat_each() {
        // {0,2} and {1,2} at rate 1, {0,3} at 1/2, the rest nearly nothing: 3/4, Het alone 1/2.
        let network = Network::new(4, |a, b| {
            let pair = (a.0.min(b.0), a.0.max(b.0));
            let rate = match pair {
                (0, 2) | (1, 2) => 1e9,
                (0, 3) => 5e8,
                _ => 1.0,
            };
            (rate, 0.0)
        });
        let [quad_a, het] = [QUAD_A, HET].map(|loads| -> Vec<(usize, usize, f64)> {
            loads.iter().map(|(a, b, load)| (*a, *b, load * 1e9)).collect()
        });
        // Roles as they are; the first order is that.
        let both = [quad_a, het].map(|loads| demands(4, 4, &loads, 1).swap_remove(0));
        near(1.0 / split(&network, &both[1..]).unwrap().seconds, 0.5);
        near(1.0 / split(&network, &both).unwrap().seconds, 0.75);
    }

    #[test]
    fn deep_circuits_take_the_pair_with_the_least_delay() {
        let network = Network::new(3, |a, b| {
            let near = a.index() + b.index() == 1;
            (1e9, if near { 0.001 } else { 0.1 })
        });
        let demands = demands(3, 3, TRIO, 1000);
        let plan = plan(&network, &demands).unwrap();
        near(plan.seconds, 1.0);
        assert_eq!(plan.parts.len(), 1);
        let order = &orders(3, 3)[plan.parts[0].0];
        assert_eq!(order[0], PartyId(2));
        // With so much to send that waiting does not count, all links are used.
        let big: Vec<Demand> = demands
            .iter()
            .map(|d| Demand {
                bytes: d.bytes.iter().map(|b| (b.0, b.1, 1e13)).collect(),
                ..d.clone()
            })
            .collect();
        let plan = super::plan(&network, &big).unwrap();
        near(plan.seconds, 5e3 + 100.0);
        assert!(plan.parts.len() > 1);
    }

    #[test]
    fn nothing_to_choose_from_is_an_error() {
        assert_eq!(plan(&ones(3), &[]), Err(NoPlan));
        assert_eq!(split(&ones(3), &[]), Err(NoPlan));
    }

    #[test]
    fn what_costs_nothing_is_a_plan_too() {
        let free = [Demand { bytes: Vec::new(), critical: Vec::new(), depth: 0 }];
        assert_eq!(plan(&ones(3), &free).unwrap().parts, [(0, 1)]);
    }
}
