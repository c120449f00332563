//! The published values of a conversion (honest-majority specification, 10.1): Bit2A.

use crate::PLACES;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{Session, Stream};
use tacit_ring::{Buffer, Z2};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::convert::{self, Coordinates, Desk};
use tacit_sharing::party::Keys;
use tacit_sharing::{CoordinatesVisitor, Party, Protocol, RoleId, Share};

/// The draws under a key, each from a block of its own.
fn script(draws: &[u8]) -> Vec<u8> {
    draws.iter().flat_map(|draw| std::iter::once(*draw).chain([0; 15])).collect()
}

/// The bit 1 under the masks x1 = 1, x2 = 0, u = 1.
const BIT: [Share<Z2>; 4] = [[Z2(0), Z2(1)], [Z2(0), Z2(1)], [Z2(0), Z2(0)], [Z2(1), Z2(1)]];

/// What was sent, by link.
type Sent = Mutex<BTreeMap<(RoleId, RoleId, Stream), Vec<u8>>>;

struct Play<'a>(&'a mut Session);

impl CoordinatesVisitor for Play<'_> {
    type Out = Share<u8>;
    fn visit<P: Coordinates>(self) -> Share<u8> {
        // By the role that lacks the key: the raise and w; z2; the deal and z1.
        let keys = [script(&[12, 231]), script(&[199]), script(&[90, 44]), Vec::new()];
        let mine = keys.into_iter().enumerate().filter(|(lacking, _)| *lacking != P::ROLE);
        let mut keys = Keys::insecure_scripted(mine.map(|(_, key)| key));
        let mut draws = keys.streams().draws().unwrap();
        let mut party = Party::new(&mut self.0.meshes[0], &PLACES).unwrap();
        let [first, second] = BIT[P::ROLE].map(|word| Buffer::from_slice(&[word]));
        let bit =
            convert::to_masked::<P, Z2>(&SharedVec { first, second, third: Buffer::default() });
        let mut desk = Desk::new::<P>(&mut party);
        let number = convert::bit_to_ring::<u8>(&mut desk, &mut draws, &bit, 1).unwrap();
        party.flush().unwrap();
        drop(party.take_journal().unwrap());
        convert::from_masked::<P, u8>(number).at(0)
    }
}

/// Variant B sends what variant A sends, the deal from P3 in place of P0.
#[test]
fn a_bit_as_a_number() {
    let sent: Arc<Sent> = Arc::default();
    let shares = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
        let (me, sent) = (session.me().index(), sent.clone());
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            let link = (me, message.to.index(), message.stream);
            sent.lock().unwrap().entry(link).or_default().extend(message.bytes);
            Verdict::Keep
        }));
        let share = Protocol::Quad.visit_coordinates(me, Play(&mut session)).unwrap();
        // What ends a session is not looked at.
        session.meshes[0].set_tamper(Tamper::new(|_| Verdict::Keep));
        session.finish().unwrap();
        share
    });
    let want = [
        ((1, 2, Stream::On), vec![134]),
        ((2, 0, Stream::Def), vec![12]),
        ((2, 1, Stream::On), vec![110]),
        ((3, 0, Stream::Pre), vec![13]),
        ((3, 2, Stream::Pre), vec![167]),
    ];
    assert_eq!(*sent.lock().unwrap(), BTreeMap::from(want));
    assert_eq!(shares, [[232, 243], [244, 44], [244, 199], [231, 243]]);
}
