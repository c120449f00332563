//! The online phase: public values of inputs, the labels for them, evaluation by one, who tells the others what they learn.

use super::evaluate::evaluate;
use super::{EVALUATOR, FIRST_GARBLER, column_blocks};
use crate::chain::{Done, RunsOn};
use crate::inputs::{self, Hearers};
use crate::links::Links;
use crate::ports::{KEPT, check_fit, check_kept, check_values};
use crate::tweak::Hash;
use crate::worker::Evaluate;
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::Buffer;
use tacit_ring::secret::if_set;
use tacit_ring::stored::Block;
use tacit_sharing::{RoleId, SharingError, stored};
use zeroize::Zeroizing;

/// A circuit garbled for some instances, and this party's secrets. It is used once: by giving it up.
pub struct Ready(pub(super) Part);

/// What a role has of it.
pub(super) enum Part {
    Evaluator { hash: Hash, circuits: Vec<Evaluator> },
    Garbler { offset: Zeroizing<u128>, circuits: Vec<Garbler> },
}

/// The form of [`Part`] in a store.
#[derive(Serialize, Deserialize)]
enum Stored {
    Evaluator(Hash, Vec<Evaluator>),
    Garbler(Block, Vec<Garbler>),
}

/// What the evaluator has of an instance.
#[derive(Serialize, Deserialize)]
pub(super) struct Evaluator {
    pub first_gate: u64,
    /// By garbler, its column: gate after gate two or three blocks.
    pub columns: Vec<Buffer<u128>>,
    /// Random choices for this party's inputs, and garbler after garbler the blocks that they gave.
    pub choices: Bits,
    pub blocks: Buffer<u128>,
    /// Masks of the outputs that this party learns; then by role shares of zero for what each garbler learns.
    pub masks: Vec<Bits>,
}

/// What a garbler has of an instance.
#[derive(Serialize, Deserialize)]
pub(super) struct Garbler {
    /// Of inputs that do not go on from a circuit before, what is sent for zero: the zero label, or for the evaluator's inputs,
    /// that plus the key of its choice.
    pub labels: Buffer<u128>,
    /// Masks of this party's inputs.
    pub lambdas: Bits,
    /// Masks of the outputs that this party learns, under the evaluator's shares of zero.
    pub masks: Bits,
}

impl Part {
    fn instances(&self) -> usize {
        match self {
            Part::Evaluator { circuits, .. } => circuits.len(),
            Part::Garbler { circuits, .. } => circuits.len(),
        }
    }

    fn fits(&self, ports: Ports<'_>, [parties, me]: [usize; 2]) -> bool {
        match self {
            Part::Evaluator { circuits, .. } => {
                me == EVALUATOR && circuits.iter().all(|it| it.fits(ports, parties))
            }
            Part::Garbler { circuits, .. } => {
                me != EVALUATOR && circuits.iter().all(|it| it.fits(ports, me))
            }
        }
    }
}

impl Evaluator {
    fn fits(&self, ports: Ports<'_>, parties: usize) -> bool {
        let garblers = parties - FIRST_GARBLER;
        let (blocks, given) = (column_blocks(garblers) * ports.ands(), ports.given_by(EVALUATOR));
        // Numbers of gates have 64 bits; the last ones are never used.
        self.first_gate < 1 << 63
            && self.columns.len() == garblers
            && self.columns.iter().all(|column| column.len() == blocks)
            && [self.choices.len, self.blocks.len()] == [given, garblers * given]
            && self.masks.len() == parties
            && (0..).zip(&self.masks).all(|(role, bits)| bits.len == ports.learned_by(role))
    }
}

impl Garbler {
    fn fits(&self, ports: Ports<'_>, me: RoleId) -> bool {
        self.labels.len() == ports.shown()
            && [self.lambdas.len, self.masks.len] == [ports.given_by(me), ports.learned_by(me)]
    }
}

impl Evaluate for Ready {
    type Done = Vec<Bits>;

    fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        stored::encode(&match self.0 {
            Part::Evaluator { hash, circuits } => Stored::Evaluator(hash, circuits),
            Part::Garbler { offset, circuits } => Stored::Garbler(Block(offset), circuits),
        })
    }

    fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        Ok(Ready(match stored::decode(&bytes)? {
            Stored::Evaluator(hash, circuits) => Part::Evaluator { hash, circuits },
            Stored::Garbler(Block(offset), circuits) => Part::Garbler { offset, circuits },
        }))
    }

    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        let mut links = Links::new(mesh, places)?;
        let none = vec![Buffer::default(); self.0.instances()];
        Ok(self.run_on(&mut links, ports, values, &none)?.0)
    }
}

impl RunsOn for Ready {
    fn run_on(
        self,
        links: &mut Links<'_>,
        ports: Ports<'_>,
        values: &[Bits],
        from: &[Buffer<u128>],
    ) -> Result<Done, SharingError> {
        let (me, instances) = (links.me, self.0.instances());
        check_fit(self.0.fits(ports, [links.parties(), me]))?;
        check_values(ports, me, instances, values)?;
        let garblers = if me == EVALUATOR { links.parties() - FIRST_GARBLER } else { 0 };
        let blocks = ports.given_by(KEPT) * garblers;
        check_kept(from.len() == instances && from.iter().all(|it| it.len() == blocks))?;
        links.mesh.set_phase(Phase::Online);
        links.mesh.set_step(0);
        let done = match self.0 {
            Part::Evaluator { hash, circuits } => {
                evaluate_all(links, ports, (hash, circuits), (values, from))
            }
            Part::Garbler { offset, circuits } => {
                give_labels(links, ports, (*offset, circuits), values)
            }
        }?;
        links.mesh.flush()?;
        Ok(done)
    }
}

/// Sends labels of the public values of inputs, and takes what this garbler learns.
fn give_labels(
    links: &mut Links<'_>,
    ports: Ports<'_>,
    (offset, circuits): (u128, Vec<Garbler>),
    values: &[Bits],
) -> Result<Done, SharingError> {
    let me = links.me;
    // Where each of this party's inputs is among them.
    let mut places = vec![0; ports.schedule.inputs().len()];
    let mine = ports.owners().enumerate().filter(|(_, owner)| *owner == me);
    mine.enumerate().for_each(|(i, (input, _))| places[input] = i);
    let lambda = |instance: usize, input: usize| {
        let garbled: &Garbler = &circuits[instance];
        garbled.lambdas.get(places[input])
    };
    let public = inputs::exchange(links, ports, values, lambda, Hearers::Garblers)?;
    links.mesh.set_step(1);
    for (garbled, public) in circuits.iter().zip(&public) {
        let mut labels = garbled.labels.clone();
        let shown = ports.owners().enumerate().filter(|(_, owner)| *owner != KEPT);
        for (label, (input, _)) in labels.iter_mut().zip(shown) {
            *label ^= if_set(public.get(input), offset);
        }
        links.send(EVALUATOR, Stream::On, &labels)?;
    }
    links.mesh.set_step(2);
    let mut learned = Vec::with_capacity(circuits.len());
    for garbled in circuits {
        let mut bits = garbled.masks;
        let public = links.recv::<u64>(EVALUATOR, Stream::On, bits.words.len())?;
        bits.add(&public);
        learned.push(bits);
    }
    let kept = learned.iter().map(|_| Buffer::default()).collect();
    Ok((learned, kept))
}

/// Takes labels, evaluates, and tells the garblers what they learn.
fn evaluate_all(
    links: &mut Links<'_>,
    ports: Ports<'_>,
    (hash, circuits): (Hash, Vec<Evaluator>),
    (values, from): (&[Bits], &[Buffer<u128>]),
) -> Result<Done, SharingError> {
    let garblers = FIRST_GARBLER..links.parties();
    for (garbled, values) in circuits.iter().zip(values) {
        let mut sent = Bits::zeros(values.len);
        sent.words.copy_from_slice(&values.words);
        sent.add(&garbled.choices.words);
        for garbler in garblers.clone() {
            links.send(garbler, Stream::On, &sent.words)?;
        }
    }
    links.mesh.set_step(1);
    let (mut learned, mut kept) = (Vec::with_capacity(circuits.len()), Vec::new());
    for (mut garbled, from) in circuits.into_iter().zip(from) {
        let mut labels = Vec::with_capacity(garblers.len());
        for garbler in garblers.clone() {
            let mut all = links.recv::<u128>(garbler, Stream::On, ports.shown())?;
            let given = garbled.choices.len;
            let blocks = &garbled.blocks[(garbler - FIRST_GARBLER) * given..][..given];
            let shown = ports.owners().filter(|owner| *owner != KEPT);
            let own = all.iter_mut().zip(shown).filter(|(_, owner)| *owner == EVALUATOR);
            own.zip(blocks).for_each(|((label, _), block)| *label ^= block);
            labels.push(all);
        }
        let ends = evaluate(hash, ports, &garbled, (&labels, from));
        // Tables are dropped before anything else can be evaluated with them.
        garbled.columns.clear();
        for (role, public) in ends.public.iter().enumerate() {
            let masked = &mut garbled.masks[role];
            masked.add(&public.words);
            if role != EVALUATOR {
                links.send(role, Stream::On, &masked.words)?;
            }
        }
        learned.push(garbled.masks.swap_remove(EVALUATOR));
        kept.push(ends.kept);
    }
    Ok((learned, kept))
}
