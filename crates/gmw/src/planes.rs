//! Bits and circuits of programs under GMW: every circuit is prepared just before it runs, or in another session.

use super::layers::{Cut, Tape, products_of};
use super::masks::{Masked, Walk};
use super::party::Gmw;
use super::products::Made;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tacit_circuit::schedule::Schedule;
use tacit_net::{Mesh, Phase};
use tacit_protocol::Protocol;
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::role::RoleId;
use tacit_sharing::stored;

type Result<T> = std::result::Result<T, SharingError>;

/// What one operation takes that does not depend on inputs, used once: by taking it.
#[derive(Serialize, Deserialize)]
enum Piece {
    /// An input: this party's shares of its masks.
    Input(Buffer<Z2>),
    /// A circuit.
    Circuit(Tape),
    /// An opening: the masks, at those who learn the values; on shares, fresh shares of zero.
    Opening(Option<Buffer<Z2>>),
}

/// What a program takes that does not depend on inputs, operation after operation: secret.
#[derive(Default)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// Encodes these for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When they cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>> {
        stored::encode(&self.0)
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self> {
        Ok(Pieces(stored::decode(&bytes)?))
    }
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

/// A worker of a party that computes on bit planes, operation after operation.
pub struct OnPlanes<'m> {
    party: Gmw<'m>,
    step: u32,
    supply: Supply,
}

impl<'m> OnPlanes<'m> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(party: Gmw<'m>) -> Self {
        OnPlanes { party, step: 0, supply: Supply::Made }
    }

    /// Turns this party into one that runs preprocessing alone.
    #[must_use]
    pub fn only_ahead(self) -> Self {
        OnPlanes { supply: Supply::Kept(Vec::new()), ..self }
    }

    /// The protocol, for as many parties as there are.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.party.method.protocol().fitting(self.party.places.len())
    }

    /// This party's number among those that compute.
    #[must_use]
    pub fn role(&self) -> RoleId {
        self.party.role()
    }

    /// The channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.party.mesh
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
    fn tape(&mut self, of: CircuitOn<'_, '_>) -> Result<(Tape, Vec<BitPlanes>)> {
        let CircuitOn { schedule, cut, inputs, widths, lanes } = of;
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
            let outputs = widths.iter().map(|width| BitPlanes::zeros(*width, lanes)).collect();
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

    /// Shares planes of `owner`, who passes their words, plane after plane.
    ///
    /// # Errors
    /// When the network fails, the owner has no values, or what was stored is not of this input.
    pub fn input(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<BitPlanes> {
        self.next_step();
        let mut input = self.input_masks(owner, planes, lanes)?;
        if let Supply::Kept(pieces) = &mut self.supply {
            pieces.push(Piece::Input(input.shares.first.clone()));
            return Ok(input);
        }
        if owner == self.party.role() {
            self.party.give(&mut input, values.ok_or_else(|| shape("an input's values"))?)?;
        } else {
            self.party.take(owner, &mut input)?;
        }
        Ok(input)
    }

    /// Opens planes to `receivers`, who get their words.
    ///
    /// # Errors
    /// When the network fails, or what was stored is not of this opening.
    pub fn open(&mut self, planes: &BitPlanes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.next_step();
        // Lanes beyond the last may be anything: they stay closed.
        let planes = planes.only_lanes();
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

    /// Evaluates a circuit on bit planes.
    ///
    /// # Errors
    /// When the network fails, or what was stored is not of this circuit.
    pub fn evaluate(&mut self, of: CircuitOn<'_, '_>) -> Result<Vec<BitPlanes>> {
        let CircuitOn { schedule, cut, inputs, lanes, .. } = of;
        let (tape, masks) = self.tape(of)?;
        match self.keep(Piece::Circuit(tape)) {
            Some(Piece::Circuit(tape)) => {
                let step = &mut self.step;
                let next = &mut |party: &mut Gmw<'_>, _: usize| {
                    *step += 1;
                    party.mesh.set_step(*step);
                };
                self.party.evaluate(schedule, cut, tape, inputs, lanes, next)
            }
            _ => Ok(masks),
        }
    }

    /// Ends preprocessing alone, and hands out what it kept.
    ///
    /// # Errors
    /// When it kept nothing.
    pub fn put_off(&mut self) -> Result<Pieces> {
        match std::mem::replace(&mut self.supply, Supply::Made) {
            Supply::Kept(pieces) => Ok(Pieces(pieces)),
            _ => Err(shape("preprocessing was not kept")),
        }
    }

    /// Takes what a party of another session kept, before anything else is done.
    pub fn resume(&mut self, pieces: Pieces) {
        self.supply = Supply::Stored(pieces.0.into());
    }

    /// Checks that all was used that another session kept.
    ///
    /// # Errors
    /// When something is left.
    pub fn check_used_up(&self) -> Result<()> {
        match &self.supply {
            Supply::Stored(pieces) if !pieces.is_empty() => {
                Err(shape("preprocessing was made for more"))
            }
            _ => Ok(()),
        }
    }

    fn next_step(&mut self) {
        self.step += 1;
        self.party.mesh.set_step(self.step);
    }
}

/// A circuit on some inputs.
#[derive(Clone, Copy)]
pub struct CircuitOn<'p, 'b> {
    /// The circuit.
    pub schedule: &'p Schedule,
    /// How its lanes are cut.
    pub cut: Cut,
    /// Its inputs, port by port.
    pub inputs: &'p [&'b BitPlanes],
    /// The widths of its outputs.
    pub widths: &'p [usize],
    /// How many lanes there are.
    pub lanes: usize,
}

fn other() -> SharingError {
    shape("preprocessing that was made for another one")
}

fn shape(what: &str) -> SharingError {
    SharingError::Shape(format!("a program's operation does not fit: {what}"))
}
