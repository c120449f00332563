//! One worker of one party.

use super::evaluate::{self, Evaluator};
use super::garble::{Garbler, blocks, follow, lowest_bits};
use super::masks::{self, Masks, Source, extra_bits, learned_slots};
use super::outputs::{Checked, Unopened};
use super::rows::{Layout, Rows};
use super::talk::{Digest, Talk};
use super::triples::{self, Triples, batches, bucket};
use super::tweak::Hash;
use super::{EVALUATOR, FIRST_GARBLER, bits};
use crate::links::Links;
use crate::ports::{self, check_values};
use crate::{Bits, Ports};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::gf128::inner_product;
use tacit_ring::{Buffer, hash, word};
use tacit_sharing::gmw::WorkerKeys;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// A circuit garbled for some instances, and this party's secrets. It is used once: by giving it up.
pub struct Garbled {
    instances: usize,
    masks: Masks,
    /// The number of the first gate, among all of this worker.
    first: u64,
    made: Made,
}

enum Made {
    Garbler {
        /// Zero labels of inputs, and of outputs of ANDs, instance after instance.
        inputs: Buffer<u128>,
        labels: Buffer<u128>,
    },
    Evaluator {
        /// Blocks of all gates, by role; none at the evaluator's.
        tables: Vec<Buffer<u128>>,
        lowest: Bits,
    },
}

/// A worker of a party.
pub struct Authenticated<'m> {
    talk: Talk<'m>,
    layout: Layout,
    hash: Hash,
    delta: Zeroizing<u128>,
    triples: Triples,
    next_triple: u64,
    next_gate: u64,
}

/// Tosses the coin that names the session, and checks that every party uses one Delta towards all. Before
/// any worker begins, with keys of its own.
///
/// # Errors
/// When the network fails, or a peer is found to deviate.
pub fn set_up(
    mesh: &mut Mesh,
    places: &[PartyId],
    keys: WorkerKeys,
    session: &[u8],
) -> Result<[u8; 32], SharingError> {
    finish_set_up(begin(mesh, places, keys, session)?)
}

pub(super) fn begin<'m>(
    mesh: &'m mut Mesh,
    places: &[PartyId],
    keys: WorkerKeys,
    session: &[u8],
) -> Result<Talk<'m>, SharingError> {
    mesh.set_phase(Phase::Setup);
    let sid = hash::derive_key("tacit 2026 authenticated garbling set-up", &[session]);
    Ok(Talk::new(Links::new(mesh, places)?, keys, sid))
}

pub(super) fn finish_set_up(mut talk: Talk<'_>) -> Result<[u8; 32], SharingError> {
    let coin = talk.commit_coin("coin:sid")?;
    let coin = talk.hear(coin)?;
    talk.voice.sid = talk.toss(coin)?;
    if talk.links.parties() > 2 {
        bits::check_deltas(&mut talk)?;
    }
    talk.links.mesh.flush()?;
    Ok(talk.voice.sid)
}

/// The public values that inputs get: an instance's, input after input.
struct Masked {
    values: Vec<Bits>,
}

impl<'m> Authenticated<'m> {
    /// `places[r]` plays role `r`: role 0 evaluates, the others garble. `sid` is what [`set_up`] gave, and
    /// keys come from where its keys came from.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or keys have no common Delta of this protocol.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        sid: &[u8; 32],
    ) -> Result<Self, SharingError> {
        let (links, worker) = (Links::new(mesh, places)?, keys.number);
        let layout = Layout { parties: links.parties(), me: links.me };
        let talk = Talk::new(links, keys, *sid);
        let delta = bits::delta(&talk)?;
        let low = if layout.me == EVALUATOR { layout.parties as u128 & 1 } else { 1 };
        if *delta & 1 != low {
            return Err(SharingError::Shape("a Delta of another protocol".into()));
        }
        Ok(Authenticated {
            talk,
            layout,
            hash: Hash::new(sid, worker)?,
            delta,
            triples: Triples::none(layout),
            next_triple: 0,
            next_gate: 0,
        })
    }

    #[cfg(test)]
    pub(super) fn cheat(&mut self, cheat: Option<super::talk::Cheat>) {
        self.talk.cheat = cheat;
    }

    fn is_evaluator(&self) -> bool {
        self.layout.me == EVALUATOR
    }

    /// Makes what triples are missing, and with the first batch the bits that masks need.
    fn masks(&mut self, ports: Ports<'_>, instances: usize) -> Result<Masks, SharingError> {
        let extra = extra_bits(ports, self.layout.parties, instances);
        let missing = (instances * ports.ands()).saturating_sub(self.triples.left());
        let mut source = None;
        for count in batches(missing) {
            let none = vec![0; extra.len()];
            let extra = if source.is_none() { &extra } else { &none };
            let leaky = count * bucket(count);
            let (made, bits) =
                triples::make(&mut self.talk, self.hash, self.next_triple, count, extra)?;
            self.next_triple += leaky as u64;
            self.triples.add(made);
            source.get_or_insert((bits, 3 * leaky));
        }
        let (bits, skipped) = match source {
            Some(source) => source,
            None => (bits::extend(&mut self.talk, &extra)?, 0),
        };
        let source = Source { bits: &bits, skipped };
        masks::multiply(&mut self.talk, ports, instances, source, &mut self.triples, *self.delta)
    }

    fn garble(&mut self, ports: Ports<'_>, garbled: &mut Garbled) -> Result<(), SharingError> {
        let (ands, inputs) = (ports.ands(), ports.schedule.inputs().len());
        let instances = garbled.instances;
        let mut zeros = Buffer::<u128>::zeros(instances * inputs);
        let id = self.talk.keys.ids.step()?.single();
        self.talk.keys.own.stream(id).fill(&mut zeros);
        let mut labels = Buffer::<u128>::zeros(instances * ands);
        let mut lowest = Bits::zeros(instances * ands);
        for instance in 0..instances {
            let start = instance * ands;
            let garbler = Garbler {
                layout: self.layout,
                hash: self.hash,
                delta: *self.delta,
                masks: &garbled.masks,
                first: garbled.first + start as u64,
                start,
            };
            let made = garbler.garble(ports, &zeros[instance * inputs..(instance + 1) * inputs]);
            self.talk.links.send(EVALUATOR, Stream::Def, &made.table)?;
            labels[start..start + ands].copy_from_slice(&made.labels);
            lowest_bits(&made.labels, start, &mut lowest);
        }
        if self.layout.me == FIRST_GARBLER {
            self.talk.links.send(EVALUATOR, Stream::Def, &lowest.words)?;
        }
        garbled.made = Made::Garbler { inputs: zeros, labels };
        Ok(())
    }

    fn take_gates(&mut self, ports: Ports<'_>, garbled: &mut Garbled) -> Result<(), SharingError> {
        let gates = garbled.instances * ports.ands();
        let mut tables = vec![Buffer::default()];
        for garbler in 1..self.layout.parties {
            let mut table = Buffer::zeros(gates * blocks(self.layout.parties));
            // In the pieces in which it was sent.
            for piece in table.chunks_mut((ports.ands() * blocks(self.layout.parties)).max(1)) {
                self.talk.links.recv_into(garbler, Stream::Def, piece)?;
            }
            tables.push(table);
        }
        let lowest = self.talk.recv_bits(FIRST_GARBLER, gates)?;
        garbled.made = Made::Evaluator { tables, lowest };
        Ok(())
    }

    /// Everybody's inputs under their masks; all parties hear the same.
    fn masked_inputs(
        &mut self,
        ports: Ports<'_>,
        garbled: &Garbled,
        values: &[Bits],
    ) -> Result<Masked, SharingError> {
        let (me, instances) = (self.layout.me, garbled.instances);
        let given: Vec<usize> = (0..self.layout.parties).map(|role| ports.given_by(role)).collect();
        let mut mine = Bits::zeros(instances * given[me]);
        for i in 0..mine.len {
            let value = values[i / given[me]].get(i % given[me]);
            mine.flip_if(i, value ^ garbled.masks.inputs.get(i));
        }
        for peer in self.talk.links.peers() {
            self.talk.links.send(peer, Stream::On, &mine.words)?;
        }
        let mut all = vec![mine];
        for peer in self.talk.links.peers() {
            let theirs = self.talk.recv_bits(peer, instances * given[peer])?;
            all.push(theirs);
        }
        // From own first to by role.
        all[..=me].rotate_left(1);
        self.talk.links.mesh.set_step(1);
        let heard: Vec<Vec<u8>> =
            all.iter().map(|bits| word::bytes(&bits.words).to_vec()).collect();
        self.talk.echo("masked", &heard)?;
        let mut next = vec![0; self.layout.parties];
        let mut values = Vec::with_capacity(instances);
        for _ in 0..instances {
            let mut bits = Bits::zeros(ports.schedule.inputs().len());
            for (i, owner) in ports.owners().enumerate() {
                bits.flip_if(i, all[owner].get(next[owner]));
                next[owner] += 1;
            }
            values.push(bits);
        }
        Ok(Masked { values })
    }

    /// A garbler's online part, up to where outputs may be opened.
    fn show_labels(
        &mut self,
        ports: Ports<'_>,
        garbled: &Garbled,
        masked: &Masked,
    ) -> Result<Checked, SharingError> {
        let Made::Garbler { inputs, labels } = &garbled.made else {
            return Err(SharingError::Shape("a garbled circuit of another role".into()));
        };
        let (links, count) = (&mut self.talk.links, ports.schedule.inputs().len());
        links.mesh.set_step(2);
        for (zeros, values) in inputs.chunks_exact(count.max(1)).zip(&masked.values) {
            let mut active = Buffer::from_slice(zeros);
            for (i, label) in active.iter_mut().enumerate() {
                *label ^= u128::from(values.get(i)) * *self.delta;
            }
            links.send(EVALUATOR, Stream::On, &active)?;
        }
        links.mesh.set_step(3);
        let number = self.talk.agreed_number();
        let public = self.talk.recv_bits(EVALUATOR, garbled.instances * ports.ands())?;
        let (mut digest, mut chi): (Digest, Digest) = Default::default();
        self.talk.links.recv_into(EVALUATOR, Stream::On, &mut digest)?;
        self.talk.links.recv_into(EVALUATOR, Stream::On, &mut chi)?;
        let active = labels.iter().enumerate();
        let active = active.map(|(i, zero)| zero ^ (u128::from(public.get(i)) * *self.delta));
        let mine = self.talk.voice.labels(number, self.layout.me, active);
        if !hash::equal(&mine, &digest) {
            return Err(self.talk.failed("label-check", Some(EVALUATOR)));
        }
        let mut slots = Vec::with_capacity(garbled.instances);
        let mut pairs = Vec::with_capacity(public.len);
        for (instance, values) in masked.values.iter().enumerate() {
            let start = instance * ports.ands();
            let inputs = (0..count).map(|i| values.get(i));
            let mut public = follow(ports, inputs, &public, start);
            pairs.append(&mut public.inputs);
            slots.push(public.slots);
        }
        let place = self.layout.mac(EVALUATOR);
        let shares = masks::authenticated(garbled.masks.gates(), place, &pairs);
        self.talk.links.mesh.set_step(4);
        let mut sum = check_sum(&chi, &shares).to_le_bytes();
        self.talk.say("z", &mut sum);
        self.talk.links.send(EVALUATOR, Stream::On, &sum)?;
        Ok(Checked(slots))
    }

    /// The evaluator's online part, up to where outputs may be opened.
    fn evaluate(
        &mut self,
        ports: Ports<'_>,
        garbled: &Garbled,
        masked: &Masked,
    ) -> Result<Checked, SharingError> {
        let Made::Evaluator { tables, lowest } = &garbled.made else {
            return Err(SharingError::Shape("a garbled circuit of another role".into()));
        };
        let (parties, ands, instances) = (self.layout.parties, ports.ands(), garbled.instances);
        let count = ports.schedule.inputs().len();
        self.talk.links.mesh.set_step(2);
        let mut labels = Vec::new();
        for garbler in 1..parties {
            labels.push(self.talk.links.recv::<u128>(garbler, Stream::On, instances * count)?);
        }
        let (mut inputs, mut outputs, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let mut active = Rows::zeros(instances * ands, parties - 1);
        for (instance, values) in masked.values.iter().enumerate() {
            let mut given = Rows::zeros(count, parties);
            for i in 0..count {
                let row = given.get_mut(i);
                row[0] = u128::from(values.get(i));
                let shown = row[1..].iter_mut().zip(&labels);
                shown.for_each(|(row, labels)| *row = labels[instance * count + i]);
            }
            let (start, size) = (instance * ands, ands * blocks(parties));
            let tables: Vec<&[u128]> = tables
                .iter()
                .map(|table| match table.is_empty() {
                    true => &[][..],
                    false => &table[instance * size..(instance + 1) * size],
                })
                .collect();
            let evaluator = Evaluator {
                layout: self.layout,
                hash: self.hash,
                masks: &garbled.masks,
                first: garbled.first + start as u64,
                start,
                tables: &tables,
                lowest,
            };
            let mut done = evaluator.evaluate(ports, &given);
            inputs.append(&mut done.inputs);
            outputs.append(&mut done.outputs);
            slots.push(done.slots);
            for gate in 0..ands {
                active.set(start + gate, done.labels.get(gate));
            }
        }
        self.talk.links.mesh.set_step(3);
        let chi = self.show_values(&outputs, &active)?;
        let masks = garbled.masks.gates();
        let shares = evaluate::authenticated(self.layout, masks, &inputs, &outputs, *self.delta);
        let mut sum = check_sum(&chi, &shares);
        self.talk.links.mesh.set_step(4);
        for garbler in 1..parties {
            let mut theirs = [0u128];
            self.talk.links.recv_into(garbler, Stream::On, &mut theirs)?;
            sum ^= theirs[0];
        }
        // Nothing that this party knows of outputs leaves it unless this is zero.
        if sum != 0 {
            return Err(self.talk.failed("z-check", None));
        }
        Ok(Checked(slots))
    }

    /// Sends every garbler the public values of all ANDs, the digest of its labels for them, and a seed.
    fn show_values(&mut self, outputs: &[u128], active: &Rows) -> Result<Digest, SharingError> {
        let mut public = Bits::zeros(outputs.len());
        outputs.iter().enumerate().for_each(|(i, value)| public.flip_if(i, *value == 1));
        let mut words = [0u64; 4];
        self.talk.random(&mut words)?;
        let chi: Digest = word::bytes(&words).try_into().expect("thirty-two bytes");
        let number = self.talk.agreed_number();
        for garbler in 1..self.layout.parties {
            let labels = (0..active.len()).map(|gate| active.get(gate)[garbler - 1]);
            let digest = self.talk.voice.labels(number, garbler, labels);
            self.talk.links.send(garbler, Stream::On, &public.words)?;
            self.talk.links.send(garbler, Stream::On, &digest)?;
            self.talk.links.send(garbler, Stream::On, &chi)?;
        }
        Ok(chi)
    }
}

/// `sum chi_g x_g`.
fn check_sum(chi: &Digest, shares: &[u128]) -> u128 {
    let prg = triples::stream("tacit 2026 coefficients of garbled gates", chi);
    let mut coefficients = Buffer::<u128>::zeros(shares.len());
    prg.fill(0, 0, word::bytes_mut(&mut coefficients));
    inner_product(&coefficients, shares)
}

impl ports::Garbling for Authenticated<'_> {
    type Garbled = Garbled;
    type Done = Unopened;

    fn role(&self) -> RoleId {
        self.layout.me
    }

    fn mesh(&mut self) -> &mut Mesh {
        self.talk.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Garbled, SharingError> {
        self.talk.links.mesh.set_phase(Phase::Offline);
        self.talk.stream = Stream::Def;
        let masks = self.masks(ports, instances)?;
        let made = Made::Evaluator { tables: Vec::new(), lowest: Bits::zeros(0) };
        let mut garbled = Garbled { instances, masks, first: self.next_gate, made };
        self.next_gate += (instances * ports.ands()) as u64;
        match self.is_evaluator() {
            true => self.take_gates(ports, &mut garbled)?,
            false => self.garble(ports, &mut garbled)?,
        }
        self.talk.links.mesh.flush()?;
        Ok(garbled)
    }

    fn run(
        &mut self,
        ports: Ports<'_>,
        garbled: Garbled,
        values: &[Bits],
    ) -> Result<Unopened, SharingError> {
        check_values(ports, self.layout.me, garbled.instances, values)?;
        let mesh = &mut self.talk.links.mesh;
        mesh.set_phase(Phase::Online);
        mesh.set_step(0);
        self.talk.stream = Stream::On;
        let masked = self.masked_inputs(ports, &garbled, values)?;
        let checked = match self.is_evaluator() {
            true => self.evaluate(ports, &garbled, &masked)?,
            false => self.show_labels(ports, &garbled, &masked)?,
        };
        let learned = learned_slots(ports, self.layout.parties);
        let talk = &mut self.talk;
        let done = Unopened::new(talk, ports, &learned, &garbled.masks, &self.delta, checked);
        talk.links.mesh.flush()?;
        Ok(done)
    }
}
