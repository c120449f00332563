//! Circuits that go on from each other, evaluated one after the other.

use crate::links::Links;
use crate::ports::{KEPT, check_kept};
use crate::{Bits, Ports};
use tacit_net::{Mesh, PartyId};
use tacit_ring::Buffer;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// One worker of one party, evaluating circuits each of which goes on from the one before: inputs that are [`KEPT`](crate::KEPT) are
/// that one's outputs that nobody learned, in the same order.
pub trait Chain {
    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// This party's role.
    fn me(&self) -> RoleId;

    /// Garbles a circuit, and evaluates it on this party's bits of its own inputs, in the order of the schedule's
    /// inputs. Gives what this party learns, bit by bit, port after port.
    ///
    /// # Errors
    /// When the network fails, values do not fit, or a check fails: before anything of the circuit opens.
    fn evaluate_next(&mut self, ports: Ports<'_>, values: Bits) -> Result<Bits, SharingError>;
}

/// Blocks of wires while a circuit is garbled. Secret.
pub type Blocks = Zeroizing<Vec<u128>>;

/// By instance, what is learned, and labels of what is kept at who evaluates.
pub(crate) type Done = (Vec<Bits>, Vec<Buffer<u128>>);

/// A worker of a party that garbles circuits which go on from each other, where nothing is checked before outputs open.
pub(crate) trait GoesOn {
    /// A circuit garbled for some instances.
    type Ready: RunsOn;

    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// Blocks of a wire that goes on.
    fn width(&self) -> usize;

    /// Garbles a circuit for some instances, each of which goes on from wires that are as many as it takes; gives those
    /// that it keeps.
    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Self::Ready, Vec<Blocks>), SharingError>;

    /// Garbles a circuit for instances that go on from wires: see [`GoesOn::garble_on`].
    ///
    /// # Errors
    /// When garbling fails, or wires are not as many as the circuit takes.
    fn prepare_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Self::Ready, Vec<Blocks>), SharingError> {
        let blocks = ports.given_by(KEPT) * self.width();
        check_kept(from.iter().all(|from| from.len() == blocks))?;
        self.garble_on(ports, from)
    }
}

/// A circuit garbled for some instances, which may go on from another.
pub(crate) trait RunsOn {
    /// Evaluates it on the labels of the wires that the other one kept, by instance; also returns the labels of the wires that
    /// this one keeps. Only parties that evaluate have labels.
    fn run_on(
        self,
        links: &mut Links<'_>,
        ports: Ports<'_>,
        values: &[Bits],
        from: &[Buffer<u128>],
    ) -> Result<Done, SharingError>;
}

/// What further circuits go on from: wires that nobody learned. Secret.
#[derive(Default)]
struct Kept {
    wires: Blocks,
    /// Their labels, if this party evaluates.
    labels: Buffer<u128>,
}

/// A worker of a party, evaluating circuits each of which goes on from the one before.
pub(crate) struct ChainOf<W> {
    worker: W,
    places: Vec<PartyId>,
    me: RoleId,
    kept: Kept,
}

impl<W: GoesOn> ChainOf<W> {
    /// A worker, for circuits that go on from each other. `places[r]` plays role `r`, as before.
    ///
    /// # Errors
    /// When its party plays no role.
    pub fn new(mut worker: W, places: &[PartyId]) -> Result<Self, SharingError> {
        let me = Links::new(worker.mesh(), places)?.me;
        Ok(ChainOf { worker, places: places.to_vec(), me, kept: Kept::default() })
    }
}

impl<W: GoesOn> Chain for ChainOf<W> {
    fn mesh(&mut self) -> &mut Mesh {
        self.worker.mesh()
    }

    fn me(&self) -> RoleId {
        self.me
    }

    fn evaluate_next(&mut self, ports: Ports<'_>, values: Bits) -> Result<Bits, SharingError> {
        let Kept { wires, labels } = std::mem::take(&mut self.kept);
        let (ready, mut next) = self.worker.prepare_on(ports, &[wires])?;
        let mut links = Links::new(self.worker.mesh(), &self.places)?;
        let (mut learned, mut active) = ready.run_on(&mut links, ports, &[values], &[labels])?;
        let wires = next.pop().unwrap_or_default();
        self.kept = Kept { wires, labels: active.pop().unwrap_or_default() };
        Ok(learned.pop().unwrap_or_else(|| Bits::zeros(0)))
    }
}
