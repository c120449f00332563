//! Collapsing two AND levels into one where a level costs more than the wider gates.
//!
//! The ANDs of one level that are on a critical path are written as sums of products of
//! earlier wires and multiplied out in the ANDs of the next level that read them. With all
//! critical gates of a level expanded, the circuit is one level shallower.

use std::collections::{BTreeSet, HashMap};

use crate::builder::Builder;
use crate::form::{Circuit, Gate, MAX_FAN_IN, Wire};

use super::balance::slack;
use super::cost::{CostModel, circuit_traffic};
use super::level_program::LevelProgram;
use super::{input_map, set_outputs};

/// Most products into which one gate is expanded.
const MOST_PRODUCTS: usize = 96;

/// Most ANDs of the level below in one input of a gate.
const MOST_TERMS: usize = 24;

/// Collapses pairs of levels while that lowers the cost under `model`, with gates of up to
/// `max_fan_in` inputs. If `polynomial`, the cost is that of the levels as polynomial gates
/// ([`LevelProgram::traffic`]), else gate by gate.
///
/// The result is neither deeper nor dearer. Polynomial gates are not expanded.
///
/// # Panics
/// If `max_fan_in` is not from 2 to 8.
pub fn collapse_levels(
    circuit: &Circuit,
    max_fan_in: usize,
    model: &CostModel,
    polynomial: bool,
) -> Circuit {
    assert!((2..=MAX_FAN_IN).contains(&max_fan_in), "AND gates have 2 to {MAX_FAN_IN} inputs");
    let cost = |c: &Circuit| {
        let traffic = if polynomial {
            LevelProgram::new(c).traffic(model.form)
        } else {
            circuit_traffic(c, model.form)
        };
        let depth = c.levels().into_iter().max().unwrap_or(0);
        (depth, model.of(depth, traffic.total()))
    };
    let mut best = circuit.clone();
    let (mut depth, mut least) = cost(&best);
    let mut boundary = 1;
    while boundary < depth {
        let new = Boundary::new(&best, boundary, max_fan_in).and_then(|b| b.collapse());
        match new.map(|c| (cost(&c), c)) {
            Some(((d, c), new)) if d < depth && c < least => (best, depth, least) = (new, d, c),
            _ => boundary += 1,
        }
    }
    best
}

/// The border between the level `below` and the one above it.
struct Boundary<'a> {
    circuit: &'a Circuit,
    levels: Vec<u32>,
    critical: Vec<bool>,
    below: u32,
    fan: usize,
}

/// A wire as ANDs of the level below, earlier wires, and a constant.
#[derive(Default)]
struct Parts {
    ands: BTreeSet<Wire>,
    rest: BTreeSet<Wire>,
    constant: bool,
}

fn toggle<T: Ord>(set: &mut BTreeSet<T>, x: T) {
    if !set.remove(&x) {
        set.insert(x);
    }
}

impl<'a> Boundary<'a> {
    /// Nothing if the gates above cannot all be expanded.
    fn new(circuit: &'a Circuit, below: u32, fan: usize) -> Option<Boundary<'a>> {
        let levels = circuit.levels();
        let critical = slack(circuit).into_iter().map(|s| s == 0).collect();
        Some(Boundary { circuit, levels, critical, below, fan })
    }

    fn collapse(&self) -> Option<Circuit> {
        let mut b = Builder::new();
        let mut map = input_map(&mut b, self.circuit);
        let mut buffer = Vec::new();
        for (w, gate) in self.circuit.gates() {
            if gate.is_level()
                && self.levels[w.index()] == self.below + 1
                && self.critical[w.index()]
            {
                let Gate::And(xs) = gate else { return None };
                map[w.index()] = self.expanded(&mut b, &map, xs)?;
            } else {
                b.copy_gate(w, gate, &mut map, &mut buffer);
            }
        }
        set_outputs(&mut b, self.circuit, &map);
        Some(b.finish())
    }

    /// The AND of some wires in terms of wires below the level below.
    fn expanded(&self, b: &mut Builder, map: &[Wire], xs: &[Wire]) -> Option<Wire> {
        let mut sum: BTreeSet<Vec<Wire>> = BTreeSet::from([Vec::new()]);
        for &x in xs {
            let terms = self.terms(b, map, x)?;
            let mut next = BTreeSet::new();
            for p in &sum {
                for t in &terms {
                    let mut product: Vec<Wire> = p.iter().chain(t).copied().collect();
                    product.sort_unstable();
                    product.dedup();
                    if !vanishes(b, &product) {
                        toggle(&mut next, product);
                    }
                }
            }
            if next.len() > MOST_PRODUCTS || next.iter().any(|p| p.len() > self.fan) {
                return None;
            }
            sum = next;
        }
        let products: Vec<Wire> = sum.iter().map(|p| b.and(p)).collect();
        Some(b.xor_all(&products))
    }

    /// The products, of wires below the level below, whose sum `x` is.
    fn terms(&self, b: &mut Builder, map: &[Wire], x: Wire) -> Option<Vec<Vec<Wire>>> {
        let parts = self.parts(x)?;
        let rest: Vec<Wire> = parts.rest.iter().map(|w| map[w.index()]).collect();
        let rest = b.xor_all(&rest);
        let rest = if parts.constant { b.not(rest) } else { rest };
        let mut terms = Vec::new();
        for w in parts.ands {
            let Gate::And(inputs) = self.circuit.gate(w) else { return None };
            terms.push(inputs.iter().map(|y| map[y.index()]).collect());
        }
        match b.constant_value(rest) {
            Some(false) => {}
            Some(true) => terms.push(Vec::new()),
            None => terms.push(vec![rest]),
        }
        Some(terms)
    }

    fn parts(&self, x: Wire) -> Option<Parts> {
        let mut parts = Parts::default();
        let mut counts: HashMap<Wire, bool> = HashMap::from([(x, true)]);
        let mut todo = BTreeSet::from([x]);
        while let Some(w) = todo.pop_last() {
            if !counts.remove(&w).unwrap_or(false) {
                continue;
            }
            if self.levels[w.index()] < self.below {
                toggle(&mut parts.rest, w);
                continue;
            }
            let mut flip = |y: Wire| {
                let odd = counts.entry(y).or_insert(false);
                *odd = !*odd;
                todo.insert(y);
            };
            match self.circuit.gate(w) {
                Gate::And(_) => toggle(&mut parts.ands, w),
                Gate::Not(y) => {
                    parts.constant = !parts.constant;
                    flip(y);
                }
                Gate::Xor(y, z) => {
                    flip(y);
                    flip(z);
                }
                Gate::Const(c) => parts.constant ^= c,
                Gate::Input { .. } => toggle(&mut parts.rest, w),
                Gate::Poly { .. } => return None,
            }
            if parts.ands.len() > MOST_TERMS || todo.len() > 64 * MOST_TERMS {
                return None;
            }
        }
        Some(parts)
    }
}

/// Whether a sorted product has a wire beside its complement, or a 0.
fn vanishes(b: &Builder, product: &[Wire]) -> bool {
    product.iter().any(|&x| match b.gate(x) {
        Gate::Not(y) => product.binary_search(&y).is_ok(),
        Gate::Const(c) => !c,
        _ => false,
    })
}
