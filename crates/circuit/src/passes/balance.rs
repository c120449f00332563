//! Levelling with slack: which level each gate runs at.
//!
//! Levels are those of [`Circuit::levels`]: an AND or polynomial gate of level `l` is sent in
//! round `l` and may read wires of level below `l`; XOR and NOT read wires of their own level
//! or below. As soon as possible is one choice; gates off the critical path may run later.

use crate::form::{Circuit, Gate, Wire};

use super::cost::{Form, and_traffic, poly_traffic};

/// What a levelling should keep small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// The largest traffic of any level.
    Traffic(Form),
    /// The largest number of wires alive between levels.
    LiveWires,
}

/// For each wire the latest level at which it may be made without making the circuit deeper.
/// Wires that nothing reads may be as late as the last level.
pub fn latest_levels(circuit: &Circuit) -> Vec<u32> {
    let depth = circuit.levels().into_iter().max().unwrap_or(0);
    let mut latest = vec![depth; circuit.wire_count()];
    let gates: Vec<(Wire, Gate<'_>)> = circuit.gates().collect();
    for &(w, gate) in gates.iter().rev() {
        let outs = w.index()..w.index() + gate.width();
        let own = latest[outs.clone()].iter().copied().min().unwrap_or(depth);
        latest[outs].fill(own);
        let bound = own - u32::from(gate.is_level());
        gate.for_each_input(|x| latest[x.index()] = latest[x.index()].min(bound));
    }
    for l in &mut latest[..circuit.input_bits()] {
        *l = 0;
    }
    latest
}

/// How many levels each wire's gate can be moved down without making the circuit deeper.
pub fn slack(circuit: &Circuit) -> Vec<u32> {
    let late = latest_levels(circuit);
    circuit.levels().iter().zip(late).map(|(&l, late)| late - l).collect()
}

/// A levelling of the same depth as [`Circuit::levels`] whose peak is not larger.
pub fn balance(circuit: &Circuit, goal: Balance) -> Vec<u32> {
    let soon = circuit.levels();
    let moved = match goal {
        Balance::Traffic(form) => spread(circuit, &soon, form),
        Balance::LiveWires => shorten_lives(circuit, &soon),
    };
    if peak(circuit, &moved, goal) < peak(circuit, &soon, goal) { moved } else { soon }
}

/// The largest traffic of a level, or number of live wires, of a levelling.
pub fn peak(circuit: &Circuit, levels: &[u32], goal: Balance) -> u64 {
    let depth = levels.iter().copied().max().unwrap_or(0) as usize;
    match goal {
        Balance::Traffic(form) => {
            let mut load = vec![0u64; depth + 1];
            for (w, gate) in circuit.gates() {
                load[levels[w.index()] as usize] += elements(gate, form);
            }
            load.into_iter().max().unwrap_or(0)
        }
        Balance::LiveWires => live_peak(circuit, levels, depth),
    }
}

fn elements(gate: Gate<'_>, form: Form) -> u64 {
    match gate {
        Gate::And(xs) => and_traffic(xs.len(), form).total(),
        Gate::Poly { poly, .. } => poly_traffic(poly, form).total(),
        _ => 0,
    }
}

/// Level at which a gate reads its inputs.
fn reads_at(gate: Gate<'_>, level: u32) -> u32 {
    level - u32::from(gate.is_level())
}

fn live_peak(circuit: &Circuit, levels: &[u32], depth: usize) -> u64 {
    let mut until = levels.to_vec();
    for (w, gate) in circuit.gates() {
        let at = reads_at(gate, levels[w.index()]);
        gate.for_each_input(|x| until[x.index()] = until[x.index()].max(at));
    }
    for w in circuit.output_ports().iter().flatten() {
        until[w.index()] = depth as u32;
    }
    let mut change = vec![0i64; depth + 2];
    for (&from, &to) in levels.iter().zip(&until) {
        change[from as usize] += 1;
        change[to as usize + 1] -= 1;
    }
    let totals = change.iter().scan(0, |now, c| {
        *now += c;
        Some(*now)
    });
    totals.max().unwrap_or(0) as u64
}

/// Fixes gates without slack, then puts each other gate where the traffic is least so far.
fn spread(circuit: &Circuit, soon: &[u32], form: Form) -> Vec<u32> {
    let late = latest_levels(circuit);
    let depth = soon.iter().copied().max().unwrap_or(0) as usize;
    let mut load = MinTree::new(depth + 1);
    for (w, gate) in circuit.gates().filter(|(w, _)| soon[w.index()] == late[w.index()]) {
        load.add(soon[w.index()] as usize, elements(gate, form));
    }
    let mut levels = vec![0u32; circuit.wire_count()];
    for (w, gate) in circuit.gates() {
        let mut level = 0;
        gate.for_each_input(|x| level = level.max(levels[x.index()]));
        let i = w.index();
        if gate.is_level() {
            level += 1;
            if soon[i] < late[i] {
                level = load.least(level as usize, late[i] as usize) as u32;
                load.add(level as usize, elements(gate, form));
            }
        }
        levels[i..i + gate.width()].fill(level);
    }
    levels
}

/// Moves each gate, last first, down to where the first of its inputs is last read by others:
/// further down an input would live longer than the result lives shorter.
fn shorten_lives(circuit: &Circuit, soon: &[u32]) -> Vec<u32> {
    let depth = soon.iter().copied().max().unwrap_or(0);
    let mut levels = soon.to_vec();
    // Earliest reader of each wire, and the last read among gates already placed.
    let mut first = vec![depth; levels.len()];
    let mut last = vec![0u32; levels.len()];
    for w in circuit.output_ports().iter().flatten() {
        last[w.index()] = depth;
    }
    let gates: Vec<(Wire, Gate<'_>)> = circuit.gates().collect();
    for &(w, gate) in gates.iter().rev() {
        let outs = w.index()..w.index() + gate.width();
        let bound = first[outs.clone()].iter().copied().min().unwrap_or(depth);
        let mut level = levels[w.index()];
        let mut free = u32::MAX;
        gate.for_each_input(|x| free = free.min(last[x.index()]));
        if free != u32::MAX {
            level = level.max(free.saturating_add(u32::from(gate.is_level())).min(bound));
        }
        levels[outs].fill(level);
        let at = reads_at(gate, level);
        gate.for_each_input(|x| {
            first[x.index()] = first[x.index()].min(at);
            last[x.index()] = last[x.index()].max(at);
        });
    }
    levels
}

/// Loads per level with "leftmost least in a range".
struct MinTree {
    size: usize,
    nodes: Vec<(u64, usize)>,
}

impl MinTree {
    fn new(n: usize) -> MinTree {
        let size = n.next_power_of_two();
        let mut nodes = vec![(u64::MAX, usize::MAX); 2 * size];
        for i in 0..n {
            nodes[size + i] = (0, i);
        }
        for i in (1..size).rev() {
            nodes[i] = nodes[2 * i].min(nodes[2 * i + 1]);
        }
        MinTree { size, nodes }
    }

    fn add(&mut self, at: usize, amount: u64) {
        let mut i = self.size + at;
        self.nodes[i].0 += amount;
        while i > 1 {
            i /= 2;
            self.nodes[i] = self.nodes[2 * i].min(self.nodes[2 * i + 1]);
        }
    }

    /// The first of the least loaded places from `from` to `to`.
    fn least(&self, from: usize, to: usize) -> usize {
        let (mut lo, mut hi) = (self.size + from, self.size + to + 1);
        let mut best = (u64::MAX, usize::MAX);
        while lo < hi {
            if lo & 1 == 1 {
                best = best.min(self.nodes[lo]);
                lo += 1;
            }
            if hi & 1 == 1 {
                hi -= 1;
                best = best.min(self.nodes[hi]);
            }
            lo /= 2;
            hi /= 2;
        }
        best.1
    }
}
