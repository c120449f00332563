//! Forms of adders, comparators and multipliers: of few levels where a level is a round, of few ANDs where
//! circuits are garbled.

use tacit_circuit::library::carry_save::{self, Columns};
use tacit_circuit::library::comparator::{self, Relation};
use tacit_circuit::library::multiplier::{self, Fusion};
use tacit_circuit::library::{FanIn, adder, bits};
use tacit_circuit::{Builder, Wire};
use tacit_sharing::Protocol;

/// What suits a protocol.
#[derive(Clone, Copy)]
pub(super) struct Forms {
    /// Widest gates.
    pub fan_in: FanIn,
    /// Widest gates of what adds up columns of many bits.
    pub counters: FanIn,
    /// As few ANDs as possible, however many levels.
    smallest: bool,
}

impl Forms {
    /// Wider gates than four cost more traffic than they save rounds; wide counters save GMW a level or two of many, and
    /// cost it several times as many products.
    pub fn of(protocol: Protocol) -> Self {
        let fan_in = FanIn::new(protocol.fan_in().min(4)).expect("two and four are fan-ins");
        let counters = if protocol.is_gmw() { FanIn::TWO } else { fan_in };
        Forms { fan_in, counters, smallest: protocol.garbles() }
    }

    /// `x + y`, and one if `carry` is, modulo a power of two.
    pub fn add(self, b: &mut Builder, x: &[Wire], y: &[Wire], carry: Option<Wire>) -> Vec<Wire> {
        match self.smallest {
            true => adder::ripple(b, x, y, carry, false),
            false => adder::select(b, x, y, carry, false, self.fan_in),
        }
    }

    /// `x - y`, modulo a power of two.
    pub fn subtract(self, b: &mut Builder, x: &[Wire], y: &[Wire]) -> Vec<Wire> {
        let (not, one) = (bits::not(b, y), b.constant(true));
        self.add(b, x, &not, Some(one))
    }

    /// Whether `x < y`, neither signed.
    pub fn less(self, b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
        if x.is_empty() {
            return b.constant(false);
        }
        if !self.smallest {
            return comparator::compare(b, Relation::Less, false, x, y, self.fan_in);
        }
        // The carry out of y + !x, one AND per bit.
        let zero = b.constant(false);
        x.iter().zip(y).fold(zero, |carry, (x, y)| {
            let not = b.not(*x);
            let (u, v) = (b.xor(not, carry), b.xor(*y, carry));
            let flips = b.and2(u, v);
            b.xor(flips, carry)
        })
    }

    /// The sum of all columns.
    pub fn sum_columns(self, b: &mut Builder, columns: Columns) -> Vec<Wire> {
        let columns = carry_save::reduce(b, columns, self.counters);
        if !self.smallest {
            return carry_save::sum_rows(b, columns, self.fan_in);
        }
        let zero = b.constant(false);
        let row = |k: usize| -> Vec<Wire> {
            columns.iter().map(|column| column.get(k).copied().unwrap_or(zero)).collect()
        };
        adder::ripple(b, &row(0), &row(1), None, false)
    }

    /// The low `bits` bits of a product of signed numbers.
    pub fn product(self, b: &mut Builder, x: &[Wire], y: &[Wire], bits: usize) -> Vec<Wire> {
        if bits <= x.len().min(y.len()) {
            let (x, y) = (&x[..bits], &y[..bits]);
            return match self.smallest {
                true => multiplier::array(b, x, y, bits),
                false => {
                    let fusion = Fusion::Auto;
                    let columns =
                        multiplier::partial_products(b, x, y, bits, self.counters, fusion);
                    self.sum_columns(b, columns)
                }
            };
        }
        let width = bits.min(x.len() + y.len());
        let columns = multiplier::signed_columns(b, x, y, width);
        let mut product = self.sum_columns(b, columns);
        product.resize(bits, product[width - 1]);
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{GMW, GMW_WIDE, MULTI_FAN_IN, TRIO};
    use tacit_protocol::{
        Descriptor, Family, GarbledFacts, Garbling, Parties, Security, Status, Transfers,
    };

    /// A protocol that garbles.
    const GARBLED: Protocol = Protocol::new(&Descriptor {
        name: "garbled",
        page: "",
        best_for: "",
        parties: Parties::Exactly(2),
        security: Security::DishonestMajority,
        status: Status::Baseline,
        fan_in: 2,
        family: Family::Garbled(GarbledFacts {
            garbling: Garbling::OneSide,
            transfers: Transfers::Ordinary,
        }),
    });
    use tacit_circuit::Circuit;

    fn drawn(protocol: Protocol, draw: impl Fn(Forms, &mut Builder, &[Wire], &[Wire])) -> Circuit {
        let mut b = Builder::new();
        let (x, y) = (b.input(4), b.input(4));
        draw(Forms::of(protocol), &mut b, &x, &y);
        b.finish()
    }

    fn bits(value: u64) -> Vec<u64> {
        (0..4).map(|bit| if value >> bit & 1 == 1 { u64::MAX } else { 0 }).collect()
    }

    #[test]
    fn all_forms_compute_the_same_and_the_smallest_have_fewer_ands() {
        type Draw = fn(Forms, &mut Builder, &[Wire], &[Wire]);
        let circuits: [Draw; 4] = [
            |forms, b, x, y| {
                let sum = forms.add(b, x, y, None);
                b.output(&sum);
            },
            |forms, b, x, y| {
                let difference = forms.subtract(b, x, y);
                b.output(&difference);
            },
            |forms, b, x, y| {
                let less = forms.less(b, x, y);
                b.output(&[less]);
            },
            |forms, b, x, y| {
                let product = forms.product(b, x, y, 8);
                b.output(&product);
            },
        ];
        for (which, draw) in circuits.into_iter().enumerate() {
            let of = |protocol| drawn(protocol, draw);
            let (small, shallow) = (of(GARBLED), of(TRIO));
            let wide = [GMW_WIDE.fitting(2), MULTI_FAN_IN].map(of);
            assert!(small.stats().and_count() <= shallow.stats().and_count(), "{which}");
            for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
                let inputs = [bits(x), bits(y)].concat();
                let signed = |v: u64| (v as i64) << 60 >> 60;
                let want = match which {
                    0 => (x + y) & 15,
                    1 => x.wrapping_sub(y) & 15,
                    2 => u64::from(x < y),
                    _ => (signed(x) * signed(y)) as u64 & 255,
                };
                for circuit in [&small, &shallow, &wide[0], &wide[1]] {
                    let out = circuit.eval_lanes(&inputs);
                    let got = (0..).zip(&out).fold(0, |sum, (i, bit)| sum | (bit & 1) << i);
                    assert_eq!(got, want, "{which}: {x}, {y}");
                }
            }
        }
    }

    /// Wide adders save levels for less than twice the products of masks, which is what GMW pays for; wide counters
    /// would save one or two more for several times as many.
    #[test]
    fn wide_gates_of_gmw_are_where_they_save_levels_for_little() {
        let product = |protocol| {
            let mut b = Builder::new();
            let (x, y) = (b.input(32), b.input(32));
            let product = Forms::of(protocol).product(&mut b, &x, &y, 32);
            b.output(&product);
            let stats = b.finish().stats();
            (stats.and_depth, stats.direction_bits())
        };
        let [(levels, products), (fewer, more)] =
            [GMW.fitting(2), GMW_WIDE.fitting(2)].map(product);
        assert!(fewer < levels && more < 2 * products, "{levels}, {fewer}; {products}, {more}");
        let (fewest, most) = product(MULTI_FAN_IN);
        assert!(fewest + 2 >= fewer && most > 3 * products, "{fewest}; {most}");
    }
}
