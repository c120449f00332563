//! Hops among four parties, one of which may cheat (shuffles of Fantastic Four, as described for ORQ, SOSP 2025).
//!
//! Rows are under way as sums of four components, `a = s_0 + s_1 + s_2 + s_3`, where role `j` has all but `s_j`. In a hop one
//! role `l` is left out, and the three others permute. For each of these, `j`, the new `s'_j` is a draw of all but `j`, and
//! `d_j = pi(s_j) - s'_j` is known to the two others: one sends it to `j`, and the other compares it with `j`
//! ([`Kind::Move`]). Then `s'_l = pi(s_l) + sum d_j`. So whatever one role sends, two honest ones have the same or the run ends
//! before anything opens, whatever the rows hold; and nobody sees anything but words under draws of keys that it lacks.
//!
//! The role that is left out *next* only draws then. It does not get its `d_j`, and has no `s'_l`: there are nine messages, not
//! twelve. Each role lacks the permutation of one hop.
//!
//! Shares of two components do not say all four: see [`enter`].

use super::Hop;
use crate::convert::{Masked, MaskedParty, Seat, from_masked, to_masked};
use std::ops::Range;
use tacit_net::Stream;
use tacit_ring::{Buffer, Word, simd};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::coordinates::Coordinates;
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::role::{COMPONENTS, Few, RoleId};
use tacit_sharing::verify::{Item, Kind};

const ROLES: usize = 4;

/// The roles that are left out, hop by hop.
pub(super) const HOPS: [RoleId; ROLES] = [0, 1, 2, 3];

/// The place of component `j`, and of the key that role `j` lacks, among those of a role.
fn place(role: RoleId, j: RoleId) -> usize {
    j - usize::from(j > role)
}

/// The slot of the key of all but `out`.
pub(super) fn key(role: RoleId, out: RoleId) -> Option<usize> {
    (role != out).then(|| place(role, out))
}

/// The role that needs nothing of a hop: it is left out next.
fn spared(out: RoleId) -> Option<RoleId> {
    (out + 1 < ROLES).then_some(out + 1)
}

/// Who sends `d_j`, and who compares it with `j`.
fn knowers(out: RoleId, j: RoleId) -> [RoleId; 2] {
    let after = |role: RoleId| {
        let next = (role + 1) % ROLES;
        if next == out { (next + 1) % ROLES } else { next }
    };
    [after(j), after(after(j))]
}

/// Who sends to whom in a hop.
pub(super) fn messages(out: RoleId) -> Vec<(RoleId, RoleId)> {
    let all = (0..ROLES).filter(|j| *j != out && Some(*j) != spared(out));
    all.map(|j| (knowers(out, j)[0], j)).collect()
}

/// What `j` and the role that does not send it compare.
fn item(j: RoleId, other: RoleId) -> Item {
    Item::new(Kind::Move, &[j, other])
}

/// Components of rows, from shares in masked coordinates: `s_3 = m`, `s_0 = 0`, and `x1 + x2` split anew, between the first and the
/// second, by those that know the sum. Role 0, which is left out of the first hop, has none. One element is dealt.
///
/// # Errors
/// When the network fails.
pub(crate) fn enter<P: Coordinates, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    shares: &SharedVec<W>,
) -> Result<SharedVec<W>, SharingError> {
    let n = shares.len();
    let masked = to_masked::<P, W>(shares);
    let seat = Seat::of::<P>();
    let mut party = MaskedParty::new::<P>(party).keeping_all();
    let split = party.deal(draws, &masked.lambda(seat), n)?;
    let minus = |run: &[W]| {
        let mut minus = Buffer::from_slice(run);
        minus.iter_mut().for_each(|word| *word = word.neg());
        minus
    };
    let zeros = || Buffer::zeros(n);
    let [first, second, third] = match seat {
        Seat::First => [zeros(), minus(&split.first), masked.first],
        Seat::Second => [zeros(), minus(&split.second), masked.first],
        Seat::Ahead => {
            let mut second = minus(&split.second);
            second.iter_mut().zip(split.x1.iter()).for_each(|(to, x1)| *to = to.add(*x1));
            [zeros(), second, minus(&split.x1)]
        }
        _ => [zeros(), zeros(), zeros()],
    };
    Ok(SharedVec { first, second, third })
}

/// Shares, from all components: the inverse of [`enter`] after a shuffle. Local.
pub(crate) fn leave<P: Coordinates, W: Word>(rows: SharedVec<W>) -> SharedVec<W> {
    let SharedVec { mut first, mut second, mut third } = rows;
    let words = first.iter_mut().zip(second.iter_mut()).zip(third.iter_mut());
    for ((first, second), third) in words {
        let components = [*first, *second, *third];
        [*first, *second, *third] = match Seat::of::<P>() {
            // (s1, s2, s3) to m + u, x1 + x2, x1.
            Seat::Behind => {
                let [s1, s2, s3] = components;
                [s3, s1.add(s2).neg(), s2.neg()]
            }
            // (s0, s1, s2) to u, x1 + x2, x1.
            Seat::Ahead => {
                let [s0, s1, s2] = components;
                [s0.neg(), s1.add(s2).neg(), s2.neg()]
            }
            // (s0, s2 or s1, s3) to m, x1 or x2, u.
            _ => {
                let [s0, mask, s3] = components;
                [s3.add(s0), mask.neg(), s0.neg()]
            }
        };
    }
    if P::Share::<W>::COUNT == 2 {
        third = Buffer::default();
    }
    from_masked::<P, W>(Masked { first, second, third })
}

pub(super) fn begin<W: Word>(
    hop: &Hop,
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    rows: &SharedVec<W>,
    to: Range<usize>,
) -> Result<SharedVec<W>, SharingError> {
    let (me, out, n) = (party.role(), hop.which, to.len());
    let mut moved: [Buffer<W>; COMPONENTS] = [(); COMPONENTS].map(|()| Buffer::zeros(n));
    let Some(order) = &hop.order else {
        moved.iter_mut().enumerate().for_each(|(slot, run)| draws.fill(slot, run));
        let [first, second, third] = moved;
        return Ok(SharedVec { first, second, third });
    };
    let (order, rows) = (&order[to], rows.components());
    let fetch = |run: &[W], into: &mut [W]| {
        into.iter_mut().zip(order).for_each(|(to, from)| *to = run[*from as usize]);
    };
    let mut sum = Buffer::zeros(n);
    fetch(rows[place(me, out)], &mut sum);
    let mut difference = Buffer::zeros(n);
    for j in (0..ROLES).filter(|j| *j != me && *j != out) {
        let (at, [sender, _]) = (place(me, j), knowers(out, j));
        draws.fill(at, &mut moved[at]);
        fetch(rows[at], &mut difference);
        simd::vectorize(
            #[inline(always)]
            || {
                let words = difference.iter_mut().zip(sum.iter_mut()).zip(moved[at].iter());
                for ((difference, sum), drawn) in words {
                    *difference = difference.sub(*drawn);
                    *sum = sum.add(*difference);
                }
            },
        );
        match (Some(j) == spared(out), sender == me) {
            (true, _) => {}
            (_, true) => party.send(j, Stream::On, &difference)?,
            (_, false) => party.log(item(j, me), &difference),
        }
    }
    if Some(me) != spared(out) {
        moved[place(me, out)] = sum;
    }
    let [first, second, third] = moved;
    Ok(SharedVec { first, second, third })
}

pub(super) fn finish<W: Word>(
    hop: &Hop,
    party: &mut Party<'_>,
    moved: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    let (me, out) = (party.role(), hop.which);
    if me == out || Some(me) == spared(out) {
        return Ok(());
    }
    let [sender, other] = knowers(out, me);
    let mut theirs = Buffer::<W>::zeros(moved.len());
    party.recv(sender, Stream::On, &mut theirs)?;
    party.log(item(me, other), &theirs);
    let sum = &mut *moved.components_mut()[place(me, out)];
    simd::vectorize(
        #[inline(always)]
        || sum.iter_mut().zip(theirs.iter()).for_each(|(to, word)| *to = to.add(*word)),
    );
    Ok(())
}
