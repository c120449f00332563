//! Programs as circuits: a backend that draws one circuit of everything, and one that gives the values
//! which that circuit has given. Between them the circuit is evaluated, by whatever evaluates circuits.

use super::party_bits::planes_in;
use super::{Bits, Boolean, Circuits, Planes, Result};
use crate::convert::{BitPlanes, Canvas, Layered, Wires};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tacit_circuit::schedule::{Linear, Product, Schedule};
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_net::AbortKind;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::Protocol;
use tacit_sharing::SharingError;
use tacit_sharing::role::RoleId;
use zeroize::Zeroizing;

/// Wires of a drawing, at most.
const MAX_WIRES: usize = 1 << 26;

/// A circuit, and who gives and learns its ports. A port's bits are planes, lane after lane.
pub struct Drawn {
    /// The circuit.
    pub circuit: Circuit,
    /// Who gives each input port.
    pub owners: Vec<RoleId>,
    /// Who learns each output port.
    pub receivers: Vec<Vec<RoleId>>,
}

/// Draws a circuit of everything that is asked of it.
pub struct Drawing {
    canvas: Canvas,
    circuits: Circuits,
    owners: Vec<RoleId>,
    receivers: Vec<Vec<RoleId>>,
}

impl Drawing {
    /// Nothing yet, for a protocol.
    #[must_use]
    pub fn new(protocol: Protocol) -> Boolean<Self> {
        let circuits = Circuits::new(protocol);
        let (owners, receivers) = (Vec::new(), Vec::new());
        Boolean::new(Drawing { canvas: Canvas::default(), circuits, owners, receivers })
    }

    /// The circuit.
    #[must_use]
    pub fn finish(self) -> Drawn {
        let circuit = self.canvas.take().finish();
        Drawn { circuit, owners: self.owners, receivers: self.receivers }
    }
}

/// Planes of wires of a canvas.
pub(super) fn drawn(canvas: &Canvas, all: Vec<Wire>, planes: usize, lanes: usize) -> Planes {
    let wires = Wires::Drawn(canvas.hold(all));
    Planes { planes, lanes, data: Some(BitPlanes::of_wires(wires, lanes)) }
}

/// Constant wires of public planes.
pub(super) fn constants(canvas: &Canvas, values: &[Z2], planes: usize, lanes: usize) -> Planes {
    let bits = flat_of(values, planes, lanes);
    let all = canvas.with(|b| bits.iter().map(|bit| b.constant(*bit == 1)).collect());
    drawn(canvas, all, planes, lanes)
}

/// Bits of planes, padded to words.
pub(super) fn flat_of(values: &[Z2], planes: usize, lanes: usize) -> FlatBits {
    let words = lanes.div_ceil(64);
    // Room for all, so that no copies are left behind.
    let mut bits = FlatBits::new(Vec::with_capacity(planes * lanes));
    for plane in 0..planes {
        let bit = |lane: usize| (values[plane * words + lane / 64].0 >> (lane % 64) & 1) as u8;
        bits.extend((0..lanes).map(bit));
    }
    bits
}

/// Planes padded to words, of what opened.
pub(super) fn words_of(flat: &FlatBits, planes: usize, lanes: usize) -> Result<Buffer<Z2>> {
    if flat.len() != planes * lanes {
        return Err(SharingError::Shape("outputs of another circuit".into()));
    }
    let words = lanes.div_ceil(64);
    let mut opened = Buffer::<Z2>::zeros(planes * words);
    for (i, bit) in flat.iter().enumerate() {
        let (plane, lane) = (i / lanes, i % lanes);
        opened[plane * words + lane / 64].0 |= u64::from(*bit) << (lane % 64);
    }
    Ok(opened)
}

/// Adds an input port for planes.
pub(super) fn input(canvas: &Canvas, planes: usize, lanes: usize) -> Result<Planes> {
    let room = canvas.with(|b| MAX_WIRES.saturating_sub(b.wire_count()));
    let bits = planes.saturating_mul(lanes);
    let all = if bits <= room { canvas.with(|b| b.input(bits as u32)) } else { too_large()? };
    Ok(drawn(canvas, all, planes, lanes))
}

fn too_large<T>() -> Result<T> {
    Err(SharingError::System(format!(
        "the program needs more than {MAX_WIRES} wires at a time: run it under gmw, or on fewer rows"
    )))
}

pub(super) fn wires(planes: &Planes) -> Result<Vec<Wire>> {
    match &planes_in(planes)?.wires {
        Some(Wires::Drawn(all)) => Ok(all.wires()),
        _ => Err(SharingError::Shape("shares in a drawing".into())),
    }
}

/// Adds a circuit, its inputs driven by wires; gives the outputs, port after port.
pub(super) fn draw(
    b: &mut Builder,
    schedule: &Schedule,
    inputs: impl Fn(u32, u32) -> Wire,
) -> Vec<Wire> {
    let mut slots = vec![b.constant(false); schedule.slots()];
    for input in schedule.inputs() {
        slots[input.slot as usize] = inputs(input.port, input.bit);
    }
    for level in 0..=schedule.depth() {
        for gate in schedule.linear(level) {
            match *gate {
                Linear::Xor { dst, a, b: other } => {
                    slots[dst as usize] = b.xor(slots[a as usize], slots[other as usize]);
                }
                Linear::Not { dst, a } => slots[dst as usize] = b.not(slots[a as usize]),
                Linear::Const { dst, value } => slots[dst as usize] = b.constant(value),
            }
        }
        if level < schedule.depth() {
            for &Product { dst, a, b: other } in schedule.products(level) {
                slots[dst as usize] = b.and2(slots[a as usize], slots[other as usize]);
            }
        }
    }
    schedule.outputs().iter().flatten().map(|slot| slots[*slot as usize]).collect()
}

/// Planes of output ports, from the wires of every lane.
pub(super) fn by_port(
    canvas: &Canvas,
    widths: &[usize],
    columns: &[Wire],
    lanes: usize,
) -> Vec<Planes> {
    let total: usize = widths.iter().sum();
    let mut start = 0;
    let port = |width: &usize| {
        let bits = start..start + width;
        start = bits.end;
        let plane = |bit: usize| (0..lanes).map(move |lane| columns[lane * total + bit]);
        drawn(canvas, bits.flat_map(plane).collect(), *width, lanes)
    };
    widths.iter().map(port).collect()
}

impl Bits for Drawing {
    fn input_planes(
        &mut self,
        owner: RoleId,
        _: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.owners.push(owner);
        input(&self.canvas, planes, lanes)
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        constants(&self.canvas, values, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        let wires = wires(planes)?;
        self.canvas.with(|b| b.output(&wires));
        self.receivers.push(receivers.to_vec());
        Ok(None)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let ports = inputs.iter().map(|planes| planes_in(planes)).collect::<Result<Vec<_>>>()?;
        circuit.check_inputs(&ports)?;
        let ports = inputs.iter().map(|planes| wires(planes)).collect::<Result<Vec<_>>>()?;
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        // Lane by lane here, plane by plane there.
        let mut columns: Vec<Wire> = Vec::new();
        for lane in 0..lanes {
            let drawn = self.canvas.with(|b| {
                let input = |port: u32, bit: u32| ports[port as usize][bit as usize * lanes + lane];
                (b.wire_count() < MAX_WIRES).then(|| draw(b, circuit.schedule(), input))
            });
            match drawn {
                Some(column) => columns.extend(column),
                None => too_large()?,
            }
        }
        Ok(by_port(&self.canvas, circuit.outputs(), &columns, lanes))
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self, _: AbortKind, _: &str) {}
}

/// Bits of a port, plane after plane, lane after lane, each a byte of 0 or 1.
pub type FlatBits = Zeroizing<Vec<u8>>;

/// Takes down the values that a party gives, and gives those that it learns. Counts ANDs.
pub struct Replay {
    circuits: Circuits,
    /// By input port, the bits that this party gives.
    pub given: Vec<Option<FlatBits>>,
    /// ANDs of all circuits on all lanes, before what they have in common is found.
    pub ands: u64,
    /// Those of each line.
    pub by_line: BTreeMap<u32, u64>,
    line: u32,
    /// By output port, the bits that this party learns.
    learned: VecDeque<Option<FlatBits>>,
}

impl Replay {
    /// With what is learned; nothing as long as only inputs are wanted.
    #[must_use]
    pub fn new(protocol: Protocol, learned: Vec<Option<FlatBits>>) -> Boolean<Self> {
        let circuits = Circuits::new(protocol);
        let (given, by_line) = (Vec::new(), BTreeMap::new());
        Boolean::new(Replay { circuits, given, ands: 0, by_line, line: 0, learned: learned.into() })
    }
}

impl Bits for Replay {
    fn input_planes(
        &mut self,
        _: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.given.push(values.map(|values| flat_of(values, planes, lanes)));
        Ok(Planes::dry(planes, lanes))
    }

    fn public_planes(&mut self, _: &[Z2], planes: usize, lanes: usize) -> Planes {
        Planes::dry(planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, _: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        let Some(flat) = self.learned.pop_front().flatten() else { return Ok(None) };
        Ok(Some(words_of(&flat, planes.planes, planes.lanes)?))
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        let ands: usize = (0..circuit.depth()).map(|level| circuit.level(level).products()).sum();
        let ands = (ands as u64).saturating_mul(lanes as u64);
        self.ands = self.ands.saturating_add(ands);
        let of_line = self.by_line.entry(self.line).or_default();
        *of_line = of_line.saturating_add(ands);
        Ok(circuit.outputs().iter().map(|width| Planes::dry(*width, lanes)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn at_line(&mut self, line: u32) {
        self.line = line;
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self, _: AbortKind, _: &str) {}
}
