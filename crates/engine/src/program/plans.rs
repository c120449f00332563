//! Which divisions and roots are computed in rings, and in which one.

use tacit_backend::Ring;
use tacit_backend::divide::{Plan, Root, Sizes};
use tacit_program::lower::{DivisionSizes, Target, root_bits};
use tacit_program::{Op, Type};

/// Divisions and roots that rings compute.
pub(super) fn in_rings(circuits: Target) -> Target {
    Target {
        divides: |sizes| plan(sizes).is_some(),
        roots: |bits| Root::of(bits).is_some(),
        ..circuits
    }
}

fn plan(DivisionSizes { dividend, divisor, quotient }: DivisionSizes) -> Option<Plan> {
    Plan::new(Sizes { dividend, divisor, quotient })
}

/// The plan of a division of values of these types.
pub(super) fn plan_of(types: &[&Type], shift: u8) -> Option<Plan> {
    plan(DivisionSizes::of(types[0].interval, shift, types[1].interval)?)
}

/// The ring that an operation of division or root is computed in.
pub(super) fn ring_of(op: &Op, types: &[&Type]) -> Option<Ring> {
    match op {
        Op::Quotient { shift } => plan_of(types, *shift).map(|plan| plan.ring),
        Op::Rem => plan_of(types, 0).map(|plan| plan.ring),
        Op::Sqrt => {
            let bits = root_bits(types[0].interval, types[0].element.fraction());
            Root::of(bits).map(|root| root.ring)
        }
        _ => None,
    }
}
