//! Common subexpressions of XOR layers: greedy pair sharing, most frequent pair first.
//!
//! A layer is all XORs of one level. Each sum that is read outside its layer is written over
//! the layer's leaves (anything that is not an XOR of the same level); then the pair of leaves
//! that most sums contain becomes a gate, again and again. A layer keeps its old gates if that
//! does not save any.

use std::collections::{BinaryHeap, HashMap};

use crate::builder::Builder;
use crate::form::{Circuit, Gate, Wire};

use super::{input_map, set_outputs};

/// Longest sum that is rewritten; an XOR whose sum would be longer becomes a leaf.
const LONGEST: usize = 32;

/// Largest number of pairs looked at in one layer; larger layers stay as they are.
const MOST_PAIRS: usize = 1 << 20;

/// Shares common parts of XOR sums: the function and all other gates stay, and there are at most as many XORs.
pub fn share_xors(circuit: &Circuit) -> Circuit {
    let sums = Sums::of(circuit);
    let plans: Vec<Option<Plan>> = sums.layers.iter().map(|layer| plan(layer, &sums)).collect();
    let mut planned: Vec<usize> = vec![usize::MAX; circuit.wire_count()];
    for (l, layer) in sums.layers.iter().enumerate().filter(|(l, _)| plans[*l].is_some()) {
        for &w in &layer.roots {
            planned[w.index()] = l;
        }
    }
    let mut emitter = Emitter { b: Builder::new(), map: Vec::new(), pairs: HashMap::new() };
    emitter.map = input_map(&mut emitter.b, circuit);
    let mut buffer = Vec::new();
    for (w, gate) in circuit.gates() {
        match plans.get(planned[w.index()]).and_then(Option::as_ref) {
            Some(plan) => emitter.sum(w, planned[w.index()], plan),
            None if sums.inner[w.index()] && plans[sums.level[w.index()] as usize].is_some() => {}
            None => emitter.b.copy_gate(w, gate, &mut emitter.map, &mut buffer),
        }
    }
    set_outputs(&mut emitter.b, circuit, &emitter.map);
    let new = emitter.b.finish();
    if new.stats().xors <= circuit.stats().xors { new } else { circuit.clone() }
}

#[derive(Default)]
struct Layer {
    /// XORs that are read outside the layer, or are leaves of longer sums.
    roots: Vec<Wire>,
    /// All XORs of the layer.
    gates: usize,
}

struct Sums {
    level: Vec<u32>,
    /// The sum of each XOR wire over its layer's leaves (empty for other wires).
    of: Vec<Vec<Wire>>,
    /// XORs that only others of their layer read.
    inner: Vec<bool>,
    layers: Vec<Layer>,
}

impl Sums {
    fn of(circuit: &Circuit) -> Sums {
        let level = circuit.levels();
        let depth = level.iter().copied().max().unwrap_or(0) as usize;
        let n = circuit.wire_count();
        let mut sums = Sums {
            of: vec![Vec::new(); n],
            inner: vec![true; n],
            layers: (0..=depth).map(|_| Layer::default()).collect(),
            level,
        };
        for (w, gate) in circuit.gates() {
            sums.note(w, gate, circuit);
        }
        for w in circuit.output_ports().iter().flatten() {
            sums.inner[w.index()] = false;
        }
        for (w, gate) in circuit.gates() {
            if let Gate::Xor(..) = gate
                && !sums.inner[w.index()]
            {
                sums.layers[sums.level[w.index()] as usize].roots.push(w);
            }
        }
        sums
    }

    fn note(&mut self, w: Wire, gate: Gate<'_>, circuit: &Circuit) {
        let Gate::Xor(a, b) = gate else {
            gate.for_each_input(|x| self.inner[x.index()] = false);
            self.inner[w.index()] = false;
            return;
        };
        let level = self.level[w.index()];
        self.layers[level as usize].gates += 1;
        let mut leaves = Vec::new();
        for x in [a, b] {
            let same_layer =
                self.level[x.index()] == level && matches!(circuit.gate(x), Gate::Xor(..));
            if !same_layer {
                self.inner[x.index()] = false;
            }
            let known = if same_layer { self.of[x.index()].clone() } else { vec![x] };
            leaves = symmetric_difference(&leaves, &known);
        }
        if leaves.len() > LONGEST {
            self.inner[a.index()] = false;
            self.inner[b.index()] = false;
            leaves = vec![a, b];
        }
        self.of[w.index()] = leaves;
    }
}

/// Elements in exactly one of two sorted lists.
pub(crate) fn symmetric_difference<T: Ord + Copy>(a: &[T], b: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// How to build a layer: pairs in order, then each root as a sum of items. Items below
/// `leaves.len()` are leaves, the others pairs.
struct Plan {
    leaves: Vec<Wire>,
    pairs: Vec<(u32, u32)>,
    roots: HashMap<Wire, Vec<u32>>,
}

fn plan(layer: &Layer, sums: &Sums) -> Option<Plan> {
    let lists: Vec<&Vec<Wire>> = layer.roots.iter().map(|w| &sums.of[w.index()]).collect();
    let pairs: usize = lists.iter().map(|l| l.len() * l.len() / 2).sum();
    if layer.gates == 0 || pairs > MOST_PAIRS {
        return None;
    }
    let mut leaves: Vec<Wire> = lists.iter().flat_map(|l| l.iter().copied()).collect();
    leaves.sort_unstable();
    leaves.dedup();
    let position = |w: &Wire| leaves.binary_search(w).map_or(0, |i| i as u32);
    let rows = lists.iter().map(|l| l.iter().map(position).collect()).collect();
    let mut greedy = Greedy::new(rows, leaves.len());
    greedy.run();
    let xors =
        greedy.made.len() + greedy.rows.iter().map(|r| r.len().saturating_sub(1)).sum::<usize>();
    if xors >= layer.gates {
        return None;
    }
    let roots = layer.roots.iter().copied().zip(greedy.rows).collect();
    Some(Plan { leaves, pairs: greedy.made, roots })
}

/// Greedy pair sharing over sums of items.
struct Greedy {
    rows: Vec<Vec<u32>>,
    /// Which rows contain an item (may name rows that no longer do).
    rows_of: Vec<Vec<u32>>,
    counts: HashMap<(u32, u32), u32>,
    heap: BinaryHeap<(u32, std::cmp::Reverse<(u32, u32)>)>,
    made: Vec<(u32, u32)>,
    leaves: usize,
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

impl Greedy {
    fn new(rows: Vec<Vec<u32>>, leaves: usize) -> Greedy {
        let mut rows_of = vec![Vec::new(); leaves];
        let mut counts = HashMap::new();
        for (r, row) in rows.iter().enumerate() {
            for (i, &x) in row.iter().enumerate() {
                rows_of[x as usize].push(r as u32);
                for &y in &row[i + 1..] {
                    *counts.entry(ordered(x, y)).or_insert(0) += 1;
                }
            }
        }
        let heap = counts
            .iter()
            .filter(|(_, c)| **c > 1)
            .map(|(&p, &c)| (c, std::cmp::Reverse(p)))
            .collect();
        Greedy { rows, rows_of, counts, heap, made: Vec::new(), leaves }
    }

    fn run(&mut self) {
        while let Some((count, std::cmp::Reverse(pair))) = self.heap.pop() {
            let now = self.counts.get(&pair).copied().unwrap_or(0);
            if now < 2 {
                continue;
            }
            if now < count {
                self.heap.push((now, std::cmp::Reverse(pair)));
                continue;
            }
            self.take(pair);
        }
    }

    /// Makes a gate of a pair and puts it into every row that has both.
    fn take(&mut self, (a, b): (u32, u32)) {
        let new = (self.leaves + self.made.len()) as u32;
        self.made.push((a, b));
        let mut with_new = Vec::new();
        for r in self.rows_of[a as usize].clone() {
            let row = &mut self.rows[r as usize];
            if !(row.contains(&a) && row.contains(&b)) {
                continue;
            }
            row.retain(|&x| x != a && x != b);
            for &x in row.iter() {
                for gone in [a, b] {
                    if let Some(c) = self.counts.get_mut(&ordered(gone, x)) {
                        *c -= 1;
                    }
                }
                let c = self.counts.entry(ordered(new, x)).or_insert(0);
                *c += 1;
                if *c > 1 {
                    self.heap.push((*c, std::cmp::Reverse(ordered(new, x))));
                }
            }
            row.push(new);
            with_new.push(r);
        }
        self.counts.remove(&(a, b));
        self.rows_of.push(with_new);
    }
}

struct Emitter {
    b: Builder,
    map: Vec<Wire>,
    /// Wires of the pairs of a layer's plan that exist so far.
    pairs: HashMap<(usize, u32), Wire>,
}

impl Emitter {
    fn sum(&mut self, w: Wire, layer: usize, plan: &Plan) {
        let items: Vec<Wire> = plan.roots[&w].iter().map(|&i| self.item(layer, plan, i)).collect();
        self.map[w.index()] = self.b.xor_all(&items);
    }

    /// The wire of a leaf or pair, made if need be. All leaves of a root come before it.
    fn item(&mut self, layer: usize, plan: &Plan, item: u32) -> Wire {
        let mut todo = vec![item];
        while let Some(&top) = todo.last() {
            let Some(made) = (top as usize).checked_sub(plan.leaves.len()) else {
                todo.pop();
                continue;
            };
            if self.pairs.contains_key(&(layer, top)) {
                todo.pop();
                continue;
            }
            let (x, y) = plan.pairs[made];
            match (self.known(layer, plan, x), self.known(layer, plan, y)) {
                (Some(u), Some(v)) => {
                    let w = self.b.xor(u, v);
                    self.pairs.insert((layer, top), w);
                    todo.pop();
                }
                (u, v) => {
                    todo.extend(u.is_none().then_some(x));
                    todo.extend(v.is_none().then_some(y));
                }
            }
        }
        self.known(layer, plan, item).unwrap_or(Wire(0))
    }

    fn known(&self, layer: usize, plan: &Plan, item: u32) -> Option<Wire> {
        match plan.leaves.get(item as usize) {
            Some(leaf) => Some(self.map[leaf.index()]),
            None => self.pairs.get(&(layer, item)).copied(),
        }
    }
}
