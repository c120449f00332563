//! Arrays in messages, and arithmetic of pieces.

use crate::circuit::EvaluateError;
use tacit_backend::{Kind, Ring, Values};
use tacit_net::{Mesh, PartyId, Stream};
use zeroize::Zeroizing;

fn bits_of(kind: Kind) -> u32 {
    match kind {
        Kind::Bits => 1,
        Kind::Ring(ring) => ring.bits(),
    }
}

/// Whether arrays of this kind are added by exclusive or.
pub(super) fn is_held_as_bits(kind: Kind) -> bool {
    matches!(kind, Kind::Bits | Kind::Ring(Ring::Bits(_)))
}

/// Bytes of an array in a message: whole bytes per element, but for single bits.
pub(super) fn size(kind: Kind, len: usize) -> usize {
    match kind {
        Kind::Bits => len.div_ceil(8),
        Kind::Ring(ring) => len * ring.bits().div_ceil(8) as usize,
    }
}

pub(super) fn encode(kind: Kind, values: &[i128]) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; size(kind, values.len())]);
    if kind == Kind::Bits {
        values.iter().enumerate().for_each(|(i, bit)| bytes[i / 8] |= (*bit as u8 & 1) << (i % 8));
        return bytes;
    }
    let each = size(kind, 1);
    for (to, value) in bytes.chunks_exact_mut(each).zip(values) {
        to.copy_from_slice(&value.to_le_bytes()[..each]);
    }
    bytes
}

pub(super) fn decode(kind: Kind, len: usize, bytes: &[u8]) -> Values {
    if kind == Kind::Bits {
        return Values::new((0..len).map(|i| i128::from(bytes[i / 8] >> (i % 8) & 1)).collect());
    }
    let number = |bytes: &[u8]| {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        signed(kind, i128::from_le_bytes(word))
    };
    Values::new(bytes.chunks_exact(size(kind, 1)).map(number).collect())
}

/// A number of the kind's ring, in two's complement; of a bit 0 or 1.
pub(super) fn signed(kind: Kind, value: i128) -> i128 {
    let shift = 128 - bits_of(kind);
    if kind == Kind::Bits { value & 1 } else { value << shift >> shift }
}

/// `a - b`, or of what is held as bits their exclusive or.
pub(super) fn difference(kind: Kind, a: i128, b: i128) -> i128 {
    signed(kind, if is_held_as_bits(kind) { a ^ b } else { a.wrapping_sub(b) })
}

pub(super) fn receive_array(
    mesh: &mut Mesh,
    from: PartyId,
    stream: Stream,
    kind: Kind,
    len: usize,
) -> Result<Values, EvaluateError> {
    let mut bytes = Zeroizing::new(Vec::new());
    let size = size(kind, len);
    bytes
        .try_reserve_exact(size)
        .map_err(|_| EvaluateError::System(format!("no memory for {size} bytes of a party")))?;
    bytes.resize(size, 0);
    mesh.recv(from, stream, &mut bytes)?;
    Ok(decode(kind, len, &bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 5] = [
        Kind::Bits,
        Kind::Ring(Ring::W32),
        Kind::Ring(Ring::W128),
        Kind::Ring(Ring::Bits(5)),
        Kind::Ring(Ring::Bits(17)),
    ];

    #[test]
    fn arrays_survive_messages() {
        for kind in KINDS {
            let values: Vec<i128> = (-9..9).map(|value| signed(kind, value)).collect();
            let bytes = encode(kind, &values);
            assert_eq!(bytes.len(), size(kind, values.len()));
            assert_eq!(*decode(kind, values.len(), &bytes), values, "{kind:?}");
        }
    }
}
