//! The passes in a row, for a goal.

use crate::form::{Circuit, MAX_FAN_IN};

use super::cost::{CostModel, Form};
use super::{collapse_levels, fold, fuse, lower, merge_trees, share_xors};

/// The cost that optimisation makes small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// AND depth first, then elements.
    Depth,
    /// Elements only (the depth does not grow).
    Size,
    /// `level_cost` x depth + `bit_cost` x elements.
    Cost {
        /// What one AND level costs.
        level_cost: f64,
        /// What one element per lane costs.
        bit_cost: f64,
    },
}

/// The options of [`optimise`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The cost to make small.
    pub goal: Goal,
    /// Most inputs of an AND: 2 to 8.
    pub max_fan_in: usize,
    /// Whether the result may have polynomial gates. Those in the circuit are kept if so, and
    /// expanded if not.
    pub polynomial: bool,
    /// Form whose elements are counted.
    pub form: Form,
}

impl Default for Options {
    /// Two-input ANDs only, least size.
    fn default() -> Options {
        Options { goal: Goal::Size, max_fan_in: 2, polynomial: false, form: Form::Symmetric }
    }
}

impl Options {
    fn model(&self) -> CostModel {
        let (level_cost, bit_cost) = match self.goal {
            Goal::Depth => (1e12, 1.0),
            Goal::Size => (0.0, 1.0),
            Goal::Cost { level_cost, bit_cost } => (level_cost, bit_cost),
        };
        CostModel { level_cost, bit_cost, form: self.form }
    }
}

/// Runs the passes: folding, XOR sharing, merging of AND trees, collapsing of levels and, if
/// allowed, fusion into polynomial gates. Ports and function stay.
///
/// If the circuit has no gates that the options forbid, the result is not deeper.
///
/// # Panics
/// If `max_fan_in` is not from 2 to 8.
pub fn optimise(circuit: &Circuit, options: &Options) -> Circuit {
    let fan = options.max_fan_in;
    assert!((2..=MAX_FAN_IN).contains(&fan), "AND gates have 2 to {MAX_FAN_IN} inputs");
    let model = options.model();
    let mut c = if options.polynomial { fold(circuit) } else { fold(&lower(circuit, fan)) };
    c = merge_trees(&c, fan, &model);
    if model.level_cost > 0.0 && fan > 2 {
        c = collapse_levels(&c, fan, &model, options.polynomial);
    }
    c = share_xors(&fold(&c));
    if options.polynomial {
        c = share_xors(&fuse(&c, options.form));
    }
    c
}
