//! Reading the binary form, with the same checks as the text formats.

use crate::form::{Circuit, MAX_FAN_IN, MAX_WIRES, Wire, kind};
use crate::poly::{MAX_POLY_INPUTS, Poly};
use crate::raw::Assembler;

use super::binary::MAGIC;
use super::error::{Place, Reason};
use super::most_input_bits;

/// Reads the binary form; `bytes` start with the magic.
pub(crate) fn read(bytes: &[u8]) -> Result<Circuit, (Place, Reason)> {
    let mut cursor = Cursor { bytes, at: MAGIC.len() };
    circuit(&mut cursor).map_err(|r| (Place::Byte(cursor.at as u64), r))
}

fn circuit(c: &mut Cursor<'_>) -> Result<Circuit, Reason> {
    let ports = c.count("the number of input ports")?;
    let mut widths = Vec::with_capacity(ports);
    let mut inputs = 0u64;
    let most = most_input_bits(c.bytes.len());
    for _ in 0..ports {
        let width = c.number("the width of an input port", MAX_WIRES as u64)?;
        inputs += width;
        if inputs > most {
            return Err(Reason::TooMany { what: "input bits", claimed: inputs, most });
        }
        widths.push(width as u32);
    }
    let gates = c.count("the number of gates")?;
    let mut out = Assembler::new(widths, gates);
    let mut buffer = Vec::new();
    for _ in 0..gates {
        gate(c, &mut out, &mut buffer)?;
    }
    let outputs = outputs(c, out.wire_count())?;
    if c.at != c.bytes.len() {
        return Err(Reason::Binary("there are bytes after the last output"));
    }
    Ok(out.finish(outputs))
}

fn outputs(c: &mut Cursor<'_>, wires: usize) -> Result<Vec<Vec<Wire>>, Reason> {
    let ports = c.count("the number of output ports")?;
    let mut outputs = Vec::with_capacity(ports);
    for _ in 0..ports {
        let width = c.count("the width of an output port")?;
        let mut port = Vec::with_capacity(width);
        for _ in 0..width {
            let id = c.number("an output wire", MAX_WIRES as u64)?;
            if id >= wires as u64 {
                return Err(Reason::NoSuchWire { wire: id, wires: wires as u64 });
            }
            port.push(Wire(id as u32));
        }
        outputs.push(port);
    }
    Ok(outputs)
}

fn gate(c: &mut Cursor<'_>, out: &mut Assembler, buffer: &mut Vec<Wire>) -> Result<(), Reason> {
    let here = out.wire_count() as u64;
    let code = c.byte("the kind of a gate")?;
    buffer.clear();
    match code {
        kind::ZERO | kind::ONE => {
            out.constant(code == kind::ONE);
        }
        kind::NOT => {
            let a = c.back(here)?;
            out.not(a);
        }
        kind::XOR => {
            let (a, b) = (c.back(here)?, c.back(here)?);
            if a > b {
                return Err(Reason::Binary("the inputs of an XOR are not in ascending order"));
            }
            out.xor(a, b);
        }
        kind::POLY => poly(c, out, buffer, here)?,
        _ => {
            let inputs = code.checked_sub(kind::AND_BASE).map_or(0, usize::from);
            if !(2..=MAX_FAN_IN).contains(&inputs) {
                return Err(Reason::UnknownGate(code.to_string()));
            }
            for _ in 0..inputs {
                let w = c.back(here)?;
                if buffer.last().is_some_and(|&last| last >= w) {
                    return Err(Reason::Binary("the inputs of an AND are not in ascending order"));
                }
                buffer.push(w);
            }
            out.and(buffer);
        }
    }
    Ok(())
}

fn poly(
    c: &mut Cursor<'_>,
    out: &mut Assembler,
    buffer: &mut Vec<Wire>,
    here: u64,
) -> Result<(), Reason> {
    let inputs = c.number("the inputs of a polynomial gate", MAX_POLY_INPUTS as u64)? as usize;
    let outputs = c.count("the outputs of a polynomial gate")?;
    for _ in 0..inputs {
        buffer.push(c.back(here)?);
    }
    let mut table = Vec::with_capacity(outputs);
    for _ in 0..outputs {
        let products = c.count("the products of an output")?;
        let mut list: Vec<u16> = Vec::new();
        let mut last = 0u64;
        for i in 0..products {
            let step = c.number("a product", u64::from(u16::MAX))?;
            last += step;
            if (i > 0 && step == 0) || last > u64::from(u16::MAX) {
                return Err(Reason::Binary("the products of an output are not in ascending order"));
            }
            list.push(last as u16);
        }
        table.push(list);
    }
    out.poly(buffer, Poly::try_new(inputs, table)?);
    Ok(())
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn byte(&mut self, what: &'static str) -> Result<u8, Reason> {
        let b = *self.bytes.get(self.at).ok_or(Reason::Truncated(what))?;
        self.at += 1;
        Ok(b)
    }

    fn number(&mut self, what: &'static str, max: u64) -> Result<u64, Reason> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let b = self.byte(what)?;
            value |= u64::from(b & 0x7f) << shift;
            if b & 0x80 == 0 {
                if b == 0 && shift > 0 {
                    return Err(Reason::Binary("a number is not in its shortest form"));
                }
                if value > max {
                    return Err(Reason::Number { what, max, token: value.to_string() });
                }
                return Ok(value);
            }
        }
        Err(Reason::Binary("a number is too long"))
    }

    /// A number of items that each take at least one of the bytes left.
    fn count(&mut self, what: &'static str) -> Result<usize, Reason> {
        let n = self.number(what, MAX_WIRES as u64)?;
        let most = (self.bytes.len() - self.at) as u64;
        if n > most {
            return Err(Reason::TooMany { what, claimed: n, most });
        }
        Ok(n as usize)
    }

    /// A wire before `here`, given by its distance.
    fn back(&mut self, here: u64) -> Result<Wire, Reason> {
        let d = self.number("the distance to an input", MAX_WIRES as u64)?;
        if d == 0 || d > here {
            return Err(Reason::Binary("a gate reads a wire that does not come before it"));
        }
        Ok(Wire((here - d) as u32))
    }
}
