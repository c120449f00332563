//! Few lanes, which leave gaps in words: messages have the lanes alone, one product after the other.

use tacit_ring::{Buffer, Z2};
use zeroize::Zeroizing;

/// Lanes of a word.
const WORD: usize = 64;

/// Words of so many products that have one word each, of which so many lanes are used.
pub fn dense_words(products: usize, lanes: usize) -> usize {
    (products * lanes).div_ceil(WORD)
}

/// Takes the lanes of words together.
pub(super) struct Packing {
    /// Used lanes of a word, fewer than all.
    lanes: usize,
    /// Bits that do not fill a word yet: how many.
    filled: usize,
    rest: Zeroizing<[u64; 2]>,
}

impl Packing {
    /// None where words have no gaps, or there are several of each.
    pub fn of(lanes: usize) -> Option<Self> {
        (1..WORD).contains(&lanes).then(|| Packing {
            lanes,
            filled: 0,
            rest: Zeroizing::new([0; 2]),
        })
    }

    /// Adds the lanes of both factors' next words: what fills words then.
    pub fn add(&mut self, factors: [u64; 2]) -> Option<[u64; 2]> {
        let factors = factors.map(|word| word & ((1 << self.lanes) - 1));
        let both = self.rest.iter_mut().zip(factors);
        both.for_each(|(rest, word)| *rest |= word << self.filled);
        self.filled += self.lanes;
        let left = self.filled.checked_sub(WORD)?;
        self.filled = left;
        let next = factors.map(|word| word >> (self.lanes - left));
        Some(std::mem::replace(&mut *self.rest, next))
    }

    /// What does not fill a word, if there is any.
    pub fn last(&mut self) -> Option<[u64; 2]> {
        let any = std::mem::take(&mut self.filled) > 0;
        any.then(|| std::mem::take(&mut *self.rest))
    }

    /// Lanes in words of their own again, so many.
    pub fn unpack(&self, dense: &[Z2], words: usize) -> Buffer<Z2> {
        let mut all = Buffer::zeros(words);
        unpack(dense, self.lanes, &mut all);
        all
    }
}

/// The lanes of words, fewer than all of each, together: in as many words as [`dense_words`] says.
pub(super) fn pack(words: &[Z2], lanes: usize, dense: &mut [Z2]) {
    dense.fill(Z2(0));
    for (i, word) in words.iter().enumerate() {
        let (at, shift) = (i * lanes / WORD, i * lanes % WORD);
        let used = u128::from(word.0 & ((1 << lanes) - 1)) << shift;
        dense[at].0 |= used as u64;
        // Nothing is left where there is no next word.
        if let Some(next) = dense.get_mut(at + 1) {
            next.0 |= (used >> WORD) as u64;
        }
    }
}

/// The other way round.
pub(super) fn unpack(dense: &[Z2], lanes: usize, words: &mut [Z2]) {
    for (i, word) in words.iter_mut().enumerate() {
        let (at, shift) = (i * lanes / WORD, i * lanes % WORD);
        let next = dense.get(at + 1).map_or(0, |next| next.0);
        let both = u128::from(next) << WORD | u128::from(dense[at].0);
        *word = Z2((both >> shift) as u64 & ((1 << lanes) - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::{Rng, test_seed};

    #[test]
    fn lanes_come_back_in_words_of_their_own() {
        let mut rng = Rng(test_seed());
        assert!([0, 64, 65, 128].into_iter().all(|lanes| Packing::of(lanes).is_none()));
        for lanes in 1..64 {
            for words in [1, 2, 63, 64, 65, 200] {
                let given = [(); 2].map(|()| rng.words(words));
                let mut packing = Packing::of(lanes).unwrap();
                let pairs = given[0].iter().zip(&given[1]);
                let mut dense: Vec<[u64; 2]> =
                    pairs.filter_map(|(u, v)| packing.add([*u, *v])).collect();
                dense.extend(packing.last());
                assert_eq!(dense.len(), dense_words(words, lanes));
                assert_eq!(packing.last(), None);
                for (side, given) in given.iter().enumerate() {
                    let dense: Vec<Z2> = dense.iter().map(|both| Z2(both[side])).collect();
                    let mut packed = vec![Z2(7); dense.len()];
                    let whole: Vec<Z2> = given.iter().map(|word| Z2(*word)).collect();
                    pack(&whole, lanes, &mut packed);
                    assert!(packed == dense);
                    let back = packing.unpack(&dense, words);
                    for (word, given) in back.iter().zip(given) {
                        assert_eq!(word.0, given & ((1 << lanes) - 1), "{lanes} lanes");
                    }
                }
            }
        }
    }
}
