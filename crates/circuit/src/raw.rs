//! Assembling a circuit exactly as given, without folding or merging: what readers use.

use std::collections::HashMap;
use std::sync::Arc;

use crate::form::{Circuit, Nodes, Wire, kind};
use crate::poly::Poly;

/// Collects gates; the caller has checked that inputs exist.
pub(crate) struct Assembler {
    nodes: Nodes,
    input_widths: Vec<u32>,
    polys: HashMap<Arc<Poly>, u32>,
    sorted: Vec<Wire>,
}

impl Assembler {
    /// A circuit with these input ports, and room for about `gates` gates.
    pub fn new(input_widths: Vec<u32>, gates: usize) -> Assembler {
        let inputs: usize = input_widths.iter().map(|&w| w as usize).sum();
        let mut nodes = Nodes::with_capacity(inputs + gates);
        for (port, &width) in input_widths.iter().enumerate() {
            for bit in 0..width {
                nodes.push(kind::INPUT, [Wire(port as u32), Wire(bit)]);
            }
        }
        Assembler { nodes, input_widths, polys: HashMap::new(), sorted: Vec::new() }
    }

    pub fn wire_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn constant(&mut self, value: bool) -> Wire {
        self.nodes.push(if value { kind::ONE } else { kind::ZERO }, [Wire(0); 2])
    }

    pub fn not(&mut self, a: Wire) -> Wire {
        self.nodes.push(kind::NOT, [a, Wire(0)])
    }

    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        self.nodes.push(kind::XOR, [a.min(b), a.max(b)])
    }

    /// An AND of 1 to 8 wires; repeated ones count once, and a single one is itself.
    pub fn and(&mut self, xs: &[Wire]) -> Wire {
        if let &[a, b] = xs
            && a != b
        {
            return self.nodes.push_and(&[a.min(b), a.max(b)]);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(xs);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        if self.sorted.len() == 1 { self.sorted[0] } else { self.nodes.push_and(&self.sorted) }
    }

    /// A polynomial gate; its outputs follow each other from the returned wire.
    pub fn poly(&mut self, inputs: &[Wire], poly: Poly) -> Wire {
        let id = match self.polys.get(&poly) {
            Some(&id) => id,
            None => {
                let poly = Arc::new(poly);
                let id = self.nodes.add_poly(poly.clone());
                self.polys.insert(poly, id);
                id
            }
        };
        self.nodes.push_poly(inputs, id)
    }

    pub fn finish(self, outputs: Vec<Vec<Wire>>) -> Circuit {
        Circuit { nodes: self.nodes, input_widths: self.input_widths, outputs }
    }
}
