//! What the dialer of a connection says first, and the listener's answer.

use super::SessionId;
use crate::error::clean_text;
use crate::types::{PartyId, Stream};

/// Version of everything that goes over the wire. Parties of different versions do not talk.
pub(crate) const WIRE_VERSION: u16 = 2;
const MAGIC: [u8; 8] = *b"TACITnet";
pub(crate) const HELLO_BYTES: usize = 8 + 2 + 16 + 16 + 2 + 1 + 1 + 1 + 2 + 1;
pub(crate) const MAX_REFUSAL_BYTES: usize = 512;

/// What differs where two parties have other members, or in another order.
pub(crate) const MEMBERS: &str = "who the parties are";

/// Stands for the names of all parties by id.
pub(crate) fn members_of<'a>(names: impl Iterator<Item = &'a str>) -> [u8; 16] {
    SessionId::named(&names.collect::<Vec<_>>().join("\n")).0
}

/// What a connection is for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Purpose {
    Control,
    Data {
        worker: u16,
        stream: Stream,
    },
    /// Only to say that there will be no session: the payload of an abort follows the hello.
    Farewell,
}

/// The dialer's first bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hello {
    pub(crate) version: u16,
    pub(crate) session: SessionId,
    /// Stands for the names of all parties by id: see [`members_of`].
    pub(crate) members: [u8; 16],
    pub(crate) workers: u16,
    pub(crate) from: PartyId,
    pub(crate) to: PartyId,
    pub(crate) purpose: Purpose,
}

impl Hello {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (kind, worker, stream) = match self.purpose {
            Purpose::Control => (0, 0, 0),
            Purpose::Data { worker, stream } => (1, worker, stream.index() as u8),
            Purpose::Farewell => (2, 0, 0),
        };
        let mut bytes = Vec::with_capacity(HELLO_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&self.session.0);
        bytes.extend_from_slice(&self.members);
        bytes.extend_from_slice(&self.workers.to_le_bytes());
        bytes.extend_from_slice(&[self.from.0, self.to.0, kind]);
        bytes.extend_from_slice(&worker.to_le_bytes());
        bytes.push(stream);
        bytes
    }

    /// `None` if these are not the first bytes of a Tacit connection.
    pub(crate) fn decode(bytes: &[u8; HELLO_BYTES]) -> Option<Hello> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (&version, rest) = rest.split_first_chunk()?;
        let (&session, rest) = rest.split_first_chunk()?;
        let (&members, rest) = rest.split_first_chunk()?;
        let (&workers, rest) = rest.split_first_chunk()?;
        let (&[from, to, kind], rest) = rest.split_first_chunk()?;
        let (&worker, rest) = rest.split_first_chunk()?;
        let purpose = match kind {
            0 => Purpose::Control,
            1 => Purpose::Data {
                worker: u16::from_le_bytes(worker),
                stream: Stream::from_index(*rest.first()?)?,
            },
            2 => Purpose::Farewell,
            _ => return None,
        };
        Some(Hello {
            version: u16::from_le_bytes(version),
            session: SessionId(session),
            members,
            workers: u16::from_le_bytes(workers),
            from: PartyId(from),
            to: PartyId(to),
            purpose,
        })
    }

    /// The first difference between what a listener expects and this hello: name, expected, got.
    pub(crate) fn difference(&self, expected: &Hello) -> Option<(&'static str, String, String)> {
        // Ids are digests of names: whether they are equal is all that is said.
        let same = expected.session == self.session;
        let [own_session, other_session] =
            [true, same].map(|own| if own { "one name" } else { "another name" }.to_owned());
        let same = expected.members == self.members;
        let [own_members, other_members] = [true, same]
            .map(|own| if own { "these" } else { "others, or in another order" }.to_owned());
        let pairs = [
            ("the wire version", expected.version.to_string(), self.version.to_string()),
            ("the session", own_session, other_session),
            (MEMBERS, own_members, other_members),
            ("the number of workers", expected.workers.to_string(), self.workers.to_string()),
            ("who is at this address", expected.to.to_string(), self.to.to_string()),
        ];
        pairs.into_iter().find(|(_, expected, got)| expected != got)
    }
}

/// The listener's answer: welcome, or why not (what differs, the listener's value, the dialer's), or
/// that there will be no session (the payload of an abort).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Welcome,
    Differs([String; 3]),
    Refused(String),
    Ended(Vec<u8>),
    /// The dialer's key is no party's.
    UnknownKey,
}

impl Answer {
    /// A status byte, a 16-bit length, and that many bytes of text.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (status, text) = match self {
            Answer::Welcome => (0, Vec::new()),
            Answer::Differs(parts) => (1, parts.join("\n").into_bytes()),
            Answer::Refused(why) => (2, why.clone().into_bytes()),
            Answer::Ended(why) => (3, why.clone()),
            Answer::UnknownKey => (4, Vec::new()),
        };
        let text = &text[..text.len().min(MAX_REFUSAL_BYTES)];
        let mut bytes = vec![status];
        bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
        bytes.extend_from_slice(text);
        bytes
    }

    /// The length of the text behind a header, if it is one.
    pub(crate) fn text_len(header: [u8; 3]) -> Option<usize> {
        let len = usize::from(u16::from_le_bytes([header[1], header[2]]));
        (header[0] <= 4 && len <= MAX_REFUSAL_BYTES).then_some(len)
    }

    pub(crate) fn decode(status: u8, text: &[u8]) -> Answer {
        let clean = |bytes: &[u8]| clean_text(bytes, MAX_REFUSAL_BYTES);
        match status {
            0 => return Answer::Welcome,
            3 => return Answer::Ended(text.to_vec()),
            4 => return Answer::UnknownKey,
            _ => {}
        }
        let parts: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        match (status, &parts[..]) {
            (1, [what, expected, got]) => {
                Answer::Differs([clean(what), clean(expected), clean(got)])
            }
            _ => Answer::Refused(clean(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hello(purpose: Purpose) -> Hello {
        Hello {
            version: WIRE_VERSION,
            session: SessionId([7; 16]),
            members: [5; 16],
            workers: 2,
            from: PartyId(2),
            to: PartyId(0),
            purpose,
        }
    }

    #[test]
    fn hellos_and_answers_round_trip() {
        let data = Purpose::Data { worker: 300, stream: Stream::Def };
        for purpose in [Purpose::Control, data, Purpose::Farewell] {
            let bytes: [u8; HELLO_BYTES] = hello(purpose).encode().try_into().unwrap();
            assert_eq!(Hello::decode(&bytes), Some(hello(purpose)));
        }
        let differs = Answer::Differs(["a".into(), "b".into(), "c".into()]);
        let ended = Answer::Ended(vec![3, b'w', b'h', b'y']);
        let refused = Answer::Refused("no".into());
        for answer in [Answer::Welcome, differs, refused, ended, Answer::UnknownKey] {
            let bytes = answer.encode();
            let header = [bytes[0], bytes[1], bytes[2]];
            assert_eq!(Answer::text_len(header), Some(bytes.len() - 3));
            assert_eq!(Answer::decode(bytes[0], &bytes[3..]), answer);
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let mine = hello(Purpose::Control);
        let mut other = mine.clone();
        assert_eq!(other.difference(&mine), None);
        other.workers = 5;
        let (what, expected, got) = other.difference(&mine).unwrap();
        assert_eq!((what, &*expected, &*got), ("the number of workers", "2", "5"));
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_not(bytes in prop::array::uniform32(any::<u8>()), more in any::<[u8; 18]>()) {
            let mut all = [0; HELLO_BYTES];
            all[..32].copy_from_slice(&bytes);
            all[32..].copy_from_slice(&more);
            let _ = Hello::decode(&all);
            all[..8].copy_from_slice(&MAGIC);
            let _ = Hello::decode(&all);
            let _ = Answer::decode(bytes[0], &bytes);
        }
    }
}
