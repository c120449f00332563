//! One worker of one party online: masked inputs, labels, evaluation, and the checks before anything opens.

use super::EVALUATOR;
use super::channel::{CheckedChannel, Digest, Domain};
use super::evaluate::{self, Evaluator, Gates};
use super::garble::follow;
use super::kept::Active;
use super::masks::{self, Masks, learned_slots};
use super::outputs::{Checked, Unopened};
use super::rows::{Layout, Rows};
use super::triples;
use crate::garbler::Form;
use crate::links::Links;
use crate::ports::{KEPT, check_fit, check_values};
use crate::tweak::Hash;
use crate::worker::Evaluate;
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_circuit::schedule::Slot;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::gf128::inner_product;
use tacit_ring::stored::Block;
use tacit_ring::{Buffer, hash, word};
use tacit_sharing::{SharingError, stored};
use zeroize::Zeroizing;

/// A circuit garbled for some instances, and this party's secrets. It is used once: by giving it up.
pub struct Ready {
    /// Names these instances.
    pub(super) voice: Domain,
    /// Which circuit it is, among all of this worker, and which one it goes on from; 0 for none.
    pub(super) number: u64,
    pub(super) from: u64,
    pub(super) form: Form,
    pub(super) hash: Hash,
    pub(super) delta: Zeroizing<u128>,
    /// What the evaluator draws the coefficients of its check from.
    pub(super) coin: Zeroizing<Digest>,
    pub(super) instances: usize,
    pub(super) masks: Masks,
    /// The number of the first gate, among all of this worker.
    pub(super) first: u64,
    pub(super) made: Made,
    #[cfg(test)]
    pub(super) cheat: std::cell::RefCell<Option<super::channel::Cheat>>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Made {
    Garbler {
        /// Zero labels of inputs, and of outputs of ANDs, instance after instance; of four rows, of what this party
        /// learns.
        inputs: Buffer<u128>,
        labels: Buffer<u128>,
    },
    Evaluator {
        /// Blocks of all gates, by role; none at the evaluator's.
        tables: Vec<Buffer<u128>>,
        lowest: Bits,
    },
}

impl Ready {
    fn fits(&self, layout: Layout, ports: Ports<'_>) -> bool {
        let (ands, inputs) = (self.instances * ports.ands(), ports.schedule.inputs().len());
        let parties = layout.parties;
        let learned = learned_slots(ports, parties);
        let rows = self.form == Form::FourRows;
        let made = match (&self.made, layout.me) {
            (Made::Evaluator { tables, lowest }, EVALUATOR) => {
                let full = |table: &Buffer<u128>| table.len() == ands * self.form.blocks(parties);
                let [none, tables @ ..] = &tables[..] else {
                    return false;
                };
                let sizes = none.is_empty() && tables.len() + 1 == parties;
                sizes && tables.iter().all(full) && lowest.len == if rows { 0 } else { ands }
            }
            (Made::Garbler { inputs: zeros, labels }, me) if me != EVALUATOR => {
                let kept = if rows { self.instances * learned[me].len() } else { ands };
                [zeros.len(), labels.len()] == [self.instances * inputs, kept]
            }
            _ => false,
        };
        let mut outputs = learned.iter().zip(&self.masks.outputs);
        made && self.masks.gates().iter().all(|rows| rows.are(ands, layout.closed()))
            && self.masks.inputs.len == self.instances * ports.given_by(layout.me)
            && self.masks.outputs.len() == parties
            && outputs.all(|(slots, rows)| rows.are(self.instances * slots.len(), layout.width()))
    }
}

impl Evaluate for Ready {
    type Done = Unopened;

    fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Ready {
            voice,
            number,
            from,
            form,
            hash,
            delta,
            coin,
            instances,
            masks,
            first,
            made,
            ..
        } = self;
        let names = (voice, number, from, form, hash);
        let secrets = (Block(delta), coin, instances, masks, first, made);
        stored::encode(&(names, secrets))
    }

    fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (names, secrets) = stored::decode(&bytes)?;
        let (voice, number, from, form, hash) = names;
        let (Block(delta), coin, instances, masks, first, made) = secrets;
        Ok(Ready {
            voice,
            number,
            from,
            form,
            hash,
            delta,
            coin,
            instances,
            masks,
            first,
            made,
            #[cfg(test)]
            cheat: std::cell::RefCell::new(None),
        })
    }

    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Unopened, SharingError> {
        Ok(self.run_on(mesh, places, ports, values, &Active::none())?.0)
    }
}

impl Ready {
    /// Evaluates a circuit that goes on from another, on the wires that the other one kept: see [`run`](Evaluate::run).
    /// Also returns what further circuits go on from.
    ///
    /// # Errors
    /// When [`run`](Evaluate::run) fails, or this was prepared on another circuit.
    pub fn run_on(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
        from: &Active,
    ) -> Result<(Unopened, Active), SharingError> {
        let links = Links::new(mesh, places)?;
        let layout = Layout { parties: links.parties(), me: links.me };
        // So many are what the caller asks for: the rest is compared with that.
        check_values(ports, layout.me, self.instances, values)?;
        check_fit(self.first < 1 << 63 && self.fits(layout, ports))?;
        from.check(self.from, layout, ports, self.instances)?;
        let channel = CheckedChannel::online(links, self.voice);
        #[cfg(test)]
        let channel = channel.cheating(self.cheat.take());
        channel.links.mesh.set_phase(Phase::Online);
        channel.links.mesh.set_step(0);
        let mut online = Online { channel, layout, garbled: &self, from };
        let masked = online.masked_inputs(ports, values)?;
        let (checked, labels) = match layout.me {
            EVALUATOR => online.evaluate(ports, &masked)?,
            _ => (online.garbler(ports, &masked)?, Rows::zeros(0, 0)),
        };
        let kept: Vec<Slot> = ports.slots_kept().collect();
        let active = Active::new(self.number, &kept, &checked.0, labels);
        let learned = learned_slots(ports, layout.parties);
        let channel = &mut online.channel;
        let done = Unopened::new(channel, ports, &learned, &self.masks, &self.delta, checked);
        channel.links.mesh.flush()?;
        Ok((done, active))
    }
}

/// The public values that inputs get: an instance's, input after input.
struct Masked {
    values: Vec<Bits>,
}

/// A party online.
pub(super) struct Online<'m, 'g> {
    pub(super) channel: CheckedChannel<'m>,
    pub(super) layout: Layout,
    pub(super) garbled: &'g Ready,
    /// What the circuit goes on from.
    pub(super) from: &'g Active,
}

impl Online<'_, '_> {
    /// Everybody's inputs under their masks; all parties hear the same.
    fn masked_inputs(&mut self, ports: Ports<'_>, values: &[Bits]) -> Result<Masked, SharingError> {
        let garbled = self.garbled;
        let (me, instances) = (self.layout.me, garbled.instances);
        let given: Vec<usize> = (0..self.layout.parties).map(|role| ports.given_by(role)).collect();
        let mut mine = Bits::zeros(instances * given[me]);
        for i in 0..mine.len {
            let value = values[i / given[me]].get(i % given[me]);
            mine.flip_if(i, value ^ garbled.masks.inputs.get(i));
        }
        for peer in self.channel.links.peers() {
            self.channel.links.send(peer, Stream::On, &mine.words)?;
        }
        let mut all = vec![mine];
        for peer in self.channel.links.peers() {
            let theirs = self.channel.recv_bits(peer, instances * given[peer])?;
            all.push(theirs);
        }
        // From own first to by role.
        all[..=me].rotate_left(1);
        self.channel.links.mesh.set_step(1);
        let heard: Vec<Vec<u8>> =
            all.iter().map(|bits| word::bytes(&bits.words).to_vec()).collect();
        self.channel.echo("masked", &heard)?;
        let mut next = vec![0; self.layout.parties];
        let mut values = Vec::with_capacity(instances);
        for instance in 0..instances {
            let mut bits = Bits::zeros(ports.schedule.inputs().len());
            let mut kept = 0;
            for (i, owner) in ports.owners().enumerate() {
                if owner == KEPT {
                    bits.flip_if(i, self.from.value(instance, kept));
                    kept += 1;
                    continue;
                }
                bits.flip_if(i, all[owner].get(next[owner]));
                next[owner] += 1;
            }
            values.push(bits);
        }
        Ok(Masked { values })
    }

    /// A garbler's online part, up to where outputs may be opened.
    fn garbler(&mut self, ports: Ports<'_>, masked: &Masked) -> Result<Checked, SharingError> {
        let garbled = self.garbled;
        let Made::Garbler { inputs, labels } = &garbled.made else {
            return Err(SharingError::Shape("a garbled circuit of another role".into()));
        };
        let (links, count) = (&mut self.channel.links, ports.schedule.inputs().len());
        links.mesh.set_step(2);
        for (zeros, values) in inputs.chunks_exact(count.max(1)).zip(&masked.values) {
            let mut active = Buffer::zeros(ports.shown());
            let given = ports.owners().enumerate().filter(|(_, owner)| *owner != KEPT);
            for (label, (i, _)) in active.iter_mut().zip(given) {
                *label = zeros[i] ^ (u128::from(values.get(i)) * *garbled.delta);
            }
            links.send(EVALUATOR, Stream::On, &active)?;
        }
        links.mesh.set_step(3);
        match garbled.form {
            Form::HalfGates => self.check_values(ports, masked, labels),
            Form::FourRows => self.check_outputs(ports, labels),
        }
    }

    /// Takes the public values of all gates, which a garbler's labels authenticate, and answers with its part of
    /// the sum that authenticates the gates.
    fn check_values(
        &mut self,
        ports: Ports<'_>,
        masked: &Masked,
        labels: &[u128],
    ) -> Result<Checked, SharingError> {
        let (garbled, count) = (self.garbled, ports.schedule.inputs().len());
        let number = self.channel.agreed_number();
        let public = self.channel.recv_bits(EVALUATOR, garbled.instances * ports.ands())?;
        let (mut digest, mut chi): (Digest, Digest) = Default::default();
        self.channel.links.recv_into(EVALUATOR, Stream::On, &mut digest)?;
        self.channel.links.recv_into(EVALUATOR, Stream::On, &mut chi)?;
        let active = labels.iter().enumerate();
        let active = active.map(|(i, zero)| zero ^ (u128::from(public.get(i)) * *garbled.delta));
        let mine = self.channel.voice.labels(number, self.layout.me, active);
        self.channel.ensure(hash::equal(&mine, &digest), "label-check", Some(EVALUATOR))?;
        let mut slots = Vec::with_capacity(garbled.instances);
        let mut pairs = Buffer::<u128>::zeros(2 * public.len);
        for (instance, values) in masked.values.iter().enumerate() {
            let start = instance * ports.ands();
            let inputs = (0..count).map(|i| values.get(i));
            let pairs = &mut pairs.as_chunks_mut().0[start..start + ports.ands()];
            slots.push(follow(ports, inputs, (&public, start), pairs));
        }
        let place = self.layout.mac(EVALUATOR);
        let shares = masks::authenticated(garbled.masks.gates(), place, pairs.as_chunks().0);
        self.channel.links.mesh.set_step(4);
        let mut sum = check_sum(&chi, &shares).to_le_bytes();
        self.channel.say("z", &mut sum);
        self.channel.links.send(EVALUATOR, Stream::On, &sum)?;
        Ok(Checked(slots))
    }

    /// The evaluator's online part, up to where outputs may be opened; gives the labels of what nobody learns too.
    fn evaluate(
        &mut self,
        ports: Ports<'_>,
        masked: &Masked,
    ) -> Result<(Checked, Rows), SharingError> {
        let garbled = self.garbled;
        let Made::Evaluator { tables, lowest } = &garbled.made else {
            return Err(SharingError::Shape("a garbled circuit of another role".into()));
        };
        let (parties, ands, instances) = (self.layout.parties, ports.ands(), garbled.instances);
        let count = ports.schedule.inputs().len();
        let shown = ports.shown();
        let kept: Vec<Slot> = ports.slots_kept().collect();
        let mut kept_labels = Rows::zeros(instances * kept.len(), parties - 1);
        self.channel.links.mesh.set_step(2);
        let mut labels = Vec::new();
        for garbler in 1..parties {
            labels.push(self.channel.links.recv::<u128>(garbler, Stream::On, instances * shown)?);
        }
        let (mut slots, mut ends, mut wrong) = (Vec::new(), Vec::new(), 0);
        // Of all gates: public values of both inputs and of the output, and labels.
        let mut inputs = Buffer::<u128>::zeros(2 * instances * ands);
        let mut outputs = Buffer::<u128>::zeros(instances * ands);
        let mut active = Rows::zeros(instances * ands, parties - 1);
        for (instance, values) in masked.values.iter().enumerate() {
            let mut given = Rows::zeros(count, parties);
            let (mut next, mut next_kept) = (instance * shown, instance * (count - shown));
            for (i, owner) in ports.owners().enumerate() {
                let row = given.get_mut(i);
                row[0] = u128::from(values.get(i));
                if owner == KEPT {
                    row[1..].copy_from_slice(self.from.labels(next_kept));
                    next_kept += 1;
                    continue;
                }
                let labels = row[1..].iter_mut().zip(&labels);
                labels.for_each(|(row, labels)| *row = labels[next]);
                next += 1;
            }
            let (start, size) = (instance * ands, ands * garbled.form.blocks(parties));
            let tables: Vec<&[u128]> = tables
                .iter()
                .map(|table| match table.is_empty() {
                    true => &[][..],
                    false => &table[instance * size..(instance + 1) * size],
                })
                .collect();
            let evaluator = Evaluator {
                form: garbled.form,
                layout: self.layout,
                hash: garbled.hash,
                delta: *garbled.delta,
                masks: &garbled.masks,
                first: garbled.first + start as u64,
                start,
                tables: &tables,
                lowest,
            };
            let gates = start..start + ands;
            let labels = gates.start * (parties - 1)..gates.end * (parties - 1);
            let gates = Gates {
                inputs: &mut inputs.as_chunks_mut().0[gates.clone()],
                outputs: &mut outputs[gates],
                labels: &mut active.blocks[labels],
            };
            let done = evaluator.evaluate(ports, &given, gates);
            slots.push(done.slots());
            for (i, slot) in kept.iter().enumerate() {
                let labels = &done.ends.get(*slot as usize)[1..];
                kept_labels.set(instance * kept.len() + i, labels);
            }
            wrong |= done.wrong;
            if garbled.form == Form::FourRows {
                ends.push(done.ends);
            }
        }
        self.channel.links.mesh.set_step(3);
        if garbled.form == Form::FourRows {
            // Which gate it was stays unknown: that would tell of inputs.
            self.channel.ensure(wrong == 0, "row-mac", None)?;
            self.show_outputs(ports, &ends)?;
            return Ok((Checked(slots), kept_labels));
        }
        let chi = self.show_values(&outputs, &active)?;
        let masks = garbled.masks.gates();
        let inputs = inputs.as_chunks().0;
        let shares = evaluate::authenticated(self.layout, masks, inputs, &outputs, *garbled.delta);
        let mut sum = check_sum(&chi, &shares);
        self.channel.links.mesh.set_step(4);
        for garbler in 1..parties {
            let mut theirs = [0u128];
            self.channel.links.recv_into(garbler, Stream::On, &mut theirs)?;
            sum ^= theirs[0];
        }
        // Nothing that this party knows of outputs leaves it unless this is zero.
        self.channel.ensure(sum == 0, "z-check", None)?;
        Ok((Checked(slots), kept_labels))
    }

    /// Sends every garbler the public values of all ANDs, the digest of its labels for them, and a seed.
    fn show_values(&mut self, outputs: &[u128], active: &Rows) -> Result<Digest, SharingError> {
        let mut public = Bits::zeros(outputs.len());
        outputs.iter().enumerate().for_each(|(i, value)| public.flip_if(i, *value == 1));
        self.channel.say("public values", word::bytes_mut(&mut public.words));
        let chi = *self.garbled.coin;
        let number = self.channel.agreed_number();
        for garbler in 1..self.layout.parties {
            let labels = (0..active.len()).map(|gate| active.get(gate)[garbler - 1]);
            let digest = self.channel.voice.labels(number, garbler, labels);
            self.channel.links.send(garbler, Stream::On, &public.words)?;
            self.channel.links.send(garbler, Stream::On, &digest)?;
            self.channel.links.send(garbler, Stream::On, &chi)?;
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
