//! Helpers of this crate's tests: seeded randomness, random circuits, published files.
#![allow(dead_code)]

use std::path::PathBuf;

use tacit_circuit::{Builder, Circuit, Poly, Wire};
use tacit_ring::entropy::Rng;

/// What a random circuit may contain.
#[derive(Clone, Copy)]
pub struct Shape {
    pub gates: usize,
    pub fan_in: usize,
    pub polys: bool,
    /// Every so often a constant is an operand.
    pub constants: bool,
}

pub fn random_circuit(rng: &mut Rng, shape: Shape) -> Circuit {
    let mut b = Builder::new();
    let mut wires: Vec<Wire> = Vec::new();
    for _ in 0..1 + rng.below(3) {
        wires.extend(b.input(1 + rng.below(9) as u32));
    }
    if shape.constants {
        wires.push(b.constant(false));
        wires.push(b.constant(true));
    }
    for _ in 0..shape.gates {
        let new = random_gate(&mut b, rng, &wires, shape);
        wires.extend(new);
    }
    for _ in 0..1 + rng.below(3) {
        let port: Vec<Wire> = (0..rng.below(7)).map(|_| pick(rng, &wires)).collect();
        b.output(&port);
    }
    let last: Vec<Wire> = wires.iter().rev().take(4).copied().collect();
    b.output(&last);
    b.finish()
}

/// Recent wires are picked more often, so that circuits get deep.
fn pick(rng: &mut Rng, wires: &[Wire]) -> Wire {
    let near = wires.len().min(12);
    if rng.below(2) == 0 {
        wires[wires.len() - 1 - rng.below(near)]
    } else {
        wires[rng.below(wires.len())]
    }
}

fn random_gate(b: &mut Builder, rng: &mut Rng, wires: &[Wire], shape: Shape) -> Vec<Wire> {
    let x = pick(rng, wires);
    let y = pick(rng, wires);
    match rng.below(if shape.polys { 12 } else { 10 }) {
        0..=3 => vec![b.xor(x, y)],
        4 => vec![b.not(x)],
        5..=7 => vec![b.and2(x, y)],
        8 | 9 => {
            let n = 2 + rng.below(shape.fan_in - 1);
            let xs: Vec<Wire> = (0..n).map(|_| pick(rng, wires)).collect();
            vec![b.and(&xs)]
        }
        _ => {
            let n = 1 + rng.below(6);
            let xs: Vec<Wire> = (0..n).map(|_| pick(rng, wires)).collect();
            let poly = random_poly(rng, n);
            b.poly(&xs, poly)
        }
    }
}

pub fn random_poly(rng: &mut Rng, inputs: usize) -> Poly {
    let outputs = 1 + rng.below(3);
    let product = |rng: &mut Rng| rng.below(1 << inputs) as u16;
    let table = (0..outputs).map(|_| (0..rng.below(6)).map(|_| product(rng)).collect()).collect();
    Poly::new(inputs as u8, table)
}

/// Asserts that two circuits compute the same on random lanes.
pub fn assert_same(a: &Circuit, b: &Circuit, rng: &mut Rng) {
    assert_eq!(a.input_widths(), b.input_widths());
    let widths = |c: &Circuit| c.output_ports().iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(widths(a), widths(b));
    for _ in 0..4 {
        let inputs = rng.words(a.input_bits());
        assert_eq!(a.eval_lanes(&inputs), b.eval_lanes(&inputs));
    }
}

/// A published circuit, or nothing (with a printed line) where the folder is not there.
pub fn published(name: &str) -> Option<PathBuf> {
    let base = std::env::var_os("TACIT_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")));
    let path = base.join("circuits").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("SKIP: {} is not there (set TACIT_SHARED)", path.display());
    None
}

/// The bits of some bytes, each byte least significant bit first.
pub fn bits_le(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|&b| (0..8).map(move |i| b >> i & 1 == 1)).collect()
}

/// The inverse of [`bits_le`].
pub fn bytes_le(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8)
        .map(|c| c.iter().enumerate().fold(0, |b, (i, &x)| b | u8::from(x) << i))
        .collect()
}
