//! Sums of products with AVX-512: four products at a time. Twin: those in [`super`], one by one.
#![allow(unsafe_code)]

use super::Wide;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// Elements of a register.
const LANES: usize = 4;

/// What this module needs was found: only [`Found::detect`] makes one.
#[derive(Clone, Copy)]
pub(super) struct Found(());

impl Found {
    pub(super) fn detect() -> Option<Found> {
        (has!("avx512f") && has!("vpclmulqdq")).then_some(Found(()))
    }

    /// Adds the products of each factor and its list of blocks to the sums, as far as there are whole registers of
    /// sums; gives how far. All lists, one behind the other, are as long as the sums.
    pub(super) fn add(self, by: &[u128], blocks: &[u128], sums: &mut [Vec<u128>; 3]) -> usize {
        let count = sums[0].len();
        assert!(sums.iter().all(|part| part.len() == count) && blocks.len() == by.len() * count);
        // SAFETY: this CPU has the features.
        unsafe { add(by, blocks, sums) }
        count - count % LANES
    }

    /// The sum of products, as far as there are whole registers of them; and how far.
    pub(super) fn inner_product(self, a: &[u128], b: &[u128]) -> (Wide, usize) {
        // SAFETY: this CPU has the features.
        let [low, middle, high] = unsafe { inner_product(a.as_chunks().0, b.as_chunks().0) };
        let sum = |parts: [u128; LANES]| parts.iter().fold(0, |sum, part| sum ^ part);
        (Wide([sum(low), sum(middle), sum(high)]), a.len() - a.len() % LANES)
    }
}

#[derive(Clone, Copy)]
struct Sum([__m512i; 3]);

#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn add_products(Sum([low, middle, high]): Sum, a: __m512i, b: __m512i) -> Sum {
    /// The sum of three.
    const XOR: i32 = 0x96;
    let cross = [_mm512_clmulepi64_epi128::<0x01>(a, b), _mm512_clmulepi64_epi128::<0x10>(a, b)];
    Sum([
        _mm512_xor_si512(low, _mm512_clmulepi64_epi128::<0x00>(a, b)),
        _mm512_ternarylogic_epi64::<XOR>(middle, cross[0], cross[1]),
        _mm512_xor_si512(high, _mm512_clmulepi64_epi128::<0x11>(a, b)),
    ])
}

#[target_feature(enable = "avx512f,vpclmulqdq")]
fn add(by: &[u128], blocks: &[u128], sums: &mut [Vec<u128>; 3]) {
    let count = sums[0].len();
    let [low, middle, high] = sums.each_mut().map(|part| part.as_chunks_mut::<LANES>().0);
    for (i, ((low, middle), high)) in low.iter_mut().zip(middle).zip(high).enumerate() {
        let mut sum = Sum([load(low), load(middle), load(high)]);
        for (by, list) in by.iter().zip(blocks.chunks_exact(count)) {
            // SAFETY: the same size, of plain data.
            let by = _mm512_broadcast_i32x4(unsafe { std::mem::transmute::<u128, __m128i>(*by) });
            sum = add_products(sum, by, load(&list.as_chunks().0[i]));
        }
        store(low, sum.0[0]);
        store(middle, sum.0[1]);
        store(high, sum.0[2]);
    }
}

#[target_feature(enable = "avx512f,vpclmulqdq")]
fn inner_product(a: &[[u128; LANES]], b: &[[u128; LANES]]) -> [[u128; LANES]; 3] {
    // Two sums, of which one need not wait for the other.
    let mut sums = [Sum([_mm512_setzero_si512(); 3]); 2];
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        sums[i % 2] = add_products(sums[i % 2], load(a), load(b));
    }
    let mut parts = [[0; LANES]; 3];
    for (part, (even, odd)) in parts.iter_mut().zip(sums[0].0.into_iter().zip(sums[1].0)) {
        store(part, _mm512_xor_si512(even, odd));
    }
    parts
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(blocks: &[u128; LANES]) -> __m512i {
    // SAFETY: sixty-four readable bytes at any alignment.
    unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(blocks: &mut [u128; LANES], value: __m512i) {
    // SAFETY: sixty-four writable bytes at any alignment.
    unsafe { _mm512_storeu_si512(blocks.as_mut_ptr().cast(), value) }
}
