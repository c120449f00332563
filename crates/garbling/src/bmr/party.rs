//! One worker of one party of BMR: many instances at a time, message by message.

use super::evaluate::evaluate;
use super::garble::Garbling;
use crate::links::{GateNumbers, Links};
use crate::ports::{self, check_values};
use crate::prf::LabelPrf;
use crate::{Bits, Ports};
use std::sync::Arc;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::prg::Permutation;
use tacit_ring::{Buffer, hash, word};
use tacit_sharing::gmw::WorkerKeys;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// What all instances of a worker have in common.
pub(super) struct Common {
    pub parties: usize,
    pub me: RoleId,
    /// `R` of this party.
    pub offset: Zeroizing<u128>,
    pub pi: Arc<Permutation>,
    pub prf: LabelPrf,
}

impl Common {
    /// Blocks of a wire.
    pub fn width(&self) -> usize {
        2 * self.parties
    }
}

/// A garbled circuit, and this party's secrets for its ports. It is used once: by giving it up.
pub struct Garbled {
    pub(super) first_gate: u64,
    /// Gate after gate four rows, each a block for every column.
    pub(super) table: Buffer<u128>,
    /// Zero labels of all inputs.
    pub(super) labels: Zeroizing<Vec<u128>>,
    /// This party's masks of inputs.
    pub(super) lambdas: Zeroizing<Vec<u128>>,
    /// Masks of the outputs that this party learns.
    pub(super) masks: Bits,
}

/// A worker of a party.
pub struct Bmr<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    common: Common,
    gates: GateNumbers,
}

impl<'m> Bmr<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set and is the same towards
    /// everybody.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
    ) -> Result<Self, SharingError> {
        let wrong = |what: &str| SharingError::Shape(what.into());
        let links = Links::new(mesh, places)?;
        let me = links.me;
        let offset = keys.delta.clone().filter(|delta| **delta & 1 == 1);
        let offset = offset.ok_or_else(|| wrong("an offset that is no offset of labels"))?;
        let key = hash::derive_key("tacit 2026 BMR label function", &[session]);
        let prf = LabelPrf::new(*key.first_chunk().expect("sixteen of thirty-two bytes"));
        let common = Common { parties: places.len(), me, offset, pi: keys.pi.clone(), prf };
        // Workers have gates of their own, as they have the same offset.
        let gates = GateNumbers::new(keys.number)?;
        Ok(Bmr { links, keys, common, gates })
    }

    /// A share of zero.
    fn zero(&mut self, words: &mut [u64]) -> Result<(), SharingError> {
        let number = self.keys.zero_ids.step()?.single().number();
        let mut part = Buffer::<u64>::zeros(words.len());
        for prg in &self.keys.zeros {
            prg.fill(number, 0, word::bytes_mut(&mut part));
            words.iter_mut().zip(&*part).for_each(|(word, part)| *word ^= part);
        }
        Ok(())
    }

    /// Draws labels and masks, and sends the choices of masks.
    fn begin<'p>(&mut self, ports: Ports<'p>) -> Result<Garbling<'p>, SharingError> {
        let mut random = Buffer::<u128>::zeros(Garbling::random_blocks(ports));
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut random);
        let first = self.gates.take(ports.ands())?;
        let mut it = Garbling::new(&self.common, ports, first, &random);
        for peer in self.links.peers() {
            let (receiver, _) = self.keys.ends(peer)?;
            let message = it.choose_masks(&self.common, peer, receiver);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(it)
    }

    /// Takes the peers' choices of masks, and sends the cross terms.
    fn take_masks(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            let words = it.masks_message(peer, |words| self.keys.message_words(words));
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let (_, sender) = self.keys.ends(peer)?;
            let taken = it.take_masks(&self.common, peer, sender, &message);
            self.links.checked(peer, taken)?;
        }
        let crossed = it.cross(&self.common);
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, &crossed[peer].words)?;
        }
        Ok(())
    }

    /// Takes the peers' cross terms, and sends the choices of products.
    fn take_cross(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        let words = it.ands().div_ceil(64);
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            it.take_cross(peer, &message);
        }
        let mut zero = Buffer::<u64>::zeros(words);
        self.zero(&mut zero)?;
        it.fix_products(&self.common, &zero);
        for peer in self.links.peers() {
            let (receiver, _) = self.keys.ends(peer)?;
            let message = it.choose_products(&self.common, peer, receiver);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(())
    }

    /// Takes the peers' choices of products, and sends rows and shares of masks that open.
    fn take_products(
        &mut self,
        ports: Ports<'_>,
        it: &mut Garbling<'_>,
    ) -> Result<(), SharingError> {
        let words = self.keys.message_words(it.ands().div_ceil(64));
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let (_, sender) = self.keys.ends(peer)?;
            let taken = it.take_products(&self.common, peer, sender, &message);
            self.links.checked(peer, taken)?;
        }
        let learned = (0..self.common.parties).map(|role| ports.learned_by(role));
        let mut zeros: Vec<Bits> = learned.map(Bits::zeros).collect();
        for zero in &mut zeros {
            self.zero(&mut zero.words)?;
        }
        let columns = it.rows(&self.common, &zeros);
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, &columns[peer])?;
            self.links.send(peer, Stream::Pre, &it.opened[peer].words)?;
        }
        Ok(())
    }

    /// Takes the peers' rows of this party's column, and sends the column.
    fn take_rows(&mut self, ports: Ports<'_>, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        let rows = 4 * it.ands();
        let words = ports.learned_by(self.common.me).div_ceil(64);
        for peer in self.links.peers() {
            it.add_rows(&self.links.recv::<u128>(peer, Stream::Def, rows)?);
            let masks = self.links.recv::<u64>(peer, Stream::Pre, words)?;
            let mine = &mut it.opened[self.common.me].words;
            mine.iter_mut().zip(&*masks).for_each(|(mine, theirs)| *mine ^= theirs);
        }
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, it.column())?;
        }
        Ok(())
    }

    /// Takes the peers' columns.
    fn take_columns(
        &mut self,
        _: Ports<'_>,
        mut it: Garbling<'_>,
    ) -> Result<Garbled, SharingError> {
        let mut columns: Vec<Buffer<u128>> = Vec::new();
        for role in 0..self.common.parties {
            columns.push(match role == self.common.me {
                true => Buffer::default(),
                false => self.links.recv(role, Stream::Def, 4 * it.ands())?,
            });
        }
        let masks = it.opened.swap_remove(self.common.me);
        Ok(it.finish(&self.common, &columns, masks))
    }
}

impl ports::Garbling for Bmr<'_> {
    type Garbled = Vec<Garbled>;

    fn role(&self) -> RoleId {
        self.common.me
    }

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn prepare(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
    ) -> Result<Vec<Garbled>, SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let mut all = Vec::with_capacity(instances);
        for _ in 0..instances {
            all.push(self.begin(ports)?);
        }
        for it in &mut all {
            self.take_masks(it)?;
        }
        for it in &mut all {
            self.take_cross(it)?;
        }
        for it in &mut all {
            self.take_products(ports, it)?;
        }
        for it in &mut all {
            self.take_rows(ports, it)?;
        }
        let garbled = all.into_iter().map(|it| self.take_columns(ports, it));
        let garbled = garbled.collect::<Result<_, _>>()?;
        self.links.mesh.flush()?;
        Ok(garbled)
    }

    fn run(
        &mut self,
        ports: Ports<'_>,
        garbled: Vec<Garbled>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        check_values(ports, self.common.me, garbled.len(), values)?;
        self.links.mesh.set_phase(Phase::Online);
        self.links.mesh.set_step(0);
        let (me, owners) = (self.common.me, ports.owners().collect::<Vec<_>>());
        let mut public: Vec<Bits> =
            garbled.iter().map(|_| Bits::zeros(ports.schedule.inputs().len())).collect();
        for ((public, garbled), values) in public.iter_mut().zip(&garbled).zip(values) {
            let mine = owners.iter().enumerate().filter(|(_, owner)| **owner == me);
            let mut sent = Bits::zeros(ports.given_by(me));
            for (i, (input, _)) in mine.enumerate() {
                let bit = values.get(i) ^ (garbled.lambdas[input] == 1);
                sent.flip_if(i, bit);
                public.flip_if(input, bit);
            }
            for peer in self.links.peers() {
                self.links.send(peer, Stream::On, &sent.words)?;
            }
        }
        for public in &mut public {
            for peer in self.links.peers() {
                let count = ports.given_by(peer);
                let words = self.links.recv::<u64>(peer, Stream::On, count.div_ceil(64))?;
                let theirs = owners.iter().enumerate().filter(|(_, owner)| **owner == peer);
                for (i, (input, _)) in theirs.enumerate() {
                    public.flip_if(input, words[i / 64] >> (i % 64) & 1 == 1);
                }
            }
        }
        self.links.mesh.set_step(1);
        let mut own = Vec::with_capacity(garbled.len());
        for (garbled, public) in garbled.iter().zip(&public) {
            let mut labels = Buffer::<u128>::zeros(garbled.labels.len());
            for (i, (label, zero)) in labels.iter_mut().zip(&*garbled.labels).enumerate() {
                *label = zero ^ (u128::from(public.get(i)) * *self.common.offset);
            }
            for peer in self.links.peers() {
                self.links.send(peer, Stream::On, &labels)?;
            }
            own.push(labels);
        }
        let mut learned = Vec::with_capacity(garbled.len());
        for (garbled, own) in garbled.into_iter().zip(own) {
            let mut labels = Vec::with_capacity(self.common.parties);
            let (count, mut own) = (own.len(), Some(own));
            for role in 0..self.common.parties {
                labels.push(match role == me {
                    true => own.take().unwrap_or_default(),
                    false => self.links.recv(role, Stream::On, count)?,
                });
            }
            let result = evaluate(&self.common, ports, &garbled, &labels);
            learned.push(result.ok_or_else(|| {
                let what = "labels of a wire do not agree: a party did not follow the protocol";
                SharingError::from(self.links.mesh.check_failed(what.into()))
            })?);
        }
        self.links.mesh.flush()?;
        Ok(learned)
    }
}
