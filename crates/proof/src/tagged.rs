//! Tagged wires (`docs/spec/malicious-3pc-rings.md` section 8.2): numbers go with their products with a key that
//! nobody knows, over redundant words.
//!
//! A product `z = x y` comes with `z' = x' y`, made from the tag of a factor. Before anything opens the key
//! `r` does, and `z' - r z` must be zero for each product and each tag: an error of `z`, not zero modulo
//! `2^m`, wants `r` times it in `z'`, modulo `2^(m + 40)`, which nobody guesses more often than 2^-41. Each is
//! compared by itself: a wrong tag is found for certain, whatever it is multiplied by. (A random sum of all,
//! for a key that is kept, would tell whether a wrong tag times a secret is what a cheat makes up for.)
//!
//! The check burns the key. What comes next is tagged under another one.

use super::channel::ProofChannel;
use super::method::{Method, proven};
use super::redundant::{narrowed, summand, widened};
use super::{Charge, Proving, Two, first};
use tacit_net::Stream;
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::growing::Growing;
use tacit_sharing::party::{Draws, Party};
use zeroize::Zeroizing;

/// Products and tags that are checked together.
pub(super) fn limit(proving: Proving) -> usize {
    proving.batch_or(64, 1 << 16)
}

/// What a check costs: a coin, so that all is out before the key is, and the key.
pub(super) const CHECK: Charge = Charge { bytes: 16, coins: 1, rounds: 2 };

/// What is multiplied.
#[derive(Clone, Copy)]
pub enum Factors {
    /// A number of pairs of elements.
    Pairs(usize),
    /// Matrices.
    Matrices(MatrixShape),
}

impl Factors {
    /// Number of results.
    #[must_use]
    pub fn results(self) -> usize {
        match self {
            Factors::Pairs(n) => n,
            Factors::Matrices(MatrixShape { rows, columns, .. }) => rows * columns,
        }
    }

    /// The places of a result's factors in both arrays.
    fn of(self, result: usize) -> impl Iterator<Item = [usize; 2]> {
        let (left, right, step, terms) = match self {
            Factors::Pairs(_) => (result, result, 0, 1),
            Factors::Matrices(MatrixShape { inner, columns, .. }) => {
                (result / columns * inner, result % columns, columns, inner)
            }
        };
        (0..terms).map(move |k| [left + k, right + k * step])
    }
}

/// Products, or tags, under the present key: words of which so many bytes count.
struct Entries {
    each: usize,
    values: [Growing<u128>; 2],
    tags: [Growing<u128>; 2],
}

/// The present key, and what it has tagged.
#[derive(Default)]
pub(super) struct Tagging {
    key: Option<Zeroizing<[u128; 2]>>,
    /// The present key's: every key of every worker has another one.
    pub number: u64,
    entries: Vec<Entries>,
}

/// The number of a worker's first key.
pub(super) fn first_key(worker: usize) -> u64 {
    (worker as u64) << 40
}

impl Tagging {
    /// Nothing tagged yet, by a worker with keys of its own.
    pub fn of_worker(worker: usize) -> Self {
        Tagging { number: first_key(worker), ..Tagging::default() }
    }

    /// Products and tags that are not checked.
    pub fn pending(&self) -> usize {
        self.entries.iter().map(|entries| entries.values[0].len).sum()
    }

    /// The present key, if it is drawn.
    pub fn drawn(&self) -> Option<[u128; 2]> {
        self.key.as_deref().copied()
    }

    /// The present key.
    pub fn key(&mut self, channel: &mut ProofChannel<'_, '_, '_>) -> [u128; 2] {
        **self.key.get_or_insert_with(|| {
            Zeroizing::new(channel.shared::<u128>(1).each_ref().map(|run| run[0]))
        })
    }

    /// Keeps values and their tags until they are checked.
    fn keep(&mut self, each: usize, values: Two<'_, u128>, tags: Two<'_, u128>) {
        let at = self.entries.iter().position(|entries| entries.each == each);
        let at = at.unwrap_or_else(|| {
            let [values, tags] = [(); 2].map(|()| Default::default());
            self.entries.push(Entries { each, values, tags });
            self.entries.len() - 1
        });
        let entries = &mut self.entries[at];
        for c in 0..2 {
            entries.values[c].extend(values[c]);
            entries.tags[c].extend(tags[c]);
        }
    }

    /// Tags of values.
    pub fn tag(
        &mut self,
        party: &mut Party<'_>,
        draws: Draws<'_>,
        each: usize,
        values: Two<'_, u128>,
    ) -> Result<[Buffer<u128>; 2], SharingError> {
        let mut channel = ProofChannel::new(party, draws);
        let key = self.key(&mut channel);
        let summands = |i: usize| summand([values[0][i], values[1][i]], key);
        let mut sums = Buffer::zeros(values[0].len());
        sums.iter_mut().enumerate().for_each(|(i, sum)| *sum = summands(i));
        let masks = channel.masks::<u128>(sums.len());
        let tags = reshared(party, each, sums, masks)?;
        self.keep(each, values, [&tags[0], &tags[1]]);
        Ok(tags)
    }

    /// Results and their tags, from two factors, and those with one of them tagged.
    pub fn results(
        &mut self,
        party: &mut Party<'_>,
        draws: Draws<'_>,
        (each, places): (usize, Factors),
        factors: [[Two<'_, u128>; 2]; 2],
    ) -> Result<[[Buffer<u128>; 2]; 2], SharingError> {
        let n = places.results();
        let mut sums = Buffer::zeros(2 * n);
        for (half, [x, y]) in sums.chunks_exact_mut(n.max(1)).zip(factors) {
            for (result, sum) in half.iter_mut().enumerate() {
                let term = |[i, j]: [usize; 2]| summand([x[0][i], x[1][i]], [y[0][j], y[1][j]]);
                *sum = places.of(result).fold(0, |sum, at| sum.add(term(at)));
            }
        }
        let masks = ProofChannel::new(party, draws).masks::<u128>(2 * n);
        let both = reshared(party, each, sums, masks)?;
        let halves = |half: usize| {
            both.each_ref().map(|run| Buffer::from_slice(&run[half * n..(half + 1) * n]))
        };
        let [values, tags] = [halves(0), halves(1)];
        self.keep(each, [&values[0], &values[1]], [&tags[0], &tags[1]]);
        Ok([values, tags])
    }

    /// Opens the key, and claims that everything under it is right.
    pub fn check(&mut self, channel: &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> {
        let [own, next] = self.key(channel);
        // All that the key must not be known for has arrived when the coin has.
        channel.coin()?;
        let key = own.add(next).add(channel.pass(&[next])?[0]);
        channel.agree(&key.to_le_bytes());
        for entries in self.entries.drain(..) {
            let len = entries.values[0].len;
            let (values, tags) = (first(&entries.values, len), first(&entries.tags, len));
            let zeros = [0, 1].map(|c| {
                let mut zeros = Buffer::zeros(len);
                let pairs = values[c].iter().zip(tags[c]);
                zeros.iter_mut().zip(pairs).for_each(|(zero, (value, tag)): (&mut u128, _)| {
                    *zero = tag.sub(key.mul(*value));
                });
                zeros
            });
            channel.claim_zeros(entries.each, [&zeros[0], &zeros[1]]);
        }
        self.key = None;
        self.number += 1;
        Ok(())
    }
}

/// Shares results of which each role has summands: sent like products, not like what proofs say.
fn reshared(
    party: &mut Party<'_>,
    each: usize,
    mut sums: Buffer<u128>,
    [next, previous]: [Buffer<u128>; 2],
) -> Result<[Buffer<u128>; 2], SharingError> {
    for (sum, (next, previous)) in sums.iter_mut().zip(next.iter().zip(previous.iter())) {
        *sum = sum.add(*next).sub(*previous);
    }
    let role = party.role();
    party.send((role + 2) % 3, Stream::On, &narrowed(&sums, each))?;
    let mut theirs = Buffer::<u8>::zeros(sums.len() * each);
    party.recv((role + 1) % 3, Stream::On, &mut theirs)?;
    Ok([sums, widened(&theirs, each)])
}

/// Tagged wires.
pub const TAGGED: Protocol = Protocol::new(&proven(
    "tagged",
    [
        "brain.md#tagged-wires-tagged",
        "programs in rings with many products of products, and few rounds for each check",
    ],
    &Method::Tagged,
    (Some("tagged@64"), [false, false]),
    Status::Product,
));
