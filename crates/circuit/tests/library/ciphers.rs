//! AES and SHA-256 against FIPS vectors and other implementations.

use crate::harness::bytes;
use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use sha2::{Digest, Sha256};
use tacit_circuit::Circuit;
use tacit_circuit::library::aes::{Direction, KeyInput, KeySize, Sbox, circuit, sbox_table};
use tacit_circuit::library::sha256::{self, Additions};
use tacit_circuit::library::{FanIn, Params, build};
use tacit_ring::entropy::Rng;

/// One word per bit from up to 64 byte strings of one length: each byte least
/// significant bit first.
fn lanes(strings: &[Vec<u8>]) -> Vec<u64> {
    (0..8 * strings[0].len())
        .map(|i| {
            strings
                .iter()
                .enumerate()
                .map(|(lane, s)| u64::from(s[i / 8] >> (i % 8) & 1) << lane)
                .sum()
        })
        .collect()
}

fn strings(words: &[u64], count: usize) -> Vec<Vec<u8>> {
    let byte = |lane: usize, bits: &[u64]| {
        bits.iter().enumerate().map(|(i, w)| ((w >> lane & 1) as u8) << i).sum()
    };
    (0..count).map(|lane| words.chunks(8).map(|bits| byte(lane, bits)).collect()).collect()
}

fn eval(circuit: &Circuit, ports: &[&[Vec<u8>]]) -> Vec<Vec<u8>> {
    let words: Vec<u64> = ports.iter().flat_map(|p| lanes(p)).collect();
    strings(&circuit.eval_lanes(&words), ports[0].len())
}

#[test]
fn sboxes_agree_with_the_definition() {
    let table = sbox_table();
    assert_eq!((table[0], table[0x53], table[0xff]), (0x63, 0xed, 0x16));
    let all: Vec<Vec<u8>> = (0..=255).map(|x| vec![x]).collect();
    for sbox in Sbox::ALL {
        let c = sbox.circuit();
        assert_eq!(c.stats().and_depth, sbox.depth());
        for chunk in all.chunks(64) {
            for (got, x) in eval(&c, &[chunk]).iter().zip(chunk) {
                assert_eq!(got[0], table[x[0] as usize], "{} of {x:?}", sbox.name());
            }
        }
    }
}

fn reference<C: KeyInit + BlockCipherEncrypt>(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut data = Block::<C>::try_from(block).unwrap();
    C::new_from_slice(key).unwrap().encrypt_block(&mut data);
    data.to_vec()
}

fn encrypt_reference(size: KeySize, key: &[u8], block: &[u8]) -> Vec<u8> {
    match size {
        KeySize::Aes128 => reference::<Aes128>(key, block),
        KeySize::Aes192 => reference::<Aes192>(key, block),
        KeySize::Aes256 => reference::<Aes256>(key, block),
    }
}

/// The FIPS 197 example of a key size, then random ones: keys, plaintexts, ciphertexts.
fn vectors(size: KeySize) -> [Vec<Vec<u8>>; 3] {
    let mut random = Rng(197);
    let length = size.bits() as usize / 8;
    let mut keys = vec![(0..length as u8).collect()];
    let mut plain = vec![(0..16).map(|i| i * 0x11).collect()];
    for _ in 0..23 {
        keys.push(bytes(&mut random, length));
        plain.push(bytes(&mut random, 16));
    }
    let cipher: Vec<Vec<u8>> =
        keys.iter().zip(&plain).map(|(k, p)| encrypt_reference(size, k, p)).collect();
    let published = match size {
        KeySize::Aes128 => "69c4e0d86a7b0430d8cdb78070b4c55a",
        KeySize::Aes192 => "dda97ca4864cdfe06eaf70a0ec0d7191",
        KeySize::Aes256 => "8ea2b7ca516745bfeafc49904b496089",
    };
    assert_eq!(cipher[0].iter().map(|b| format!("{b:02x}")).collect::<String>(), published);
    [keys, plain, cipher]
}

#[test]
fn aes_agrees_with_fips_and_the_aes_crate() {
    for size in KeySize::ALL {
        let [keys, plain, cipher] = vectors(size);
        for sbox in Sbox::ALL {
            let c = circuit(size, sbox, Direction::Encrypt, KeyInput::Key);
            assert_eq!(eval(&c, &[&keys, &plain]), cipher, "{size:?} {}", sbox.name());
            assert_eq!(c.stats().and_depth, size.rounds() as u32 * sbox.depth());
        }
    }
}

#[test]
fn round_keys_may_be_expanded_outside_and_decryption_inverts() {
    for size in KeySize::ALL {
        let [keys, plain, cipher] = vectors(size);
        let mut schedule = Params::new();
        schedule.set("key-bits", &size.bits().to_string()).unwrap();
        let round_keys = eval(&build("aes-key-schedule", &schedule).unwrap(), &[&keys]);
        for sbox in Sbox::ALL {
            let forward = circuit(size, sbox, Direction::Encrypt, KeyInput::RoundKeys);
            assert_eq!(eval(&forward, &[&round_keys, &plain]), cipher);
            assert_eq!(forward.stats().and_depth, size.rounds() as u32 * sbox.depth());
            let back = circuit(size, sbox, Direction::Decrypt, KeyInput::RoundKeys);
            assert_eq!(eval(&back, &[&round_keys, &cipher]), plain);
            assert_eq!(back.stats().ands, forward.stats().ands);
        }
        let whole = circuit(size, Sbox::D3, Direction::Decrypt, KeyInput::Key);
        assert_eq!(eval(&whole, &[&keys, &cipher]), plain);
    }
}

/// Hashes messages of one length block by block through the circuit.
fn hash_by_circuit(circuit: &Circuit, messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let padded: Vec<Vec<u8>> = messages.iter().map(|m| pad(m)).collect();
    let start: Vec<u8> = sha256::initial_state().iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut state = vec![start; messages.len()];
    for at in (0..padded[0].len()).step_by(64) {
        let blocks: Vec<Vec<u8>> = padded.iter().map(|m| swap_words(&m[at..at + 64])).collect();
        state = eval(circuit, &[&blocks, &state]);
    }
    state.iter().map(|s| swap_words(s)).collect()
}

fn pad(message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((8 * message.len() as u64).to_be_bytes());
    padded
}

/// Big-endian words of the standard to the circuit's least-significant-first bytes.
fn swap_words(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(4).flat_map(|w| [w[3], w[2], w[1], w[0]]).collect()
}

#[test]
fn sha256_agrees_with_the_sha2_crate() {
    let mut random = Rng(180);
    let forms = [Additions::Ripple].into_iter();
    let forms = forms.chain([FanIn::TWO, FanIn::FOUR, FanIn::EIGHT].map(Additions::LowDepth));
    for (form, length) in forms.zip([200, 3, 119, 64]) {
        let circuit = sha256::circuit(form);
        let messages: Vec<Vec<u8>> = (0..16).map(|_| bytes(&mut random, length)).collect();
        let expected: Vec<Vec<u8>> = messages.iter().map(|m| Sha256::digest(m).to_vec()).collect();
        assert_eq!(hash_by_circuit(&circuit, &messages), expected, "{form:?}, {length} bytes");
    }
}
