//! Evaluation in the clear, 64 lanes at a time.

use crate::form::{Circuit, Gate};

impl Circuit {
    /// Evaluates 64 independent instances at once.
    ///
    /// `inputs` has one word per input bit, ports concatenated; lane `j` is bit `j` of each
    /// word. Returns one word per output bit, ports concatenated.
    ///
    /// # Panics
    /// If `inputs` has not exactly [`Circuit::input_bits`] words.
    pub fn eval_lanes(&self, inputs: &[u64]) -> Vec<u64> {
        assert_eq!(inputs.len(), self.input_bits(), "one word per input bit");
        let mut value = vec![0u64; self.wire_count()];
        value[..inputs.len()].copy_from_slice(inputs);
        let mut ins = [0u64; crate::poly::MAX_POLY_INPUTS];
        for (w, gate) in self.gates() {
            let i = w.index();
            match gate {
                Gate::Input { .. } => {}
                Gate::Const(c) => value[i] = if c { !0 } else { 0 },
                Gate::Xor(a, b) => value[i] = value[a.index()] ^ value[b.index()],
                Gate::Not(a) => value[i] = !value[a.index()],
                Gate::And(xs) => value[i] = xs.iter().fold(!0, |v, x| v & value[x.index()]),
                Gate::Poly { inputs, poly } => {
                    for (slot, x) in ins.iter_mut().zip(inputs) {
                        *slot = value[x.index()];
                    }
                    poly.eval(&ins[..inputs.len()], &mut value[i..i + poly.outputs().len()]);
                }
            }
        }
        self.outputs.iter().flatten().map(|w| value[w.index()]).collect()
    }

    /// Evaluates one instance: one vector of bits per port, least significant first.
    ///
    /// # Panics
    /// If the number of ports or a port's width does not match.
    pub fn eval(&self, inputs: &[Vec<bool>]) -> Vec<Vec<bool>> {
        assert_eq!(inputs.len(), self.input_widths.len(), "one vector per input port");
        for (bits, &width) in inputs.iter().zip(&self.input_widths) {
            assert_eq!(bits.len(), width as usize, "width of an input port");
        }
        let words: Vec<u64> = inputs.iter().flatten().map(|&b| u64::from(b)).collect();
        let mut out = self.eval_lanes(&words).into_iter().map(|v| v & 1 == 1);
        self.outputs.iter().map(|port| out.by_ref().take(port.len()).collect()).collect()
    }
}
