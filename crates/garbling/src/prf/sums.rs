//! The labels of outputs of many gates: to a gate's active row, the sum over all parties' labels is added.

use super::{LabelPrf, under_labels};
use tacit_ring::Buffer;
use tacit_ring::prg::{Feed, SIDE_BY_SIDE, add_sums};
use tacit_sharing::bmr::LabelFunction;

/// Blocks of each list that stay in the first-level cache.
const CACHED: usize = 512;

/// The most gates at a time: schedules of so many keys are computed side by side.
const GATES: usize = 64;

/// Some gates that are evaluated together. Blocks of four gates are interleaved, as [`add_sums`] has them.
pub struct Sums<'p> {
    prf: &'p LabelPrf,
    parties: usize,
    gates: usize,
    /// Of both inputs.
    labels: [Buffer<u128>; 2],
    sums: Buffer<u128>,
    keys: Vec<u128>,
}

impl<'p> Sums<'p> {
    /// For gates of so many parties: each has labels, and a column.
    #[must_use]
    pub fn new(prf: &'p LabelPrf, parties: usize) -> Self {
        let gates = (CACHED / parties.max(1)).next_multiple_of(4 * SIDE_BY_SIDE).min(GATES);
        let blocks = gates * parties;
        let [first, second, sums] = [0; 3].map(|_| Buffer::zeros(blocks));
        Sums { prf, parties, gates, labels: [first, second], sums, keys: Vec::with_capacity(gates) }
    }

    /// How many gates there are at most.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// The blocks of the four gates of which this is one, and its place among them.
    #[inline(always)]
    fn of(&self, gate: usize) -> (std::ops::Range<usize>, usize) {
        let blocks = SIDE_BY_SIDE * self.parties;
        let start = gate / SIDE_BY_SIDE * blocks;
        (start..start + blocks, gate % SIDE_BY_SIDE)
    }

    /// Sets all parties' labels of a gate's inputs, and its active row.
    ///
    /// # Panics
    /// When there is not a block of each for every party, or there are so many gates.
    #[inline]
    pub fn set(&mut self, gate: usize, [first, second]: [&[u128]; 2], row: &[u128]) {
        let (range, lane) = self.of(gate);
        let [firsts, seconds] = &mut self.labels;
        let lists = [firsts, seconds, &mut self.sums];
        let [firsts, seconds, rows] =
            lists.map(|list| list[range.clone()].as_chunks_mut::<SIDE_BY_SIDE>().0);
        let n = firsts.len();
        let (seconds, rows) = (&mut seconds[..n], &mut rows[..n]);
        let (first, second, row) = (&first[..n], &second[..n], &row[..n]);
        for i in 0..n {
            firsts[i][lane] = first[i];
            seconds[i][lane] = second[i];
            rows[i][lane] = row[i];
        }
    }

    /// Computes the labels of outputs of the first gates, whose numbers count up from `first`.
    pub fn compute(&mut self, first: u64, gates: usize) {
        let fours = gates.div_ceil(SIDE_BY_SIDE) * SIDE_BY_SIDE * self.parties;
        let feed = match self.prf.function {
            LabelFunction::DkMmo => Feed::Once,
            LabelFunction::DkTmmo => Feed::Twice,
            LabelFunction::Aes256 => return self.compute_under_labels(first, gates),
        };
        self.keys.clear();
        self.keys.extend((0..gates as u64).map(|gate| u128::from(first + gate)));
        self.prf.pi.apply(&mut self.keys);
        let labels = self.labels.each_ref().map(|list| &list[..fours]);
        add_sums(feed, &self.keys, labels, &mut self.sums[..fours]);
    }

    fn compute_under_labels(&mut self, first: u64, gates: usize) {
        let mut hidden = Buffer::<u128>::zeros(self.parties);
        for (gate, number) in (0..gates).zip(first..) {
            let (range, lane) = self.of(gate);
            let [first, second] = self.labels.each_ref().map(|list| &list[range.clone()]);
            let sums = &mut self.sums[range];
            for pair in of_lane(first, lane).zip(of_lane(second, lane)) {
                under_labels(pair.into(), number, &mut hidden);
                let sums = sums.iter_mut().skip(lane).step_by(SIDE_BY_SIDE);
                sums.zip(&*hidden).for_each(|(sum, hidden)| *sum ^= hidden);
            }
        }
    }

    /// The labels of a gate's output, column by column.
    #[inline]
    pub fn get(&self, gate: usize) -> impl Iterator<Item = u128> {
        let (range, lane) = self.of(gate);
        of_lane(&self.sums[range], lane)
    }
}

/// The blocks of one of four gates.
#[inline(always)]
fn of_lane(fours: &[u128], lane: usize) -> impl Iterator<Item = u128> {
    fours.as_chunks::<SIDE_BY_SIDE>().0.iter().map(move |four| four[lane])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_the_function_at_every_gate() {
        for function in LabelFunction::ALL {
            for parties in [1, 2, 3, 7, 33] {
                let prf = LabelPrf::new(function, [9; 16]);
                let mut sums = Sums::new(&prf, parties);
                let gates = sums.gates();
                // Full and not, and with what is left from before.
                (0..2).for_each(|i| check(&mut sums, gates - i, 100 * i as u64));
                check(&mut sums, 1, 7);
            }
        }
    }

    fn check(sums: &mut Sums<'_>, gates: usize, first: u64) {
        let parties = sums.parties;
        let label = |gate: usize, i: usize, which: u128| {
            u128::from(first) << 100 | (gate as u128) << 64 | (i as u128) << 32 | which
        };
        let labels = |gate, which| (0..parties).map(move |i| label(gate, i, which));
        for gate in 0..gates {
            let [u, v] = [1, 2].map(|which| labels(gate, which).collect::<Vec<u128>>());
            sums.set(gate, [&u, &v], &vec![7; parties]);
        }
        sums.compute(first, gates);
        for gate in 0..gates {
            let (mut want, mut hidden) = (vec![7; parties], vec![0; parties]);
            for pair in labels(gate, 1).zip(labels(gate, 2)) {
                sums.prf.gate(first + gate as u64, [pair.into()], parties, &mut hidden);
                want.iter_mut().zip(&hidden).for_each(|(want, hidden)| *want ^= hidden);
            }
            let what = format!("{}, {parties} parties, gate {gate}", sums.prf.function);
            assert_eq!(sums.get(gate).collect::<Vec<u128>>(), want, "{what}");
        }
    }
}
