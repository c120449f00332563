//! Endemic OT in one round on ristretto255.
//!
//! Source: D. Masny, P. Rindal, "Endemic Oblivious Transfer" (CCS 2019), the Diffie-Hellman form,
//! batched with the care of I. McQuoid, M. Rosulek, L. Roy (Asiacrypt 2021): every hash names the
//! session, the transfer and the branch, so that one message of the sender serves a whole batch.
//!
//! With `H` a hash to the group and `G` its base point, for transfer `k` and choice `c`:
//!
//! ```text
//! sender      a random,  A = a G                                        sends A
//! receiver    r random, R_{1-c} a random element,
//!             R_c = r G - H(sid, k, c, R_{1-c})                         sends R_0, R_1
//! keys        sender K_b = KDF(.., a (R_b + H(sid, k, b, R_{1-b}))),  receiver K_c = KDF(.., r A)
//! ```
//!
//! Either side may choose its own outputs (that is what *endemic* means); all uses here allow it.
//!
//! Elements of messages are encoded all at once, which shares one inversion; what is encoded that way is twice what is
//! given. So scalars here are half of `a` and `r`, and hashes to the group are twice what a map to it gives: as random
//! as it. Elements that keys are made from are encoded one by one, as that leaves no copies of them in memory.

use crate::OtError;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use subtle::{Choice, ConditionallySelectable};
use tacit_ring::{Entropy, Seed, hash};
use zeroize::Zeroizing;

/// The bytes of an encoded group element.
pub const POINT: usize = 32;

/// The bytes that the receiver sends per transfer.
pub const PAIR: usize = 2 * POINT;

/// Expands a hash to sixty-four bytes.
fn wide(context: &'static str, parts: &[&[u8]]) -> Zeroizing<[u8; 64]> {
    let mut out = Zeroizing::new([0; 64]);
    for (half, bytes) in (0u8..).zip(out.as_chunks_mut::<32>().0) {
        let mut all: Vec<&[u8]> = parts.to_vec();
        let half = [half];
        all.push(&half);
        *bytes = hash::derive_key(context, &all);
    }
    out
}

fn random_scalar(seed: &Seed, k: u32) -> Scalar {
    let bytes = wide("tacit 2026 base OT scalar", &[seed.expose(), &k.to_le_bytes()]);
    Scalar::from_bytes_mod_order_wide(&bytes)
}

fn random_point(seed: &Seed, k: u32) -> RistrettoPoint {
    let bytes = wide("tacit 2026 base OT element", &[seed.expose(), &k.to_le_bytes()]);
    RistrettoPoint::from_uniform_bytes(&bytes)
}

/// Encodes twice each of these elements, which are those of messages: their order tells choices.
fn encode_doubles(points: &[RistrettoPoint]) -> Zeroizing<Vec<[u8; POINT]>> {
    let points = Zeroizing::new(RistrettoPoint::double_and_compress_batch(points));
    Zeroizing::new(points.iter().map(|point| point.0).collect())
}

/// Computes half of `H(sid, k, branch, other)`.
fn half_to_group(sid: &[u8; 32], k: u32, branch: u8, other: &[u8; POINT]) -> RistrettoPoint {
    let parts: [&[u8]; 4] = [sid, &k.to_le_bytes(), &[branch], other];
    RistrettoPoint::from_uniform_bytes(&wide("tacit 2026 base OT to group", &parts))
}

/// Decodes an element of the peer, which must not be the neutral one.
fn decode(bytes: &[u8; POINT]) -> Result<RistrettoPoint, OtError> {
    let point = CompressedRistretto(*bytes).decompress();
    point.filter(|point| !point.is_identity()).ok_or(OtError::Malformed("not a group element"))
}

/// The part of a transfer that both sides know.
struct Transcript<'a> {
    sid: &'a [u8; 32],
    from_sender: &'a [u8; POINT],
}

impl Transcript<'_> {
    /// Derives a key from half of the secret that both sides have.
    fn key(&self, k: u32, branch: u8, pair: &[u8; PAIR], half: RistrettoPoint) -> Seed {
        let secret = Zeroizing::new((half + half).compress().to_bytes());
        let parts: [&[u8]; 6] =
            [self.sid, &k.to_le_bytes(), &[branch], self.from_sender, pair, &*secret];
        Seed::from_bytes(hash::derive_key("tacit 2026 base OT key", &parts))
    }
}

/// The sender of a batch of base OTs: it gets both keys of every transfer.
///
/// ```
/// use tacit_ot::base::{BaseReceiver, BaseSender};
/// use tacit_ring::Entropy;
///
/// let (sid, mut entropy) = ([1; 32], Entropy::system());
/// let sender = BaseSender::new(&mut entropy)?;
/// let receiver = BaseReceiver::new(&sid, &[0, 1], &mut entropy)?;
/// let point = *sender.message();
/// let keys = sender.keys(&sid, receiver.message())?;
/// let chosen = receiver.keys(&sid, &point)?;
/// assert!(chosen[0] == keys[0][0] && chosen[1] == keys[1][1]);
/// # Ok::<(), tacit_ot::OtError>(())
/// ```
pub struct BaseSender {
    /// Half of `a`, at a place of its own: where the sender is moved, no copy stays behind.
    secret: Box<Zeroizing<Scalar>>,
    message: [u8; POINT],
}

impl BaseSender {
    #[cfg(test)]
    pub(crate) fn secret(&self) -> &Zeroizing<Scalar> {
        &self.secret
    }

    /// Draws a fresh secret `a`.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(entropy: &mut Entropy) -> Result<Self, OtError> {
        let secret = Box::new(Zeroizing::new(random_scalar(&entropy.seed()?, 0)));
        let point = RistrettoPoint::mul_base(&secret);
        let message = (point + point).compress().to_bytes();
        Ok(BaseSender { secret, message })
    }

    /// Gives the message that the receiver needs.
    #[must_use]
    pub fn message(&self) -> &[u8; POINT] {
        &self.message
    }

    /// Computes both keys of every transfer of session `sid`, from what the receiver sent.
    ///
    /// # Errors
    /// When that is malformed.
    pub fn keys(self, sid: &[u8; 32], received: &[[u8; PAIR]]) -> Result<Vec<[Seed; 2]>, OtError> {
        let transcript = Transcript { sid, from_sender: &self.message };
        let keys = |(k, pair): (u32, &[u8; PAIR])| {
            let halves = pair.as_chunks::<POINT>().0;
            let points = [decode(&halves[0])?, decode(&halves[1])?];
            let key = |branch: u8| {
                let hash = half_to_group(sid, k, branch, &halves[usize::from(1 - branch)]);
                let point = points[usize::from(branch)] + hash + hash;
                transcript.key(k, branch, pair, **self.secret * point)
            };
            Ok([key(0), key(1)])
        };
        (0..).zip(received).map(keys).collect()
    }
}

/// The receiver of a batch of base OTs: it gets the keys of its choices.
pub struct BaseReceiver {
    choices: Zeroizing<Vec<u8>>,
    /// Halves of the secrets `r`.
    secrets: Zeroizing<Vec<Scalar>>,
    message: Vec<[u8; PAIR]>,
}

impl BaseReceiver {
    /// Draws the secrets for session `sid` and choices of 0 or 1, one per transfer.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(sid: &[u8; 32], choices: &[u8], entropy: &mut Entropy) -> Result<Self, OtError> {
        let seed = entropy.seed()?;
        let numbered = || (0u32..).zip(choices);
        let others: Vec<RistrettoPoint> = numbered().map(|(k, _)| random_point(&seed, k)).collect();
        let others = encode_doubles(&Zeroizing::new(others));
        let mut secrets = Zeroizing::new(Vec::with_capacity(choices.len()));
        let mut owns = Zeroizing::new(Vec::with_capacity(choices.len()));
        for ((k, choice), other) in numbered().zip(&*others) {
            let secret = random_scalar(&seed, k);
            let hash = half_to_group(sid, k, *choice, other);
            owns.push(RistrettoPoint::mul_base(&secret) - hash);
            secrets.push(secret);
        }
        let owns = encode_doubles(&owns);
        let mut message = Vec::with_capacity(choices.len());
        for ((choice, other), own) in choices.iter().zip(&*others).zip(&*owns) {
            let mut pair = [0; PAIR];
            for (i, byte) in pair.iter_mut().enumerate() {
                let in_second = Choice::from(u8::from(i >= POINT));
                let chosen = Choice::from(*choice) ^ !in_second;
                *byte = u8::conditional_select(&other[i % POINT], &own[i % POINT], chosen);
            }
            message.push(pair);
        }
        Ok(BaseReceiver { choices: Zeroizing::new(choices.to_vec()), secrets, message })
    }

    /// Gives the message that the sender needs: a pair of elements for each transfer.
    #[must_use]
    pub fn message(&self) -> &[[u8; PAIR]] {
        &self.message
    }

    /// Computes the chosen key of every transfer, from what the sender sent.
    ///
    /// # Errors
    /// When that is malformed.
    pub fn keys(self, sid: &[u8; 32], received: &[u8; POINT]) -> Result<Vec<Seed>, OtError> {
        let transcript = Transcript { sid, from_sender: received };
        let point = RistrettoBasepointTable::create(&decode(received)?);
        let transfers = self.choices.iter().zip(&*self.secrets).zip(&self.message);
        Ok((0..)
            .zip(transfers)
            .map(|(k, ((choice, secret), pair))| transcript.key(k, *choice, pair, secret * &point))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SID: [u8; 32] = [7; 32];

    fn entropies() -> [Entropy; 2] {
        [0, 1].map(|party| Entropy::insecure_seeded(tacit_ring::entropy::test_seed(), party))
    }

    #[test]
    fn the_receiver_gets_the_keys_it_chose_and_no_others() {
        let [mut first, mut second] = entropies();
        let choices = [0, 1, 1, 0, 1];
        let sender = BaseSender::new(&mut first).unwrap();
        let receiver = BaseReceiver::new(&SID, &choices, &mut second).unwrap();
        let (a, pairs) = (*sender.message(), receiver.message().to_vec());
        let both = sender.keys(&SID, &pairs).unwrap();
        let chosen = receiver.keys(&SID, &a).unwrap();
        for ((both, chosen), choice) in both.iter().zip(&chosen).zip(choices) {
            assert!(both[usize::from(choice)] == *chosen);
            assert!(both[usize::from(1 - choice)] != *chosen);
        }
    }

    #[test]
    fn sessions_and_places_have_keys_of_their_own() {
        let [mut first, mut second] = entropies();
        let sender = BaseSender::new(&mut first).unwrap();
        let receiver = BaseReceiver::new(&SID, &[0, 0], &mut second).unwrap();
        let a = *sender.message();
        // The same pair in both places: its keys differ all the same.
        let pair = receiver.message()[0];
        let keys = sender.keys(&SID, &[pair, pair]).unwrap();
        assert!(keys[0][0] != keys[1][0] && keys[0][1] != keys[1][1]);
        // Another session: nobody gets along.
        let other = receiver.keys(&[8; 32], &a).unwrap();
        assert!(keys[0][0] != other[0]);
    }

    #[test]
    fn what_is_no_group_element_is_refused() {
        let [mut first, mut second] = entropies();
        let neutral = [0; POINT];
        let receiver = BaseReceiver::new(&SID, &[1], &mut second).unwrap();
        let mut pairs = receiver.message().to_vec();
        assert!(matches!(receiver.keys(&SID, &neutral), Err(OtError::Malformed(_))));
        for place in [0, POINT] {
            pairs[0][place..place + POINT].fill(0xff);
            let sender = BaseSender::new(&mut first).unwrap();
            assert!(matches!(sender.keys(&SID, &pairs), Err(OtError::Malformed(_))));
        }
    }
}
