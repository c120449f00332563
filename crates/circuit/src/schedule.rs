//! A circuit laid out for evaluation: levels by AND depth, wires mapped to reusable slots.
//!
//! Level `l` first runs its linear gates, which need nothing that is still on its way, and then
//! issues its products. A product's result counts as present from level `l + 1` on. Slots are
//! shared by liveness:
//!
//! * the result of a gate never lands in a slot that the same gate reads;
//! * the results of a level's products land in slots that no product of the level reads, and the
//!   operands of a level's products stay untouched until the level is finished.
//!
//! An evaluator may therefore write partial results at once and read the operands again when the
//! peers' messages have come.

use crate::{Circuit, Gate, Poly, Wire};
use std::collections::HashMap;
use std::ops::Range;

/// The number of a place that holds one value of a block of lanes.
pub type Slot = u32;

/// A gate that each party evaluates alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// `dst = a + b`.
    Xor {
        /// The slot of the result.
        dst: Slot,
        /// The slot of the first operand.
        a: Slot,
        /// The slot of the second operand.
        b: Slot,
    },
    /// `dst = a + 1`.
    Not {
        /// The slot of the result.
        dst: Slot,
        /// The slot of the operand.
        a: Slot,
    },
    /// `dst = value`.
    Const {
        /// The slot of the result.
        dst: Slot,
        /// The public bit.
        value: bool,
    },
}

/// A product of two wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The slot of the result.
    pub dst: Slot,
    /// The slot of the first factor.
    pub a: Slot,
    /// The slot of the second factor.
    pub b: Slot,
}

/// A product of more than two wires, or a polynomial gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    /// The gate's table, as an index into [`Schedule::polys`].
    pub poly: u32,
    inputs: Range<u32>,
    outputs: Range<u32>,
}

/// What happens at one level, as ranges of the schedule's lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    linear: Range<usize>,
    products: Range<usize>,
    wide: Range<usize>,
}

/// An input bit and the slot in which it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSlot {
    /// Input port.
    pub port: u32,
    /// Bit of the port, least significant first.
    pub bit: u32,
    /// The slot into which the evaluator puts the bit.
    pub slot: Slot,
}

/// A levelled circuit with slots instead of wires.
///
/// ```
/// use tacit_circuit::{Builder, schedule::Schedule};
///
/// let mut b = Builder::new();
/// let x = b.input(3);
/// let first = b.and2(x[0], x[1]);
/// let second = b.and2(first, x[2]);
/// b.output(&[second]);
/// let schedule = Schedule::new(&b.finish());
/// assert_eq!(schedule.depth(), 2);
/// assert_eq!((schedule.products(0).len(), schedule.products(1).len()), (1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: usize,
    inputs: Vec<InputSlot>,
    outputs: Vec<Vec<Slot>>,
    levels: Vec<Level>,
    linear: Vec<Linear>,
    products: Vec<Product>,
    wide: Vec<Wide>,
    operands: Vec<Slot>,
    polys: Vec<Poly>,
}

impl Schedule {
    /// Lays out `circuit`. Time and memory are linear in its number of gates.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        Planner::new(circuit).plan()
    }

    /// Number of slots an evaluator needs.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Input bits in port and bit order; ports concatenated.
    #[must_use]
    pub fn inputs(&self) -> &[InputSlot] {
        &self.inputs
    }

    /// For every output port, the slots of its bits. They are valid after the last level.
    #[must_use]
    pub fn outputs(&self) -> &[Vec<Slot>] {
        &self.outputs
    }

    /// Number of levels of products: the AND depth.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// The linear gates of level `level`, `0..=depth`, in an order that respects dependence.
    #[must_use]
    pub fn linear(&self, level: usize) -> &[Linear] {
        &self.linear[self.levels[level].linear.clone()]
    }

    /// The two-input products issued at `level`.
    #[must_use]
    pub fn products(&self, level: usize) -> &[Product] {
        &self.products[self.levels[level].products.clone()]
    }

    /// The wide products and polynomial gates issued at `level`.
    #[must_use]
    pub fn wide(&self, level: usize) -> &[Wide] {
        &self.wide[self.levels[level].wide.clone()]
    }

    /// The distinct polynomial gates; a wide AND is one with a single full product.
    #[must_use]
    pub fn polys(&self) -> &[Poly] {
        &self.polys
    }

    /// Slots read by a wide gate.
    #[must_use]
    pub fn wide_inputs(&self, gate: &Wide) -> &[Slot] {
        &self.operands[gate.inputs.start as usize..gate.inputs.end as usize]
    }

    /// Slots written by a wide gate.
    #[must_use]
    pub fn wide_outputs(&self, gate: &Wide) -> &[Slot] {
        &self.operands[gate.outputs.start as usize..gate.outputs.end as usize]
    }
}

const FREE: u32 = u32::MAX;

/// One gate in emission order.
struct Event {
    wire: Wire,
    /// Index of the gate in the circuit's list.
    gate: u32,
}

struct Planner<'a> {
    circuit: &'a Circuit,
    gates: Vec<(Wire, Gate<'a>)>,
    /// Gates per level: linear gates, then products.
    linear_events: Vec<Vec<Event>>,
    product_events: Vec<Vec<Event>>,
    slot_of: Vec<Slot>,
    last_use: Vec<u64>,
    /// For each linear gate of a level: how many reads by linear gates of the level are left of its wire, if later
    /// levels do not use it. All are zero between levels.
    uses_left: Vec<u32>,
    free: Vec<Slot>,
    out: Schedule,
    poly_index: HashMap<Poly, u32>,
}

/// Time of a level's linear gates and of its end; later than any use.
fn linear_time(level: usize) -> u64 {
    2 * level as u64
}
fn product_time(level: usize) -> u64 {
    2 * level as u64 + 1
}
const FOREVER: u64 = u64::MAX;

impl<'a> Planner<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        let levels = circuit.levels();
        let depth = levels.iter().copied().max().unwrap_or(0) as usize;
        let mut planner = Planner {
            circuit,
            gates: circuit.gates().collect(),
            linear_events: (0..=depth).map(|_| Vec::new()).collect(),
            product_events: (0..=depth).map(|_| Vec::new()).collect(),
            slot_of: vec![FREE; circuit.wire_count()],
            last_use: vec![0; circuit.wire_count()],
            uses_left: vec![0; circuit.wire_count()],
            free: Vec::new(),
            out: Schedule {
                slots: 0,
                inputs: Vec::new(),
                outputs: Vec::new(),
                levels: Vec::with_capacity(depth + 1),
                linear: Vec::new(),
                products: Vec::new(),
                wide: Vec::new(),
                operands: Vec::new(),
                polys: Vec::new(),
            },
            poly_index: HashMap::new(),
        };
        planner.sort_into_levels(&levels);
        planner.find_last_uses();
        planner
    }

    fn sort_into_levels(&mut self, levels: &[u32]) {
        for (index, &(wire, gate)) in self.gates.iter().enumerate() {
            let level = levels[wire.0 as usize] as usize;
            let event = Event { wire, gate: index as u32 };
            match gate {
                Gate::Input { .. } => {}
                Gate::Const(_) | Gate::Xor(..) | Gate::Not(_) => {
                    self.linear_events[level].push(event);
                }
                Gate::And(_) | Gate::Poly { .. } => self.product_events[level - 1].push(event),
            }
        }
    }

    fn find_last_uses(&mut self) {
        for level in 0..self.linear_events.len() {
            // Within a level's linear gates the order decides; see `release_linear`.
            for event in &self.linear_events[level] {
                for wire in operands(self.gates[event.gate as usize].1).iter() {
                    self.last_use[wire.0 as usize] = linear_time(level);
                }
            }
            for event in &self.product_events[level] {
                for wire in operands(self.gates[event.gate as usize].1).iter() {
                    self.last_use[wire.0 as usize] = product_time(level);
                }
            }
        }
        for wire in self.circuit.output_ports().iter().flatten() {
            self.last_use[wire.0 as usize] = FOREVER;
        }
    }

    fn plan(mut self) -> Schedule {
        self.place_inputs();
        for level in 0..self.linear_events.len() {
            let linear_start = self.out.linear.len();
            self.plan_linear(level);
            let products_start = self.out.products.len();
            let wide_start = self.out.wide.len();
            self.plan_products(level);
            self.out.levels.push(Level {
                linear: linear_start..self.out.linear.len(),
                products: products_start..self.out.products.len(),
                wide: wide_start..self.out.wide.len(),
            });
        }
        for port in self.circuit.output_ports() {
            let slots = port.iter().map(|w| self.slot_of[w.0 as usize]).collect();
            self.out.outputs.push(slots);
        }
        self.out
    }

    fn place_inputs(&mut self) {
        for index in 0..self.gates.len() {
            let (wire, gate) = self.gates[index];
            if let Gate::Input { port, bit } = gate {
                let slot = self.place(wire);
                self.out.inputs.push(InputSlot { port, bit, slot });
            }
        }
        self.out.inputs.sort_by_key(|input| (input.port, input.bit));
    }

    fn plan_linear(&mut self, level: usize) {
        let events = std::mem::take(&mut self.linear_events[level]);
        for event in &events {
            for &wire in operands(self.gates[event.gate as usize].1).iter() {
                if self.last_use[wire.0 as usize] == linear_time(level) {
                    self.uses_left[wire.0 as usize] += 1;
                }
            }
        }
        for event in &events {
            let gate = self.gates[event.gate as usize].1;
            let dst = self.place(event.wire);
            let slot = |w: Wire| self.slot_of[w.0 as usize];
            let linear = match gate {
                Gate::Xor(a, b) => Linear::Xor { dst, a: slot(a), b: slot(b) },
                Gate::Not(a) => Linear::Not { dst, a: slot(a) },
                Gate::Const(value) => Linear::Const { dst, value },
                _ => continue,
            };
            self.out.linear.push(linear);
            for wire in operands(gate).iter() {
                // None of those that are used later.
                let left = &mut self.uses_left[wire.0 as usize];
                if *left > 0 {
                    *left -= 1;
                    if *left == 0 {
                        self.free.push(self.slot_of[wire.0 as usize]);
                    }
                }
            }
        }
    }

    fn plan_products(&mut self, level: usize) {
        let events = std::mem::take(&mut self.product_events[level]);
        for event in &events {
            let gate = self.gates[event.gate as usize].1;
            match gate {
                Gate::And(&[a, b]) => {
                    let dst = self.place(event.wire);
                    let [a, b] = [a, b].map(|w| self.slot_of[w.0 as usize]);
                    self.out.products.push(Product { dst, a, b });
                }
                Gate::And(inputs) => {
                    let full = (1u16 << inputs.len()) - 1;
                    let poly = Poly::new(inputs.len() as u8, vec![vec![full]]);
                    self.plan_wide(event.wire, inputs, &poly);
                }
                Gate::Poly { inputs, poly } => self.plan_wide(event.wire, inputs, poly),
                _ => {}
            }
        }
        let mut dead: Vec<Wire> = Vec::new();
        for event in &events {
            for &wire in operands(self.gates[event.gate as usize].1).iter() {
                if self.last_use[wire.0 as usize] == product_time(level) {
                    self.last_use[wire.0 as usize] = 0;
                    dead.push(wire);
                }
            }
        }
        self.free.extend(dead.iter().map(|w| self.slot_of[w.0 as usize]));
    }

    fn plan_wide(&mut self, first: Wire, inputs: &[Wire], poly: &Poly) {
        let next = self.out.polys.len() as u32;
        let index = *self.poly_index.entry(poly.clone()).or_insert(next);
        if index == next {
            self.out.polys.push(poly.clone());
        }
        let start = self.out.operands.len() as u32;
        for wire in inputs {
            self.out.operands.push(self.slot_of[wire.0 as usize]);
        }
        let middle = self.out.operands.len() as u32;
        for output in 0..poly.outputs().len() as u32 {
            let slot = self.place(Wire(first.0 + output));
            self.out.operands.push(slot);
        }
        let end = self.out.operands.len() as u32;
        self.out.wide.push(Wide { poly: index, inputs: start..middle, outputs: middle..end });
    }

    /// Gives `wire` a slot that no live wire holds.
    fn place(&mut self, wire: Wire) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.out.slots += 1;
            self.out.slots as u32 - 1
        });
        self.slot_of[wire.0 as usize] = slot;
        slot
    }
}

/// The wires that a gate reads, without allocating for the small ones.
enum Operands<'a> {
    Few([Wire; 2], usize),
    Many(&'a [Wire]),
}

impl Operands<'_> {
    fn iter(&self) -> std::slice::Iter<'_, Wire> {
        match self {
            Operands::Few(wires, count) => wires[..*count].iter(),
            Operands::Many(wires) => wires.iter(),
        }
    }
}

fn operands(gate: Gate<'_>) -> Operands<'_> {
    match gate {
        Gate::Input { .. } | Gate::Const(_) => Operands::Few([Wire(0); 2], 0),
        Gate::Xor(a, b) => Operands::Few([a, b], 2),
        Gate::Not(a) => Operands::Few([a, a], 1),
        Gate::And(inputs) | Gate::Poly { inputs, .. } => Operands::Many(inputs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    fn run(circuit: &Circuit, inputs: &[u64]) -> Vec<u64> {
        let schedule = Schedule::new(circuit);
        let mut slots = vec![0u64; schedule.slots()];
        for (input, value) in schedule.inputs().iter().zip(inputs) {
            slots[input.slot as usize] = *value;
        }
        for level in 0..=schedule.depth() {
            for gate in schedule.linear(level) {
                match *gate {
                    Linear::Xor { dst, a, b } => {
                        assert!(dst != a && dst != b);
                        slots[dst as usize] = slots[a as usize] ^ slots[b as usize];
                    }
                    Linear::Not { dst, a } => slots[dst as usize] = !slots[a as usize],
                    Linear::Const { dst, value } => {
                        slots[dst as usize] = if value { u64::MAX } else { 0 };
                    }
                }
            }
            let before = slots.clone();
            for gate in schedule.products(level) {
                slots[gate.dst as usize] = before[gate.a as usize] & before[gate.b as usize];
            }
            for gate in schedule.wide(level) {
                let poly = &schedule.polys()[gate.poly as usize];
                let inputs = schedule.wide_inputs(gate);
                for (slot, products) in schedule.wide_outputs(gate).iter().zip(poly.outputs()) {
                    slots[*slot as usize] = products.iter().fold(0, |sum, mask| {
                        sum ^ inputs.iter().enumerate().fold(u64::MAX, |product, (i, s)| {
                            if mask >> i & 1 == 1 { product & before[*s as usize] } else { product }
                        })
                    });
                }
            }
            for gate in schedule.products(level) {
                for read in schedule.products(level) {
                    assert!(gate.dst != read.a && gate.dst != read.b);
                }
            }
        }
        schedule.outputs().iter().flatten().map(|s| slots[*s as usize]).collect()
    }

    #[test]
    fn random_circuits_agree_with_direct_evaluation() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..50 {
            let mut builder = Builder::new();
            let mut wires = builder.input(9);
            for _ in 0..300 {
                let mut pick = || wires[(next() % wires.len() as u64) as usize];
                let (a, b, c, d) = (pick(), pick(), pick(), pick());
                let wire = match next() % 4 {
                    0 => builder.and(&[a, b]),
                    1 => builder.and(&[a, b, c, d]),
                    2 => builder.not(a),
                    _ => builder.xor(a, b),
                };
                wires.push(wire);
            }
            builder.output(&wires[wires.len() - 12..]);
            let circuit = builder.finish();
            let inputs: Vec<u64> = (0..9).map(|_| next()).collect();
            assert_eq!(run(&circuit, &inputs), circuit.eval_lanes(&inputs));
        }
    }
}
