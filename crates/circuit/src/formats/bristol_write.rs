//! Writing text formats.
//!
//! A wire that is output once takes its output number directly; only inputs that are output,
//! and second outputs of one wire, need a copy.

use std::io::Write;

use thiserror::Error;

use crate::form::{Circuit, Gate, Wire};
use crate::passes;
use crate::poly::Poly;

use super::Dialect;

/// The options for writing a text file.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOptions {
    /// The text format. [`Dialect::Fashion`] and [`Dialect::Old`] have two-input gates only: wide
    /// ANDs become balanced trees and polynomial gates ANDs and XORs. [`Dialect::Auto`] keeps
    /// them, which gives plain Bristol Fashion when there are none.
    pub dialect: Dialect,
    /// Whether to do without EQW, for tools that know only XOR, AND and INV (and EQ). A copy becomes an
    /// XOR with a constant 0. The old format never has EQ or EQW.
    pub no_eqw: bool,
}

/// The reason why a format cannot hold a circuit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// The old format has at most two input ports and one output port.
    #[error(
        "the old Bristol format has at most 2 input ports and 1 output port, not {inputs} and {outputs}"
    )]
    Ports {
        /// Input ports of the circuit.
        inputs: usize,
        /// Output ports of the circuit.
        outputs: usize,
    },
    /// The old format has no constants, and a circuit without inputs has none to make them from.
    #[error("the old Bristol format cannot hold a circuit without inputs")]
    NoInputs,
}

/// The text of a circuit.
pub fn write_text(circuit: &Circuit, options: TextOptions) -> Result<Vec<u8>, WriteError> {
    let old = options.dialect == Dialect::Old;
    let lowered;
    let circuit = if old || options.dialect == Dialect::Fashion {
        lowered = passes::lower(circuit, 2);
        &lowered
    } else {
        circuit
    };
    let (inputs, outputs) = (circuit.input_widths().len(), circuit.output_ports().len());
    if old && (inputs > 2 || outputs != 1) {
        return Err(WriteError::Ports { inputs, outputs });
    }
    if old && circuit.input_bits() == 0 {
        return Err(WriteError::NoInputs);
    }
    let mut writer = Writer::new(circuit, old, options.no_eqw || old);
    for (w, gate) in circuit.gates() {
        writer.gate(w, gate);
    }
    writer.copies(circuit);
    let mut text = writer.header(circuit);
    text.extend_from_slice(&writer.body);
    Ok(text)
}

const NONE: u64 = u64::MAX;

struct Writer {
    /// The file's number of each wire.
    number: Vec<u64>,
    body: Vec<u8>,
    gates: u64,
    /// Next free number that is not an output's.
    next: u64,
    outputs_from: u64,
    wires: u64,
    old: bool,
    no_eqw: bool,
    /// A wire that is 0, once it is needed.
    zero: Option<u64>,
}

impl Writer {
    fn new(circuit: &Circuit, old: bool, no_eqw: bool) -> Writer {
        let inputs = circuit.input_bits();
        let outputs: Vec<Wire> = circuit.output_ports().iter().flatten().copied().collect();
        let mut number = vec![NONE; circuit.wire_count()];
        for (i, n) in number[..inputs].iter_mut().enumerate() {
            *n = i as u64;
        }
        // First pass: which outputs need a copy, and so how many wires there are.
        let mut position = vec![NONE; circuit.wire_count()];
        let mut copies = 0u64;
        for (p, w) in outputs.iter().enumerate() {
            if w.index() < inputs || position[w.index()] != NONE {
                copies += 1;
            } else {
                position[w.index()] = p as u64;
            }
        }
        let constants = circuit.gates().any(|(_, g)| matches!(g, Gate::Const(_)));
        let zero = u64::from((no_eqw && copies > 0) || (old && constants));
        let wires = circuit.wire_count() as u64 + copies + zero;
        let outputs_from = wires - outputs.len() as u64;
        for (n, &p) in number.iter_mut().zip(&position).filter(|(_, p)| **p != NONE) {
            *n = outputs_from + p;
        }
        let body = Vec::with_capacity(24 * circuit.wire_count());
        let mut writer = Writer {
            number,
            body,
            gates: 0,
            next: inputs as u64,
            outputs_from,
            wires,
            old,
            no_eqw,
            zero: None,
        };
        if zero == 1 {
            writer.make_zero();
        }
        writer
    }

    fn make_zero(&mut self) {
        let z = self.fresh();
        if self.old {
            self.line(&[0, 0], &[z], "XOR")
        } else {
            self.line(&[0], &[z], "EQ")
        }
        self.zero = Some(z);
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The number of a wire that a gate is about to drive.
    fn drive(&mut self, w: Wire) -> u64 {
        if self.number[w.index()] == NONE {
            self.number[w.index()] = self.fresh();
        }
        self.number[w.index()]
    }

    fn of(&self, wires: &[Wire]) -> Vec<u64> {
        wires.iter().map(|w| self.number[w.index()]).collect()
    }

    fn gate(&mut self, w: Wire, gate: Gate<'_>) {
        match gate {
            Gate::Input { .. } => {}
            Gate::Const(c) => self.constant(w, c),
            Gate::Xor(a, b) => self.plain(w, &[a, b], "XOR"),
            Gate::Not(a) => self.plain(w, &[a], "INV"),
            Gate::And(xs) => self.plain(w, xs, "AND"),
            Gate::Poly { inputs, poly } => self.polynomial(w, inputs, poly),
        }
    }

    fn plain(&mut self, w: Wire, inputs: &[Wire], name: &str) {
        let out = self.drive(w);
        let ins = self.of(inputs);
        self.line(&ins, &[out], name);
    }

    fn constant(&mut self, w: Wire, value: bool) {
        let out = self.drive(w);
        match self.zero {
            Some(z) if self.old && value => self.line(&[z], &[out], "INV"),
            Some(z) if self.old => self.line(&[z, z], &[out], "XOR"),
            _ => self.line(&[u64::from(value)], &[out], "EQ"),
        }
    }

    fn polynomial(&mut self, w: Wire, inputs: &[Wire], poly: &Poly) {
        let outs: Vec<u64> =
            (0..poly.outputs().len()).map(|j| self.drive(Wire(w.0 + j as u32))).collect();
        let ins = self.of(inputs);
        self.wires_of_line(&ins, &outs);
        for products in poly.outputs() {
            self.body.extend_from_slice(hex_table(products).as_bytes());
            self.body.push(b' ');
        }
        self.end_line("ANF");
    }

    fn line(&mut self, ins: &[u64], outs: &[u64], name: &str) {
        self.wires_of_line(ins, outs);
        self.end_line(name);
    }

    fn wires_of_line(&mut self, ins: &[u64], outs: &[u64]) {
        push_number(&mut self.body, ins.len() as u64);
        push_number(&mut self.body, outs.len() as u64);
        for &n in ins.iter().chain(outs) {
            push_number(&mut self.body, n);
        }
    }

    fn end_line(&mut self, name: &str) {
        self.body.extend_from_slice(name.as_bytes());
        self.body.push(b'\n');
        self.gates += 1;
    }

    /// Drives the outputs that no gate drives under their own number.
    fn copies(&mut self, circuit: &Circuit) {
        for (p, w) in circuit.output_ports().iter().flatten().enumerate() {
            let out = self.outputs_from + p as u64;
            let from = self.number[w.index()];
            if from == out {
                continue;
            }
            match self.zero {
                Some(z) if self.no_eqw => self.line(&[from, z], &[out], "XOR"),
                _ => self.line(&[from], &[out], "EQW"),
            }
        }
        debug_assert_eq!(self.next, self.outputs_from);
    }

    fn header(&self, circuit: &Circuit) -> Vec<u8> {
        let mut text = format!("{} {}\n", self.gates, self.wires).into_bytes();
        let widths: Vec<usize> = circuit.output_ports().iter().map(Vec::len).collect();
        let join =
            |ns: &mut dyn Iterator<Item = String>| ns.map(|n| format!(" {n}")).collect::<String>();
        let inputs = circuit.input_widths();
        let result = if self.old {
            let second = inputs.get(1).copied().unwrap_or(0);
            writeln!(text, "{} {} {}\n", inputs[0], second, widths[0])
        } else {
            writeln!(
                text,
                "{}{}\n{}{}\n",
                inputs.len(),
                join(&mut inputs.iter().map(u32::to_string)),
                widths.len(),
                join(&mut widths.iter().map(usize::to_string))
            )
        };
        result.expect("writing to memory does not fail");
        text
    }
}

/// Decimal digits and a space.
fn push_number(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
    out.push(b' ');
}

/// Hexadecimal number whose bit `t` is set if product `t` is present.
fn hex_table(products: &[u16]) -> String {
    let top = products.last().map_or(0, |&m| m as usize / 4);
    let mut digits = vec![0u8; top + 1];
    for &m in products {
        digits[top - m as usize / 4] |= 1 << (m % 4);
    }
    digits.into_iter().map(|d| char::from_digit(d.into(), 16).unwrap_or('0')).collect()
}
