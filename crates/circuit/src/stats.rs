//! Counts, depth and liveness of a circuit.

use crate::form::{Circuit, Gate, MAX_FAN_IN};

/// The depth and the gate counts of a circuit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Largest number of AND or polynomial gates on a path to an output or to any gate.
    pub and_depth: u32,
    /// AND gates by fan-in; entries 0 and 1 are unused.
    pub ands: [u64; MAX_FAN_IN + 1],
    /// Polynomial gates.
    pub polys: u64,
    /// XOR gates (free).
    pub xors: u64,
    /// NOT gates (free).
    pub nots: u64,
}

/// Gives the elements per direction of one `l`-input AND in the symmetric form: `2^l - l - 1`.
pub const fn gate_bits(l: usize) -> u64 {
    (1u64 << l) - l as u64 - 1
}

impl Stats {
    /// AND gates of any fan-in (polynomial gates not included): the *size*.
    pub fn and_count(&self) -> u64 {
        self.ands.iter().sum()
    }

    /// Bits per lane and direction between the evaluators, gate by gate, symmetric form.
    /// Polynomial gates are not included (see [`crate::passes::cost`]).
    pub fn direction_bits(&self) -> u64 {
        (2..=MAX_FAN_IN).map(|l| self.ands[l] * gate_bits(l)).sum()
    }

    /// Bits per lane that the helper sends, gate by gate, symmetric form.
    pub fn helper_bits(&self) -> u64 {
        (2..=MAX_FAN_IN).map(|l| self.ands[l] * if l == 2 { 1 } else { 2 }).sum()
    }

    /// Bits per lane of all three parties, gate by gate, symmetric form.
    pub fn total_bits(&self) -> u64 {
        2 * self.direction_bits() + self.helper_bits()
    }

    /// AND gates of two inputs, of three or four, and of five to eight.
    pub fn by_class(&self) -> [u64; 3] {
        [self.ands[2], self.ands[3] + self.ands[4], self.ands[5..].iter().sum()]
    }
}

impl Circuit {
    /// Depth and gate counts of all gates in the circuit.
    pub fn stats(&self) -> Stats {
        let mut s =
            Stats { and_depth: self.levels().into_iter().max().unwrap_or(0), ..Stats::default() };
        for (_, gate) in self.gates() {
            match gate {
                Gate::Input { .. } | Gate::Const(_) => {}
                Gate::Xor(..) => s.xors += 1,
                Gate::Not(_) => s.nots += 1,
                Gate::And(xs) => s.ands[xs.len()] += 1,
                Gate::Poly { .. } => s.polys += 1,
            }
        }
        s
    }

    /// How often each wire is read, by gates and output ports.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0u32; self.wire_count()];
        for (_, gate) in self.gates() {
            gate.for_each_input(|a| uses[a.index()] += 1);
        }
        for w in self.outputs.iter().flatten() {
            uses[w.index()] += 1;
        }
        uses
    }

    /// Which wires are needed for the outputs. Inputs may be dead too.
    pub fn live(&self) -> Vec<bool> {
        crate::live::live_wires(&self.nodes, self.outputs.iter().flatten().copied())
    }

    /// For each wire the first output wire of the last gate (in order) that reads it:
    /// the wire's own id if nothing does, `u32::MAX` if it is an output.
    pub fn last_use(&self) -> Vec<u32> {
        let mut last: Vec<u32> = (0..self.wire_count() as u32).collect();
        for (w, gate) in self.gates() {
            gate.for_each_input(|a| last[a.index()] = w.0);
        }
        for w in self.outputs.iter().flatten() {
            last[w.index()] = u32::MAX;
        }
        last
    }

    /// Most wires alive at once when gates are evaluated in order: the rows of storage that
    /// a lane block needs.
    pub fn peak_live(&self) -> usize {
        let last = self.last_use();
        let mut dies = vec![0u32; self.wire_count() + 1];
        let (mut now, mut peak) = (0usize, 0usize);
        for (w, gate) in self.gates() {
            now += gate.width();
            peak = peak.max(now);
            for &end in &last[w.index()..w.index() + gate.width()] {
                if end != u32::MAX {
                    dies[end as usize] += 1;
                }
            }
            now -= std::mem::take(&mut dies[w.index()]) as usize;
            for j in 1..gate.width() {
                now -= std::mem::take(&mut dies[w.index() + j]) as usize;
            }
        }
        peak
    }
}
