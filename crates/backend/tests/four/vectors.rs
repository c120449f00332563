//! The published values of a conversion (`docs/spec/honest-majority-rings.md` section 10.1): Bit2A.

use crate::{FOUR, PLACES};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_backend::convert::{self, Coordinates, MaskedParty};
use tacit_backend::protocols::{FANTASTIC_FOUR, QUAD_A, QUAD_HET, TETRAD};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{Session, Stream};
use tacit_ring::Z2;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::party::Keys;
use tacit_sharing::{CoordinatesVisitor, Party, Protocol, RoleId};

/// The draws under a key, each from a block of its own.
fn script(draws: &[u8]) -> Vec<u8> {
    draws.iter().flat_map(|draw| std::iter::once(*draw).chain([0; 15])).collect()
}

/// A share, without a third component zero.
type Words<W> = [W; 3];

/// The bit 1 under the masks x1 = 1, x2 = 0, u = 1, by role.
fn bit(protocol: Protocol) -> [Words<Z2>; 4] {
    let words = match protocol {
        it if it == TETRAD => [[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 1]],
        // s0 = 1, s1 = 0, s2 = 1, s3 = 1
        it if it == FANTASTIC_FOUR => [[1, 0, 1], [1, 1, 1], [1, 1, 0], [1, 0, 1]],
        _ => [[0, 1, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0]],
    };
    words.map(|share| share.map(Z2))
}

/// The number 1 under the masks z1 = 44, z2 = 199, w = 231.
fn number(protocol: Protocol) -> [Words<u8>; 4] {
    match protocol {
        it if it == TETRAD => [[219, 44, 199], [219, 44, 231], [219, 199, 231], [44, 199, 231]],
        // s0 = -231, s1 = -199, s2 = -44
        it if it == FANTASTIC_FOUR => {
            [[219, 57, 212], [219, 25, 212], [219, 25, 57], [25, 57, 212]]
        }
        _ => [[232, 243, 0], [244, 44, 0], [244, 199, 0], [231, 243, 0]],
    }
}

/// What was sent, by link.
type Sent = Mutex<BTreeMap<(RoleId, RoleId, Stream), Vec<u8>>>;

struct Play<'a>(&'a mut Session);

impl CoordinatesVisitor for Play<'_> {
    type Out = Words<u8>;
    fn visit<P: Coordinates>(self) -> Words<u8> {
        // By the role that lacks the key: the raise and w; z2; the deal and z1.
        let keys = [script(&[12, 231]), script(&[199]), script(&[90, 44]), Vec::new()];
        let mine = keys.into_iter().enumerate().filter(|(lacking, _)| *lacking != P::ROLE);
        let mut keys = Keys::insecure_scripted(mine.map(|(_, key)| key));
        let mut draws = keys.streams().draws().unwrap();
        let mut party = Party::new(&mut self.0.meshes[0], &PLACES).unwrap();
        let words = bit(P::PROTOCOL)[P::ROLE];
        let mut bit = SharedVec::<Z2>::zeros_of::<P>(1);
        for (to, word) in bit.components_mut().into_iter().zip(words) {
            to.fill(word);
        }
        let bit = convert::to_masked::<P, Z2>(&bit);
        let mut masked_party = MaskedParty::new::<P>(&mut party);
        let number = convert::bit_to_ring::<u8>(&mut masked_party, &mut draws, &bit, 1).unwrap();
        party.flush().unwrap();
        drop(party.take_journal().unwrap());
        let number = convert::from_masked::<P, u8>(number);
        number.components().map(|run| run.first().copied().unwrap_or(0))
    }
}

/// Published is variant A. The others send the same words, but for who sends the deal, and who is
/// told the correction, or the result 219.
fn sent_by(protocol: Protocol) -> BTreeMap<(RoleId, RoleId, Stream), Vec<u8>> {
    let ahead = if protocol == FANTASTIC_FOUR { Stream::On } else { Stream::Pre };
    let dealer = match protocol {
        it if [QUAD_A, QUAD_HET].contains(&it) => 0,
        _ => 3,
    };
    let mut sent = BTreeMap::from([
        ((1, 2, Stream::On), vec![134]),
        ((2, 0, Stream::Def), vec![12]),
        ((2, 1, Stream::On), vec![110]),
        ((dealer, 2, ahead), vec![167]),
    ]);
    match protocol {
        it if it == QUAD_HET => sent.insert((2, 0, Stream::Def), vec![12, 219]),
        _ => sent.insert((3, 0, ahead), vec![13]),
    };
    sent
}

#[test]
fn a_bit_as_a_number() {
    for protocol in FOUR {
        a_bit_as_a_number_under(protocol);
    }
}

fn a_bit_as_a_number_under(protocol: Protocol) {
    let sent: Arc<Sent> = Arc::default();
    let shares = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
        let (me, sent) = (session.me().index(), sent.clone());
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            let link = (me, message.to.index(), message.stream);
            sent.lock().unwrap().entry(link).or_default().extend(message.bytes);
            Verdict::Keep
        }));
        let share =
            tacit_backend::visit::visit_coordinates(protocol, me, Play(&mut session)).unwrap();
        // What ends a session is not looked at.
        session.meshes[0].set_tamper(Tamper::new(|_| Verdict::Keep));
        session.finish().unwrap();
        share
    });
    assert_eq!(*sent.lock().unwrap(), sent_by(protocol), "{protocol}");
    assert_eq!(shares, number(protocol), "{protocol}");
}
