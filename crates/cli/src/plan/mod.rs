//! `tacit plan`: which protocol is fastest for a circuit or a program, before anything runs.

mod args;
mod commands;
mod report;

pub use args::PlanArgs;

use crate::error::CliError;
use crate::output::Output;
use crate::program;
use crate::progress::Progress;
use crate::run::{Parties, in_turn};
use crate::task::Task;
use rayon::prelude::*;
use report::{Omitted, PlanReport};
use tacit::runtime::Profile;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Job, Preprocessing};
use tacit_engine::program::ProgramJob;
use tacit_net::PartyId;
use tacit_planner::{Estimate, Free, Network, Objective, Setting, Threat, Wanted, rank};
use tacit_program::Program;
use tacit_sharing::Protocol;

/// Runs the command.
pub fn run(args: &PlanArgs, output: Output) -> Result<(), CliError> {
    let task = args.task()?;
    let parties = args.parties(&task)?;
    let profile = Profile::of_parties(&args.network, parties.0.len())?;
    let network = args.network(&profile, parties.0.len())?;
    let calibration = args.calibration(parties.0.len())?;
    let memory_bytes = args.memory as f64 * 1e6;
    let setting = Setting { network: &network, calibration: &calibration, memory_bytes };
    let threat = args.threat.among(parties.0.len())?;
    let (mut estimates, left_out) = estimates(args, threat, (&task, &parties), setting)?;
    if estimates.is_empty() {
        return Err(nothing(args, &parties, &left_out));
    }
    rank(&mut estimates, |estimate| estimate.counted(args.objective()).total());
    output.print(&PlanReport::new(args, (&task, &parties, &profile), threat, &estimates, left_out))
}

/// What every protocol takes that protects well enough, and those that do not run here.
fn estimates(
    args: &PlanArgs,
    threat: Threat,
    (task, parties): (&Task, &Parties),
    setting: Setting<'_>,
) -> Result<(Vec<Estimate>, Vec<Omitted>), CliError> {
    let all = task.protocols().filter_map(|protocol| args.checks.apply(protocol).ok());
    let mut protocols = threat.protocols(all, parties.0.len(), args.fewer);
    protocols.retain(|protocol| runs(task, parties, *protocol));
    let progress = Progress::new(true);
    progress.step("estimating protocols");
    progress.set_length(protocols.len() as u64);
    let one = |protocol: Protocol| {
        let estimate = match task {
            Task::Circuit(circuit) => {
                setting.circuit(circuit, &circuit_job(args, circuit, protocol), Wanted::Best)
            }
            Task::Program(program) => {
                let job = program_job(args, program, protocol)?;
                setting.program(program, &job, free(protocol))
            }
        };
        progress.add(1);
        Ok(estimate)
    };
    // Those that garble come last, and take longest to count: they begin.
    let backwards = protocols.par_iter().rev().with_max_len(1);
    let all: Vec<Result<_, CliError>> = backwards.map(|it| one(*it)).collect();
    let (mut estimates, mut left_out) = (Vec::new(), Vec::new());
    for (protocol, estimate) in protocols.iter().zip(all.into_iter().rev()) {
        match estimate? {
            Ok(estimate) => estimates.push(estimate),
            Err(why) => left_out.push(Omitted::new(*protocol, &why)),
        }
    }
    Ok((estimates, left_out))
}

/// Whether all who give something compute, or need not.
fn runs(task: &Task, parties: &Parties, protocol: Protocol) -> bool {
    let giving = task.parties().min(parties.0.len());
    giving <= protocol.parties() || (task.is_program() && program::takes_outside(protocol))
}

/// What of a program's job is chosen.
fn free(protocol: Protocol) -> Free {
    Free { roles: true, split: true, by: true, chunk: !protocol.garbles() }
}

/// Input ports are the parties' in turn; all learn the outputs.
fn circuit_job(args: &PlanArgs, circuit: &Circuit, protocol: Protocol) -> Job {
    let owners = in_turn(circuit.input_widths().len(), protocol.parties()).collect();
    let everybody: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    let job = Job::new(protocol, owners, vec![everybody; circuit.output_ports().len()]);
    Job { instances: args.instances.unwrap_or(1), ..job }
        .with(|it| (it.workers, it.preprocessing) = (args.threads, preprocessing(args.objective())))
}

fn program_job(
    args: &PlanArgs,
    program: &Program,
    protocol: Protocol,
) -> Result<ProgramJob, CliError> {
    let parties = (0..program.parties.len() as u8).map(PartyId).collect();
    let job = ProgramJob::new(protocol, parties, program::rows(program, &args.rows)?);
    Ok(job.with(|it| {
        (it.workers, it.preprocessing) = (args.threads, preprocessing(args.objective()))
    }))
}

/// Where the online phase is what counts, all preprocessing comes before it.
fn preprocessing(objective: Objective) -> Preprocessing {
    match objective {
        Objective::Total => Preprocessing::Interleaved,
        Objective::Online => Preprocessing::Separate,
    }
}

/// Says why there is no protocol, and what to do.
fn nothing(args: &PlanArgs, parties: &Parties, left_out: &[Omitted]) -> CliError {
    if let [first, ..] = left_out {
        return CliError::input(format!(
            "no protocol runs it here; {} {}: allow more with --memory, take fewer rows or instances, or \
             more parties",
            first.protocol, first.why
        ));
    }
    let hint = if args.fewer { "" } else { ", let fewer parties compute (--fewer)" };
    CliError::input(format!(
        "no protocol for {} parties protects against this: take other --parties{hint}, or allow for \
         fewer --corruptions",
        parties.0.len()
    ))
}

/// The links between some parties as a profile describes them.
fn described(profile: &Profile, parties: usize) -> Network {
    Network::described(parties, |from, to| profile.link(from, to))
}
