//! Building circuits: constants folded, complements pulled out of XORs, identical gates
//! merged, all on construction (`docs/spec/circuits.md` section 1).

use std::collections::HashMap;
use std::sync::Arc;

use crate::compact;
use crate::form::{Circuit, Gate, MAX_FAN_IN, Nodes, Wire, kind};
use crate::intern::{Mixer, Table};
use crate::poly::Poly;

/// Builds a [`Circuit`], gate by gate.
///
/// Wires returned by one builder mean nothing to another; [`Builder::finish`] renumbers.
///
/// ```
/// use tacit_circuit::Builder;
///
/// let mut b = Builder::new();
/// let x = b.input(2);
/// let both = b.and2(x[0], x[1]);
/// assert_eq!(b.and2(x[1], x[0]), both); // the same gate is not made twice
/// let one = b.constant(true);
/// assert_eq!(b.and2(both, one), both); // constants are folded
/// b.output(&[both]);
/// assert_eq!(b.finish().stats().and_count(), 1);
/// ```
pub struct Builder {
    nodes: Nodes,
    levels: Vec<u32>,
    table: Table,
    tables_of_polys: HashMap<Arc<Poly>, u32>,
    input_widths: Vec<u32>,
    outputs: Vec<Vec<Wire>>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

/// Wire 0 of every builder is the constant 0, wire 1 the constant 1.
const ZERO: Wire = Wire(0);
const ONE: Wire = Wire(1);

impl Builder {
    /// Makes a builder of an empty circuit.
    pub fn new() -> Builder {
        let mut nodes = Nodes::default();
        nodes.push(kind::ZERO, [ZERO; 2]);
        nodes.push(kind::ONE, [ZERO; 2]);
        Builder {
            nodes,
            levels: vec![0, 0],
            table: Table::new(),
            tables_of_polys: HashMap::new(),
            input_widths: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Adds an input port of `width` bits, least significant first.
    pub fn input(&mut self, width: u32) -> Vec<Wire> {
        let port = Wire(self.input_widths.len() as u32);
        self.input_widths.push(width);
        (0..width).map(|bit| self.push(kind::INPUT, [port, Wire(bit)], 0)).collect()
    }

    /// Adds an output port of these wires. A wire may be output more than once.
    pub fn output(&mut self, wires: &[Wire]) {
        self.outputs.push(wires.to_vec());
    }

    /// Gives the wire of a public constant.
    pub fn constant(&mut self, value: bool) -> Wire {
        if value { ONE } else { ZERO }
    }

    /// Gives the value of a wire that is a constant, else `None`.
    pub fn constant_value(&self, w: Wire) -> Option<bool> {
        match w {
            ZERO => Some(false),
            ONE => Some(true),
            _ => None,
        }
    }

    /// The gate that drives a wire.
    pub fn gate(&self, w: Wire) -> Gate<'_> {
        self.nodes.gate(w)
    }

    /// AND depth of a wire.
    pub fn level(&self, w: Wire) -> u32 {
        self.levels[w.index()]
    }

    /// Number of wires so far, constants and dead ones included.
    pub fn wire_count(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of memory held, hash table included (gate tables not counted).
    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + 4 * self.levels.capacity() + self.table.heap_bytes()
    }

    /// Gives the complement of a wire.
    pub fn not(&mut self, a: Wire) -> Wire {
        match a {
            ZERO => ONE,
            ONE => ZERO,
            _ if self.nodes.kind(a) == kind::NOT => self.nodes.args(a)[0],
            _ => self.merged(kind::NOT, [a, ZERO], &[a], self.level(a)),
        }
    }

    /// Splits a wire into the one without its complement, and whether there was a complement. Constants count as 0 or
    /// its complement.
    fn pull_not(&self, a: Wire) -> (Wire, bool) {
        match a {
            ONE => (ZERO, true),
            _ if self.nodes.kind(a) == kind::NOT => (self.nodes.args(a)[0], true),
            _ => (a, false),
        }
    }

    /// Gives the exclusive or of two wires. Complements of the operands move to the result.
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let ((a, na), (b, nb)) = (self.pull_not(a), self.pull_not(b));
        let sum = if a == b {
            ZERO
        } else if a == ZERO {
            b
        } else if b == ZERO {
            a
        } else {
            let args = [a.min(b), a.max(b)];
            self.merged(kind::XOR, args, &args, self.level(a).max(self.level(b)))
        };
        if na != nb { self.not(sum) } else { sum }
    }

    /// Gives the exclusive or of any number of wires, from left to right; the empty sum is 0.
    pub fn xor_all(&mut self, wires: &[Wire]) -> Wire {
        wires.iter().fold(ZERO, |acc, &w| self.xor(acc, w))
    }

    /// Gives the conjunction of any number of wires; the empty product is 1.
    ///
    /// Constants and duplicates are removed first, and `x` with its complement gives 0. More
    /// than 8 remaining inputs become a balanced tree of least depth with fan-in 8.
    pub fn and(&mut self, wires: &[Wire]) -> Wire {
        if let &[a, b] = wires {
            return self.and2(a, b);
        }
        let mut xs: Vec<Wire> = wires.iter().copied().filter(|&w| w != ONE).collect();
        xs.sort_unstable();
        xs.dedup();
        if self.contradicts(&xs) {
            return ZERO;
        }
        match xs.len() {
            0 => ONE,
            1 => xs[0],
            2..=MAX_FAN_IN => self.merged_and(&xs),
            n => {
                let top = n.div_ceil(MAX_FAN_IN).min(n);
                let parts: Vec<Wire> =
                    split_even(&xs, MAX_FAN_IN.min(top.max(2))).map(|p| self.and(p)).collect();
                self.and(&parts)
            }
        }
    }

    /// Whether a sorted, deduplicated list has a 0 or a wire beside its complement.
    fn contradicts(&self, xs: &[Wire]) -> bool {
        xs.first() == Some(&ZERO)
            || xs.iter().any(|&x| {
                self.nodes.kind(x) == kind::NOT && xs.binary_search(&self.nodes.args(x)[0]).is_ok()
            })
    }

    /// Gives the conjunction of two wires.
    pub fn and2(&mut self, a: Wire, b: Wire) -> Wire {
        let pair = [a.min(b), a.max(b)];
        match pair {
            [ZERO, _] => ZERO,
            [ONE, x] => x,
            [x, y] if x == y => x,
            _ if self.contradicts(&pair) => ZERO,
            _ => self.merged_and(&pair),
        }
    }

    /// Gives the disjunction of two wires.
    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        let (x, y) = (self.not(a), self.not(b));
        let z = self.and2(x, y);
        self.not(z)
    }

    /// Gives `t` if `s` is 1, else `f`, by one AND.
    pub fn mux(&mut self, s: Wire, t: Wire, f: Wire) -> Wire {
        let d = self.xor(t, f);
        let d = self.and2(s, d);
        self.xor(f, d)
    }

    /// Adds a polynomial gate; returns one wire per output of `poly`.
    ///
    /// Constant, repeated and unused inputs are removed. Outputs without a product of two or
    /// more factors become XORs, equal outputs one; what remains becomes a plain AND when
    /// it is one output of one product, else one gate.
    ///
    /// # Panics
    /// If `inputs` has not exactly `poly.arity()` wires.
    pub fn poly(&mut self, inputs: &[Wire], poly: Poly) -> Vec<Wire> {
        crate::polyfold::build(self, inputs, &poly)
    }

    /// Adds a polynomial gate that has been simplified, or finds it.
    pub(crate) fn merged_poly(&mut self, inputs: &[Wire], poly: Poly) -> Wire {
        let id = self.intern(poly);
        let hash = self.table.mixer.hash(kind::POLY, id, inputs);
        let nodes = &self.nodes;
        let found = self.table.find(hash, |w| {
            nodes.kind(w) == kind::POLY
                && nodes.args(w)[1].0 == id
                && matches!(nodes.gate(w), Gate::Poly { inputs: xs, .. } if xs == inputs)
        });
        if let Some(w) = found {
            return w;
        }
        let level = 1 + inputs.iter().map(|&x| self.level(x)).max().unwrap_or(0);
        let first = self.nodes.push_poly(inputs, id);
        self.levels.resize(self.nodes.len(), level);
        self.remember(hash, first);
        first
    }

    fn intern(&mut self, poly: Poly) -> u32 {
        if let Some(&id) = self.tables_of_polys.get(&poly) {
            return id;
        }
        let poly = Arc::new(poly);
        let id = self.nodes.add_poly(poly.clone());
        self.tables_of_polys.insert(poly, id);
        id
    }

    /// Inlines a circuit: its input ports are driven by `inputs`; returns its output ports.
    ///
    /// # Panics
    /// If the number or widths of the ports do not match.
    pub fn append(&mut self, circuit: &Circuit, inputs: &[Vec<Wire>]) -> Vec<Vec<Wire>> {
        assert_eq!(inputs.len(), circuit.input_widths().len(), "one list of wires per input port");
        for (wires, &width) in inputs.iter().zip(circuit.input_widths()) {
            assert_eq!(wires.len(), width as usize, "width of an input port");
        }
        let mut map = vec![ZERO; circuit.wire_count()];
        let mut buffer = Vec::new();
        for (w, gate) in circuit.gates() {
            if let Gate::Input { port, bit } = gate {
                map[w.index()] = inputs[port as usize][bit as usize];
            } else {
                self.copy_gate(w, gate, &mut map, &mut buffer);
            }
        }
        circuit.output_ports().iter().map(|o| o.iter().map(|w| map[w.index()]).collect()).collect()
    }

    /// Adds a gate of another circuit through `map` and notes its outputs there.
    pub(crate) fn copy_gate(
        &mut self,
        w: Wire,
        gate: Gate<'_>,
        map: &mut [Wire],
        buffer: &mut Vec<Wire>,
    ) {
        buffer.clear();
        gate.for_each_input(|x| buffer.push(map[x.index()]));
        let new = match gate {
            Gate::Input { .. } => return,
            Gate::Const(c) => self.constant(c),
            Gate::Xor(..) => self.xor(buffer[0], buffer[1]),
            Gate::Not(_) => self.not(buffer[0]),
            Gate::And(_) => self.and(buffer),
            Gate::Poly { poly, .. } => {
                let out = self.poly(buffer, poly.clone());
                map[w.index()..w.index() + out.len()].copy_from_slice(&out);
                return;
            }
        };
        map[w.index()] = new;
    }

    /// Ends building. The circuit has inputs first, then every gate that an output depends on, in the order of
    /// construction. Dead gates and dead outputs of polynomial gates are gone.
    pub fn finish(self) -> Circuit {
        let Builder { nodes, levels, table, input_widths, outputs, .. } = self;
        drop((levels, table));
        compact::compact(&nodes, input_widths, outputs)
    }

    fn push(&mut self, kind: u8, args: [Wire; 2], level: u32) -> Wire {
        self.levels.push(level);
        self.nodes.push(kind, args)
    }

    /// A gate of fixed shape (XOR, NOT): found or added.
    fn merged(&mut self, kind: u8, args: [Wire; 2], inputs: &[Wire], level: u32) -> Wire {
        let hash = self.table.mixer.hash(kind, 0, inputs);
        let nodes = &self.nodes;
        if let Some(w) = self.table.find(hash, |w| nodes.kind(w) == kind && nodes.args(w) == args) {
            return w;
        }
        let w = self.push(kind, args, level);
        self.remember(hash, w);
        w
    }

    /// An AND of 2 to 8 sorted distinct wires: found or added.
    fn merged_and(&mut self, xs: &[Wire]) -> Wire {
        let code = kind::AND_BASE + xs.len() as u8;
        let hash = self.table.mixer.hash(code, 0, xs);
        let nodes = &self.nodes;
        let same =
            |w: Wire| nodes.kind(w) == code && matches!(nodes.gate(w), Gate::And(ys) if ys == xs);
        if let Some(w) = self.table.find(hash, same) {
            return w;
        }
        let level = 1 + xs.iter().map(|&x| self.level(x)).max().unwrap_or(0);
        let w = self.nodes.push_and(xs);
        self.levels.push(level);
        self.remember(hash, w);
        w
    }

    fn remember(&mut self, hash: u64, w: Wire) {
        let nodes = &self.nodes;
        self.table.insert(hash, w, |mixer, w| rehash(nodes, mixer, w));
    }
}

/// The hash under which a wire was entered.
fn rehash(nodes: &Nodes, mixer: Mixer, w: Wire) -> u64 {
    let code = nodes.kind(w);
    match nodes.gate(w) {
        Gate::Xor(a, b) => mixer.hash(code, 0, &[a, b]),
        Gate::Not(a) => mixer.hash(code, 0, &[a]),
        Gate::And(xs) => mixer.hash(code, 0, xs),
        Gate::Poly { inputs, .. } => mixer.hash(code, nodes.args(w)[1].0, inputs),
        Gate::Input { .. } | Gate::Const(_) => 0,
    }
}

/// Splits into `parts` consecutive pieces whose lengths differ by at most one.
pub(crate) fn split_even<T>(xs: &[T], parts: usize) -> impl Iterator<Item = &[T]> {
    let (n, mut at) = (xs.len(), 0);
    (0..parts).map(move |i| {
        let take = n / parts + usize::from(i < n % parts);
        at += take;
        &xs[at - take..at]
    })
}
