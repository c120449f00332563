//! The circuit form: an append-only, compact DAG of gates in topological order.
//!
//! A wire takes nine bytes (a kind and two words); only ANDs of more than two inputs and
//! polynomial gates keep their inputs in a side pool. Ten million gates take 90 MB.

use std::sync::Arc;

use crate::poly::Poly;

/// A wire of a circuit; ids are dense and topological: a gate reads smaller ids than its own.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Wire(pub u32);

impl Wire {
    /// The wire's position in per-wire tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Most inputs of an AND gate.
pub const MAX_FAN_IN: usize = 8;

/// Most wires of a circuit.
pub const MAX_WIRES: usize = u32::MAX as usize - 1;

/// A gate, as seen through [`Circuit::gates`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Gate<'a> {
    /// Bit `bit` of input port `port`.
    Input {
        /// Input port.
        port: u32,
        /// Bit of the port, least significant first.
        bit: u32,
    },
    /// A public constant.
    Const(bool),
    /// Exclusive or.
    Xor(Wire, Wire),
    /// Complement.
    Not(Wire),
    /// Conjunction of 2 to 8 distinct wires.
    And(&'a [Wire]),
    /// Polynomial gate: its outputs are the wires `first .. first + m`.
    Poly {
        /// The gate's inputs.
        inputs: &'a [Wire],
        /// The gate's table.
        poly: &'a Poly,
    },
}

impl Gate<'_> {
    /// Number of wires that the gate drives.
    pub fn width(&self) -> usize {
        match self {
            Gate::Poly { poly, .. } => poly.outputs().len(),
            _ => 1,
        }
    }

    /// Calls `f` on each wire that the gate reads.
    #[inline]
    pub fn for_each_input(&self, mut f: impl FnMut(Wire)) {
        match *self {
            Gate::Input { .. } | Gate::Const(_) => {}
            Gate::Xor(a, b) => {
                f(a);
                f(b);
            }
            Gate::Not(a) => f(a),
            Gate::And(xs) | Gate::Poly { inputs: xs, .. } => xs.iter().copied().for_each(f),
        }
    }

    /// Whether the gate costs a level (an AND of any fan-in, or a polynomial gate).
    pub fn is_level(&self) -> bool {
        matches!(self, Gate::And(_) | Gate::Poly { .. })
    }
}

/// How a wire is stored. `And(k)` is `AND_BASE + k`.
pub(crate) mod kind {
    pub const INPUT: u8 = 0;
    pub const ZERO: u8 = 1;
    pub const ONE: u8 = 2;
    pub const XOR: u8 = 3;
    pub const NOT: u8 = 4;
    pub const POLY: u8 = 5;
    /// Second and later outputs of a polynomial gate: `[first wire, output position]`.
    pub const TAIL: u8 = 6;
    pub const AND_BASE: u8 = 8;
}

/// The wires of a circuit or builder.
#[derive(Clone, Default)]
pub(crate) struct Nodes {
    kinds: Vec<u8>,
    args: Vec<[Wire; 2]>,
    pool: Vec<Wire>,
    polys: Vec<Arc<Poly>>,
}

impl Nodes {
    pub fn with_capacity(wires: usize) -> Nodes {
        Nodes {
            kinds: Vec::with_capacity(wires),
            args: Vec::with_capacity(wires),
            ..Nodes::default()
        }
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn kind(&self, w: Wire) -> u8 {
        self.kinds[w.index()]
    }

    pub fn args(&self, w: Wire) -> [Wire; 2] {
        self.args[w.index()]
    }

    pub fn add_poly(&mut self, poly: Arc<Poly>) -> u32 {
        self.polys.push(poly);
        (self.polys.len() - 1) as u32
    }

    /// Gives the gate that drives `w`; for a later output of a polynomial gate, that gate.
    #[inline]
    pub fn gate(&self, w: Wire) -> Gate<'_> {
        let [a, b] = self.args[w.index()];
        match self.kinds[w.index()] {
            kind::INPUT => Gate::Input { port: a.0, bit: b.0 },
            kind::ZERO => Gate::Const(false),
            kind::ONE => Gate::Const(true),
            kind::XOR => Gate::Xor(a, b),
            kind::NOT => Gate::Not(a),
            kind::POLY => {
                let poly = &*self.polys[b.index()];
                Gate::Poly { inputs: &self.pool[a.index()..a.index() + poly.arity()], poly }
            }
            kind::TAIL => self.gate(a),
            k => {
                let n = (k - kind::AND_BASE) as usize;
                if n == 2 {
                    Gate::And(&self.args[w.index()])
                } else {
                    Gate::And(&self.pool[a.index()..a.index() + n])
                }
            }
        }
    }

    #[inline]
    pub fn push(&mut self, kind: u8, args: [Wire; 2]) -> Wire {
        assert!(self.kinds.len() < MAX_WIRES, "a circuit has at most {MAX_WIRES} wires");
        let w = Wire(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.args.push(args);
        w
    }

    fn push_pool(&mut self, wires: &[Wire]) -> Wire {
        assert!(
            self.pool.len() + wires.len() < MAX_WIRES,
            "a circuit's gates have at most {MAX_WIRES} inputs"
        );
        let at = Wire(self.pool.len() as u32);
        self.pool.extend_from_slice(wires);
        at
    }

    /// Appends an AND of 2 to 8 distinct wires.
    pub fn push_and(&mut self, xs: &[Wire]) -> Wire {
        debug_assert!((2..=MAX_FAN_IN).contains(&xs.len()));
        let args = if xs.len() == 2 { [xs[0], xs[1]] } else { [self.push_pool(xs), Wire(0)] };
        self.push(kind::AND_BASE + xs.len() as u8, args)
    }

    /// Appends a polynomial gate by the index of its table; returns its first output.
    pub fn push_poly(&mut self, inputs: &[Wire], poly: u32) -> Wire {
        let outputs = self.polys[poly as usize].outputs().len();
        let at = self.push_pool(inputs);
        let first = self.push(kind::POLY, [at, Wire(poly)]);
        for j in 1..outputs {
            self.push(kind::TAIL, [first, Wire(j as u32)]);
        }
        first
    }

    /// Gates in order, each with its first output wire.
    pub fn gates(&self) -> impl Iterator<Item = (Wire, Gate<'_>)> {
        (0..self.kinds.len())
            .filter(|&i| self.kinds[i] != kind::TAIL)
            .map(|i| (Wire(i as u32), self.gate(Wire(i as u32))))
    }

    /// AND depth of every wire.
    pub fn levels(&self) -> Vec<u32> {
        let mut level: Vec<u32> = Vec::with_capacity(self.len());
        for (w, gate) in self.gates() {
            let mut d = 0;
            gate.for_each_input(|a| d = d.max(level[a.index()]));
            level.resize(w.index() + gate.width(), d + u32::from(gate.is_level()));
        }
        level
    }

    pub fn heap_bytes(&self) -> usize {
        self.kinds.capacity() + 8 * self.args.capacity() + 4 * self.pool.capacity()
    }
}

/// An immutable Boolean circuit.
///
/// Input wires come first, port by port; gates follow in topological order. Ports are
/// little-endian: bit 0 is the least significant. Cloning shares nothing but gate tables.
#[derive(Clone)]
pub struct Circuit {
    pub(crate) nodes: Nodes,
    pub(crate) input_widths: Vec<u32>,
    pub(crate) outputs: Vec<Vec<Wire>>,
}

impl Circuit {
    /// Width in bits of each input port. Input wires are 0, 1, ... in port order.
    pub fn input_widths(&self) -> &[u32] {
        &self.input_widths
    }

    /// Number of input bits over all ports.
    pub fn input_bits(&self) -> usize {
        self.input_widths.iter().map(|&w| w as usize).sum()
    }

    /// The wires of each output port. A wire may be output more than once.
    pub fn output_ports(&self) -> &[Vec<Wire>] {
        &self.outputs
    }

    /// Number of output bits over all ports.
    pub fn output_bits(&self) -> usize {
        self.outputs.iter().map(Vec::len).sum()
    }

    /// All gates, inputs included, in topological order, each with its first output wire.
    pub fn gates(&self) -> impl Iterator<Item = (Wire, Gate<'_>)> {
        self.nodes.gates()
    }

    /// The gate that drives a wire (for any output of a polynomial gate, that gate).
    pub fn gate(&self, w: Wire) -> Gate<'_> {
        self.nodes.gate(w)
    }

    /// The first output wire of the gate that drives `w`.
    pub fn gate_of(&self, w: Wire) -> Wire {
        if self.nodes.kind(w) == kind::TAIL { self.nodes.args(w)[0] } else { w }
    }

    /// Number of wires; wire ids are below it.
    pub fn wire_count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of gates, inputs not counted.
    pub fn gate_count(&self) -> usize {
        self.gates().count() - self.input_bits()
    }

    /// AND depth of every wire: inputs and constants are 0, XOR and NOT add nothing, an AND
    /// or polynomial gate is one more than its deepest input.
    pub fn levels(&self) -> Vec<u32> {
        self.nodes.levels()
    }

    /// Bytes of memory that the circuit holds (gate tables not counted).
    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + self.outputs.iter().map(|o| 4 * o.capacity()).sum::<usize>()
    }
}

impl std::fmt::Debug for Circuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Circuit")
            .field("input_widths", &self.input_widths)
            .field("output_widths", &self.outputs.iter().map(Vec::len).collect::<Vec<_>>())
            .field("wires", &self.nodes.len())
            .finish()
    }
}

impl PartialEq for Circuit {
    /// Compares ports and gates, in order.
    fn eq(&self, o: &Circuit) -> bool {
        self.input_widths == o.input_widths
            && self.outputs == o.outputs
            && self.nodes.len() == o.nodes.len()
            && self.gates().eq(o.gates())
    }
}

impl Eq for Circuit {}
