//! Ten million gates fit in 1 GB, the builder's hash table included. Alone in its process.

mod common;

use tacit_circuit::{Builder, Wire};
use tacit_ring::entropy::Rng;

/// Peak resident memory of this process in bytes, where the system tells.
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

#[test]
fn ten_million_gates() {
    const GATES: usize = 10_000_000;
    let mut rng = Rng(9);
    let mut b = Builder::new();
    let mut recent: Vec<Wire> = b.input(1024);
    while b.wire_count() < GATES {
        let (x, y) = (recent[rng.below(1024)], recent[rng.below(1024)]);
        let w = match rng.below(8) {
            0 => b.and(&[x, y, recent[rng.below(1024)]]),
            1..=3 => b.and2(x, y),
            _ => b.xor(x, y),
        };
        if w.index() + 1 == b.wire_count() {
            // new: constants and repetitions would spread
            recent[rng.below(1024)] = w;
        }
    }
    let held = b.heap_bytes();
    b.output(&recent);
    let c = b.finish();
    println!(
        "builder {held} bytes, circuit {} bytes, {} wires, peak {:?}",
        c.heap_bytes(),
        c.wire_count(),
        peak_rss()
    );
    assert!(c.wire_count() > GATES / 4);
    assert!(held < 500_000_000 && c.heap_bytes() < 200_000_000);
    let Some(peak) = peak_rss() else {
        println!("SKIP: no /proc/self/status");
        return;
    };
    assert!(peak < 1_000_000_000, "peak of {peak} bytes");
}
