//! A circuit ahead of its inputs: masks of all wires, and shares of the products of masks.

use super::layers::{Cut, Gates, Tape, blank, inputs, store};
use super::party::{Gmw, only_lanes};
use super::products::Made;
use super::wide;
use std::collections::VecDeque;
use tacit_circuit::schedule::{Product, Schedule};
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::role::RoleId;
use tacit_sharing::shares::Shares;

/// A circuit, and the masks of its input ports.
#[derive(Clone, Copy)]
pub(super) struct Walk<'c> {
    pub schedule: &'c Schedule,
    pub cut: Cut,
    pub ports: &'c [&'c BitPlanes],
    pub lanes: usize,
}

/// What a circuit takes, used once.
pub(super) struct Masked {
    pub tape: Tape,
    /// The masks of output ports.
    pub outputs: Vec<BitPlanes>,
    /// The masks of output ports that open to this party.
    pub opened: VecDeque<Buffer<Z2>>,
}

impl Walk<'_> {
    /// Takes masks through the circuit, block after block, where `masks` are those of products: to the output ports.
    /// `each` gets what every level multiplies.
    fn through(
        &self,
        masks: &[Z2],
        mut each: impl FnMut(Gates<'_>, &Shares<Z2>) -> Result<(), SharingError>,
    ) -> Result<Vec<BitPlanes>, SharingError> {
        let Walk { schedule, cut, ports, lanes } = *self;
        let words = lanes.div_ceil(64);
        let [count, ..] = wide::tape_words(schedule, 0..schedule.depth());
        let mut outputs = blank(schedule, lanes);
        for at in cut.ranges(words) {
            let mut slots: Shares<Z2> = Shares::with(1, schedule.slots(), at.len());
            for (slot, [mask, _]) in inputs(schedule, ports, words) {
                slots.runs_mut(slot)[0].copy_from_slice(&mask[at.clone()]);
            }
            let mut masks = masks[count * at.start..count * at.end].chunks_exact(at.len());
            for level in 0..=schedule.depth() {
                // A negation changes the public value alone.
                slots.linear_with(schedule.linear(level), &[Z2::ZERO]);
                if level == schedule.depth() {
                    break;
                }
                let gates = Gates { schedule, level };
                each(gates, &slots)?;
                for (result, mask) in gates.results().zip(&mut masks) {
                    slots.runs_mut(result)[0].copy_from_slice(mask);
                }
            }
            store(schedule, &slots, &at, words, &mut outputs);
        }
        Ok(outputs)
    }
}

impl Gmw<'_> {
    /// Makes fresh masks for all products of a circuit, and the products of masks; and sends this party's shares of
    /// the masks of output ports to those who learn them, where there are any.
    pub(super) fn masked(
        &mut self,
        walk: Walk<'_>,
        receivers: &[Vec<RoleId>],
    ) -> Result<Masked, SharingError> {
        let Walk { schedule, lanes, .. } = walk;
        wide::check(schedule, self.method)?;
        let words = wide::tape_words(schedule, 0..schedule.depth());
        let [fresh, pairs, larger] = words.map(|words| words * lanes.div_ceil(64));
        let mut masks = Buffer::zeros(fresh);
        self.fresh(&mut masks)?;
        self.products.start(pairs, self.method.packed(lanes));
        let outputs = walk.through(&masks, |gates, slots| self.push_pairs(gates, slots))?;
        for (output, receivers) in outputs.iter().zip(receivers) {
            let used = only_lanes(output);
            self.open_masks(&used.as_ref().unwrap_or(output).shares.first, receivers)?;
        }
        let Made { products: pairs, masks: opened } = self.products.finish(self.mesh)?;
        let larger = match larger {
            0 => Buffer::default(),
            words => self.larger(walk, &masks, &pairs, words)?,
        };
        Ok(Masked {
            tape: Tape::new(self.method, lanes, vec![masks, pairs, larger]),
            outputs,
            opened,
        })
    }

    /// Multiplies the masks of both inputs of a level's products, and of any two inputs of its wider ones.
    fn push_pairs(&mut self, gates: Gates<'_>, slots: &Shares<Z2>) -> Result<(), SharingError> {
        let mask = |slot: u32| slots.runs(slot)[0];
        for Product { a, b, .. } in gates.products() {
            self.products.push(self.mesh, mask(*a), mask(*b))?;
        }
        for (inputs, _) in gates.wide() {
            for pair in wide::pairs(inputs.len()) {
                let [a, b] = [pair.trailing_zeros(), pair.ilog2()].map(|i| inputs[i as usize]);
                self.products.push(self.mesh, mask(a), mask(b))?;
            }
        }
        Ok(())
    }

    /// Computes `words` words of products of more than two masks, from products of pairs.
    fn larger(
        &mut self,
        walk: Walk<'_>,
        masks: &[Z2],
        mut pairs: &[Z2],
        words: usize,
    ) -> Result<Buffer<Z2>, SharingError> {
        self.products.start(words, self.method.packed(walk.lanes));
        walk.through(masks, |gates, slots| {
            let [_, count, _] = wide::tape_words(gates.schedule, gates.level..gates.level + 1);
            let (level, rest) = pairs.split_at(count * slots.words());
            pairs = rest;
            self.push_larger(gates, slots, level)
        })?;
        Ok(self.products.finish(self.mesh)?.products)
    }

    /// Multiplies the halves of all larger sets of a level's inputs, with the products of its pairs.
    fn push_larger(
        &mut self,
        gates: Gates<'_>,
        slots: &Shares<Z2>,
        pairs: &[Z2],
    ) -> Result<(), SharingError> {
        let mut pairs = pairs.chunks_exact(slots.words()).skip(gates.products().len());
        for (inputs, _) in gates.wide() {
            let made: Vec<&[Z2]> =
                wide::pairs(inputs.len()).zip(&mut pairs).map(|(_, run)| run).collect();
            let product = |set: usize| match set.count_ones() {
                1 => slots.runs(inputs[set.trailing_zeros() as usize])[0],
                _ => made[wide::place(inputs.len(), set)],
            };
            for set in wide::larger(inputs.len()) {
                let [first, others] = wide::halves(set).map(product);
                self.products.push(self.mesh, first, others)?;
            }
        }
        Ok(())
    }
}
