//! A circuit regrouped into one set of sums of products per AND level.
//!
//! Everything that is read (by an AND or polynomial gate, or as an output) is a constant plus
//! inputs plus, for each level, a sum of that level's products. Only a basis of the sums that
//! are read has to be shared again: each is one output of the level (`docs/spec/circuits.md` section 9, item 6).
//! This is the exact form of the pass: a level's products are shared among all its outputs
//! however many inputs they have. [`super::fuse`] puts it into gates of bounded size.

use std::collections::{HashMap, HashSet};

use crate::form::{Circuit, Gate, Wire};

use super::basis::{Source, sparse_basis};
use super::cost::{Form, Product, Traffic, sums_traffic};
use super::share_xors::symmetric_difference;

/// A product of distinct wires, ascending.
pub type Factors = Box<[Wire]>;

/// An output of a level: the sum of products, wires and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Functional {
    /// Products of at least two wires that are read.
    pub products: Vec<Factors>,
    /// Wires that are read, added locally.
    pub linear: Vec<Wire>,
    /// A constant that is added locally.
    pub constant: bool,
}

/// The local sum that makes a wire which is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The wire.
    pub wire: Wire,
    /// The terms that are input wires, or wires read that come before this one.
    pub wires: Vec<Wire>,
    /// Outputs of levels: level (first is 0) and position.
    pub functionals: Vec<(u32, u32)>,
    /// A constant that is added.
    pub constant: bool,
}

/// The regrouped circuit.
#[derive(Debug, Clone)]
pub struct LevelProgram {
    /// The outputs of each AND level, first level first.
    pub levels: Vec<Vec<Functional>>,
    /// All wires that are read and are not inputs, in topological order.
    pub reads: Vec<Read>,
    /// For each output of a level the wire whose part in that level it is, if there is one.
    pub(crate) made: Vec<Vec<Option<Made>>>,
}

/// A wire of the circuit that is an output of its level plus earlier wires.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub wire: Wire,
    pub rest: Vec<Wire>,
    pub constant: bool,
}

/// Longest sum that is kept expanded; a longer one is read as a wire of its own.
const LONGEST: usize = 1 << 12;

impl Product for Factors {
    fn degree(&self) -> usize {
        self.len()
    }

    fn proper_subproducts(&self, f: &mut dyn FnMut(Factors)) {
        for mask in 1u32..(1 << self.len()) - 1 {
            if mask.count_ones() > 1 {
                f(self
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| mask >> i & 1 == 1)
                    .map(|(_, &w)| w)
                    .collect());
            }
        }
    }
}

impl LevelProgram {
    /// Regroups a circuit with the fewest level outputs: sums are expanded through all levels.
    /// The circuit's output wires are among `reads`, unless they are inputs.
    pub fn new(circuit: &Circuit) -> LevelProgram {
        LevelProgram::regroup(circuit, false)
    }

    /// Regroups a circuit with fewer local additions: a sum of wires of different levels reads
    /// the earlier ones as wires of their own. That may take a few more level outputs.
    pub fn local(circuit: &Circuit) -> LevelProgram {
        LevelProgram::regroup(circuit, true)
    }

    fn regroup(circuit: &Circuit, local: bool) -> LevelProgram {
        let mut sums = Sums::of(circuit, local);
        let levels = sums.gates_by_level();
        let (wanted, natural) = (sums.wanted(&levels), sums.natural(&levels));
        let mut program = LevelProgram { levels: Vec::new(), reads: Vec::new(), made: Vec::new() };
        let mut ids: HashMap<Wire, Vec<(u32, u32)>> = HashMap::new();
        for (d, gates) in levels.iter().enumerate() {
            let narrow = gates.partition_point(|w| sums.degree(*w) <= 2);
            let columns: Vec<&[u32]> =
                wanted[d].iter().map(|(_, columns)| columns.as_slice()).collect();
            let basis = sparse_basis(gates.len(), narrow, &columns, &natural[d].1);
            program.levels.push(
                basis
                    .rows
                    .iter()
                    .map(|(row, _)| functional(&sums, row.iter().map(|&i| gates[i as usize])))
                    .collect(),
            );
            let made = |source: &Source| match *source {
                Source::Column(c) => {
                    Some(Made { wire: gates[c as usize], rest: Vec::new(), constant: false })
                }
                Source::Natural(i) => Some(sums.made(natural[d].0[i], d as u32)),
                Source::Other => None,
            };
            program.made.push(basis.rows.iter().map(|(_, source)| made(source)).collect());
            for ((w, _), of) in wanted[d].iter().zip(basis.sums) {
                ids.entry(*w).or_default().extend(of.into_iter().map(|i| (d as u32, i)));
            }
        }
        for &w in sums.read.iter().filter(|w| !matches!(circuit.gate(**w), Gate::Input { .. })) {
            let sum = &sums.of[&w];
            let wires =
                sum.terms.iter().copied().filter(|t| !sums.products.contains_key(t)).collect();
            let functionals = ids.remove(&w).unwrap_or_default();
            program.reads.push(Read { wire: w, wires, functionals, constant: sum.constant });
        }
        program
    }

    /// Elements on each link, each level evaluated as one polynomial gate and inner products.
    pub fn traffic(&self, form: Form) -> Traffic {
        self.levels.iter().map(|outputs| level_traffic(outputs, form)).sum()
    }

    /// Evaluates 64 lanes in the clear, from the program alone; the words of the circuit's
    /// output wires, ports concatenated.
    pub fn eval_lanes(&self, circuit: &Circuit, inputs: &[u64]) -> Vec<u64> {
        let mut value: HashMap<Wire, u64> = (0..).map(Wire).zip(inputs.iter().copied()).collect();
        let mut sums: Vec<Vec<u64>> = Vec::new();
        for level in 0..=self.levels.len() {
            for r in &self.reads {
                let ready = r.functionals.iter().all(|&(l, _)| (l as usize) < level);
                if ready && r.wires.iter().all(|w| value.contains_key(w)) {
                    let v =
                        r.wires.iter().fold(if r.constant { !0 } else { 0 }, |v, w| v ^ value[w]);
                    let v =
                        r.functionals.iter().fold(v, |v, &(l, i)| v ^ sums[l as usize][i as usize]);
                    value.insert(r.wire, v);
                }
            }
            if let Some(outputs) = self.levels.get(level) {
                sums.push(outputs.iter().map(|f| f.eval(&value)).collect());
            }
        }
        circuit.output_ports().iter().flatten().map(|w| value[w]).collect()
    }
}

impl Functional {
    fn eval(&self, value: &HashMap<Wire, u64>) -> u64 {
        let linear =
            self.linear.iter().fold(if self.constant { !0 } else { 0 }, |v, w| v ^ value[w]);
        self.products.iter().fold(linear, |v, p| v ^ p.iter().fold(!0, |a, w| a & value[w]))
    }
}

/// Traffic of one level's outputs.
pub fn level_traffic(outputs: &[Functional], form: Form) -> Traffic {
    let sums: Vec<Vec<Factors>> =
        outputs.iter().map(|f| f.products.clone()).filter(|p| !p.is_empty()).collect();
    sums_traffic(&sums, form)
}

/// A constant plus terms: inputs, outputs of AND or polynomial gates, or wires read.
#[derive(Clone, Default)]
struct Sum {
    terms: Vec<Wire>,
    constant: bool,
}

/// A gate's output as a polynomial in the wires it reads.
type Expansion = HashSet<Vec<Wire>>;

struct Sums {
    of: HashMap<Wire, Sum>,
    /// Wires read, ascending.
    read: Vec<Wire>,
    /// Outputs of AND and polynomial gates: level and polynomial.
    products: HashMap<Wire, (u32, Expansion)>,
    levels: Vec<u32>,
    /// Terms of each XOR: sums that the circuit has anyway.
    xors: Vec<(Wire, Sum)>,
    /// For each gate output its level and its position there.
    place: HashMap<Wire, (u32, u32)>,
}

/// A wire without its complement.
fn base(circuit: &Circuit, w: Wire) -> (Wire, bool) {
    match circuit.gate(w) {
        Gate::Not(x) => (x, true),
        _ => (w, false),
    }
}

impl Sums {
    fn of(circuit: &Circuit, local: bool) -> Sums {
        let live = circuit.live();
        let mut sums = Sums {
            of: HashMap::new(),
            read: Vec::new(),
            products: HashMap::new(),
            levels: circuit.levels(),
            xors: Vec::new(),
            place: HashMap::new(),
        };
        let mut read = HashSet::new();
        let mut all: Vec<Sum> = vec![Sum::default(); circuit.wire_count()];
        for (w, gate) in circuit.gates() {
            let width = gate.width();
            if !(0..width).any(|j| live[w.index() + j]) {
                continue;
            }
            if gate.is_level() {
                sums.gate(circuit, w, gate, &live, &mut read);
            }
            let own = |i: usize| Sum { terms: vec![Wire(i as u32)], constant: false };
            match gate {
                Gate::Const(c) => all[w.index()].constant = c,
                Gate::Not(x) => {
                    let x = &all[x.index()];
                    all[w.index()] = Sum { terms: x.terms.clone(), constant: !x.constant };
                }
                Gate::Xor(x, y) => {
                    let level = |w: Wire| sums.levels[w.index()];
                    if local && level(x) != level(y) {
                        let earlier = if level(x) < level(y) { x } else { y };
                        keep(&mut all, earlier, &mut read, &mut sums.of);
                    }
                    let sum = add(&mut all, x, y, &mut read, &mut sums.of);
                    sums.xors.push((w, sum.clone()));
                    all[w.index()] = sum;
                }
                _ => (w.index()..w.index() + width).for_each(|i| all[i] = own(i)),
            }
        }
        read.extend(circuit.output_ports().iter().flatten().copied());
        for &w in &read {
            let sum = &mut all[w.index()];
            sums.of.entry(w).or_insert_with(|| std::mem::take(sum));
        }
        sums.read = read.into_iter().collect();
        sums.read.sort_unstable();
        sums
    }

    fn gate(
        &mut self,
        circuit: &Circuit,
        w: Wire,
        gate: Gate<'_>,
        live: &[bool],
        read: &mut HashSet<Wire>,
    ) {
        let mut inputs = Vec::new();
        gate.for_each_input(|x| inputs.push(base(circuit, x)));
        read.extend(inputs.iter().map(|&(x, _)| x));
        let level = self.levels[w.index()] - 1;
        match gate {
            Gate::Poly { poly, .. } => {
                for (j, products) in
                    poly.outputs().iter().enumerate().filter(|(j, _)| live[w.index() + j])
                {
                    let mut sum = Expansion::new();
                    for &m in products {
                        let factors: Vec<(Wire, bool)> = (0..inputs.len())
                            .filter(|k| m >> k & 1 == 1)
                            .map(|k| inputs[k])
                            .collect();
                        expand(&factors).into_iter().for_each(|p| toggle(&mut sum, p));
                    }
                    self.products.insert(Wire(w.0 + j as u32), (level, sum));
                }
            }
            _ => {
                self.products.insert(w, (level, expand(&inputs)));
            }
        }
    }

    /// Live AND and polynomial outputs by level, narrow ones first; notes their places.
    fn gates_by_level(&mut self) -> Vec<Vec<Wire>> {
        let depth = self.products.values().map(|(l, _)| l + 1).max().unwrap_or(0);
        let mut levels = vec![Vec::new(); depth as usize];
        for (&w, (level, _)) in &self.products {
            levels[*level as usize].push(w);
        }
        for (l, gates) in levels.iter_mut().enumerate() {
            gates.sort_unstable_by_key(|w| (self.degree(*w) > 2, *w));
            self.place.extend(gates.iter().enumerate().map(|(i, &w)| (w, (l as u32, i as u32))));
        }
        levels
    }

    /// For each level the wires that depend on its gates, and on which (as positions).
    fn wanted(&self, levels: &[Vec<Wire>]) -> Vec<Vec<(Wire, Vec<u32>)>> {
        let mut wanted: Vec<Vec<(Wire, Vec<u32>)>> = vec![Vec::new(); levels.len()];
        for &w in &self.read {
            let places = self.of[&w].terms.iter().filter_map(|t| self.place.get(t).copied());
            let mut at: Vec<(u32, u32)> = places.collect();
            at.sort_unstable();
            for same in at.chunk_by(|a, b| a.0 == b.0) {
                wanted[same[0].0 as usize].push((w, same.iter().map(|&(_, i)| i).collect()));
            }
        }
        wanted
    }

    /// For each level the XORs that are ready just above it, and their parts in its gates.
    fn natural(&self, levels: &[Vec<Wire>]) -> Vec<(Vec<usize>, Vec<Vec<u32>>)> {
        let mut natural = vec![(Vec::new(), Vec::new()); levels.len()];
        for (i, (w, sum)) in self.xors.iter().enumerate() {
            let Some(level) = self.levels[w.index()].checked_sub(1) else { continue };
            let part: Vec<u32> = sum.terms.iter().filter_map(|t| self.at(t, level)).collect();
            if let (false, Some(list)) = (part.is_empty(), natural.get_mut(level as usize)) {
                list.0.push(i);
                list.1.push(part);
            }
        }
        natural
    }

    /// Position of a gate output in a level, if it is of that level.
    fn at(&self, w: &Wire, level: u32) -> Option<u32> {
        self.place.get(w).filter(|p| p.0 == level).map(|p| p.1)
    }

    /// What an XOR is besides its part in a level.
    fn made(&self, xor: usize, level: u32) -> Made {
        let (wire, sum) = &self.xors[xor];
        let rest = sum.terms.iter().copied().filter(|t| self.at(t, level).is_none()).collect();
        Made { wire: *wire, rest, constant: sum.constant }
    }

    fn degree(&self, w: Wire) -> usize {
        self.products[&w].1.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The sum of two wires. If it gets too long the operands are read as wires of their own.
fn add(
    all: &mut [Sum],
    x: Wire,
    y: Wire,
    read: &mut HashSet<Wire>,
    kept: &mut HashMap<Wire, Sum>,
) -> Sum {
    if all[x.index()].terms.len() + all[y.index()].terms.len() > LONGEST {
        keep(all, x, read, kept);
        keep(all, y, read, kept);
    }
    let (a, b) = (&all[x.index()], &all[y.index()]);
    Sum { terms: symmetric_difference(&a.terms, &b.terms), constant: a.constant != b.constant }
}

/// Makes a wire one that is read and is a term of its own.
fn keep(all: &mut [Sum], w: Wire, read: &mut HashSet<Wire>, kept: &mut HashMap<Wire, Sum>) {
    let sum = &mut all[w.index()];
    if sum.terms.len() > 1 {
        let own = Sum { terms: vec![w], constant: false };
        kept.insert(w, std::mem::replace(sum, own));
        read.insert(w);
    }
}

fn toggle(sum: &mut Expansion, p: Vec<Wire>) {
    if !sum.remove(&p) {
        sum.insert(p);
    }
}

/// The product of wires, some complemented, expanded: (x + 1) y = x y + y.
fn expand(factors: &[(Wire, bool)]) -> Expansion {
    let mut sum = Expansion::from([Vec::new()]);
    for &(x, complement) in factors {
        let mut next = Expansion::new();
        for p in sum {
            let mut with = p.clone();
            if let Err(at) = with.binary_search(&x) {
                with.insert(at, x);
            }
            toggle(&mut next, with);
            if complement {
                toggle(&mut next, p);
            }
        }
        sum = next;
    }
    sum
}

/// The sum of some gates' outputs.
fn functional(sums: &Sums, gates: impl Iterator<Item = Wire>) -> Functional {
    let mut all = Expansion::new();
    for w in gates {
        for p in &sums.products[&w].1 {
            toggle(&mut all, p.clone());
        }
    }
    let mut f = Functional::default();
    for p in all {
        match p.len() {
            0 => f.constant = true,
            1 => f.linear.push(p[0]),
            _ => f.products.push(p.into_boxed_slice()),
        }
    }
    f.products.sort_unstable();
    f.linear.sort_unstable();
    f
}
