//! Running circuits on integers, 64 lanes at a time.

use tacit_circuit::Circuit;
use tacit_ring::entropy::Rng;

/// A 256-bit output: low and high half.
pub type Wide = (u128, u128);

fn bits(rng: &mut Rng, width: usize) -> u128 {
    (u128::from(rng.word()) << 64 | u128::from(rng.word())) & ones(width)
}

pub fn bytes(rng: &mut Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| rng.word() as u8).collect()
}

/// `width` ones.
pub fn ones(width: usize) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// Evaluates the circuit on each case, one integer of up to 128 bits per input port;
/// returns one integer per output port.
pub fn run(circuit: &Circuit, cases: &[Vec<u128>]) -> Vec<Vec<Wide>> {
    cases.chunks(64).flat_map(|chunk| run_lanes(circuit, chunk)).collect()
}

fn run_lanes(circuit: &Circuit, cases: &[Vec<u128>]) -> Vec<Vec<Wide>> {
    let mut words = Vec::with_capacity(circuit.input_bits());
    for (port, &width) in circuit.input_widths().iter().enumerate() {
        for bit in 0..width {
            words.push(gather(cases.iter().map(|case| case[port] >> bit & 1 == 1)));
        }
    }
    let out = circuit.eval_lanes(&words);
    (0..cases.len()).map(|lane| ports(circuit, &out, lane)).collect()
}

fn gather(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate().map(|(lane, bit)| u64::from(bit) << lane).sum()
}

fn ports(circuit: &Circuit, out: &[u64], lane: usize) -> Vec<Wide> {
    let mut at = 0;
    let mut values = Vec::new();
    for port in circuit.output_ports() {
        let mut value = (0, 0);
        for (bit, word) in out[at..at + port.len()].iter().enumerate() {
            let one = u128::from(word >> lane & 1);
            if bit < 128 { value.0 |= one << bit } else { value.1 |= one << (bit - 128) }
        }
        at += port.len();
        values.push(value);
    }
    values
}

/// Pairs of operands: all of them up to `exhaustive` bits, else extreme, close and random ones.
pub fn operand_pairs(width: usize, exhaustive: usize, random: usize, seed: u64) -> Vec<[u128; 2]> {
    if width <= exhaustive {
        let all = 1u128 << width;
        return (0..all).flat_map(|x| (0..all).map(move |y| [x, y])).collect();
    }
    let mut r = Rng(seed ^ width as u64);
    let (top, half) = (ones(width), 1u128 << (width - 1));
    let extremes = [0, 1, 2, half - 1, half, half | 1, top - 1, top];
    let mut pairs: Vec<[u128; 2]> =
        extremes.iter().flat_map(|&x| extremes.map(|y| [x, y])).collect();
    for i in 0..random {
        let x = bits(&mut r, width);
        let short = 1 + r.word() as usize % width;
        pairs.push(match i % 4 {
            0 => [x, x],
            1 => [x, x ^ (1 << (r.word() as usize % width))],
            2 => [x, bits(&mut r, short)],
            _ => [x, bits(&mut r, width)],
        });
    }
    pairs
}

/// `x * y` as 256 bits.
pub fn product(x: u128, y: u128) -> Wide {
    let mask = u128::from(u64::MAX);
    let (x0, x1, y0, y1) = (x & mask, x >> 64, y & mask, y >> 64);
    let (low, mid1, mid2) = (x0 * y0, x0 * y1, x1 * y0);
    let middle = (low >> 64) + (mid1 & mask) + (mid2 & mask);
    (low & mask | middle << 64, x1 * y1 + (mid1 >> 64) + (mid2 >> 64) + (middle >> 64))
}

/// The low `width` bits of a wide value.
pub fn cut(value: Wide, width: usize) -> Wide {
    if width <= 128 { (value.0 & ones(width), 0) } else { (value.0, value.1 & ones(width - 128)) }
}

/// The value of a two's complement word of up to 127 bits.
pub fn signed(x: u128, width: usize) -> i128 {
    let shift = 128 - width;
    (x << shift) as i128 >> shift
}
