//! One worker of one party of GMW.

use super::exchange::WorkerKeys;
use super::layers::{Cut, Tape, products_of};
use super::masks::{Masked, Walk};
use super::method::Method;
use super::products::Products;
use super::wide;
use tacit_circuit::schedule::Schedule;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
use tacit_ring::{Buffer, Word, Z2, word};
use tacit_sharing::SharingError;
use tacit_sharing::party::role_in;
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::role::RoleId;
use tacit_sharing::stored;

/// A worker of a party: its channels, and what it makes correlations from.
pub struct Gmw<'m> {
    pub(super) mesh: &'m mut Mesh,
    pub(super) places: Vec<PartyId>,
    pub(super) products: Products,
    pub(super) message: Buffer<Z2>,
    pub(super) received: Buffer<Z2>,
    pub(super) method: Method,
    me: RoleId,
    /// Without the ends of correlations; none at a party that only runs what is ready.
    keys: Option<WorkerKeys>,
}

/// A circuit on so many lanes that is ready to run once, with all that a party needs for it: masks of its
/// ports, and a tape. It may be stored in between, as the secret that it is.
pub struct Ready {
    /// This party's shares of the masks of input ports.
    inputs: Vec<Buffer<Z2>>,
    tape: Tape,
    /// Masks of the output ports that this party learns; on shares, fresh shares of zero for all.
    outputs: Vec<Option<Buffer<Z2>>>,
    lanes: usize,
}

impl Ready {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Ready { inputs, tape, outputs, lanes } = self;
        stored::encode(&(inputs, tape, outputs, lanes))
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (inputs, tape, outputs, lanes) = stored::decode(&bytes)?;
        Ok(Ready { inputs, tape, outputs, lanes })
    }
}

/// What a circuit's products take, and its output ports: masks of those that this party learns, or shares of zero
/// for all.
type Prepared = (Tape, Vec<Option<Buffer<Z2>>>);

/// Input and output ports of a circuit for GMW, and how its lanes are cut.
#[derive(Clone, Copy)]
pub struct Ports<'p> {
    /// The circuit.
    pub schedule: &'p Schedule,
    /// Who gives each input port, and its bits.
    pub inputs: &'p [(RoleId, usize)],
    /// Who learns each output port.
    pub outputs: &'p [Vec<RoleId>],
    /// How lanes are cut.
    pub cut: Cut,
}

impl<'m> Gmw<'m> {
    /// `places[r]` plays role `r`.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        mut keys: WorkerKeys,
    ) -> Result<Self, SharingError> {
        let (peers, silent) = (std::mem::take(&mut keys.peers), keys.silent.take());
        let products = Products::new(mesh.me(), places, peers, silent);
        Self::with(mesh, places, products, (keys.method, Some(keys)))
    }

    /// A party that runs stored preprocessing.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn online(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        method: Method,
    ) -> Result<Self, SharingError> {
        let products = Products::new(mesh.me(), places, [], None);
        Self::with(mesh, places, products, (method, None))
    }

    fn with(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        products: Products,
        (method, keys): (Method, Option<WorkerKeys>),
    ) -> Result<Self, SharingError> {
        let me = role_in(places, mesh.me())?;
        let places = places.to_vec();
        let (message, received) = (Buffer::default(), Buffer::default());
        Ok(Gmw { mesh, places, products, message, received, method, me, keys })
    }

    /// The keys, for another party of this worker to go on with.
    #[must_use]
    pub fn leave(self) -> Option<WorkerKeys> {
        let (peers, silent) = self.products.leave(self.places.len());
        Some(WorkerKeys { peers, silent, ..self.keys? })
    }

    pub(super) fn keys(&mut self) -> Result<&mut WorkerKeys, SharingError> {
        self.keys.as_mut().ok_or_else(|| SharingError::Shape("no keys to prepare with".into()))
    }

    /// The role that this party plays.
    #[must_use]
    pub fn role(&self) -> RoleId {
        self.me
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.mesh
    }

    /// Fills `masks` with fresh bits that only this party knows.
    pub(super) fn fresh(&mut self, masks: &mut [Z2]) -> Result<(), SharingError> {
        let keys = self.keys()?;
        let id = keys.ids.step()?.single();
        keys.own.stream(id).fill(masks);
        Ok(())
    }

    /// Sends this party's shares of masks to those who learn them, under fresh shares of zero: a
    /// share alone may be a function of this party's inputs, such as the mask of one.
    pub(super) fn open_masks(
        &mut self,
        masks: &[Z2],
        receivers: &[RoleId],
    ) -> Result<(), SharingError> {
        let mut shares = self.zero(masks.len())?;
        shares.iter_mut().zip(masks).for_each(|(share, mask)| *share = share.add(*mask));
        self.products.open(self.mesh, &shares, &self.places, receivers)
    }

    /// Fresh masks of an input: random at its owner, zero elsewhere. On shares, random ones that add up to
    /// nothing until the owner adds its values.
    pub(super) fn input_masks(
        &mut self,
        owner: RoleId,
        planes: usize,
        lanes: usize,
    ) -> Result<BitPlanes, SharingError> {
        let mut input = BitPlanes::zeros(planes, lanes);
        if !self.method.is_masked() {
            self.share_input(owner, &mut input)?;
        } else if owner == self.me {
            self.fresh(&mut input.shares.first)?;
        }
        Ok(input)
    }

    /// The owner's part of an input: the public values, to everybody; on shares, nothing to anybody.
    pub(super) fn give(
        &mut self,
        input: &mut BitPlanes,
        values: &[Z2],
    ) -> Result<(), SharingError> {
        let BitPlanes { shares, lanes, .. } = input;
        if values.len() != shares.len() {
            let (wanted, given) = (shares.len(), values.len());
            return Err(SharingError::Shape(format!(
                "an input of {wanted} words was given {given}"
            )));
        }
        // Whatever is in lanes beyond the last does not leave this party.
        let (words, kept) = (lanes.div_ceil(64).max(1), last_lanes(*lanes));
        let values = (1..).zip(values).map(|(place, value)| match place % words {
            0 => value.mul(kept),
            _ => *value,
        });
        if !self.method.is_masked() {
            let shares = shares.first.iter_mut();
            shares.zip(values).for_each(|(share, value)| *share = share.add(value));
            return Ok(());
        }
        for ((public, mask), value) in shares.second.iter_mut().zip(&*shares.first).zip(values) {
            *public = mask.add(value);
        }
        let me = self.mesh.me();
        for peer in self.places.iter().filter(|peer| **peer != me) {
            self.mesh.send(*peer, Stream::On, word::bytes(&shares.second))?;
        }
        Ok(())
    }

    /// The others' part of an input.
    pub(super) fn take(
        &mut self,
        owner: RoleId,
        input: &mut BitPlanes,
    ) -> Result<(), SharingError> {
        if !self.method.is_masked() {
            return Ok(());
        }
        let public = word::bytes_mut(&mut input.shares.second);
        Ok(self.mesh.recv(self.places[owner], Stream::On, public)?)
    }

    /// Preprocessing of a circuit on so many lanes: independent of all inputs.
    ///
    /// # Errors
    /// When the network fails.
    pub fn prepare(&mut self, ports: Ports<'_>, lanes: usize) -> Result<Ready, SharingError> {
        self.mesh.set_phase(Phase::Offline);
        let mut inputs = Vec::with_capacity(ports.inputs.len());
        for (owner, bits) in ports.inputs {
            inputs.push(self.input_masks(*owner, *bits, lanes)?);
        }
        let (tape, outputs) = if self.method.is_masked() {
            self.prepare_masked(ports, &inputs, lanes)?
        } else {
            self.prepare_shared(ports, lanes)?
        };
        let inputs = inputs.into_iter().map(|input| input.shares.first).collect();
        Ok(Ready { inputs, tape, outputs, lanes })
    }

    /// The products' masks, and the outputs' that open to this party.
    fn prepare_masked(
        &mut self,
        ports: Ports<'_>,
        inputs: &[BitPlanes],
        lanes: usize,
    ) -> Result<Prepared, SharingError> {
        let all: Vec<&BitPlanes> = inputs.iter().collect();
        let walk = Walk { schedule: ports.schedule, cut: ports.cut, ports: &all, lanes };
        let Masked { tape, mut opened, .. } = self.masked(walk, ports.outputs)?;
        let mine = |to: &Vec<RoleId>| to.contains(&self.me).then(|| opened.pop_front()).flatten();
        let outputs = ports.outputs.iter().map(mine).collect();
        Ok((tape, outputs))
    }

    /// What products on shares take, and fresh shares of zero for the outputs.
    fn prepare_shared(&mut self, ports: Ports<'_>, lanes: usize) -> Result<Prepared, SharingError> {
        let words = lanes.div_ceil(64);
        wide::check(ports.schedule, self.method)?;
        let runs = self.baseline_runs(products_of(ports.schedule) * words)?;
        let widths = ports.schedule.outputs().iter().map(Vec::len);
        let zeros =
            widths.map(|width| self.zero(width * words).map(Some)).collect::<Result<_, _>>();
        Ok((Tape::new(self.method, lanes, runs), zeros?))
    }
}

/// The lanes of a last word that are used.
fn last_lanes(lanes: usize) -> Z2 {
    Z2(u64::MAX >> ((64 - lanes % 64) % 64))
}

/// With zeros in lanes beyond the last, if there are any: nobody is to learn anything of them, and products in them need
/// not be right.
pub(super) fn only_lanes(planes: &BitPlanes) -> Option<BitPlanes> {
    (!planes.lanes.is_multiple_of(64)).then(|| planes.only_lanes())
}

impl Ready {
    /// Whether it is for this circuit.
    fn fits(&self, ports: Ports<'_>, lanes: usize, (me, parties): (RoleId, usize)) -> bool {
        if self.lanes != lanes {
            return false;
        }
        let words = lanes.div_ceil(64);
        let input =
            |((_, planes), masks): (&(RoleId, usize), &Buffer<Z2>)| masks.len() == planes * words;
        let widths = ports.schedule.outputs().iter().map(Vec::len);
        let mut outputs = self.outputs.iter().zip(ports.outputs).zip(widths);
        let shared = !self.tape.method().is_masked();
        self.tape.fits(ports.schedule, lanes, parties)
            && [self.inputs.len(), self.outputs.len()] == [ports.inputs.len(), ports.outputs.len()]
            && ports.inputs.iter().zip(&self.inputs).all(input)
            && outputs.all(|((masks, to), width)| {
                let wanted = shared || to.contains(&me);
                masks.as_ref().map(|masks| masks.len()) == wanted.then_some(width * words)
            })
    }

    /// The circuit on so many lanes, on this party's values of its own input ports: what it learns, by output
    /// port, one run of words per bit. Ports, lanes and `places`, the parties by role, are those of the preparation.
    ///
    /// # Errors
    /// When the network fails, values do not fit, or this was prepared for another circuit.
    pub fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        (ports, lanes): (Ports<'_>, usize),
        values: &[Option<Buffer<Z2>>],
    ) -> Result<Vec<Option<Buffer<Z2>>>, SharingError> {
        let mut party = Gmw::online(mesh, places, self.tape.method())?;
        if !self.fits(ports, lanes, (party.me, places.len())) {
            let what = "a circuit that was prepared for another one or another role";
            return Err(SharingError::Shape(what.into()));
        }
        let Ready { inputs, tape, outputs, .. } = self;
        let masked = |(masks, (_, planes)): (Buffer<Z2>, &(RoleId, usize))| {
            let mut input = BitPlanes::zeros(*planes, lanes);
            input.shares.first = masks;
            input
        };
        let mut inputs: Vec<BitPlanes> = inputs.into_iter().zip(ports.inputs).map(masked).collect();
        party.mesh.set_phase(Phase::Online);
        party.mesh.set_step(0);
        let owners = ports.inputs.iter().map(|(owner, _)| *owner);
        for ((input, owner), values) in inputs.iter_mut().zip(owners.clone()).zip(values) {
            if owner == party.me {
                let values = values.as_deref().unwrap_or_default();
                party.give(input, values)?;
            }
        }
        for (input, owner) in inputs.iter_mut().zip(owners) {
            if owner != party.me {
                party.take(owner, input)?;
            }
        }
        let all: Vec<&BitPlanes> = inputs.iter().collect();
        let step = &mut |party: &mut Gmw<'_>, level: usize| party.mesh.set_step(level as u32);
        let public = party.evaluate(ports.schedule, ports.cut, tape, &all, lanes, step)?;
        if !party.method.is_masked() {
            let last = party.method.rounds() * ports.schedule.depth();
            party.mesh.set_step(last as u32 + 1);
            return party.open_all(&public, &outputs, ports.outputs);
        }
        let learned = outputs.into_iter().zip(public).map(|(masks, public)| {
            let (mut masks, used) = (masks?, only_lanes(&public));
            let public = used.unwrap_or(public);
            masks.iter_mut().zip(&*public.shares.second).for_each(|(m, x)| *m = m.add(*x));
            Some(masks)
        });
        Ok(learned.collect())
    }
}

/// GMW on masked values.
pub const GMW: Protocol = Protocol::new(&Descriptor {
    name: "gmw",
    page: "gmw.md",
    best_for: "two parties, or more of whom nobody trusts a majority; fast links, or circuits with few levels",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Gmw(Transfers::Ordinary),
});
