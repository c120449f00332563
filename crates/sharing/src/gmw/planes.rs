//! Bits and circuits of programs under GMW: every circuit is prepared just before it runs, or in another session.

use super::layers::{Cut, Tape, products_of};
use super::masks::{Masked, Walk};
use super::party::Gmw;
use super::products::Made;
use crate::SharingError;
use crate::backend::{Bits, Circuits, Planes, PutOff};
use crate::convert::{BitPlanes, Layered};
use crate::cost::{Rounds, rounds_of};
use crate::role::RoleId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::{AbortKind, Phase};
use tacit_ring::{Buffer, Word, Z2};

type Result<T> = std::result::Result<T, SharingError>;

/// What one operation takes that does not depend on inputs, used once: by taking it.
#[derive(Serialize, Deserialize)]
pub(crate) enum Piece {
    /// An input: this party's shares of its masks.
    Input(Buffer<Z2>),
    /// A circuit.
    Circuit(Tape),
    /// An opening: the masks, at those who learn the values; on shares, fresh shares of zero.
    Opening(Option<Buffer<Z2>>),
}

/// Where pieces come from.
enum Supply {
    /// They are made just before they are used.
    Made,
    /// They are made and kept, and nothing is computed.
    Kept(Vec<Piece>),
    /// Another session kept them.
    Stored(VecDeque<Piece>),
}

/// A worker of a party, as programs see it.
pub struct GmwBits<'m> {
    party: Gmw<'m>,
    circuits: Circuits,
    step: u32,
    supply: Supply,
}

impl<'m> GmwBits<'m> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(party: Gmw<'m>) -> Self {
        let protocol = party.method.protocol().fitting(party.places.len());
        let supply = Supply::Made;
        GmwBits { party, circuits: Circuits::new(protocol), step: 0, supply }
    }

    /// Turns this party into one that runs preprocessing alone.
    #[must_use]
    pub fn only_ahead(self) -> Self {
        GmwBits { supply: Supply::Kept(Vec::new()), ..self }
    }

    /// The party.
    #[must_use]
    pub fn leave(self) -> Gmw<'m> {
        self.party
    }

    /// The next stored piece, if another session kept any.
    fn stored(&mut self) -> Result<Option<Piece>> {
        match &mut self.supply {
            Supply::Stored(pieces) => match pieces.pop_front() {
                Some(piece) => Ok(Some(piece)),
                None => Err(shape("preprocessing is used up")),
            },
            _ => Ok(None),
        }
    }

    /// Keeps a piece if that is all there is to do; else gives it back.
    fn keep(&mut self, piece: Piece) -> Option<Piece> {
        match &mut self.supply {
            Supply::Kept(pieces) => {
                pieces.push(piece);
                None
            }
            _ => Some(piece),
        }
    }

    fn input_masks(&mut self, owner: RoleId, planes: usize, lanes: usize) -> Result<BitPlanes> {
        let Some(piece) = self.stored()? else {
            return self.party.input_masks(owner, planes, lanes);
        };
        let mut input = BitPlanes::zeros(planes, lanes);
        match piece {
            Piece::Input(masks) if masks.len() == input.shares.len() => input.shares.first = masks,
            _ => return Err(other()),
        }
        Ok(input)
    }

    /// What the products of a circuit take, and the masks of its outputs where they are only wanted ahead.
    fn tape(&mut self, ports: Ports<'_, '_>) -> Result<(Tape, Vec<BitPlanes>)> {
        let Ports { circuit, cut, inputs, lanes } = ports;
        let schedule = circuit.schedule();
        if let Some(piece) = self.stored()? {
            return match piece {
                Piece::Circuit(tape)
                    if tape.method == self.party.method
                        && tape.fits(schedule, lanes, self.party.places.len()) =>
                {
                    Ok((tape, Vec::new()))
                }
                _ => Err(other()),
            };
        }
        let party = &mut self.party;
        party.mesh.set_phase(Phase::Offline);
        let made = if party.method.is_masked() {
            let walk = Walk { schedule, cut, ports: inputs, lanes };
            let Masked { tape, outputs, .. } = party.masked(walk, &[])?;
            (tape, outputs)
        } else {
            let runs = party.baseline_runs(products_of(schedule) * lanes.div_ceil(64))?;
            let widths = circuit.outputs().iter();
            let outputs = widths.map(|width| BitPlanes::zeros(*width, lanes)).collect();
            (Tape::new(party.method, lanes, runs), outputs)
        };
        party.mesh.set_phase(Phase::Online);
        Ok(made)
    }

    /// What opens planes to `receivers`: see [`Piece::Opening`].
    fn opening(&mut self, planes: &BitPlanes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        let me = self.party.role();
        if let Some(piece) = self.stored()? {
            let wanted = !self.party.method.is_masked() || receivers.contains(&me);
            let len = wanted.then_some(planes.shares.len());
            return match piece {
                Piece::Opening(masks) if masks.as_ref().map(|masks| masks.len()) == len => {
                    Ok(masks)
                }
                _ => Err(other()),
            };
        }
        let party = &mut self.party;
        if !party.method.is_masked() {
            return party.zero(planes.shares.len()).map(Some);
        }
        party.products.start(0, None);
        party.open_masks(&planes.shares.first, receivers)?;
        let Made { mut masks, .. } = party.products.finish(party.mesh)?;
        Ok(masks.pop_front())
    }

    fn next_step(&mut self) {
        self.step += 1;
        self.party.mesh.set_step(self.step);
    }
}

fn bits(planes: &Planes) -> Result<&BitPlanes> {
    planes.data.as_ref().ok_or_else(|| shape("bit planes of a dry run"))
}

/// A circuit on some inputs.
struct Ports<'p, 'b> {
    circuit: &'p Layered,
    cut: Cut,
    inputs: &'p [&'b BitPlanes],
    lanes: usize,
}

fn other() -> SharingError {
    shape("preprocessing that was made for another one")
}

fn shape(what: &str) -> SharingError {
    SharingError::Shape(format!("a program's operation does not fit: {what}"))
}

impl Bits for GmwBits<'_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.next_step();
        let mut input = self.input_masks(owner, planes, lanes)?;
        if let Supply::Kept(pieces) = &mut self.supply {
            pieces.push(Piece::Input(input.shares.first.clone()));
            return Ok(Planes::new(input, planes));
        }
        if owner == self.party.role() {
            self.party.give(&mut input, values.ok_or_else(|| shape("an input's values"))?)?;
        } else {
            self.party.take(owner, &mut input)?;
        }
        Ok(Planes::new(input, planes))
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        let mut bits = BitPlanes::zeros(planes, lanes);
        bits.shares.second.copy_from_slice(values);
        Planes::new(bits, planes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.next_step();
        // Lanes beyond the last may be anything: they stay closed.
        let planes = bits(planes)?.only_lanes();
        let opening = Piece::Opening(self.opening(&planes, receivers)?);
        let Some(Piece::Opening(opening)) = self.keep(opening) else { return Ok(None) };
        let party = &mut self.party;
        if !party.method.is_masked() {
            let opened = party.open_all(&[planes], &[opening], &[receivers.to_vec()])?;
            return Ok(opened.into_iter().flatten().next());
        }
        let Some(mut opened) = opening else { return Ok(None) };
        opened.iter_mut().zip(&*planes.shares.second).for_each(|(m, x)| *m = m.add(*x));
        Ok(Some(opened))
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let inputs = inputs.iter().map(|planes| bits(planes)).collect::<Result<Vec<_>>>()?;
        let lanes = inputs.first().map_or(0, |port| port.lanes);
        circuit.check_inputs(&inputs)?;
        let (block, blocks) = circuit.blocking(lanes.div_ceil(64));
        let cut = Cut { block, blocks };
        let (tape, masks) = self.tape(Ports { circuit, cut, inputs: &inputs, lanes })?;
        let outputs = match self.keep(Piece::Circuit(tape)) {
            Some(Piece::Circuit(tape)) => {
                let step = &mut self.step;
                let next = &mut |party: &mut Gmw<'_>, _: usize| {
                    *step += 1;
                    party.mesh.set_step(*step);
                };
                self.party.evaluate(circuit.schedule(), cut, tape, &inputs, lanes, next)?
            }
            _ => masks,
        };
        let widths = circuit.outputs().iter();
        Ok(outputs.into_iter().zip(widths).map(|(data, width)| Planes::new(data, *width)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn put_off(&mut self) -> Result<PutOff> {
        match std::mem::replace(&mut self.supply, Supply::Made) {
            Supply::Kept(pieces) => Ok(PutOff::of_pieces(pieces)),
            _ => Err(shape("preprocessing was not kept")),
        }
    }

    fn resume(&mut self, put_off: PutOff) -> Result<()> {
        self.supply = Supply::Stored(put_off.into_pieces().into());
        Ok(())
    }

    fn check_used_up(&mut self) -> Result<()> {
        match &self.supply {
            Supply::Stored(pieces) if !pieces.is_empty() => {
                Err(shape("preprocessing was made for more"))
            }
            _ => Ok(()),
        }
    }

    fn rounds(&mut self) -> Rounds {
        rounds_of(self.party.role(), self.party.mesh.rounds())
    }

    fn now(&mut self) -> Duration {
        self.party.mesh.begin_work_at(Duration::ZERO);
        self.party.mesh.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.party.mesh.begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.party.mesh.flush()?)
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.party.mesh.abort(kind, reason);
    }
}
