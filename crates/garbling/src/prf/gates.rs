//! Gates whose numbers count up: their keys' schedules are computed side by side.

use super::{LabelPrf, under_labels};
use crate::bmr::LabelFunction;
use tacit_ring::Buffer;
use tacit_ring::prg::{Feed, PAIRS, Place, ROWS, Schedules, lowest_agree};

/// Gates whose schedules are there at a time.
pub const GATES: usize = 64;

/// The function at some gates after each other.
pub struct Gates<'p> {
    prf: &'p LabelPrf,
    /// The number of the first one whose schedule is there, and of the one after the last.
    known: std::ops::Range<u64>,
    keys: Vec<u128>,
    schedules: Schedules,
}

impl<'p> Gates<'p> {
    /// Anywhere.
    #[must_use]
    pub fn new(prf: &'p LabelPrf) -> Self {
        Gates { prf, known: 0..0, keys: Vec::new(), schedules: Schedules::default() }
    }

    /// Computes the schedules of so many gates.
    fn know(&mut self, first: u64, gates: usize) {
        self.known = first..first + gates as u64;
        self.keys.clear();
        self.keys.extend(self.known.clone().map(u128::from));
        self.prf.pi.apply(&mut self.keys);
        self.schedules.expand(&self.keys);
    }

    /// For each of four pairs of labels, first and second ones, the function at columns `0..columns`, one after the other.
    /// Gate numbers do not repeat.
    ///
    /// # Panics
    /// When there is not room for exactly that.
    pub fn hide(
        &mut self,
        gate: u64,
        labels: [&[u128; PAIRS]; 2],
        columns: usize,
        out: &mut [u128],
    ) {
        assert_eq!(out.len(), PAIRS * columns, "a block for each pair and column");
        let Some(feed) = feed(self.prf.function) else {
            let pairs = labels[0].iter().zip(labels[1]);
            let lists = out.chunks_exact_mut(columns.max(1)).zip(pairs);
            return lists.for_each(|(out, (a, b))| under_labels([*a, *b], gate, out));
        };
        if !self.known.contains(&gate) {
            // Gates far from one another are hidden one by one.
            let follows = gate == self.known.end && !self.known.is_empty();
            self.know(gate, if follows { GATES } else { 1 });
        }
        self.schedules.hash(feed, (gate - self.known.start) as usize, labels, out);
    }

    /// The labels of outputs of gates, whose numbers count up from `first`: to a gate's active row, the sum over all
    /// parties' labels of its inputs is added. See [`Schedules::add_sums`]. Whether all parties' labels of each
    /// output show the same public value.
    ///
    /// # Panics
    /// When places are not in their lists, or are more than [`GATES`].
    pub fn add_sums(
        &mut self,
        first: u64,
        parties: usize,
        places: &[Place],
        rows: &[u128],
        labels: &mut [u128],
    ) -> bool {
        assert!(places.len() <= GATES, "few gates at a time");
        let Some(feed) = feed(self.prf.function) else {
            return add_under_labels(first, parties, places, rows, labels);
        };
        self.know(first, places.len());
        self.schedules.add_sums(feed, parties, places, rows, labels)
    }
}

/// How labels are hashed, if they are not a key.
fn feed(function: LabelFunction) -> Option<Feed> {
    match function {
        LabelFunction::DkMmo => Some(Feed::Once),
        LabelFunction::DkTmmo => Some(Feed::Twice),
        LabelFunction::Aes256 => None,
    }
}

fn add_under_labels(
    first: u64,
    parties: usize,
    places: &[Place],
    rows: &[u128],
    labels: &mut [u128],
) -> bool {
    let mut agree = true;
    let [mut sums, mut hidden] = [0; 2].map(|_| Buffer::<u128>::zeros(parties));
    for ((gate, place), number) in places.iter().enumerate().zip(first..) {
        sums.copy_from_slice(&rows[(ROWS * gate + place.row) * parties..][..parties]);
        for i in 0..parties {
            under_labels(place.labels.map(|at| labels[at + i]), number, &mut hidden);
            sums.iter_mut().zip(&*hidden).for_each(|(sum, hidden)| *sum ^= hidden);
        }
        labels[place.to..][..parties].copy_from_slice(&sums);
        agree &= lowest_agree(&sums);
    }
    agree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(gate: usize, i: usize, which: u128) -> u128 {
        (gate as u128) << 64 | (i as u128) << 32 | which << 100
    }

    #[test]
    fn sums_are_of_the_function_at_every_gate() {
        for function in LabelFunction::ALL {
            for parties in [1, 2, 3, 7, 33] {
                let prf = LabelPrf::new(function, [9; 16]);
                let mut gates = Gates::new(&prf);
                // Full and not, and with what is left from before.
                for (first, count) in [(0, GATES), (1 << 40, GATES - 1), (7, 1)] {
                    check(&prf, &mut gates, (first, count), parties);
                }
            }
        }
    }

    fn check(prf: &LabelPrf, gates: &mut Gates<'_>, (first, count): (u64, usize), parties: usize) {
        let n = parties;
        let list = |which| (0..count * n).map(move |at| label(at / n, at % n, which));
        let mut labels: Vec<u128> = list(1).chain(list(2)).chain(list(3)).collect();
        let place = |gate| Place {
            labels: [0, 1].map(|which| (which * count + gate) * n),
            to: (2 * count + gate) * n,
            row: gate % ROWS,
        };
        let places: Vec<Place> = (0..count).map(place).collect();
        let rows = vec![7; ROWS * count * n];
        let agree = gates.add_sums(first, n, &places, &rows, &mut labels);
        assert_eq!(agree, places.iter().all(|place| lowest_agree(&labels[place.to..][..n])));
        for (gate, number) in (0..count).zip(first..) {
            let (mut want, mut hidden) = (vec![7; n], vec![0; n]);
            for i in 0..n {
                prf.hide_pair(number, [label(gate, i, 1), label(gate, i, 2)], &mut hidden);
                want.iter_mut().zip(&hidden).for_each(|(want, hidden)| *want ^= hidden);
            }
            let what = format!("{}, {n} parties, gate {gate}", prf.function);
            assert_eq!(&labels[places[gate].to..][..n], want, "{what}");
        }
    }

    #[test]
    fn gates_in_any_order_have_the_same_values() {
        let prf = LabelPrf::new(LabelFunction::DkMmo, [9; 16]);
        let mut gates = Gates::new(&prf);
        let numbers = (5..300).chain([7, 1 << 50, 6, u64::MAX >> 1, 8, 9, 10]);
        for number in numbers {
            let [mut one, mut other] = [[0; 12]; 2];
            let labels = [&[1, 2, 3, 4], &[u128::from(number); 4]];
            gates.hide(number, labels, 3, &mut one);
            Gates::new(&prf).hide(number, labels, 3, &mut other);
            assert_eq!(one, other, "gate {number}");
        }
    }
}
