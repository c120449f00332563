//! Meshes of links between the parties of a computation.
//!
//! A [`Session`] is one party's side of one run: a control channel to every peer (to agree, meet,
//! finish, abort) and one [`Mesh`] per worker thread. A mesh moves bytes on three ordered streams
//! per directed link, and always meters them. Two transports carry it: [`memory`], where parties are threads of
//! one process in virtual time, and sockets ([`connect`]), by TLS 1.3 with pinned keys.
//!
//! ```text
//! Session ─┬─ control channel ── agree, barrier, publish, finish, abort
//!          └─ Mesh per worker ── meter ── transport ─┬─ memory: queues, virtual clocks
//!               (Pre, On, Def)                       └─ sockets: Channel ── Wire ── TLS or plain TCP
//! ```
//!
//! Two parties exchange a message. The same code runs over sockets, with sessions that [`connect`] gives:
//!
//! ```
//! use tacit_net::memory::{self, MemoryNetwork};
//! use tacit_net::{PartyId, Stream};
//!
//! let received = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
//!     let me = session.me();
//!     let other = PartyId(1 - me.0);
//!     let mut word = [0; 1];
//!     let mesh = &mut session.meshes[0];
//!     mesh.send(other, Stream::On, &[10 + me.0])?;
//!     mesh.recv(other, Stream::On, &mut word)?;
//!     session.finish()?;
//!     Ok::<_, tacit_net::NetError>(word[0])
//! });
//! assert_eq!(received.into_iter().collect::<Result<Vec<_>, _>>()?, [11, 10]);
//! # Ok::<(), tacit_net::NetError>(())
//! ```
//!
//! Every wait ends: in progress, or in a [`NetError`] that names peer, stream, phase and step. Bytes from a peer
//! size no allocation before they are checked. The crate knows no protocol, no share and no role: it moves bytes
//! between parties.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`memory`] | the transport of threads in one process, in virtual time |
//! | [`config`] | a party's configuration file, and the cards by which parties tell each other their keys |
//! | [`probe`] | measurements of an established session's links |
//! | [`calibrate`] | what bare sockets of the machine can do, as a yardstick |

pub mod calibrate;
pub mod config;
mod copy;
mod error;
mod facts;
mod frame;
mod identity;
mod link;
pub mod memory;
mod mesh;
mod meter;
mod pinned;
pub mod probe;
mod session;
mod session_state;
mod shaper;
mod socket;
#[cfg(feature = "testing")]
pub mod testing;
mod types;

pub use error::{AbortKind, MAX_REASON_BYTES, NetError, clean_text};
pub use frame::MAX_CONTROL_BYTES;
pub use identity::{Fingerprint, Identity};
pub use link::LinkProfile;
pub use mesh::Mesh;
pub use meter::{Count, Meter};
pub use pinned::{Accepted, Dialed, PinnedEnds};
pub use session::{MeetingPoint, Session};
pub use socket::{
    Farewell, Limits, Missed, Notice, PartyAddress, Security, SessionConfig, SessionId, Stopper,
    connect, meet,
};
pub use types::{PartyId, Peer, Phase, Place, Stream};
