//! Key schedule and rounds over wires.

use super::super::bits;
use super::field::multiply;
use super::{KeySize, Sbox};
use crate::{Builder, Circuit, Wire};

/// Eight wires, least significant first.
type Byte = Vec<Wire>;

/// What the circuit does with the block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What the first input holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum KeyInput {
    /// The key; the circuit expands it.
    Key,
    /// All round keys, expanded by their owner: no S-box is spent on them.
    RoundKeys,
}

/// AES as a circuit: ports key and block, output block.
pub fn circuit(size: KeySize, sbox: Sbox, direction: Direction, key: KeyInput) -> Circuit {
    let mut b = Builder::new();
    let sbox = sbox.circuit();
    let round_keys = match key {
        KeyInput::Key => {
            let key = b.input(size.bits());
            expand_key(&mut b, size, &sbox, &key)
        }
        KeyInput::RoundKeys => b.input(size.expanded_bits()),
    };
    let block = b.input(128);
    let result = match direction {
        Direction::Encrypt => encrypt(&mut b, size, &sbox, &round_keys, &block),
        Direction::Decrypt => decrypt(&mut b, size, &sbox, &round_keys, &block),
    };
    b.output(&result);
    b.finish()
}

fn bytes(wires: &[Wire]) -> Vec<Byte> {
    wires.chunks(8).map(<[Wire]>::to_vec).collect()
}

fn substitute(b: &mut Builder, sbox: &Circuit, byte: &Byte) -> Byte {
    b.append(sbox, std::slice::from_ref(byte)).remove(0)
}

fn add(b: &mut Builder, state: &[Byte], key: &[Byte]) -> Vec<Byte> {
    state.iter().zip(key).map(|(x, y)| bits::xor(b, x, y)).collect()
}

fn add_constant(b: &mut Builder, byte: &Byte, value: u8) -> Byte {
    byte.iter().enumerate().map(|(i, &w)| if value >> i & 1 == 1 { b.not(w) } else { w }).collect()
}

/// The key schedule: all round keys, in order.
///
/// # Panics
/// If the key has not `size.bits()` bits.
pub fn expand_key(b: &mut Builder, size: KeySize, sbox: &Circuit, key: &[Wire]) -> Vec<Wire> {
    assert_eq!(key.len(), size.bits() as usize, "key bits");
    let words = size.words();
    let mut schedule: Vec<Vec<Byte>> = bytes(key).chunks(4).map(<[Byte]>::to_vec).collect();
    let mut constant = 1;
    for i in words..4 * (size.rounds() + 1) {
        let mut word = schedule[i - 1].clone();
        if i % words == 0 {
            word.rotate_left(1);
            word = word.iter().map(|x| substitute(b, sbox, x)).collect();
            word[0] = add_constant(b, &word[0], constant);
            constant = multiply(constant, 2);
        } else if words == 8 && i % words == 4 {
            word = word.iter().map(|x| substitute(b, sbox, x)).collect();
        }
        let next = add(b, &schedule[i - words], &word);
        schedule.push(next);
    }
    schedule.into_iter().flatten().flatten().collect()
}

/// Round keys as bytes, 16 per round.
fn round_keys(size: KeySize, wires: &[Wire], block: &[Wire]) -> Vec<Vec<Byte>> {
    assert_eq!(wires.len(), size.expanded_bits() as usize, "round key bits");
    assert_eq!(block.len(), 128, "block bits");
    bytes(wires).chunks(16).map(<[Byte]>::to_vec).collect()
}

/// Encrypts one block under expanded round keys.
///
/// # Panics
/// If `keys` has not `size.expanded_bits()` wires, or `block` not 128.
pub fn encrypt(
    b: &mut Builder,
    size: KeySize,
    sbox: &Circuit,
    keys: &[Wire],
    block: &[Wire],
) -> Vec<Wire> {
    let keys = round_keys(size, keys, block);
    let mut state = add(b, &bytes(block), &keys[0]);
    for (round, key) in keys.iter().enumerate().skip(1) {
        let substituted: Vec<Byte> = state.iter().map(|x| substitute(b, sbox, x)).collect();
        // Row i of the state (byte i of each column) moves i columns to the left.
        state = (0..16).map(|i| substituted[(i + 4 * (i % 4)) % 16].clone()).collect();
        if round < size.rounds() {
            state = state.chunks(4).flat_map(|column| mix(b, column)).collect();
        }
        state = add(b, &state, key);
    }
    state.concat()
}

/// Decrypts one block under the round keys of encryption.
///
/// The inverse S-box is the S-box between two linear maps, since both are the same
/// inversion of GF(2^8): it costs the same ANDs.
///
/// # Panics
/// If `keys` has not `size.expanded_bits()` wires, or `block` not 128.
pub fn decrypt(
    b: &mut Builder,
    size: KeySize,
    sbox: &Circuit,
    keys: &[Wire],
    block: &[Wire],
) -> Vec<Wire> {
    let keys = round_keys(size, keys, block);
    let mut state = add(b, &bytes(block), &keys[size.rounds()]);
    for round in (0..size.rounds()).rev() {
        state = (0..16).map(|i| state[(i + 12 * (i % 4)) % 16].clone()).collect();
        state = state.iter().map(|x| substitute_back(b, sbox, x)).collect();
        state = add(b, &state, &keys[round]);
        if round > 0 {
            state = state.chunks(4).flat_map(|column| unmix(b, column)).collect();
        }
    }
    state.concat()
}

/// `S^-1(y) = L^-1(S(L^-1(y + 0x63)) + 0x63)` where `S(x) = L(1/x) + 0x63`.
fn substitute_back(b: &mut Builder, sbox: &Circuit, byte: &Byte) -> Byte {
    let inner = undo_affine(b, byte);
    let image = substitute(b, sbox, &inner);
    undo_affine(b, &image)
}

fn undo_affine(b: &mut Builder, byte: &Byte) -> Byte {
    let y = add_constant(b, byte, 0x63);
    (0..8).map(|i| b.xor_all(&[y[(i + 2) % 8], y[(i + 5) % 8], y[(i + 7) % 8]])).collect()
}

/// MixColumns on one column: with its total T, byte i becomes `2 (v_i + v_i+1) + T + v_i`.
fn mix(b: &mut Builder, column: &[Byte]) -> Vec<Byte> {
    let total: Byte = (0..8)
        .map(|i| b.xor_all(&[column[0][i], column[1][i], column[2][i], column[3][i]]))
        .collect();
    (0..4)
        .map(|q| {
            let pair = bits::xor(b, &column[q], &column[(q + 1) % 4]);
            let doubled = double(b, &pair);
            (0..8).map(|i| b.xor_all(&[doubled[i], total[i], column[q][i]])).collect()
        })
        .collect()
}

/// The inverse of [`mix`]: add `4 (v_i + v_i+2)` to byte i, then mix.
fn unmix(b: &mut Builder, column: &[Byte]) -> Vec<Byte> {
    let corrected: Vec<Byte> = (0..4)
        .map(|q| {
            let pair = bits::xor(b, &column[q], &column[(q + 2) % 4]);
            let doubled = double(b, &pair);
            let quadrupled = double(b, &doubled);
            bits::xor(b, &column[q], &quadrupled)
        })
        .collect();
    mix(b, &corrected)
}

/// Multiplication by 2 in GF(2^8).
fn double(b: &mut Builder, byte: &Byte) -> Byte {
    let mut doubled = byte.clone();
    doubled.rotate_right(1);
    for i in [1, 3, 4] {
        doubled[i] = b.xor(doubled[i], byte[7]);
    }
    doubled
}
