//! Outputs: what opens them is kept until the checks of everything that a party computes have passed, and
//! then sent.

use super::masks::{Masks, shares};
use super::rows::Layout;
use super::talk::{Digest, Opening, Talk, Voice, recv_shares};
use super::{EVALUATOR, FIRST_GARBLER};
use crate::links::Links;
use crate::{Bits, Ports};
use tacit_circuit::schedule::Slot;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::Buffer;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Public values by slot, instance by instance, of circuits whose checks have passed at this party.
pub(super) struct Checked(pub Vec<Vec<bool>>);

/// Outputs of some instances, which passed this party's checks. [`open`] takes them.
pub struct Unopened {
    voice: Voice,
    number: u64,
    delta: Zeroizing<u128>,
    /// Shares of masks for each party that learns something, and digests of their MACs.
    given: Vec<(RoleId, Bits, Digest)>,
    /// Of what this party learns, each slot once: its shares of masks, and its keys for the others', by role.
    own: Bits,
    keys: Vec<Buffer<u128>>,
    /// Instance by instance, with every repetition: public values, and which of those slots each is.
    public: Vec<Bits>,
    places: Vec<usize>,
}

impl Unopened {
    pub(super) fn new(
        talk: &mut Talk<'_>,
        ports: Ports<'_>,
        learned: &[Vec<Slot>],
        masks: &Masks,
        delta: &Zeroizing<u128>,
        Checked(slots): Checked,
    ) -> Self {
        let (me, voice, number) = (talk.links.me, talk.voice, talk.agreed_number());
        let layout = Layout { parties: talk.links.parties(), me };
        let shares = |role: RoleId| shares(&masks.outputs[role]);
        let column = |role: RoleId, place: usize| {
            let rows = &masks.outputs[role];
            (0..rows.len()).map(move |i| rows.get(i)[place])
        };
        let mut given = Vec::new();
        for peer in talk.links.peers().filter(|peer| !learned[*peer].is_empty()) {
            let digest = voice.macs("output", number, [me, peer], column(peer, layout.mac(peer)));
            given.push((peer, talk.said("output", &shares(peer)), digest));
        }
        let mut keys: Vec<Buffer<u128>> = learned.iter().map(|_| Buffer::default()).collect();
        for peer in talk.links.peers() {
            let all: Zeroizing<Vec<u128>> = Zeroizing::new(column(me, layout.key(peer)).collect());
            keys[peer] = Buffer::from_slice(&all);
        }
        let place = |slot: Slot| learned[me].binary_search(&slot).expect("a slot that is learned");
        let used: Vec<Slot> = ports.slots_learned_by(me).collect();
        let public = slots.iter().map(|slots| {
            let mut bits = Bits::zeros(used.len());
            used.iter().enumerate().for_each(|(i, slot)| bits.flip_if(i, slots[*slot as usize]));
            bits
        });
        Unopened {
            voice,
            number,
            delta: delta.clone(),
            given,
            own: shares(me),
            keys,
            public: public.collect(),
            places: used.iter().map(|slot| place(*slot)).collect(),
        }
    }

    fn give(&self, links: &mut Links<'_>) -> Result<(), SharingError> {
        for (peer, bits, digest) in &self.given {
            links.send(*peer, Stream::On, &bits.words)?;
            links.send(*peer, Stream::On, digest)?;
        }
        Ok(())
    }

    /// Adds a peer's shares of masks to this party's.
    fn take(&mut self, links: &mut Links<'_>, peer: RoleId) -> Result<(), SharingError> {
        if self.own.len == 0 {
            return Ok(());
        }
        let (label, number, len, delta) = ("output", self.number, self.own.len, *self.delta);
        let keys = self.keys[peer].iter().copied();
        let opening = Opening { label, number, len, keys, delta };
        let theirs = recv_shares(links, (self.voice, Stream::On), peer, opening)?;
        self.own.words.iter_mut().zip(&theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        Ok(())
    }

    /// The values, once all shares are there.
    fn values(mut self) -> Vec<Bits> {
        let different = self.own.len / self.public.len().max(1);
        for (instance, bits) in self.public.iter_mut().enumerate() {
            for (i, place) in self.places.iter().enumerate() {
                bits.flip_if(i, self.own.get(instance * different + place));
            }
        }
        self.public
    }
}

/// Opens outputs: garblers first, then the evaluator. Call it when whatever this party computes together has
/// passed its checks. Gives what it learns, instance by instance, bit by bit, port after port.
///
/// # Errors
/// When the network fails, or a peer opens something else.
pub fn open(
    mesh: &mut Mesh,
    places: &[PartyId],
    mut all: Vec<Unopened>,
) -> Result<Vec<Vec<Bits>>, SharingError> {
    mesh.set_phase(Phase::Online);
    mesh.set_step(4);
    let mut links = Links::new(mesh, places)?;
    if links.me != EVALUATOR {
        all.iter().try_for_each(|outputs| outputs.give(&mut links))?;
    }
    for outputs in &mut all {
        for peer in links.peers().filter(|peer| *peer >= FIRST_GARBLER) {
            outputs.take(&mut links, peer)?;
        }
    }
    links.mesh.set_step(5);
    for outputs in &mut all {
        match links.me {
            EVALUATOR => outputs.give(&mut links)?,
            _ => outputs.take(&mut links, EVALUATOR)?,
        }
    }
    links.mesh.flush()?;
    Ok(all.into_iter().map(Unopened::values).collect())
}
