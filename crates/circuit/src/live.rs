//! Reachability from the outputs.

use crate::form::{Gate, Nodes, Wire, kind};

/// Marks every wire that some root depends on. Of a polynomial gate only the inputs that
/// its live outputs use are marked.
pub(crate) fn live_wires(nodes: &Nodes, roots: impl Iterator<Item = Wire>) -> Vec<bool> {
    let mut live = vec![false; nodes.len()];
    for w in roots {
        live[w.index()] = true;
    }
    for i in (0..nodes.len()).rev() {
        let w = Wire(i as u32);
        if !live[i] {
            continue;
        }
        let output = if nodes.kind(w) == kind::TAIL { nodes.args(w)[1].index() } else { 0 };
        match nodes.gate(w) {
            Gate::Poly { inputs, poly } => {
                let used = poly.outputs()[output].iter().fold(0, |a, m| a | m);
                for (k, x) in inputs.iter().enumerate() {
                    live[x.index()] |= used >> k & 1 == 1;
                }
            }
            gate => gate.for_each_input(|x| live[x.index()] = true),
        }
    }
    live
}
