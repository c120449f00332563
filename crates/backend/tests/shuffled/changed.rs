//! A shuffle whose places open, of which one role changes any one of its messages: those of rows, those that say that rows have
//! arrived, all of the proof, all of the comparisons before and after the opening, and what opens.

use crate::harness::{end, settle, settle_opened, shuffling, with_backend};
use std::sync::{Arc, Mutex};
use tacit_backend::convert::shuffle::proves_shuffles;
use tacit_backend::cost;
use tacit_backend::{Backend, Column, Data, Kind, Ring};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Outgoing, Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Stream};
use tacit_protocol::Protocol;
use tacit_sharing::verify::Verifier;
use tacit_sharing::{RoleId, SharingError};

/// So many that proofs of three hops have a level: more than 1024 rows in all.
const ROWS: usize = 342;

/// What a message is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Rows under way.
    Rows,
    /// A role has all that it was owed.
    Arrived,
    /// The rest of a proof: coins, sums over sets, levels, and what opens in it.
    Proof,
    /// The first round of a comparison of transcripts.
    Commitment,
    /// The second one.
    Sum,
    /// The third one.
    Confirmation,
    /// Places that open.
    Opening,
}

impl Class {
    fn of(message: &Outgoing<'_>) -> Class {
        match (message.place.phase, message.stream, message.place.step) {
            (Phase::Online, ..) => Class::Rows,
            (Phase::Open, ..) => Class::Opening,
            (_, Stream::On, 1) => Class::Commitment,
            (_, Stream::On, 2) => Class::Sum,
            (_, Stream::On, _) => Class::Confirmation,
            _ if message.bytes.len() == 1 => Class::Arrived,
            _ => Class::Proof,
        }
    }
}

/// How a message is changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    FirstBit,
    LastBit,
    /// Two rows trade places.
    Rows,
}

impl Change {
    /// Those that change a message of a class.
    fn of(class: Class) -> &'static [Change] {
        match class {
            Class::Rows => &[Change::FirstBit, Change::LastBit, Change::Rows],
            _ => &[Change::FirstBit, Change::LastBit],
        }
    }

    fn made_to(self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let row = bytes.len() / ROWS;
        match self {
            Change::FirstBit => bytes[0] ^= 1,
            Change::LastBit => *bytes.last_mut().unwrap() ^= 0x80,
            Change::Rows => bytes[..2 * row].rotate_left(row),
        }
        bytes
    }
}

/// One message of a role, by its number, and how it is changed.
type Cheat = (RoleId, usize, Change);

/// How a run ended at every role, and what every role sent.
struct Ended {
    results: Vec<Result<Vec<u32>, SharingError>>,
    /// The places with which it went on, if it did.
    opened: Vec<Option<Vec<u32>>>,
    sent: Vec<Vec<Class>>,
}

/// Rows in columns of all kinds: their numbers, twice, and public numbers of the wider rings.
fn columns(on: &mut dyn Backend) -> Vec<Column> {
    let [words, numbers] = on.shuffles().unwrap().numbers(ROWS);
    let values: Vec<i128> = (0..ROWS as i128).map(|row| row << 50).collect();
    let Data::W64(w64) = on.public(Kind::Ring(Ring::W64), &values, ROWS).data else {
        panic!("numbers of 64 bits")
    };
    let Data::W128(w128) = on.public(Kind::Ring(Ring::W128), &values, ROWS).data else {
        panic!("numbers of 128 bits")
    };
    vec![words, numbers, Column::W64(w64), Column::W128(w128)]
}

/// A shuffle, and the places that open; also those with which a run goes on that ends later.
fn opened(
    on: &mut dyn Backend,
    verifier: &mut Verifier,
    went_on: &Mutex<Option<Vec<u32>>>,
) -> Result<Vec<u32>, SharingError> {
    let columns = columns(on);
    let moved = tacit_backend::shuffled(on.shuffles().unwrap(), columns, ROWS)?;
    settle(on, verifier)?;
    let places = on.shuffles().unwrap().open_places(&moved[1], 0..ROWS)?;
    settle_opened(on, verifier)?;
    *went_on.lock().unwrap() = Some(places.to_vec());
    end(on, verifier)?;
    on.flush()?;
    Ok(places.to_vec())
}

fn run(protocol: Protocol, cheat: Option<Cheat>) -> Ended {
    let sent: Vec<Arc<Mutex<Vec<Class>>>> =
        (0..protocol.parties()).map(|_| Arc::default()).collect();
    let went_on: Vec<Mutex<Option<Vec<u32>>>> =
        (0..protocol.parties()).map(|_| Mutex::default()).collect();
    let results = memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        let log = sent[role].clone();
        let cheat = cheat.filter(|(cheat, ..)| *cheat == role);
        let tamper = Tamper::new(move |message| {
            let mut log = log.lock().unwrap();
            log.push(Class::of(&message));
            match cheat {
                Some((_, number, change)) if number + 1 == log.len() => {
                    Verdict::Replace(change.made_to(message.bytes))
                }
                _ => Verdict::Keep,
            }
        });
        let work =
            |on: &mut dyn Backend, verifier: &mut Verifier| opened(on, verifier, &went_on[role]);
        let places = with_backend(protocol, &mut session.meshes[0], Some(tamper), work)?;
        session.finish()?;
        Ok(places)
    });
    let sent = sent.iter().map(|sent| sent.lock().unwrap().clone()).collect();
    let opened = went_on.into_iter().map(|places| places.into_inner().unwrap()).collect();
    Ended { results, opened, sent }
}

/// No honest role has places, and each says that a check failed, or that the cheat left.
fn a_check_ends_it(label: &str, cheat: RoleId, results: &[Result<Vec<u32>, SharingError>]) {
    for (role, result) in results.iter().enumerate().filter(|(role, _)| *role != cheat) {
        let Err(SharingError::Net(error)) = result else {
            panic!("{label}: role {role} has places")
        };
        let told = match error {
            NetError::Check(_) => true,
            NetError::PeerAborted { kind, peer, .. } => {
                *kind == AbortKind::Misbehaviour || peer.id == PartyId(cheat as u8)
            }
            NetError::Closed { peer, .. } => peer.id == PartyId(cheat as u8),
            _ => false,
        };
        assert!(told, "{label}: role {role} says {error}");
    }
}

/// Every message of every role, one by one.
///
/// No change is harmless: whatever a role sends is added to something that it does not choose alone, or is compared.
///
/// Up to the confirmations nobody honest sends anything that opens. A role confirms when it has found all transcripts to agree; so
/// where one role's confirmation does not reach another, the third may open: what opens then is right, and the run ends when it is
/// compared. Under protocols that open at once there are no confirmations before: this goes for commitments and sums instead.
///
/// Whoever goes on with places has the right ones.
fn every_message(protocol: Protocol) {
    let honest = run(protocol, None);
    let places = honest.results[0].as_ref().unwrap();
    let may_open = match cost::opens_at_once(protocol) {
        true => Class::Commitment,
        false => Class::Confirmation,
    };
    assert!(honest.results.iter().all(|result| result.as_ref().is_ok_and(|it| it == places)));
    std::thread::scope(|scope| {
        for (cheat, sent) in honest.sent.iter().enumerate() {
            scope.spawn(move || {
                let first = |class: Class| sent.iter().position(|it| *it == class).unwrap();
                let agrees = first(may_open);
                assert!(agrees < first(Class::Opening), "{protocol}: role {cheat}");
                for (number, class) in sent.iter().enumerate() {
                    for &change in Change::of(*class) {
                        let ended = run(protocol, Some((cheat, number, change)));
                        let label = format!(
                            "{protocol}: {class:?}, message {number} of role {cheat}, {change:?}"
                        );
                        a_check_ends_it(&label, cheat, &ended.results);
                        let mut others = (0..).zip(&ended.sent).filter(|(role, _)| *role != cheat);
                        let opens = others.any(|(_, sent)| sent.contains(&Class::Opening));
                        assert!(number >= agrees || !opens, "{label}: an honest role opens");
                        for (role, opened) in (0..).zip(&ended.opened) {
                            let right = opened.as_ref().is_none_or(|it| it == places);
                            assert!(role == cheat || right, "{label}: role {role} goes on");
                        }
                    }
                }
            });
        }
    });
    let classes = |class: Class| honest.sent.iter().filter(|sent| sent.contains(&class)).count();
    let everyone = protocol.parties();
    for class in [Class::Rows, Class::Commitment, Class::Sum, Class::Confirmation, Class::Opening] {
        assert_eq!(classes(class), everyone, "{protocol}: roles that send {class:?}");
    }
    let provers = if proves_shuffles(protocol) { everyone } else { 0 };
    assert_eq!([Class::Arrived, Class::Proof].map(classes), [provers; 2], "{protocol}");
}

#[test]
fn any_changed_message_of_a_shuffle_ends_the_run_before_anything_opens() {
    let checked: Vec<Protocol> = shuffling().filter(|protocol| protocol.is_checked()).collect();
    assert_eq!(checked.len(), 5);
    checked.into_iter().for_each(every_message);
}
