//! Frames of the control connections: 32-bit little-endian length of what follows, a kind, a
//! payload. The length is checked before anything is kept.

/// Largest payload of one control message, in bytes.
pub const MAX_CONTROL_BYTES: usize = 1 << 20;

/// What a control message is for. All parties do the same control operations in the same order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Facts = 1,
    Barrier = 2,
    Publish = 3,
    Done = 4,
    Abort = 5,
    Heartbeat = 6,
}

impl Kind {
    pub(crate) fn from_byte(byte: u8) -> Option<Kind> {
        use Kind::{Abort, Barrier, Done, Facts, Heartbeat, Publish};
        [Facts, Barrier, Publish, Done, Abort, Heartbeat]
            .into_iter()
            .find(|&kind| kind as u8 == byte)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Facts => "comparing facts",
            Kind::Barrier => "a barrier",
            Kind::Publish => "publishing a message",
            Kind::Done => "finishing",
            Kind::Abort => "aborting",
            Kind::Heartbeat => "a heartbeat",
        }
    }
}

const HEADER_BYTES: usize = 5;

/// Why bytes are not frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FrameError {
    Length(usize),
    Kind(u8),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FrameError::Length(n) => write!(f, "it sent a control frame of {n} bytes"),
            FrameError::Kind(k) => write!(f, "it sent a control frame of unknown kind {k}"),
        }
    }
}

/// One frame as bytes. The payload is at most [`MAX_CONTROL_BYTES`].
pub(crate) fn encode(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER_BYTES + payload.len());
    frame.extend_from_slice(&(payload.len() as u32 + 1).to_le_bytes());
    frame.push(kind as u8);
    frame.extend_from_slice(payload);
    frame
}

/// Cuts a byte stream into frames.
#[derive(Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if it is here.
    pub(crate) fn next(&mut self) -> Result<Option<(Kind, Vec<u8>)>, FrameError> {
        let Some((length, rest)) = self.bytes.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 || length > MAX_CONTROL_BYTES + 1 {
            return Err(FrameError::Length(length));
        }
        let Some((&kind, _)) = rest.split_first() else {
            return Ok(None);
        };
        let kind = Kind::from_byte(kind).ok_or(FrameError::Kind(kind))?;
        if rest.len() < length {
            return Ok(None);
        }
        let payload = rest[1..length].to_vec();
        self.bytes.drain(..4 + length);
        Ok(Some((kind, payload)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_frames_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            let mut frames = Frames::default();
            frames.push(&bytes);
            let mut taken = 0;
            while let Ok(Some((_, payload))) = frames.next() {
                taken += HEADER_BYTES + payload.len();
            }
            prop_assert!(taken <= bytes.len());
        }

        #[test]
        fn frames_survive_any_cutting(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8),
            cut in 1usize..50,
        ) {
            let bytes: Vec<u8> =
                payloads.iter().flat_map(|p| encode(Kind::Publish, p)).collect();
            let mut frames = Frames::default();
            let mut got = Vec::new();
            for piece in bytes.chunks(cut) {
                frames.push(piece);
                while let Some((kind, payload)) = frames.next().unwrap() {
                    prop_assert_eq!(kind, Kind::Publish);
                    got.push(payload);
                }
            }
            prop_assert_eq!(got, payloads);
        }
    }

    #[test]
    fn oversized_and_unknown_frames_are_refused_by_their_header() {
        let mut frames = Frames::default();
        frames.push(&(MAX_CONTROL_BYTES as u32 + 2).to_le_bytes());
        assert_eq!(frames.next(), Err(FrameError::Length(MAX_CONTROL_BYTES + 2)));
        let mut frames = Frames::default();
        frames.push(&[1, 0, 0, 0, 77]);
        assert_eq!(frames.next(), Err(FrameError::Kind(77)));
    }
}
