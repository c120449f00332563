//! `tacit bench paper`: the experiments of a published paper, here, beside what it reports.

mod ccs16;
mod ccs20;

use crate::error::CliError;
use crate::lab;
use crate::output::Output;
use crate::run::in_turn;
use clap::ValueEnum;
use tacit::runtime::Profile;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Job, Preprocessing, Report};
use tacit_net::PartyId;
use tacit_net::memory::Compute;
use tacit_sharing::Protocol;

/// A paper whose experiments can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Ben-Efraim, Lindell, Omri: constant rounds for any number of semi-honest parties (CCS 2016)
    Ccs16,
    /// Yang, Wang, Zhang: triples and authenticated garbling, all but one party malicious (CCS 2020)
    Ccs20,
}

/// Runs the experiments of a paper in virtual time, or those on random circuits of the paper's sizes.
pub fn run(paper: Paper, synthetic: bool, output: Output) -> Result<(), CliError> {
    match (paper, synthetic) {
        (Paper::Ccs16, false) => output.print(&ccs16::run()?),
        (Paper::Ccs16, true) => output.print(&ccs16::run_synthetic()?),
        (Paper::Ccs20, false) => output.print(&ccs20::run()?),
        (Paper::Ccs20, true) => {
            Err(CliError::input("--synthetic is for `tacit bench paper ccs16`"))
        }
    }
}

/// One instance of a circuit for so many parties, all preprocessing first; all learn the output. Gives what
/// the slowest party reports, and the rounds of the one that waits most.
fn evaluated(
    circuit: &Circuit,
    protocol: Protocol,
    profile: &Profile,
) -> Result<(Report, u64), CliError> {
    let parties = protocol.parties();
    let owners = in_turn(circuit.input_widths().len(), parties).collect();
    let all: Vec<PartyId> = PartyId::all(parties).collect();
    let mut job = Job::new(protocol, owners, vec![all.clone(); circuit.output_ports().len()]);
    job.preprocessing = Preprocessing::Separate;
    let network = profile.virtual_network().with_compute(Compute::ThreadCpuTime(1.0));
    lab::rehearsed(circuit, &job, &all, &network)
}
