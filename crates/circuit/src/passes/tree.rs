//! AND trees of least cost that finish in time.

use std::collections::HashMap;

use crate::builder::{Builder, split_even};
use crate::form::Wire;

/// Trees with more leaves take one fan-in throughout: the search is quadratic in the leaves.
const MOST_LEAVES: usize = 1024;

/// Cost of an AND by fan-in up to the allowed one (entries 0 and 1 are 0). Convex, so that
/// even splits are best.
pub(crate) type GateCosts = Vec<u64>;

/// A plan: for each level with gates, how many groups its available wires are put into.
pub(crate) struct TreePlan {
    pub cost: u64,
    pub finish: u32,
    steps: Vec<(u32, usize)>,
}

/// The earliest level at which an AND of leaves with these levels can be ready.
pub(crate) fn earliest(arrivals: &[u32], fan: usize) -> u32 {
    let mut sorted = arrivals.to_vec();
    sorted.sort_unstable();
    let (mut at, mut have, mut next) = (sorted[0], 0usize, 0usize);
    loop {
        while next < sorted.len() && sorted[next] <= at {
            have += 1;
            next += 1;
        }
        if have <= 1 {
            if next == sorted.len() {
                return at;
            }
            at = sorted[next];
            continue;
        }
        have = have.div_ceil(fan);
        at += 1;
    }
}

/// The cheapest tree over leaves with these levels that is ready by `deadline`, if any.
pub(crate) fn cheapest(arrivals: &[u32], deadline: u32, costs: &GateCosts) -> Option<TreePlan> {
    let mut sorted = arrivals.to_vec();
    sorted.sort_unstable();
    if sorted.len() > MOST_LEAVES {
        return uniform(&sorted, deadline, costs);
    }
    let mut search = Search { arrivals: &sorted, deadline, costs, memo: HashMap::new() };
    let first = sorted[0];
    let cost = search.best(first, 0)?;
    let (mut at, mut have, mut steps) = (first, 0, Vec::new());
    loop {
        have += search.arriving(at);
        if let Some(jump) = search.idle(at, have) {
            match jump {
                Some(next) => {
                    at = next;
                    continue;
                }
                None => return Some(TreePlan { cost, finish: at, steps }),
            }
        }
        let (_, groups) = search.memo[&(at, have)];
        steps.push((at, groups));
        have = groups;
        at += 1;
    }
}

struct Search<'a> {
    /// The levels at which leaves arrive, ascending.
    arrivals: &'a [u32],
    deadline: u32,
    costs: &'a GateCosts,
    /// By (level, wires available there): least cost from there on, and the number of groups.
    memo: HashMap<(u32, usize), (u64, usize)>,
}

const IMPOSSIBLE: u64 = u64::MAX;

impl Search<'_> {
    fn arriving(&self, at: u32) -> usize {
        self.arrivals.partition_point(|&a| a <= at) - self.arrivals.partition_point(|&a| a < at)
    }

    /// With one wire: `Some(Some(level of the next leaf))`, or `Some(None)` if there is none.
    fn idle(&self, at: u32, have: usize) -> Option<Option<u32>> {
        let next = self.arrivals.partition_point(|&a| a <= at);
        (have <= 1).then(|| self.arrivals.get(next).copied())
    }

    /// Least cost from level `at` on, with `have` wires besides those arriving there.
    fn best(&mut self, at: u32, have: usize) -> Option<u64> {
        let cost = self.cost(at, have);
        (cost != IMPOSSIBLE).then_some(cost)
    }

    fn cost(&mut self, at: u32, have: usize) -> u64 {
        if at > self.deadline {
            return IMPOSSIBLE;
        }
        let have = have + self.arriving(at);
        match self.idle(at, have) {
            Some(Some(next)) => return self.cost(next, have),
            Some(None) => return 0,
            None => {}
        }
        if let Some(&(cost, _)) = self.memo.get(&(at, have)) {
            return cost;
        }
        let fan = self.costs.len() - 1;
        let mut best = (IMPOSSIBLE, have);
        // Pairs are the cheapest way to have fewer wires, so waiting never pays.
        for groups in have.div_ceil(fan)..=have.div_ceil(2) {
            let later = self.cost(at + 1, groups);
            if later != IMPOSSIBLE {
                best = best.min((later + split_cost(self.costs, have, groups), groups));
            }
        }
        self.memo.insert((at, have), best);
        best.0
    }
}

fn split_cost(costs: &GateCosts, have: usize, groups: usize) -> u64 {
    let (size, larger) = (have / groups, have % groups);
    (groups - larger) as u64 * costs[size]
        + if larger > 0 { larger as u64 * costs[size + 1] } else { 0 }
}

/// For many leaves: everything available is combined with one fan-in, the least that is in
/// time.
fn uniform(arrivals: &[u32], deadline: u32, costs: &GateCosts) -> Option<TreePlan> {
    (2..costs.len()).find_map(|fan| {
        let plan = greedy(arrivals, fan, costs);
        (plan.finish <= deadline).then_some(plan)
    })
}

fn greedy(arrivals: &[u32], fan: usize, costs: &GateCosts) -> TreePlan {
    let mut plan = TreePlan { cost: 0, finish: arrivals[0], steps: Vec::new() };
    let (mut have, mut next) = (0usize, 0usize);
    loop {
        while next < arrivals.len() && arrivals[next] <= plan.finish {
            have += 1;
            next += 1;
        }
        if have <= 1 {
            if next == arrivals.len() {
                return plan;
            }
            plan.finish = arrivals[next];
            continue;
        }
        let groups = have.div_ceil(fan);
        plan.cost += split_cost(costs, have, groups);
        plan.steps.push((plan.finish, groups));
        have = groups;
        plan.finish += 1;
    }
}

impl TreePlan {
    /// Builds the tree. Leaves that arrive first are combined first.
    pub fn build(&self, b: &mut Builder, leaves: &[Wire], arrivals: &[u32]) -> Wire {
        let mut waiting: Vec<(u32, Wire)> =
            arrivals.iter().copied().zip(leaves.iter().copied()).collect();
        waiting.sort_unstable();
        let (mut have, mut next) = (Vec::<Wire>::new(), 0);
        for &(at, groups) in &self.steps {
            while next < waiting.len() && waiting[next].0 <= at {
                have.push(waiting[next].1);
                next += 1;
            }
            // Wires that wait longest stand last and are combined first: larger pieces come
            // first in `split_even`.
            have = split_even(&have, groups).map(|g| b.and(g)).collect();
        }
        have.extend(waiting[next..].iter().map(|&(_, w)| w));
        b.and(&have)
    }
}
