//! Silent transfers with every other party: made ahead of choices, as many as a chunk of instances takes.

use crate::cot::{Chooser, Offerer};
use crate::links::Links;
use tacit_net::Stream;
use tacit_ot::silent::{Receiver, Sender};
use tacit_ring::Buffer;
use tacit_sharing::gmw::{FAN, SilentStart, WorkerKeys};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Transfers that wait to be used: each once, in order.
#[derive(Default)]
pub(crate) struct Made {
    blocks: Buffer<u128>,
    used: usize,
}

impl Made {
    fn new(blocks: Buffer<u128>) -> Self {
        Made { blocks, used: 0 }
    }

    /// The next blocks. Of who chooses, the lowest bits are the choices.
    pub fn next(&mut self, count: usize) -> &[u128] {
        let at = self.used..self.used + count;
        self.used = at.end;
        &self.blocks[at]
    }
}

/// Both directions with one peer. Their ends are there once there was a transfer.
#[derive(Default)]
struct Pair {
    receiver: Option<Receiver>,
    sender: Option<Sender>,
    chosen: Made,
    offered: Made,
}

/// A worker's transfers with every other party.
pub(crate) enum Transfers {
    /// They are made with choices.
    Extending,
    /// They are made before.
    Silent(Silent),
}

/// Those that are made before.
pub(crate) struct Silent {
    start: SilentStart,
    /// By role.
    pairs: Vec<Pair>,
}

impl Transfers {
    /// Those of a worker.
    pub fn of(keys: &mut WorkerKeys, roles: usize) -> Self {
        let pairs = (0..roles).map(|_| Pair::default()).collect();
        match keys.take_silent() {
            Some(start) => Transfers::Silent(Silent { start, pairs }),
            None => Transfers::Extending,
        }
    }

    /// This party's end of the transfers from a peer.
    pub fn chooser<'a>(
        &'a mut self,
        keys: &'a mut WorkerKeys,
        peer: RoleId,
    ) -> Result<Chooser<'a>, SharingError> {
        match self {
            Transfers::Silent(silent) => Ok(Chooser::Silent(&mut silent.pairs[peer].chosen)),
            Transfers::Extending => Ok(Chooser::Extending(keys.ends(peer)?.0)),
        }
    }

    /// This party's end of the transfers to a peer, under its offset.
    pub fn offerer<'a>(
        &'a mut self,
        keys: &'a mut WorkerKeys,
        (peer, offset): (RoleId, u128),
    ) -> Result<Offerer<'a>, SharingError> {
        match self {
            Transfers::Silent(silent) => {
                Ok(Offerer::Silent(&mut silent.pairs[peer].offered, Zeroizing::new(offset)))
            }
            Transfers::Extending => Ok(Offerer::Extending(keys.ends(peer)?.1)),
        }
    }

    /// What waits of transfers from a peer, if they are silent.
    pub fn chosen(&mut self, peer: RoleId) -> Option<&mut Made> {
        match self {
            Transfers::Silent(silent) => Some(&mut silent.pairs[peer].chosen),
            Transfers::Extending => None,
        }
    }

    /// What waits of transfers to a peer, if they are silent.
    pub fn offered(&mut self, peer: RoleId) -> Option<&mut Made> {
        match self {
            Transfers::Silent(silent) => Some(&mut silent.pairs[peer].offered),
            Transfers::Extending => None,
        }
    }

    /// Words of a message that chooses so many words.
    pub fn message_words(&self, words: usize) -> usize {
        match self {
            Transfers::Silent(_) => words,
            Transfers::Extending => words * FAN.message_bits(),
        }
    }

    /// Makes so many transfers with every peer, if they are silent: those in which this party chooses, and those in
    /// which the peer does. One message from who offers; before the first one from who chooses.
    pub fn make(
        &mut self,
        links: &mut Links<'_>,
        keys: &mut WorkerKeys,
        counts: impl Fn(RoleId) -> [usize; 2],
    ) -> Result<(), SharingError> {
        let Transfers::Silent(silent) = self else { return Ok(()) };
        silent.begin(links, keys, &counts)?;
        for peer in links.peers() {
            let (count, pair) = (counts(peer)[1], &mut silent.pairs[peer]);
            let Some(sender) = &mut pair.sender else { continue };
            let mut blocks = Buffer::zeros(count);
            let mut message = vec![0; sender.message_blocks(count)];
            let made = sender.correlate(&mut message, &mut blocks);
            links.checked(peer, made)?;
            links.send(peer, Stream::Def, &message)?;
            pair.offered = Made::new(blocks);
        }
        for peer in links.peers() {
            let (count, pair) = (counts(peer)[0], &mut silent.pairs[peer]);
            let Some(receiver) = &mut pair.receiver else { continue };
            let mut blocks = Buffer::zeros(count);
            let message = links.recv::<u128>(peer, Stream::Def, receiver.message_blocks(count))?;
            let made = receiver.correlate(&message, &mut blocks);
            links.checked(peer, made)?;
            pair.chosen = Made::new(blocks);
        }
        Ok(())
    }
}

impl Silent {
    /// Ends that are needed and not there yet, from ordinary transfers.
    fn begin(
        &mut self,
        links: &mut Links<'_>,
        keys: &mut WorkerKeys,
        counts: &impl Fn(RoleId) -> [usize; 2],
    ) -> Result<(), SharingError> {
        let Silent { start, pairs } = self;
        for peer in links.peers() {
            if counts(peer)[0] > 0 && pairs[peer].receiver.is_none() {
                let (party, (base, _)) = (links.party(peer), keys.ends(peer)?);
                pairs[peer].receiver = Some(start.receiver(links.mesh, (peer, party), base)?);
            }
        }
        for peer in links.peers() {
            if counts(peer)[1] > 0 && pairs[peer].sender.is_none() {
                let (party, (_, base)) = (links.party(peer), keys.ends(peer)?);
                pairs[peer].sender = Some(start.sender(links.mesh, (peer, party), base)?);
            }
        }
        Ok(())
    }
}
