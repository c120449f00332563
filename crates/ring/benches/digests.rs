//! Transcripts beside keyed polynomial hashes over GF(2^128), which a pair with a key could compare
//! in their place (`docs/spec/honest-majority-rings.md` section 1.6).
//!
//! A transcript is one for all roles that compare a word. A keyed hash is one for each pair of them.
#![allow(unsafe_code)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use std::hint::black_box;
use tacit_ring::gf128;
use tacit_ring::hash::{Item, Transcript};

/// Bytes of a message.
const MESSAGES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];
const ITEM: Item = Item { epoch: 0, step: 1, tag: 2 };
/// Blocks that the workspace's own field takes between reductions.
const POWERS: usize = 256;

/// The polynomial of the blocks at the key, as one would write it with the workspace's own field: sums of
/// products with the key's powers, reduced once for [`POWERS`] blocks.
struct Polynomial {
    powers: Vec<u128>,
    value: u128,
}

impl Polynomial {
    fn new(key: u128) -> Self {
        let times = |a: &u128| Some(gf128::inner_product(&[*a], &[key]));
        let mut powers: Vec<u128> = std::iter::successors(Some(key), times).take(POWERS).collect();
        powers.reverse();
        Polynomial { powers, value: 0 }
    }

    fn update(&mut self, blocks: &[u128]) {
        for blocks in blocks.chunks(POWERS) {
            let powers = &self.powers[POWERS - blocks.len()..];
            self.value = gf128::inner_product(&[self.value], &powers[..1])
                ^ gf128::inner_product(blocks, powers);
        }
    }
}

fn transcripts(c: &mut Criterion) {
    let mut group = c.benchmark_group("digest/transcript");
    for len in MESSAGES {
        let bytes = vec![1; len];
        let mut transcript = Transcript::new(&[b"bench"]);
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::from_parameter(len), |b| {
            b.iter(|| transcript.append(ITEM, black_box(&bytes)));
        });
    }
    group.finish();
}

/// One keyed hash, or two under different keys.
fn polyval(c: &mut Criterion, keys: u8) {
    let mut group = c.benchmark_group(format!("digest/polyval/{keys}"));
    for len in MESSAGES {
        let bytes = vec![1; len];
        let hash = |key: u8| Polyval::new(&[key + 3; 16].into());
        let mut hashes: Vec<Polyval> = (0..keys).map(hash).collect();
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::from_parameter(len), |b| {
            b.iter(|| {
                let bytes = black_box(&bytes);
                hashes.iter_mut().for_each(|hash| hash.update_padded(bytes));
            });
        });
        black_box(hashes);
    }
    group.finish();
}

/// Inner products for digests in the workspace's own field of 2^128 elements.
fn own_field(c: &mut Criterion, keys: u128) {
    let mut group = c.benchmark_group(format!("digest/gf128/{keys}"));
    for len in MESSAGES {
        let blocks = vec![1u128; len / size_of::<u128>()];
        let mut hashes: Vec<Polynomial> =
            (0..keys).map(|key| Polynomial::new(3 << 100 | key)).collect();
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::from_parameter(len), |b| {
            b.iter(|| {
                let blocks = black_box(&blocks);
                hashes.iter_mut().for_each(|hash| hash.update(blocks));
            });
        });
        black_box(hashes.iter().map(|hash| hash.value).collect::<Vec<u128>>());
    }
    group.finish();
}

/// [`Polynomial::update`] with products of four blocks at once, as far as sums that are not reduced.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::POWERS;
    use std::arch::x86_64::*;

    /// Whether this CPU has the instructions.
    pub fn found() -> bool {
        std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("vpclmulqdq")
    }

    /// Low, middle and high parts, four of each.
    pub type Sums = [[u64; 8]; 3];

    /// Sums of products of blocks and powers, for one key or several.
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    pub fn sums<const KEYS: usize>(
        blocks: &[u128; POWERS],
        powers: &[[u128; POWERS]; KEYS],
    ) -> [Sums; KEYS] {
        let mut sums = [[_mm512_setzero_si512(); 3]; KEYS];
        for at in (0..POWERS).step_by(4) {
            // SAFETY: four blocks of 16 bytes are there.
            let load = |from: &[u128; POWERS]| unsafe {
                _mm512_loadu_si512(from[at..at + 4].as_ptr().cast())
            };
            let x = load(blocks);
            for (sum, powers) in sums.iter_mut().zip(powers) {
                let y = load(powers);
                let middle = _mm512_xor_si512(
                    _mm512_clmulepi64_epi128::<0x01>(x, y),
                    _mm512_clmulepi64_epi128::<0x10>(x, y),
                );
                sum[0] = _mm512_xor_si512(sum[0], _mm512_clmulepi64_epi128::<0x00>(x, y));
                sum[1] = _mm512_xor_si512(sum[1], middle);
                sum[2] = _mm512_xor_si512(sum[2], _mm512_clmulepi64_epi128::<0x11>(x, y));
            }
        }
        // SAFETY: both are 64 bytes of any content.
        sums.map(|sum| sum.map(|part| unsafe { std::mem::transmute::<__m512i, [u64; 8]>(part) }))
    }
}

/// What a library with such loops could reach: both keys in one pass, reduced once for [`POWERS`] blocks.
#[cfg(target_arch = "x86_64")]
fn wide_products<const KEYS: usize>(c: &mut Criterion) {
    if !wide::found() {
        return;
    }
    let keys: [Polynomial; KEYS] =
        std::array::from_fn(|key| Polynomial::new(3 << 100 | key as u128));
    let powers = keys.each_ref().map(|key| key.powers.as_slice().try_into().expect("as many"));
    // SAFETY: the features were found.
    let sums = |blocks: &[u128; POWERS]| unsafe { wide::sums::<KEYS>(blocks, &powers) };
    let total = |part: &[u64; 8]| {
        let four = part.chunks(2).map(|pair| u128::from(pair[0]) | u128::from(pair[1]) << 64);
        four.fold(0, |sum, block| sum ^ block)
    };
    let reduced = |sums: &wide::Sums| {
        let [low, middle, high] = sums.each_ref().map(total);
        // X^128 is X^7 + X^2 + X + 1.
        low ^ gf128::inner_product(&[middle, high], &[1 << 64, 0x87])
    };
    let random = keys[0].powers.as_slice().try_into().expect("as many");
    for (key, sums) in keys.iter().zip(sums(random)) {
        assert_eq!(reduced(&sums), gf128::inner_product(random, &key.powers));
    }
    let mut group = c.benchmark_group(format!("digest/vpclmulqdq/{KEYS}"));
    for len in MESSAGES {
        let blocks = vec![1u128; len / size_of::<u128>()];
        let mut values = [0; KEYS];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::from_parameter(len), |b| {
            b.iter(|| {
                for blocks in black_box(&blocks).chunks_exact(POWERS) {
                    let sums = sums(blocks.try_into().expect("so many"));
                    for ((value, key), sums) in values.iter_mut().zip(&keys).zip(&sums) {
                        *value = gf128::inner_product(&[*value], &key.powers[..1]) ^ reduced(sums);
                    }
                }
            });
        });
    }
    group.finish();
}

fn keyed(c: &mut Criterion) {
    for keys in [1, 2] {
        polyval(c, keys);
        own_field(c, u128::from(keys));
    }
    #[cfg(target_arch = "x86_64")]
    {
        wide_products::<1>(c);
        wide_products::<2>(c);
    }
}

criterion_group!(benches, transcripts, keyed);
criterion_main!(benches);
