//! Programs as circuits of bounded size, each of which goes on from the one before: a backend that draws a circuit
//! until it is large enough, or something opens, has it evaluated, and draws on.

use super::drawing::{by_port, constants, draw, flat_of, input, wires, words_of};
use super::{Bits, Boolean, Circuits, FlatBits, Planes, Result, wrong};
use crate::convert::{Canvas, Layered};
use crate::cost::Rounds;
use std::sync::Arc;
use std::time::Duration;
use tacit_circuit::Circuit;
use tacit_circuit::schedule::Schedule;
use tacit_net::AbortKind;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::Protocol;
use tacit_sharing::role::RoleId;

/// Wires that a circuit gets, about, at most, beside what it goes on from.
const MAX_WIRES: usize = 1 << 24;

/// A circuit, and who gives and learns its ports. A port's bits are planes, lane after lane.
pub struct Block {
    /// The circuit.
    pub circuit: Circuit,
    /// Who gives each input port. The first may be given by nobody: what the circuit before kept, in the same order.
    pub owners: Vec<Option<RoleId>>,
    /// Who learns each output port. The last may be learned by nobody: it is kept.
    pub receivers: Vec<Vec<RoleId>>,
}

/// Evaluates circuits, each on what the one before kept.
pub trait Blocks {
    /// Evaluates the next one, on what this party gives: by input port, where it does. Gives what it learns, by output
    /// port; nothing in a dry run.
    ///
    /// # Errors
    /// When the network fails, or a check does.
    fn evaluate(
        &mut self,
        block: &Block,
        given: Vec<Option<FlatBits>>,
    ) -> Result<Vec<Option<FlatBits>>>;

    /// Rounds so far, by role: see [`Bits::rounds`].
    fn rounds(&mut self) -> Rounds;

    /// Time since the session started: see [`Bits::now`].
    fn now(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Starts to count this thread's work, on a virtual clock: see [`Bits::begin_at`].
    fn begin_at(&mut self, _at: Duration) {}

    /// Pushes out what is still buffered.
    ///
    /// # Errors
    /// When the network fails.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Ends the session for all threads and parties; `reason` must hold nothing secret.
    fn abort(&mut self, _kind: AbortKind, _reason: &str) {}
}

/// Draws, and has evaluated what it drew. All parties cut alike, whatever their values are.
pub struct InBlocks<E> {
    canvas: Canvas,
    circuits: Circuits,
    /// Who gives each input of the circuit that is being drawn.
    owners: Vec<Option<RoleId>>,
    given: Vec<Option<FlatBits>>,
    receivers: Vec<Vec<RoleId>>,
    /// Its ANDs so far, before what they have in common is found; and how many wires it had at first.
    ands: usize,
    first_wires: usize,
    /// How many ANDs end a circuit.
    most: usize,
    /// What evaluates.
    pub evaluator: E,
}

impl<E: Blocks> InBlocks<E> {
    /// Under a protocol, with circuits of about so many ANDs at most, or as many as wires go on.
    #[must_use]
    pub fn new(protocol: Protocol, most: usize, evaluator: E) -> Boolean<Self> {
        Boolean::new(InBlocks {
            canvas: Canvas::default(),
            circuits: Circuits::new(protocol),
            owners: Vec::new(),
            given: Vec::new(),
            receivers: Vec::new(),
            ands: 0,
            first_wires: 0,
            most,
            evaluator,
        })
    }

    /// What goes on from circuit to circuit takes work too: where it is much, circuits are larger.
    fn is_full(&self) -> bool {
        let wires = self.canvas.with(|b| b.wire_count());
        let most = self.most.max(self.first_wires);
        self.ands >= most || wires.saturating_sub(self.first_wires) >= MAX_WIRES
    }

    /// Adds an output port.
    fn output(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<()> {
        if receivers.is_empty() {
            return Err(wrong("an opening to nobody"));
        }
        let wires = wires(planes)?;
        self.canvas.with(|b| b.output(&wires));
        self.receivers.push(receivers.to_vec());
        Ok(())
    }

    /// Has what is drawn evaluated; gives what this party learns of it.
    fn cut(&mut self) -> Result<Vec<Option<FlatBits>>> {
        let (circuit, kept) = self.canvas.cut();
        let mut receivers = std::mem::take(&mut self.receivers);
        let owners = std::mem::take(&mut self.owners);
        let given = std::mem::take(&mut self.given);
        if kept > 0 {
            receivers.push(Vec::new());
            self.owners.push(None);
            self.given.push(None);
        }
        self.ands = 0;
        self.first_wires = self.canvas.with(|b| b.wire_count());
        let block = Block { circuit: circuit.finish(), owners, receivers };
        self.evaluator.evaluate(&block, given)
    }
}

impl<E: Blocks> Bits for InBlocks<E> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        let drawn = input(&self.canvas, planes, lanes)?;
        self.owners.push(Some(owner));
        self.given.push(values.map(|values| flat_of(values, planes, lanes)));
        Ok(drawn)
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        constants(&self.canvas, values, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.output(planes, receivers)?;
        let opened = self.cut()?.into_iter().next().flatten();
        opened.map(|flat| words_of(&flat, planes.planes, planes.lanes)).transpose()
    }

    fn open_all_planes(&mut self, all: &[(Planes, &[RoleId])]) -> Result<Vec<Option<Buffer<Z2>>>> {
        if all.is_empty() {
            return Ok(Vec::new());
        }
        all.iter().try_for_each(|(planes, receivers)| self.output(planes, receivers))?;
        let words = |(flat, (planes, _)): (Option<FlatBits>, &(Planes, _))| {
            flat.map(|flat| words_of(&flat, planes.planes, planes.lanes)).transpose()
        };
        self.cut()?.into_iter().zip(all).map(words).collect()
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        circuit.check_inputs(&inputs.iter().filter_map(|p| p.data.as_ref()).collect::<Vec<_>>())?;
        let names = || inputs.iter().map(|planes| wires(planes)).collect::<Result<Vec<_>>>();
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        let ands = ands(circuit.schedule());
        let (mut ports, columns) = (names()?, self.canvas.hold(Vec::new()));
        for lane in 0..lanes {
            if self.is_full() {
                self.cut()?;
                ports = names()?;
            }
            let input = |port: u32, bit: u32| ports[port as usize][bit as usize * lanes + lane];
            columns.extend(self.canvas.with(|b| draw(b, circuit.schedule(), input)));
            self.ands += ands;
        }
        Ok(by_port(&self.canvas, circuit.outputs(), &columns.wires(), lanes))
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn rounds(&mut self) -> Rounds {
        self.evaluator.rounds()
    }

    fn now(&mut self) -> Duration {
        self.evaluator.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.evaluator.begin_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        self.evaluator.flush()
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.evaluator.abort(kind, reason);
    }
}

fn ands(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}
