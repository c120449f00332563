//! Circuits that go on from each other, evaluated one after the other.

use crate::{Bits, Ports};
use tacit_net::Mesh;
use tacit_sharing::{RoleId, SharingError};

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
