//! What proofs of a class cost.

use super::batch::Size;
use super::charge::Charge;
use super::class::Class;
use super::method::Method;
use super::strength::Proving;
use super::{bits, galois, lift};

impl Class {
    /// Terms of a sum at most: integers of sums have room for no more, and sums of bits are proven
    /// element by element.
    pub fn most_terms(self, method: Method) -> usize {
        match (self.sums, method) {
            (true, _) => 1 << 16,
            (_, Method::Galois(_)) if self.bits > 1 => galois::MOST_TERMS,
            _ => 1 << 28,
        }
    }

    /// What one proof of so many words of factors costs.
    pub fn cost(self, Proving { method, strength, .. }: Proving, size: Size) -> Charge {
        let Size { terms, laid_out, .. } = size;
        let each = match self {
            Class { bits: 1, sums: false } => bits::cost(terms).charge(),
            Class { bits: 1, sums: true } if method == Method::WideLift => {
                bits::cost_of_groups(terms, laid_out).charge()
            }
            Class { bits: 1, sums: true } => bits::cost_of_sums(terms).charge(),
            Class { bits, .. } if matches!(method, Method::Galois(_)) => galois::cost(bits, terms),
            Class { bits, .. } => return lift::cost(bits, strength, terms),
        };
        each.times(super::proofs(strength))
    }
}
