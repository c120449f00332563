//! Which divisions, roots and approximations are computed in rings, and in which one.

use tacit_backend::Ring;
use tacit_backend::approximate::{Approximation, Function};
use tacit_backend::divide::{Plan, Root, Sizes};
use tacit_program::lower::{DivisionSizes, Target, root_bits};
use tacit_program::{Interval, Op, Type};

/// Divisions, roots and approximations that rings compute.
pub(super) fn in_rings(circuits: Target) -> Target {
    Target {
        divides: |sizes, bits| plan(sizes, bits).is_some(),
        roots: |bits| Root::of(bits).is_some(),
        approximates: |op, [argument, result]| {
            approximation_of(op, argument, result).is_some_and(|it| it.ring().is_some())
        },
        ..circuits
    }
}

fn plan(sizes: DivisionSizes, bits: Option<u8>) -> Option<Plan> {
    let DivisionSizes { dividend, divisor, quotient } = sizes;
    let sizes = Sizes { dividend, divisor, quotient };
    bits.map_or_else(|| Plan::new(sizes), |bits| Plan::approximate_to(sizes, bits.into()))
}

/// The plan of a division of values of these types.
pub(super) fn plan_of(types: &[&Type], shift: u8, bits: Option<u8>) -> Option<Plan> {
    plan(DivisionSizes::of(types[0].interval, shift, types[1].interval)?, bits)
}

/// An approximation, which rings may have no way for.
pub(super) fn approximation_of(op: &Op, argument: &Type, result: &Type) -> Option<Approximation> {
    let (function, bits) = match op {
        Op::Exp { bits } => (Function::Exp, *bits),
        Op::Log { bits } => (Function::Log { least: result.interval.low }, *bits),
        Op::Sigmoid { bits } => (Function::Sigmoid, *bits),
        _ => return None,
    };
    let (Interval { low, high }, fraction) = (argument.interval, argument.element.fraction());
    Some(Approximation { function, bits: bits.into(), low, high, fraction: fraction.into() })
}

/// The ring that an operation of division, root or approximation is computed in.
pub(super) fn ring_of(op: &Op, types: &[&Type], result: &Type) -> Option<Ring> {
    match op {
        Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => {
            approximation_of(op, types[0], result)?.ring()
        }
        Op::Quotient { shift, bits } => plan_of(types, *shift, *bits).map(|plan| plan.ring),
        Op::Rem => plan_of(types, 0, None).map(|plan| plan.ring),
        Op::Sqrt => {
            let bits = root_bits(types[0].interval, types[0].element.fraction());
            Root::of(bits).map(|root| root.ring)
        }
        _ => None,
    }
}
