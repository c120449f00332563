//! What a command is to look at: a program, or a circuit.

use crate::circuit::file::{self, ReadArgs};
use crate::error::CliError;
use crate::program;
use crate::run::{Misplaced, Parties, refuse};
use std::path::Path;
use tacit::Program;
use tacit_circuit::Circuit;
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::By;
use tacit_engine::protocols;

use tacit_sharing::Protocol;

/// What is computed.
pub enum Task {
    /// A circuit.
    Circuit(Circuit),
    /// A program.
    Program(Program),
}

impl Task {
    /// Reads a file, and refuses flags that are for the other kind.
    pub fn read(
        path: &Path,
        read: &ReadArgs,
        for_programs: impl IntoIterator<Item = Misplaced>,
        for_circuits: impl IntoIterator<Item = Misplaced>,
    ) -> Result<Task, CliError> {
        if !program::is_program(path) {
            refuse("programs", for_programs)?;
            return Ok(Task::Circuit(file::read(path, read)?));
        }
        refuse("circuits", for_circuits.into_iter().chain(read.flags()))?;
        Ok(Task::Program(Program::read(path)?))
    }

    /// Whether it is a program.
    pub fn is_program(&self) -> bool {
        matches!(self, Task::Program(_))
    }

    /// The protocols that differ on it.
    pub fn protocols(&self) -> Box<dyn Iterator<Item = Protocol>> {
        match self {
            Task::Circuit(_) => Box::new(protocols::on_bits()),
            Task::Program(_) => Box::new(protocols::all()),
        }
    }

    /// Whether a protocol runs it. The trusted party computes in the clear, not by circuits.
    pub fn is_run_by(
        &self,
        protocol: Protocol,
        by: Option<By>,
        preprocessing: Preprocessing,
    ) -> bool {
        let comes_first = || match preprocessing {
            Preprocessing::Interleaved => true,
            Preprocessing::Separate => !protocol.is_trusted_party(),
        };
        let computes = || match by.unwrap_or(By::of(protocol)) {
            By::Rings => protocol.has_rings(),
            By::Circuits => !protocol.is_trusted_party(),
        };
        match self {
            Task::Circuit(_) => true,
            Task::Program(program) => {
                let fits = program.parties().len() <= protocol.parties();
                fits && computes() && comes_first()
            }
        }
    }

    /// How many parties give inputs.
    pub fn parties(&self) -> usize {
        match self {
            Task::Circuit(circuit) => circuit.input_widths().len(),
            Task::Program(program) => program.parties().len(),
        }
    }

    /// Names of the parties that have some.
    pub fn party_names(&self) -> Vec<String> {
        match self {
            Task::Circuit(_) => Vec::new(),
            Task::Program(program) => program.parties().to_vec(),
        }
    }

    /// Names of all that run it under a protocol.
    pub fn names(&self, protocol: Protocol) -> Result<Parties, CliError> {
        match self {
            Task::Circuit(_) => Ok(Parties::numbered(protocol.parties())),
            Task::Program(program) => Ok(Parties(program::local_names(program, protocol)?)),
        }
    }
}
