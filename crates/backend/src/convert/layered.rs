//! A Boolean circuit over bit planes, blocks of lanes at a time.

use super::BitPlanes;
use super::masked_party::check;
use crate::cost::{self, Traffic};
use std::collections::VecDeque;
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Circuit, passes};
use tacit_proof::Bill;
use tacit_ring::Z2;
use tacit_sharing::Protocol;
use tacit_sharing::SharingError;
use tacit_sharing::level::{Level, LevelScratch};
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::party::{Draws, Keys, Party};
use tacit_sharing::role::Role;
use tacit_sharing::shares::Shares;

/// Slots of one block: what stays in the outer caches.
const BLOCK_BYTES: usize = 1 << 20;
/// Slots of all blocks under way, at most: where levels are narrow, messages would be few for many blocks.
const HELD_BYTES: usize = 1 << 30;
/// Bytes that the pass that works ahead may be ahead, but always a group.
const AHEAD_BYTES: usize = 32 << 20;

/// A circuit laid out for a protocol.
pub struct Layered {
    schedule: Schedule,
    plans: Vec<PolyPlan>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    busiest: usize,
    /// By level, statements that are proven with a word of lanes, in order: how many, and of how many products each.
    proven: Vec<Vec<(usize, usize)>>,
}

impl Layered {
    /// Lays out `circuit`. Wide gates are lowered for protocols that have none.
    #[must_use]
    pub fn new(circuit: &Circuit, protocol: Protocol) -> Self {
        let folded = protocol.lower(&passes::fold(circuit));
        let form = if protocol.fan_in() < 8 { Form::Quadratic } else { Form::Dealer };
        let schedule = Schedule::new(&folded);
        let plans = schedule.polys().iter().map(|poly| PolyPlan::new(poly, form)).collect();
        let mut layered = Layered {
            inputs: circuit.input_widths().iter().map(|w| *w as usize).collect(),
            outputs: schedule.outputs().iter().map(Vec::len).collect(),
            schedule,
            plans,
            busiest: 0,
            proven: Vec::new(),
        };
        layered.proven = (0..layered.depth()).map(|it| cost::proven(layered.level(it))).collect();
        let levels =
            (0..layered.depth()).map(|l| cost::level(layered.level(l), protocol).busiest());
        layered.busiest = levels.max().unwrap_or(0) as usize;
        layered
    }

    /// Adds what is proven, or made, of all products on so many words of lanes to a bill, in the order in which [`Layered::evaluate`]
    /// keeps it.
    pub fn add_to(&self, bill: &mut Bill, words: usize, window: usize) {
        if self.proven.iter().flatten().all(|(_, terms)| *terms == 1) {
            // Of what is all alike it does not matter what comes first.
            let all: usize = self.proven.iter().flatten().map(|(alike, _)| alike).sum();
            if all > 0 {
                bill.add(1, all * words, 1);
            }
            return;
        }
        let (block, blocks) = self.blocking(words, window);
        for start in (0..words).step_by(block * blocks) {
            let group = start..(start + block * blocks).min(words);
            for level in &self.proven {
                // Nor does it where all of a level is.
                let together = if level.len() == 1 { group.len() } else { block };
                for at in group.clone().step_by(together) {
                    bill.add_runs(level, together.min(group.end - at));
                }
            }
        }
    }

    /// Widths of the input ports.
    #[must_use]
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// Widths of the output ports.
    #[must_use]
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// Levels of products: rounds.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.schedule.depth()
    }

    /// The products of a level.
    #[must_use]
    pub fn level(&self, level: usize) -> Level<'_> {
        Level::new(&self.schedule, &self.plans, level)
    }

    /// 64-lane words that all products cost per word of lanes.
    #[must_use]
    pub fn traffic(&self, protocol: Protocol) -> Traffic {
        (0..self.depth())
            .fold(Traffic::default(), |sum, level| sum + cost::level(self.level(level), protocol))
    }

    /// Groups of blocks that `words` words are evaluated in, one after the other, with about `window` bytes of messages under way.
    #[must_use]
    pub fn groups(&self, words: usize, window: usize) -> usize {
        let (block, blocks) = self.blocking(words, window);
        words.div_ceil(block).div_ceil(blocks)
    }

    /// The circuit's layout.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Checks that there is a value for every input bit, on as many lanes.
    ///
    /// # Errors
    /// When there is not.
    pub fn check_inputs(&self, inputs: &[&BitPlanes]) -> Result<(), SharingError> {
        let lanes = inputs.first().map_or(0, |port| port.lanes);
        let fits = inputs.len() == self.inputs.len()
            && inputs.iter().zip(&self.inputs).all(|(port, width)| {
                port.lanes == lanes && (lanes == 0 || port.planes() == *width)
            });
        check(fits, "a circuit's inputs")
    }

    /// Words per block and blocks under way.
    pub(crate) fn blocking(&self, words: usize, window: usize) -> (usize, usize) {
        let slot_bytes = self.schedule.slots().max(1) * 16;
        let fitting = 1usize << (BLOCK_BYTES / slot_bytes).clamp(64, 1024).ilog2();
        let block = fitting.min(words.max(1));
        let level_bytes = (self.busiest.max(1) * 8 * block).max(1);
        let held = (slot_bytes * block).max(1);
        (block, window.div_ceil(level_bytes).min(HELD_BYTES / held).max(2))
    }

    /// Evaluates the circuit on shares of its input ports, each of its width, with about `window` bytes of messages under way.
    ///
    /// # Errors
    /// When the network fails or widths and lanes do not fit.
    pub fn evaluate<P: Role>(
        &self,
        party: &mut Party<'_>,
        keys: &mut Keys,
        scratch: &mut LevelScratch,
        inputs: &[&BitPlanes],
        window: usize,
    ) -> Result<Vec<BitPlanes>, SharingError> {
        let lanes = inputs.first().map_or(0, |port| port.lanes);
        self.check_inputs(inputs)?;
        let mut outputs: Vec<BitPlanes> =
            self.outputs.iter().map(|width| BitPlanes::zeros_of::<P>(*width, lanes)).collect();
        let words = lanes.div_ceil(64);
        let (block, blocks) = self.blocking(words, window);
        let ranges: Vec<Range<usize>> =
            (0..words).step_by(block).map(|at| at..(at + block).min(words)).collect();
        // Of a role of two passes one is some groups ahead of the other.
        let group_bytes =
            (self.busiest.max(1) * 8 * block).saturating_mul(blocks * self.depth().max(1));
        let lead = if P::TWO_PASSES { (AHEAD_BYTES / group_bytes).max(1) } else { 0 };
        let mut begun: VecDeque<(&[Range<usize>], Vec<Draws<'_>>)> = VecDeque::new();
        let mut streams = keys.streams();
        let mut groups = ranges.chunks(blocks);
        loop {
            let next = groups.next();
            if let Some(group) = next {
                let mut draws = streams.step(group.len() as u32)?;
                let ahead: Option<Vec<Draws<'_>>> =
                    draws.iter_mut().map(Draws::ahead::<P>).collect();
                if let Some(ahead) = ahead {
                    let mut group = self.load_all::<P::Ahead>(group, ahead, inputs, words);
                    self.levels::<P::Ahead>(party, scratch, &mut group)?;
                }
                begun.push_back((group, draws));
            }
            if next.is_none() || begun.len() > lead {
                let Some((group, draws)) = begun.pop_front() else { return Ok(outputs) };
                let mut group = self.load_all::<P>(group, draws, inputs, words);
                self.levels::<P>(party, scratch, &mut group)?;
                for lanes in &group {
                    self.store(lanes, &mut outputs, words);
                }
            }
        }
    }

    /// The input shares of a group of blocks, each with its draws.
    fn load_all<'k, P: Role>(
        &self,
        group: &[Range<usize>],
        draws: Vec<Draws<'k>>,
        inputs: &[&BitPlanes],
        words: usize,
    ) -> Vec<Lanes<'k>> {
        let blocks = group.iter().zip(draws);
        blocks.map(|(at, draws)| self.load::<P>(at.clone(), draws, inputs, words)).collect()
    }

    fn load<'k, P: Role>(
        &self,
        at: Range<usize>,
        draws: Draws<'k>,
        inputs: &[&BitPlanes],
        words: usize,
    ) -> Lanes<'k> {
        let mut shares = Shares::of::<P>(self.schedule.slots(), at.len());
        for input in self.schedule.inputs() {
            let port = &inputs[input.port as usize].shares;
            let start = input.bit as usize * words;
            let from = start + at.start..start + at.end;
            let runs = shares.runs_mut(input.slot).into_iter().zip(port.components());
            runs.filter(|(to, _)| !to.is_empty())
                .for_each(|(to, port)| to.copy_from_slice(&port[from.clone()]));
        }
        Lanes { at, shares, draws }
    }

    fn store(&self, lanes: &Lanes<'_>, outputs: &mut [BitPlanes], words: usize) {
        for (slots, port) in self.schedule.outputs().iter().zip(outputs) {
            for (bit, slot) in slots.iter().enumerate() {
                let at = bit * words + lanes.at.start..bit * words + lanes.at.end;
                let runs = port.shares.components_mut().into_iter().zip(lanes.shares.runs(*slot));
                runs.filter(|(_, run)| !run.is_empty())
                    .for_each(|(port, run)| port[at.clone()].copy_from_slice(run));
            }
        }
    }

    /// Takes a group of blocks through all levels: within a level each block first finishes the
    /// previous one, so that a group's worth of messages is under way.
    fn levels<P: Role>(
        &self,
        party: &mut Party<'_>,
        scratch: &mut LevelScratch,
        group: &mut [Lanes<'_>],
    ) -> Result<(), SharingError> {
        for level in 0..=self.depth() {
            party.next_step();
            for Lanes { shares, draws, .. } in group.iter_mut() {
                if level > 0 {
                    self.level(level - 1).finish::<P>(party, draws, scratch, shares)?;
                }
                shares.linear::<P>(self.schedule.linear(level));
                if level < self.depth() {
                    self.level(level).begin::<P>(party, draws, scratch, shares)?;
                }
            }
        }
        Ok(())
    }
}

struct Lanes<'k> {
    at: Range<usize>,
    shares: Shares<Z2>,
    draws: Draws<'k>,
}
