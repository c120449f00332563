//! Predictions of time, and the choice of a protocol.

mod break_even;
mod decisions;
mod virtual_time;

use tacit_circuit::Circuit;
use tacit_circuit::library::layered;
use tacit_engine::circuit::{Compiled, Job, Preprocessing};
use tacit_net::PartyId;
use tacit_sharing::Protocol;

/// So many ANDs in so many levels, of so many bits of every party; all learn so many bits.
fn circuit(ands: usize, depth: usize, parties: usize, [inputs, outputs]: [usize; 2]) -> Circuit {
    layered::circuit(&layered::Size { ands, depth, inputs: vec![inputs as u32; parties], outputs })
}

/// Each party gives a port, as far as there are some; all learn all outputs.
fn job(circuit: &Circuit, protocol: Protocol, instances: usize) -> Job {
    let parties: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    let ports = circuit.input_widths().len();
    let owners = parties.iter().copied().cycle().take(ports).collect();
    let job = Job::new(protocol, owners, vec![parties; circuit.output_ports().len()]);
    Job { instances, ..job }
}

fn compiled(circuit: &Circuit, protocol: Protocol, instances: usize, first: bool) -> Compiled {
    let preprocessing = if first { Preprocessing::Separate } else { Preprocessing::Interleaved };
    let job = job(circuit, protocol, instances).with(|it| it.preprocessing = preprocessing);
    Compiled::new(circuit, job).expect("compiles")
}
