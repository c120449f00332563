//! Level fusion: a level's ANDs as polynomial gates of bounded size.
//!
//! Starts from the sums of products of [`LevelProgram`] and groups them into gates of at most
//! twelve inputs, greedily by what a merge saves. Sums with more inputs are cut.

use std::collections::{BTreeSet, HashMap};

use crate::builder::Builder;
use crate::form::{Circuit, Wire};
use crate::poly::{MAX_POLY_INPUTS, Poly};

use super::cost::{Form, circuit_traffic, sums_traffic};
use super::level_program::{Factors, Functional, LevelProgram};

/// Turns each level's ANDs into polynomial gates; fewer elements on the links, more local
/// work. Products have at most `max_degree` factors if those of the circuit have (with 2
/// there are inner products only, which every protocol with an inner product has).
///
/// The result is not deeper, and not dearer in elements of `form`.
pub fn fuse(circuit: &Circuit, form: Form) -> Circuit {
    let program = LevelProgram::new(circuit);
    let fused = Fuser::new(circuit, &program, form).run();
    let depth = |c: &Circuit| c.levels().into_iter().max().unwrap_or(0);
    let total = |c: &Circuit| circuit_traffic(c, form).total();
    if depth(&fused) <= depth(circuit) && total(&fused) <= total(circuit) { fused } else { circuit.clone() }
}

struct Fuser<'a> {
    circuit: &'a Circuit,
    program: &'a LevelProgram,
    form: Form,
    b: Builder,
    /// Wires read so far, in the new circuit.
    map: HashMap<Wire, Wire>,
    /// Outputs of levels.
    outputs: Vec<Vec<Wire>>,
}

/// Sums of products that make one gate.
struct Cluster {
    inputs: BTreeSet<Wire>,
    /// Which piece of which output, and its products.
    sums: Vec<(usize, Vec<Factors>)>,
    cost: u64,
    /// Replaced by a merged one.
    gone: bool,
}

impl<'a> Fuser<'a> {
    fn new(circuit: &'a Circuit, program: &'a LevelProgram, form: Form) -> Fuser<'a> {
        let mut b = Builder::new();
        let mut map = HashMap::new();
        let mut at = 0;
        for &width in circuit.input_widths() {
            for w in b.input(width) {
                map.insert(Wire(at), w);
                at += 1;
            }
        }
        Fuser { circuit, program, form, b, map, outputs: Vec::new() }
    }

    fn run(mut self) -> Circuit {
        let program = self.program;
        let mut waiting: Vec<usize> = (0..program.reads.len()).collect();
        for level in 0..=program.levels.len() {
            waiting.retain(|&r| !self.read(r));
            if let Some(outputs) = program.levels.get(level) {
                self.level(outputs);
            }
        }
        for port in self.circuit.output_ports() {
            let wires: Vec<Wire> = port.iter().map(|w| self.map[w]).collect();
            self.b.output(&wires);
        }
        self.b.finish()
    }

    /// Makes a wire that is read, if all it needs is there.
    fn read(&mut self, r: usize) -> bool {
        let read = &self.program.reads[r];
        let ready = read.functionals.iter().all(|&(l, _)| (l as usize) < self.outputs.len());
        if !ready || !read.wires.iter().all(|w| self.map.contains_key(w)) {
            return false;
        }
        let mut terms: Vec<Wire> = read.wires.iter().map(|w| self.map[w]).collect();
        terms.extend(read.functionals.iter().map(|&(l, i)| self.outputs[l as usize][i as usize]));
        let sum = self.b.xor_all(&terms);
        let sum = if read.constant { self.b.not(sum) } else { sum };
        self.map.insert(read.wire, sum);
        true
    }

    fn level(&mut self, outputs: &[Functional]) {
        let mut clusters = Vec::new();
        for (i, f) in outputs.iter().enumerate() {
            for products in pieces(&f.products) {
                clusters.push(Cluster::new(vec![(i, products)], self.form));
            }
        }
        merge_clusters(&mut clusters, self.form);
        let mut terms: Vec<Vec<Wire>> = outputs
            .iter()
            .map(|f| f.linear.iter().map(|w| self.map[w]).chain(f.constant.then(|| self.b.constant(true))).collect())
            .collect();
        for c in clusters.iter().filter(|c| !c.gone) {
            self.gate(c, &mut terms);
        }
        let wires = terms.iter().map(|t| self.b.xor_all(t)).collect();
        self.outputs.push(wires);
    }

    fn gate(&mut self, cluster: &Cluster, terms: &mut [Vec<Wire>]) {
        let inputs: Vec<Wire> = cluster.inputs.iter().copied().collect();
        let mask = |p: &Factors| p.iter().fold(0u16, |m, w| m | 1 << inputs.partition_point(|x| x < w));
        let table = cluster.sums.iter().map(|(_, products)| products.iter().map(mask).collect()).collect();
        let wires: Vec<Wire> = inputs.iter().map(|w| self.map[w]).collect();
        let made = self.b.poly(&wires, Poly::new(inputs.len() as u8, table));
        for ((i, _), w) in cluster.sums.iter().zip(made) {
            terms[*i].push(w);
        }
    }
}

impl Cluster {
    fn new(sums: Vec<(usize, Vec<Factors>)>, form: Form) -> Cluster {
        let inputs = sums.iter().flat_map(|(_, ps)| ps.iter().flat_map(|p| p.iter().copied())).collect();
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
    let mut likely: Vec<(usize, usize)> = shared.into_iter().filter(|&(_, n)| n > 1).map(|(i, n)| (n, i)).collect();
    likely.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    likely
        .into_iter()
        .take(32)
        .filter_map(|(_, i)| own.with(&clusters[i], form).map(|m| (i, m)))
        .filter(|(i, m)| m.cost < own.cost + clusters[*i].cost)
        .max_by_key(|(i, m)| (own.cost + clusters[*i].cost - m.cost, std::cmp::Reverse(*i)))
}
