//! Simplifying polynomial gates while building.

use std::collections::HashMap;

use crate::builder::Builder;
use crate::compact::drop_unused;
use crate::form::{MAX_FAN_IN, Wire};
use crate::poly::{Poly, cancel_pairs};

/// Builds what [`Builder::poly`] gives: a simplified gate, or XORs and an AND.
pub(crate) fn build(b: &mut Builder, inputs: &[Wire], poly: &Poly) -> Vec<Wire> {
    assert_eq!(inputs.len(), poly.arity(), "one wire per input of the polynomial gate");
    let (distinct, factors) = distinct_inputs(b, inputs);
    let outputs: Vec<Vec<u16>> = poly
        .outputs()
        .iter()
        .map(|o| cancel_pairs(o.iter().filter_map(|&m| substitute(m, &factors)).collect()))
        .collect();
    let wide: Vec<bool> = outputs.iter().map(|o| o.iter().any(|m| m.count_ones() > 1)).collect();
    let gate = build_wide(b, &distinct, &outputs, &wide);
    outputs
        .iter()
        .zip(&wide)
        .map(|(o, &wide)| if wide { gate[o] } else { linear(b, &distinct, o) })
        .collect()
}

/// What an input of the gate has become.
enum Factor {
    Zero,
    One,
    Input(usize),
}

fn distinct_inputs(b: &Builder, inputs: &[Wire]) -> (Vec<Wire>, Vec<Factor>) {
    let mut distinct: Vec<Wire> = Vec::new();
    let mut factors = Vec::with_capacity(inputs.len());
    for &x in inputs {
        factors.push(match b.constant_value(x) {
            Some(false) => Factor::Zero,
            Some(true) => Factor::One,
            None => Factor::Input(distinct.iter().position(|&y| y == x).unwrap_or_else(|| {
                distinct.push(x);
                distinct.len() - 1
            })),
        });
    }
    (distinct, factors)
}

/// A product over the distinct inputs; none if a factor is 0.
fn substitute(mask: u16, factors: &[Factor]) -> Option<u16> {
    let mut new = 0;
    for (k, f) in factors.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1) {
        debug_assert!(k < 16);
        match f {
            Factor::Zero => return None,
            Factor::One => {}
            Factor::Input(i) => new |= 1 << i,
        }
    }
    Some(new)
}

fn linear(b: &mut Builder, inputs: &[Wire], products: &[u16]) -> Wire {
    let terms: Vec<Wire> = products
        .iter()
        .map(|&m| if m == 0 { b.constant(true) } else { inputs[m.trailing_zeros() as usize] })
        .collect();
    b.xor_all(&terms)
}

/// Builds the gate of the outputs marked `wide`, each distinct output once.
fn build_wide(
    b: &mut Builder,
    inputs: &[Wire],
    outputs: &[Vec<u16>],
    wide: &[bool],
) -> HashMap<Vec<u16>, Wire> {
    let mut kept: Vec<Vec<u16>> = Vec::new();
    for (o, _) in outputs.iter().zip(wide).filter(|(_, w)| **w) {
        if !kept.contains(o) {
            kept.push(o.clone());
        }
    }
    match kept.as_slice() {
        [] => HashMap::new(),
        [one] if one.len() == 1 && one[0].count_ones() as usize <= MAX_FAN_IN => {
            let xs: Vec<Wire> =
                (0..inputs.len()).filter(|&k| one[0] >> k & 1 == 1).map(|k| inputs[k]).collect();
            let w = b.and(&xs);
            HashMap::from([(one.clone(), w)])
        }
        _ => {
            let (used, poly) = drop_unused(inputs.len(), kept.clone());
            let xs: Vec<Wire> = used.iter().map(|&k| inputs[k]).collect();
            let first = b.merged_poly(&xs, poly);
            kept.into_iter().enumerate().map(|(j, o)| (o, Wire(first.0 + j as u32))).collect()
        }
    }
}
