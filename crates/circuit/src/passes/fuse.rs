//! Level fusion: a level's ANDs as polynomial gates of bounded size.
//!
//! Starts from the sums of products of [`LevelProgram`] and groups them into gates of at most
//! twelve inputs, greedily by what a merge saves. Sums with more inputs are cut.

use std::collections::{BTreeSet, HashMap};

use crate::builder::Builder;
use crate::form::{Circuit, Gate, Wire};
use crate::poly::{MAX_POLY_INPUTS, Poly};

use super::cost::{Form, circuit_traffic, sums_traffic};
use super::input_map;
use super::level_program::{Factors, Functional, LevelProgram, Read};

/// Turns each level's ANDs into polynomial gates: fewer elements on the links, more local
/// work. No product gets more factors than an AND of the circuit has, so a circuit of two-input
/// ANDs becomes one of inner products, which need no wide products.
///
/// The result is not deeper, and not dearer in elements of `form`.
pub fn fuse(circuit: &Circuit, form: Form) -> Circuit {
    let depth = |c: &Circuit| c.levels().into_iter().max().unwrap_or(0);
    // Elements first, then local work.
    let cost = |c: &Circuit| (circuit_traffic(c, form).total(), c.stats().xors);
    let fused = Fuser::new(circuit, &LevelProgram::local(circuit), form).run();
    if depth(&fused) <= depth(circuit) && cost(&fused) < cost(circuit) {
        fused
    } else {
        circuit.clone()
    }
}

struct Fuser<'a> {
    circuit: &'a Circuit,
    program: &'a LevelProgram,
    form: Form,
    b: Builder,
    /// Wires made so far, in the new circuit. Not every wire is: of a sum of products that is
    /// read as a whole, the products are not.
    map: Vec<Option<Wire>>,
    /// How wires that are read come about, by wire.
    reads: HashMap<Wire, &'a Read>,
    /// Outputs of levels.
    outputs: Vec<Vec<Wire>>,
}

/// Sums of products that make one gate.
struct Cluster {
    inputs: BTreeSet<Wire>,
    /// Which piece of which output, and its products.
    sums: Vec<(usize, Vec<Factors>)>,
    cost: u64,
    /// Whether a merged cluster replaced this one.
    gone: bool,
}

impl<'a> Fuser<'a> {
    fn new(circuit: &'a Circuit, program: &'a LevelProgram, form: Form) -> Fuser<'a> {
        let mut b = Builder::new();
        let inputs = input_map(&mut b, circuit);
        let mut map = vec![None; circuit.wire_count()];
        for (slot, w) in map.iter_mut().zip(inputs).take(circuit.input_bits()) {
            *slot = Some(w);
        }
        let reads = program.reads.iter().map(|r| (r.wire, r)).collect();
        Fuser { circuit, program, form, b, map, reads, outputs: Vec::new() }
    }

    fn run(mut self) -> Circuit {
        let (circuit, program) = (self.circuit, self.program);
        let levels = circuit.levels();
        let depth = levels.iter().copied().max().unwrap_or(0) as usize;
        let mut by_level: Vec<Vec<Wire>> = vec![Vec::new(); depth + 1];
        for (w, gate) in circuit.gates() {
            for i in 0..gate.width() {
                let w = Wire(w.0 + i as u32);
                by_level[levels[w.index()] as usize].push(w);
            }
        }
        for (level, wires) in by_level.iter().enumerate() {
            self.note_level(level);
            wires.iter().for_each(|&w| self.wire(w));
            if let Some(outputs) = program.levels.get(level) {
                self.level(outputs);
            }
        }
        for port in circuit.output_ports() {
            let wires: Vec<Wire> = port.iter().map(|&w| self.old(w)).collect();
            self.b.output(&wires);
        }
        self.b.finish()
    }

    /// The new wire of one that the program says can be read now.
    fn old(&self, w: Wire) -> Wire {
        self.map[w.index()].expect("wires are made before they are read")
    }

    /// Notes which wires the outputs of the last level are; an XOR may have earlier wires added.
    fn note_level(&mut self, level: usize) {
        let Some(last) = level.checked_sub(1).filter(|l| *l < self.outputs.len()) else { return };
        for (i, made) in self.program.made[last].iter().enumerate() {
            let Some(made) = made else { continue };
            let rest: Option<Vec<Wire>> = made.rest.iter().map(|w| self.map[w.index()]).collect();
            if let Some(mut terms) = rest {
                terms.push(self.outputs[last][i]);
                let sum = self.b.xor_all(&terms);
                let sum = if made.constant { self.b.not(sum) } else { sum };
                self.map[made.wire.index()] = Some(sum);
            }
        }
    }

    /// Makes a wire from its operands if they are there, else as the program says, if it is read.
    fn wire(&mut self, w: Wire) {
        if self.map[w.index()].is_some() {
            return;
        }
        let map = |x: Wire| self.map[x.index()];
        let made = match self.circuit.gate(w) {
            Gate::Const(c) => Some(self.b.constant(c)),
            Gate::Not(x) => map(x).map(|x| self.b.not(x)),
            Gate::Xor(x, y) => map(x).zip(map(y)).map(|(x, y)| self.b.xor(x, y)),
            _ => None,
        };
        self.map[w.index()] = made.or_else(|| self.reads.get(&w).copied().map(|r| self.read(r)));
    }

    fn read(&mut self, read: &Read) -> Wire {
        let mut terms: Vec<Wire> = read.wires.iter().map(|&w| self.old(w)).collect();
        terms.extend(read.functionals.iter().map(|&(l, i)| self.outputs[l as usize][i as usize]));
        let sum = self.b.xor_all(&terms);
        if read.constant { self.b.not(sum) } else { sum }
    }

    fn level(&mut self, outputs: &[Functional]) {
        let mut clusters = Vec::new();
        for (i, f) in outputs.iter().enumerate() {
            for products in pieces(&f.products) {
                clusters.push(Cluster::new(vec![(i, products)], self.form));
            }
        }
        merge_clusters(&mut clusters, self.form);
        let one = self.b.constant(true);
        let local = |f: &Functional| {
            f.linear.iter().map(|&w| self.old(w)).chain(f.constant.then_some(one)).collect()
        };
        let mut terms: Vec<Vec<Wire>> = outputs.iter().map(local).collect();
        for c in clusters.iter().filter(|c| !c.gone) {
            self.gate(c, &mut terms);
        }
        let wires = terms.iter().map(|t| self.b.xor_all(t)).collect();
        self.outputs.push(wires);
    }

    fn gate(&mut self, cluster: &Cluster, terms: &mut [Vec<Wire>]) {
        let inputs: Vec<Wire> = cluster.inputs.iter().copied().collect();
        let mask =
            |p: &Factors| p.iter().fold(0u16, |m, w| m | 1 << inputs.partition_point(|x| x < w));
        let table =
            cluster.sums.iter().map(|(_, products)| products.iter().map(mask).collect()).collect();
        let wires: Vec<Wire> = inputs.iter().map(|&w| self.old(w)).collect();
        let made = self.b.poly(&wires, Poly::new(inputs.len() as u8, table));
        for ((i, _), w) in cluster.sums.iter().zip(made) {
            terms[*i].push(w);
        }
    }
}

impl Cluster {
    fn new(sums: Vec<(usize, Vec<Factors>)>, form: Form) -> Cluster {
        let inputs =
            sums.iter().flat_map(|(_, ps)| ps.iter().flat_map(|p| p.iter().copied())).collect();
        let lists: Vec<Vec<Factors>> = sums.iter().map(|(_, ps)| ps.clone()).collect();
        let cost = sums_traffic(&lists, form).total();
        Cluster { inputs, sums, cost, gone: false }
    }

    fn with(&self, o: &Cluster, form: Form) -> Option<Cluster> {
        if self.inputs.union(&o.inputs).count() > MAX_POLY_INPUTS {
            return None;
        }
        let sums = self.sums.iter().chain(&o.sums).cloned().collect();
        Some(Cluster::new(sums, form))
    }
}

/// Cuts a sum into pieces of at most twelve inputs, products with many common wires together.
fn pieces(products: &[Factors]) -> Vec<Vec<Factors>> {
    let mut pieces: Vec<(BTreeSet<Wire>, Vec<Factors>)> = Vec::new();
    let mut order: Vec<&Factors> = products.iter().collect();
    order.sort_by_key(|p| std::cmp::Reverse(p.len()));
    for p in order {
        let extra = |inputs: &BTreeSet<Wire>| p.iter().filter(|w| !inputs.contains(w)).count();
        let fit = pieces
            .iter_mut()
            .filter(|(inputs, _)| inputs.len() + extra(inputs) <= MAX_POLY_INPUTS)
            .min_by_key(|(inputs, _)| extra(inputs));
        match fit {
            Some((inputs, list)) => {
                inputs.extend(p.iter());
                list.push(p.clone());
            }
            None => pieces.push((p.iter().copied().collect(), vec![p.clone()])),
        }
    }
    pieces.into_iter().map(|(_, list)| list).collect()
}

/// Merges clusters that share wires while that saves elements, each with its best partner.
fn merge_clusters(clusters: &mut Vec<Cluster>, form: Form) {
    let mut reading: HashMap<Wire, Vec<usize>> = HashMap::new();
    for (i, c) in clusters.iter().enumerate() {
        c.inputs.iter().for_each(|&w| reading.entry(w).or_default().push(i));
    }
    let mut at = 0;
    while at < clusters.len() {
        if !clusters[at].gone
            && let Some((partner, merged)) = best_partner(clusters, &reading, at, form)
        {
            clusters[at].gone = true;
            clusters[partner].gone = true;
            merged.inputs.iter().for_each(|&w| reading.entry(w).or_default().push(clusters.len()));
            clusters.push(merged);
        }
        at += 1;
    }
}

fn best_partner(
    clusters: &[Cluster],
    reading: &HashMap<Wire, Vec<usize>>,
    at: usize,
    form: Form,
) -> Option<(usize, Cluster)> {
    let own = &clusters[at];
    if own.sums.iter().all(|(_, ps)| ps.iter().all(|p| p.len() == 2)) && own.sums.len() > 1 {
        return None;
    }
    let mut shared: HashMap<usize, usize> = HashMap::new();
    for list in own.inputs.iter().filter_map(|w| reading.get(w)) {
        for &i in list.iter().filter(|&&i| i != at && !clusters[i].gone) {
            *shared.entry(i).or_insert(0) += 1;
        }
    }
    // Only clusters with two common wires can share a sub-product.
    let mut likely: Vec<(usize, usize)> =
        shared.into_iter().filter(|&(_, n)| n > 1).map(|(i, n)| (n, i)).collect();
    likely.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    likely
        .into_iter()
        .take(32)
        .filter_map(|(_, i)| own.with(&clusters[i], form).map(|m| (i, m)))
        .filter(|(i, m)| m.cost < own.cost + clusters[*i].cost)
        .max_by_key(|(i, m)| (own.cost + clusters[*i].cost - m.cost, std::cmp::Reverse(*i)))
}
