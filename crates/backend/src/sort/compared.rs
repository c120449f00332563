//! The order of shuffled rows, by comparisons that open (Hamada et al. 2012).
//!
//! A row is its key's bits above those of its number: no two rows are equal, and of equal keys the order is that of the numbers.
//! The rows are in an order that no party knows. Some of them are compared, what is less opens, and so on until their order is public.
//! Which rows are compared follows from the comparisons before; so all that opens is a function of the order of shuffled rows, which is
//! a uniform permutation, whatever the keys. Equal rows would show: the numbers are shuffled along for that reason.
//!
//! The first rows, a quarter to an eighth of them, are put in order in the same way. Every other row is looked up among these by
//! bisection, and rows of one gap are compared in all pairs. How many comparisons there are, and one after the other, depends on the
//! number of rows alone: pairs within gaps are made up to a number that is seldom more.

use super::{AT_ONCE, Column, Shuffles, side_by_side};
use crate::boolean::Arithmetic;
use crate::convert::BitPlanes;
use crate::{Name, Planes, Result, wrong};
use tacit_ring::{Buffer, Z2, transpose, word};
use tacit_sharing::arrays::SharedVec;

/// Comparisons whose operands are held at a time.
const BATCH: usize = 1 << 20;

/// Rows whose bits are taken out at a time.
const NEAR: usize = 4096;

/// Bits of a word.
const WORD: usize = 64;

/// Rows that are to be put in order, as words: the number's bits, then the key's.
pub(super) struct Keyed {
    /// How many rows.
    rows: usize,
    /// How many bits.
    bits: usize,
    /// Words of bits, the low ones first.
    pub columns: Vec<Column>,
}

impl Keyed {
    /// Rows with their numbers.
    pub fn of(on: &mut dyn Shuffles, key: &Planes) -> Result<Self> {
        let rows = key.lanes;
        let numbered = number_bits(rows);
        let bits = numbered + key.planes;
        let Some(planes) = &key.data else {
            let columns = (0..bits.div_ceil(WORD)).map(|_| Column::Dry { rows, bits: 1 });
            return Ok(Keyed { rows, bits, columns: columns.collect() });
        };
        let [Column::Words(numbers), _] = on.numbers(rows) else {
            return Err(wrong("numbers of rows"));
        };
        let low = (WORD - numbered).min(key.planes);
        let keys = super::rows::words_of(planes, 0..low);
        let [first, second] = side_by_side(on, |c| {
            let pairs = numbers.components()[c].iter().zip(keys.components()[c]);
            let mut words = Buffer::<Z2>::zeros(rows);
            for (to, (number, key)) in words.iter_mut().zip(pairs) {
                *to = Z2(number.0 >> 32 | key.0 << numbered);
            }
            words
        })?;
        let mut columns = vec![Column::Words(SharedVec::pair(first, second))];
        for start in (low..key.planes).step_by(WORD) {
            let at = start..(start + WORD).min(key.planes);
            columns.push(Column::Words(super::rows::words_of(planes, at)));
        }
        Ok(Keyed { rows, bits, columns })
    }

    /// The rows' order, ascending; empty in a dry run.
    pub fn order(&self, on: &mut dyn Shuffles) -> Result<Vec<u32>> {
        // Of few rows all pairs are compared, in one step: hardly more are then compared in all.
        let all_pairs = (self.rows / 2).max(pairs_of(AT_ONCE));
        Sorter { on, rows: self, all_pairs }.first(self.rows, 0)
    }

    fn is_dry(&self) -> bool {
        self.columns.iter().any(|column| matches!(column, Column::Dry { .. }))
    }

    /// The bits of some rows, which are given by lane.
    fn planes(
        &self,
        on: &mut dyn Shuffles,
        lanes: usize,
        row: impl Fn(usize) -> u32 + Sync,
    ) -> Result<Planes> {
        if self.is_dry() {
            return Ok(Planes::dry(self.bits, lanes));
        }
        let words = lanes.div_ceil(WORD);
        let [first, second] = side_by_side(on, |c| {
            let mut planes = Buffer::<Z2>::zeros(self.bits * words);
            // So few lanes at a time that they stay in the cache.
            let mut rows = Buffer::<Z2>::zeros(NEAR.min(lanes));
            let mut slices = Buffer::<Z2>::zeros(WORD * rows.len().div_ceil(WORD));
            for start in (0..lanes).step_by(NEAR) {
                let count = NEAR.min(lanes - start);
                let (rows, wide) = (&mut rows[..count], count.div_ceil(WORD));
                for (number, column) in self.columns.iter().enumerate() {
                    let Column::Words(all) = column else { continue };
                    let all = all.components()[c];
                    rows.iter_mut().zip(start..).for_each(|(to, at)| *to = all[row(at) as usize]);
                    let bits = (self.bits - number * WORD).min(WORD);
                    let slices = &mut slices[..bits * wide];
                    transpose::pack(word::lanes(rows), bits, word::lanes_mut(slices));
                    for (bit, slice) in (number * WORD..).zip(slices.chunks_exact(wide)) {
                        planes[bit * words + start / WORD..][..wide].copy_from_slice(slice);
                    }
                }
            }
            planes
        })?;
        let shares = SharedVec::pair(first, second);
        Ok(Planes::new(BitPlanes::shared(shares, lanes), self.bits))
    }
}

/// Bits of the rows' numbers.
fn number_bits(rows: usize) -> usize {
    rows.next_power_of_two().ilog2().max(1) as usize
}

/// Comparisons of rows under way.
struct Sorter<'s> {
    on: &'s mut dyn Shuffles,
    rows: &'s Keyed,
    /// As many pairs of rows may all be compared.
    all_pairs: usize,
}

impl Sorter<'_> {
    /// The order of the first `rows` rows: of all of them, or of those that others are looked up among.
    fn first(&mut self, rows: usize, depth: usize) -> Result<Vec<u32>> {
        if pairs_of(rows) <= self.all_pairs {
            let all: Vec<u32> =
                if self.rows.is_dry() { Vec::new() } else { (0..rows as u32).collect() };
            let mut sorted = self.within(vec![all], pairs_of(rows))?;
            return Ok(sorted.pop().unwrap_or_default());
        }
        let among = pivots(rows);
        let pivots = self.first(among, depth + 1)?;
        let others = rows - among;
        let mut gaps = vec![0u32; if self.rows.is_dry() { 0 } else { others }];
        let mut left = (among + 1).ilog2();
        let first = among as u32;
        // Of all rows there are, they are compared one by one, and their bits are taken out once.
        let looked_up = match depth {
            0 => Some(self.rows.planes(self.on, others, |row| first + row as u32)?),
            _ => None,
        };
        while left > 0 {
            let step = STEPS[depth.min(STEPS.len() - 1)].min(left);
            left -= step;
            match &looked_up {
                Some(rows) => self.halve(&pivots, &mut gaps, rows, left)?,
                None => self.narrow(&pivots, &mut gaps, (first, others), [left, step])?,
            }
        }
        drop(looked_up);
        let mut groups = vec![Vec::new(); if self.rows.is_dry() { 0 } else { among + 1 }];
        for (row, gap) in (among as u32..).zip(&gaps) {
            groups[*gap as usize].push(row);
        }
        drop(gaps);
        let groups = self.within(groups, pairs_in_gaps(others, among))?;
        let mut order = Vec::with_capacity(if self.rows.is_dry() { 0 } else { rows });
        let mut pivots = pivots.into_iter();
        for group in groups {
            order.extend(group);
            order.extend(pivots.next());
        }
        Ok(order)
    }

    /// Says of rows, by their bits, in which half of its gap each is. A half has `2^left` gaps.
    fn halve(&mut self, pivots: &[u32], gaps: &mut [u32], rows: &Planes, left: u32) -> Result<()> {
        let ends = gaps.iter().map(|gap| pivots[(gap + (1 << left)) as usize - 1]);
        let ends: Vec<u32> = ends.collect();
        let less = self.less(Asked::Beside(&ends, rows), rows.lanes)?;
        for (i, gap) in gaps.iter_mut().enumerate() {
            *gap += u32::from(is_set(&less, i)) << left;
        }
        Ok(())
    }

    /// Says of rows, the first of which is given, which of the next `2^step` parts of its gap each is in. A part has `2^left` gaps.
    fn narrow(
        &mut self,
        pivots: &[u32],
        gaps: &mut [u32],
        (first, others): (u32, usize),
        [left, step]: [u32; 2],
    ) -> Result<()> {
        let between = (1usize << step) - 1;
        let mut pairs = Vec::with_capacity(gaps.len() * between);
        for (row, gap) in (first..).zip(gaps.iter()) {
            let ends = (1..=between as u32).map(|part| gap + (part << left) - 1);
            pairs.extend(ends.map(|pivot| [pivots[pivot as usize], row]));
        }
        let less = self.less(Asked::Pairs(&pairs), others * between)?;
        for (i, gap) in gaps.iter_mut().enumerate() {
            let below = (0..between).filter(|k| is_set(&less, i * between + k)).count();
            *gap += (below as u32) << left;
        }
        Ok(())
    }

    /// The rows of each group in order: all pairs of a group are compared, as many in all as are planned, or more.
    fn within(&mut self, mut groups: Vec<Vec<u32>>, planned: usize) -> Result<Vec<Vec<u32>>> {
        let mut pairs = Vec::with_capacity(planned);
        for group in &groups {
            for (i, row) in group.iter().enumerate() {
                pairs.extend(group[..i].iter().map(|other| [*other, *row]));
            }
        }
        if pairs.len() < planned && !self.rows.is_dry() {
            // Rows that are there whatever their order is.
            pairs.resize(planned, [0, 1]);
        }
        let less = self.less(Asked::Pairs(&pairs), planned)?;
        let mut next = 0;
        for group in &mut groups {
            let mut places = vec![0usize; group.len()];
            for i in 0..group.len() {
                for j in 0..i {
                    // The greater one of both has one more below it.
                    places[if is_set(&less, next) { i } else { j }] += 1;
                    next += 1;
                }
            }
            let mut sorted = vec![u32::MAX; group.len()];
            for (row, place) in group.iter().zip(places) {
                sorted[place] = *row;
            }
            if sorted.contains(&u32::MAX) {
                return Err(wrong("opened comparisons that are those of no order"));
            }
            *group = sorted;
        }
        Ok(groups)
    }

    /// Whether the first row of each pair is less, as bits: of as many pairs as are planned, or more. In a dry run there are none.
    fn less(&mut self, asked: Asked<'_>, planned: usize) -> Result<Buffer<Z2>> {
        let circuit = Name::Arithmetic(Arithmetic::Less(self.rows.bits as u32));
        let circuit = self.on.circuits().get(circuit);
        let count = asked.len().max(planned);
        let mut parts = Vec::new();
        for start in (0..count).step_by(BATCH) {
            let lanes = BATCH.min(count - start);
            let (a, b);
            match asked {
                Asked::Pairs(pairs) => {
                    let side = |side: usize| move |lane: usize| pairs[start + lane][side];
                    a = self.rows.planes(self.on, lanes, side(0))?;
                    b = self.rows.planes(self.on, lanes, side(1))?;
                }
                Asked::Beside(first, second) => {
                    a = self.rows.planes(self.on, lanes, |lane| first[start + lane])?;
                    if lanes == second.lanes {
                        parts.extend(self.on.circuit(&circuit, &[&a, second])?);
                        continue;
                    }
                    b = second.lanes(start..start + lanes);
                }
            }
            parts.extend(self.on.circuit(&circuit, &[&a, &b])?);
        }
        if parts.is_empty() {
            return Ok(Buffer::default());
        }
        self.on.settle()?;
        let opened = self.on.open_bits(&Planes::join(&parts))?;
        // What opened decides what everybody compares next.
        self.on.settle_opened()?;
        Ok(opened)
    }
}

/// Pairs of rows that are compared.
#[derive(Clone, Copy)]
enum Asked<'p> {
    /// By their numbers. In a dry run there are none.
    Pairs(&'p [[u32; 2]]),
    /// The first ones by their numbers, and the bits of the second ones.
    Beside(&'p [u32], &'p Planes),
}

impl Asked<'_> {
    fn len(self) -> usize {
        match self {
            Asked::Pairs(pairs) => pairs.len(),
            Asked::Beside(_, rows) => rows.lanes,
        }
    }
}

/// By how many bits the gap of a row is narrowed at a time, by recursion: where rows are few, more comparisons at once.
const STEPS: [u32; 3] = [1, 2, 3];

/// How many of so many rows others are looked up among: one less than a power of two.
fn pivots(rows: usize) -> usize {
    (1 << (rows / 4).ilog2()) - 1
}

fn pairs_of(rows: usize) -> usize {
    rows * rows.saturating_sub(1) / 2
}

/// Pairs of rows that lie in one gap between `among` rows: of two rows and all those that they are looked up among, the two are neighbours
/// with a chance of `2 / (among + 2)`. So many more are planned that there are more less often than once in a million sorts: seven standard
/// deviations, and of few gaps, whose sizes are skewed, several times what is expected.
fn pairs_in_gaps(rows: usize, among: usize) -> usize {
    let expected = 2 * pairs_of(rows) / (among + 2);
    if among < 512 {
        let times = if among < 64 { 6 } else { 3 };
        return (times * expected).min(pairs_of(rows));
    }
    let gap = (rows / (among + 1) + 1) as f64;
    expected + (7.0 * gap * gap * ((among + 1) as f64).sqrt()) as usize
}

fn is_set(bits: &[Z2], at: usize) -> bool {
    bits[at / 64].0 >> (at % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::Rng;

    #[test]
    fn gaps_hold_hardly_more_pairs_than_planned() {
        let mut rng = Rng(1);
        for rows in [63, 100, 127, 300, 1000, 1151, 2047, 2500, 5000, 40_000] {
            let among = pivots(rows);
            let (mut most, mut sum) = (0, 0);
            let trials = if rows < 4000 { 1000 } else { 20 };
            for _ in 0..trials {
                let mut places: Vec<usize> = (0..rows).collect();
                for i in (1..rows).rev() {
                    places.swap(i, rng.below(i + 1));
                }
                let mut is_pivot = vec![false; rows];
                places[..among].iter().for_each(|place| is_pivot[*place] = true);
                let (mut pairs, mut gap) = (0, 0);
                for pivot in is_pivot {
                    pairs += if pivot { 0 } else { gap };
                    gap = if pivot { 0 } else { gap + 1 };
                }
                most = most.max(pairs);
                sum += pairs;
            }
            let planned = pairs_in_gaps(rows - among, among);
            assert!(most <= planned, "{rows}: {most} of {planned}");
            let expected = 2 * pairs_of(rows - among) / (among + 2);
            let mean = sum / trials;
            assert!(mean.abs_diff(expected) * 20 < expected, "{rows}: {mean} of {expected}");
        }
    }
}
