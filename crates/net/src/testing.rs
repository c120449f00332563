//! The tamperer: lets a test play a corrupted party by changing what a mesh sends.

use crate::frame::Frames;
use crate::types::{PartyId, Place, Stream};

/// Feeds bytes of a control connection to the frame decoder, in pieces of `cut` bytes; returns
/// the number of frames, or what is wrong. For fuzzing.
///
/// # Errors
/// The message that a peer's misbehaviour would show.
pub fn decode_frames(bytes: &[u8], cut: usize) -> Result<usize, String> {
    let mut frames = Frames::default();
    let mut count = 0;
    for piece in bytes.chunks(cut.max(1)) {
        frames.push(piece);
        while frames.next().map_err(|e| e.to_string())?.is_some() {
            count += 1;
        }
    }
    Ok(count)
}

/// What happens to one message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is sent as it is.
    Keep,
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Repeat,
    /// Only its first bytes are sent.
    Truncate(usize),
    /// These bytes are sent instead.
    Replace(Vec<u8>),
}

/// One message on its way out, as the tamperer sees it.
#[derive(Copy, Clone, Debug)]
pub struct Outgoing<'a> {
    /// Receiver.
    pub to: PartyId,
    /// Stream.
    pub stream: Stream,
    /// Phase and step of the sender.
    pub place: Place,
    /// Counts all messages of this mesh from 0.
    pub index: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// Decides about every message of one mesh.
pub struct Tamper {
    decide: Box<dyn FnMut(Outgoing<'_>) -> Verdict + Send>,
    next: u64,
}

impl Tamper {
    /// A tamperer that asks `decide` about each message.
    pub fn new(decide: impl FnMut(Outgoing<'_>) -> Verdict + Send + 'static) -> Tamper {
        Tamper { decide: Box::new(decide), next: 0 }
    }

    /// Flips one bit of message number `index` of this mesh (bit numbers wrap at its length).
    #[must_use]
    pub fn flip(index: u64, bit: usize) -> Tamper {
        Tamper::new(move |m| {
            if m.index != index || m.bytes.is_empty() {
                return Verdict::Keep;
            }
            let mut bytes = m.bytes.to_vec();
            let at = bit % (bytes.len() * 8);
            bytes[at / 8] ^= 1 << (at % 8);
            Verdict::Replace(bytes)
        })
    }

    pub(crate) fn judge(
        &mut self,
        to: PartyId,
        stream: Stream,
        place: Place,
        bytes: &[u8],
    ) -> Verdict {
        let index = self.next;
        self.next += 1;
        (self.decide)(Outgoing { to, stream, place, index, bytes })
    }
}
