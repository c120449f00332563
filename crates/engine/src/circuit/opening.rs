//! Output ports of blocks, opened to whom they are for.

use super::compile::{Compiled, Seating};
use std::collections::VecDeque;
use std::ops::Range;
use tacit_ring::{Word, Z2};
use tacit_sharing::transfer::{self, KeptDraws, Output, TransferScratch};
use tacit_sharing::verify::Pass;
use tacit_sharing::{Party, Role, RoleId, Shares, SharingError};
use zeroize::{Zeroize, Zeroizing};

/// What a worker gives back: the opened words of its lanes, by port and bit. Wiped when dropped.
pub(super) struct Opened {
    pub at: Range<usize>,
    /// `None` for ports that this party does not learn.
    pub ports: Vec<Option<Vec<Vec<u64>>>>,
}

impl Opened {
    pub fn new(seating: &Seating, role: RoleId, at: Range<usize>) -> Self {
        let ports = seating.outputs.iter().map(|port| {
            port.receivers.contains(&role).then(|| vec![vec![0; at.len()]; port.slots.len()])
        });
        Opened { ports: ports.collect(), at }
    }

    /// Keeps the bits of a port in one lane, each the lowest of a word.
    pub fn add_lane(&mut self, port: usize, lane: usize, bits: &[Z2]) {
        let Some(words) = &mut self.ports[port] else { return };
        for (word, bit) in words.iter_mut().zip(bits) {
            word[lane / 64 - self.at.start] |= bit.0 << (lane % 64);
        }
    }

    /// Keeps the words of a port's bits in the blocks `at`.
    pub fn put(&mut self, port: usize, at: &Range<usize>, words: &[Z2]) {
        let at = at.start - self.at.start..at.end - self.at.start;
        let Some(bits) = &mut self.ports[port] else { return };
        for (bit, run) in bits.iter_mut().zip(words.chunks_exact(at.len())) {
            for (to, from) in bit[at.clone()].iter_mut().zip(run) {
                *to = from.0;
            }
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.ports.iter_mut().flatten().flatten().for_each(Zeroize::zeroize);
    }
}

/// What is kept of a block for later.
#[derive(Default)]
pub(super) struct Kept {
    pub at: Range<usize>,
    /// Draws for the inputs whose values must wait for the online phase.
    pub inputs: Vec<KeptDraws<Z2>>,
    /// Shares of output ports, by port; empty for ports that are not kept.
    pub outputs: Vec<Shares<Z2>>,
}

impl Kept {
    pub fn new(at: Range<usize>) -> Self {
        Kept { at, ..Kept::default() }
    }
}

/// Opens ports.
pub(super) struct Opener {
    transfer: TransferScratch<Z2>,
    buffer: Zeroizing<Vec<Z2>>,
    pub opened: Opened,
}

impl Opener {
    pub fn new(compiled: &Compiled, seating: &Seating, opened: Opened) -> Self {
        let words = compiled.block_words.min(opened.at.len());
        Opener {
            transfer: TransferScratch::default(),
            buffer: Zeroizing::new(Vec::with_capacity(seating.widest_port() * words)),
            opened,
        }
    }

    /// Sends what opens the output.
    pub fn begin<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        pass: &Pass,
        shares: &Shares<Z2>,
        output: Output<'_>,
    ) -> Result<(), SharingError> {
        transfer::output_begin::<P, Z2>(party, pass, &mut self.transfer, shares, output)
    }

    /// Finishes opening a port for the words `at` and keeps what this party learns.
    pub fn take<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        pass: &Pass,
        (port, at): (usize, &Range<usize>),
        shares: &Shares<Z2>,
        output: Output<'_>,
    ) -> Result<(), SharingError> {
        let learned = output.receivers.contains(&P::ROLE);
        let words = if learned { output.slots.len() * at.len() } else { 0 };
        self.buffer.resize(words, Z2::ZERO);
        let (scratch, buffer) = (&mut self.transfer, &mut *self.buffer);
        transfer::output_finish::<P, Z2>(party, pass, scratch, shares, output, buffer)?;
        if learned {
            self.opened.put(port, at, &self.buffer);
        }
        Ok(())
    }

    /// Opens everything that was kept of all blocks, oldest first.
    pub fn open_all<P: Role>(
        &mut self,
        seating: &Seating,
        party: &mut Party<'_>,
        pass: &Pass,
        mut groups: VecDeque<Vec<Kept>>,
    ) -> Result<(), SharingError> {
        while let Some(group) = groups.pop_front() {
            for block in &group {
                for_ports(seating, |output, index| {
                    self.begin::<P>(party, pass, &block.outputs[index], output)
                })?;
            }
            for block in &group {
                for_ports(seating, |output, index| {
                    let shares = &block.outputs[index];
                    self.take::<P>(party, pass, (index, &block.at), shares, output)
                })?;
            }
        }
        party.flush()
    }
}

/// Calls `each` with every output port, of shares whose slots are the port's bits.
fn for_ports(
    seating: &Seating,
    mut each: impl FnMut(Output<'_>, usize) -> Result<(), SharingError>,
) -> Result<(), SharingError> {
    for (index, port) in seating.outputs.iter().enumerate() {
        let slots: Vec<u32> = (0..port.slots.len() as u32).collect();
        each(Output { receivers: &port.receivers, slots: &slots }, index)?;
    }
    Ok(())
}
