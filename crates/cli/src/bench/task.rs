//! What each party of a benchmark does.

use super::result::PartyResult;
use super::{BenchArgs, Operation, limit};
use crate::error::CliError;
use crate::local::Child;
use crate::profile::Profile;
use crate::run::in_turn;
use std::time::{Duration, Instant};
use tacit_circuit::{Circuit, library};
use tacit_engine::bench::{self, Plan, Usage};
use tacit_engine::circuit::{Compiled, Job, evaluate};
use tacit_engine::values::Lanes;
use tacit_net::{PartyId, Session, connect};
use tacit_sharing::arrays::Cut;

/// A party in a process of its own: the bound first, then the benchmark.
pub fn run_child(args: &BenchArgs, child: Child) -> Result<PartyResult, CliError> {
    let mut config = child.config;
    config.workers = args.threads;
    let bare = if args.vs_limit && args.shape.is_none() {
        Some(limit::bare_seconds(args, &config)?)
    } else {
        None
    };
    if let Some(name) = &args.shape {
        config.shape = Profile::of_parties(name, args.protocol.parties())?.leaving(child.me);
    }
    let mut result = run(args, connect(&config)?)?;
    result.bare = bare;
    Ok(result)
}

/// A party over an open session.
pub fn run(args: &BenchArgs, mut session: Session) -> Result<PartyResult, CliError> {
    let result = match array_plan(args) {
        Some(plan) => {
            let measured = bench::run(&mut session, &plan)?;
            PartyResult::of_arrays(&measured)
        }
        None => run_circuit(args, &mut session)?,
    };
    session.finish()?;
    Ok(result)
}

/// Refuses sizes that no machine should have to hold.
pub fn check(args: &BenchArgs) -> Result<(), CliError> {
    match array_plan(args) {
        Some(plan) => plan.check()?,
        None => {
            let (circuit, instances) = circuit(args)?;
            job(args, &circuit, instances).check(&circuit)?;
        }
    }
    Ok(())
}

fn job(args: &BenchArgs, circuit: &Circuit, instances: usize) -> Job {
    let ports = circuit.input_widths().len();
    let owners = in_turn(ports, args.protocol.parties()).collect();
    let receivers = vec![vec![PartyId(0)]; circuit.output_ports().len()];
    let mut job = Job::new(args.protocol, owners, receivers);
    job.instances = instances;
    job.workers = args.threads;
    job
}

fn array_plan(args: &BenchArgs) -> Option<Plan> {
    // Long passes for slow links, short ones that stay in cache for fast ones.
    let bits = if args.shape.is_some() { 1 << 25 } else { 1 << 21 };
    let (operation, ring_bits, lanes) = match args.operation {
        Operation::And => (bench::Operation::Product, 1, bits),
        Operation::Mul => (bench::Operation::Product, args.width, bits / args.width as usize),
        Operation::Dot => (bench::Operation::Dot { length: args.length }, args.width, 1000),
        Operation::Matmul => {
            (bench::Operation::Matrix { size: args.size }, args.width, args.size * args.size)
        }
        _ => return None,
    };
    let cut = Cut::default();
    Some(Plan {
        protocol: args.protocol,
        places: PartyId::all(args.protocol.parties()).collect(),
        ring_bits,
        operation,
        elements: args.lanes.unwrap_or(lanes),
        duration: Duration::from_secs_f64(args.seconds),
        cut: Cut {
            piece: args.piece.unwrap_or(cut.piece),
            window: args.window.unwrap_or(cut.window),
        },
    })
}

/// The circuit of an operation, and instances per pass.
pub fn circuit(args: &BenchArgs) -> Result<(Circuit, usize), CliError> {
    let wide = args.protocol.fan_in() > 2;
    let fan_in = if wide { "4" } else { "2" };
    let width = args.width.to_string();
    let (name, settings, lanes): (_, Vec<(&str, &str)>, _) = match args.operation {
        Operation::Aes => ("aes", vec![("key-bits", "128"), ("sbox", &args.sbox)], 1 << 14),
        Operation::Sha256 => ("sha256", vec![("fan-in", fan_in), ("form", "ripple")], 1 << 10),
        _ => ("compare", vec![("width", &width), ("fan-in", fan_in)], 1 << 16),
    };
    let mut params = library::Params::default();
    for (key, value) in settings {
        params.set(key, value).map_err(|e| CliError::input(e.to_string()))?;
    }
    let circuit = library::build(name, &params).map_err(|e| CliError::input(e.to_string()))?;
    Ok((circuit, args.lanes.unwrap_or(lanes)))
}

fn run_circuit(args: &BenchArgs, session: &mut Session) -> Result<PartyResult, CliError> {
    let (circuit, instances) = circuit(args)?;
    let compiled = Compiled::new(&circuit, job(args, &circuit, instances))?;
    let me = session.me();
    let values = |_: ()| -> Vec<Option<Lanes>> {
        let widths = circuit.input_widths().iter().enumerate();
        widths
            .map(|(port, width)| {
                (port % args.protocol.parties() == me.index())
                    .then(|| example_lanes(port, *width, instances))
            })
            .collect()
    };
    let mut result = PartyResult::default();
    let start = (Usage::now(), Instant::now());
    let mut warm = true;
    loop {
        let report = evaluate(session, &compiled, values(()), &|_| {})?.report;
        if !warm {
            result.add_report(&report);
        }
        warm = false;
        let spent = start.1.elapsed().as_secs_f64() >= args.seconds && result.passes > 0;
        // All parties stop together: when any has spent its time.
        let spent = session.publish(&[u8::from(spent)])?.iter().any(|b| b == &[1]);
        if spent && result.passes > 0 {
            break;
        }
    }
    result.set_usage(&Usage::now().since(&start.0));
    Ok(result)
}

/// Values that fill their ports; which ones does not change the time.
fn example_lanes(port: usize, width: u32, instances: usize) -> Lanes {
    let words = instances.div_ceil(64);
    let word = |bit: usize, word: usize| {
        ((port + 1) * 0x9e37 + bit * 0x1_0001 + word) as u64 ^ 0x5555_3333_0f0f_00ff
    };
    let bits = (0..width as usize).map(|b| (0..words).map(|w| word(b, w)).collect());
    Lanes::from_bits(bits.collect(), instances)
}
