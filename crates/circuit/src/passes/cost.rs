//! Traffic of gates in the three-party protocol with multi-input products
//! (`docs/spec/multi-fan-in-3pc.md` sections 8 and 11), in elements per lane (bits over Z_2).
//!
//! P0 and P1 are the evaluators, P2 the helper. The symmetric form sends sub-products
//! between the evaluators in both directions; the dealer form sends them once, from P2 to
//! P1. An inner product (every product has two factors) costs three messages in all.

use std::collections::HashSet;
use std::ops::{Add, AddAssign};

use crate::form::{Circuit, Gate};
use crate::poly::Poly;
use crate::stats::gate_bits;

/// Which form of the multi-input product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// Sub-products travel between the evaluators (`docs/spec/multi-fan-in-3pc.md` section 6).
    #[default]
    Symmetric,
    /// Sub-products travel from the helper to P1 (`docs/spec/multi-fan-in-3pc.md` section 8.2).
    Dealer,
}

/// Elements per lane on each directed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Traffic {
    /// From P0 to P1.
    pub p0_p1: u64,
    /// From P1 to P0.
    pub p1_p0: u64,
    /// From the helper to P0.
    pub p2_p0: u64,
    /// From the helper to P1.
    pub p2_p1: u64,
}

impl Traffic {
    /// Elements on all links.
    pub fn total(&self) -> u64 {
        self.p0_p1 + self.p1_p0 + self.p2_p0 + self.p2_p1
    }

    /// Inner products in the three-message form.
    fn inner_products(count: u64) -> Traffic {
        Traffic { p0_p1: count, p1_p0: count, p2_p0: count, p2_p1: 0 }
    }

    /// `sent` sub-products and sums, `outputs` outputs.
    fn general(form: Form, sent: u64, outputs: u64) -> Traffic {
        match form {
            Form::Symmetric => Traffic { p0_p1: sent, p1_p0: sent, p2_p0: outputs, p2_p1: outputs },
            Form::Dealer => Traffic { p0_p1: outputs, p1_p0: outputs, p2_p0: 0, p2_p1: sent },
        }
    }
}

impl Add for Traffic {
    type Output = Traffic;

    fn add(self, o: Traffic) -> Traffic {
        Traffic {
            p0_p1: self.p0_p1 + o.p0_p1,
            p1_p0: self.p1_p0 + o.p1_p0,
            p2_p0: self.p2_p0 + o.p2_p0,
            p2_p1: self.p2_p1 + o.p2_p1,
        }
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, o: Traffic) {
        *self = *self + o;
    }
}

impl std::iter::Sum for Traffic {
    fn sum<I: Iterator<Item = Traffic>>(iter: I) -> Traffic {
        iter.fold(Traffic::default(), Add::add)
    }
}

/// An AND of `inputs` inputs on its own. One input costs nothing.
pub fn and_traffic(inputs: usize, form: Form) -> Traffic {
    match (inputs, form) {
        (0 | 1, _) => Traffic::default(),
        (2, Form::Symmetric) => Traffic::inner_products(1),
        (l, _) => Traffic::general(form, gate_bits(l), 1),
    }
}

/// A polynomial gate on its own; constants and single inputs in an output cost nothing.
pub fn poly_traffic(poly: &Poly, form: Form) -> Traffic {
    let products = |o: &Vec<u16>| {
        o.iter().copied().filter(|m| m.count_ones() > 1).map(Mask).collect::<Vec<_>>()
    };
    let outputs: Vec<Vec<Mask>> =
        poly.outputs().iter().map(products).filter(|o| !o.is_empty()).collect();
    sums_traffic(&outputs, form)
}

/// All gates of a circuit, each on its own.
pub fn circuit_traffic(circuit: &Circuit, form: Form) -> Traffic {
    circuit
        .gates()
        .map(|(_, gate)| match gate {
            Gate::And(xs) => and_traffic(xs.len(), form),
            Gate::Poly { poly, .. } => poly_traffic(poly, form),
            _ => Traffic::default(),
        })
        .sum()
}

/// A product of at least two factors.
pub(crate) trait Product: Clone + Eq + std::hash::Hash {
    /// Number of factors.
    fn degree(&self) -> usize;
    /// Calls `f` on every product of at least two of the factors, itself left out.
    fn proper_subproducts(&self, f: &mut dyn FnMut(Self));
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Mask(u16);

impl Product for Mask {
    fn degree(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn proper_subproducts(&self, f: &mut dyn FnMut(Mask)) {
        let mut sub = self.0;
        loop {
            sub = sub.wrapping_sub(1) & self.0;
            if sub == 0 {
                return;
            }
            if sub.count_ones() > 1 {
                f(Mask(sub));
            }
        }
    }
}

/// Which outputs of a polynomial gate go in the three-message form: those of degree two,
/// unless all their products are sub-products of the others anyway.
pub(crate) fn inner_product_outputs<P: Product>(outputs: &[Vec<P>]) -> (Vec<bool>, HashSet<P>) {
    let wide = |o: &Vec<P>| o.iter().any(|p| p.degree() > 2);
    let mut sub = HashSet::new();
    for p in outputs.iter().filter(|o| wide(o)).flatten() {
        p.proper_subproducts(&mut |s| {
            sub.insert(s);
        });
    }
    let quad = outputs.iter().map(|o| !wide(o) && !o.iter().all(|p| sub.contains(p))).collect();
    (quad, sub)
}

/// Sums of products evaluated together, each output with at least one product.
///
/// Symmetric: |Q| + min(|T|, m) per direction and 2m from the helper for the outputs of
/// higher degree, three messages for each of degree two. Dealer: |Q| + min(|T|, m) from the
/// helper and one element per output and direction.
pub(crate) fn sums_traffic<P: Product>(outputs: &[Vec<P>], form: Form) -> Traffic {
    let (quad, sub) = inner_product_outputs(outputs);
    let counts = |want_quad: bool| {
        let mut tops: HashSet<&P> = HashSet::new();
        let mut outs = 0;
        for (o, _) in outputs.iter().zip(&quad).filter(|(_, q)| **q == want_quad) {
            outs += 1;
            tops.extend(o.iter().filter(|p| !sub.contains(p)));
        }
        (tops, outs)
    };
    let ((wide_tops, wide), (quad_tops, quads)) = (counts(false), counts(true));
    let q = sub.len() as u64;
    match form {
        Form::Symmetric => {
            let sent = q + (wide_tops.len() as u64).min(wide);
            Traffic::general(form, sent, wide) + Traffic::inner_products(quads)
        }
        Form::Dealer => {
            let tops = wide_tops.union(&quad_tops).count() as u64;
            Traffic::general(form, q + tops.min(wide + quads), wide + quads)
        }
    }
}

/// What a pass minimises: `level_cost` x depth + `bit_cost` x elements on all links.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    /// What one AND level costs, in units of one element when `bit_cost` is 1: latency x
    /// bandwidth / lanes (`docs/spec/circuits.md` section 9).
    pub level_cost: f64,
    /// What one element per lane costs.
    pub bit_cost: f64,
    /// Form in which gates are evaluated.
    pub form: Form,
}

impl CostModel {
    /// The cost of a depth and an amount of traffic.
    pub fn of(&self, depth: u32, elements: u64) -> f64 {
        self.level_cost * f64::from(depth) + self.bit_cost * elements as f64
    }

    /// The cost of a circuit, gate by gate.
    pub fn circuit(&self, circuit: &Circuit) -> f64 {
        let depth = circuit.levels().into_iter().max().unwrap_or(0);
        self.of(depth, circuit_traffic(circuit, self.form).total())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_gates_cost_what_the_table_says() {
        let symmetric = [0, 0, 3, 10, 24, 54, 116, 242, 496];
        let dealer = [0, 0, 3, 6, 13, 28, 59, 122, 249];
        for l in 0..=8 {
            assert_eq!(and_traffic(l, Form::Symmetric).total(), symmetric[l]);
            assert_eq!(and_traffic(l, Form::Dealer).total(), dealer[l]);
            if l > 1 {
                let poly = Poly::new(l as u8, vec![vec![((1u32 << l) - 1) as u16]]);
                for form in [Form::Symmetric, Form::Dealer] {
                    assert_eq!(poly_traffic(&poly, form), and_traffic(l, form));
                }
            }
        }
    }

    #[test]
    fn inner_products_cost_three_messages() {
        let poly = Poly::new(8, vec![vec![0b11, 0b1100, 0b11_0000, 0b1, 0]]);
        let t = poly_traffic(&poly, Form::Symmetric);
        assert_eq!(t, Traffic { p0_p1: 1, p1_p0: 1, p2_p0: 1, p2_p1: 0 });
        assert_eq!(poly_traffic(&poly, Form::Dealer).total(), 3);
        let linear = Poly::new(2, vec![vec![1, 2, 0]]);
        assert_eq!(poly_traffic(&linear, Form::Symmetric).total(), 0);
    }

    #[test]
    fn a_quadratic_output_inside_a_cubic_one_shares_its_product() {
        // x y z and x y: Q = {xy, xz, yz}, T = {xyz}
        let poly = Poly::new(3, vec![vec![0b111], vec![0b011]]);
        let t = poly_traffic(&poly, Form::Symmetric);
        assert_eq!((t.p0_p1, t.p2_p0, t.p2_p1), (4, 2, 2));
        let t = poly_traffic(&poly, Form::Dealer);
        assert_eq!((t.p2_p1, t.p0_p1), (4, 2));
    }
}
