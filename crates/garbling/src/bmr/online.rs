//! The online phase: public values of inputs, the labels for them, and evaluation by each party alone, or by one, who
//! tells the others the public values of what they learn.

use super::common::{Common, Garbled, Ready};
use super::evaluate::evaluate;
use crate::bmr::EVALUATOR;
use crate::chain::{Done, RunsOn};
use crate::inputs;
use crate::links::Links;
use crate::ports::{KEPT, check_fit, check_kept, check_values};
use crate::worker::Evaluate;
use crate::{Bits, Ports};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::Buffer;
use tacit_ring::stored::Block;
use tacit_sharing::{RoleId, SharingError, stored};

impl Evaluate for Ready {
    type Done = Vec<Bits>;

    fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Ready { columns, opening, offset, function, key, circuits } = self;
        stored::encode(&(columns, opening, Block(offset), function, key, circuits))
    }

    fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (columns, opening, Block(offset), function, key, circuits) = stored::decode(&bytes)?;
        Ok(Ready { columns, opening, offset, function, key, circuits })
    }

    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        let mut links = Links::new(mesh, places)?;
        let none = vec![Buffer::default(); self.circuits.len()];
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
        let parties = links.parties();
        let common = self.common(parties, links.me);
        let fits = |garbled: &Garbled| garbled.fits(&common, ports);
        check_fit((1..=parties).contains(&common.columns) && self.circuits.iter().all(fits))?;
        check_values(ports, common.me, self.circuits.len(), values)?;
        let evaluates = common.opening.evaluates(common.me);
        let blocks = if evaluates { ports.given_by(KEPT) * common.columns } else { 0 };
        let all = from.len() == self.circuits.len();
        check_kept(all && from.iter().all(|labels| labels.len() == blocks))?;
        run(links, &common, ports, self.circuits, (values, from))
    }
}

fn run(
    links: &mut Links<'_>,
    common: &Common,
    ports: Ports<'_>,
    garbled: Vec<Garbled>,
    (values, from): (&[Bits], &[Buffer<u128>]),
) -> Result<Done, SharingError> {
    links.mesh.set_phase(Phase::Online);
    links.mesh.set_step(0);
    let (me, owners) = (common.me, ports.owners().collect::<Vec<_>>());
    let lambda = |instance: usize, input: usize| garbled[instance].lambdas[input] == 1;
    let public = inputs::exchange(links, ports, values, lambda, inputs::Hearers::All)?;
    links.mesh.set_step(1);
    let evaluates = |role: &RoleId| common.opening.evaluates(*role);
    let mut own = Vec::with_capacity(garbled.len());
    for (garbled, public) in garbled.iter().zip(&public).filter(|_| common.is_keeper()) {
        let mut labels = Buffer::<u128>::zeros(ports.shown());
        let zeros = garbled.labels.iter().enumerate().filter(|(i, _)| owners[*i] != KEPT);
        for (label, (i, zero)) in labels.iter_mut().zip(zeros) {
            *label = zero ^ (u128::from(public.get(i)) * *common.offset);
        }
        for peer in links.peers().filter(evaluates) {
            links.send(peer, Stream::On, &labels)?;
        }
        own.push(labels);
    }
    let learned = match evaluates(&me) {
        true => evaluate_all(links, common, ports, garbled, (own, from)),
        false => take_outputs(links, garbled),
    }?;
    links.mesh.flush()?;
    Ok(learned)
}

/// Takes the keepers' labels, and evaluates; tells the others of outputs if nobody else evaluates. `own` are this
/// party's labels, if it has any.
fn evaluate_all(
    links: &mut Links<'_>,
    common: &Common,
    ports: Ports<'_>,
    garbled: Vec<Garbled>,
    (own, from): (Vec<Buffer<u128>>, &[Buffer<u128>]),
) -> Result<Done, SharingError> {
    let mut learners = vec![common.me];
    learners.extend(links.peers().filter(|peer| !common.opening.evaluates(*peer)));
    let (mut learned, mut kept) = (Vec::with_capacity(garbled.len()), Vec::new());
    let mut own = own.into_iter();
    for (garbled, from) in garbled.into_iter().zip(from) {
        let mut labels = Vec::with_capacity(common.columns);
        for role in 0..common.columns {
            labels.push(match role == common.me {
                true => own.next().unwrap_or_default(),
                false => links.recv(role, Stream::On, ports.shown())?,
            });
        }
        let done = evaluate(common, ports, &garbled, (&labels, from), &learners);
        let (mut outputs, labels) = done.ok_or_else(|| {
            let what = "labels of a wire do not agree: a party did not follow the protocol";
            SharingError::from(links.mesh.check_failed(what.into()))
        })?;
        for (peer, public) in learners.iter().zip(&outputs).skip(1) {
            links.send(*peer, Stream::On, &public.words)?;
        }
        learned.push(unmasked(outputs.swap_remove(0), &garbled.masks.words));
        kept.push(labels);
    }
    Ok((learned, kept))
}

/// Takes the public values of outputs from who evaluates.
fn take_outputs(links: &mut Links<'_>, garbled: Vec<Garbled>) -> Result<Done, SharingError> {
    links.mesh.set_step(2);
    let kept = garbled.iter().map(|_| Buffer::default()).collect();
    let take = |garbled: Garbled| {
        let public = links.recv::<u64>(EVALUATOR, Stream::On, garbled.masks.words.len())?;
        Ok(unmasked(garbled.masks, &public))
    };
    Ok((garbled.into_iter().map(take).collect::<Result<_, SharingError>>()?, kept))
}

/// Values, from public values and masks.
fn unmasked(mut bits: Bits, others: &[u64]) -> Bits {
    bits.words.iter_mut().zip(others).for_each(|(bits, others)| *bits ^= others);
    bits
}
