//! What a program costs under each protocol.

use crate::run::in_turn;
use serde::Serialize;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{self, PLAIN};
use tacit_program::Program;
use tacit_sharing::Protocol;

/// ANDs of a circuit that is drawn to know its cost: about a second's worth.
pub const MAX_ANDS: u64 = 1 << 20;

/// A program's cost under one protocol.
#[derive(Serialize)]
pub struct ProtocolCost {
    /// The protocol.
    pub protocol: String,
    /// What numbers are computed with.
    pub by: String,
    /// Bytes that all parties send.
    pub total_bytes: u64,
    /// Bytes on the busiest directed link.
    pub busiest_link_bytes: u64,
    /// Rounds of the role that waits most.
    pub rounds: u64,
    /// Why it cannot run there.
    pub error: Option<String>,
}

/// Costs with these row counts, all rows in as few rounds as can be.
pub fn all(program: &Program, rows: &[u64]) -> Vec<ProtocolCost> {
    let protocols = protocols::all().filter(|p| !p.for_comparison());
    let protocols = protocols.map(|p| p.fitting(program.parties.len()));
    let enough = |p: &Protocol| p.parties() >= program.parties.len() || super::takes_outside(*p);
    let protocols = protocols.filter(|p| *p != PLAIN && enough(p));
    let settings = protocols.flat_map(|protocol| [(protocol, By::Rings), (protocol, By::Circuits)]);
    let by_circuits =
        |protocol: Protocol| protocols::on_bits().any(|p| p.name() == protocol.name());
    let settings = settings.filter(|(protocol, by)| match by {
        By::Circuits => by_circuits(*protocol),
        By::Rings => protocol.has_rings(),
    });
    settings.map(|(protocol, by)| of(program, protocol, by, rows)).collect()
}

fn of(program: &Program, protocol: Protocol, by: By, rows: &[u64]) -> ProtocolCost {
    // Which party plays which role does not change the sums. Those that play none are outside.
    let inside = protocol.parties().max(program.parties.len());
    let parties = in_turn(program.parties.len(), inside).collect();
    let job = ProgramJob { by, ..ProgramJob::new(protocol, parties, rows.to_vec()) };
    let cost = CompiledProgram::new(program, job).and_then(|prepared| {
        match prepared.circuit_ands()?.filter(|ands| *ands > MAX_ANDS) {
            Some(ands) => Err(EvaluateError::Job(format!(
                "circuits of some {ands} ANDs: too large to be drawn for their cost alone"
            ))),
            None => prepared.cost(),
        }
    });
    let (cost, error) = match cost {
        Ok(cost) => (Some(cost), None),
        Err(error) => (None, Some(error.to_string())),
    };
    ProtocolCost {
        protocol: protocol.to_string(),
        by: by.to_string(),
        total_bytes: cost.as_ref().map_or(0, |cost| cost.bytes.total()),
        busiest_link_bytes: cost.as_ref().map_or(0, |cost| cost.bytes.busiest()),
        rounds: cost.map_or(0, |cost| cost.rounds.into_iter().max().unwrap_or(0)),
        error,
    }
}
