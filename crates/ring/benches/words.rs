//! Loops at each SIMD level, bit matrices, and transcripts.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tacit_ring::hash::{Item, Transcript};
use tacit_ring::simd::{self, Kernel, Level};
use tacit_ring::transpose::{lane_words, pack, transpose, transpose64, unpack};
use tacit_ring::{Word, Z2};

/// The local term of an AND gate: `d ^= a & b`.
struct Gate<'a, W>(&'a [W], &'a [W], &'a mut [W]);

impl<W: Word> Kernel for Gate<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for ((a, b), d) in self.0.iter().zip(self.1).zip(self.2) {
            *d = d.add(a.mul(*b));
        }
    }
}

fn gates<W: Word>(c: &mut Criterion, name: &str) {
    const WORDS: usize = 64;
    let (a, b) = ([W::ONE; WORDS], [W::ONE; WORDS]);
    let mut d = [W::ZERO; WORDS];
    let mut group = c.benchmark_group(format!("gate/{name}"));
    group.throughput(Throughput::Bytes((WORDS * size_of::<W>()) as u64));
    for level in Level::available() {
        group.bench_function(format!("{level:?}"), |bench| {
            bench.iter(|| simd::run_at(level, Gate(black_box(&a), black_box(&b), &mut d)));
        });
    }
    group.bench_function("closure", |bench| {
        bench.iter(|| {
            let (a, b) = (black_box(&a), black_box(&b));
            let d = &mut d;
            simd::vectorize(|| {
                for i in 0..WORDS {
                    d[i] = d[i].add(a[i].mul(b[i]));
                }
            });
        });
    });
    group.finish();
}

fn vectorize(c: &mut Criterion) {
    gates::<Z2>(c, "z2");
    gates::<u32>(c, "u32");
    gates::<u64>(c, "u64");
}

fn packing<W: Word>(c: &mut Criterion, bits: usize) {
    const LANES: usize = 4096;
    let mut values = vec![W::ONE; LANES];
    let mut slices = vec![0; bits * lane_words(LANES)];
    let mut group = c.benchmark_group(format!("bits/{bits}"));
    group.throughput(Throughput::Elements(LANES as u64));
    group.bench_function("pack", |b| b.iter(|| pack(black_box(&values), bits, &mut slices)));
    group.bench_function("unpack", |b| b.iter(|| unpack(black_box(&slices), bits, &mut values)));
    group.finish();
}

fn matrices(c: &mut Criterion) {
    packing::<u8>(c, 8);
    packing::<u16>(c, 16);
    packing::<u32>(c, 32);
    packing::<u64>(c, 64);
    packing::<u128>(c, 128);
    let mut group = c.benchmark_group("transpose");
    group.throughput(Throughput::Bytes(512));
    let mut square = [7u64; 64];
    group.bench_function("64x64", |b| b.iter(|| transpose64(black_box(&mut square))));
    for (rows, cols) in [(128, 128), (128, 1 << 14), (1 << 14, 128), (128, 1 << 20), (1 << 20, 128)]
    {
        let input = vec![7; rows * lane_words(cols)];
        let mut output = vec![0; cols * lane_words(rows)];
        group.throughput(Throughput::Bytes((rows * cols / 8) as u64));
        group.bench_function(format!("{rows}x{cols}"), |b| {
            b.iter(|| transpose(rows, cols, black_box(&input), &mut output));
        });
    }
    group.finish();
}

fn transcripts(c: &mut Criterion) {
    let mut group = c.benchmark_group("transcript");
    for len in [512usize, 64 << 10] {
        let bytes = vec![1; len];
        let mut transcript = Transcript::new(&[b"bench"]);
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(format!("{len}"), |b| {
            b.iter(|| transcript.append(Item { epoch: 0, step: 1, tag: 2 }, black_box(&bytes)));
        });
    }
    group.finish();
}

criterion_group!(benches, vectorize, matrices, transcripts);
criterion_main!(benches);
