//! Ring elements as bit planes: the two halves of A2B.

use super::masked_party::check;
use super::{Masked, MaskedParty, Seat};
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::party::Draws;
use tacit_sharing::planes::to_planes;

/// Shares of the low `bits` bits of an upper value, known to the pair. Free of three parties; one
/// raise per bit of four.
///
/// # Errors
/// When the network fails.
pub fn upper_bits<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    m: &[W],
    bits: usize,
) -> Result<Masked<Z2>, SharingError> {
    let words = bits * m.len().div_ceil(64);
    let known =
        if masked_party.seat().is_pair() { to_planes(m, bits) } else { Buffer::zeros(words) };
    masked_party.share_upper(draws, known)
}

/// Shares of the low `bits` bits of `n` lower values, known to those that know the masks. One deal
/// per bit.
///
/// # Errors
/// When the network fails.
pub fn lower_bits<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    lambda: &[W],
    n: usize,
    bits: usize,
) -> Result<Masked<Z2>, SharingError> {
    let words = bits * n.div_ceil(64);
    let mut planes = Buffer::default();
    if !masked_party.seat().is_pair() {
        check(lambda.len() == n, "bits of masks")?;
        planes = to_planes(lambda, bits);
    }
    let split = masked_party.deal(draws, &planes, words)?;
    // b = m + x1 + x2 over Z_2 with m = 0, which of four parties needs no mask.
    Ok(match masked_party.seat() {
        Seat::Dealer => Masked::pair(split.first, split.second),
        seat => {
            let x1 = masked_party.keeps_third().then(|| match seat.is_pair() {
                true => Buffer::zeros(words),
                false => split.x1,
            });
            let second = if seat == Seat::First { split.first } else { split.second };
            Masked { third: x1.unwrap_or_default(), ..Masked::pair(Buffer::zeros(words), second) }
        }
    })
}
