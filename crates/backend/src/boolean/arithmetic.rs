//! Circuits on numbers held as bits, in two's complement, least significant bit first.

use super::super::bits::sign;
use super::super::forms::Forms;
use tacit_circuit::library::carry_save::{self, Columns};
use tacit_circuit::library::comparator;
use tacit_circuit::library::multiplier;
use tacit_circuit::library::{FanIn, bits};
use tacit_circuit::{Builder, Wire};

/// What a circuit computes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// `x + y` or `x - y`.
    Sum {
        /// Bits of operands and result.
        bits: u32,
        /// Whether to subtract.
        subtract: bool,
    },
    /// `x` plus a constant.
    Plus {
        /// Bits of operand and result.
        bits: u32,
        /// The constant.
        number: i128,
    },
    /// `x` times a constant.
    Times {
        /// Bits of operand and result.
        bits: u32,
        /// The constant.
        factor: i128,
    },
    /// `x y`, of signed factors.
    Product {
        /// Bits of the factors.
        factors: [u32; 2],
        /// Bits of the result.
        bits: u32,
    },
    /// Two numbers whose sum is `x y`, of signed factors.
    ProductRows {
        /// Bits of the factors.
        factors: [u32; 2],
        /// Bits of the results.
        bits: u32,
    },
    /// A bit times a number.
    Mask(u32),
    /// The second operand where the first, a bit, is one, else the third.
    Select(u32),
    /// Two numbers whose sum is that of all operands, none of them signed.
    Rows {
        /// How many operands.
        rows: u32,
        /// Bits of an operand.
        from: u32,
        /// Bits of the results.
        to: u32,
    },
    /// One number: the sum of all operands, none of them signed, and a constant.
    Total {
        /// How many operands.
        rows: u32,
        /// Bits of an operand.
        from: u32,
        /// Bits of the result.
        to: u32,
        /// The constant.
        plus: i128,
    },
    /// Whether `x - y` is negative, or zero.
    Compare {
        /// Bits of the operands, and of the difference.
        bits: u32,
        /// Operands that are constants instead.
        constants: [Option<i128>; 2],
        /// Whether it is compared with zero.
        equal: bool,
    },
    /// Whether the first operand is less than the second one, neither of them signed. If they are equal, it is not.
    Less(u32),
    /// Both operands, that with the lower key first.
    Exchange {
        /// Low bits that are the key.
        key: u32,
        /// Bits of an operand.
        bits: u32,
    },
}

impl Arithmetic {
    /// Builds the circuit.
    pub(in super::super) fn build(&self, b: &mut Builder, forms: Forms) {
        match *self {
            Arithmetic::Sum { bits, subtract } => {
                let (x, y) = (b.input(bits), b.input(bits));
                let sum = match subtract {
                    true => forms.subtract(b, &x, &y),
                    false => forms.add(b, &x, &y, None),
                };
                b.output(&sum);
            }
            Arithmetic::Plus { bits, number } => {
                let x = b.input(bits);
                let constant = bits::constant(b, number as u128, x.len());
                let sum = forms.add(b, &x, &constant, None);
                b.output(&sum);
            }
            Arithmetic::Times { bits, factor } => {
                let x = b.input(bits);
                let columns = multiples(b, &x, factor);
                let product = forms.sum_columns(b, columns);
                b.output(&product);
            }
            Arithmetic::Product { factors, bits } => {
                let [x, y] = factors.map(|bits| b.input(bits));
                let product = forms.product(b, &x, &y, bits as usize);
                b.output(&product);
            }
            Arithmetic::ProductRows { factors, bits } => {
                let [x, y] = factors.map(|bits| b.input(bits));
                let columns = multiplier::signed_columns(b, &x, &y, bits as usize);
                two_rows(b, columns, forms.counters);
            }
            Arithmetic::Mask(bits) => {
                let (bit, x) = (b.input(1)[0], b.input(bits));
                let masked = bits::mask(b, bit, &x);
                b.output(&masked);
            }
            Arithmetic::Select(bits) => {
                let (bit, x, y) = (b.input(1)[0], b.input(bits), b.input(bits));
                let chosen = bits::choose(b, bit, &x, &y);
                b.output(&chosen);
            }
            Arithmetic::Rows { rows, from, to } => {
                let columns = operands(b, rows, from, to);
                two_rows(b, columns, forms.counters);
            }
            Arithmetic::Total { rows, from, to, plus } => {
                let mut columns = operands(b, rows, from, to);
                push_constant(b, &mut columns, plus as u128);
                let sum = forms.sum_columns(b, columns);
                b.output(&sum);
            }
            Arithmetic::Compare { bits, constants, equal } => {
                let [x, y] = constants.map(|constant| match constant {
                    Some(number) => bits::constant(b, number as u128, bits as usize),
                    None => b.input(bits),
                });
                let result = if equal {
                    comparator::equal(b, &x, &y, forms.fan_in)
                } else {
                    sign(b, &x, &y, forms)
                };
                b.output(&[result]);
            }
            Arithmetic::Less(bits) => {
                let (x, y) = (b.input(bits), b.input(bits));
                let less = forms.less(b, &x, &y);
                b.output(&[less]);
            }
            Arithmetic::Exchange { key, bits } => {
                let (x, y) = (b.input(bits), b.input(bits));
                let key = key as usize;
                let swap = forms.less(b, &y[..key], &x[..key]);
                let differ = bits::xor(b, &x, &y);
                let change = bits::mask(b, swap, &differ);
                for operand in [x, y] {
                    let moved = bits::xor(b, &operand, &change);
                    b.output(&moved);
                }
            }
        }
    }
}

/// The bits of `x` times a constant, by its signed digits that are not zero, no two of them
/// neighbours.
fn multiples(b: &mut Builder, x: &[Wire], factor: i128) -> Columns {
    let mut columns = vec![Vec::new(); x.len()];
    let (mut left, mut constant) = (factor as u128, 0u128);
    for start in 0..x.len() {
        if left & 1 == 1 {
            let negative = left & 3 == 3;
            for (column, bit) in columns[start..].iter_mut().zip(x) {
                column.push(if negative { b.not(*bit) } else { *bit });
            }
            // -y is !y + 1.
            constant = constant.wrapping_add(u128::from(negative) << start);
            left = if negative { left.wrapping_add(1) } else { left - 1 };
        }
        left >>= 1;
    }
    push_constant(b, &mut columns, constant);
    columns
}

fn push_constant(b: &mut Builder, columns: &mut Columns, constant: u128) {
    let one = b.constant(true);
    for (_, column) in columns.iter_mut().enumerate().filter(|(j, _)| constant >> j & 1 == 1) {
        column.push(one);
    }
}

fn operands(b: &mut Builder, rows: u32, from: u32, to: u32) -> Columns {
    let mut columns = vec![Vec::new(); to as usize];
    for _ in 0..rows {
        let row = b.input(from);
        columns.iter_mut().zip(row).for_each(|(column, bit)| column.push(bit));
    }
    columns
}

fn two_rows(b: &mut Builder, columns: Columns, fan_in: FanIn) {
    let columns = carry_save::reduce(b, columns, fan_in);
    let zero = b.constant(false);
    for row in 0..2 {
        let bits: Vec<Wire> =
            columns.iter().map(|column| column.get(row).copied().unwrap_or(zero)).collect();
        b.output(&bits);
    }
}
