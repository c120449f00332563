//! Merging AND trees into wide gates where that pays.
//!
//! Every maximal tree of ANDs whose inner gates are read once is flattened; its leaves carry
//! the levels at which they arrive. For a target depth each tree gets a deadline, and is rebuilt as the
//! cheapest tree that meets it; the target with the least total cost wins. So a level is
//! charged only where it is on a critical path.

use crate::builder::Builder;
use crate::form::{Circuit, Gate, MAX_FAN_IN, Wire};

use super::cost::{CostModel, and_traffic, poly_traffic};
use super::tree::{GateCosts, cheapest, earliest};
use super::{input_map, lower, set_outputs};

/// Every target depth is tried up to this far from the least; then they get sparser.
const EVERY_TARGET: u32 = 12;

/// Rebuilds the AND trees with gates of up to `max_fan_in` inputs so that the cost is least.
///
/// Polynomial gates stay. If the circuit has wider gates than allowed they are lowered first;
/// otherwise the result is neither deeper nor dearer under `model` than the circuit.
///
/// # Panics
/// If `max_fan_in` is not from 2 to 8.
pub fn merge_trees(circuit: &Circuit, max_fan_in: usize, model: &CostModel) -> Circuit {
    assert!((2..=MAX_FAN_IN).contains(&max_fan_in), "AND gates have 2 to {MAX_FAN_IN} inputs");
    let lowered;
    let circuit = if lower::has_wider_and(circuit, max_fan_in) {
        lowered = lower::lower_ands(circuit, max_fan_in);
        &lowered
    } else {
        circuit
    };
    let forest = Forest::of(circuit, max_fan_in, model);
    let now = circuit.levels().into_iter().max().unwrap_or(0);
    let least = forest.soonest.iter().copied().max().unwrap_or(0).min(now);
    let mut best: Option<(f64, u32)> = None;
    let mut target = least;
    loop {
        let (_, depth, elements) = forest.finish_by(target, None);
        let cost = model.of(depth, elements);
        if best.is_none_or(|(c, _)| cost < c) {
            best = Some((cost, target));
        }
        if target >= now {
            break;
        }
        target = (target + 1 + (target - least).saturating_sub(EVERY_TARGET) / 4).min(now);
    }
    let mut b = Builder::new();
    let target = best.map_or(now, |(_, t)| t);
    forest.finish_by(target, Some(&mut b));
    let mut new = b.finish();
    if lower::has_wider_and(&new, max_fan_in) {
        // A polynomial gate turned out to be a single product.
        new = lower::lower_ands(&new, max_fan_in);
    }
    let deeper = new.levels().into_iter().max().unwrap_or(0) > now;
    if deeper || model.circuit(&new) > model.circuit(circuit) { circuit.clone() } else { new }
}

/// The trees of a circuit.
struct Forest<'a> {
    circuit: &'a Circuit,
    model: CostModel,
    costs: GateCosts,
    /// Inner gates of trees: built as part of the tree's root only.
    absorbed: Vec<bool>,
    /// Leaves of each tree, by root, all in one list.
    leaves: Vec<Wire>,
    leaves_of: Vec<(u32, u32)>,
    /// Earliest level of each wire when all trees are as shallow as can be.
    soonest: Vec<u32>,
    /// Levels still needed after each wire, then.
    tail: Vec<u32>,
}

impl<'a> Forest<'a> {
    fn of(circuit: &'a Circuit, fan: usize, model: &CostModel) -> Forest<'a> {
        let n = circuit.wire_count();
        let uses = circuit.uses();
        let mut absorbed = vec![false; n];
        for (_, gate) in circuit.gates() {
            if let Gate::And(xs) = gate {
                for x in xs.iter().filter(|x| uses[x.index()] == 1) {
                    absorbed[x.index()] = matches!(circuit.gate(*x), Gate::And(_));
                }
            }
        }
        let costs = (0..=fan).map(|l| and_traffic(l, model.form).total()).collect();
        let mut forest = Forest {
            circuit,
            model: *model,
            costs,
            absorbed,
            leaves: Vec::new(),
            leaves_of: vec![(0, 0); n],
            soonest: vec![0; n],
            tail: vec![0; n],
        };
        forest.collect();
        forest.measure(fan);
        forest
    }

    fn collect(&mut self) {
        let mut todo = Vec::new();
        for (w, gate) in self.circuit.gates() {
            if !matches!(gate, Gate::And(_)) || self.absorbed[w.index()] {
                continue;
            }
            let start = self.leaves.len() as u32;
            todo.push(w);
            while let Some(top) = todo.pop() {
                let Gate::And(xs) = self.circuit.gate(top) else { continue };
                for &x in xs {
                    if self.absorbed[x.index()] { todo.push(x) } else { self.leaves.push(x) }
                }
            }
            let leaves = &mut self.leaves[start as usize..];
            leaves.sort_unstable();
            let mut kept = 0;
            for i in 0..leaves.len() {
                if i == 0 || leaves[i] != leaves[i - 1] {
                    leaves[kept] = leaves[i];
                    kept += 1;
                }
            }
            self.leaves.truncate(start as usize + kept);
            self.leaves_of[w.index()] = (start, self.leaves.len() as u32);
        }
    }

    fn leaves(&self, root: Wire) -> &[Wire] {
        let (from, to) = self.leaves_of[root.index()];
        &self.leaves[from as usize..to as usize]
    }

    /// Sets `soonest` forward and `tail` backward.
    fn measure(&mut self, fan: usize) {
        let gates: Vec<(Wire, Gate<'_>)> = self.circuit.gates().collect();
        let mut arrivals = Vec::new();
        for &(w, gate) in gates.iter().filter(|(w, _)| !self.absorbed[w.index()]) {
            arrivals.clear();
            let level = if let Gate::And(_) = gate {
                arrivals.extend(self.leaves(w).iter().map(|x| self.soonest[x.index()]));
                earliest(&arrivals, fan)
            } else {
                gate.for_each_input(|x| arrivals.push(self.soonest[x.index()]));
                arrivals.iter().copied().max().unwrap_or(0) + u32::from(gate.is_level())
            };
            self.soonest[w.index()..w.index() + gate.width()].fill(level);
        }
        for &(w, gate) in gates.iter().rev().filter(|(w, _)| !self.absorbed[w.index()]) {
            let outs = w.index()..w.index() + gate.width();
            let tail = self.tail[outs.clone()].iter().copied().max().unwrap_or(0);
            self.tail[outs].fill(tail);
            if let Gate::And(_) = gate {
                // How far from the root a leaf may be: by its level, less one if it is among
                // the last to arrive.
                let (from, to) = self.leaves_of[w.index()];
                for i in from..to {
                    let x = self.leaves[i as usize].index();
                    let below = self.soonest[w.index()] - self.soonest[x];
                    self.tail[x] = self.tail[x].max(tail + below);
                }
            } else {
                let below = u32::from(gate.is_level());
                gate.for_each_input(|x| {
                    self.tail[x.index()] = self.tail[x.index()].max(tail + below)
                });
            }
        }
    }

    /// Builds every tree to be in time for the target depth (into `b`, or only measuring):
    /// levels of all wires, the depth, and the elements sent.
    fn finish_by(&self, target: u32, b: Option<&mut Builder>) -> (Vec<u32>, u32, u64) {
        let mut job = Job {
            forest: self,
            target,
            levels: vec![0; self.circuit.wire_count()],
            elements: 0,
            map: Vec::new(),
            b,
        };
        if let Some(b) = job.b.as_deref_mut() {
            job.map = input_map(b, self.circuit);
        }
        for (w, gate) in self.circuit.gates().filter(|(w, _)| !self.absorbed[w.index()]) {
            job.gate(w, gate);
        }
        if let Some(b) = job.b {
            set_outputs(b, self.circuit, &job.map);
        }
        let depth = job.levels.iter().copied().max().unwrap_or(0);
        (job.levels, depth, job.elements)
    }
}

struct Job<'a, 'b> {
    forest: &'b Forest<'a>,
    target: u32,
    levels: Vec<u32>,
    elements: u64,
    map: Vec<Wire>,
    b: Option<&'b mut Builder>,
}

impl Job<'_, '_> {
    fn gate(&mut self, w: Wire, gate: Gate<'_>) {
        if let Gate::And(_) = gate {
            return self.tree(w);
        }
        let mut level = 0;
        gate.for_each_input(|x| level = level.max(self.levels[x.index()]));
        level += u32::from(gate.is_level());
        if let Gate::Poly { poly, .. } = gate {
            self.elements += poly_traffic(poly, self.forest.model.form).total();
        }
        self.levels[w.index()..w.index() + gate.width()].fill(level);
        if let Some(b) = self.b.as_deref_mut() {
            b.copy_gate(w, gate, &mut self.map, &mut Vec::new());
        }
    }

    fn tree(&mut self, w: Wire) {
        let leaves = self.forest.leaves(w);
        let arrivals: Vec<u32> = leaves.iter().map(|x| self.levels[x.index()]).collect();
        let soonest = earliest(&arrivals, self.forest.costs.len() - 1);
        let deadline = self.target.saturating_sub(self.forest.tail[w.index()]).max(soonest);
        let Some(plan) = cheapest(&arrivals, deadline, &self.forest.costs) else { return };
        self.levels[w.index()] = plan.finish;
        self.elements += plan.cost;
        if let Some(b) = self.b.as_deref_mut() {
            let wires: Vec<Wire> = leaves.iter().map(|x| self.map[x.index()]).collect();
            self.map[w.index()] = plan.build(b, &wires, &arrivals);
        }
    }
}
