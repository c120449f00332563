//! Tests that private inputs lie in their declared ranges, inside the computation.
//!
//! Rings, and widths of comparisons and factors, are chosen for declared ranges. An owner that shares a number outside
//! its range makes the others compute another function: one that may tell it bits of their inputs. So under protocols
//! that notice cheats every private input is tested where it enters, for every number that it can be shared as, and
//! what the tests say opens to everybody, in an epoch of its own, before anything else opens but places of shuffled rows, or how these
//! compare, which is uniform whatever was shared. Of an owner that follows
//! the protocol that is zeros, whatever its values are: it checks them before it shares anything. So the bits tell
//! nothing but who cheated, and all of them may open.
//!
//! Numbers that are held as bits are shared in as many bits as their range needs, and only what these bits can hold
//! beyond the range is tested. So are numbers of rings whose range is a power of two where it takes less to make numbers of
//! such bits than to test numbers: that follows from the cost functions.

use super::checks::joined;
use super::job::{By, ProgramJob};
use super::rings::BlockRings;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_backend::convert::to_planes;
use tacit_backend::{Backend, Bits, Kind, Planes, Ring, Secret, Tally, Term};
use tacit_program::{Element, Interval, NodeId, Program, ValueId};
use tacit_sharing::{Protocol, RoleId, SharingError};
use zeroize::Zeroizing;

type Result<T> = std::result::Result<T, SharingError>;

/// What the tests of an input say: bits, all of which are zero if no value leaves its range. There may be several for
/// a value.
pub(super) struct Test {
    /// The input.
    pub input: NodeId,
    /// Shared bits.
    pub beyond: Secret,
}

/// As how many bits numbers of a range are shared where they are held as bits, and whether the last one is a sign.
pub(super) fn held(range: Interval) -> (u32, bool) {
    match range.low < 0 {
        true => (range.signed_bits(), true),
        false => ((range.signed_bits() - 1).max(1), false),
    }
}

/// All numbers that are shared so.
fn all_held((bits, signed): (u32, bool)) -> Interval {
    match signed {
        true => Interval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 },
        false => Interval { low: 0, high: (1 << bits) - 1 },
    }
}

/// An input that its owner shares.
#[derive(Clone, Copy)]
pub(super) struct Shared<'v> {
    pub kind: Kind,
    pub range: Interval,
    pub owner: RoleId,
    /// At the owner.
    pub values: Option<&'v [i128]>,
    pub len: usize,
}

impl Shared<'_> {
    /// Shares it as what can be tested.
    pub fn number(self, backend: &mut dyn Backend) -> Result<Secret> {
        let Kind::Ring(ring @ Ring::Bits(_)) = self.kind else {
            return backend.input(self.kind, self.owner, self.values, self.len);
        };
        let (bits, signed) = held(self.range);
        Ok(self.planes(backend, bits, 0)?.into_number(ring, signed))
    }

    /// Shares it as the bits of its distance from the least value: nothing beyond its range, which is `2^bits` numbers,
    /// can be shared so.
    pub fn number_of_bits(self, backend: &mut dyn Backend, bits: u32) -> Result<Secret> {
        let Kind::Ring(ring) = self.kind else {
            return Err(SharingError::Shape("bits that are shared as bits of numbers".into()));
        };
        let planes = self.planes(backend, bits, self.range.low)?;
        let number = backend.compose(&planes, false, ring)?;
        backend.plus(&number, self.range.low)
    }

    fn planes(self, backend: &mut dyn Backend, bits: u32, minus: i128) -> Result<Planes> {
        let words = self.values.map(|values| {
            let all: Zeroizing<Vec<u128>> =
                Zeroizing::new(values.iter().map(|value| (value - minus) as u128).collect());
            to_planes(&all, bits as usize)
        });
        backend.input_planes(self.owner, words.as_deref(), bits as usize, self.len)
    }
}

/// Inputs that are shared by bits, although numbers are held in rings.
pub(super) type ByBits = BTreeMap<NodeId, u32>;

/// Which inputs those are: where it takes fewer bytes than a test, and how many bits each has.
pub(super) fn by_bits(
    job: &ProgramJob,
    program: &Program,
    (rings, roles): (&BlockRings, &[RoleId]),
) -> Result<ByBits> {
    let mut all = ByBits::new();
    if !job.tests_ranges() || job.by == By::Circuits {
        return Ok(all);
    }
    for (input, _, owner) in program.inputs() {
        let Some(owner) = owner.map(|owner| roles[usize::from(owner.0)]) else { continue };
        let used = ValueId { node: input, index: 0 };
        let reader = (0..).zip(&program.body.nodes).find(|(_, node)| node.operands.contains(&used));
        let ty = &program.body.nodes[input as usize].types[0];
        let Some((reader, _)) = reader else { continue };
        let size = ty.interval.high.abs_diff(ty.interval.low) + 1;
        let is_outside = owner >= job.places().len();
        if is_outside || ty.element == Element::Bit || size < 2 || !size.is_power_of_two() {
            continue;
        }
        let kind = Kind::Ring(rings.node(reader).operands[0]);
        let shared = Shared { kind, range: ty.interval, owner, values: None, len: MANY };
        if is_cheaper_by_bits(job.protocol(), shared, size.ilog2())? {
            all.insert(input, size.ilog2());
        }
    }
    Ok(all)
}

/// Values for which costs are compared: what is rounded up to words or batches counts for little.
const MANY: usize = 1 << 16;

fn is_cheaper_by_bits(protocol: Protocol, shared: Shared<'_>, bits: u32) -> Result<bool> {
    let bytes = |mut tally: Tally| -> Result<u64> {
        tally.take_journal()?;
        Ok(tally.total_bytes().total())
    };
    let (mut tested, mut composed) = (Tally::new(protocol), Tally::new(protocol));
    let number = Arc::new(shared.number(&mut tested)?);
    if test(&mut tested, &number, shared.range)?.is_none() {
        return Ok(false);
    }
    shared.number_of_bits(&mut composed, bits)?;
    Ok(bytes(composed)? < bytes(tested)?)
}

/// Tests an input that is shared: nothing, where nothing beyond the range can be.
pub(super) fn test(
    backend: &mut dyn Backend,
    secret: &Arc<Secret>,
    range: Interval,
) -> Result<Option<Secret>> {
    if secret.len == 0 {
        return Ok(None);
    }
    match secret.kind {
        Kind::Bits => Ok(match (range.low, range.high) {
            (0, 0) => Some(secret.slice(0..secret.len)),
            (1, 1) => Some(backend.plus(secret, 1)?),
            _ => None,
        }),
        Kind::Ring(Ring::Bits(_)) => beyond_of_bits(backend, secret, range),
        Kind::Ring(ring) => beyond_of_words(backend, (secret, ring), range),
    }
}

/// The bits that hold the range are all there is: the rest follows from them.
fn beyond_of_bits(
    backend: &mut dyn Backend,
    secret: &Secret,
    range: Interval,
) -> Result<Option<Secret>> {
    let shape = held(range);
    let all = all_held(shape);
    let number = |bits: u32| {
        let low = Planes::low_of(secret, shape.0 as usize);
        Term::Array(Arc::new(low.into_number(Ring::Bits(bits as u8), shape.1)))
    };
    let mut beyond = Vec::new();
    if all.low < range.low {
        let differ = Interval { low: all.low - range.low, high: all.high - range.low };
        let bits = differ.signed_bits();
        beyond.push(backend.less([&number(bits), &Term::Constant(range.low)], bits)?);
    }
    if range.high < all.high {
        let differ = Interval { low: range.high - all.high, high: range.high - all.low };
        let bits = differ.signed_bits();
        beyond.push(backend.less([&Term::Constant(range.high), &number(bits)], bits)?);
    }
    Ok((!beyond.is_empty()).then(|| joined(&beyond.iter().collect::<Vec<_>>())))
}

/// Exact for every element of the ring. With at most half of all elements between `low` and `high`, an element is one
/// of them if and only if neither `x - low` nor `high - x` is negative, modulo the ring: by signs of the full width.
fn beyond_of_words(
    backend: &mut dyn Backend,
    (secret, ring): (&Secret, Ring),
    range: Interval,
) -> Result<Option<Secret>> {
    let (bits, span) = (ring.bits(), range.high.wrapping_sub(range.low) as u128);
    if span == u128::MAX >> (128 - bits) {
        return Ok(None);
    }
    let negative = |backend: &mut dyn Backend, low: i128, high: i128| {
        let above = backend.plus(secret, low.wrapping_neg())?;
        let below = backend.times(secret, -1)?;
        let below = backend.plus(&below, high)?;
        let both = Term::Array(Arc::new(joined(&[&above, &below])));
        backend.less([&both, &Term::Constant(0)], bits)
    };
    if span >> (bits - 1) == 0 {
        return negative(backend, range.low, range.high).map(Some);
    }
    // What is beyond is less than half of the ring.
    let outside = negative(backend, range.high.wrapping_add(1), range.low.wrapping_sub(1))?;
    let inside = backend.plus(&outside, 1)?;
    let [above, below] =
        [0, 1].map(|part| inside.slice(part * secret.len..(part + 1) * secret.len));
    backend.multiply(&above, &below, [1, 1]).map(Some)
}

#[cfg(test)]
mod tests;
