//! Programs from the builder: what they compute, and what their mistakes say.

mod mistakes;
mod programs;
mod statistics;

use std::collections::BTreeMap;
use tacit_circuit::library::adder::AdderForm;
use tacit_program::clear::{Array, evaluate_observed};
use tacit_program::lower::{Target, lower};
use tacit_program::{Element, Program};

/// A column as an input.
pub fn column(element: Element, values: &[i128]) -> Array {
    Array::from_values(element, vec![values.len()], values.iter().copied()).unwrap()
}

/// What a program reveals; lowered, it must reveal the same, and nothing leave its interval.
pub fn run(program: &Program, rows: &[u64], inputs: &[(&str, Array)]) -> Vec<Vec<i128>> {
    let inputs: BTreeMap<String, Array> =
        inputs.iter().map(|(name, data)| (name.to_string(), data.clone())).collect();
    let reveal = |program: &Program| -> Vec<Vec<i128>> {
        let (outputs, observed) = evaluate_observed(program, rows, inputs.clone()).unwrap();
        let violation = observed.violations.values().next();
        assert_eq!(violation.map(|v| (v.span.line, v.declared)), None, "line, declared interval");
        outputs.into_iter().map(|(_, array)| array.values().collect()).collect()
    };
    let results = reveal(program);
    let lowered = lower(program, Target::circuits(AdderForm::Select));
    tacit_program::infer::check(&lowered).unwrap();
    assert_eq!(results, reveal(&lowered));
    results
}
