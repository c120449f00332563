//! One worker of one party: blocks of lanes, stage by stage.
//!
//! Stages are: inputs, one per level, outputs. A group of blocks goes through the stages
//! together; within a stage each block first finishes the previous stage and then begins this
//! one. So up to a group's worth of messages is under way while a block computes. All messages
//! of the role that works ahead are sent in the half-stage in which their receiver takes them,
//! which keeps both sides in the same order without tags.

use super::compile::{Compiled, InputPort};
use crate::values::Lanes;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;
use tacit_net::Phase;
use tacit_ring::Z2;
use tacit_sharing::multi_fan_in::wide::{self, WideScratch};
use tacit_sharing::party::{Ids, Keys};
use tacit_sharing::transfer::{self, Input, KeptDraws, Output, TransferScratch};
use tacit_sharing::{Draws, Party, Role, Shares, SharingError, Timing, products};

/// What a worker gives back: the opened words of its lanes, by port and bit.
pub(super) struct Opened {
    pub at: Range<usize>,
    /// `None` for ports that this party does not learn.
    pub ports: Vec<Option<Vec<Vec<u64>>>>,
}

/// Which part of a job a pass over the blocks does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// All of it.
    Whole,
    /// The ahead role's part of stored preprocessing: no online message.
    Ahead,
}

struct Block<'k> {
    at: Range<usize>,
    shares: Shares<Z2>,
    draws: Draws<'k>,
}

/// What the ahead role keeps between stored preprocessing and the online phase.
#[derive(Default)]
struct Kept {
    at: Range<usize>,
    inputs: Vec<KeptDraws<Z2>>,
    /// Shares of the outputs that it learns.
    outputs: Vec<Shares<Z2>>,
}

pub(super) struct Worker<'a, 'm, P> {
    compiled: &'a Compiled,
    party: Party<'m>,
    keys: &'a Keys,
    ids: Ids,
    values: &'a [Option<Lanes>],
    at: Range<usize>,
    progress: &'a (dyn Fn(u64) + Sync),
    products: products::Scratch<Z2>,
    wide: WideScratch<Z2>,
    transfer: TransferScratch<Z2>,
    buffer: Vec<Z2>,
    opened: Opened,
    role: PhantomData<P>,
}

impl<'a, 'm, P: Role> Worker<'a, 'm, P> {
    pub fn new(
        compiled: &'a Compiled,
        party: Party<'m>,
        keys: &'a Keys,
        values: &'a [Option<Lanes>],
        worker: usize,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let at = compiled.share_of(worker);
        let ports = compiled.outputs.iter().map(|port| {
            port.receivers.contains(&P::ROLE).then(|| vec![vec![0; at.len()]; port.slots.len()])
        });
        Worker {
            opened: Opened { at: at.clone(), ports: ports.collect() },
            compiled,
            party,
            keys,
            ids: Ids::default(),
            values,
            at,
            progress,
            products: products::Scratch::default(),
            wide: WideScratch::default(),
            transfer: TransferScratch::default(),
            buffer: Vec::new(),
            role: PhantomData,
        }
    }

    /// Preprocessing and evaluation in one go.
    pub fn interleaved(mut self) -> Result<(Opened, Option<Duration>), SharingError> {
        self.party.mesh().set_phase(Phase::Online);
        self.all_groups(Pass::Whole)?;
        self.party.flush()?;
        Ok((self.opened, None))
    }

    /// First all preprocessing, then evaluation. `expected[r]` is the number of bytes that role
    /// `r` sends to this one ahead. Also says when the online phase began.
    pub fn separate(
        mut self,
        expected: [usize; 3],
    ) -> Result<(Opened, Option<Duration>), SharingError> {
        self.party.mesh().set_phase(Phase::Offline);
        let kept = if P::PROTOCOL.ahead() == Some(P::ROLE) {
            self.all_groups(Pass::Ahead)?
        } else {
            for (role, bytes) in expected.into_iter().enumerate().filter(|(_, bytes)| *bytes > 0) {
                self.party.fetch_ahead(role, bytes)?;
            }
            Vec::new()
        };
        self.party.flush()?;
        let began = self.party.mesh().now();
        self.party.mesh().set_phase(Phase::Online);
        if P::PROTOCOL.ahead() == Some(P::ROLE) {
            self.online_of_ahead(kept)?;
        } else {
            self.all_groups(Pass::Whole)?;
        }
        self.party.flush()?;
        Ok((self.opened, Some(began)))
    }

    fn all_groups(&mut self, pass: Pass) -> Result<Vec<Kept>, SharingError> {
        let words = self.compiled.block_words;
        let blocks: Vec<Range<usize>> = self
            .at
            .clone()
            .step_by(words)
            .map(|start| start..(start + words).min(self.at.end))
            .collect();
        let slots = self.compiled.schedule.slots();
        let mut kept = Vec::new();
        for group in blocks.chunks(self.compiled.blocks.max(1)) {
            let draws = self.ids.step()?.draws(self.keys, group.len() as u32)?;
            let mut group: Vec<Block<'_>> = group
                .iter()
                .zip(draws)
                .map(|(at, draws)| Block {
                    at: at.clone(),
                    shares: Shares::new(slots, at.len()),
                    draws,
                })
                .collect();
            kept.extend(self.group(&mut group, pass)?);
            (self.progress)(group.iter().map(|b| b.at.len() as u64).sum());
        }
        Ok(kept)
    }

    /// Takes a group of blocks through all stages.
    fn group(&mut self, group: &mut [Block<'a>], pass: Pass) -> Result<Vec<Kept>, SharingError> {
        let depth = self.compiled.schedule.depth();
        let mut kept: Vec<Kept> =
            group.iter().map(|b| Kept { at: b.at.clone(), ..Kept::default() }).collect();
        self.party.mesh().set_step(0);
        for (block, kept) in group.iter_mut().zip(&mut kept) {
            self.begin_inputs(block, pass, kept)?;
        }
        for level in 0..=depth {
            self.party.mesh().set_step(level as u32);
            for block in group.iter_mut() {
                if level == 0 {
                    self.finish_inputs(block, pass)?;
                } else {
                    self.finish_level(block, level - 1)?;
                }
                block.shares.linear::<P>(self.compiled.schedule.linear(level));
                if level < depth {
                    self.begin_level(block, level)?;
                } else {
                    self.begin_outputs(block)?;
                }
            }
        }
        self.party.mesh().set_step(depth as u32 + 1);
        for (block, kept) in group.iter_mut().zip(&mut kept) {
            self.finish_outputs(block, pass, kept)?;
        }
        Ok(if pass == Pass::Ahead { kept } else { Vec::new() })
    }

    fn begin_inputs(
        &mut self,
        block: &mut Block<'a>,
        pass: Pass,
        kept: &mut Kept,
    ) -> Result<(), SharingError> {
        let compiled = self.compiled;
        for (index, port) in compiled.inputs.iter().enumerate() {
            if pass == Pass::Ahead && port.owner == P::ROLE && port.timing == Timing::Late {
                let draws = transfer::input_keep::<P, Z2>(
                    &mut block.draws,
                    &mut block.shares,
                    port_input(port, &[]),
                );
                kept.inputs.push(draws);
                continue;
            }
            if port.owner == P::ROLE {
                self.load(index, &block.at)?;
            }
            transfer::input_begin::<P, Z2>(
                &mut self.party,
                &mut block.draws,
                &mut self.transfer,
                &mut block.shares,
                port_input(port, &self.buffer),
            )?;
        }
        Ok(())
    }

    /// Copies the values of an input port, one run of words per bit, to the buffer.
    fn load(&mut self, port: usize, at: &Range<usize>) -> Result<(), SharingError> {
        let lanes = self.values[port]
            .as_ref()
            .ok_or_else(|| SharingError::Shape(format!("input {port} has no values")))?;
        self.buffer.clear();
        for bit in lanes.bits() {
            self.buffer.extend(bit[at.clone()].iter().map(|word| Z2(*word)));
        }
        Ok(())
    }

    fn finish_inputs(&mut self, block: &mut Block<'a>, pass: Pass) -> Result<(), SharingError> {
        let compiled = self.compiled;
        for port in &compiled.inputs {
            if pass == Pass::Ahead && port.owner == P::ROLE && port.timing == Timing::Late {
                continue;
            }
            let input = port_input(port, &[]);
            transfer::input_finish::<P, Z2>(
                &mut self.party,
                &mut self.transfer,
                &mut block.shares,
                input,
            )?;
        }
        Ok(())
    }

    fn begin_level(&mut self, block: &mut Block<'a>, level: usize) -> Result<(), SharingError> {
        let compiled = self.compiled;
        let Block { shares, draws, .. } = block;
        let gates = compiled.schedule.products(level);
        products::begin::<P, Z2>(&mut self.party, draws, &mut self.products, shares, gates)?;
        for gate in compiled.schedule.wide(level) {
            let gate = wide_gate(compiled, level, gate);
            wide::begin::<P, Z2>(&mut self.party, draws, &mut self.wide, shares, gate)?;
        }
        Ok(())
    }

    fn finish_level(&mut self, block: &mut Block<'a>, level: usize) -> Result<(), SharingError> {
        let compiled = self.compiled;
        let gates = compiled.schedule.products(level);
        let shares = &mut block.shares;
        products::finish::<P, Z2>(&mut self.party, &mut self.products, shares, gates)?;
        for gate in compiled.schedule.wide(level) {
            let gate = wide_gate(compiled, level, gate);
            wide::finish::<P, Z2>(&mut self.party, &mut self.wide, shares, gate)?;
        }
        Ok(())
    }

    fn begin_outputs(&mut self, block: &mut Block<'a>) -> Result<(), SharingError> {
        let compiled = self.compiled;
        for port in &compiled.outputs {
            let output = Output { receivers: &port.receivers, slots: &port.slots };
            let (party, scratch) = (&mut self.party, &mut self.transfer);
            transfer::output_begin::<P, Z2>(party, scratch, &block.shares, output)?;
        }
        Ok(())
    }

    fn finish_outputs(
        &mut self,
        block: &mut Block<'a>,
        pass: Pass,
        kept: &mut Kept,
    ) -> Result<(), SharingError> {
        let compiled = self.compiled;
        for (index, port) in compiled.outputs.iter().enumerate() {
            let mine = port.receivers.contains(&P::ROLE);
            if pass == Pass::Ahead && mine {
                kept.outputs.push(block.shares.subset(&port.slots));
            }
            let others: Vec<usize>;
            let receivers = if pass == Pass::Ahead {
                others = port.receivers.iter().copied().filter(|r| *r != P::ROLE).collect();
                &others
            } else {
                &port.receivers
            };
            let output = Output { receivers, slots: &port.slots };
            self.take(index, block.at.clone(), &block.shares, output)?;
        }
        Ok(())
    }

    /// Finishes opening a port for the words `at` and keeps what this party learns.
    fn take(
        &mut self,
        port: usize,
        at: Range<usize>,
        shares: &Shares<Z2>,
        output: Output<'_>,
    ) -> Result<(), SharingError> {
        self.buffer.clear();
        let (party, scratch) = (&mut self.party, &mut self.transfer);
        transfer::output_finish::<P, Z2>(party, scratch, shares, output, &mut self.buffer)?;
        let at = at.start - self.at.start..at.end - self.at.start;
        if let Some(bits) = &mut self.opened.ports[port] {
            for (bit, run) in bits.iter_mut().zip(self.buffer.chunks_exact(at.len())) {
                for (to, from) in bit[at.clone()].iter_mut().zip(run) {
                    *to = from.0;
                }
            }
        }
        Ok(())
    }

    /// The ahead role's online messages after stored preprocessing: its late inputs, and the
    /// outputs that it learns.
    fn online_of_ahead(&mut self, kept: Vec<Kept>) -> Result<(), SharingError> {
        let compiled = self.compiled;
        for block in &kept {
            let late = compiled
                .inputs
                .iter()
                .enumerate()
                .filter(|(_, port)| port.owner == P::ROLE && port.timing == Timing::Late);
            for ((index, _), draws) in late.zip(&block.inputs) {
                self.load(index, &block.at)?;
                transfer::input_send_kept::<P, Z2>(&mut self.party, draws, &self.buffer)?;
            }
        }
        self.party.flush()?;
        self.party.mesh().set_step(compiled.schedule.depth() as u32 + 1);
        for block in &kept {
            let mine = compiled.outputs.iter().enumerate();
            let mine = mine.filter(|(_, port)| port.receivers.contains(&P::ROLE));
            for ((index, port), shares) in mine.zip(&block.outputs) {
                let slots: Vec<u32> = (0..port.slots.len() as u32).collect();
                let output = Output { receivers: &[P::ROLE], slots: &slots };
                self.take(index, block.at.clone(), shares, output)?;
            }
        }
        Ok(())
    }
}

fn port_input<'v>(port: &'v InputPort, values: &'v [Z2]) -> Input<'v, Z2> {
    Input { owner: port.owner, timing: port.timing, slots: &port.slots, values }
}

fn wide_gate<'c>(
    compiled: &'c Compiled,
    level: usize,
    gate: &'c tacit_circuit::schedule::Wide,
) -> wide::Gate<'c> {
    wide::Gate {
        plan: compiled.plan(level, gate.poly),
        inputs: compiled.schedule.wide_inputs(gate),
        outputs: compiled.schedule.wide_outputs(gate),
    }
}
