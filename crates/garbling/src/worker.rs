//! One worker of one party of a protocol that garbles: before inputs are known, when they are, and as a program runs.

use crate::yao::streamed::Streamed;
use crate::{Bits, Chain, Ports};
use tacit_backend::Boolean;
use tacit_net::{Mesh, PartyId};
use tacit_ring::Buffer;
use tacit_sharing::SharingError;

/// One worker of one party of a protocol that garbles circuits ahead of time, to be evaluated in a constant
/// number of rounds.
pub trait Garbling {
    /// A circuit garbled for some instances.
    type Ready: Evaluate;

    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// Garbles a circuit for so many instances, in as many rounds as for one.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Self::Ready, SharingError>;

    /// This worker, for a program that is garbled as it runs. `places[r]` plays role `r`, as before.
    ///
    /// # Errors
    /// When its party plays no role.
    fn streaming<'m>(self, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: Sized + 'm;
}

/// A circuit garbled for some instances, and all that a party needs to evaluate it: the online phase has no
/// other secrets. It is used once: by giving it up.
pub trait Evaluate: Sized {
    /// What comes of evaluation: what this party learns, or what is still to be opened.
    type Done;

    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    fn into_bytes(self) -> Result<Buffer<u8>, SharingError>;

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError>;

    /// Evaluates all instances that were prepared together, on this party's bits of its own inputs, instance
    /// by instance in the order of the schedule's inputs. What this party learns is instance by instance, bit
    /// by bit, port after port. Ports and `places`, the parties by role, are those of the preparation.
    ///
    /// # Errors
    /// When the network fails, values do not fit, this was made for another circuit, or labels do not fit
    /// each other.
    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Self::Done, SharingError>;
}

/// A worker, for a program that is garbled as it runs.
pub enum Streaming<'m> {
    /// Gate by gate.
    ByGates(Box<Boolean<Streamed<'m>>>),
    /// Circuit by circuit, each of which goes on from the one before.
    ByCircuits(Box<dyn Chain + Send + 'm>),
    /// Its protocol garbles whole circuits only.
    Never,
}
