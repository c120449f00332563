//! Dropping dead gates and renumbering: inputs first.

use std::collections::HashMap;
use std::sync::Arc;

use crate::form::{Circuit, Gate, Nodes, Wire, kind};
use crate::live::live_wires;
use crate::poly::Poly;

const NONE: Wire = Wire(u32::MAX);

/// The circuit of what the outputs depend on; all inputs are kept.
pub(crate) fn compact(nodes: &Nodes, input_widths: Vec<u32>, outputs: Vec<Vec<Wire>>) -> Circuit {
    let live = live_wires(nodes, outputs.iter().flatten().copied());
    let inputs: usize = input_widths.iter().map(|&w| w as usize).sum();
    let count = inputs + live.iter().filter(|&&l| l).count();
    let mut job = Compactor {
        new: Nodes::with_capacity(count.min(nodes.len())),
        map: vec![NONE; nodes.len()],
        polys: HashMap::new(),
        live,
        buffer: Vec::new(),
    };
    for (w, gate) in nodes.gates() {
        if let Gate::Input { port, bit } = gate {
            job.map[w.index()] = job.new.push(kind::INPUT, [Wire(port), Wire(bit)]);
        }
    }
    for (w, gate) in nodes.gates() {
        job.copy(nodes, w, gate);
    }
    let outputs =
        outputs.into_iter().map(|o| o.into_iter().map(|w| job.map[w.index()]).collect()).collect();
    Circuit { nodes: job.new, input_widths, outputs }
}

struct Compactor {
    new: Nodes,
    map: Vec<Wire>,
    polys: HashMap<Arc<Poly>, u32>,
    live: Vec<bool>,
    buffer: Vec<Wire>,
}

impl Compactor {
    fn copy(&mut self, nodes: &Nodes, w: Wire, gate: Gate<'_>) {
        let i = w.index();
        if let Gate::Poly { inputs, poly } = gate {
            return self.copy_poly(i, inputs, poly);
        }
        if !self.live[i] {
            return;
        }
        let map = |x: Wire| self.map[x.index()];
        self.map[i] = match gate {
            Gate::Input { .. } | Gate::Poly { .. } => return,
            Gate::Const(_) => self.new.push(nodes.kind(w), [Wire(0); 2]),
            Gate::Xor(a, b) => {
                let (a, b) = (map(a), map(b));
                self.new.push(kind::XOR, [a.min(b), a.max(b)])
            }
            Gate::Not(a) => {
                let a = map(a);
                self.new.push(kind::NOT, [a, Wire(0)])
            }
            Gate::And(xs) => {
                self.buffer.clear();
                self.buffer.extend(xs.iter().map(|x| self.map[x.index()]));
                self.buffer.sort_unstable();
                self.new.push_and(&self.buffer)
            }
        };
    }

    /// Keeps the live outputs of a polynomial gate and the inputs that they use.
    fn copy_poly(&mut self, at: usize, inputs: &[Wire], poly: &Poly) {
        let kept: Vec<usize> = (0..poly.outputs().len()).filter(|&j| self.live[at + j]).collect();
        if kept.is_empty() {
            return;
        }
        let products: Vec<Vec<u16>> = kept.iter().map(|&j| poly.outputs()[j].clone()).collect();
        let (used, poly) = drop_unused(inputs.len(), products);
        self.buffer.clear();
        self.buffer.extend(used.iter().map(|&k| self.map[inputs[k].index()]));
        let id = match self.polys.get(&poly) {
            Some(&id) => id,
            None => {
                let poly = Arc::new(poly);
                let id = self.new.add_poly(poly.clone());
                self.polys.insert(poly, id);
                id
            }
        };
        let first = self.new.push_poly(&self.buffer, id);
        for (j, &k) in kept.iter().enumerate() {
            self.map[at + k] = Wire(first.0 + j as u32);
        }
    }
}

/// Removes inputs that no product uses; returns the kept positions and the smaller table.
pub(crate) fn drop_unused(inputs: usize, outputs: Vec<Vec<u16>>) -> (Vec<usize>, Poly) {
    let used = outputs.iter().flatten().fold(0u16, |a, m| a | m);
    let kept: Vec<usize> = (0..inputs).filter(|&k| used >> k & 1 == 1).collect();
    let squeeze =
        |m: u16| kept.iter().enumerate().fold(0u16, |s, (new, &old)| s | (m >> old & 1) << new);
    let outputs = outputs.iter().map(|o| o.iter().map(|&m| squeeze(m)).collect()).collect();
    let poly = Poly::new(kept.len() as u8, outputs);
    (kept, poly)
}
