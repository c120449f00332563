//! Every backend against FIPS 197 and against the `aes` crate block by block.

use super::*;
use crate::stream::StreamIds;
use crate::word::Z2;
use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;

/// `len` bytes from block `position`, one block at a time.
fn reference(key: &[u8; 16], stream: u64, position: u64, len: usize) -> Vec<u8> {
    let aes = Aes128::new(&Array(*key));
    let mut out = Vec::new();
    for i in 0..len.div_ceil(BLOCK) as u64 {
        let address = u128::from(position + i) | u128::from(stream) << 64;
        let mut block = Array(address.to_le_bytes());
        aes.encrypt_block(&mut block);
        out.extend_from_slice(&block);
    }
    out.truncate(len);
    out
}

/// All backends of this CPU; under Miri not the slow one, whose `aes` crate is not ours.
fn backends(key: &[u8; 16]) -> Vec<Prg> {
    let key = Key::from_bytes(*key);
    let prgs = Backend::available().into_iter().skip(usize::from(cfg!(miri)));
    prgs.map(|b| Prg::with_backend(&key, b).expect("available")).collect()
}

#[test]
fn fips_197_appendix_b_and_c() {
    let vectors = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        (
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        ),
    ];
    let bytes = |hex: &str| u128::from_str_radix(hex, 16).unwrap().to_be_bytes();
    for (key, plain, cipher) in vectors {
        let address = u128::from_le_bytes(bytes(plain));
        for prg in backends(&bytes(key)) {
            let mut out = [0; 16];
            prg.fill((address >> 64) as u64, address as u64, &mut out);
            assert_eq!(out, bytes(cipher), "{prg:?}");
        }
    }
}

#[test]
fn all_lengths_and_alignments() {
    let key = [0x5A; 16];
    for prg in backends(&key) {
        for len in (0..1100).chain([4096, 5000, 70_001]) {
            let offset = len % 33;
            let mut buffer = vec![0xEE; offset + len + 17];
            prg.fill(3, 1 << 40, &mut buffer[offset..offset + len]);
            assert_eq!(
                buffer[offset..offset + len],
                reference(&key, 3, 1 << 40, len),
                "{prg:?} {len}"
            );
            let untouched = buffer[..offset].iter().chain(&buffer[offset + len..]);
            assert!(untouched.into_iter().all(|b| *b == 0xEE), "{prg:?} {len}");
        }
    }
}

/// This test is quick under Miri (`make miri`), which checks the kernels' memory accesses and emulates the
/// CPU features that the machine lacks.
#[test]
fn a_block_does_not_depend_on_its_neighbours() {
    let ends = [0, 1, 16, 31, 32, 33, 63, 64, 65, 128, 255, 256, 511, 512, 513, 1024 + 512 + 95];
    for prg in backends(&[0xC3; 16]) {
        for position in [0, (1 << 32) - 3, u64::MAX - 120] {
            let mut single = vec![0; ends[ends.len() - 1]];
            for (p, block) in (position..).zip(single.chunks_mut(BLOCK)) {
                prg.fill(5, p, block);
            }
            for len in ends {
                let mut out = vec![0; len];
                prg.fill(5, position, &mut out);
                assert_eq!(out, single[..len], "{prg:?} {position} {len}");
            }
        }
    }
}

#[test]
fn counters_carry_within_64_bits_and_reach_the_last_block() {
    let key = [7; 16];
    let positions = [(1u64 << 32) - 5, (1 << 63) - 5, u64::MAX - 100];
    for prg in backends(&key) {
        for position in positions {
            for stream in [0, 1, u64::MAX] {
                let mut out = vec![0; 100 * BLOCK];
                prg.fill(stream, position, &mut out);
                assert_eq!(out, reference(&key, stream, position, out.len()), "{prg:?} {position}");
            }
        }
    }
}

#[test]
fn beyond_the_last_block_fails_loudly() {
    for prg in backends(&[1; 16]) {
        let mut out = [0; 33];
        prg.fill(0, u64::MAX - 3, &mut out);
        prg.fill(0, u64::MAX, &mut []);
        let too_far = std::panic::AssertUnwindSafe(|| prg.fill(0, u64::MAX - 2, &mut [0; 33]));
        assert!(std::panic::catch_unwind(too_far).is_err());
        let mut cursor = PrgStream { prg: &prg, stream: 0, position: u64::MAX - 1 };
        cursor.fill(&mut [0u8; 16]);
        assert_eq!(cursor.position(), u64::MAX);
        let past = std::panic::AssertUnwindSafe(|| cursor.fill(&mut [0u8; 1]));
        assert!(std::panic::catch_unwind(past).is_err());
    }
}

#[test]
fn a_stream_advances_by_whole_blocks() {
    let key = [9; 16];
    let prg = Prg::new(&Key::from_bytes(key));
    let mut ids = StreamIds::new();
    let _ = ids.next();
    let id = ids.next();
    let number = id.number();
    let mut stream = prg.stream(id);
    let mut first = [0u8; 17];
    stream.fill(&mut first);
    assert_eq!(stream.position(), 2);
    stream.fill::<u64>(&mut []);
    assert_eq!(stream.position(), 2);
    let mut second = [Z2(0); 3];
    stream.fill(&mut second);
    assert_eq!(stream.position(), 4);
    assert_eq!(first[..], reference(&key, number, 0, 17));
    assert_eq!(word::bytes(&second), reference(&key, number, 2, 24));
}

#[test]
fn debug_shows_no_key() {
    for prg in backends(&[0xAB; 16]) {
        assert_eq!(format!("{prg:?}"), format!("Prg({})", prg.backend().name()));
    }
}

#[test]
fn throughput_is_positive() {
    assert!(throughput(std::time::Duration::from_millis(1)) > 0.0);
}

proptest! {
    #[test]
    fn backends_agree_with_the_aes_crate(
        key: [u8; 16],
        stream: u64,
        position in 0..u64::MAX - 1000,
        len in 0usize..3000,
        offset in 0usize..64,
    ) {
        let want = reference(&key, stream, position, len);
        for prg in backends(&key) {
            let mut buffer = vec![0; offset + len];
            prg.fill(stream, position, &mut buffer[offset..]);
            prop_assert_eq!(&buffer[offset..], &want[..]);
        }
    }
}
