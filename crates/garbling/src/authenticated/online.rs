//! One worker of one party online: masked inputs, labels, evaluation, and the checks before anything opens.

use super::EVALUATOR;
use super::evaluate::{self, Evaluator};
use super::four_rows::Form;
use super::garble::follow;
use super::masks::{self, Masks, learned_slots};
use super::outputs::{Checked, Unopened};
use super::rows::{Layout, Rows};
use super::talk::{Digest, Talk, Voice};
use super::triples;
use super::tweak::Hash;
use crate::links::Links;
use crate::ports::{Evaluate, check_fit, check_values};
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::gf128::inner_product;
use tacit_ring::{Buffer, hash, stored, word};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// A circuit garbled for some instances, and this party's secrets. It is used once: by giving it up.
#[derive(Serialize, Deserialize)]
pub struct Ready {
    /// Names these instances.
    pub(super) voice: Voice,
    pub(super) form: Form,
    pub(super) hash: Hash,
    #[serde(with = "stored::block")]
    pub(super) delta: Zeroizing<u128>,
    /// What the evaluator draws the coefficients of its check from.
    pub(super) coin: Zeroizing<Digest>,
    pub(super) instances: usize,
    pub(super) masks: Masks,
    /// The number of the first gate, among all of this worker.
    pub(super) first: u64,
    pub(super) made: Made,
    #[cfg(test)]
    #[serde(skip)]
    pub(super) cheat: std::cell::RefCell<Option<super::talk::Cheat>>,
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

    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Unopened, SharingError> {
        let links = Links::new(mesh, places)?;
        let layout = Layout { parties: links.parties(), me: links.me };
        // So many are what the caller asks for: the rest is compared with that.
        check_values(ports, layout.me, self.instances, values)?;
        check_fit(self.first < 1 << 63 && self.fits(layout, ports))?;
        let talk = Talk::online(links, self.voice);
        #[cfg(test)]
        let talk = talk.cheating(self.cheat.take());
        talk.links.mesh.set_phase(Phase::Online);
        talk.links.mesh.set_step(0);
        let mut online = Online { talk, layout, garbled: &self };
        let masked = online.masked_inputs(ports, values)?;
        let checked = match layout.me {
            EVALUATOR => online.evaluate(ports, &masked)?,
            _ => online.garbler(ports, &masked)?,
        };
        let learned = learned_slots(ports, layout.parties);
        let talk = &mut online.talk;
        let done = Unopened::new(talk, ports, &learned, &self.masks, &self.delta, checked);
        talk.links.mesh.flush()?;
        Ok(done)
    }
}

/// The public values that inputs get: an instance's, input after input.
struct Masked {
    values: Vec<Bits>,
}

/// A party online.
pub(super) struct Online<'m, 'g> {
    pub(super) talk: Talk<'m>,
    pub(super) layout: Layout,
    pub(super) garbled: &'g Ready,
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
    fn garbler(&mut self, ports: Ports<'_>, masked: &Masked) -> Result<Checked, SharingError> {
        let garbled = self.garbled;
        let Made::Garbler { inputs, labels } = &garbled.made else {
            return Err(SharingError::Shape("a garbled circuit of another role".into()));
        };
        let (links, count) = (&mut self.talk.links, ports.schedule.inputs().len());
        links.mesh.set_step(2);
        for (zeros, values) in inputs.chunks_exact(count.max(1)).zip(&masked.values) {
            let mut active = Buffer::from_slice(zeros);
            for (i, label) in active.iter_mut().enumerate() {
                *label ^= u128::from(values.get(i)) * *garbled.delta;
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
        let number = self.talk.agreed_number();
        let public = self.talk.recv_bits(EVALUATOR, garbled.instances * ports.ands())?;
        let (mut digest, mut chi): (Digest, Digest) = Default::default();
        self.talk.links.recv_into(EVALUATOR, Stream::On, &mut digest)?;
        self.talk.links.recv_into(EVALUATOR, Stream::On, &mut chi)?;
        let active = labels.iter().enumerate();
        let active = active.map(|(i, zero)| zero ^ (u128::from(public.get(i)) * *garbled.delta));
        let mine = self.talk.voice.labels(number, self.layout.me, active);
        self.talk.ensure(hash::equal(&mine, &digest), "label-check", Some(EVALUATOR))?;
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
    fn evaluate(&mut self, ports: Ports<'_>, masked: &Masked) -> Result<Checked, SharingError> {
        let garbled = self.garbled;
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
        let (mut ends, mut wrong) = (Vec::new(), 0);
        let mut active = Rows::zeros(instances * ands, parties - 1);
        for (instance, values) in masked.values.iter().enumerate() {
            let mut given = Rows::zeros(count, parties);
            for i in 0..count {
                let row = given.get_mut(i);
                row[0] = u128::from(values.get(i));
                let shown = row[1..].iter_mut().zip(&labels);
                shown.for_each(|(row, labels)| *row = labels[instance * count + i]);
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
            let mut done = evaluator.evaluate(ports, &given);
            inputs.append(&mut done.inputs);
            outputs.append(&mut done.outputs);
            slots.push(done.slots());
            wrong |= done.wrong;
            if garbled.form == Form::FourRows {
                ends.push(done.ends);
                continue;
            }
            for gate in 0..ands {
                active.set(start + gate, done.labels.get(gate));
            }
        }
        self.talk.links.mesh.set_step(3);
        if garbled.form == Form::FourRows {
            // Which gate it was stays unknown: that would tell of inputs.
            self.talk.ensure(wrong == 0, "row-mac", None)?;
            self.show_outputs(ports, &ends)?;
            return Ok(Checked(slots));
        }
        let chi = self.show_values(&outputs, &active)?;
        let masks = garbled.masks.gates();
        let shares = evaluate::authenticated(self.layout, masks, &inputs, &outputs, *garbled.delta);
        let mut sum = check_sum(&chi, &shares);
        self.talk.links.mesh.set_step(4);
        for garbler in 1..parties {
            let mut theirs = [0u128];
            self.talk.links.recv_into(garbler, Stream::On, &mut theirs)?;
            sum ^= theirs[0];
        }
        // Nothing that this party knows of outputs leaves it unless this is zero.
        self.talk.ensure(sum == 0, "z-check", None)?;
        Ok(Checked(slots))
    }

    /// Sends every garbler the public values of all ANDs, the digest of its labels for them, and a seed.
    fn show_values(&mut self, outputs: &[u128], active: &Rows) -> Result<Digest, SharingError> {
        let mut public = Bits::zeros(outputs.len());
        outputs.iter().enumerate().for_each(|(i, value)| public.flip_if(i, *value == 1));
        self.talk.say("public values", word::bytes_mut(&mut public.words));
        let chi = *self.garbled.coin;
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
