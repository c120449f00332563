//! The binary form of a circuit, which takes a few bytes per gate.
//!
//! ```text
//! "tacitbc1"
//! ports, width of each                        inputs
//! gates, then each gate                       a kind byte, then its inputs
//! ports, then for each: width, wire of each   outputs
//! ```
//!
//! Numbers are little-endian base-128 varints in their shortest form; a gate's input is the
//! distance back from the gate's own (first) wire. Kinds: 1 and 2 the constants 0 and 1, 3
//! XOR, 4 NOT, 8 + k an AND of k inputs, 5 a polynomial gate (inputs, outputs, each input,
//! then for each output the number of products and the products, ascending, as differences).
//! Every circuit has exactly one binary form.

use crate::form::{Circuit, Gate, Wire, kind};
use crate::poly::Poly;

/// First bytes of every binary circuit.
pub const MAGIC: &[u8; 8] = b"tacitbc1";

/// The binary form of a circuit.
pub fn write(circuit: &Circuit) -> Vec<u8> {
    let mut e = Encoder { buffer: Vec::with_capacity(5 * circuit.wire_count()) };
    e.buffer.extend_from_slice(MAGIC);
    e.number(circuit.input_widths().len() as u64);
    for &w in circuit.input_widths() {
        e.number(u64::from(w));
    }
    e.number(circuit.gate_count() as u64);
    for (w, gate) in circuit.gates() {
        e.gate(w, gate);
    }
    e.number(circuit.output_ports().len() as u64);
    for port in circuit.output_ports() {
        e.number(port.len() as u64);
        for w in port {
            e.number(u64::from(w.0));
        }
    }
    e.buffer
}

struct Encoder {
    buffer: Vec<u8>,
}

impl Encoder {
    fn number(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.buffer.push(v as u8 | 0x80);
            v >>= 7;
        }
        self.buffer.push(v as u8);
    }

    fn back(&mut self, from: Wire, to: Wire) {
        self.number(u64::from(from.0 - to.0));
    }

    fn gate(&mut self, w: Wire, gate: Gate<'_>) {
        match gate {
            Gate::Input { .. } => {}
            Gate::Const(c) => self.buffer.push(if c { kind::ONE } else { kind::ZERO }),
            Gate::Xor(a, b) => {
                self.buffer.push(kind::XOR);
                self.back(w, a);
                self.back(w, b);
            }
            Gate::Not(a) => {
                self.buffer.push(kind::NOT);
                self.back(w, a);
            }
            Gate::And(xs) => {
                self.buffer.push(kind::AND_BASE + xs.len() as u8);
                xs.iter().for_each(|&x| self.back(w, x));
            }
            Gate::Poly { inputs, poly } => self.poly(w, inputs, poly),
        }
    }

    fn poly(&mut self, w: Wire, inputs: &[Wire], poly: &Poly) {
        self.buffer.push(kind::POLY);
        self.number(inputs.len() as u64);
        self.number(poly.outputs().len() as u64);
        inputs.iter().for_each(|&x| self.back(w, x));
        for products in poly.outputs() {
            self.number(products.len() as u64);
            let mut last = 0;
            for &m in products {
                self.number(u64::from(m - last));
                last = m;
            }
        }
    }
}
