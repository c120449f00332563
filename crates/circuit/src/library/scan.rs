//! The radix-r Sklansky scan behind adders and prefix comparators, the merge of
//! carry-select blocks, and the search for the cheapest radices.

use super::bits::FanIn;
use crate::{Builder, Wire, gate_bits};
use std::collections::HashMap;

/// One merge of a scan level: position `at` absorbs the last positions of the
/// lower sub-blocks of its block, listed from high to low.
pub(crate) struct Merge {
    pub at: usize,
    pub lower: Vec<usize>,
    /// The block starts at position 0, so nothing below will be merged in later.
    pub final_block: bool,
}

/// The merges of each level of a scan over `count` positions.
///
/// # Panics
/// If the radices do not reach `count` positions.
pub(crate) fn scan_levels(count: usize, radices: &[usize]) -> Vec<Vec<Merge>> {
    let mut stride = 1;
    let mut levels = Vec::with_capacity(radices.len());
    for &radix in radices {
        levels.push((0..count).filter_map(|at| merge_at(at, stride, radix)).collect());
        stride *= radix;
    }
    assert!(stride >= count, "radices {radices:?} do not cover {count} positions");
    levels
}

fn merge_at(at: usize, stride: usize, radix: usize) -> Option<Merge> {
    let sub_block = at / stride % radix;
    let start = at / (stride * radix) * (stride * radix);
    let lower = (1..=sub_block).rev().map(|k| start + k * stride - 1).collect();
    (sub_block > 0).then_some(Merge { at, lower, final_block: start == 0 })
}

/// A block of consecutive positions in the select form (`docs/spec/circuits.md` section 2.4).
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Carry out of the block if the carry into its low end equals `low`.
    pub out: Wire,
    /// Product of the propagates; absent where the block holds position 0.
    pub through: Option<Wire>,
    /// The operand bit (A) of the lowest position.
    pub low: Wire,
}

impl Block {
    /// Position 0: whatever comes in from below the lowest bit.
    pub fn carry_in(wire: Wire) -> Block {
        Block { out: wire, through: None, low: wire }
    }

    /// One bit: its carry out is `operand` unless `propagate` passes the carry in.
    pub fn bit(operand: Wire, propagate: Wire) -> Block {
        Block { out: operand, through: Some(propagate), low: operand }
    }
}

/// Merges adjacent blocks, given from high to low, in one AND level:
/// `V = V_hi + sum of (P_hi ... P_k+1)(A_k+1 + V_k)`.
pub(crate) fn merge_blocks(b: &mut Builder, blocks: &[Block]) -> Block {
    let mut prefix: Vec<Wire> = Vec::with_capacity(blocks.len());
    let mut terms = vec![blocks[0].out];
    for pair in blocks.windows(2) {
        prefix.extend(pair[0].through);
        let differs = b.xor(pair[0].low, pair[1].out);
        prefix.push(differs);
        terms.push(b.and(&prefix));
        prefix.pop();
    }
    let last = blocks[blocks.len() - 1];
    let through = last.through.map(|through| {
        prefix.push(through);
        b.and(&prefix)
    });
    Block { out: b.xor_all(&terms), through, low: last.low }
}

/// Carries into positions 0, 1, ...: the scan of the blocks' carry-outs.
pub(crate) fn scan_blocks(b: &mut Builder, mut blocks: Vec<Block>, radices: &[usize]) -> Vec<Wire> {
    for level in scan_levels(blocks.len(), radices) {
        let merged: Vec<(usize, Block)> = level
            .iter()
            .map(|m| {
                let mut parts = vec![blocks[m.at]];
                parts.extend(m.lower.iter().map(|&i| blocks[i]));
                debug_assert_eq!(m.final_block, parts[parts.len() - 1].through.is_none());
                (m.at, merge_blocks(b, &parts))
            })
            .collect();
        for (at, block) in merged {
            blocks[at] = block;
        }
    }
    blocks.iter().map(|x| x.out).collect()
}

/// Bits of the carry terms of one merge of `parts` blocks (fan-ins 2 to `parts`).
fn carry_bits(parts: usize) -> u64 {
    (2..=parts).map(gate_bits).sum()
}

/// A choice of radices and what it costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Radices {
    /// One radix per level, lowest level first.
    pub radices: Vec<usize>,
    /// Bits per direction (sum of [`gate_bits`]), before constants are folded.
    pub bits: u64,
}

/// The cheapest radices for a select-form scan of `count` positions in `levels`
/// levels, or `None` if that is too few. Cost is closed form, so the search over
/// all tuples is a small dynamic program.
pub fn scan_radices(count: usize, fan_in: FanIn, levels: u32) -> Option<Radices> {
    let cost = |stride: usize, radix: usize| scan_level_bits(count, stride, radix);
    let next = |stride: usize, radix: usize| stride * radix;
    search(fan_in, levels, 1, &|stride| stride >= count, &cost, &next)
}

/// Bits of one scan level: every position above sub-block 0 is merged once, and
/// carries a product unless its block is the first.
fn scan_level_bits(count: usize, stride: usize, radix: usize) -> u64 {
    let block = stride * radix;
    let members = |length: usize, sub: usize| length.saturating_sub(sub * stride).min(stride);
    (1..radix)
        .map(|sub| {
            let all = count / block * stride + members(count % block, sub);
            let first = members(count.min(block), sub);
            all as u64 * carry_bits(sub + 1) + (all - first) as u64 * gate_bits(sub + 1)
        })
        .sum()
}

type Memo = HashMap<(usize, u32), Option<(u64, Vec<usize>)>>;

/// Least total cost of `levels` radices from `state` to a state that is `done`.
/// Among equals the lexicographically first.
fn search(
    fan_in: FanIn,
    levels: u32,
    state: usize,
    done: &dyn Fn(usize) -> bool,
    cost: &dyn Fn(usize, usize) -> u64,
    next: &dyn Fn(usize, usize) -> usize,
) -> Option<Radices> {
    struct Search<'a> {
        fan_in: usize,
        done: &'a dyn Fn(usize) -> bool,
        cost: &'a dyn Fn(usize, usize) -> u64,
        next: &'a dyn Fn(usize, usize) -> usize,
        memo: Memo,
    }
    impl Search<'_> {
        fn best(&mut self, state: usize, levels: u32) -> Option<(u64, Vec<usize>)> {
            if levels == 0 {
                return (self.done)(state).then(|| (0, Vec::new()));
            }
            if let Some(known) = self.memo.get(&(state, levels)) {
                return known.clone();
            }
            let mut best: Option<(u64, Vec<usize>)> = None;
            for radix in 2..=self.fan_in {
                let Some((rest, tail)) = self.best((self.next)(state, radix), levels - 1) else {
                    continue;
                };
                let bits = rest + (self.cost)(state, radix);
                if best.as_ref().is_none_or(|b| bits < b.0) {
                    best = Some((bits, [vec![radix], tail].concat()));
                }
            }
            self.memo.insert((state, levels), best.clone());
            best
        }
    }
    let mut search = Search { fan_in: fan_in.get(), done, cost, next, memo: Memo::new() };
    let (bits, radices) = search.best(state, levels)?;
    Some(Radices { radices, bits })
}
