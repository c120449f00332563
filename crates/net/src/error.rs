//! What can go wrong on the way to a peer, said so that a user knows what to do.

use crate::types::{Peer, Place, Stream};
use std::sync::Arc;
use std::time::Duration;

/// Longest reason that a peer may give for an abort, in bytes.
pub const MAX_REASON_BYTES: usize = 1024;

/// An error of the network layer. Each variant is one kind, with its own remedy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The configuration (file, address, key, option) cannot be used.
    #[error("configuration: {0}")]
    Configuration(String),

    /// A peer cannot be reached, or its connection broke.
    #[error("network: {peer}: {hint}")]
    Network {
        /// The peer.
        peer: Arc<Peer>,
        /// What happened and what to try.
        hint: String,
    },

    /// The own listening port cannot be used.
    #[error("network: cannot listen on {address}: {hint}")]
    Listen {
        /// The address.
        address: String,
        /// What happened and what to try.
        hint: String,
    },

    /// A peer did not connect in time: within the deadline [`crate::Limits::connect`].
    #[error("network: {peer}: {hint}")]
    NotConnected {
        /// The peer.
        peer: Arc<Peer>,
        /// How long it was waited for, and what to try.
        hint: String,
    },

    /// A peer showed no sign of life for long: a multiple of the deadline [`crate::Limits::progress`].
    #[error(
        "timeout: no sign of life from {peer} for {waited:.1?}; is it running, and is the network \
         between you up?"
    )]
    Silent {
        /// The peer.
        peer: Arc<Peer>,
        /// Time without any message.
        waited: Duration,
    },

    /// A peer made no progress within the deadline [`crate::Limits::progress`].
    #[error(
        "timeout: no progress for {waited:.1?} with {peer}, stream {stream}, {place}; is it running, \
         and is the network between you up?"
    )]
    Timeout {
        /// The peer waited for.
        peer: Arc<Peer>,
        /// The stream.
        stream: Stream,
        /// Phase and step of the waiting mesh.
        place: Place,
        /// Time without progress.
        waited: Duration,
    },

    /// A peer did not answer on the control connection within the deadline
    /// [`crate::Limits::meeting`].
    #[error("timeout: {peer} did not answer within {waited:.1?} while {doing}")]
    ControlTimeout {
        /// The peer waited for.
        peer: Arc<Peer>,
        /// What this party was doing.
        doing: String,
        /// Time waited.
        waited: Duration,
    },

    /// A peer's side ended while this party still needed it.
    #[error(
        "network: {peer} closed the connection (stream {stream}, {place}); see its own output for why"
    )]
    Closed {
        /// The peer.
        peer: Arc<Peer>,
        /// The stream.
        stream: Stream,
        /// Phase and step of this mesh.
        place: Place,
    },

    /// A peer ended the session and said why. Kind and reason are the peer's word; the reason is
    /// bounded and cleaned.
    #[error("{peer} ended the session: {reason}{}", kind.remedy())]
    PeerAborted {
        /// The peer.
        peer: Arc<Peer>,
        /// What kind of reason it gave.
        kind: AbortKind,
        /// Its reason: untrusted text.
        reason: String,
    },

    /// A check of a protocol failed: somebody deviated from it.
    #[error("check failed: {0}")]
    Check(String),

    /// This party ended the session, in another thread or at its user's wish.
    #[error("stopped: {reason}")]
    Stopped {
        /// What kind of reason it gave.
        kind: AbortKind,
        /// Its reason.
        reason: String,
    },

    /// The parties want different things.
    #[error(
        "disagreement with {peer} about {what}: here {mine}, there {theirs}{}",
        if *setting { "; start all parties with the same" } else { "" }
    )]
    Disagreement {
        /// The peer that differs.
        peer: Arc<Peer>,
        /// The name of the first fact that differs.
        what: String,
        /// The value here.
        mine: String,
        /// The value there: untrusted text.
        theirs: String,
        /// Whether it is a setting, which is to be the same at all; else it is what parties bring.
        setting: bool,
    },

    /// A peer's key is not the pinned one, or it does not know this party's: a configuration is
    /// wrong, or somebody answers in a peer's place.
    #[error("authentication: {peer}: {hint}")]
    Unauthorised {
        /// The peer.
        peer: Arc<Peer>,
        /// What happened and what to compare.
        hint: String,
    },

    /// A peer broke the rules of the wire format or of authentication.
    #[error("misbehaviour of {peer}: {what}")]
    Misbehaviour {
        /// The peer.
        peer: Arc<Peer>,
        /// What it did.
        what: String,
    },
}

/// What kind of reason a party gives for ending a session, so that the others' errors are of the
/// right kind, whichever of them notices first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum AbortKind {
    /// It failed, or lost somebody.
    Failure = 0,
    /// The parties want different things.
    Disagreement = 1,
    /// A party sent what no party that follows the protocol sends.
    Misbehaviour = 2,
    /// Its command or an input of it cannot be used.
    Input = 3,
    /// Its configuration cannot be used.
    Configuration = 4,
    /// Its machine has no more of something.
    System = 5,
    /// It met a bug in Tacit.
    Bug = 6,
    /// Its user stopped it.
    Interrupted = 7,
    /// A value left a range that is checked in the run.
    Check = 8,
}

impl AbortKind {
    /// Every kind, in order.
    pub const ALL: [AbortKind; 9] = [
        AbortKind::Failure,
        AbortKind::Disagreement,
        AbortKind::Misbehaviour,
        AbortKind::Input,
        AbortKind::Configuration,
        AbortKind::System,
        AbortKind::Bug,
        AbortKind::Interrupted,
        AbortKind::Check,
    ];

    /// The kind of an error that ends a session. An abort that is passed on keeps its kind.
    #[must_use]
    pub fn of(error: &NetError) -> AbortKind {
        match error {
            NetError::Disagreement { .. } => AbortKind::Disagreement,
            NetError::Misbehaviour { .. } | NetError::Check(_) => AbortKind::Misbehaviour,
            NetError::Configuration(_)
            | NetError::Unauthorised { .. }
            | NetError::Listen { .. } => AbortKind::Configuration,
            NetError::PeerAborted { kind, .. } | NetError::Stopped { kind, .. } => *kind,
            NetError::Network { .. }
            | NetError::NotConnected { .. }
            | NetError::Silent { .. }
            | NetError::Timeout { .. }
            | NetError::ControlTimeout { .. }
            | NetError::Closed { .. } => AbortKind::Failure,
        }
    }

    /// What a peer's byte stands for; one that stands for nothing is a failure.
    pub(crate) fn from_byte(byte: u8) -> AbortKind {
        AbortKind::ALL.get(usize::from(byte)).copied().unwrap_or(AbortKind::Failure)
    }

    /// What a party does about a peer's abort of this kind, where its reason does not say so.
    fn remedy(self) -> &'static str {
        match self {
            AbortKind::Failure
            | AbortKind::Disagreement
            | AbortKind::Misbehaviour
            | AbortKind::Check => "",
            AbortKind::Input | AbortKind::Configuration => {
                "; nothing is wrong here: start again when it has corrected that"
            }
            AbortKind::System => "; nothing is wrong here: start again when it has mended that",
            AbortKind::Bug => "; nothing is wrong here: whoever runs it is to report the bug",
            AbortKind::Interrupted => "; nothing is wrong here: start again when it does",
        }
    }
}

/// Makes untrusted text fit for a message: one bounded line without control characters.
#[must_use]
pub fn clean_text(bytes: &[u8], max_bytes: usize) -> String {
    let cut = &bytes[..bytes.len().min(max_bytes)];
    let text = String::from_utf8_lossy(cut);
    let shown = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut line: String = text.chars().map(|c| if shown(c) { c } else { ' ' }).collect();
    if bytes.len() > cut.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_aborts_go_over_the_wire_and_are_kept_when_passed_on() {
        for (byte, kind) in (0..).zip(AbortKind::ALL) {
            assert_eq!((kind as u8, AbortKind::from_byte(byte)), (byte, kind));
            let peer = Peer { id: crate::PartyId(1), name: "bob".into(), address: "b:1".into() };
            let told = NetError::PeerAborted { peer: Arc::new(peer), kind, reason: "why".into() };
            assert_eq!(AbortKind::of(&told), kind);
            assert!(told.to_string().starts_with("party 1 (bob at b:1) ended the session: why"));
        }
        assert_eq!(AbortKind::from_byte(9), AbortKind::Failure);
    }

    #[test]
    fn untrusted_text_is_bounded_and_clean() {
        assert_eq!(clean_text(b"a\x1b[31mb\nc", 100), "a [31mb c");
        assert_eq!(clean_text("\u{202e}x".as_bytes(), 100), " x");
        assert_eq!(clean_text(b"abcdef", 3), "abc…");
        assert!(clean_text(&[0xff; 5000], 16).len() < 100);
    }
}
