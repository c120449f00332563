//! Words: the unit that protocols compute on.

use bytemuck::{Pod, Zeroable};

/// One machine word of lanes.
///
/// [`Z2`] holds 64 elements of Z_2; `u8` to `u128` hold one element of Z_2^k each. All
/// operations are modulo 2^k and lane by lane, and none branches on its operands. Words are
/// sent and hashed in memory order, which is little endian.
///
/// ```
/// use tacit_ring::{Word, Z2};
///
/// assert_eq!(Word::add(200u8, 100), 44); // modulo 2^8
/// assert_eq!(Word::mul(Z2(0b1100), Z2(0b1010)), Z2(0b1000)); // AND, in each of 64 lanes
/// ```
pub trait Word: Pod + PartialEq + Eq + Send + Sync + 'static {
    /// The width `k` of the ring Z_2^k of one element.
    const BITS: u32;
    /// The number of elements in a word.
    const LANES: usize;
    /// The word with zero in every lane.
    const ZERO: Self;
    /// The word with one in every lane.
    const ONE: Self;
    /// Adds lane by lane.
    #[must_use]
    fn add(self, o: Self) -> Self;
    /// Subtracts lane by lane.
    #[must_use]
    fn sub(self, o: Self) -> Self;
    /// Multiplies lane by lane.
    #[must_use]
    fn mul(self, o: Self) -> Self;
    /// Gives the additive inverse in every lane.
    #[must_use]
    fn neg(self) -> Self;
    /// Makes the word whose raw bits are the low bits of `v`.
    fn from_u128(v: u128) -> Self;
    /// Gives the raw bits, zero-extended.
    fn to_u128(self) -> u128;
}

/// Sixty-four elements of Z_2: addition is XOR, multiplication is AND, one is all ones.
///
/// Lane `i` is bit `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Z2(pub u64);

impl zeroize::DefaultIsZeroes for Z2 {}

impl Word for Z2 {
    const BITS: u32 = 1;
    const LANES: usize = 64;
    const ZERO: Self = Z2(0);
    const ONE: Self = Z2(!0);

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Z2(self.0 ^ o.0)
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Z2(self.0 ^ o.0)
    }

    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Z2(self.0 & o.0)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        self
    }

    #[inline(always)]
    fn from_u128(v: u128) -> Self {
        Z2(v as u64)
    }

    #[inline(always)]
    fn to_u128(self) -> u128 {
        u128::from(self.0)
    }
}

macro_rules! integer_words {
    ($($t:ty),*) => {$(
        impl Word for $t {
            const BITS: u32 = <$t>::BITS;
            const LANES: usize = 1;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self.wrapping_add(o)
            }

            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self.wrapping_sub(o)
            }

            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self.wrapping_mul(o)
            }

            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn from_u128(v: u128) -> Self {
                v as $t
            }

            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }
        }
    )*};
}

integer_words!(u8, u16, u32, u64, u128);

/// Gives the words as bytes, in the order in which they are sent and hashed.
#[inline(always)]
#[must_use]
pub fn bytes<W: Word>(words: &[W]) -> &[u8] {
    bytemuck::cast_slice(words)
}

/// Gives the words as bytes to write into.
#[inline(always)]
#[must_use]
pub fn bytes_mut<W: Word>(words: &mut [W]) -> &mut [u8] {
    bytemuck::cast_slice_mut(words)
}

/// Gives the lanes as plain words, as [`crate::transpose`] takes them.
#[inline(always)]
#[must_use]
pub fn lanes(words: &[Z2]) -> &[u64] {
    bytemuck::cast_slice(words)
}

/// Gives words of 64 bits as plain ones.
///
/// # Panics
/// When the words have another size.
#[must_use]
pub fn as_u64<W: Word>(words: &[W]) -> &[u64] {
    bytemuck::cast_slice(words)
}

/// Gives the lanes as plain words to write into.
#[inline(always)]
#[must_use]
pub fn lanes_mut(words: &mut [Z2]) -> &mut [u64] {
    bytemuck::cast_slice_mut(words)
}

/// Copies words from bytes at any alignment; `None` when `bytes` is not a whole number of words.
#[must_use]
pub fn from_bytes<W: Word>(bytes: &[u8]) -> Option<Vec<W>> {
    if !bytes.len().is_multiple_of(size_of::<W>()) {
        return None;
    }
    let mut words = vec![W::ZERO; bytes.len() / size_of::<W>()];
    bytes_mut(&mut words).copy_from_slice(bytes);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks `W` against arithmetic on `u128` modulo 2^BITS.
    fn check_ring<W: Word + std::fmt::Debug>(a: u128, b: u128) {
        let mask = u128::MAX >> (128 - W::BITS);
        let (x, y) = (W::from_u128(a), W::from_u128(b));
        assert_eq!(x.to_u128(), a & mask);
        assert_eq!(x.add(y).to_u128(), a.wrapping_add(b) & mask);
        assert_eq!(x.sub(y).to_u128(), a.wrapping_sub(b) & mask);
        assert_eq!(x.mul(y).to_u128(), a.wrapping_mul(b) & mask);
        assert_eq!(x.neg(), W::ZERO.sub(x));
        assert_eq!(x.mul(W::ONE), x);
        assert_eq!(from_bytes::<W>(bytes(&[x, y])), Some(vec![x, y]));
    }

    proptest! {
        #[test]
        fn integers_are_rings(a: u128, b: u128) {
            check_ring::<u8>(a, b);
            check_ring::<u16>(a, b);
            check_ring::<u32>(a, b);
            check_ring::<u64>(a, b);
            check_ring::<u128>(a, b);
        }

        #[test]
        fn z2_is_bitwise(a: u64, b: u64) {
            let (x, y) = (Z2(a), Z2(b));
            prop_assert_eq!(x.add(y), Z2(a ^ b));
            prop_assert_eq!(x.sub(y), x.add(y));
            prop_assert_eq!(x.mul(y), Z2(a & b));
            prop_assert_eq!(x.neg().add(x), Z2::ZERO);
            prop_assert_eq!(x.mul(Z2::ONE), x);
            prop_assert_eq!(Z2::from_u128(x.to_u128()), x);
        }
    }

    #[test]
    fn bytes_are_little_endian_and_may_be_unaligned() {
        assert_eq!(bytes(&[0x0102_0304u32]), [4, 3, 2, 1]);
        let raw = [9u8, 4, 3, 2, 1];
        assert_eq!(from_bytes::<u32>(&raw[1..]), Some(vec![0x0102_0304]));
        assert_eq!(from_bytes::<u32>(&raw), None);
    }
}
