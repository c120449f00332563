//! Shared arrays of any ring, and what every party does with them alone.

use super::{Values, planes};
use crate::convert::BitPlanes;
use std::borrow::Borrow;
use tacit_ring::{Buffer, Word, Z2, simd, transpose, word};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::reseat::Reseat;
use zeroize::Zeroizing;

/// The rings that programs compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ring {
    /// Z_{2^32}.
    W32,
    /// Z_{2^64}.
    W64,
    /// Z_{2^128}.
    W128,
    /// Z_{2^bits} of at most 128 bits, held as bits: for circuits.
    Bits(u8),
}

impl Ring {
    /// The rings of machine words, narrowest first.
    pub const ALL: [Ring; 3] = [Ring::W32, Ring::W64, Ring::W128];

    /// Bits of an element.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Ring::W32 => 32,
            Ring::W64 => 64,
            Ring::W128 => 128,
            Ring::Bits(bits) => u32::from(bits),
        }
    }

    /// Bytes of an element that is held as a machine word.
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    /// The narrowest of machine words with at least so many bits.
    #[must_use]
    pub fn holding(bits: u32) -> Option<Ring> {
        Ring::ALL.into_iter().find(|ring| ring.bits() >= bits)
    }
}

/// What a secret array is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Bits, packed in lanes.
    Bits,
    /// Elements of a ring.
    Ring(Ring),
}

impl Kind {
    /// Planes of an array that is held as bits.
    #[must_use]
    pub fn planes(self) -> usize {
        match self {
            Kind::Bits => 1,
            Kind::Ring(ring) => ring.bits() as usize,
        }
    }
}

/// The shares of an array, or nothing where only costs are counted.
pub enum Data {
    /// No shares: a dry run.
    None,
    /// Bits, or numbers held as bits: as many planes as [`Kind::planes`] says.
    Bits(BitPlanes),
    /// Z_{2^32}.
    W32(SharedVec<u32>),
    /// Z_{2^64}.
    W64(SharedVec<u64>),
    /// Z_{2^128}.
    W128(SharedVec<u128>),
}

/// A secret array, flat. Its shares have no `Debug`.
pub struct Secret {
    /// What the elements are.
    pub kind: Kind,
    /// Number of elements.
    pub len: usize,
    /// This party's shares.
    pub data: Data,
    /// Tags of the numbers, where the protocol has tags.
    pub(crate) tags: Option<Box<Tags>>,
}

/// Numbers of a ring as redundant words, and their products with a key that nobody knows: both held as
/// elements of the widest ring, of which the low bits count. What is linear is done to all alike.
pub(crate) struct Tags {
    /// Which key.
    pub key: u64,
    /// The numbers, whose bits beyond those of their ring mean nothing.
    pub values: Secret,
    /// The products.
    pub tags: Secret,
}

impl Tags {
    /// Does the same to both.
    fn map(&self, f: impl Fn(&Secret) -> Secret) -> Box<Tags> {
        Box::new(Tags { key: self.key, values: f(&self.values), tags: f(&self.tags) })
    }
}

/// Evaluates an expression with `$v` bound to the typed shares of a ring array.
macro_rules! with_ring {
    ($data:expr, $v:ident => $body:expr, none $none:expr, bits $b:ident => $bits:expr) => {
        match $data {
            Data::None => $none,
            Data::Bits($b) => $bits,
            Data::W32($v) => $body,
            Data::W64($v) => $body,
            Data::W128($v) => $body,
        }
    };
}

/// A ring word that [`Data`] has a variant for.
pub trait Element: Word {
    /// Its ring.
    const RING: Ring;
    /// Wraps shares.
    fn wrap(shares: SharedVec<Self>) -> Data;
    /// The shares, if they are of this ring.
    fn shares(data: &Data) -> Option<&SharedVec<Self>>;
}

macro_rules! element {
    ($word:ty, $name:ident) => {
        impl Element for $word {
            const RING: Ring = Ring::$name;
            fn wrap(shares: SharedVec<Self>) -> Data {
                Data::$name(shares)
            }
            fn shares(data: &Data) -> Option<&SharedVec<Self>> {
                if let Data::$name(shares) = data { Some(shares) } else { None }
            }
        }
    };
}
element!(u32, W32);
element!(u64, W64);
element!(u128, W128);

impl Secret {
    pub(super) fn untagged(kind: Kind, len: usize, data: Data) -> Self {
        Secret { kind, len, data, tags: None }
    }

    /// Attaches tags under a key: `values` are the numbers as redundant words, `tags` their products with the key.
    pub(super) fn with_tags(self, key: u64, values: Secret, tags: Secret) -> Self {
        Secret { tags: Some(Box::new(Tags { key, values, tags })), ..self }
    }

    /// Its tags, if they are under this key.
    pub(super) fn tags_under(&self, key: u64) -> Option<&Tags> {
        self.tags.as_deref().filter(|tags| tags.key == key)
    }

    fn tags_mapped(&self, f: impl Fn(&Secret) -> Secret) -> Option<Box<Tags>> {
        self.tags.as_ref().map(|tags| tags.map(f))
    }

    /// The numbers as they are, without sign, in the widest ring.
    pub(super) fn extended(&self) -> Secret {
        let data = with_ring!(&self.data, v => u128::wrap(narrow_typed(v)), none Data::None,
            bits _b => panic!("bits in place of ring elements"));
        Secret::untagged(Kind::Ring(Ring::W128), self.len, data)
    }

    /// An array of a ring.
    #[must_use]
    pub fn of<W: Element>(shares: SharedVec<W>) -> Self {
        Secret::untagged(Kind::Ring(W::RING), shares.len(), W::wrap(shares))
    }

    /// An array of bits: one plane.
    #[must_use]
    pub fn bits(bits: BitPlanes) -> Self {
        Secret::untagged(Kind::Bits, bits.lanes, Data::Bits(bits))
    }

    /// An array without shares.
    #[must_use]
    pub fn dry(kind: Kind, len: usize) -> Self {
        Secret::untagged(kind, len, Data::None)
    }

    /// The ring, if it is of one.
    #[must_use]
    pub fn ring(&self) -> Option<Ring> {
        match self.kind {
            Kind::Ring(ring) => Some(ring),
            Kind::Bits => None,
        }
    }

    /// Elements at `indices`, in their order.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn gather(&self, indices: &[u32]) -> Secret {
        self.gather_from(&[self], indices.iter().map(|i| (0, *i)))
    }

    /// Elements `(which, index)` of several arrays of one kind.
    ///
    /// # Panics
    /// If an index is out of range or kinds differ.
    #[must_use]
    pub fn gather_from(
        &self,
        arrays: &[&Secret],
        places: impl ExactSizeIterator<Item = (u32, u32)>,
    ) -> Secret {
        let places: Vec<(u32, u32)> = places.collect();
        let len = places.len();
        let each = || places.iter().copied();
        let data = with_ring!(&self.data, v => gather_typed(v, arrays, each()), none Data::None,
            bits _b => Data::Bits(planes::gather(arrays, self.kind.planes(), places.clone())));
        let tags = self.tags.as_ref().and_then(|tags| {
            let all: Option<Vec<&Tags>> = arrays.iter().map(|a| a.tags_under(tags.key)).collect();
            let all = all?;
            let [values, marks]: [Vec<&Secret>; 2] =
                [all.iter().map(|t| &t.values).collect(), all.iter().map(|t| &t.tags).collect()];
            let values = tags.values.gather_from(&values, each());
            let tags = Tags { key: tags.key, values, tags: tags.tags.gather_from(&marks, each()) };
            Some(Box::new(tags))
        });
        Secret { kind: self.kind, len, data, tags }
    }

    /// Elements `at`.
    #[must_use]
    pub fn slice(&self, at: std::ops::Range<usize>) -> Secret {
        let len = at.len();
        let data = with_ring!(&self.data, v => slice_typed(v, at.clone()), none Data::None,
            bits b => Data::Bits(planes::slice(b, self.kind.planes(), at.clone())));
        let tags = self.tags_mapped(|array| array.slice(at.clone()));
        Secret { kind: self.kind, len, data, tags }
    }

    /// Each element times a public bit.
    ///
    /// # Panics
    /// If lengths differ or it is not held as bits.
    #[must_use]
    pub fn and_public(&self, values: &[i128]) -> Secret {
        let data = match &self.data {
            Data::Bits(bits) => {
                if let Some(wires) = &bits.wires {
                    let value = |i: usize| values[if values.len() == 1 { 0 } else { i % self.len }];
                    let kept = wires.only(|i| value(i) & 1 == 1);
                    let data = Data::Bits(BitPlanes::of_wires(kept, bits.lanes));
                    return Secret::untagged(self.kind, self.len, data);
                }
                let mask = packed(values, self.len);
                let cut = |run: &Buffer<Z2>| {
                    let mut run = run.clone();
                    for plane in run.chunks_exact_mut(mask.len().max(1)) {
                        plane.iter_mut().zip(mask.iter()).for_each(|(x, m)| *x = x.mul(*m));
                    }
                    run
                };
                Data::Bits(BitPlanes::shared(each(&bits.shares, cut), bits.lanes))
            }
            Data::None => Data::None,
            _ => panic!("an array of bits"),
        };
        Secret::untagged(self.kind, self.len, data)
    }

    /// Componentwise `self + other` or `self - other`; bits: exclusive or. Not for numbers held as
    /// bits: those are added by circuits.
    ///
    /// # Panics
    /// If kinds or lengths differ.
    #[must_use]
    pub fn sum(&self, other: &Secret, subtract: bool) -> Secret {
        assert!(self.kind == other.kind && self.len == other.len, "operands of a sum");
        assert!(!matches!(self.kind, Kind::Ring(Ring::Bits(_))), "operands of a local sum");
        let data = with_ring!(&self.data, v => sum_typed(v, other, subtract), none Data::None,
            bits _b => return self.xor(other));
        let tags = self.tags.as_ref().and_then(|mine| {
            let theirs = other.tags_under(mine.key)?;
            let values = mine.values.sum(&theirs.values, subtract);
            let tags = mine.tags.sum(&theirs.tags, subtract);
            Some(Box::new(Tags { key: mine.key, values, tags }))
        });
        Secret { kind: self.kind, len: self.len, data, tags }
    }

    /// Exclusive or, of what is held as bits.
    ///
    /// # Panics
    /// If kinds or lengths differ or it is not held as bits.
    #[must_use]
    pub fn xor(&self, other: &Secret) -> Secret {
        assert!(self.kind == other.kind && self.len == other.len, "operands of an exclusive or");
        let data = with_ring!(&self.data, _v => panic!("operands held as bits"), none Data::None,
        bits b => Data::Bits(match (&b.wires, &bits_of(other).wires) {
            (Some(x), Some(y)) => BitPlanes::of_wires(x.xor(y), b.lanes),
            _ => BitPlanes::shared(zip(&b.shares, &bits_of(other).shares, Z2::add), b.lanes),
        }));
        Secret::untagged(self.kind, self.len, data)
    }

    /// Each element times a public one; one factor serves all.
    ///
    /// # Panics
    /// If lengths differ or it is of bits.
    #[must_use]
    pub fn scale(&self, factors: &[i128]) -> Secret {
        assert!(factors.len() == 1 || factors.len() == self.len, "factors of a scaling");
        assert!(!matches!(self.kind, Kind::Ring(Ring::Bits(_))), "operands of a local scaling");
        let data = with_ring!(&self.data, v => scale_typed(v, factors), none Data::None,
            bits _b => panic!("bits are not scaled"));
        let tags = self.tags_mapped(|array| array.scale(factors));
        Secret { kind: self.kind, len: self.len, data, tags }
    }

    /// Sums of `outer x axis x inner` over the middle axis.
    ///
    /// # Panics
    /// If lengths differ or it is of bits.
    #[must_use]
    pub fn sum_axis(&self, outer: usize, axis: usize, inner: usize) -> Secret {
        assert_eq!(outer * axis * inner, self.len, "shape of a sum");
        assert!(!matches!(self.kind, Kind::Ring(Ring::Bits(_))), "operands of a local sum");
        let data = with_ring!(&self.data, v => sum_axis_typed(v, outer, axis, inner),
            none Data::None, bits _b => panic!("bits are not summed"));
        let tags = self.tags_mapped(|array| array.sum_axis(outer, axis, inner));
        Secret { kind: self.kind, len: outer * inner, data, tags }
    }

    /// Of `outer x axis x inner` the sums of those up to each one along the middle axis, or from each one on.
    ///
    /// # Panics
    /// If lengths differ or it is of bits.
    #[must_use]
    pub fn prefix_sums(&self, outer: usize, axis: usize, inner: usize, reverse: bool) -> Secret {
        assert_eq!(outer * axis * inner, self.len, "shape of prefix sums");
        let shape = [outer, axis, inner];
        let data = with_ring!(&self.data, v => prefix_sums_typed(v, shape, reverse),
            none Data::None, bits _b => panic!("bits are not summed"));
        let tags = self.tags_mapped(|array| array.prefix_sums(outer, axis, inner, reverse));
        Secret { kind: self.kind, len: self.len, data, tags }
    }

    /// Reduces the numbers modulo a smaller power of two.
    ///
    /// # Panics
    /// If `ring` is wider than the ring of the numbers.
    #[must_use]
    pub fn narrow(&self, ring: Ring) -> Secret {
        assert!(self.ring().is_some_and(|own| own.bits() >= ring.bits()), "a narrower ring");
        let data = with_ring!(&self.data, v => match ring {
            Ring::W32 => u32::wrap(narrow_typed(v)),
            Ring::W64 => u64::wrap(narrow_typed(v)),
            Ring::W128 => u128::wrap(narrow_typed(v)),
            Ring::Bits(_) => panic!("a ring of machine words"),
        }, none Data::None, bits b => Data::Bits(b.range(0..ring.bits() as usize)));
        // Redundant words are right modulo every smaller power of two.
        let tags = self.tags_mapped(Secret::copied);
        Secret { kind: Kind::Ring(ring), len: self.len, data, tags }
    }

    /// Writes another array's elements from place `at`.
    ///
    /// # Panics
    /// If kinds differ or it does not fit.
    pub fn copy_in(&mut self, at: usize, from: &Secret) {
        assert!(self.kind == from.kind && at + from.len <= self.len, "a place for elements");
        match (&mut self.data, &from.data) {
            (Data::W32(to), Data::W32(from)) => copy_typed(to, at, from),
            (Data::W64(to), Data::W64(from)) => copy_typed(to, at, from),
            (Data::W128(to), Data::W128(from)) => copy_typed(to, at, from),
            (Data::Bits(to), Data::Bits(from)) => planes::copy_in(to, at, from),
            _ => {}
        }
        let Some(mut mine) = self.tags.take() else { return };
        if let Some(theirs) = from.tags_under(mine.key) {
            mine.values.copy_in(at, &theirs.values);
            mine.tags.copy_in(at, &theirs.tags);
            self.tags = Some(mine);
        }
    }

    /// Converts the shares to the roles of another assignment. Tags are dropped: they belong to one worker.
    #[must_use]
    pub fn reseated(&self, to: &Reseat) -> Secret {
        let data = with_ring!(&self.data, v => Element::wrap(to.apply(v)), none Data::None,
            bits b => Data::Bits(b.reseated(to)));
        Secret::untagged(self.kind, self.len, data)
    }

    /// A copy of the array.
    fn copied(&self) -> Secret {
        self.slice(0..self.len)
    }

    /// Arrays of one kind and length one after the other; bits each from a whole word on.
    ///
    /// # Panics
    /// If there is none, or kinds or lengths differ.
    #[must_use]
    pub fn side_by_side<S: Borrow<Secret>>(arrays: &[S]) -> Secret {
        let first = arrays[0].borrow();
        let step =
            if first.kind == Kind::Bits { first.len.next_multiple_of(64) } else { first.len };
        let mut out = first.zeros_like(step * arrays.len());
        for (i, array) in arrays.iter().enumerate() {
            let array = array.borrow();
            assert_eq!(array.len, first.len, "arrays side by side");
            out.copy_in(i * step, array);
        }
        out
    }

    /// Zero shares of the same kind as this array's, `len` of them.
    #[must_use]
    pub fn zeros_like(&self, len: usize) -> Secret {
        let data = match &self.data {
            Data::None => Data::None,
            Data::Bits(bits) => Data::Bits(BitPlanes::zeros_like(self.kind.planes(), len, [bits])),
            Data::W32(v) => Data::W32(SharedVec::zeros_like(len, [v])),
            Data::W64(v) => Data::W64(SharedVec::zeros_like(len, [v])),
            Data::W128(v) => Data::W128(SharedVec::zeros_like(len, [v])),
        };
        let tags = self.tags_mapped(|array| array.zeros_like(len));
        Secret { kind: self.kind, len, data, tags }
    }
}

pub(crate) fn typed<W: Element>(secret: &Secret) -> &SharedVec<W> {
    W::shares(&secret.data).expect("operands of one ring")
}

pub(crate) fn bits_of(secret: &Secret) -> &BitPlanes {
    match &secret.data {
        Data::Bits(bits) => bits,
        _ => panic!("an array of bits"),
    }
}

/// Public bits, packed; a single one fills all lanes.
pub(super) fn packed(values: &[i128], len: usize) -> Buffer<Z2> {
    let mut bits = Buffer::<Z2>::zeros(len.div_ceil(64));
    let bit = |i| (values[if values.len() == 1 { 0 } else { i }] & 1) as u8;
    let bytes: Zeroizing<Vec<u8>> = Zeroizing::new((0..len).map(bit).collect());
    if len > 0 {
        transpose::pack(&bytes, 1, word::lanes_mut(&mut bits));
    }
    bits
}

/// The bits of `len` lanes, as numbers.
pub(super) fn unpacked(words: &[Z2], len: usize) -> Values {
    let lane = |i: usize| i128::from(words[i / 64].0 >> (i % 64) & 1);
    Values::new((0..len).map(lane).collect())
}

fn zip<W: Word>(a: &SharedVec<W>, b: &SharedVec<W>, f: impl Fn(W, W) -> W + Copy) -> SharedVec<W> {
    let run = |a: &Buffer<W>, b: &Buffer<W>| {
        let mut out = a.clone();
        let to = &mut out;
        simd::vectorize(
            #[inline(always)]
            || {
                for (to, b) in to.iter_mut().zip(b.iter()) {
                    *to = f(*to, *b);
                }
            },
        );
        out
    };
    let third = if a.third.is_empty() { Buffer::default() } else { run(&a.third, &b.third) };
    SharedVec { first: run(&a.first, &b.first), second: run(&a.second, &b.second), third }
}

fn sum_typed<W: Element>(a: &SharedVec<W>, b: &Secret, subtract: bool) -> Data {
    let b = typed::<W>(b);
    W::wrap(if subtract { zip(a, b, W::sub) } else { zip(a, b, W::add) })
}

fn each<W: Word>(a: &SharedVec<W>, f: impl Fn(&Buffer<W>) -> Buffer<W>) -> SharedVec<W> {
    a.map(f)
}

fn scale_typed<W: Element>(a: &SharedVec<W>, factors: &[i128]) -> Data {
    let factor = |f: &i128| W::from_u128(*f as u128);
    W::wrap(each(a, |run| {
        let mut out = run.clone();
        if let [one] = factors {
            let one = factor(one);
            out.iter_mut().for_each(|x| *x = x.mul(one));
        } else {
            out.iter_mut().zip(factors).for_each(|(x, f)| *x = x.mul(factor(f)));
        }
        out
    }))
}

fn sum_axis_typed<W: Element>(a: &SharedVec<W>, outer: usize, axis: usize, inner: usize) -> Data {
    W::wrap(each(a, |run| {
        let mut out = Buffer::<W>::zeros(outer * inner);
        for o in 0..outer {
            let sums = &mut out[o * inner..(o + 1) * inner];
            let rows = &run[o * axis * inner..][..axis * inner];
            simd::vectorize(
                #[inline(always)]
                move || match sums {
                    [sum] => *sum = rows.iter().fold(W::ZERO, |sum, x| sum.add(*x)),
                    _ => {
                        for row in rows.chunks_exact(inner.max(1)) {
                            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = sum.add(*x));
                        }
                    }
                },
            );
        }
        out
    }))
}

fn prefix_sums_typed<W: Element>(
    a: &SharedVec<W>,
    [outer, axis, inner]: [usize; 3],
    reverse: bool,
) -> Data {
    W::wrap(each(a, |run| {
        let mut out = run.clone();
        for block in out.chunks_exact_mut((axis * inner).max(1)).take(outer) {
            for step in 1..axis {
                let (to, from) = match reverse {
                    false => (step, step - 1),
                    true => (axis - 1 - step, axis - step),
                };
                for i in 0..inner {
                    block[to * inner + i] = block[to * inner + i].add(block[from * inner + i]);
                }
            }
        }
        out
    }))
}

fn slice_typed<W: Element>(a: &SharedVec<W>, at: std::ops::Range<usize>) -> Data {
    W::wrap(each(a, |run| Buffer::from_slice(&run[at.clone()])))
}

fn narrow_typed<F: Word, T: Word>(a: &SharedVec<F>) -> SharedVec<T> {
    a.map(|run| {
        let mut out = Buffer::zeros(run.len());
        out.iter_mut().zip(run.iter()).for_each(|(to, x): (&mut T, _)| {
            *to = T::from_u128(x.to_u128());
        });
        out
    })
}

fn copy_typed<W: Word>(to: &mut SharedVec<W>, at: usize, from: &SharedVec<W>) {
    to.copy_in(at, from);
}

fn gather_typed<W: Element>(
    _kind: &SharedVec<W>,
    arrays: &[&Secret],
    places: impl ExactSizeIterator<Item = (u32, u32)>,
) -> Data {
    let arrays: Vec<&SharedVec<W>> = arrays.iter().map(|array| typed::<W>(array)).collect();
    let mut out = SharedVec::<W>::zeros_like(places.len(), arrays.iter().copied());
    for (i, (which, index)) in places.enumerate() {
        let (from, index) = (arrays[which as usize], index as usize);
        [out.first[i], out.second[i]] = from.at(index);
        if let Some(third) = from.third.get(index) {
            out.third[i] = *third;
        }
    }
    W::wrap(out)
}
