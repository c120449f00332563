//! Compiler passes (`docs/spec/circuits.md` section 9).
//!
//! Every pass keeps the input and output ports and the function. None makes the circuit
//! deeper, and none dearer under its own cost model.

mod balance;
mod basis;
mod collapse;
pub mod cost;
mod fuse;
mod level_program;
mod lower;
mod merge;
mod optimise;
mod share_xors;
mod tree;

pub use balance::{Balance, balance, latest_levels, peak, slack};
pub use collapse::collapse_levels;
pub use fuse::fuse;
pub use level_program::{Factors, Functional, LevelProgram, Read, level_traffic};
pub use lower::{lower, lower_to_sums};
pub use merge::merge_trees;
pub use optimise::{Goal, Options, optimise};
pub use share_xors::share_xors;

use crate::builder::Builder;
use crate::form::{Circuit, Gate, Wire};

/// Constant folding, local identities and merging of identical gates: the circuit rebuilt
/// through a [`Builder`]. Dead gates go too. Idempotent.
pub fn fold(circuit: &Circuit) -> Circuit {
    let mut new = fold_once(circuit);
    // A polynomial gate that loses a dead output may have become simpler.
    while new.stats().polys > 0 {
        let again = fold_once(&new);
        if again == new {
            break;
        }
        new = again;
    }
    new
}

fn fold_once(circuit: &Circuit) -> Circuit {
    rebuild(circuit, |b, gate, inputs, out| match gate {
        Gate::Poly { poly, .. } => out.extend(b.poly(inputs, poly.clone())),
        _ => out.push(b.and(inputs)),
    })
}

/// Only the gates that some output depends on, otherwise as they are. Idempotent.
pub fn drop_dead(circuit: &Circuit) -> Circuit {
    crate::compact::compact(&circuit.nodes, circuit.input_widths.clone(), circuit.outputs.clone())
}

/// Rebuilds a circuit through a [`Builder`]; `f` makes the ANDs and polynomial gates from
/// their new inputs and pushes one wire per output.
pub(crate) fn rebuild(
    circuit: &Circuit,
    mut f: impl FnMut(&mut Builder, Gate<'_>, &[Wire], &mut Vec<Wire>),
) -> Circuit {
    let mut b = Builder::new();
    let mut map = input_map(&mut b, circuit);
    let (mut inputs, mut out) = (Vec::new(), Vec::new());
    for (w, gate) in circuit.gates() {
        if gate.is_level() {
            inputs.clear();
            out.clear();
            gate.for_each_input(|x| inputs.push(map[x.index()]));
            f(&mut b, gate, &inputs, &mut out);
            map[w.index()..w.index() + out.len()].copy_from_slice(&out);
        } else {
            b.copy_gate(w, gate, &mut map, &mut inputs);
        }
    }
    set_outputs(&mut b, circuit, &map);
    b.finish()
}

/// Gives a builder the circuit's input ports; returns a map from its wires with those set.
pub(crate) fn input_map(b: &mut Builder, circuit: &Circuit) -> Vec<Wire> {
    let mut map = vec![Wire(0); circuit.wire_count()];
    let mut at = 0;
    for &width in circuit.input_widths() {
        for w in b.input(width) {
            map[at] = w;
            at += 1;
        }
    }
    map
}

/// Gives a builder the circuit's output ports.
pub(crate) fn set_outputs(b: &mut Builder, circuit: &Circuit, map: &[Wire]) {
    for port in circuit.output_ports() {
        let wires: Vec<Wire> = port.iter().map(|w| map[w.index()]).collect();
        b.output(&wires);
    }
}
