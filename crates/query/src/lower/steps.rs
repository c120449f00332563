//! Which operator of a query an operation of its program is of.

use crate::catalog::Catalog;
use crate::plan::Plan;
use std::collections::HashMap;

/// The operators of a query, and which of them each operation of the program is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The line that each operator has in [the text of the plan](Plan::text); before them, one of what is shown.
    pub lines: Vec<String>,
    /// For each operation of the program, those of loops aside, the number of a line.
    pub of: Vec<usize>,
}

/// Operators by where they are, and the one that is lowered now.
#[derive(Default)]
pub(super) struct Stepper {
    steps: Steps,
    numbers: HashMap<*const Plan, usize>,
    current: usize,
}

impl Stepper {
    pub(super) fn new(plan: &Plan, catalog: &Catalog) -> Self {
        let mut lines = vec!["rows that are shown".to_owned()];
        let mut numbers = HashMap::new();
        for (operator, line) in plan.text(catalog).lines() {
            numbers.insert(std::ptr::from_ref(operator), lines.len());
            lines.push(line);
        }
        Stepper { steps: Steps { lines, of: Vec::new() }, numbers, current: 0 }
    }

    /// What follows the operations up to a number is of an operator, up to [`Stepper::leave`] with what this gives. Of one that has no line, as in
    /// subqueries, it is of the operator around it.
    pub(super) fn enter(&mut self, plan: &Plan, operations: usize) -> usize {
        let before = self.current;
        let number = self.numbers.get(&std::ptr::from_ref(plan)).copied();
        self.leave(number.unwrap_or(before), operations);
        before
    }

    pub(super) fn leave(&mut self, before: usize, operations: usize) {
        self.steps.of.resize(operations, self.current);
        self.current = before;
    }

    pub(super) fn finish(mut self, operations: usize) -> Steps {
        self.leave(0, operations);
        self.steps
    }
}
