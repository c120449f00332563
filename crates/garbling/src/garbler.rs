//! What anybody may ask of a protocol that garbles: what it costs, what it keeps, and its parties. The module of each
//! protocol answers at its end.

use crate::authenticated::Unopened;
use crate::bmr::{LabelFunction, Opening};
use crate::worker::{Evaluate, Garbling, Streaming};
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_gmw::{Correlations, Delta};
use tacit_net::{Mesh, PartyId};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{Protocol, RoleId, SharingError};

/// What all parties of a session have agreed on.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How many they are.
    pub parties: usize,
    /// How tables open that they make together.
    pub opening: Opening,
    /// What hides the rows of those.
    pub label_function: LabelFunction,
    /// Workers of each of them.
    pub workers: usize,
}

impl Terms {
    /// One worker of each party of a protocol, which does as it does by itself.
    #[must_use]
    pub fn of(protocol: Protocol) -> Self {
        let (parties, opening) = (protocol.parties(), protocol.opening());
        Terms { parties, opening, label_function: LabelFunction::default(), workers: 1 }
    }
}

/// The parties of a session.
#[derive(Clone, Copy)]
pub struct Parties<'a> {
    /// What they have agreed on.
    pub terms: Terms,
    /// `places[r]` plays role `r`.
    pub places: &'a [PartyId],
    /// A fresh name of their session.
    pub session: &'a [u8],
}

/// How gates are garbled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Half gates, and three blocks for every other garbler's MACs.
    HalfGates,
    /// Four rows of labels and MACs, as in the paper of CCS 2017.
    FourRows,
}

/// What a party keeps for an AND.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Blocks, about, while a circuit is garbled.
    pub blocks: usize,
    /// Bytes of its garbled table.
    pub table_bytes: usize,
    /// A circuit that is kept has fewer ANDs than so many; none where parties need keep nothing of it.
    pub most_ands: Option<usize>,
}

/// ANDs of an instance, at most, where all parties send each other something for every one of them before they take
/// it: it has to be kept.
pub(crate) const MAX_ANDS: usize = 1 << 24;

/// A protocol that garbles. Nothing is answered by default.
pub trait Garbler: Sync {
    /// Bits on every link for an AND: the leading terms.
    fn and_bits(&self, terms: &Terms) -> Traffic;

    /// Counts what circuits send that one worker garbles and evaluates.
    fn counter(&self, terms: &Terms) -> Box<dyn Counter>;

    /// Rounds that a role waits for while a circuit that was garbled is evaluated.
    fn rounds(&self, terms: &Terms, ports: Ports<'_>, me: RoleId) -> u64;

    /// How often a phase waits for messages, one after the other.
    fn latencies(&self, terms: &Terms) -> Latencies;

    /// What the party that has most computes for an AND, ahead and online.
    fn work(&self, parties: usize) -> [Work; 2];

    /// What a party keeps.
    fn kept(&self, terms: &Terms) -> Kept;

    /// Where circuits go on from each other, so that a program is garbled circuit by circuit: about how many ANDs one has,
    /// of all parties together.
    fn goes_on(&self) -> Option<usize>;

    /// How it garbles with authenticated triples, for which alone there are stocks of them.
    fn authenticated(&self) -> Option<Form>;

    /// Agrees on keys with all others, and gives what each worker needs of them.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are too few, there is no entropy, or a peer is found to
    /// deviate.
    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError>;

    /// What a worker prepared in another session.
    ///
    /// # Errors
    /// When it has not the form that it should.
    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError>;
}

/// Counts what circuits send, one after the other.
pub trait Counter: Send {
    /// Adds a circuit for so many instances, which are prepared together.
    fn add(&mut self, ports: Ports<'_>, instances: usize);

    /// Bytes per directed link.
    fn bytes(&self) -> Traffic;
}

/// Counts instances that cost the same each.
pub(crate) struct Each<F> {
    instance: F,
    sum: Traffic,
}

impl<F: Fn(Ports<'_>) -> Traffic + Send + 'static> Each<F> {
    /// Nothing yet, of instances that cost this.
    pub fn counter(instance: F) -> Box<dyn Counter> {
        Box::new(Each { instance, sum: Traffic::default() })
    }
}

impl<F: Fn(Ports<'_>) -> Traffic + Send> Counter for Each<F> {
    fn add(&mut self, ports: Ports<'_>, instances: usize) {
        self.sum += (self.instance)(ports) * instances as u64;
    }

    fn bytes(&self) -> Traffic {
        self.sum.clone()
    }
}

/// What a worker needs of keys: gives the worker on its links, among the parties of the exchange.
pub type Seat = Box<
    dyn for<'m> FnOnce(
            &'m mut Mesh,
            Parties<'_>,
        ) -> Result<Box<dyn AnyWorker<'m> + 'm>, SharingError>
        + Send,
>;

/// A seat for each worker, from its keys.
pub(crate) fn seats<K: Send + 'static>(
    workers: usize,
    mut keys: impl FnMut() -> K,
    sit: impl for<'m> Fn(
        &'m mut Mesh,
        Parties<'_>,
        K,
    ) -> Result<Box<dyn AnyWorker<'m> + 'm>, SharingError>
    + Copy
    + Send
    + 'static,
) -> Vec<Seat> {
    let seat = |_| -> Seat {
        let keys = keys();
        Box::new(move |mesh, parties| sit(mesh, parties, keys))
    };
    (0..workers).map(seat).collect()
}

/// Correlated transfers between all parties, with one offset at each, which labels have in common.
pub(crate) fn correlations(
    mesh: &mut Mesh,
    Parties { places, session, .. }: Parties<'_>,
    silent: bool,
    entropy: &mut Entropy,
) -> Result<Correlations, SharingError> {
    let all = Correlations::exchange(mesh, session, places, Delta::Common, entropy)?;
    Ok(if silent { all.silent(session) } else { all })
}

/// One worker of one party of any protocol that garbles.
pub trait AnyWorker<'m>: Send {
    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// Garbles a circuit for some instances: see [`Garbling::prepare`].
    ///
    /// # Errors
    /// When [`Garbling::prepare`] fails.
    fn prepare(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
    ) -> Result<Box<dyn AnyReady>, SharingError>;

    /// This worker, for a program that is garbled as it runs: see [`Garbling::streaming`].
    ///
    /// # Errors
    /// When [`Garbling::streaming`] fails.
    fn streaming(self: Box<Self>, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>;
}

/// A garbled circuit of any protocol, with what a party needs to evaluate it. It is used once: by giving it up.
pub trait AnyReady {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    fn into_bytes(self: Box<Self>) -> Result<Buffer<u8>, SharingError>;

    /// Evaluates all instances that were prepared together: see [`Evaluate::run`].
    ///
    /// # Errors
    /// When [`Evaluate::run`] fails.
    fn run(
        self: Box<Self>,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Evaluated, SharingError>;
}

/// What comes of evaluation.
pub enum Evaluated {
    /// What this party learns.
    Learned(Vec<Bits>),
    /// What is to open when all workers have passed their checks.
    Unopened(Box<Unopened>),
}

impl From<Vec<Bits>> for Evaluated {
    fn from(learned: Vec<Bits>) -> Self {
        Evaluated::Learned(learned)
    }
}

impl From<Unopened> for Evaluated {
    fn from(unopened: Unopened) -> Self {
        Evaluated::Unopened(Box::new(unopened))
    }
}

impl<'m, G> AnyWorker<'m> for G
where
    G: Garbling<Ready: Evaluate<Done: Into<Evaluated>> + 'static> + Send + 'm,
{
    fn mesh(&mut self) -> &mut Mesh {
        Garbling::mesh(self)
    }

    fn prepare(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
    ) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Garbling::prepare(self, ports, instances)?))
    }

    fn streaming(self: Box<Self>, places: &[PartyId]) -> Result<Streaming<'m>, SharingError> {
        Garbling::streaming(*self, places)
    }
}

impl<E: Evaluate<Done: Into<Evaluated>>> AnyReady for E {
    fn into_bytes(self: Box<Self>) -> Result<Buffer<u8>, SharingError> {
        Evaluate::into_bytes(*self)
    }

    fn run(
        self: Box<Self>,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Evaluated, SharingError> {
        Ok(Evaluate::run(*self, mesh, places, ports, values)?.into())
    }
}
