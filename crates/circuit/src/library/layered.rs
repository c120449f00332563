//! Circuits that compute nothing in particular, with exactly so many ANDs in exactly so many levels: to measure what
//! size and depth cost.

use crate::{Builder, Circuit, Wire};
use std::collections::HashSet;

/// What such a circuit has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// ANDs of two inputs.
    pub ands: usize,
    /// AND depth: from one up to the number of ANDs.
    pub depth: usize,
    /// Bits of each input port; two bits in all at least.
    pub inputs: Vec<u32>,
    /// Bits of the only output port.
    pub outputs: usize,
}

/// Builds a circuit of the given size; equal sizes give equal circuits. Levels have the same number of ANDs, give or
/// take one. Each AND takes a wire of the level before, of which none is left out, and the sum of two wires from
/// anywhere before; outputs are sums of wires of the last level, and if there are too few, others.
///
/// # Panics
/// When there is no such circuit: without levels, with fewer ANDs than levels, or with too few wires to combine.
#[must_use]
pub fn circuit(size: &Size) -> Circuit {
    let Size { ands, depth, .. } = *size;
    assert!(0 < depth && depth <= ands, "there are as many ANDs as levels at least");
    let mut b = Builder::new();
    let mut before: Vec<Wire> = size.inputs.iter().flat_map(|width| b.input(*width)).collect();
    let (mut last, mut random) = (before.clone(), Random(0));
    for level in 0..depth {
        let count = ands * (level + 1) / depth - ands * level / depth;
        let new = self::level(&mut b, &mut random, (&last, &before), count);
        before.extend(&new);
        last = unused(&mut b, last, new, count);
    }
    let outputs = (0..size.outputs).map(|output| {
        let wires: Vec<Wire> = last.iter().skip(output).step_by(size.outputs).copied().collect();
        let sum = b.xor_all(&wires);
        if wires.is_empty() { random.one(&before) } else { sum }
    });
    let outputs: Vec<Wire> = outputs.collect();
    b.output(&outputs);
    b.finish()
}

/// So many ANDs of the last level's wires, in turn, and sums of two from anywhere.
fn level(
    b: &mut Builder,
    random: &mut Random,
    (last, before): (&[Wire], &[Wire]),
    count: usize,
) -> Vec<Wire> {
    let mut seen = HashSet::new();
    let mut ands = Vec::with_capacity(count);
    let mut tries = 0;
    while ands.len() < count {
        let sum = b.xor(random.one(before), random.one(before));
        let wires = b.wire_count();
        let and = b.and2(last[ands.len() % last.len()], sum);
        tries += 1;
        assert!(tries < 100 * (count + 100), "too few wires to combine");
        // Neither a constant, nor one of the wires, nor an AND that there was.
        if b.wire_count() > wires && seen.insert(and) {
            ands.push(and);
        }
    }
    ands
}

/// The new level's wires, to each of which one of the last level is added that no AND has taken in.
fn unused(b: &mut Builder, last: Vec<Wire>, mut new: Vec<Wire>, count: usize) -> Vec<Wire> {
    for (index, wire) in last.into_iter().skip(count).enumerate() {
        let place = index % new.len();
        new[place] = b.xor(new[place], wire);
    }
    new
}

/// Steele, Lea and Flood's SplitMix64, enough to scatter wires.
struct Random(u64);

impl Random {
    fn one(&mut self, wires: &[Wire]) -> Wire {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        wires[((word ^ (word >> 31)) % wires.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes;

    #[test]
    fn sizes_are_exact_and_nothing_can_be_left_out() {
        for (ands, depth, parties, outputs) in [
            (1, 1, 1, 1),
            (1000, 10, 3, 256),
            (1000, 1000, 2, 1),
            (999, 100, 2, 16),
            (50, 7, 13, 3),
        ] {
            let size = Size { ands, depth, inputs: vec![64; parties], outputs };
            let whole = circuit(&size);
            let folded = passes::lower(&passes::fold(&whole), 2);
            for stats in [whole.stats(), folded.stats()] {
                assert_eq!(stats.and_count(), ands as u64, "{size:?}");
                assert_eq!(stats.and_depth as usize, depth, "{size:?}");
            }
            assert_eq!(whole.output_bits(), outputs);
            assert_eq!(whole, circuit(&size));
        }
    }
}
