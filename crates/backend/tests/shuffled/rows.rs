//! Shuffles that are checked: what comes out, and that every message that one role changes makes two honest ones differ, before
//! anything opens.

use crate::harness::{end, settle, with_backend};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use tacit_backend::protocols::{LIFT, QUAD, QUAD_A, QUAD_HET};
use tacit_backend::{Backend, Column, Shuffles};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, Phase};
use tacit_ring::Z2;
use tacit_sharing::verify::{Journal, Kind, Verifier};
use tacit_sharing::{Protocol, RoleId, SharingError};

const ROWS: usize = 70;

/// Two columns of the rows' numbers, shuffled.
fn shuffle(on: &mut dyn Shuffles) -> Vec<Column> {
    let columns = on.numbers(ROWS).into_iter().collect();
    tacit_backend::shuffled(on, columns, ROWS).unwrap()
}

#[test]
fn rows_stay_together_in_an_order_that_is_not_theirs() {
    for protocol in [LIFT, QUAD, QUAD_A, QUAD_HET] {
        let opened =
            memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
                let opened = with_backend(protocol, &mut session.meshes[0], None, |b, verifier| {
                    let moved = shuffle(b.shuffles().unwrap());
                    let early = b.shuffles().unwrap().open_places(&moved[0], 0..ROWS);
                    assert!(early.is_err(), "{protocol}: places that nobody compared");
                    settle(b, verifier).unwrap();
                    let mut on =
                        |column: &Column| b.shuffles().unwrap().open_places(column, 0..ROWS);
                    let opened: Vec<Vec<u32>> =
                        moved.iter().map(&mut on).map(|column| column.unwrap().to_vec()).collect();
                    end(b, verifier).unwrap();
                    b.flush().unwrap();
                    opened
                });
                session.finish().unwrap();
                opened
            });
        let first = &opened[0][0];
        // Words have the numbers in their upper halves.
        assert!(first.iter().all(|low| *low == 0));
        for columns in &opened {
            assert_eq!(columns[1], opened[0][1], "{protocol}: all open the same");
        }
        let mut order = opened[0][1].clone();
        assert!(!order.is_sorted(), "{protocol}: rows stay where they were");
        order.sort_unstable();
        assert!(order.into_iter().eq(0..ROWS as u32), "{protocol}: rows are lost");
    }
}

/// The roles' transcripts after a shuffle in which the cheat changed its message of a number, and how many messages it sent.
fn journals(protocol: Protocol, cheat: RoleId, which: usize) -> (Vec<Journal>, usize) {
    let results = memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let sent = Arc::new(AtomicUsize::new(0));
        let count = sent.clone();
        let tamper = Tamper::new(move |m| {
            // Messages of rows, not those of proofs.
            if m.place.phase != Phase::Online {
                return Verdict::Keep;
            }
            let number = count.fetch_add(1, Ordering::Relaxed);
            if number != which {
                return Verdict::Keep;
            }
            let mut bytes = m.bytes.to_vec();
            let at = (number * 8) % bytes.len();
            bytes[at] ^= 1;
            Verdict::Replace(bytes)
        });
        let is_cheat = session.me().index() == cheat;
        let tamper = is_cheat.then_some(tamper);
        let journal = with_backend(protocol, &mut session.meshes[0], tamper, |b, _| {
            drop(shuffle(b.shuffles().unwrap()));
            let journal = b.take_journal().unwrap();
            b.flush().unwrap();
            journal
        });
        let _ = session.finish();
        (journal, sent.load(Ordering::Relaxed))
    });
    let count = results[cheat].1;
    (results.into_iter().map(|(journal, _)| journal).collect(), count)
}

/// What two of the roles other than one differ in.
fn differences(journals: &[Journal], cheat: Option<RoleId>) -> Vec<Kind> {
    let honest: Vec<RoleId> = (0..journals.len()).filter(|role| Some(*role) != cheat).collect();
    let pairs =
        honest.iter().flat_map(|a| honest.iter().filter(move |b| *b > a).map(move |b| [*a, *b]));
    pairs
        .flat_map(|[a, b]| Journal::differences(journals[a].clone(), a, journals[b].clone(), b))
        .map(|item| item.kind())
        .collect()
}

#[test]
fn every_row_that_is_changed_makes_two_honest_roles_differ() {
    for protocol in [LIFT, QUAD, QUAD_A, QUAD_HET] {
        let checks: &[Kind] =
            if protocol == LIFT { &[Kind::Proof] } else { &[Kind::Move, Kind::Deal] };
        for cheat in 0..protocol.parties() {
            let (honest, count) = journals(protocol, cheat, usize::MAX);
            assert!(differences(&honest, None).is_empty(), "{protocol}: honest roles differ");
            for which in 0..count {
                let found = differences(&journals(protocol, cheat, which).0, Some(cheat));
                let label =
                    format!("{protocol}: message {which} of {count} of role {cheat}: {found:?}");
                assert!(!found.is_empty() && found.iter().all(|it| checks.contains(it)), "{label}");
            }
        }
    }
}

/// What opens to all: the bits that comparisons give, or places.
#[derive(Clone, Copy, Debug)]
enum Opens {
    Bits,
    Places,
}

/// How a role ends an opening: its transcript and the words that opened, or why it opens nothing.
type Ended = Result<(Journal, Vec<u64>), SharingError>;

/// How the roles end when something opened, of which the cheat changed its message of a number, and how many messages it sent for that.
fn openings(protocol: Protocol, what: Opens, cheat: RoleId, which: usize) -> (Vec<Ended>, usize) {
    let results = memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let opens = Arc::new(AtomicBool::new(false));
        let sent = Arc::new(AtomicUsize::new(0));
        let (active, count) = (opens.clone(), sent.clone());
        let tamper = Tamper::new(move |m| {
            let opens = active.load(Ordering::Relaxed) && m.place.phase == Phase::Open;
            if !opens || count.fetch_add(1, Ordering::Relaxed) != which {
                return Verdict::Keep;
            }
            let mut bytes = m.bytes.to_vec();
            bytes[0] ^= 1;
            Verdict::Replace(bytes)
        });
        let tamper = (session.me().index() == cheat).then_some(tamper);
        let work = |b: &mut dyn Backend, verifier: &mut Verifier| -> Ended {
            let bits = b.public_planes(&[Z2(5), Z2(0)], 1, ROWS);
            let [_, places] = b.shuffles().unwrap().numbers(ROWS);
            settle(b, verifier).unwrap();
            opens.store(true, Ordering::Relaxed);
            let on = b.shuffles().unwrap();
            let opened = match what {
                Opens::Bits => on.open_bits(&bits)?.iter().map(|word| word.0).collect(),
                Opens::Places => {
                    let places = on.open_places(&places, 0..ROWS)?;
                    places.iter().map(|place| u64::from(*place)).collect()
                }
            };
            let journal = b.take_journal()?;
            b.flush()?;
            Ok((journal, opened))
        };
        let ended = with_backend(protocol, &mut session.meshes[0], tamper, work);
        let _ = session.finish();
        (ended, sent.load(Ordering::Relaxed))
    });
    let count = results[cheat].1;
    (results.into_iter().map(|(ended, _)| ended).collect(), count)
}

/// What opens: bits that are public numbers, or the rows' numbers.
fn right(what: Opens) -> Vec<u64> {
    match what {
        Opens::Bits => vec![5, 0],
        Opens::Places => (0..ROWS as u64).collect(),
    }
}

/// What opens at once is not in transcripts: whoever got a message that was changed ends the run, and goes on with nothing; the other
/// honest role goes on with what is right, or not at all.
#[test]
fn every_comparison_and_place_that_is_changed_when_it_opens_at_once_ends_the_run() {
    for (what, cheat) in
        [Opens::Bits, Opens::Places].iter().flat_map(|what| [(*what, 0), (*what, 1), (*what, 2)])
    {
        let (honest, count) = openings(LIFT, what, cheat, usize::MAX);
        for ended in honest {
            let (journal, opened) = ended.unwrap();
            assert!(journal.words().is_empty());
            assert_eq!(opened, right(what), "{what:?}");
        }
        assert_eq!(count, 2, "one message to each other role");
        for which in 0..count {
            let ended = openings(LIFT, what, cheat, which).0;
            let sees = |error: &SharingError| match error {
                SharingError::Net(NetError::Check(check)) => {
                    check.contains("opened different values")
                }
                _ => false,
            };
            let seen = ended.iter().filter(|ended| ended.as_ref().is_err_and(sees)).count();
            assert_eq!(seen, 1, "{what:?}: message {which} of role {cheat}");
            let others = ended.iter().enumerate().filter(|(role, _)| *role != cheat);
            // Or it has heard of the end first.
            let mut went_on = others.filter_map(|(_, ended)| Some(&ended.as_ref().ok()?.1));
            let label = format!("{what:?}: message {which} of role {cheat}");
            assert!(went_on.all(|opened| *opened == right(what)), "{label}");
        }
    }
}

#[test]
fn every_comparison_and_place_that_is_changed_when_it_opens_makes_two_honest_roles_differ() {
    let journals = |(ended, count): (Vec<Ended>, usize)| -> (Vec<Journal>, usize) {
        (ended.into_iter().map(|ended| ended.unwrap().0).collect(), count)
    };
    for protocol in [QUAD, QUAD_A, QUAD_HET] {
        for what in [Opens::Bits, Opens::Places] {
            let mut sent = 0;
            for cheat in 0..protocol.parties() {
                let (honest, count) = journals(openings(protocol, what, cheat, usize::MAX));
                assert!(differences(&honest, None).is_empty(), "{protocol}: honest roles differ");
                for which in 0..count {
                    let changed = journals(openings(protocol, what, cheat, which)).0;
                    let found = differences(&changed, Some(cheat));
                    let label =
                        format!("{protocol}, {what:?}: message {which} of role {cheat}: {found:?}");
                    assert!(
                        !found.is_empty() && found.iter().all(|it| *it == Kind::Opening),
                        "{label}"
                    );
                }
                sent += count;
            }
            assert!(sent >= protocol.parties(), "{protocol}: {sent} messages open {what:?} to all");
        }
    }
}

#[test]
fn rows_that_nobody_proved_do_not_open() {
    // Nobody leaves before all have compared.
    let compared = Barrier::new(3);
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        with_backend(LIFT, &mut session.meshes[0], None, |b, verifier| {
            let on = b.shuffles().unwrap();
            let columns: Vec<Column> = on.numbers(ROWS).into_iter().collect();
            let first = on.hops()[0];
            drop(on.draw(first, ROWS).unwrap());
            settle(b, verifier).unwrap();
            let opened = b.shuffles().unwrap().open_places(&columns[1], 0..ROWS);
            assert!(opened.is_err(), "places of a shuffle without its proof");
            // The others wait for what was compared.
            b.flush().unwrap();
        });
        compared.wait();
        session.abort(AbortKind::Failure, "a shuffle without its proof");
    });
}
