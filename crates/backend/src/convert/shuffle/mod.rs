//! Oblivious shuffles: hops, in each of which some roles permute and another one learns nothing, so that every role misses one
//! of the permutations. Among three parties there are three hops, among four there are four.
//!
//! Of three parties that prove their products, the hops are [proven](tacit_proof::Moves); of four, what one role sends another
//! one knows, too, and both are compared. Either is done before anything opens.

mod four;
mod three;

pub(crate) use four::{enter, leave};

use std::ops::Range;
use tacit_net::Stream;
use tacit_proof::Method;
use tacit_ring::{Buffer, PrgStream, Word, word};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::coordinates::Coordinates;
use tacit_sharing::cost::Traffic;
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::role::RoleId;
use tacit_sharing::seat::dealer;
use tacit_sharing::{Protocol, SharingError};

/// Whether rows are shuffled under a protocol. Else they are sorted by networks: where shuffles would have to be proven in other
/// ways than these, and where four parties hold three components.
#[must_use]
pub fn has_shuffles(protocol: Protocol) -> bool {
    match Method::of(protocol) {
        Some(method) => method == Method::Lift,
        None => protocol.has_rings() && protocol.components() == 2,
    }
}

/// Rows from which on a shuffle for each digit of a sort, or for each fold of segments, is worth it. Every opening of places takes rounds of
/// its own, with proofs and comparisons where there are any.
#[must_use]
pub fn least_rows(protocol: Protocol) -> usize {
    match (proves_shuffles(protocol), protocol.is_checked()) {
        (true, _) => 4096,
        (_, true) => 512,
        _ => 0,
    }
}

/// Whether shuffles are proven.
#[must_use]
pub fn proves_shuffles(protocol: Protocol) -> bool {
    Method::of(protocol).is_some() && has_shuffles(protocol)
}

/// The hops of a shuffle, in order: among three parties by the first role of the pair that permutes, among four by the role that
/// does not.
#[must_use]
pub fn hops(protocol: Protocol) -> Vec<RoleId> {
    match protocol.parties() {
        4 => four::HOPS.to_vec(),
        _ => three::hops(dealer(protocol)).to_vec(),
    }
}

/// What an element of a column costs in a hop.
#[must_use]
pub fn cost(protocol: Protocol, hop: RoleId) -> Traffic {
    let messages = match protocol.parties() {
        4 => four::messages(hop),
        _ => vec![(hop, (hop + 1) % 3), ((hop + 1) % 3, hop)],
    };
    messages
        .into_iter()
        .fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, Stream::On, 1))
}

/// This party's part in one hop.
pub struct Hop {
    which: RoleId,
    /// Where this party permutes: the permutation, `to[i] = from[order[i]]`.
    order: Option<Vec<u32>>,
}

impl Hop {
    /// Draws the permutation of `n` rows, one of [`hops`], under the key of those who permute.
    #[must_use]
    pub fn draw<P: Coordinates>(draws: &mut Draws<'_>, which: RoleId, n: usize) -> Self {
        let slot = match P::PROTOCOL.parties() {
            4 => four::key(P::ROLE, which),
            _ => three::key(P::ROLE, which),
        };
        Hop { which, order: slot.map(|slot| permutation(draws.slot(slot), n)) }
    }

    /// A hop in a dry run.
    #[must_use]
    pub fn dry(which: RoleId) -> Self {
        Hop { which, order: None }
    }

    /// Which hop of a shuffle it is.
    #[must_use]
    pub fn which(&self) -> RoleId {
        self.which
    }

    /// The permutation, where this party permutes.
    #[must_use]
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// Brings a column into the form in which rows are fetched from as few places as can be. Local.
    pub fn turn<P: Coordinates, W: Word>(&self, column: &mut SharedVec<W>) {
        if P::PROTOCOL.parties() == 3 {
            three::turn::<P, W>(self, column);
        }
    }

    /// Permutes and shares a turned column again, what comes to the rows `to`; sends.
    ///
    /// # Errors
    /// When the network fails.
    pub fn begin<P: Coordinates, W: Word>(
        &self,
        party: &mut Party<'_>,
        draws: &mut Draws<'_>,
        turned: &SharedVec<W>,
        to: Range<usize>,
    ) -> Result<SharedVec<W>, SharingError> {
        match P::PROTOCOL.parties() {
            4 => four::begin(self, party, draws, turned, to),
            _ => three::begin(self, party, draws, turned, to),
        }
    }

    /// Receives, and completes the shares of moved rows.
    ///
    /// # Errors
    /// When the network fails.
    pub fn finish<P: Coordinates, W: Word>(
        &self,
        party: &mut Party<'_>,
        moved: &mut SharedVec<W>,
    ) -> Result<(), SharingError> {
        match P::PROTOCOL.parties() {
            4 => four::finish(self, party, moved),
            _ => three::finish::<P, W>(self, party, moved),
        }
    }
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
