mod edges;
mod programs;
mod ranges;

use super::{Array, ClearError, evaluate_op};
use crate::ir::Op;
use crate::types::{Element, Extent, Interval, Type, Visibility};

const I8: Element = Element::int(8);
const I64: Element = Element::int(64);
const U8: Element = Element::uint(8);
const U64: Element = Element::uint(64);

fn array(element: Element, shape: &[usize], values: &[i128]) -> Array {
    Array::from_values(element, shape.to_vec(), values.iter().copied()).expect("values that fit")
}

fn column(element: Element, values: &[i128]) -> Array {
    array(element, &[values.len()], values)
}

fn result(element: Element, shape: &[u64]) -> Type {
    Type {
        element,
        shape: shape.iter().map(|&n| Extent::fixed(n)).collect(),
        visibility: Visibility::Public,
        interval: element.interval(),
    }
}

fn within(mut ty: Type, low: i128, high: i128) -> Type {
    ty.interval = Interval { low, high };
    ty
}

/// Values of the one result.
fn values(op: &Op, operands: &[&Array], ty: Type) -> Result<Vec<i128>, ClearError> {
    Ok(evaluate_op(op, operands, &[ty], &[])?[0].values().collect())
}
