//! AND of many inputs (`docs/spec/circuits.md` section 4).

use super::bits::FanIn;
use crate::{Builder, Wire, gate_bits};
use std::collections::HashMap;

/// The tree whose every gate takes as many inputs as it may: about
/// `(n - 1) / (F - 1)` gates, depth `ceil(log_F n)`. The published design.
pub fn uniform(b: &mut Builder, inputs: &[Wire], fan_in: FanIn) -> Wire {
    let mut layer = inputs.to_vec();
    while layer.len() > 1 {
        layer = layer.chunks(fan_in.get()).map(|group| b.and(group)).collect();
    }
    layer.first().copied().unwrap_or_else(|| b.constant(true))
}

/// The tree of depth `ceil(log_F n)` that moves the fewest bits.
pub fn cheapest(b: &mut Builder, inputs: &[Wire], fan_in: FanIn) -> Wire {
    cheapest_in(b, inputs, fan_in, fan_in.levels(inputs.len()))
}

/// The tree of at most `levels` levels that moves the fewest bits; `levels` is
/// raised to what the fan-in limit needs.
pub fn cheapest_in(b: &mut Builder, inputs: &[Wire], fan_in: FanIn, levels: u32) -> Wire {
    if inputs.is_empty() {
        return b.constant(true);
    }
    let levels = levels.max(fan_in.levels(inputs.len())).min(FanIn::TWO.levels(inputs.len()));
    let mut splits = Splits { fan_in, memo: HashMap::new() };
    build(b, inputs, levels, &mut splits)
}

/// Bits per direction of [`cheapest_in`].
pub fn cheapest_bits(inputs: usize, fan_in: FanIn, levels: u32) -> Option<u64> {
    Splits { fan_in, memo: HashMap::new() }.best(inputs, levels).map(|(bits, _)| bits)
}

fn build(b: &mut Builder, inputs: &[Wire], levels: u32, splits: &mut Splits) -> Wire {
    if let [single] = inputs {
        return *single;
    }
    let (_, parts) = splits.best(inputs.len(), levels).expect("the depth suffices for the inputs");
    let mut rest = inputs;
    let mut roots = Vec::with_capacity(parts);
    for part in 0..parts {
        let size = rest.len().div_ceil(parts - part);
        let (now, later) = rest.split_at(size);
        roots.push(build(b, now, levels - 1, splits));
        rest = later;
    }
    b.and(&roots)
}

/// Least cost of an AND by depth left: the root's fan-in `l` and an even split
/// into `l` parts. Even splits suffice because the gate cost is convex.
struct Splits {
    fan_in: FanIn,
    memo: HashMap<(usize, u32), Option<(u64, usize)>>,
}

impl Splits {
    fn best(&mut self, inputs: usize, levels: u32) -> Option<(u64, usize)> {
        if inputs <= 1 {
            return Some((0, 1));
        }
        if levels == 0 {
            return None;
        }
        if let Some(&known) = self.memo.get(&(inputs, levels)) {
            return known;
        }
        let best = (2..=self.fan_in.get().min(inputs))
            .filter_map(|parts| {
                let (small, larger) = (inputs / parts, inputs % parts);
                let low = self.best(small, levels - 1)?.0 * (parts - larger) as u64;
                let high = if larger > 0 {
                    self.best(small + 1, levels - 1)?.0 * larger as u64
                } else {
                    0
                };
                Some((gate_bits(parts) + low + high, parts))
            })
            .min();
        self.memo.insert((inputs, levels), best);
        best
    }
}
