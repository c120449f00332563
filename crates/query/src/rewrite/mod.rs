//! Plans as others that give the same rows, faster: what is lowered, and what people are shown.
//!
//! | module | what it does |
//! | --- | --- |
//! | `merge` | puts columns that are computed of columns together |
//! | `nulls` | finds which columns are never null |
//! | `sides` | computes what is about one side of a join before it |
//! | `prune` | leaves out columns that nobody uses |
//! | `names` | names what is computed |
//!
//! The oracle evaluates plans as they were bound, and so finds mistakes here.

mod merge;
mod names;
mod nulls;
mod prune;
mod sides;
#[cfg(test)]
mod tests;

use crate::plan::{Compute, Expr, Plan};

/// A plan that gives the same rows, with columns of the same names.
#[must_use]
pub fn rewritten(mut plan: Plan) -> Plan {
    subqueries(&mut plan);
    let plan = nulls::known(merge::merged(plan));
    let plan = nulls::known(merge::merged(sides::on_their_sides(plan)));
    let plan = merge::merged(prune::pruned(plan));
    names::named(plan)
}

/// Rewrites the subqueries that stand for values.
fn subqueries(plan: &mut Plan) {
    plan.inputs_mut().into_iter().for_each(subqueries);
    plan.exprs_mut().into_iter().for_each(subqueries_of);
}

fn subqueries_of(expr: &mut Expr) {
    if let Compute::Scalar(plan) = &mut expr.compute {
        **plan = rewritten(std::mem::replace(plan.as_mut(), Plan::nothing()));
    }
    expr.operands_mut().into_iter().for_each(subqueries_of);
}

/// A plan with something done to each of its inputs.
fn with_inputs(mut plan: Plan, change: fn(Plan) -> Plan) -> Plan {
    for input in plan.inputs_mut() {
        *input = change(std::mem::replace(input, Plan::nothing()));
    }
    plan
}
