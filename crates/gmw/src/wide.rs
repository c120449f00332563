//! ANDs of three and four inputs on masked values: one bit of each party, in one round.
//!
//! With the public values `x_i` and the masks `l_i` of the inputs, and the product `l_S` of the masks of a set `S`
//! of them:
//!
//! ```text
//! result    product of x_i + l_i = sum over all S of (product of x_i, i not in S) l_S
//! ahead     [l_S] for the sets of two; then for the larger ones: of their first two inputs, times the rest
//! online    z = sum over all S but the empty one, on shares, + [l_w]         to everybody
//!           w' = product of x_i + sum z
//! ```
//!
//! Sets are numbers: bit `i` says whether input `i` is in it.

use super::layers::Gates;
use super::method::Method;
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
use tacit_ring::{Word, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::shares::Shares;

/// Inputs of an AND, at most.
pub const WIDEST: usize = 4;
/// Sets of them.
const SETS: usize = 1 << WIDEST;

/// Sets of two of so many inputs, in the order of a tape.
pub(super) fn pairs(inputs: usize) -> impl Iterator<Item = usize> {
    (0..1usize << inputs).filter(|set| set.count_ones() == 2)
}

/// Sets of more than two.
pub(super) fn larger(inputs: usize) -> impl Iterator<Item = usize> {
    (0..1usize << inputs).filter(|set| set.count_ones() > 2)
}

/// The first two inputs of a set of more than two, and the others.
pub(super) fn halves(set: usize) -> [usize; 2] {
    let others = set & (set - 1);
    let others = others & (others - 1);
    [set ^ others, others]
}

/// The place of a pair among those of so many inputs.
pub(super) fn place(inputs: usize, pair: usize) -> usize {
    pairs(inputs).take_while(|other| *other < pair).count()
}

/// Words for every word of lanes, of some levels of a circuit: masks of results, products of two masks, and
/// products of more.
#[must_use]
pub fn tape_words(schedule: &Schedule, levels: Range<usize>) -> [usize; 3] {
    let mut sum = [0; 3];
    for gates in levels.map(|level| Gates { schedule, level }) {
        let ands = gates.products().len();
        sum[0] += ands;
        sum[1] += ands;
        for (inputs, _) in gates.wide() {
            sum[0] += 1;
            sum[1] += pairs(inputs.len()).count();
            sum[2] += larger(inputs.len()).count();
        }
    }
    sum
}

/// Refuses circuits with other gates than ANDs of as many inputs as there can be.
pub(super) fn check(schedule: &Schedule, method: Method) -> Result<(), SharingError> {
    let widest = if method.is_masked() { WIDEST } else { 2 };
    let mut polys = schedule.polys().iter();
    let fits = polys.all(|poly| {
        let all = (1u32 << poly.arity()) - 1;
        let one = |sets: &Vec<u16>| sets.iter().map(|set| u32::from(*set)).eq([all]);
        (3..=widest).contains(&poly.arity())
            && poly.outputs().len() == 1
            && poly.outputs().iter().all(one)
    });
    let what = format!("not supported: gates other than ANDs of up to {widest} inputs");
    if fits { Ok(()) } else { Err(SharingError::Shape(what)) }
}

/// This party's `z` of a level's ANDs of more than two inputs, and the results as far as it knows them. `known` has
/// room for a result.
#[inline(always)]
pub(super) fn begin(
    gates: Gates<'_>,
    shares: &mut Shares<Z2>,
    [masks, pairs, larger]: [&[Z2]; 3],
    z: &mut [Z2],
    known: &mut [Z2],
) {
    let words = shares.words();
    let (mut pairs, mut larger) = (pairs.chunks_exact(words), larger.chunks_exact(words));
    let runs = masks.chunks_exact(words).zip(z.chunks_exact_mut(words));
    for ((inputs, result), (mask, z)) in gates.wide().zip(runs) {
        let mut and = And { public: [&[]; WIDEST], products: [&[]; SETS], mask };
        for (i, slot) in inputs.iter().enumerate() {
            let [share, public, _] = shares.runs(*slot);
            (and.products[1 << i], and.public[i]) = (share, public);
        }
        for (set, run) in self::pairs(inputs.len()).zip(&mut pairs) {
            and.products[set] = run;
        }
        for (set, run) in self::larger(inputs.len()).zip(&mut larger) {
            and.products[set] = run;
        }
        match inputs.len() {
            3 => and.begin::<3>(z, known),
            _ => and.begin::<4>(z, known),
        }
        let [share, public, _] = shares.runs_mut(result);
        share.copy_from_slice(mask);
        public.copy_from_slice(known);
    }
}

/// One AND: the public values of its inputs, shares of products of their masks by set, and of the result's mask.
struct And<'g> {
    public: [&'g [Z2]; WIDEST],
    products: [&'g [Z2]; SETS],
    mask: &'g [Z2],
}

impl And<'_> {
    /// The party's `z`, and that plus the product of the public values.
    #[inline(always)]
    fn begin<const INPUTS: usize>(&self, z: &mut [Z2], known: &mut [Z2]) {
        for (word, (z, known)) in z.iter_mut().zip(known).enumerate() {
            let mut sums = [Z2::ZERO; SETS];
            let sets = 1..1 << INPUTS;
            for (sum, products) in sums[sets.clone()].iter_mut().zip(&self.products[sets]) {
                *sum = products[word];
            }
            // Input after input: its public value times the sets without it, plus those with it.
            let mut all = Z2::ONE;
            for input in (0..INPUTS).rev() {
                let public = self.public[input][word];
                for set in 0..1 << input {
                    sums[set] = public.mul(sums[set]).add(sums[set | 1 << input]);
                }
                all = all.mul(public);
            }
            *z = sums[0].add(self.mask[word]);
            *known = z.add(all);
        }
    }
}

/// GMW with ANDs of several inputs.
pub const GMW_WIDE: Protocol = Protocol::new(&Descriptor {
    name: "gmw-wide",
    page: "gmw.md#ands-of-several-inputs",
    best_for: "half the rounds online, where rounds cost and products ahead do not",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: WIDEST,
    family: Family::Gmw(Transfers::Ordinary),
});

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_circuit::{Builder, Poly};
    use tacit_protocol::Baseline;

    #[test]
    fn sets_are_products_of_pairs_and_what_was_made_before() {
        for (inputs, products) in [(2, 1), (3, 4), (4, 11)] {
            assert_eq!(pairs(inputs).count() + larger(inputs).count(), products);
            for (at, pair) in pairs(inputs).enumerate() {
                assert_eq!(place(inputs, pair), at);
            }
            for set in larger(inputs) {
                let [first, others] = halves(set);
                assert_eq!((first | others, first & others), (set, 0));
                assert_eq!(first.count_ones(), 2);
                assert!((1..=2).contains(&others.count_ones()));
            }
        }
    }

    #[test]
    fn gates_that_are_too_wide_or_no_products_are_refused() {
        let schedule = |inputs: usize, poly: Option<Poly>| {
            let mut b = Builder::new();
            let wires = b.input(inputs as u32);
            let out = match poly {
                Some(poly) => b.poly(&wires, poly),
                None => vec![b.and(&wires)],
            };
            b.output(&out);
            Schedule::new(&b.finish())
        };
        for inputs in 2..=8 {
            let ands = schedule(inputs, None);
            assert_eq!(check(&ands, Method::Wide).is_ok(), inputs <= 4);
            assert_eq!(check(&ands, Method::Triples(Baseline::HERE.unwrap())).is_ok(), inputs == 2);
        }
        let sum = schedule(4, Some(Poly::new(4, vec![vec![0b0011, 0b1100]])));
        let error = check(&sum, Method::Wide).unwrap_err().to_string();
        assert!(error.contains("not supported: gates other than ANDs of up to 4"), "{error}");
    }
}
