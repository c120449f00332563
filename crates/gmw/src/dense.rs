//! Few lanes, which leave gaps in words: messages have the lanes alone, one product after the other.

use tacit_ring::Z2;
use zeroize::Zeroizing;

/// Lanes of a word.
pub(super) const WORD: usize = 64;

/// Words of so many products that have one word each, of which so many lanes are used.
pub(super) fn dense_words(products: usize, lanes: usize) -> usize {
    (products * lanes).div_ceil(WORD)
}

/// Takes the lanes of words together, of some lists of them side by side.
pub(super) struct Packing<const LISTS: usize> {
    /// Used lanes of a word, fewer than all.
    pub lanes: usize,
    /// Bits that do not fill a word yet: how many.
    filled: usize,
    rest: Zeroizing<[u64; LISTS]>,
}

impl<const LISTS: usize> Packing<LISTS> {
    pub fn new(lanes: usize) -> Self {
        Packing { lanes, filled: 0, rest: Zeroizing::new([0; LISTS]) }
    }

    /// Adds the lanes of the next word of each list: what fills words then.
    pub fn add(&mut self, words: [u64; LISTS]) -> Option<[u64; LISTS]> {
        let words = words.map(|word| word & ((1 << self.lanes) - 1));
        let both = self.rest.iter_mut().zip(words);
        both.for_each(|(rest, word)| *rest |= word << self.filled);
        self.filled += self.lanes;
        let left = self.filled.checked_sub(WORD)?;
        self.filled = left;
        let next = words.map(|word| word >> (self.lanes - left));
        Some(std::mem::replace(&mut *self.rest, next))
    }

    /// What does not fill a word, if there is any.
    pub fn last(&mut self) -> Option<[u64; LISTS]> {
        let any = std::mem::take(&mut self.filled) > 0;
        any.then(|| std::mem::replace(&mut *self.rest, [0; LISTS]))
    }
}

/// The lanes of words, fewer than all of each, together: in as many words as [`dense_words`] says.
pub(super) fn pack(words: &[Z2], lanes: usize, dense: &mut [Z2]) {
    let mut packing = Packing::new(lanes);
    let mut dense = dense.iter_mut();
    let mut put = |full: Option<[u64; 1]>| {
        if let (Some([word]), Some(to)) = (full, full.and_then(|_| dense.next())) {
            *to = Z2(word);
        }
    };
    words.iter().for_each(|word| put(packing.add([word.0])));
    put(packing.last());
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
        for lanes in 1..64 {
            for words in [1, 2, 63, 64, 65, 200] {
                let given = [(); 2].map(|()| rng.words(words));
                let mut packing = Packing::new(lanes);
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
                    let mut back = vec![Z2(7); words];
                    unpack(&dense, lanes, &mut back);
                    for (word, given) in back.iter().zip(given) {
                        assert_eq!(word.0, given & ((1 << lanes) - 1), "{lanes} lanes");
                    }
                }
            }
        }
    }
}
