//! A program circuit by circuit: how it is evaluated by a [`Chain`], and what that costs.

use crate::bmr::Opening;
use crate::garbler::{Counter, Garbler, Terms};
use crate::garblers::garbler;
use crate::ports::KEPT;
use crate::{Bits, Chain, Ports};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tacit_backend::{Block, Blocks, FlatBits};
use tacit_circuit::schedule::Schedule;
use tacit_net::AbortKind;
use tacit_sharing::cost::{MAX_ROLES, Rounds, Traffic};
use tacit_sharing::{Protocol, RoleId, SharingError};

type Result<T> = std::result::Result<T, SharingError>;

/// More steps than a circuit takes online.
const STEPS: u32 = 8;

/// A circuit laid out, and who gives and learns its bits.
struct LaidOut {
    schedule: Schedule,
    inputs: Vec<(RoleId, usize)>,
    outputs: Vec<Vec<RoleId>>,
}

impl LaidOut {
    fn new(protocol: Protocol, block: &Block) -> Self {
        // Folded as it was drawn.
        let schedule = Schedule::new(&protocol.lower(&block.circuit));
        let widths = block.circuit.input_widths().iter().map(|width| *width as usize);
        let owners = block.owners.iter().map(|owner| owner.unwrap_or(KEPT));
        LaidOut { schedule, inputs: owners.zip(widths).collect(), outputs: block.receivers.clone() }
    }

    fn ports(&self) -> Ports<'_> {
        Ports { schedule: &self.schedule, inputs: &self.inputs, outputs: &self.outputs, guards: 0 }
    }
}

/// Evaluates a program's circuits by a chain.
pub struct Chained<'m> {
    chain: Box<dyn Chain + Send + 'm>,
    cost: Arc<Mutex<ChainCost>>,
    step: u32,
}

impl<'m> Chained<'m> {
    /// What the circuits cost is added to `cost`, which is of the same protocol.
    #[must_use]
    pub fn new(chain: Box<dyn Chain + Send + 'm>, cost: Arc<Mutex<ChainCost>>) -> Self {
        Chained { chain, cost, step: 0 }
    }
}

impl Blocks for Chained<'_> {
    fn evaluate(
        &mut self,
        block: &Block,
        given: Vec<Option<FlatBits>>,
    ) -> Result<Vec<Option<FlatBits>>> {
        let laid_out = {
            let mut cost = self.cost.lock().unwrap_or_else(PoisonError::into_inner);
            let laid_out = LaidOut::new(cost.protocol, block);
            cost.add(laid_out.ports());
            laid_out
        };
        let (ports, me) = (laid_out.ports(), self.chain.me());
        let values = own(&laid_out, me, &given)?;
        // What is waited for in different circuits is not the same round.
        self.chain.mesh().set_first_step(self.step);
        self.step = self.step.saturating_add(STEPS);
        let learned = self.chain.evaluate_next(ports, values)?;
        let mut bits = (0..learned.len).map(|i| u8::from(learned.get(i)));
        let port = |(to, slots): (&Vec<RoleId>, &Vec<_>)| {
            let learns = to.contains(&me);
            learns.then(|| FlatBits::new(bits.by_ref().take(slots.len()).collect()))
        };
        Ok(ports.outputs.iter().zip(ports.schedule.outputs()).map(port).collect())
    }

    fn rounds(&mut self) -> Rounds {
        let mut rounds = [0; MAX_ROLES];
        rounds[self.chain.me()] = self.chain.mesh().rounds();
        rounds
    }

    fn now(&mut self) -> Duration {
        let mesh = self.chain.mesh();
        mesh.begin_work_at(Duration::ZERO);
        mesh.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.chain.mesh().begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.chain.mesh().flush()?)
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.chain.mesh().abort(kind, reason);
    }
}

/// The bits that a role gives, in the order of the schedule's inputs.
fn own(laid_out: &LaidOut, me: RoleId, given: &[Option<FlatBits>]) -> Result<Bits> {
    let wrong = || SharingError::Shape("an input's values".into());
    let mut bits = Bits::zeros(laid_out.ports().given_by(me));
    let inputs = laid_out.schedule.inputs().iter();
    let mine = inputs.filter(|input| laid_out.inputs[input.port as usize].0 == me);
    for (i, input) in mine.enumerate() {
        let port = given[input.port as usize].as_ref().ok_or_else(wrong)?;
        bits.flip_if(i, *port.get(input.bit as usize).ok_or_else(wrong)? == 1);
    }
    Ok(bits)
}

/// What a program's circuits cost, one after the other.
pub struct ChainCost {
    protocol: Protocol,
    garbler: &'static dyn Garbler,
    terms: Terms,
    counter: Box<dyn Counter>,
    rounds: Rounds,
    ands: u64,
}

impl ChainCost {
    /// Nothing yet; nothing for protocols whose circuits do not go on from each other.
    #[must_use]
    pub fn new(protocol: Protocol, opening: Opening) -> Option<Self> {
        let garbler = garbler(protocol).filter(|garbler| garbler.goes_on().is_some())?;
        let terms = Terms { opening, ..Terms::of(protocol) };
        let (counter, rounds) = (garbler.counter(&terms), [0; MAX_ROLES]);
        Some(ChainCost { protocol, garbler, terms, counter, rounds, ands: 0 })
    }

    /// Adds a circuit.
    pub fn add(&mut self, ports: Ports<'_>) {
        self.counter.add(ports, 1);
        self.ands += ports.ands() as u64;
        for (role, waits) in self.rounds.iter_mut().enumerate().take(self.terms.parties) {
            *waits += self.garbler.rounds(&self.terms, ports, role);
        }
    }

    /// By role, how often it waits online.
    #[must_use]
    pub fn rounds(&self) -> Rounds {
        self.rounds
    }

    /// ANDs of all of them.
    #[must_use]
    pub fn ands(&self) -> u64 {
        self.ands
    }

    /// Bytes per directed link.
    #[must_use]
    pub fn bytes(&self) -> Traffic {
        self.counter.bytes()
    }
}

impl Blocks for ChainCost {
    fn evaluate(
        &mut self,
        block: &Block,
        _: Vec<Option<FlatBits>>,
    ) -> Result<Vec<Option<FlatBits>>> {
        self.add(LaidOut::new(self.protocol, block).ports());
        Ok(block.receivers.iter().map(|_| None).collect())
    }

    fn rounds(&mut self) -> Rounds {
        self.rounds
    }
}
