//! What each party of a benchmark does.

use super::args::{BenchArgs, BenchTransport, Operation};
use super::limit;
use super::result::PartyResult;
use crate::error::CliError;
use crate::local::Child;
use crate::run::{Parties, in_turn};
use std::time::{Duration, Instant};
use tacit::runtime::Balancing;
use tacit::runtime::{Roles, roles};
use tacit_circuit::{Circuit, library};
use tacit_engine::bench::{self, Plan, Usage};
use tacit_engine::circuit::{Assignment, Compiled, Job, TripleJob, evaluate, measure_triples};
use tacit_engine::values::Lanes;
use tacit_net::{PartyId, Session, connect};
use tacit_planner::{Network, Wanted, for_circuit, for_products};
use tacit_proof::Method;
use tacit_ring::Entropy;
use tacit_sharing::arrays::Cut;

/// A party in a process of its own: the bound first, then the benchmark.
pub fn run_child(args: &BenchArgs, child: Child) -> Result<PartyResult, CliError> {
    let mut config = args.deadlines.of(child.config);
    config.workers = meshes(args)?;
    let bare = if args.vs_limit && args.network.is_none() {
        Some(limit::bare_seconds(args, &config)?)
    } else {
        None
    };
    if let Some(profile) = args.profile()? {
        config.shape = profile.leaving(child.me);
    }
    let mut result = run(args, connect(&config)?)?;
    result.bare = bare;
    Ok(result)
}

/// A party over an open session.
pub fn run(args: &BenchArgs, mut session: Session) -> Result<PartyResult, CliError> {
    let result = match array_plan(args)? {
        Some(plan) => {
            let measured = bench::run(&mut session, &plan)?;
            PartyResult::of_arrays(&measured)
        }
        None if args.operation == Operation::Triples => run_triples(args, &mut session)?,
        None => run_circuit(args, &mut session)?,
    };
    session.finish()?;
    Ok(result)
}

/// Refuses sizes that no machine should have to hold.
pub fn check(args: &BenchArgs) -> Result<(), CliError> {
    if args.parties() < args.protocol.parties() {
        return Err(CliError::input(format!(
            "{} has {} roles: it needs as many parties",
            args.protocol,
            args.protocol.parties()
        )));
    }
    meshes(args).map(drop)
}

/// Meshes that a session needs.
pub fn meshes(args: &BenchArgs) -> Result<usize, CliError> {
    if let Some(plan) = array_plan(args)? {
        plan.check()?;
        return Ok(plan.threads * plan.assignments.len());
    }
    if args.parties() > args.protocol.parties() {
        return Err(CliError::input(
            "--parties is for `and`, `mul`, `dot` and `matmul`: inputs and outputs of circuits \
             belong to parties that play a role",
        ));
    }
    if args.operation == Operation::Triples {
        let job = triples(args)?;
        job.check()?;
        return Ok(job.workers);
    }
    let (circuit, instances) = circuit(args)?;
    let job = job(args, &circuit, instances)?;
    job.check(&circuit)?;
    Ok(job.threads())
}

/// What roles are to be chosen for: the network that is played, or links that are all alike.
fn network(args: &BenchArgs) -> Result<(Network, Wanted), CliError> {
    match &args.roles {
        Some(Roles::Auto) => Ok((shape(args)?, Wanted::Best)),
        _ => Ok((Network::uniform(args.parties()), Wanted::Split)),
    }
}

/// The assignments of roles for products.
pub fn assignments(args: &BenchArgs) -> Result<Vec<Assignment>, CliError> {
    if let None | Some(Roles::Given(_)) = &args.roles {
        let parties = Parties::numbered(args.parties());
        let named = roles::named(args.roles.as_ref(), args.protocol, &parties)?;
        if args.balance.is_none() {
            return Ok(named);
        }
        return Ok(vec![balanced(args, named)?]);
    }
    if !args.balance.is_none() {
        return Ok(vec![balanced(args, vec![Assignment::in_order(args.protocol)])?]);
    }
    let (network, wanted) = network(args)?;
    let protocols = roles::eligible(args.protocol, &args.mix);
    let chosen = for_products(&network, &protocols, (1 << 20, 8), wanted);
    Ok(chosen.map_err(|e| CliError::input(e.to_string()))?.assignments)
}

/// The network of --network, for weights and roles to fit.
fn shape(args: &BenchArgs) -> Result<Network, CliError> {
    let profile = args.profile()?.ok_or_else(|| {
        CliError::input(
            "--roles auto and --balance auto need a network to fit: --network NETWORK (`tacit run` \
             measures its links)",
        )
    })?;
    Ok(Network::described(args.parties(), |from, to| profile.link(from, to)))
}

/// One assignment of roles with balanced products.
fn balanced(args: &BenchArgs, named: Vec<Assignment>) -> Result<Assignment, CliError> {
    let (roles, mut assignment) = (args.roles.as_ref(), named[0].clone());
    args.balance.check(assignment.protocol, roles, &args.mix)?;
    if args.balance == Balancing::Auto || roles == Some(&Roles::Auto) {
        return Ok(args.balance.for_products(&shape(args)?, &assignment, roles)?.assignment);
    }
    args.balance.put(&mut assignment)?;
    Ok(assignment)
}

/// One assignment of roles for a circuit, with balanced products.
fn balanced_job(args: &BenchArgs, circuit: &Circuit, job: &Job) -> Result<Assignment, CliError> {
    let roles = args.roles.as_ref();
    let mut assignment = job.options.assignments[0].clone();
    args.balance.check(assignment.protocol, roles, &args.mix)?;
    if args.balance == Balancing::Auto || roles == Some(&Roles::Auto) {
        return Ok(args.balance.for_circuit(&shape(args)?, circuit, job, roles)?.assignment);
    }
    args.balance.put(&mut assignment)?;
    Ok(assignment)
}

pub fn job(args: &BenchArgs, circuit: &Circuit, instances: usize) -> Result<Job, CliError> {
    let ports = circuit.input_widths().len();
    let owners = in_turn(ports, args.protocol.parties()).collect();
    let receivers = vec![vec![PartyId(0)]; circuit.output_ports().len()];
    let mut job = Job::new(args.protocol, owners, receivers);
    job.instances = instances;
    job.options.workers = args.threads;
    if !args.balance.is_none() {
        let parties = Parties::numbered(args.parties());
        job.options.assignments = roles::named(args.roles.as_ref(), args.protocol, &parties)?;
        job.options.assignments = vec![balanced_job(args, circuit, &job)?];
        return Ok(job);
    }
    job.options.assignments = match &args.roles {
        None | Some(Roles::Given(_)) => assignments(args)?,
        _ => {
            let (network, wanted) = network(args)?;
            let protocols = roles::eligible(args.protocol, &args.mix);
            for_circuit(&network, circuit, &job, &protocols, wanted)?.assignments
        }
    };
    Ok(job)
}

/// The weights of ways to make products, if there are several.
pub fn weights(args: &BenchArgs) -> Result<Option<String>, CliError> {
    if args.balance.is_none() {
        return Ok(None);
    }
    let assignments = match array_plan(args)? {
        Some(plan) => plan.assignments,
        None => {
            let (circuit, instances) = circuit(args)?;
            job(args, &circuit, instances)?.options.assignments
        }
    };
    let balance = &assignments[0].balance;
    Ok((!balance.is_none()).then(|| balance.to_string()))
}

fn array_plan(args: &BenchArgs) -> Result<Option<Plan>, CliError> {
    // Long passes for slow links, short ones that stay in cache for fast ones.
    let bits = if args.network.is_some() { 1 << 25 } else { 1 << 21 };
    let (operation, ring_bits, lanes) = match args.operation {
        Operation::And => (bench::Operation::Product, 1, bits),
        Operation::Mul => (bench::Operation::Product, args.width, bits / args.width as usize),
        Operation::Dot => (bench::Operation::Dot { length: args.length }, args.width, 1000),
        Operation::Matmul => {
            (bench::Operation::Matrix { size: args.size }, args.width, args.size * args.size)
        }
        _ => return Ok(None),
    };
    if ring_bits > 1 && tacit_proof::Method::of(args.protocol) == Some(Method::Tagged) {
        return Err(CliError::input(
            "not supported: under `tagged` products have tags in programs alone; measure them with \
             `tacit program bench`",
        ));
    }
    let cut = Cut::default();
    Ok(Some(Plan {
        assignments: assignments(args)?,
        threads: args.threads,
        ring_bits,
        operation,
        elements: args.instances.unwrap_or(lanes),
        duration: Duration::from_secs_f64(args.seconds),
        cut: Cut {
            piece: args.piece.unwrap_or(cut.piece),
            window: args.pieces.unwrap_or(cut.window),
        },
    }))
}

/// The triples of a pass, without bits for masks.
pub fn triples(args: &BenchArgs) -> Result<TripleJob, CliError> {
    if !args.balance.is_none() {
        return Err(CliError::input(
            "not supported: triples are made in one way; leave out --balance",
        ));
    }
    let assignments = match &args.roles {
        None | Some(Roles::Given(_)) => assignments(args)?,
        _ => return Err(CliError::input("triples are made for one assignment of roles")),
    };
    let [assignment] = &assignments[..] else {
        return Err(CliError::input("triples are made for one assignment of roles"));
    };
    Ok(TripleJob {
        assignment: assignment.clone(),
        workers: args.threads,
        triples: args.instances.unwrap_or_else(|| TripleJob::large(args.threads)),
        bits: 0,
    })
}

fn run_triples(args: &BenchArgs, session: &mut Session) -> Result<PartyResult, CliError> {
    let job = triples(args)?;
    repeat(args, session, |session, result| {
        let began = Instant::now();
        let mut made = measure_triples(session, &job, &mut Entropy::system())?;
        if args.transport == BenchTransport::Memory {
            // Its clock is virtual, and computing is free there.
            made.seconds = began.elapsed().as_secs_f64();
        }
        result.add_triples(&made);
        Ok(())
    })
}

/// The circuit of an operation, and instances per pass.
pub fn circuit(args: &BenchArgs) -> Result<(Circuit, usize), CliError> {
    let wide = args.protocol.fan_in() > 2;
    let fan_in = if wide { "4" } else { "2" };
    let width = args.width.to_string();
    let (name, settings, lanes): (_, Vec<(&str, &str)>, _) = match args.operation {
        Operation::Aes => ("aes", vec![("key-bits", "128"), ("sbox", args.sbox())], 1 << 14),
        Operation::Sha256 => ("sha256", vec![("fan-in", fan_in), ("form", "ripple")], 1 << 10),
        _ => ("compare", vec![("width", &width), ("fan-in", fan_in)], 1 << 16),
    };
    let circuit = built(name, &settings)?;
    // A garbled gate is some thousand times the size of a bit.
    let lanes = if args.protocol.garbles() { lanes >> 8 } else { lanes };
    Ok((circuit, args.instances.unwrap_or(lanes)))
}

/// A circuit of the library.
pub fn built(name: &str, settings: &[(&str, &str)]) -> Result<Circuit, CliError> {
    let mut params = library::Params::default();
    for (key, value) in settings {
        params.set(key, value).map_err(|e| CliError::input(e.to_string()))?;
    }
    library::build(name, &params).map_err(|e| CliError::input(e.to_string()))
}

fn run_circuit(args: &BenchArgs, session: &mut Session) -> Result<PartyResult, CliError> {
    let (circuit, instances) = circuit(args)?;
    let compiled = Compiled::new(&circuit, job(args, &circuit, instances)?)?;
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
    repeat(args, session, |session, result| {
        let (values, began) = (values(()), Instant::now());
        let mut report = evaluate(session, &compiled, values, &|_| {})?.report;
        if args.transport == BenchTransport::Memory {
            // Its clock is virtual, and computing is free there.
            report.cost.online_seconds = began.elapsed().as_secs_f64();
        }
        result.add_report(&report);
        Ok(())
    })
}

/// Repeats passes until the time is spent. The first one warms up.
fn repeat(
    args: &BenchArgs,
    session: &mut Session,
    mut pass: impl FnMut(&mut Session, &mut PartyResult) -> Result<(), CliError>,
) -> Result<PartyResult, CliError> {
    pass(session, &mut PartyResult::default())?;
    let mut result = PartyResult::default();
    let start = (Usage::now(), Instant::now());
    loop {
        pass(session, &mut result)?;
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
