//! Which product is made in which way: a function of the circuit and the weights alone.

use super::{Balance, Way};
use std::ops::Range;
use tacit_circuit::schedule::Schedule;

/// Gives out products in turn, so that at any time each way has had its part of them, up to one
/// product or so.
pub(super) struct Turns<'b> {
    weights: &'b [(Way, u32)],
    /// What each way is owed, in units of the sum of all weights.
    owed: Vec<i64>,
    whole: i64,
}

impl<'b> Turns<'b> {
    pub fn new(balance: &'b Balance) -> Self {
        let weights = balance.weights();
        let whole = weights.iter().map(|(_, weight)| i64::from(*weight)).sum();
        Turns { weights, owed: vec![0; weights.len()], whole }
    }

    /// The way, by its number, of the next `size` products, which go together.
    pub fn next(&mut self, size: usize) -> usize {
        let size = size as i64;
        let (mut most, mut best) = (i64::MIN, 0);
        for (index, (owed, (_, weight))) in self.owed.iter_mut().zip(self.weights).enumerate() {
            *owed += i64::from(*weight) * size;
            if *owed > most {
                (most, best) = (*owed, index);
            }
        }
        self.owed[best] -= self.whole * size;
        best
    }

    /// Products in runs, one run of each way, and how many each has: cut from parts of `unit` that go
    /// together.
    fn runs(&mut self, products: usize, unit: usize) -> Vec<(Way, usize)> {
        let mut counts = vec![0; self.weights.len()];
        for start in (0..products).step_by(unit) {
            let size = unit.min(products - start);
            counts[self.next(size)] += size;
        }
        let runs = self.weights.iter().zip(counts).filter(|(_, count)| *count > 0);
        runs.map(|((way, _), count)| (*way, count)).collect()
    }
}

/// The ways of a level's products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelMix {
    /// Runs of products of two factors, in their order.
    pub products: Vec<(Way, usize)>,
    /// By polynomial gate.
    pub wide: Vec<Way>,
}

/// The ways of all products of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    levels: Vec<LevelMix>,
}

impl Mix {
    /// Divides the products of a circuit between ways; `None` where all products are made as the protocol does.
    #[must_use]
    pub fn new(balance: &Balance, schedule: &Schedule) -> Option<Self> {
        if balance.is_none() {
            return None;
        }
        let mut turns = Turns::new(balance);
        let level = |level: usize| {
            let products = turns.runs(schedule.products(level).len(), 1);
            let wide = schedule.wide(level).iter().map(|gate| {
                let outputs = schedule.wide_outputs(gate).len();
                turns.weights[turns.next(outputs)].0
            });
            LevelMix { wide: wide.collect(), products }
        };
        Some(Mix { levels: (0..=schedule.depth()).map(level).collect() })
    }

    /// The ways of the products of one level.
    #[must_use]
    pub fn level(&self, level: usize) -> &LevelMix {
        &self.levels[level]
    }
}

/// Words that go together in arrays.
const UNIT: usize = 256;

/// Runs of words of one piece of an array, each with its way.
pub(crate) type Runs = Vec<(Way, Range<usize>)>;

/// The ways of an array's products, by piece.
pub(crate) fn pieces(balance: &Balance, total: usize, piece: usize) -> Vec<Runs> {
    let mut turns = Turns::new(balance);
    let runs = |start: usize| {
        let mut at = start;
        let run = |(way, words): (Way, usize)| {
            at += words;
            (way, at - words..at)
        };
        turns.runs(piece.min(total - start), UNIT).into_iter().map(run).collect()
    };
    (0..total).step_by(piece).map(runs).collect()
}
