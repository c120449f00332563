//! Proofs that rows were moved.

use super::pitfalls::ends;
use super::{assert_rate, honest, passes, passes_among};
use crate::channel::ProofChannel;
use crate::moves::{self, Move, Moved, Moves};
use crate::{Scratch, Strength, lift};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Stream};
use tacit_ring::{Word, Z2};
use tacit_sharing::SharingError;

/// Proofs where nothing passes by chance.
const SOME: usize = 20;

/// A component of a row's sharing, as good as random.
fn component(j: usize, row: usize, salt: u64) -> u128 {
    let mixed = (j as u64 + 3 * row as u64 + 1000 * salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u128::from(mixed.rotate_left(23)) << 64 | u128::from(mixed ^ mixed >> 31)
}

/// A role's two components of a column, and of the same moved, with an error in a row.
fn columns<W: Word>(role: usize, order: &[u32], (wrong, error): (usize, W)) -> [[Vec<W>; 2]; 2] {
    let word = |j: usize, row: usize, salt: u64| W::from_u128(component(j % 3, row, salt));
    let value = |row: usize| word(0, row, 1).add(word(1, row, 1)).add(word(2, row, 1));
    let after = |j: usize, row: usize| match j % 3 {
        0 => {
            let moved = value(order[row] as usize);
            let moved = if row == wrong { moved.add(error) } else { moved };
            moved.sub(word(1, row, 2)).sub(word(2, row, 2))
        }
        j => word(j, row, 2),
    };
    let rows = 0..order.len();
    let from = [0, 1].map(|c| rows.clone().map(|row| word(role + c, row, 1)).collect());
    let to = [0, 1].map(|c| rows.clone().map(|row| after(role + c, row)).collect());
    [from, to]
}

/// A place of a row that is off, and by how much.
type Wrong<W> = Option<(usize, W)>;

/// Calls something with the hops of a column, the last of which is off.
fn with_hops<W: Word, T>(
    role: usize,
    rows: usize,
    wrong: Wrong<W>,
    work: impl FnOnce(Vec<Move<'_, W>>) -> T,
) -> T {
    let order: Vec<u32> = (0..rows as u32).map(|row| (row * 7 + 3) % rows as u32).collect();
    let right = (0, W::ZERO);
    let hops = [right, right, wrong.unwrap_or(right)];
    let hops = hops.map(|wrong| columns::<W>(role, &order, wrong));
    let moves = hops.iter().enumerate().map(|(pair, [from, to])| Move {
        pair,
        order: ((role + 3 - pair) % 3 < 2).then_some(&order[..]),
        from: from.each_ref().map(|run| &run[..]),
        to: to.each_ref().map(|run| &run[..]),
    });
    work(moves.collect())
}

/// Proves columns of all kinds.
fn prove_all(
    role: usize,
    channel: &mut ProofChannel<'_, '_, '_>,
    (rows, strength): (usize, Strength),
    (words, w64): (Wrong<Z2>, Wrong<u64>),
) -> Result<(), SharingError> {
    with_hops(role, rows, words, |words| {
        with_hops(role, rows, None, |w32| {
            with_hops(role, rows, w64, |w64| {
                with_hops(role, rows, None, |w128| {
                    let moves = Moves { words, w32, w64, w128 };
                    moves::prove(channel, &mut Scratch::default(), strength, &moves)
                })
            })
        })
    })
}

#[test]
fn rows_that_were_moved_are_proven_whoever_knows_the_order() {
    for (rows, strength) in [(1, Strength::Usual), (9, Strength::Strong)] {
        let found = passes_among(SOME, honest, |role, channel| {
            prove_all(role, channel, (rows, strength), (None, None))
        });
        assert_eq!(found, SOME, "{rows} rows");
    }
}

#[test]
fn as_many_rows_as_there_may_be_are_proven_well_enough() {
    for (strength, bits) in [Strength::Usual, Strength::Strong]
        .into_iter()
        .flat_map(|strength| [1, 32, 64, 128].map(|bits| (strength, bits)))
    {
        let bound = (-f64::from(strength.bits())).exp2();
        let chance = moves::chance(strength, bits, 1 << 32);
        assert!(chance <= bound, "{strength:?}, {bits} bits: 2^{}", chance.log2());
    }
    assert!(moves::chance(Strength::Usual, 1, 1 << 32) < (-57f64).exp2());
}

#[test]
fn a_row_that_is_off_is_found() {
    // So many that what proves a hop alone has a level, too.
    for rows in [9, 1025] {
        let right = passes_among(SOME, honest, |role, channel| {
            prove_all(role, channel, (rows, Strength::Usual), (None, None))
        });
        assert_eq!(right, SOME, "{rows} rows");
        let word = (Some((4, Z2(1 << 63))), None);
        let number = (None, Some((rows - 1, 1 << 63)));
        for wrong in [word, number] {
            let found = passes_among(SOME, honest, |role, channel| {
                prove_all(role, channel, (rows, Strength::Usual), wrong)
            });
            assert_eq!(found, 0, "{rows} rows");
        }
    }
}

/// Half of the ring more is missed by a set that the row is not in.
#[test]
fn a_row_that_is_off_passes_as_often_as_it_is_in_no_set() {
    let found = passes(honest, |role, channel| {
        with_hops(role, 9, Some((4, 1u32 << 31)), |moves| {
            let moved = Moved { moves: &moves, role };
            lift::prove_with::<u32, 3>(channel, &mut Scratch::default(), Strength::Usual, &moved)
        })
    });
    assert_rate(found, 1.0 / 8.0);
}

/// Who lacks a message of a hop does not say that all has arrived, and the others do not toss: whoever sends it late does not
/// know the coin.
#[test]
fn a_role_that_waits_for_rows_holds_back_the_challenge() {
    let shown = Arc::new(AtomicUsize::new(0));
    let log = shown.clone();
    let results = ends(
        move |role| {
            let log = log.clone();
            Tamper::new(move |m| match role {
                2 if m.stream == Stream::Def && m.bytes.len() == 1 => Verdict::Drop,
                0 if m.to == PartyId(1) && m.bytes.len() == 32 => {
                    log.fetch_add(1, Ordering::Relaxed);
                    Verdict::Keep
                }
                _ => Verdict::Keep,
            })
        },
        |role, channel| prove_all(role, channel, (5, Strength::Usual), (None, None)),
    );
    assert!(results.iter().all(Result::is_err));
    assert_eq!(shown.load(Ordering::Relaxed), 0, "the half that role 1 lacks was shown");
}
