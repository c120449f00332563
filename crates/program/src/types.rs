//! Types of values: element, shape, who may see them, and the interval they lie in.

use std::fmt;

/// A party of a program, by position in [`Program::parties`](crate::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartyId(pub u8);

/// A symbolic row count, by position in [`Program::dims`](crate::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DimId(pub u32);

/// The type of each element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A truth value.
    Bit,
    /// An integer of 8, 16, 32 or 64 bits, in two's complement if signed.
    Int {
        /// Whether the type has negative values.
        signed: bool,
        /// The width: 8, 16, 32 or 64.
        bits: u8,
    },
    /// The number `raw / 2^fraction`, `raw` a signed integer of `bits` bits.
    Fixed {
        /// Bits of the raw integer: 2 to 64.
        bits: u8,
        /// Fractional bits, fewer than `bits`.
        fraction: u8,
    },
}

impl Element {
    /// Gives the signed integer type of `bits` bits.
    #[must_use]
    pub const fn int(bits: u8) -> Self {
        Element::Int { signed: true, bits }
    }

    /// Gives the unsigned integer type of `bits` bits.
    #[must_use]
    pub const fn uint(bits: u8) -> Self {
        Element::Int { signed: false, bits }
    }

    /// Gives the interval of all raw values of the type.
    #[must_use]
    pub fn interval(self) -> Interval {
        match self {
            Element::Bit => Interval { low: 0, high: 1 },
            Element::Int { signed: false, bits } => Interval { low: 0, high: (1 << bits) - 1 },
            Element::Int { signed: true, bits } | Element::Fixed { bits, .. } => {
                Interval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 }
            }
        }
    }

    /// Fractional bits: zero unless fixed point.
    #[must_use]
    pub fn fraction(self) -> u8 {
        match self {
            Element::Fixed { fraction, .. } => fraction,
            _ => 0,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Bit => f.write_str("bit"),
            Element::Int { signed: true, bits } => write!(f, "i{bits}"),
            Element::Int { signed: false, bits } => write!(f, "u{bits}"),
            Element::Fixed { bits, fraction } => write!(f, "fixed({bits},{fraction})"),
        }
    }
}

/// All raw values from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least raw value.
    pub low: i128,
    /// The greatest raw value.
    pub high: i128,
}

impl Interval {
    /// Gives the interval of one value.
    #[must_use]
    pub const fn point(value: i128) -> Self {
        Interval { low: value, high: value }
    }

    /// Says whether all of `other` lies in this interval.
    #[must_use]
    pub fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Gives the least interval that holds both.
    #[must_use]
    pub fn join(self, other: Interval) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Bits of the shortest two's complement form of every value in it.
    #[must_use]
    pub fn signed_bits(self) -> u32 {
        let bits = |v: i128| 129 - if v < 0 { v.leading_ones() } else { v.leading_zeros() };
        bits(self.low).max(bits(self.high))
    }
}

/// The length of one axis: `constant + sum of factor * dim`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Extent {
    /// The part that is known.
    pub constant: u64,
    /// Symbolic row counts with their factors, by ascending dim, factors above zero.
    pub terms: Vec<(DimId, u64)>,
}

impl Extent {
    /// A known length.
    #[must_use]
    pub fn fixed(n: u64) -> Self {
        Extent { constant: n, terms: Vec::new() }
    }

    /// A symbolic row count.
    #[must_use]
    pub fn rows(dim: DimId) -> Self {
        Extent { constant: 0, terms: vec![(dim, 1)] }
    }

    /// The length if it is known when the program is built.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The length when dim `d` has `rows[d]` rows. `None` on overflow.
    #[must_use]
    pub fn bound(&self, rows: &[u64]) -> Option<u64> {
        self.terms.iter().try_fold(self.constant, |sum, (dim, factor)| {
            sum.checked_add(rows[dim.0 as usize].checked_mul(*factor)?)
        })
    }
}

impl From<u64> for Extent {
    fn from(n: u64) -> Self {
        Extent::fixed(n)
    }
}

impl From<DimId> for Extent {
    fn from(dim: DimId) -> Self {
        Extent::rows(dim)
    }
}

impl std::ops::Add for Extent {
    type Output = Extent;
    fn add(mut self, other: Extent) -> Extent {
        self.constant = self.constant.saturating_add(other.constant);
        for (dim, factor) in other.terms {
            match self.terms.binary_search_by_key(&dim, |t| t.0) {
                Ok(at) => self.terms[at].1 = self.terms[at].1.saturating_add(factor),
                Err(at) => self.terms.insert(at, (dim, factor)),
            }
        }
        self
    }
}

/// Lengths of the axes, outermost first; none for a single element. Arrays are row-major.
pub type Shape = Vec<Extent>;

/// Who may see a value while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Everybody may see it.
    Public,
    /// One party may see it, and computes on it alone, in the clear.
    Private(PartyId),
    /// Nobody may see it.
    Secret,
}

impl Visibility {
    /// The visibility of what is computed from two values.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Visibility::Public, v) | (v, Visibility::Public) => v,
            (a, b) if a == b => a,
            _ => Visibility::Secret,
        }
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The type of each element.
    pub element: Element,
    /// Lengths of the axes.
    pub shape: Shape,
    /// The parties that may see it.
    pub visibility: Visibility,
    /// The interval of all its raw values, within the element's own interval.
    pub interval: Interval,
}
