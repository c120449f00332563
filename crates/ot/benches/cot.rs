//! Correlated OTs, and pads made of them, per second: both sides in one thread.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;
use tacit_ot::silent::{self, Chain, Set, Setting};
use tacit_ot::{FieldBits, Receiver, Receiving, Sender, Sending};
use tacit_ring::prg::Permutation;
use tacit_ring::{Entropy, Seed};
use zeroize::Zeroizing;

const WORDS: usize = 64;

fn pair(fan: FieldBits) -> (Receiver, Sender) {
    let mut entropy = Entropy::system();
    let receiving = Receiving::new([1; 32], fan, &mut entropy).unwrap();
    let delta = Zeroizing::new(0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6979);
    let sending = Sending::new([1; 32], fan, delta, &mut entropy).unwrap();
    let first = *receiving.message();
    let (mut all, second) = receiving.finish(sending.message(), &mut entropy).unwrap();
    let pi = Arc::new(Permutation::new([7; 16]));
    (all.receiver(&pi), sending.finish(&first, &second).unwrap().sender(&pi))
}

fn correlated(c: &mut Criterion) {
    let mut group = c.benchmark_group("cot");
    group.throughput(Throughput::Elements(64 * WORDS as u64));
    let choices = [0x5a5a_1234_9876_ffff; WORDS];
    let [mut pads, mut ones] = [[0; WORDS]; 2];
    for fan in FieldBits::ALL {
        let (mut receiver, mut sender) = pair(fan);
        let mut message = vec![0; receiver.message_words(WORDS)];
        let id = |name| BenchmarkId::new(name, format!("{} bits", fan.message_bits()));
        group.bench_function(id("receiver"), |b| {
            b.iter(|| receiver.correlate(&choices, &mut message).unwrap().len());
        });
        group.bench_function(id("sender"), |b| {
            b.iter(|| sender.correlate(WORDS, &message).unwrap().len());
        });
        group.bench_function(id("receiver, one-bit pads"), |b| {
            b.iter(|| receiver.bits(&choices, &mut message, &mut pads).unwrap());
        });
        group.bench_function(id("sender, one-bit pads"), |b| {
            b.iter(|| sender.bits(&message, [&mut pads, &mut ones]).unwrap());
        });
    }
    group.finish();
}

/// Transfers of silent correlated OT that are made together.
const SILENT: usize = 1 << 16;

/// Both sides, with all rounds that come up; messages that the receiver gets are made up.
fn silently(c: &mut Criterion) {
    let mut group = c.benchmark_group("silent cot");
    group.throughput(Throughput::Elements(SILENT as u64));
    let seed = Seed::random().unwrap();
    let mut out = vec![0; SILENT];
    for set in Set::ALL {
        let (mut below, mut above) = pair(FieldBits::Four);
        let setting = Setting::new(Chain::new(set), b"session");
        let (mut receiver, start) = silent::Receiver::new(&setting, &mut below, &seed).unwrap();
        let mut sender = silent::Sender::new(&setting, &mut above, &start, &seed).unwrap();
        let bits = 128 * set.trees() * set.depth();
        let bits = bits as f64 / (set.given() * set.leaves()) as f64;
        let id = |name| BenchmarkId::new(name, format!("{set:?}, {bits:.2} bits"));
        group.bench_function(id("receiver"), |b| {
            b.iter(|| {
                let message = vec![7; receiver.message_blocks(SILENT)];
                receiver.correlate(&message, &mut out).unwrap();
            });
        });
        group.bench_function(id("sender"), |b| {
            b.iter(|| {
                let mut message = vec![0; sender.message_blocks(SILENT)];
                sender.correlate(&mut message, &mut out).unwrap();
            });
        });
    }
    group.finish();
}

criterion_group!(benches, correlated, silently);
criterion_main!(benches);
