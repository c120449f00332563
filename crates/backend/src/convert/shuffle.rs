//! Oblivious shuffles: three hops, in each of which two parties permute and the third learns
//! nothing (Araki et al., CCS 2021).
//!
//! In a hop the pair `(i, i+1)` knows the permutation. `P_i` sends `pi(s_i + s_{i+1}) - s'_i` and
//! `P_{i+1}` sends `pi(s_{i+2}) - s'_{i+2}`; the new shares `s'_i`, `s'_{i+2}` are draws of each with
//! the third party, so both messages are uniform to their receivers. Every party misses one of the three
//! permutations. One element each way and hop. The last hop is the pair's, so that the dealer's
//! new masks are draws.

use super::seat::dealer;
use std::ops::Range;
use tacit_net::Stream;
use tacit_ring::{Buffer, PrgStream, Word, simd, word};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::role::{Canonical, RoleId, Share};

/// The first roles of the pairs of the three hops, in order.
#[must_use]
pub fn hops<P: Canonical>() -> [RoleId; 3] {
    let dealer = dealer(P::PROTOCOL);
    [dealer, dealer + 2, dealer + 1].map(|role| role % 3)
}

/// This party's part in one hop.
pub struct Hop {
    pair: RoleId,
    /// In the pair: the permutation, `to[i] = from[order[i]]`.
    order: Option<Vec<u32>>,
}

impl Hop {
    /// Draws the permutation of `n` rows under the pair's key.
    #[must_use]
    pub fn draw<P: Canonical>(draws: &mut Draws<'_>, pair: RoleId, n: usize) -> Self {
        let order = if P::ROLE == pair {
            Some(permutation(draws.with_next(), n))
        } else if P::ROLE == (pair + 1) % 3 {
            Some(permutation(draws.with_prev(), n))
        } else {
            None
        };
        Hop { pair, order }
    }

    /// A hop in a dry run.
    #[must_use]
    pub fn dry(pair: RoleId) -> Self {
        Hop { pair, order: None }
    }

    /// The first role of the pair that permutes.
    #[must_use]
    pub fn pair(&self) -> RoleId {
        self.pair
    }

    /// Whether this party is the first of the pair.
    fn lower<P: Canonical>(&self) -> bool {
        P::ROLE == self.pair
    }

    /// Puts what is permuted into a column's first components, in order: so that rows are fetched from one
    /// place each. Local.
    pub fn turn<P: Canonical, W: Word>(&self, column: &mut SharedVec<W>) {
        if self.order.is_none() {
            return;
        }
        let lower = self.lower::<P>();
        map_pairs(&mut column.first, &mut column.second, |share| {
            let share = P::to_replicated(share);
            [if lower { share[0].add(share[1]) } else { share[1] }, W::ZERO]
        });
    }

    /// Permutes and reshares a turned column, what comes to the rows `to`; sends.
    ///
    /// # Errors
    /// When the network fails.
    pub fn begin<P: Canonical, W: Word>(
        &self,
        party: &mut Party<'_>,
        draws: &mut Draws<'_>,
        turned: &SharedVec<W>,
        to: Range<usize>,
    ) -> Result<SharedVec<W>, SharingError> {
        let mut moved = SharedVec::<W>::zeros(to.len());
        let SharedVec { first, second, .. } = &mut moved;
        let Some(order) = &self.order else {
            // The third party: (s'_{i+2}, s'_i).
            draws.with_prev().fill(&mut first[..]);
            draws.with_next().fill(&mut second[..]);
            return Ok(moved);
        };
        let lower = self.lower::<P>();
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
        party.send(self.peer::<P>(), Stream::On, second)?;
        // The common component is completed by the peer's message.
        if !lower {
            std::mem::swap(first, second);
        }
        Ok(moved)
    }

    fn peer<P: Canonical>(&self) -> RoleId {
        if self.lower::<P>() { (self.pair + 1) % 3 } else { self.pair }
    }

    /// Receives, and completes the shares of moved rows.
    ///
    /// # Errors
    /// When the network fails.
    pub fn finish<P: Canonical, W: Word>(
        &self,
        party: &mut Party<'_>,
        moved: &mut SharedVec<W>,
    ) -> Result<(), SharingError> {
        if self.order.is_some() {
            let peer = self.peer::<P>();
            let common = if self.lower::<P>() { &mut moved.second } else { &mut moved.first };
            let mut theirs = Buffer::<W>::zeros(RECEIVED.min(common.len()));
            for common in common.chunks_mut(RECEIVED) {
                let theirs = &mut theirs[..common.len()];
                party.recv(peer, Stream::On, theirs)?;
                simd::vectorize(
                    #[inline(always)]
                    || common.iter_mut().zip(theirs).for_each(|(to, word)| *to = to.add(*word)),
                );
            }
        }
        map_pairs(&mut moved.first, &mut moved.second, P::from_replicated::<W>);
        Ok(())
    }
}

/// Words received at a time.
const RECEIVED: usize = 8192;

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

/// A uniform permutation of `0..n`: Fisher and Yates, without bias.
fn permutation(stream: &mut PrgStream<'_>, n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut words = Words { stream, buffer: vec![0; n.clamp(64, 4096)], used: usize::MAX };
    for i in (1..n).rev() {
        order.swap(i, words.below(i as u64 + 1) as usize);
    }
    order
}

struct Words<'s, 'k> {
    stream: &'s mut PrgStream<'k>,
    buffer: Vec<u64>,
    used: usize,
}

impl Words<'_, '_> {
    fn next(&mut self) -> u64 {
        if self.used >= self.buffer.len() {
            self.stream.fill(&mut self.buffer[..]);
            self.used = 0;
        }
        self.used += 1;
        self.buffer[self.used - 1]
    }

    /// Uniform below `bound`: multiply and reject (Lemire, 2019).
    fn below(&mut self, bound: u64) -> u64 {
        loop {
            let wide = u128::from(self.next()) * u128::from(bound);
            if wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }
}

/// Where each row of an array goes.
pub struct Places(Buffer<u32>);

impl Places {
    /// Row `i` goes to place `to[i]`. `None` if that is no permutation.
    #[must_use]
    pub fn new(to: Buffer<u32>) -> Option<Self> {
        is_permutation(&to).then_some(Places(to))
    }

    /// A column's rows in their places: one component.
    ///
    /// # Panics
    /// If there are more or fewer rows.
    #[must_use]
    pub fn put<W: Word>(&self, column: &[W]) -> Buffer<W> {
        assert_eq!(column.len(), self.0.len(), "rows and their places");
        let mut out = Buffer::zeros(column.len());
        for (word, to) in column.iter().zip(self.0.iter()) {
            out[*to as usize] = *word;
        }
        out
    }
}

/// Whether every place is taken once.
#[must_use]
fn is_permutation(to: &[u32]) -> bool {
    let mut taken = vec![false; to.len()];
    to.iter()
        .all(|to| taken.get_mut(*to as usize).is_some_and(|taken| !std::mem::replace(taken, true)))
}

/// Rows of bits as words: bit `j` of row `i` is plane `j`, lane `i`. Local, componentwise.
#[must_use]
pub fn rows_of(planes: &[tacit_ring::Z2], bits: usize, lanes: usize) -> Buffer<tacit_ring::Z2> {
    let mut rows = Buffer::<tacit_ring::Z2>::zeros(lanes);
    if lanes > 0 {
        tacit_ring::transpose::unpack(word::lanes(planes), bits, word::lanes_mut(&mut rows));
    }
    rows
}
