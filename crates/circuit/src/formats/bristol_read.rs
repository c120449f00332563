//! Reading Bristol Fashion, the old Bristol format and the extension.

use crate::form::{Circuit, MAX_FAN_IN, Wire};
use crate::poly::{MAX_POLY_INPUTS, Poly};
use crate::raw::Assembler;

use super::error::{Place, Reason, show};
use super::text::{Lines, is_number, number};
use super::{Dialect, ReadOptions, most_input_bits, order};

type Failure = (Place, Reason);

/// Largest number accepted for any count in a header.
const MOST: u64 = u32::MAX as u64 - 1;

/// Reads a text file.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Circuit, Failure> {
    let mut lines = Lines::new(bytes);
    let mut words = Vec::new();
    let header = Header::read(&mut lines, &mut words, options.dialect)?;
    header.check(bytes.len())?;
    order::check(&options.inputs, &header.inputs, "input")?;
    order::check(&options.outputs, &header.outputs, "output")?;
    let mut reader = Reader::new(&header, options, bytes.len());
    let mut found = 0;
    while lines.next_words(&mut words) {
        let at = Place::Line(lines.line());
        if found == header.gates {
            return Err((at, Reason::TrailingLine(header.gates)));
        }
        reader.gate(&words).map_err(|reason| {
            let cut_off =
                lines.ends_within_a_line() && (found + 1 < header.gates || is_unfinished(&words));
            let cut = Reason::CutOff { claimed: header.gates, found };
            (at, if cut_off { cut } else { reason })
        })?;
        found += 1;
    }
    if found < header.gates {
        return Err((
            Place::Line(lines.line()),
            Reason::MissingGates { claimed: header.gates, found },
        ));
    }
    reader.finish(&header, options).map_err(|r| (Place::Line(lines.line()), r))
}

struct Header {
    gates: u64,
    wires: u64,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// Lines of the counts and of the widths.
    at: [u64; 2],
}

impl Header {
    fn read<'a>(
        lines: &mut Lines<'a>,
        words: &mut Vec<&'a [u8]>,
        dialect: Dialect,
    ) -> Result<Header, Failure> {
        if !lines.next_words(words) {
            return Err((Place::File, Reason::Truncated("the line of gate and wire counts")));
        }
        let first = lines.line();
        let counts = numbers(words, "the first line", "2", |n| n == 2)
            .map_err(|r| (Place::Line(first), r))?;
        let (gates, wires) = (counts[0].into(), counts[1].into());
        if !lines.next_words(words) {
            return Err((Place::Line(first), Reason::Truncated("the line of input widths")));
        }
        let second = lines.line();
        let (inputs, outputs) = Header::widths(lines, words, dialect)?;
        Ok(Header { gates, wires, inputs, outputs, at: [first, second] })
    }

    /// Port widths, from the second line on, which is in `words`.
    fn widths<'a>(
        lines: &mut Lines<'a>,
        words: &mut Vec<&'a [u8]>,
        dialect: Dialect,
    ) -> Result<(Vec<u32>, Vec<u32>), Failure> {
        let at = Place::Line(lines.line());
        let old = match dialect {
            Dialect::Old => true,
            Dialect::Fashion | Dialect::Extended => false,
            Dialect::Auto => words.len() == 3 && !is_widths(&lines.peek_words()),
        };
        if old {
            let n = numbers(words, "the line of widths", "3", |n| n == 3).map_err(|r| (at, r))?;
            return Ok((n[..2].iter().copied().filter(|&w| w != 0).collect(), vec![n[2]]));
        }
        let inputs = ports(words, "the line of input widths").map_err(|r| (at, r))?;
        if !lines.next_words(words) {
            return Err((at, Reason::Truncated("the line of output widths")));
        }
        let at = Place::Line(lines.line());
        let outputs = ports(words, "the line of output widths").map_err(|r| (at, r))?;
        Ok((inputs, outputs))
    }

    fn check(&self, len: usize) -> Result<(), Failure> {
        let total = |ws: &[u32]| ws.iter().map(|&w| u64::from(w)).sum::<u64>();
        let (inputs, outputs) = (total(&self.inputs), total(&self.outputs));
        let [first, second] = self.at.map(Place::Line);
        let most = most_input_bits(len);
        if inputs > most {
            return Err((second, Reason::TooMany { what: "input bits", claimed: inputs, most }));
        }
        // Every wire that is not an input stands on a gate line: two bytes at least.
        let most = inputs + len as u64 / 2;
        if self.wires > most {
            return Err((first, Reason::TooMany { what: "wires", claimed: self.wires, most }));
        }
        let need = inputs.max(outputs);
        if need > self.wires {
            return Err((second, Reason::Ports { need, wires: self.wires }));
        }
        Ok(())
    }
}

/// Whether a line is one of port widths, not a gate line or the end of the file.
fn is_widths(words: &[&[u8]]) -> bool {
    !words.is_empty() && words.iter().all(|w| is_number(w))
}

fn numbers(
    words: &[&[u8]],
    what: &'static str,
    expected: &str,
    ok: fn(usize) -> bool,
) -> Result<Vec<u32>, Reason> {
    if !ok(words.len()) {
        return Err(Reason::Header { what, expected: expected.to_owned(), found: words.len() });
    }
    words.iter().map(|w| number(w, what, MOST).map(|n| n as u32)).collect()
}

/// `count width..`.
fn ports(words: &[&[u8]], what: &'static str) -> Result<Vec<u32>, Reason> {
    let mut widths = numbers(words, what, "at least 1", |n| n > 0)?;
    let count = widths.remove(0) as usize;
    if count != widths.len() {
        return Err(Reason::Header { what, expected: (count + 1).to_string(), found: words.len() });
    }
    Ok(widths)
}

const NONE: Wire = Wire(u32::MAX);

/// Turns gate lines into gates.
struct Reader {
    out: Assembler,
    /// The circuit's wire for each wire number of the file.
    wires: Vec<Wire>,
    inputs: u64,
    assigned: u64,
    buffer: Vec<Wire>,
}

impl Reader {
    fn new(header: &Header, options: &ReadOptions, len: usize) -> Reader {
        let places = order::placement(&options.inputs, &header.inputs);
        // A gate line has at least six bytes.
        let gates = header.gates.min(len as u64 / 6 + 1) as usize;
        let mut wires = vec![NONE; header.wires as usize];
        for (slot, &p) in wires.iter_mut().zip(&places) {
            *slot = Wire(p);
        }
        Reader {
            out: Assembler::new(header.inputs.clone(), gates),
            wires,
            inputs: places.len() as u64,
            assigned: places.len() as u64,
            buffer: Vec::new(),
        }
    }

    /// One gate line.
    fn gate(&mut self, words: &[&[u8]]) -> Result<(), Reason> {
        let name = *words.last().unwrap_or(&&b""[..]);
        let gate = gate_name(name)?;
        if words.len() < 3 {
            return Err(Reason::WordCount { expected: 3, found: words.len() });
        }
        let inputs = number(words[0], "the number of inputs", MOST)?;
        let outputs = number(words[1], "the number of outputs", MOST)?;
        check_arity(gate, inputs, outputs)?;
        let tables = if gate == "ANF" { outputs } else { 0 };
        let expected = 3 + inputs + outputs + tables;
        if expected != words.len() as u64 {
            return Err(Reason::WordCount { expected, found: words.len() });
        }
        let (ins, rest) = words[2..words.len() - 1].split_at(inputs as usize);
        let (outs, tables) = rest.split_at(outputs as usize);
        match gate {
            "EQ" => {
                let value = number(ins[0], "the constant", 1)?;
                let w = self.out.constant(value == 1);
                self.assign(outs[0], w)
            }
            "ANF" => self.polynomial(ins, outs, tables),
            "MAND" => self.batch(ins, outs),
            _ => self.plain(gate, ins, outs[0]),
        }
    }

    /// XOR, AND, INV, EQW.
    fn plain(&mut self, gate: &str, ins: &[&[u8]], out: &[u8]) -> Result<(), Reason> {
        self.read_inputs(ins)?;
        let w = match gate {
            "XOR" => {
                let mut sum = self.buffer[0];
                for &x in &self.buffer[1..] {
                    sum = self.out.xor(sum, x);
                }
                sum
            }
            "AND" => self.out.and(&self.buffer),
            "INV" => self.out.not(self.buffer[0]),
            _ => self.buffer[0],
        };
        self.assign(out, w)
    }

    fn batch(&mut self, ins: &[&[u8]], outs: &[&[u8]]) -> Result<(), Reason> {
        self.read_inputs(ins)?;
        for (i, out) in outs.iter().enumerate() {
            let pair = [self.buffer[i], self.buffer[i + outs.len()]];
            let w = self.out.and(&pair);
            self.assign(out, w)?;
        }
        Ok(())
    }

    fn polynomial(
        &mut self,
        ins: &[&[u8]],
        outs: &[&[u8]],
        tables: &[&[u8]],
    ) -> Result<(), Reason> {
        self.read_inputs(ins)?;
        let products: Vec<Vec<u16>> =
            tables.iter().map(|t| table(t, ins.len())).collect::<Result<_, _>>()?;
        let first = self.out.poly(&self.buffer, Poly::try_new(ins.len(), products)?);
        for (j, out) in outs.iter().enumerate() {
            self.assign(out, Wire(first.0 + j as u32))?;
        }
        Ok(())
    }

    fn read_inputs(&mut self, tokens: &[&[u8]]) -> Result<(), Reason> {
        self.buffer.clear();
        for t in tokens {
            let id = self.wire_number(t)?;
            let w = self.wires[id as usize];
            if w == NONE {
                return Err(Reason::UseBeforeDefinition(id));
            }
            self.buffer.push(w);
        }
        Ok(())
    }

    fn assign(&mut self, token: &[u8], w: Wire) -> Result<(), Reason> {
        let id = self.wire_number(token)?;
        if id < self.inputs {
            return Err(Reason::AssignedInput(id));
        }
        let slot = &mut self.wires[id as usize];
        if *slot != NONE {
            return Err(Reason::DoubleAssignment(id));
        }
        *slot = w;
        self.assigned += 1;
        Ok(())
    }

    fn wire_number(&self, token: &[u8]) -> Result<u64, Reason> {
        let id = number(token, "a wire", u64::MAX)?;
        if id >= self.wires.len() as u64 {
            return Err(Reason::NoSuchWire { wire: id, wires: self.wires.len() as u64 });
        }
        Ok(id)
    }

    fn finish(self, header: &Header, options: &ReadOptions) -> Result<Circuit, Reason> {
        if let Some(wire) = self.wires.iter().position(|&w| w == NONE) {
            return Err(Reason::Unassigned {
                wire: wire as u64,
                missing: header.wires - self.assigned,
            });
        }
        let outputs: usize = header.outputs.iter().map(|&w| w as usize).sum();
        let flat = &self.wires[self.wires.len() - outputs..];
        Ok(self.out.finish(order::split_ports(flat, &options.outputs, &header.outputs)))
    }
}

/// Whether a gate line lacks a part of its gate's name, or all of it.
fn is_unfinished(words: &[&[u8]]) -> bool {
    const NAMES: [&[u8]; 8] = [b"XOR", b"AND", b"INV", b"NOT", b"EQ", b"EQW", b"MAND", b"ANF"];
    let last = words.last().copied().unwrap_or_default();
    !NAMES.contains(&last) && (is_number(last) || NAMES.iter().any(|name| name.starts_with(last)))
}

fn gate_name(name: &[u8]) -> Result<&'static str, Reason> {
    Ok(match name {
        b"XOR" => "XOR",
        b"AND" => "AND",
        b"INV" | b"NOT" => "INV",
        b"EQ" => "EQ",
        b"EQW" => "EQW",
        b"MAND" => "MAND",
        b"ANF" => "ANF",
        _ => return Err(Reason::UnknownGate(show(name))),
    })
}

fn check_arity(gate: &'static str, inputs: u64, outputs: u64) -> Result<(), Reason> {
    let ok = match gate {
        "XOR" => inputs >= 2 && outputs == 1,
        "AND" => (2..=MAX_FAN_IN as u64).contains(&inputs) && outputs == 1,
        "MAND" => outputs >= 1 && inputs == 2 * outputs,
        "ANF" => inputs <= MAX_POLY_INPUTS as u64 && outputs >= 1,
        _ => inputs == 1 && outputs == 1,
    };
    if ok { Ok(()) } else { Err(Reason::Arity { gate, inputs, outputs }) }
}

/// The products of a hexadecimal table over `inputs` inputs, ascending.
fn table(token: &[u8], inputs: usize) -> Result<Vec<u16>, Reason> {
    let bits = 1u64 << inputs;
    let bad = || Reason::Table { token: show(token), bits };
    let mut products = Vec::new();
    for (i, &b) in token.iter().rev().enumerate() {
        let digit = char::from(b).to_digit(16).ok_or_else(bad)?;
        for k in (0..4).filter(|k| digit >> k & 1 == 1) {
            let at = 4 * i as u64 + k;
            if at >= bits {
                return Err(bad());
            }
            products.push(at as u16);
        }
    }
    Ok(products)
}
