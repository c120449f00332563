//! The PRG's backends beside the `aes` crate, into a buffer in the first-level cache.
//!
//! One binary is meant to be fast everywhere. To compare with one built for this machine:
//! `cargo bench -p tacit-ring -- --save-baseline default`, then
//! `RUSTFLAGS=-Ctarget-cpu=native cargo bench -p tacit-ring -- --baseline default`.

use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tacit_ring::prg::{BLOCK, Backend};
use tacit_ring::{Key, Prg};

type Group<'a> = BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// One big fill, and the size of a typical gate batch.
const SIZES: [usize; 2] = [16 << 10, 512];

fn backends(group: &mut Group<'_>, len: usize) {
    let key = Key::from_bytes([1; 16]);
    for backend in Backend::available() {
        let prg = Prg::with_backend(&key, backend).expect("available");
        let mut out = vec![0u8; len];
        let mut position = 0;
        group.bench_function(format!("{}/{len}", backend.name()), |b| {
            b.iter(|| {
                prg.fill(1, position, black_box(&mut out));
                position += (len / BLOCK) as u64;
            });
        });
    }
}

/// Encrypts as many counters in a buffer of the same size by the `aes` crate alone.
fn aes_crate(group: &mut Group<'_>, len: usize) {
    let aes = Aes128::new(&Array([1; 16]));
    let mut out = vec![Block::default(); len / BLOCK];
    let mut position = 0u128;
    group.bench_function(format!("aes-crate/{len}"), |b| {
        b.iter(|| {
            for block in &mut out {
                *block = Array(position.to_le_bytes());
                position += 1;
            }
            aes.encrypt_blocks(black_box(&mut out));
        });
    });
}

fn prg(c: &mut Criterion) {
    let mut group = c.benchmark_group("prg");
    for len in SIZES {
        group.throughput(Throughput::Bytes(len as u64));
        backends(&mut group, len);
        aes_crate(&mut group, len);
    }
    group.finish();
}

criterion_group!(benches, prg);
criterion_main!(benches);
