//! The cheapest tree of carry-select merges when only the carry out is wanted:
//! the core of comparators (`docs/spec/circuits.md` section 3.2), and of any carry
//! that is read without its sum.

use super::bits::FanIn;
use super::scan::{Block, merge_blocks};
use crate::{Builder, Wire, gate_bits};

/// (bits per direction, gates).
type Cost = (u64, u64);
const NEVER: Cost = (u64::MAX / 4, 0);

fn plus(p: Cost, q: Cost) -> Cost {
    (p.0 + q.0, p.1 + q.1)
}

/// A tree over consecutive positions of a known number and depth, every split
/// chosen freely (not by level) to move the fewest bits, then use the fewest gates.
pub(crate) struct SelectTree {
    fan_in: usize,
    levels: usize,
    count: usize,
    /// `upper[d][m]`: cost of `m` positions above position 0 in `d` levels.
    upper: Vec<Vec<Cost>>,
    /// `lowest[d][m]`: cost of the `m` lowest positions, which need no product.
    lowest: Vec<Vec<Cost>>,
    /// `rows[d][k][m]`: cost of `k` adjacent upper blocks covering `m` positions.
    rows: Vec<Vec<Vec<Cost>>>,
}

impl SelectTree {
    /// Plans `count` positions in `levels` levels, raised to what is possible.
    pub fn new(count: usize, fan_in: FanIn, levels: u32) -> SelectTree {
        let levels = levels.max(fan_in.levels(count)) as usize;
        let base: Vec<Cost> = (0..=count).map(|m| if m == 1 { (0, 0) } else { NEVER }).collect();
        let mut tree = SelectTree {
            fan_in: fan_in.get(),
            levels,
            count,
            upper: vec![base.clone()],
            lowest: vec![base],
            rows: Vec::new(),
        };
        for level in 0..levels {
            tree.rows.push(tree.block_rows(level));
            let (upper, lowest) = (0..=count).map(|m| tree.merge_costs(level, m)).unzip();
            tree.upper.push(upper);
            tree.lowest.push(lowest);
        }
        tree
    }

    fn block_rows(&self, level: usize) -> Vec<Vec<Cost>> {
        let mut rows = vec![vec![NEVER; self.count + 1]; self.fan_in + 1];
        rows[0][0] = (0, 0);
        for k in 1..=self.fan_in {
            for m in k..=self.count {
                rows[k][m] = (1..=m)
                    .map(|top| plus(self.upper[level][top], rows[k - 1][m - top]))
                    .min()
                    .unwrap_or(NEVER);
            }
        }
        rows
    }

    fn merge_costs(&self, level: usize, m: usize) -> (Cost, Cost) {
        let (mut upper, mut lowest) = (self.upper[level][m], self.lowest[level][m]);
        for parts in 2..=self.fan_in.min(m) {
            let carries = (2..=parts).map(gate_bits).sum::<u64>();
            let merge = (carries, parts as u64 - 1);
            upper = upper.min(plus(plus(merge, (gate_bits(parts), 1)), self.rows[level][parts][m]));
            let split =
                (1..m).map(|low| self.lowest_split(level, parts, m, low)).min().unwrap_or(NEVER);
            lowest = lowest.min(plus(merge, split));
        }
        (upper, lowest)
    }

    fn lowest_split(&self, level: usize, parts: usize, m: usize, low: usize) -> Cost {
        plus(self.lowest[level][low], self.rows[level][parts - 1][m - low])
    }

    /// The carry out of `blocks`, listed from position 0 up.
    pub fn carry_out(&self, b: &mut Builder, blocks: &[Block]) -> Wire {
        assert_eq!(blocks.len(), self.count, "the tree was planned for another width");
        self.build_lowest(b, self.levels, blocks).out
    }

    fn build_lowest(&self, b: &mut Builder, levels: usize, blocks: &[Block]) -> Block {
        let m = blocks.len();
        if m == 1 {
            return blocks[0];
        }
        let below = levels - 1;
        if self.lowest[levels][m] == self.lowest[below][m] {
            return self.build_lowest(b, below, blocks);
        }
        let merge = |parts: usize| ((2..=parts).map(gate_bits).sum::<u64>(), parts as u64 - 1);
        let (_, parts, low) = (2..=self.fan_in.min(m))
            .flat_map(|parts| (1..m).map(move |low| (parts, low)))
            .map(|(parts, low)| {
                (plus(merge(parts), self.lowest_split(below, parts, m, low)), parts, low)
            })
            .min()
            .expect("two or more positions split");
        let mut merged = self.build_row(b, below, parts - 1, &blocks[low..]);
        merged.push(self.build_lowest(b, below, &blocks[..low]));
        merge_blocks(b, &merged)
    }

    fn build_upper(&self, b: &mut Builder, levels: usize, blocks: &[Block]) -> Block {
        let m = blocks.len();
        if m == 1 {
            return blocks[0];
        }
        let below = levels - 1;
        if self.upper[levels][m] == self.upper[below][m] {
            return self.build_upper(b, below, blocks);
        }
        let cost = |parts: usize| {
            let merge = ((2..=parts).map(gate_bits).sum::<u64>() + gate_bits(parts), parts as u64);
            plus(merge, self.rows[below][parts][m])
        };
        let parts = (2..=self.fan_in.min(m))
            .min_by_key(|&parts| cost(parts))
            .expect("two or more positions split");
        let row = self.build_row(b, below, parts, blocks);
        merge_blocks(b, &row)
    }

    /// `parts` adjacent upper blocks, built and listed from high to low.
    fn build_row(
        &self,
        b: &mut Builder,
        levels: usize,
        parts: usize,
        blocks: &[Block],
    ) -> Vec<Block> {
        let mut rest = blocks;
        let mut row = Vec::with_capacity(parts);
        for left in (1..=parts).rev() {
            let rows = &self.rows[levels];
            let top = (1..=rest.len())
                .min_by_key(|&top| plus(self.upper[levels][top], rows[left - 1][rest.len() - top]))
                .expect("a block holds a position");
            let (low, high) = rest.split_at(rest.len() - top);
            row.push(self.build_upper(b, levels, high));
            rest = low;
        }
        row
    }
}
