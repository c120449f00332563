//! The physical bound of a setting, measured in the same run.

use super::args::{BenchArgs, BenchTransport, Operation};
use super::task::{assignments, circuit, job, triples};
use crate::error::CliError;
use serde::Serialize;
use std::time::Duration;
use tacit::runtime::Profile;
use tacit_backend::cost::{self, Traffic};
use tacit_engine::circuit::{Assignment, Compiled, predict};
use tacit_net::{PartyId, SessionConfig, calibrate};
use tacit_ring::prg;
use tacit_sharing::{Protocol, Role, RoleVisitor};

/// A bound and how near the benchmark came.
#[derive(Clone, Debug, Serialize)]
pub struct Limit {
    /// What bounds.
    pub what: String,
    /// Results per second at the bound.
    pub per_second: f64,
    /// The benchmark's results per second divided by it.
    pub ratio: f64,
}

/// Bytes per message of the bare exchange.
const MESSAGE_BYTES: usize = 64 << 10;
/// Messages per link of the bare exchange.
const MESSAGES: usize = 8192;

/// Traffic between parties of some results, in bits.
pub struct Bits {
    traffic: Traffic,
    results: u64,
}

/// Words of products that the traffic is counted for: with what takes as much for many as for one.
const WORDS: usize = 1 << 18;

/// The traffic of as many results, or a multiple, as assignments of roles have weights: all have whole parts then.
pub fn bits(args: &BenchArgs) -> Result<Bits, CliError> {
    let width = match args.operation {
        Operation::And => 1,
        Operation::Mul | Operation::Dot | Operation::Matmul => u64::from(args.width),
        Operation::Triples => {
            let job = triples(args)?;
            let results = (job.triples * job.workers) as u64;
            return Ok(Bits { traffic: job.bytes() * 8, results });
        }
        _ => {
            let (circuit, instances) = circuit(args)?;
            let mut job = job(args, &circuit, instances)?;
            let results = weights(&job.options.assignments);
            // A 64-lane word per result and element: as many bits per instance as words.
            job.instances = 64 * results as usize;
            job.blocking.block_words = 1;
            job.options.workers = 1;
            let traffic = predict(&Compiled::new(&circuit, job)?).words;
            return Ok(Bits { traffic, results });
        }
    };
    let assignments = assignments(args)?;
    if let [Assignment { protocol, places, balance, .. }] = &assignments[..]
        && !balance.is_none()
    {
        let (traffic, products) = cost::balanced(balance, *protocol);
        return Ok(Bits { traffic: (traffic * width).placed(places), results: products });
    }
    let loads = assignments.iter().map(|a| {
        let weight = width * u64::from(a.weight);
        let products = cost::product(a.protocol) * (64 * WORDS as u64 * weight);
        (products + cost::transfers(a.protocol, 0..WORDS) * 8).placed(&a.places)
    });
    let traffic = loads.fold(Traffic::default(), |sum, load| sum + load);
    Ok(Bits { traffic, results: 64 * WORDS as u64 * weights(&assignments) })
}

fn weights(assignments: &[Assignment]) -> u64 {
    assignments.iter().map(|a| u64::from(a.weight)).sum()
}

/// Seconds that bare sockets need for one message over every link the protocol uses, in the same
/// pattern: one process per party.
pub fn bare_seconds(args: &BenchArgs, config: &SessionConfig) -> Result<f64, CliError> {
    let Bits { traffic, .. } = bits(args)?;
    let links: Vec<_> = cost::links()
        .filter(|(from, to)| traffic.link(*from, *to) > 0)
        .map(|(from, to)| (PartyId(from as u8), PartyId(to as u8)))
        .collect();
    if links.is_empty() {
        return Ok(0.0);
    }
    let run = |messages| calibrate::bare_exchange(config, &links, MESSAGE_BYTES, messages);
    run(MESSAGES / 8)?;
    Ok(run(MESSAGES)?.as_secs_f64() / MESSAGES as f64)
}

/// The bound, if the setting has one.
pub fn limit(
    args: &BenchArgs,
    profile: Option<&Profile>,
    bare: Option<f64>,
    per_second: f64,
    per_cpu_second: f64,
) -> Result<Option<Limit>, CliError> {
    let bits = bits(args)?;
    if bits.traffic.total() == 0 {
        return Ok(None);
    }
    if let Some(profile) = profile {
        let bound = shaped(profile, &bits);
        return Ok(bound.map(|bound| Limit {
            what: format!("links of network {}, bits per result on the tightest", profile.name),
            per_second: bound,
            ratio: per_second / bound,
        }));
    }
    if args.transport == BenchTransport::Memory {
        return Ok(prg_bound(args).map(|bound| Limit {
            what: "random bits of all parties at the generator's own speed, per CPU second".into(),
            per_second: bound,
            ratio: per_cpu_second / bound,
        }));
    }
    Ok(bare.filter(|seconds| *seconds > 0.0).map(|seconds| {
        let busiest = bits.traffic.busiest() as f64 / bits.results as f64;
        let bound = MESSAGE_BYTES as f64 * 8.0 / seconds / busiest;
        Limit {
            what: "bare TCP sockets exchanging as many bytes over the same links".into(),
            per_second: bound,
            ratio: per_second / bound,
        }
    }))
}

fn shaped(profile: &Profile, bits: &Bits) -> Option<f64> {
    let rates = cost::links().filter_map(|(from, to)| {
        let load = bits.traffic.link(from, to);
        let link = profile.link(PartyId(from as u8), PartyId(to as u8)).bits_per_second?;
        (load > 0).then(|| link as f64 * bits.results as f64 / load as f64)
    });
    rates.min_by(f64::total_cmp)
}

/// Products per second if a core did nothing but draw the products' random bits.
fn prg_bound(args: &BenchArgs) -> Option<f64> {
    let bits = match args.operation {
        Operation::And => 1,
        Operation::Mul => u64::from(args.width),
        _ => return None,
    };
    let drawn = drawn_words(args.protocol) * bits;
    let bytes_per_second = prg::throughput(Duration::from_millis(300));
    (drawn > 0).then(|| bytes_per_second * 8.0 / drawn as f64)
}

/// Words that all roles together draw per product; none where there are no roles.
fn drawn_words(protocol: Protocol) -> u64 {
    match protocol.has_roles() {
        true => (0..protocol.parties()).map(|role| drawn_by(protocol, role)).sum(),
        false => 0,
    }
}

/// Words that a role draws per product, in a protocol that has roles.
pub fn drawn_by(protocol: Protocol, role: usize) -> u64 {
    struct Draws;
    impl RoleVisitor for Draws {
        type Out = u64;
        fn visit<P: Role>(self) -> u64 {
            (P::DRAWS.iter().sum::<usize>() + P::SETTLE_DRAWS) as u64
        }
    }
    tacit_backend::visit::visit(protocol, role, Draws)
}
