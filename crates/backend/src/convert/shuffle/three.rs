//! Hops among three parties (Araki et al., CCS 2021).
//!
//! The pair `(i, i+1)` knows the permutation. `P_i` sends `pi(s_i + s_{i+1}) - s'_i` and
//! `P_{i+1}` sends `pi(s_{i+2}) - s'_{i+2}`; the new shares `s'_i`, `s'_{i+2}` are draws of each with
//! the third party, so both messages are uniform to their receivers. One element each way. The last hop is the pair's of
//! [masked coordinates](super::super), so that the dealer's new masks are draws.

use super::Hop;
use std::ops::Range;
use tacit_net::Stream;
use tacit_ring::{Buffer, Word, simd};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::coordinates::{Coordinates, masked_of, replicated_of};
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::role::{RoleId, Share};
use tacit_sharing::seat::Seat;

/// Words received at a time.
const RECEIVED: usize = 8192;

/// The first roles of the pairs of the three hops, in order.
pub(super) fn hops(dealer: RoleId) -> [RoleId; 3] {
    [dealer, dealer + 2, dealer + 1].map(|role| role % 3)
}

/// The slot of the pair's key, in the pair.
pub(super) fn key(role: RoleId, pair: RoleId) -> Option<usize> {
    match (role + 3 - pair) % 3 {
        0 => Some(0),
        1 => Some(1),
        _ => None,
    }
}

/// Whether a party is the first of the pair.
fn is_lower(hop: &Hop, role: RoleId) -> bool {
    role == hop.which
}

/// Puts what is permuted into a column's first components, in order.
pub(super) fn turn<P: Coordinates, W: Word>(hop: &Hop, column: &mut SharedVec<W>) {
    if hop.order.is_none() {
        return;
    }
    let lower = is_lower(hop, P::ROLE);
    map_pairs(&mut column.first, &mut column.second, |share| {
        let share = to_replicated::<P, W>(share);
        [if lower { share[0].add(share[1]) } else { share[1] }, W::ZERO]
    });
}

pub(super) fn begin<W: Word>(
    hop: &Hop,
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    turned: &SharedVec<W>,
    to: Range<usize>,
) -> Result<SharedVec<W>, SharingError> {
    let mut moved = SharedVec::<W>::zeros(to.len());
    let SharedVec { first, second, .. } = &mut moved;
    let Some(order) = &hop.order else {
        // The third party: (s'_{i+2}, s'_i).
        draws.with_prev().fill(&mut first[..]);
        draws.with_next().fill(&mut second[..]);
        return Ok(moved);
    };
    let lower = is_lower(hop, party.role());
    // The own mask, and the message.
    if lower {
        draws.with_prev().fill(&mut first[..]);
    } else {
        draws.with_next().fill(&mut first[..]);
    }
    let order = &order[to];
    for ((message, from), mask) in second.iter_mut().zip(order).zip(first.iter()) {
        *message = turned.first[*from as usize].sub(*mask);
    }
    party.send(peer(hop, lower), Stream::On, second)?;
    // The common component is completed by the peer's message.
    if !lower {
        std::mem::swap(first, second);
    }
    Ok(moved)
}

fn peer(hop: &Hop, lower: bool) -> RoleId {
    if lower { (hop.which + 1) % 3 } else { hop.which }
}

pub(super) fn finish<P: Coordinates, W: Word>(
    hop: &Hop,
    party: &mut Party<'_>,
    moved: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    receive(hop, party, moved)?;
    map_pairs(&mut moved.first, &mut moved.second, from_replicated::<P, W>);
    Ok(())
}

/// Completes the component that the pair has in common.
fn receive<W: Word>(
    hop: &Hop,
    party: &mut Party<'_>,
    moved: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    if hop.order.is_none() {
        return Ok(());
    }
    let lower = is_lower(hop, party.role());
    let common = if lower { &mut moved.second } else { &mut moved.first };
    let mut theirs = Buffer::<W>::zeros(RECEIVED.min(common.len()));
    for common in common.chunks_mut(RECEIVED) {
        let theirs = &mut theirs[..common.len()];
        party.recv(peer(hop, lower), Stream::On, theirs)?;
        simd::vectorize(
            #[inline(always)]
            || common.iter_mut().zip(theirs).for_each(|(to, word)| *to = to.add(*word)),
        );
    }
    Ok(())
}

/// A share as one of replicated sharing.
#[inline(always)]
fn to_replicated<P: Coordinates, W: Word>([first, second]: Share<W>) -> Share<W> {
    let [first, second, _] = P::to_masked([first, second, W::ZERO]);
    replicated_of(Seat::of::<P>(), [first, second])
}

/// The inverse of [`to_replicated`].
#[inline(always)]
fn from_replicated<P: Coordinates, W: Word>(share: Share<W>) -> Share<W> {
    let [first, second] = masked_of(Seat::of::<P>(), share);
    let [first, second, _] = P::from_masked([first, second, W::ZERO]);
    [first, second]
}

/// Maps pairs of words, one by one.
fn map_pairs<W: Word>(first: &mut [W], second: &mut [W], f: impl Fn(Share<W>) -> Share<W>) {
    simd::vectorize(
        #[inline(always)]
        move || {
            for (a, b) in first.iter_mut().zip(second) {
                [*a, *b] = f([*a, *b]);
            }
        },
    );
}
