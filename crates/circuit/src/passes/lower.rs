//! Lowering: circuits for protocols and tools without wide gates.

use std::collections::HashMap;

use crate::builder::{Builder, split_even};
use crate::form::{Circuit, Gate, Wire};
use crate::poly::Poly;

use super::rebuild;

/// Lowers a circuit to ANDs of at most `max_fan_in` inputs (2 to 8) and no polynomial
/// gates; the function stays. Wide ANDs become balanced trees, polynomial gates ANDs (products shared between
/// outputs) and XORs. A circuit that has no such gates is returned as it is.
///
/// # Panics
/// If `max_fan_in` is less than 2.
pub fn lower(circuit: &Circuit, max_fan_in: usize) -> Circuit {
    lower_gates(circuit, max_fan_in, |_| false)
}

/// Lowers a circuit as [`lower`] does, but keeps gates of sums of two-factor products whole where they have no more
/// outputs than products: an inner product costs as much as one product.
///
/// # Panics
/// If `max_fan_in` is less than 2.
pub fn lower_to_sums(circuit: &Circuit, max_fan_in: usize) -> Circuit {
    lower_gates(circuit, max_fan_in, |poly| {
        let mut products: Vec<u16> = poly.outputs().iter().flatten().copied().collect();
        products.sort_unstable();
        products.dedup();
        let pairs = products.iter().filter(|m| m.count_ones() == 2).count();
        poly.degree() <= 2 && poly.outputs().len() <= pairs
    })
}

fn lower_gates(circuit: &Circuit, max_fan_in: usize, keep: impl Fn(&Poly) -> bool) -> Circuit {
    assert!(max_fan_in >= 2, "an AND has at least two inputs");
    let fits = |gate: Gate<'_>| match gate {
        Gate::And(xs) => xs.len() <= max_fan_in,
        Gate::Poly { poly, .. } => keep(poly),
        _ => true,
    };
    if circuit.gates().all(|(_, gate)| fits(gate)) {
        return circuit.clone();
    }
    rebuild(circuit, |b, gate, inputs, out| match gate {
        Gate::Poly { poly, .. } if keep(poly) => out.extend(b.poly(inputs, poly.clone())),
        Gate::Poly { poly, .. } => out.extend(expand(b, inputs, poly, max_fan_in)),
        _ => out.push(balanced_and(b, inputs, max_fan_in)),
    })
}

/// Lowers ANDs to at most `max_fan_in` inputs, and keeps polynomial gates.
///
/// A polynomial gate may turn out to be a single product when it is built again, and then it is an AND, as
/// wide as the product: the circuit is lowered until none is left. Each turn has fewer polynomial gates than the one before.
pub(crate) fn lower_ands(circuit: &Circuit, max_fan_in: usize) -> Circuit {
    let mut lowered = rebuild(circuit, |b, gate, inputs, out| match gate {
        Gate::Poly { poly, .. } => out.extend(b.poly(inputs, poly.clone())),
        _ => out.push(balanced_and(b, inputs, max_fan_in)),
    });
    if has_wider_and(&lowered, max_fan_in) {
        lowered = lower_ands(&lowered, max_fan_in);
    }
    lowered
}

/// Whether the circuit has an AND of more than `fan` inputs.
pub(crate) fn has_wider_and(circuit: &Circuit, fan: usize) -> bool {
    circuit.gates().any(|(_, gate)| matches!(gate, Gate::And(xs) if xs.len() > fan))
}

/// AND of any number of wires as a tree of least depth for wires of equal level.
pub(crate) fn balanced_and(b: &mut Builder, inputs: &[Wire], fan: usize) -> Wire {
    if inputs.len() <= fan {
        return b.and(inputs);
    }
    let parts: Vec<Wire> = {
        let below = largest_subtree(inputs.len(), fan);
        let pieces = inputs.len().div_ceil(below);
        split_even(inputs, pieces).map(|p| balanced_and(b, p, fan)).collect()
    };
    b.and(&parts)
}

/// Leaves of a full tree one level less deep than `n` leaves need.
fn largest_subtree(n: usize, fan: usize) -> usize {
    let mut below = fan;
    while below * fan < n {
        below *= fan;
    }
    below
}

/// A polynomial gate as ANDs and XORs.
fn expand(b: &mut Builder, inputs: &[Wire], poly: &Poly, fan: usize) -> Vec<Wire> {
    let mut products: HashMap<u16, Wire> = HashMap::new();
    let mut outputs = Vec::with_capacity(poly.outputs().len());
    for list in poly.outputs() {
        let terms: Vec<Wire> = list
            .iter()
            .map(|&m| *products.entry(m).or_insert_with(|| product(b, inputs, m, fan)))
            .collect();
        outputs.push(b.xor_all(&terms));
    }
    outputs
}

fn product(b: &mut Builder, inputs: &[Wire], mask: u16, fan: usize) -> Wire {
    let mut factors: Vec<Wire> =
        (0..inputs.len()).filter(|&k| mask >> k & 1 == 1).map(|k| inputs[k]).collect();
    factors.sort_by_key(|&w| b.level(w));
    balanced_and(b, &factors, fan)
}
