//! What every protocol sends, byte for byte, under circuits and programs: compared with golden files.

mod common;

use std::collections::BTreeMap;
use tacit_engine::circuit::{Blocking, Compiled, EvaluateError, Job, Preprocessing, evaluate_with};
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols;
use tacit_engine::values::Lanes;
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_program::clear::Array;
use tacit_program::{Program, text};
use tacit_ring::Entropy;
use tacit_ring::entropy::Rng;
use tacit_sharing::Protocol;
use tacit_testkit::{Transcript, check};

const SEED: u64 = 2026;
const WHEN: [(Preprocessing, &str); 2] =
    [(Preprocessing::Interleaved, "interleaved"), (Preprocessing::Separate, "separate")];

/// Every name that can be typed for a protocol.
fn protocols() -> impl Iterator<Item = Protocol> {
    protocols::all().chain(protocols::strong())
}

/// Runs `case` for every name, and with one and two workers.
fn golden(
    file: &str,
    run: impl Fn(Protocol, Preprocessing, usize, &Transcript) -> Result<(), EvaluateError>,
) {
    let mut found = BTreeMap::new();
    for protocol in protocols() {
        for (preprocessing, when) in WHEN {
            for workers in [1, 2] {
                let transcript = Transcript::default();
                let line = match run(protocol, preprocessing, workers, &transcript) {
                    Ok(()) => transcript.line(),
                    Err(error) => error.to_string(),
                };
                found.insert(format!("{protocol} {when} x{workers}"), line);
            }
        }
    }
    check(common::file(file), &found);
}

/// Every party runs `party`; the first error, if there is one.
fn all(
    (parties, workers): (usize, usize),
    transcript: &Transcript,
    party: impl Fn(&mut tacit_net::Session, &mut Entropy) -> Result<(), EvaluateError> + Sync,
) -> Result<(), EvaluateError> {
    let network = MemoryNetwork::default();
    let ended = memory::run(parties, workers, &network, |mut session| {
        transcript.watch(&mut session);
        let mut entropy = Entropy::insecure_seeded(SEED, session.me().0);
        party(&mut session, &mut entropy)?;
        Ok(session.finish()?)
    });
    ended.into_iter().collect()
}

const INSTANCES: usize = 150;

fn lanes(rng: &mut Rng) -> Lanes {
    let words = INSTANCES.div_ceil(64);
    let bits = (0..3).map(|_| (0..words).map(|_| rng.word()).collect()).collect();
    Lanes::from_bits(bits, INSTANCES)
}

#[test]
fn circuits() {
    let (circuit, mut rng) = (common::circuit(), Rng(SEED));
    let inputs = [lanes(&mut rng), lanes(&mut rng)];
    golden("circuits.txt", |protocol, preprocessing, workers, transcript| {
        let parties = protocol.parties();
        let owners = vec![PartyId(0), PartyId(1)];
        let receivers = vec![PartyId::all(parties).collect(), vec![PartyId(1)]];
        let mut job = Job::new(protocol, owners, receivers);
        job.instances = INSTANCES;
        job.options.workers = workers;
        job.options.preprocessing = preprocessing;
        job.blocking = Blocking { block_words: 1, blocks: 2, window_bytes: 0 };
        let compiled = Compiled::new(&circuit, job)?;
        let threads = compiled.job().threads();
        all((parties, threads), transcript, |session, entropy| {
            let me = session.me().index();
            let own = inputs.iter().enumerate();
            let values = own.map(|(port, lanes)| (port == me).then(|| lanes.clone())).collect();
            evaluate_with(session, &compiled, values, entropy, &|_| {}).map(drop)
        })
    });
}

/// Products, comparisons, choices, fixed point, groups and sorting.
const PROGRAM: &str = "program golden
parties alice, bob
rows n <= 100
input x: i16[n] from alice in -300..300
input k: u8[n] from alice in 0..3
input y: i32[n] from bob in -70000..70000
input f: fixed(24, 8)[n] from bob in -8.0..8.0
let z = x * y
reveal sum(select(z < 1000, z, y), axis 0) to alice as \"sum\"
reveal sum(f * f, axis 0) to bob as \"squares\"
reveal group_sum(k, y, first 0, groups 4) to all as \"groups\"
let (_, sorted) = sort(x, y)
reveal sorted to all
";

fn inputs(program: &Program, rows: u64) -> BTreeMap<String, Array> {
    let mut rng = Rng(SEED);
    let all = program.inputs().map(|(node, name, _)| {
        let ty = &program.body.nodes[node as usize].types[0];
        let span = (ty.interval.high - ty.interval.low) as u64 + 1;
        let value = |_| ty.interval.low + i128::from(rng.word() % span);
        let values: Vec<i128> = (0..rows).map(value).collect();
        (name.to_owned(), Array::from_values(ty.element, vec![rows as usize], values).unwrap())
    });
    all.collect()
}

fn programs(by: By, file: &str) {
    let program = text::parse("golden.tacit", PROGRAM).unwrap();
    golden(file, |protocol, preprocessing, workers, transcript| {
        let rows = if protocol.garbles() { 3 } else { 40 };
        let parties = vec![PartyId(0), PartyId(1)];
        let job =
            ProgramJob { by, chunk_rows: 16, ..ProgramJob::new(protocol, parties, vec![rows]) }
                .with(|it| (it.workers, it.preprocessing) = (workers, preprocessing));
        let values = inputs(&program, rows);
        let prepared = CompiledProgram::new(&program, job)?;
        let threads = prepared.job().threads();
        all((protocol.parties(), threads), transcript, |session, entropy| {
            let me = session.me().0;
            let own = program.inputs().filter(|(_, _, party)| party.is_none_or(|p| p.0 == me));
            let own = own.map(|(_, name, _)| (name.to_owned(), values[name].clone())).collect();
            program::run_with(session, &prepared, own, entropy, &|_| {}).map(drop)
        })
    });
}

#[test]
fn programs_in_rings() {
    programs(By::Rings, "rings.txt");
}

#[test]
#[ignore = "half a minute"]
fn programs_by_circuits() {
    programs(By::Circuits, "by-circuits.txt");
}
