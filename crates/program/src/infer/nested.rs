//! Circuits and loops.

use super::context::Context;
use super::element::describe;
use super::shape;
use super::whole::check_type;
use crate::ir::{Loop, Op};
use crate::types::{Element, Extent, Interval, Type, Visibility};
use tacit_circuit::Circuit;

/// Bits of a raw value.
#[must_use]
pub fn width(element: Element) -> u32 {
    match element {
        Element::Bit => 1,
        Element::Int { bits, .. } | Element::Fixed { bits, .. } => bits.into(),
    }
}

/// A circuit lane by lane: results as declared, in the operands' shape and visibility.
pub fn circuit(context: &Context<'_>, name: &str, circuit: &Circuit) -> Result<Vec<Type>, String> {
    let declared = context.declared.ok_or("a circuit's results must be declared with types")?;
    let inputs = circuit.input_widths();
    let outputs: Vec<u32> = circuit.output_ports().iter().map(|p| p.len() as u32).collect();
    match_ports(name, "input", inputs, context.operands.iter().copied())?;
    match_ports(name, "output", &outputs, declared.iter())?;
    let lanes = match context.operands.is_empty() {
        false => context.shape()?,
        true => declared.first().map(|t| t.shape.clone()).unwrap_or_default(),
    };
    let visibility = context.visibility();
    let typed = |ty: &Type| {
        let ty = Type { shape: lanes.clone(), visibility, ..ty.clone() };
        check_type(&ty, context.dims).map(|()| ty)
    };
    declared.iter().map(typed).collect()
}

fn match_ports<'a>(
    name: &str,
    what: &str,
    ports: &[u32],
    types: impl ExactSizeIterator<Item = &'a Type>,
) -> Result<(), String> {
    if ports.len() != types.len() {
        let (n, m) = (ports.len(), types.len());
        return Err(format!("circuit {name} has {n} {what} ports, not {m}"));
    }
    for (number, (&bits, ty)) in ports.iter().zip(types).enumerate() {
        if bits != width(ty.element) {
            let element = ty.element;
            return Err(format!(
                "{what} port {number} of circuit {name} has {bits} bits: not {element}"
            ));
        }
    }
    Ok(())
}

/// The type of the iteration number in the body of a loop of so many trips.
pub fn iteration(trips: &Extent, context_dims: &[crate::ir::Dim]) -> Result<Type, String> {
    let most = shape::most(trips, context_dims).filter(|&n| n <= i64::MAX as u64);
    let most = most.ok_or("a loop of more than 2^63 iterations")?;
    let interval = Interval { low: 0, high: (i128::from(most) - 1).max(0) };
    let visibility = Visibility::Public;
    Ok(Type { element: Element::int(64), shape: Vec::new(), visibility, interval })
}

/// A loop: one result per carried value, of the parameter's type.
pub fn repeat(context: &Context<'_>, inner: &Loop) -> Result<Vec<Type>, String> {
    shape::valid(std::slice::from_ref(&inner.trips), context.dims)?;
    let (carried, operands) = (inner.carried, context.operands);
    if operands.len() < carried || inner.body.results.len() != carried {
        return Err(format!(
            "a loop that carries {carried} values takes at least as many and its body gives as \
             many back, not {} and {}",
            operands.len(),
            inner.body.results.len()
        ));
    }
    let parameters = parameters(inner);
    if parameters.len() != operands.len() + 1 {
        return Err(format!(
            "the body has {} parameters: the carried values, the iteration number and the values \
             of outside are {}",
            parameters.len(),
            operands.len() + 1
        ));
    }
    if *parameters[carried] != iteration(&inner.trips, context.dims)? {
        return Err(format!("parameter {carried} of the body is the iteration number: public i64"));
    }
    for (i, (parameter, operand)) in
        parameters[carried + 1..].iter().zip(&operands[carried..]).enumerate()
    {
        accepts(parameter, operand).map_err(|e| format!("value {i} of outside {e}"))?;
    }
    for i in 0..carried {
        let parameter = parameters[i];
        accepts(parameter, operands[i]).map_err(|e| format!("carried value {i} {e}"))?;
        let next = inner.body.nodes.get(inner.body.results[i].node as usize);
        let next = next.and_then(|node| node.types.get(inner.body.results[i].index as usize));
        let next = next.ok_or("the body gives back a value that it does not have")?;
        accepts(parameter, next).map_err(|e| format!("the next carried value {i} {e}"))?;
    }
    Ok(parameters[..carried].iter().map(|&ty| ty.clone()).collect())
}

/// Types of a body's parameters, in order.
fn parameters(inner: &Loop) -> Vec<&Type> {
    (0..)
        .zip(&inner.body.nodes)
        .map_while(|(i, node)| match &node.op {
            Op::Parameter(n) if *n == i => node.types.first(),
            _ => None,
        })
        .collect()
}

fn accepts(parameter: &Type, value: &Type) -> Result<(), String> {
    let (old, new) = (parameter.element, value.element);
    if old != new {
        return Err(format!("has type {new}, its parameter {old}: cast it"));
    }
    if parameter.shape != value.shape {
        return Err("has another shape than its parameter".into());
    }
    if parameter.visibility.join(value.visibility) != parameter.visibility {
        return Err("may be seen by fewer than its parameter: make that one secret".into());
    }
    if !parameter.interval.contains(value.interval) {
        return Err(format!(
            "may be anything in {}, its parameter only in {}: promise that with `assume`",
            describe(new, value.interval),
            describe(old, parameter.interval)
        ));
    }
    Ok(())
}
