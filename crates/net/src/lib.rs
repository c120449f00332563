//! Meshes of links between the parties of a computation.
//!
//! A [`Session`] is one party's side of one run: a control channel to every peer (to agree, meet,
//! finish, abort) and one [`Mesh`] per worker thread. A mesh moves bytes on three ordered streams
//! per directed link, always metered. Two transports carry it: [`memory`] with virtual time, and
//! sockets.
//!
//! Every wait ends: in progress, or in a [`NetError`] that names peer, stream, phase and step.

pub mod calibrate;
pub mod config;
mod copy;
mod error;
mod facts;
mod fate;
mod frame;
mod identity;
mod link;
pub mod memory;
mod mesh;
mod meter;
pub mod probe;
mod session;
mod shaper;
mod socket;
#[cfg(feature = "testing")]
pub mod testing;
mod types;

pub use error::{AbortKind, MAX_REASON_BYTES, NetError, clean_text};
pub use identity::{Fingerprint, Identity};
pub use link::LinkProfile;
pub use mesh::Mesh;
pub use meter::{Count, Meter};
pub use session::{MAX_CONTROL_BYTES, Session};
pub use socket::{
    Farewell, Limits, Missed, Notice, PartyAddress, Security, SessionConfig, SessionId, Stopper,
    connect, meet,
};
pub use types::{PartyId, Peer, Phase, Place, Stream};
