//! Bit order inside a port: a convention of each file, not of the format.

use crate::form::{Circuit, Gate, Wire};
use crate::raw::Assembler;

use super::{Place, ReadOptions, Reason};

/// How a port's bits in a file relate to the circuit's (least significant first).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortOrder {
    /// The file has the most significant bit first (within each byte, if `reverse_bytes`
    /// is set too: then bytes keep their order and only their bits are reversed).
    pub reverse_bits: bool,
    /// The file has the bytes in the opposite order, each as it is.
    pub reverse_bytes: bool,
}

impl PortOrder {
    /// Where bit `i` of a port of `width` bits goes; its own inverse.
    pub fn place(self, i: u32, width: u32) -> u32 {
        let i = if self.reverse_bits { width - 1 - i } else { i };
        if self.reverse_bytes { width - 8 - (i & !7) + (i & 7) } else { i }
    }
}

/// Checks orders against port widths.
pub(crate) fn check(
    orders: &[PortOrder],
    widths: &[u32],
    side: &'static str,
) -> Result<(), (Place, Reason)> {
    if orders.len() > widths.len() {
        return Err((
            Place::File,
            Reason::NoSuchPort { side, port: widths.len(), ports: widths.len() },
        ));
    }
    for (port, (o, &width)) in orders.iter().zip(widths).enumerate() {
        if o.reverse_bytes && width % 8 != 0 {
            return Err((Place::File, Reason::PortOrder { side, port, width }));
        }
    }
    Ok(())
}

/// For each bit of all ports, concatenated, the position that it has in the circuit.
pub(crate) fn placement(orders: &[PortOrder], widths: &[u32]) -> Vec<u32> {
    let total: usize = widths.iter().map(|&w| w as usize).sum();
    let mut places = Vec::with_capacity(total);
    for (port, &width) in widths.iter().enumerate() {
        let order = orders.get(port).copied().unwrap_or_default();
        let start = places.len() as u32;
        places.extend((0..width).map(|i| start + order.place(i, width)));
    }
    places
}

/// Applies port orders to a circuit that has been read without them.
pub(crate) fn reorder(circuit: Circuit, options: &ReadOptions) -> Result<Circuit, (Place, Reason)> {
    let output_widths: Vec<u32> = circuit.outputs.iter().map(|o| o.len() as u32).collect();
    check(&options.inputs, circuit.input_widths(), "input")?;
    check(&options.outputs, &output_widths, "output")?;
    if options.inputs.is_empty() && options.outputs.is_empty() {
        return Ok(circuit);
    }
    let places = placement(&options.inputs, circuit.input_widths());
    let mut new = Assembler::new(circuit.input_widths.clone(), circuit.wire_count() - places.len());
    let map = |w: Wire| places.get(w.index()).map_or(w, |&p| Wire(p));
    let mut inputs = Vec::new();
    for (_, gate) in circuit.gates() {
        inputs.clear();
        gate.for_each_input(|x| inputs.push(map(x)));
        match gate {
            Gate::Input { .. } => continue,
            Gate::Const(c) => new.constant(c),
            Gate::Xor(..) => new.xor(inputs[0], inputs[1]),
            Gate::Not(_) => new.not(inputs[0]),
            Gate::And(_) => new.and(&inputs),
            Gate::Poly { poly, .. } => new.poly(&inputs, poly.clone()),
        };
    }
    let flat: Vec<Wire> = circuit.outputs.iter().flatten().map(|&w| map(w)).collect();
    Ok(new.finish(split_ports(&flat, &options.outputs, &output_widths)))
}

/// Cuts the file's output wires into ports and puts each into the circuit's order.
pub(crate) fn split_ports(flat: &[Wire], orders: &[PortOrder], widths: &[u32]) -> Vec<Vec<Wire>> {
    let mut placed = vec![Wire(0); flat.len()];
    for (&w, &p) in flat.iter().zip(&placement(orders, widths)) {
        placed[p as usize] = w;
    }
    let mut rest = placed.as_slice();
    widths
        .iter()
        .map(|&n| {
            let (port, tail) = rest.split_at(n as usize);
            rest = tail;
            port.to_vec()
        })
        .collect()
}
