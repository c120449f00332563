//! Half gates on one thread: ANDs garbled and evaluated, eight instances side by side, and what AES alone takes.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tacit_ring::prg::{HalfGate, HalfGates, INSTANCES, Permutation};

const GATES: usize = 128;

fn half_gates(c: &mut Criterion) {
    let place = |wire: usize| wire * INSTANCES;
    let gate = |i: usize| HalfGate { inputs: [place(i), place(i + 1)], to: place(GATES + 1 + i) };
    let gates: Vec<HalfGate> = (0..GATES).map(gate).collect();
    let mut labels: Vec<u128> = (0..place(2 * GATES + 1) as u128).map(|i| i << 64 | i).collect();
    let mut table = vec![0; 2 * INSTANCES * GATES];
    let halves = HalfGates::new([7; 16]);
    let mut tweaks = [0; INSTANCES];
    let mut group = c.benchmark_group("half gates");
    group.throughput(Throughput::Elements((GATES * INSTANCES) as u64));
    group.bench_function("garbled", |b| {
        b.iter(|| {
            tweaks[0] += 1 << 20;
            halves.garble(&tweaks, &gates, 5, black_box(&mut labels), &mut table);
        });
    });
    group.bench_function("evaluated", |b| {
        b.iter(|| {
            tweaks[0] += 1 << 20;
            halves.evaluate(&tweaks, &gates, black_box(&mut labels), &table);
        });
    });
    let pi = Permutation::new([7; 16]);
    let mut blocks = vec![0; GATES * INSTANCES];
    group.bench_function("a block of a fixed key for each", |b| {
        b.iter(|| pi.apply(black_box(&mut blocks)));
    });
    group.finish();
}

criterion_group!(benches, half_gates);
criterion_main!(benches);
