//! Silent transfers with every other party: made ahead of choices, as many as a chunk of instances takes.

use crate::cot::{Chooser, Offerer};
use crate::links::Links;
use tacit_gmw::{FAN, SilentStart, WorkerKeys};
use tacit_net::Stream;
use tacit_ot::silent::{Receiver, Sender};
use tacit_ring::Buffer;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Transfers that wait to be used: each once, in order.
#[derive(Default)]
pub(crate) struct Made {
    blocks: Buffer<u128>,
    /// How many of them there are already.
    made: usize,
    used: usize,
}

impl Made {
    /// Room for so many.
    fn of(count: usize) -> Self {
        Made { blocks: Buffer::zeros(count), made: 0, used: 0 }
    }

    /// How many are still to be made.
    fn missing(&self) -> usize {
        self.blocks.len() - self.made
    }

    /// Room for the next of them, which are made then.
    fn room(&mut self, count: usize) -> &mut [u128] {
        let at = self.made..self.made + count;
        self.made = at.end;
        &mut self.blocks[at]
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

impl Pair {
    fn is_short(&self) -> bool {
        self.chosen.missing() + self.offered.missing() > 0
    }
}

/// A worker's transfers with every other party.
pub(crate) enum Transfers {
    /// They are made with choices.
    Extending,
    /// They are made before.
    Silent(Silent),
}

/// Transfers that are made before the choices are known.
pub(crate) struct Silent {
    start: SilentStart,
    /// By role.
    pairs: Vec<Pair>,
}

impl Transfers {
    /// The transfers of a worker, silent where its keys have a start for them.
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
    /// which the peer does. One message from who offers; before the first one from who chooses, as where a chain of rounds
    /// has ended.
    pub fn make(
        &mut self,
        links: &mut Links<'_>,
        keys: &mut WorkerKeys,
        counts: impl Fn(RoleId) -> [usize; 2],
    ) -> Result<(), SharingError> {
        let Transfers::Silent(silent) = self else { return Ok(()) };
        for peer in links.peers() {
            let pair = &mut silent.pairs[peer];
            [pair.chosen, pair.offered] = counts(peer).map(Made::of);
        }
        while silent.pairs.iter().any(Pair::is_short) {
            silent.begin(links, keys)?;
            silent.make(links)?;
        }
        Ok(())
    }
}

impl Silent {
    /// Ends that are needed and not there, or whose chain has ended, from ordinary transfers.
    fn begin(&mut self, links: &mut Links<'_>, keys: &mut WorkerKeys) -> Result<(), SharingError> {
        let Silent { start, pairs } = self;
        for peer in links.peers() {
            let Pair { receiver, chosen, .. } = &mut pairs[peer];
            if chosen.missing() > 0 && receiver.as_ref().is_none_or(|end| end.rest() == 0) {
                let (party, (base, _)) = (links.party(peer), keys.ends(peer)?);
                *receiver = Some(start.receiver(links.mesh, party, base)?);
            }
        }
        for peer in links.peers() {
            let Pair { sender, offered, .. } = &mut pairs[peer];
            if offered.missing() > 0 && sender.as_ref().is_none_or(|end| end.rest() == 0) {
                let (party, (_, base)) = (links.party(peer), keys.ends(peer)?);
                *sender = Some(start.sender(links.mesh, party, base)?);
            }
        }
        Ok(())
    }

    /// Makes what is missing, as far as chains go.
    fn make(&mut self, links: &mut Links<'_>) -> Result<(), SharingError> {
        for peer in links.peers() {
            let Pair { sender: Some(sender), offered, .. } = &mut self.pairs[peer] else {
                continue;
            };
            let count = offered.missing().min(sender.rest());
            let mut message = vec![0; sender.message_blocks(count)];
            let made = sender.correlate(&mut message, offered.room(count));
            links.checked(peer, made)?;
            links.send(peer, Stream::Def, &message)?;
        }
        for peer in links.peers() {
            let Pair { receiver: Some(receiver), chosen, .. } = &mut self.pairs[peer] else {
                continue;
            };
            let count = chosen.missing().min(receiver.rest());
            let message = links.recv::<u128>(peer, Stream::Def, receiver.message_blocks(count))?;
            let made = receiver.correlate(&message, chosen.room(count));
            links.checked(peer, made)?;
        }
        Ok(())
    }
}
