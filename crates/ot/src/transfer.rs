//! Oblivious transfer of blocks and of bits, from correlated OT: random pads, exchanged choices, chosen
//! messages.
//!
//! From transfers with `t = q ^ x Delta` the sender has two pads of each, `H(q, i)` and `H(q ^ Delta, i)`, the
//! receiver the one it chose, `H(t, i)`, with the number `i` of the transfer. With `p_0`, `p_1` the pads:
//!
//! ```text
//! choices     the receiver wants c and has x:  sends e = c ^ x, the sender exchanges its pads where e is one
//! messages    the sender sends m_0 ^ p_0 and m_1 ^ p_1, the receiver takes off p_x
//! ```
//!
//! Everything here is used once, by taking it: pads hide one pair of messages, and choices are
//! exchanged once. Secure against parties that follow the protocol.
//!
//! Source: D. Beaver, "Precomputing Oblivious Transfer" (CRYPTO 1995); `H` is `pi(pi(x) ^ i) ^ pi(x)` of C.
//! Guo, J. Katz, X. Wang, Y. Yu (S&P 2020), tweakable circular correlation robust.

use crate::OtError;
use std::sync::Arc;
use tacit_ring::Buffer;
use tacit_ring::prg::Permutation;

/// Makes pads of one stream of transfers. Both sides have one, and give it the same numbers of transfers in
/// the same order.
pub struct Padding {
    pi: Arc<Permutation>,
    /// The stream in the high half, the number of the next transfer in the low one.
    next: u128,
}

impl Padding {
    /// Starts a stream that no other has under this permutation: one for each pair of parties, direction
    /// and Delta.
    #[must_use]
    pub fn new(pi: Arc<Permutation>, stream: u64) -> Self {
        Padding { pi, next: u128::from(stream) << 64 }
    }

    /// Reserves room in the stream for `count` transfers more; gives the number of the first.
    fn reserve(&mut self, count: usize) -> u128 {
        let first = self.next;
        let last = (first as u64).checked_add(count as u64);
        self.next = first >> 64 << 64 | u128::from(last.expect("a stream has 2^64 - 1 transfers"));
        first
    }

    /// Makes the sender's pads, from its blocks `q`.
    ///
    /// # Panics
    /// After 2^64 - 1 transfers.
    #[must_use]
    pub fn sender(&mut self, delta: u128, q: &[u128]) -> Offer {
        let first = self.reserve(q.len());
        let mut pads = [Buffer::from_slice(q), Buffer::from_slice(q)];
        pads[1].iter_mut().for_each(|block| *block ^= delta);
        pads.iter_mut().for_each(|pads| self.pi.hash_tweaked(first, 1, pads));
        Offer { pads }
    }

    /// Makes the receiver's pads, from its blocks `t` and its choices, 64 to a word.
    ///
    /// # Panics
    /// After 2^64 - 1 transfers, and when there are not as many words of choices as blocks need.
    #[must_use]
    pub fn receiver(&mut self, choices: &[u64], t: &[u128]) -> Choice {
        assert_eq!(choices.len(), t.len().div_ceil(64), "a choice for each block");
        let first = self.reserve(t.len());
        let mut pads = Buffer::from_slice(t);
        self.pi.hash_tweaked(first, 1, &mut pads);
        Choice { choices: Buffer::from_slice(choices), pads }
    }
}

/// Gives all ones where the choice is one, else zeros.
#[inline(always)]
fn mask(choices: &[u64], i: usize) -> u128 {
    u128::from(choices[i / 64] >> (i % 64) & 1).wrapping_neg()
}

/// The sender's pads of random transfers of blocks, two of each, which are not used yet.
pub struct Offer {
    pads: [Buffer<u128>; 2],
}

impl Offer {
    /// Gives the pads themselves, by choice: messages that nobody chose.
    #[must_use]
    pub fn random(self) -> [Buffer<u128>; 2] {
        self.pads
    }

    /// Exchanges the pads where the receiver's message asks for it.
    ///
    /// # Errors
    /// When the message has another length.
    pub fn exchanged(mut self, message: &[u64]) -> Result<Self, OtError> {
        let [zeros, ones] = &mut self.pads;
        if message.len() != zeros.len().div_ceil(64) {
            return Err(OtError::Malformed("exchanged choices"));
        }
        for (i, (zero, one)) in zeros.iter_mut().zip(ones.iter_mut()).enumerate() {
            let change = (*zero ^ *one) & mask(message, i);
            *zero ^= change;
            *one ^= change;
        }
        Ok(self)
    }

    /// Gives the message that carries these pairs: two blocks for each transfer.
    ///
    /// # Panics
    /// When there is not a pair for each transfer.
    #[must_use]
    pub fn send(self, pairs: &[[u128; 2]]) -> Vec<[u128; 2]> {
        let [zeros, ones] = &self.pads;
        assert_eq!(pairs.len(), zeros.len(), "a pair for each transfer");
        let pads = zeros.iter().zip(ones.iter());
        pads.zip(pairs).map(|((zero, one), [first, second])| [zero ^ first, one ^ second]).collect()
    }
}

/// The receiver's choices of random transfers of blocks, and the pads chosen, which are not used yet.
pub struct Choice {
    choices: Buffer<u64>,
    pads: Buffer<u128>,
}

impl Choice {
    /// Gives the choices, and the pads themselves.
    #[must_use]
    pub fn random(self) -> (Buffer<u64>, Buffer<u128>) {
        (self.choices, self.pads)
    }

    /// Puts the choices `wanted` in place of the random ones, and gives the message that says which pads to exchange.
    ///
    /// # Panics
    /// When there are not as many words of choices.
    #[must_use]
    pub fn exchange(mut self, wanted: &[u64]) -> (Self, Vec<u64>) {
        let message = exchange(&mut self.choices, wanted);
        (self, message)
    }

    /// Takes the sender's message and gives the chosen blocks.
    ///
    /// # Errors
    /// When the message has another length.
    pub fn receive(mut self, message: &[[u128; 2]]) -> Result<Buffer<u128>, OtError> {
        if message.len() != self.pads.len() {
            return Err(OtError::Malformed("messages of a transfer"));
        }
        for (i, (pad, [zero, one])) in self.pads.iter_mut().zip(message).enumerate() {
            *pad ^= zero ^ (zero ^ one) & mask(&self.choices, i);
        }
        Ok(self.pads)
    }
}

/// Puts `wanted` in place of choices; gives their sum.
fn exchange(choices: &mut [u64], wanted: &[u64]) -> Vec<u64> {
    assert_eq!(choices.len(), wanted.len(), "as many choices");
    let change = |(choice, wanted): (&mut u64, &u64)| std::mem::replace(choice, *wanted) ^ wanted;
    choices.iter_mut().zip(wanted).map(change).collect()
}

/// The sender's pads of random transfers of bits, two of each, 64 to a word, which are not used yet.
pub struct BitOffer {
    pads: [Buffer<u64>; 2],
}

impl BitOffer {
    /// Takes both pads of each transfer.
    ///
    /// # Panics
    /// When they are not as many.
    #[must_use]
    pub fn new(pads: [Buffer<u64>; 2]) -> Self {
        assert_eq!(pads[0].len(), pads[1].len(), "both pads of each");
        BitOffer { pads }
    }

    /// Gives the pads themselves, by choice.
    #[must_use]
    pub fn random(self) -> [Buffer<u64>; 2] {
        self.pads
    }

    /// Exchanges the pads where the receiver's message asks for it.
    ///
    /// # Errors
    /// When the message has another length.
    pub fn exchanged(mut self, message: &[u64]) -> Result<Self, OtError> {
        let [zeros, ones] = &mut self.pads;
        if message.len() != zeros.len() {
            return Err(OtError::Malformed("exchanged choices"));
        }
        for ((zero, one), message) in zeros.iter_mut().zip(ones.iter_mut()).zip(message) {
            let change = (*zero ^ *one) & message;
            *zero ^= change;
            *one ^= change;
        }
        Ok(self)
    }

    /// Gives the message that carries these pairs: a word of each for every word of transfers.
    ///
    /// # Panics
    /// When there is not a pair for each transfer.
    #[must_use]
    pub fn send(self, pairs: [&[u64]; 2]) -> [Vec<u64>; 2] {
        [0, 1].map(|side| {
            assert_eq!(pairs[side].len(), self.pads[side].len(), "a pair for each transfer");
            self.pads[side].iter().zip(pairs[side]).map(|(pad, bits)| pad ^ bits).collect()
        })
    }
}

/// The receiver's choices of random transfers of bits, and the pads chosen, which are not used yet.
pub struct BitChoice {
    choices: Buffer<u64>,
    pads: Buffer<u64>,
}

impl BitChoice {
    /// Takes choices and the pads chosen.
    ///
    /// # Panics
    /// When they are not as many.
    #[must_use]
    pub fn new(choices: Buffer<u64>, pads: Buffer<u64>) -> Self {
        assert_eq!(choices.len(), pads.len(), "a pad for each choice");
        BitChoice { choices, pads }
    }

    /// Gives the choices, and the pads themselves.
    #[must_use]
    pub fn random(self) -> (Buffer<u64>, Buffer<u64>) {
        (self.choices, self.pads)
    }

    /// Puts the choices `wanted` in place of the random ones, and gives the message that says which pads to exchange.
    ///
    /// # Panics
    /// When there are not as many words of choices.
    #[must_use]
    pub fn exchange(mut self, wanted: &[u64]) -> (Self, Vec<u64>) {
        let message = exchange(&mut self.choices, wanted);
        (self, message)
    }

    /// Takes the sender's message and gives the chosen bits.
    ///
    /// # Errors
    /// When the message has another length.
    pub fn receive(mut self, message: [&[u64]; 2]) -> Result<Buffer<u64>, OtError> {
        if message.iter().any(|words| words.len() != self.pads.len()) {
            return Err(OtError::Malformed("messages of a transfer"));
        }
        let [zeros, ones] = message;
        let words = self.pads.iter_mut().zip(&*self.choices).zip(zeros.iter().zip(ones));
        for ((pad, choice), (zero, one)) in words {
            *pad ^= zero ^ (zero ^ one) & choice;
        }
        Ok(self.pads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::{Rng, test_seed};

    const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const COUNT: usize = 200;

    fn blocks(rng: &mut Rng, count: usize) -> Vec<u128> {
        (0..count).map(|_| u128::from(rng.word()) << 64 | u128::from(rng.word())).collect()
    }

    /// Random transfers, twice from the same streams.
    fn transfers(rng: &mut Rng) -> [(Offer, Choice, Vec<u64>); 2] {
        let (delta, pi) = (blocks(rng, 1)[0], Arc::new(Permutation::new(KEY)));
        let (mut ours, mut theirs) = (Padding::new(pi.clone(), 3), Padding::new(pi, 3));
        [(); 2].map(|()| {
            let (choices, q) = (rng.words(COUNT.div_ceil(64)), blocks(rng, COUNT));
            let t: Vec<u128> =
                q.iter().enumerate().map(|(i, q)| q ^ delta & mask(&choices, i)).collect();
            (ours.sender(delta, &q), theirs.receiver(&choices, &t), choices)
        })
    }

    #[test]
    fn pads_are_tweaked_by_stream_and_number() {
        let pi = Arc::new(Permutation::new(KEY));
        let block = (1u128 << 127) + 0x1234;
        let mut padding = Padding::new(pi.clone(), 0);
        let offer = padding.sender(5, &[block; 10]);
        let [zeros, ones] = offer.random();
        assert_eq!(hex::encode(zeros[9].to_le_bytes()), "59d65bf58ffc7bf6be4aea36ead9d6c8");
        assert!((1..10).all(|i| zeros[i] != zeros[0] && ones[i] != zeros[i]));
        let (_, next) = padding.receiver(&[0], &[block; 10]).random();
        let (_, other) = Padding::new(pi, 1).receiver(&[0], &[block; 10]).random();
        assert!((0..10).all(|i| next[i] != zeros[i] && other[i] != zeros[i]));
    }

    #[test]
    fn random_pads_are_those_chosen() {
        for (offer, choice, choices) in transfers(&mut Rng(test_seed())) {
            let [zeros, ones] = offer.random();
            let (same, pads) = choice.random();
            assert!(*same == *choices);
            for i in 0..COUNT {
                assert_eq!(pads[i], if mask(&choices, i) == 0 { zeros[i] } else { ones[i] });
                assert_ne!(zeros[i], ones[i]);
            }
        }
    }

    #[test]
    fn the_receiver_gets_the_messages_it_wants_and_no_others() {
        let mut rng = Rng(test_seed());
        for (offer, choice, _) in transfers(&mut rng) {
            let wanted = rng.words(COUNT.div_ceil(64));
            let (first, second) = (blocks(&mut rng, COUNT), blocks(&mut rng, COUNT));
            let pairs: Vec<[u128; 2]> = first.iter().zip(&second).map(|(a, b)| [*a, *b]).collect();
            let (choice, message) = choice.exchange(&wanted);
            let sent = offer.exchanged(&message).unwrap().send(&pairs);
            let other: Vec<u128> = (0..COUNT)
                .map(|i| if mask(&wanted, i) == 0 { sent[i][1] } else { sent[i][0] })
                .collect();
            let got = choice.receive(&sent).unwrap();
            for i in 0..COUNT {
                let [zero, one] = pairs[i];
                let (want, not) = if mask(&wanted, i) == 0 { (zero, one) } else { (one, zero) };
                assert_eq!(got[i], want);
                assert_ne!(other[i] ^ got[i] ^ want, not);
            }
        }
    }

    #[test]
    fn bits_are_transferred_as_blocks_are() {
        let mut rng = Rng(test_seed());
        let [zeros, ones, choices, wanted, first, second] = [(); 6].map(|()| rng.words(9));
        let pads: Vec<u64> =
            (0..9).map(|i| zeros[i] & !choices[i] | ones[i] & choices[i]).collect();
        let [zeros, ones, choices, pads] =
            [&zeros, &ones, &choices, &pads].map(|words| Buffer::from_slice(words));
        let (choice, message) = BitChoice::new(choices, pads).exchange(&wanted);
        let offer = BitOffer::new([zeros, ones]).exchanged(&message).unwrap();
        let [zero, one] = offer.send([&first, &second]);
        let got = choice.receive([&zero, &one]).unwrap();
        for i in 0..9 {
            assert_eq!(got[i], first[i] & !wanted[i] | second[i] & wanted[i]);
        }
    }

    #[test]
    fn messages_of_another_length_are_refused() {
        let mut rng = Rng(test_seed());
        let [(first, choice, _), (second, _, _)] = transfers(&mut rng);
        assert!(first.exchanged(&[0; 3]).is_err() && second.exchanged(&[0; 5]).is_err());
        assert!(choice.receive(&[[0; 2]; COUNT - 1]).is_err());
        let words = || Buffer::zeros(2);
        assert!(BitOffer::new([words(), words()]).exchanged(&[0]).is_err());
        assert!(BitChoice::new(words(), words()).receive([&[0; 2], &[0; 3]]).is_err());
    }
}
