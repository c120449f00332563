//! Inputs of two parties where gates are sent as they are garbled: those of who evaluates are choices of correlated
//! transfers, whose blocks are the labels.

use super::gates::GARBLER;
use super::party::Yao;
use super::streamed::{Inputs, Streamed};
use crate::Bits;
use crate::links::Links;
use crate::protocols;
use crate::silent::Transfers;
use tacit_backend::Boolean;
use tacit_gmw::WorkerKeys;
use tacit_net::Stream;
use tacit_ring::Buffer;
use tacit_ring::secret::if_set;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

type Result<T> = std::result::Result<T, SharingError>;

/// Who evaluates.
const EVALUATOR: RoleId = 1 - GARBLER;

/// What inputs come from.
struct Chosen {
    keys: WorkerKeys,
    transfers: Transfers,
    offset: Zeroizing<u128>,
}

impl<'m> Yao<'m> {
    /// This worker, for a program, or circuits, whose gates are sent as they are garbled.
    #[must_use]
    pub fn streamed(self) -> Boolean<Streamed<'m>> {
        let Yao { links, offset, keys, key, gates, transfers } = self;
        let inputs = Box::new(Chosen { keys, transfers, offset: offset.clone() });
        Streamed::new(links, (key, gates), offset, (protocols::YAO, inputs))
    }
}

impl Chosen {
    /// Labels of bits of the garbler.
    fn give(&mut self, links: &mut Links<'_>, bits: &Bits) -> Result<Buffer<u128>> {
        let mut labels = Buffer::zeros(bits.len);
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut labels);
        let mut message = labels.clone();
        for (i, label) in message.iter_mut().enumerate() {
            *label ^= if_set(bits.get(i), *self.offset);
        }
        links.send(EVALUATOR, Stream::On, &message)?;
        // Role 1 waits for them, and this role perhaps for nothing before many tables.
        links.mesh.flush()?;
        Ok(labels)
    }

    /// Labels of bits of the evaluator.
    fn choose(&mut self, links: &mut Links<'_>, bits: &Bits) -> Result<Buffer<u128>> {
        self.transfers.make(links, &mut self.keys, |_| [bits.len, 0])?;
        let mut labels = Buffer::zeros(bits.len);
        let chooser = self.transfers.chooser(&mut self.keys, GARBLER)?;
        let message = chooser.choose(bits, |i, block| labels[i] = block);
        let message = links.checked(GARBLER, message)?;
        links.send(GARBLER, Stream::On, &message)?;
        Ok(labels)
    }

    /// At the garbler, zero labels of `count` bits of the evaluator.
    fn offer(&mut self, links: &mut Links<'_>, count: usize) -> Result<Buffer<u128>> {
        self.transfers.make(links, &mut self.keys, |_| [0, count])?;
        let words = self.transfers.message_words(count.div_ceil(64));
        let message = links.recv::<u64>(EVALUATOR, Stream::On, words)?;
        let mut labels = Buffer::zeros(count);
        let offerer = self.transfers.offerer(&mut self.keys, (EVALUATOR, *self.offset))?;
        let taken = offerer.take(count, &message, |i, block| labels[i] = block);
        links.checked(EVALUATOR, taken)?;
        Ok(labels)
    }
}

impl Inputs for Chosen {
    fn labels(
        &mut self,
        links: &mut Links<'_>,
        owner: RoleId,
        bits: &Bits,
        count: usize,
    ) -> Result<Buffer<u128>> {
        match (owner == GARBLER, owner == links.me) {
            (true, true) => self.give(links, bits),
            (true, false) => links.recv(GARBLER, Stream::On, count),
            (false, true) => self.choose(links, bits),
            (false, false) => self.offer(links, count),
        }
    }
}
