//! What the jobs of a program cost, each laid out and counted once.

use crate::costs::cost_of_program;
use std::cell::RefCell;
use std::rc::Rc;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{CompiledProgram, Cost, ProgramJob};
use tacit_program::Program;

/// A program that is laid out for a job, and what it costs.
pub(crate) struct Counted {
    pub compiled: CompiledProgram,
    pub cost: Cost,
}

/// Counts what jobs of a program cost, and remembers it: who chooses comes back to the same ones.
pub(crate) struct Counter<'p> {
    program: &'p Program,
    known: RefCell<Vec<(ProgramJob, Rc<Counted>)>>,
}

impl<'p> Counter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Counter { program, known: RefCell::default() }
    }

    /// A job, laid out and counted.
    pub fn count(&self, job: &ProgramJob) -> Result<Rc<Counted>, EvaluateError> {
        let before = self.known.borrow().iter().find(|(known, _)| known == job).cloned();
        if let Some((_, counted)) = before {
            return Ok(counted);
        }
        let compiled = CompiledProgram::new(self.program, job.clone())?;
        let cost = cost_of_program(&compiled)?;
        let counted = Rc::new(Counted { compiled, cost });
        self.known.borrow_mut().push((job.clone(), counted.clone()));
        Ok(counted)
    }

    /// What a job costs at least, without what proofs of its products cost.
    pub fn least(&self, job: &ProgramJob) -> Result<Cost, EvaluateError> {
        match job.protocol().proves_products() {
            true => CompiledProgram::new(self.program, job.clone())?.least_cost(),
            false => Ok(self.count(job)?.cost.clone()),
        }
    }
}
