//! The table of a polynomial gate: outputs as sums of products of inputs.

use thiserror::Error;

/// Most inputs a polynomial gate may have (the text format's limit, `docs/spec/circuits.md` section 8.3).
pub const MAX_POLY_INPUTS: usize = 12;

/// The reason why a table is not a polynomial gate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolyError {
    /// More than [`MAX_POLY_INPUTS`] inputs.
    #[error("a polynomial gate has at most {MAX_POLY_INPUTS} inputs, not {0}")]
    TooManyInputs(usize),
    /// A gate without outputs computes nothing.
    #[error("a polynomial gate needs at least one output")]
    NoOutputs,
    /// A product that uses an input that the gate does not have.
    #[error("product {mask:#x} of output {output} uses an input beyond the gate's {inputs}")]
    OutOfRange {
        /// Output position.
        output: usize,
        /// The offending product.
        mask: u16,
        /// Number of inputs of the gate.
        inputs: usize,
    },
}

/// A sum-of-products gate: each output is the XOR of products of inputs.
///
/// A product is a bit mask over the inputs: bit `i` set means input `i` is a factor, and
/// mask 0 is the constant 1. Products of an output are sorted and appear once.
///
/// ```
/// use tacit_circuit::Poly;
///
/// let poly = Poly::new(3, vec![vec![0b011, 0b100]]); // x0 x1 + x2
/// let mut out = [0];
/// poly.eval(&[0b1100, 0b1010, 0b0001], &mut out);
/// assert_eq!(out, [0b1001]);
/// assert_eq!(poly.degree(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Poly {
    inputs: u8,
    outputs: Vec<Vec<u16>>,
}

impl Poly {
    /// Makes a gate table; products that appear twice in one output cancel.
    ///
    /// # Panics
    /// If the table is not valid; see [`Poly::try_new`] for tables from outside.
    pub fn new(inputs: u8, outputs: Vec<Vec<u16>>) -> Poly {
        Poly::try_new(inputs.into(), outputs).expect("a valid table of a polynomial gate")
    }

    /// Makes a gate table, or says why there is none; products that appear twice in one output cancel.
    pub fn try_new(inputs: usize, outputs: Vec<Vec<u16>>) -> Result<Poly, PolyError> {
        if inputs > MAX_POLY_INPUTS {
            return Err(PolyError::TooManyInputs(inputs));
        }
        if outputs.is_empty() {
            return Err(PolyError::NoOutputs);
        }
        for (output, products) in outputs.iter().enumerate() {
            if let Some(&mask) = products.iter().find(|&&m| u32::from(m) >> inputs != 0) {
                return Err(PolyError::OutOfRange { output, mask, inputs });
            }
        }
        let outputs = outputs.into_iter().map(cancel_pairs).collect();
        Ok(Poly { inputs: inputs as u8, outputs })
    }

    /// Number of inputs.
    pub fn arity(&self) -> usize {
        self.inputs as usize
    }

    /// The products of each output.
    pub fn outputs(&self) -> &[Vec<u16>] {
        &self.outputs
    }

    /// Most factors in any product.
    pub fn degree(&self) -> u32 {
        self.outputs.iter().flatten().map(|m| m.count_ones()).max().unwrap_or(0)
    }

    /// Evaluates every output over 64 lanes; `inputs` has one word per input.
    pub fn eval(&self, inputs: &[u64], out: &mut [u64]) {
        for (products, o) in self.outputs.iter().zip(out) {
            *o = products.iter().fold(0, |acc, &m| acc ^ product_of(inputs, m));
        }
    }
}

fn product_of(inputs: &[u64], mask: u16) -> u64 {
    let mut rest = mask;
    let mut value = !0u64;
    while rest != 0 {
        value &= inputs[rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    value
}

/// Sorts products and removes those that appear an even number of times.
pub(crate) fn cancel_pairs(mut products: Vec<u16>) -> Vec<u16> {
    products.sort_unstable();
    let mut kept: Vec<u16> = Vec::with_capacity(products.len());
    for m in products {
        if kept.last() == Some(&m) {
            kept.pop();
        } else {
            kept.push(m);
        }
    }
    kept
}
