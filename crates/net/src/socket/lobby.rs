//! Peers that are connected already while others are missing: what they say, and whether they leave.

use super::hello::Purpose;
use super::setup::{Setup, Wires};
use super::wire::{Stall, Wire};
use crate::error::NetError;
use crate::frame::{Frames, Kind};
use crate::session::aborted;
use crate::types::Peer;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Control messages that a peer may be ahead of this party.
pub(crate) const MAX_AHEAD: usize = 64;
/// A peer whose connection closes may have a successor: one that it dials again because an answer
/// was late, or another peer's word about why. How long to wait for either.
const HEARSAY: Duration = Duration::from_millis(1500);

/// What a peer sent ahead of the session on its control connection.
#[derive(Default)]
pub(crate) struct Early {
    pub(crate) frames: Frames,
    pub(crate) messages: Vec<(Kind, Vec<u8>)>,
    left: Option<(Instant, NetError)>,
}

/// The control connections that are up, by peer.
#[derive(Default)]
pub(crate) struct Lobby {
    peers: HashMap<usize, Early>,
}

impl Lobby {
    /// A new control connection of a peer takes the place of an older one.
    pub(crate) fn enter(&mut self, peer: usize) {
        self.peers.insert(peer, Early::default());
    }

    /// What a peer sent ahead.
    pub(crate) fn take(&mut self, peer: usize) -> Early {
        self.peers.remove(&peer).unwrap_or_default()
    }

    /// Reads what peers sent; fails if one of them ended the session, or left it.
    pub(crate) fn look(&mut self, setup: &Setup, wires: &mut Wires) -> Result<(), NetError> {
        for (&peer, early) in &mut self.peers {
            let Some(wire) = wires.get_mut(&(peer, Purpose::Control)) else { continue };
            early.read(wire, &setup.peers[peer])?;
        }
        let mut left = self.peers.values().filter_map(|early| early.left.as_ref());
        match left.find(|(since, _)| since.elapsed() >= HEARSAY) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

impl Early {
    fn read(&mut self, wire: &mut Wire, peer: &Arc<Peer>) -> Result<(), NetError> {
        let misbehaved = |what: String| NetError::Misbehaviour { peer: peer.clone(), what };
        let mut buf = [0; 4096];
        while self.left.is_none() {
            match wire.read(&mut buf) {
                Ok(n) => self.frames.push(&buf[..n]),
                Err(Stall::Block) => break,
                Err(stall) => self.left = Some((Instant::now(), lost(peer, stall))),
            }
            while let Some(message) = self.frames.next().map_err(|e| misbehaved(e.to_string()))? {
                match message {
                    (Kind::Abort, payload) => return Err(aborted(peer, &payload)),
                    (Kind::Heartbeat, _) => {}
                    _ if self.messages.len() >= MAX_AHEAD => {
                        let what = "it sent more control messages than the program has";
                        return Err(misbehaved(what.into()));
                    }
                    message => self.messages.push(message),
                }
            }
        }
        Ok(())
    }
}

/// That a peer's control connection ended.
pub(crate) fn lost(peer: &Arc<Peer>, stall: Stall) -> NetError {
    NetError::Network {
        peer: peer.clone(),
        hint: match stall {
            Stall::Eof => {
                "it closed its control connection without a word: was it killed? its own \
                           output may say; start all parties again"
                    .into()
            }
            other => other.describe(),
        },
    }
}
