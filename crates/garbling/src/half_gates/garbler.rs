//! A garbler ahead of inputs: shares of masks and products with the other garblers, columns, masks of outputs.

use super::garble::garble;
use super::online::Garbler as Done;
use super::{EVALUATOR, column_blocks};
use crate::bmr::{Garbling, Opening, Seat, add_zeros};
use crate::chain::Blocks;
use crate::cot::take;
use crate::ports::KEPT;
use crate::tweak::Hash;
use crate::{Bits, Ports};
use tacit_gmw::{FAN, KeysWithFirst, WorkerKeys};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// In place of who gives an input, among the garblers: the evaluator, so that it has no mask.
const UNMASKED: RoleId = KEPT - 1;

/// A worker of a party that garbles.
pub(super) struct Garbler<'m> {
    /// Among the garblers, whose roles are one lower there.
    pub(super) seat: Seat<'m>,
    evaluator: PartyId,
    pub(super) first: KeysWithFirst,
    hash: Hash,
}

impl<'m> Garbler<'m> {
    /// `places[r]` plays role `r`.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        (session, hash): (&[u8], Hash),
    ) -> Result<Self, SharingError> {
        let (first, keys) = keys.split_first()?;
        let seat = Seat::new(mesh, &places[1..], keys, session, Opening::Single)?;
        Ok(Garbler { seat, evaluator: places[EVALUATOR], first, hash })
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.seat.links.mesh
    }

    /// What labels of a wire have in common.
    pub fn offset(&self) -> Zeroizing<u128> {
        self.seat.common.offset.clone()
    }

    /// How many garble.
    fn garblers(&self) -> usize {
        self.seat.common.parties
    }

    /// Blocks of a wire.
    pub fn width(&self) -> usize {
        2 * self.garblers()
    }

    /// Garbles a circuit for instances that go on from wires; gives those that they keep.
    pub fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Vec<Done>, Vec<Blocks>), SharingError> {
        self.mesh().set_phase(Phase::Offline);
        let owner = |role: RoleId| match role {
            KEPT => KEPT,
            EVALUATOR => UNMASKED,
            role => role - 1,
        };
        let inputs: Vec<_> =
            ports.inputs.iter().map(|(role, bits)| (owner(*role), *bits)).collect();
        let among = Ports { inputs: &inputs, ..ports };
        self.seat.make_transfers(among, from.len())?;
        let mut all = Vec::with_capacity(from.len());
        for from in from {
            all.push(self.seat.begin(among, from)?);
        }
        // One garbler alone has all masks.
        if self.garblers() > 1 {
            self.multiply(&mut all)?;
        }
        let (mut done, mut kept) = (Vec::with_capacity(from.len()), Vec::with_capacity(from.len()));
        for it in all {
            let (garbled, next) = self.open(ports, &it)?;
            done.push(garbled);
            kept.push(next);
        }
        for (garbled, column) in &mut done {
            self.take_parts(ports, garbled, column)?;
        }
        let mut ready = Vec::with_capacity(from.len());
        for (mut garbled, _) in done {
            self.take_choices(ports, &mut garbled)?;
            ready.push(garbled);
        }
        self.mesh().flush()?;
        Ok((ready, kept))
    }

    /// Shares of the products of masks of all ANDs' inputs.
    fn multiply(&mut self, all: &mut [Garbling<'_>]) -> Result<(), SharingError> {
        all.iter_mut().try_for_each(|it| self.seat.take_masks(it))?;
        all.iter_mut().try_for_each(|it| self.seat.take_cross(it))?;
        all.iter_mut().try_for_each(|it| self.seat.take_products(it))
    }

    /// Garbles, and sends the others' parts of columns and of masks. Gives what it has itself, its part of its own column,
    /// and what goes on.
    fn open(
        &mut self,
        ports: Ports<'_>,
        it: &Garbling<'_>,
    ) -> Result<((Done, Buffer<u128>), Blocks), SharingError> {
        let made = garble(&self.seat.common, self.hash, (ports, it));
        for (target, column) in made.others.iter().enumerate() {
            if target != self.seat.common.me {
                self.seat.links.send(target, Stream::Def, column)?;
            }
        }
        let mut masks = Vec::with_capacity(1 + self.garblers());
        for (role, mut shares) in made.masks.into_iter().enumerate() {
            self.add_zeros(role, &mut shares)?;
            masks.push(shares);
        }
        let me = 1 + self.seat.common.me;
        for (role, masks) in masks.iter().enumerate().filter(|(role, _)| *role != me) {
            self.seat.links.mesh.send(self.place(role), Stream::Pre, word::bytes(&masks.words))?;
        }
        let (mut labels, mut lambdas) =
            (Buffer::zeros(ports.shown()), Bits::zeros(ports.given_by(me)));
        let (mut shown, mut given) = (0, 0);
        for (wire, owner) in it.wires()[0].chunks_exact(self.width()).zip(ports.owners()) {
            if owner != KEPT {
                labels[shown] = wire[me - 1];
                shown += 1;
            }
            if owner == me {
                lambdas.flip_if(given, wire[self.garblers() + me - 1] & 1 == 1);
                given += 1;
            }
        }
        let done = Done { labels, lambdas, masks: masks.swap_remove(me) };
        Ok(((done, made.own), made.kept))
    }

    /// Adds a share of zero to shares of masks that a role learns: among the garblers what role 0 does, among all what a
    /// garbler does.
    fn add_zeros(&mut self, role: RoleId, shares: &mut Bits) -> Result<(), SharingError> {
        self.seat.add_zeros(&mut shares.words)?;
        if role != EVALUATOR {
            let first = &mut self.first;
            add_zeros(&first.zeros, &mut first.zero_ids, word::bytes_mut(&mut shares.words))?;
        }
        Ok(())
    }

    fn place(&self, role: RoleId) -> PartyId {
        match role {
            EVALUATOR => self.evaluator,
            role => self.seat.links.party(role - 1),
        }
    }

    /// Takes the others' parts of this party's column and of masks that it learns; sends the column to the evaluator.
    fn take_parts(
        &mut self,
        ports: Ports<'_>,
        garbled: &mut Done,
        column: &mut Buffer<u128>,
    ) -> Result<(), SharingError> {
        debug_assert_eq!(column.len(), column_blocks(self.garblers()) * ports.ands());
        let links = &mut self.seat.links;
        for peer in links.peers() {
            links.recv_sum(peer, Stream::Def, column)?;
            let masks = links.recv::<u64>(peer, Stream::Pre, garbled.masks.words.len())?;
            garbled.masks.add(&masks);
        }
        links.mesh.send(self.evaluator, Stream::Def, word::bytes(column))?;
        *column = Buffer::default();
        Ok(())
    }

    /// Takes the evaluator's random choices: labels of its inputs are sent under the keys that they give.
    fn take_choices(&mut self, ports: Ports<'_>, garbled: &mut Done) -> Result<(), SharingError> {
        let count = ports.given_by(EVALUATOR);
        let words = count.div_ceil(64) * FAN.message_bits();
        let mut message = Buffer::<u64>::zeros(words);
        let evaluator = self.evaluator;
        self.mesh().recv(evaluator, Stream::Def, word::bytes_mut(&mut message))?;
        let chosen: Vec<usize> = {
            let shown = ports.owners().filter(|owner| *owner != KEPT).enumerate();
            shown.filter(|(_, owner)| *owner == EVALUATOR).map(|(i, _)| i).collect()
        };
        let labels = &mut garbled.labels;
        let taken =
            take(&mut self.first.sender, count, &message, |i, key| labels[chosen[i]] ^= key);
        taken.map_err(|error| tacit_gmw::malformed(self.seat.links.mesh, evaluator, error))
    }
}
