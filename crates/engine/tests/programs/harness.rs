//! Runs programs under every protocol, and compares them with the clear.

use std::cell::Cell;
use std::collections::BTreeMap;
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::{self, By, CompiledProgram, Outcome, ProgramJob};
use tacit_engine::protocols::{
    self, BMR_REPLICATED, BRAIN_SACRIFICE, FANTASTIC_FOUR, GALOIS, GMW, GMW_OT, GMW_STAR, LIFT,
    MULTI_FAN_IN, PLAIN, QUAD, QUAD_HET, TAGGED, TRIO, WRK17,
};
use tacit_garbling::bmr::{Products, Rounds};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_program::clear::{self, Array};
use tacit_program::seal::seal;
use tacit_program::{Interval, Op, Program, Type, bounds, text};
use tacit_proof::Method;
use tacit_ring::Entropy;
use tacit_ring::entropy::{self, Rng};
use tacit_sharing::Protocol;

thread_local! {
    /// Whether tests of this thread run under protocols that are there to be compared with, or under the others.
    static BASELINES: Cell<bool> = const { Cell::new(false) };
}

/// Runs tests under the protocols that are there to be compared with, which they leave out in `make test`.
pub fn under_baselines(tests: &[fn()]) {
    BASELINES.set(true);
    tests.iter().for_each(|test| test());
    BASELINES.set(false);
}

/// Protocols for three and more parties, with all that numbers can be computed with. Of those that differ
/// in how circuits are evaluated or garbled only, one: circuits have tests of their own. Those that are there to be
/// compared with are left out, or are all there is: see [`under_baselines`].
pub fn settings() -> impl Iterator<Item = (Protocol, By)> {
    let baselines = BASELINES.get();
    let brain = |protocol: &Protocol| matches!(Method::of(*protocol), Some(Method::Brain(..)));
    let other = move |p: &Protocol| brain(p) && *p != BRAIN_SACRIFICE;
    let alike = |p: &Protocol| {
        let bmr = Products::of(*p).is_some() || Rounds::of(*p).is_some();
        p.is_silent() || bmr || [GMW_OT, GMW_STAR, BMR_REPLICATED, WRK17].iter().any(|it| p.is(*it))
    };
    let chosen = move |p: &Protocol| p.for_comparison() == baselines;
    let of_three = move |p: &Protocol| p.parties() > 2 && !alike(p) && chosen(p);
    let all = move || protocols::all().filter(of_three);
    let rings = all().filter(move |protocol| protocol.has_rings() && !other(protocol));
    let in_rings = |p: &Protocol| [PLAIN, TAGGED, GALOIS].contains(p);
    let circuits = all().filter(move |p| !in_rings(p) && !brain(p));
    let rings = rings.map(|protocol| (protocol, By::Rings));
    rings.chain(circuits.map(|protocol| (protocol, By::Circuits)))
}

/// Rows that a test takes: where whole programs are garbled, a few.
pub fn fitting(protocol: Protocol, rows: u64) -> u64 {
    if protocol.garbles() { rows.min(2) } else { rows }
}

/// Whether results are those of the clear, bit for bit: circuits round as it does.
pub fn is_exact(program: &Program, job: &ProgramJob) -> bool {
    let near = |op: &Op| matches!(op, Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. });
    job.by == By::Circuits && !program.body.nodes.iter().any(|node| near(&node.op))
}

pub const HEADER: &str =
    "program test\nparties alice, bob, carol\nrows n <= 100000\nrows m <= 1000\n";

/// A value of an interval, often an end.
pub fn within(rng: &mut Rng, Interval { low, high }: Interval) -> i128 {
    let span = (high - low) as u128 + 1;
    match rng.below(8) {
        0 => low,
        1 => high,
        2 if low <= 0 && 0 <= high => 0,
        _ => low + (u128::from(rng.word() >> 1) * 3 % span) as i128,
    }
}

pub fn array(rng: &mut Rng, ty: &Type, rows: &[u64]) -> Array {
    let shape: Vec<usize> = ty.shape.iter().map(|e| e.bound(rows).unwrap() as usize).collect();
    let len = shape.iter().product::<usize>();
    let values: Vec<i128> = (0..len).map(|_| within(rng, ty.interval)).collect();
    Array::from_values(ty.element, shape, values).unwrap()
}

pub fn parse(body: &str) -> Program {
    parse_whole(&format!("{HEADER}{body}"))
}

pub fn parse_whole(text: &str) -> Program {
    text::parse("test.tacit", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn inputs(program: &Program, rows: &[u64], seed: u64) -> BTreeMap<String, Array> {
    let mut rng = Rng(seed);
    program
        .inputs()
        .map(|(id, name, _)| {
            let ty = &program.body.nodes[id as usize].types[0];
            (name.to_owned(), array(&mut rng, ty, rows))
        })
        .collect()
}

/// What party `me` gives: its own inputs and the public ones.
pub fn given(
    program: &Program,
    all: &BTreeMap<String, Array>,
    me: PartyId,
) -> BTreeMap<String, Array> {
    let own = program.inputs().filter(|(_, _, party)| party.is_none_or(|p| p.0 == me.0));
    own.map(|(_, name, _)| (name.to_owned(), all[name].clone())).collect()
}

/// Runs a job and returns what each party has at the end.
pub fn run(program: &Program, job: &ProgramJob, all: &BTreeMap<String, Array>) -> Vec<Outcome> {
    let seed = entropy::test_seed();
    let parties = job.everyone().iter().map(|party| party.index() + 1).max().unwrap();
    memory::run(parties, job.threads(), &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let prepared = CompiledProgram::new(program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let inputs = given(program, all, me);
        let outcome =
            program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {}).unwrap();
        session.finish().unwrap();
        outcome
    })
}

/// Checks one job against the clear, the bounds and the cost functions.
pub fn check_job(program: &Program, job: &ProgramJob, seed: u64) {
    check_on(program, job, &inputs(program, &job.rows, seed));
}

/// How far results may be off, by name.
pub fn limits(program: &Program, job: &ProgramJob) -> Vec<(String, u128)> {
    // Under protocols with checks nobody computes on private values in the clear; nor do parties outside.
    let sealed = seal(program, |_| true);
    let is_sealed = job.protocol().is_malicious() || !job.outside().is_empty();
    let limits = bounds::reveal_bounds(if is_sealed { &sealed } else { program });
    limits.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect()
}

/// As [`check_job`], on these inputs.
pub fn check_on(program: &Program, job: &ProgramJob, all: &BTreeMap<String, Array>) {
    let (want, observed) = clear::evaluate_observed(program, &job.rows, all.clone()).unwrap();
    let broken: Vec<String> = observed.violations.values().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{broken:?}");
    let limits = limits(program, job);
    let outcomes = run(program, job, all);
    for (party, outcome) in outcomes.iter().enumerate() {
        let learned =
            program.reveals.iter().filter(|r| r.to.iter().any(|p| usize::from(p.0) == party));
        let names: Vec<&str> = learned.map(|r| r.name.as_str()).collect();
        let revealed = outcome.revealed.as_ref().unwrap();
        let found: Vec<&str> = revealed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, names, "party {party} learns what is revealed to it");
        for (name, got) in revealed {
            let (_, want) = want.iter().find(|(n, _)| n == name).unwrap();
            let bound = limits.iter().find(|(n, _)| n == name).unwrap().1;
            let limit = if is_exact(program, job) { 0 } else { bound };
            assert_eq!(got.shape(), want.shape());
            for (i, (got, want)) in got.values().zip(want.values()).enumerate() {
                let off = got.abs_diff(want);
                let what = format!("{} by {} {name}[{i}]", job.protocol(), job.by);
                assert!(off <= limit, "{what}: {got} for {want}, off by {off} of {limit}");
            }
        }
        for link in &outcome.report.cost.links {
            let what = format!("{} by {} {link:?}", job.protocol(), job.by);
            assert_eq!(link.bytes, link.predicted_bytes, "{what}");
        }
        let report = &outcome.report;
        let what = format!("{} by {} rounds, {} threads", job.protocol(), job.by, job.threads());
        assert_eq!(report.cost.rounds, report.cost.predicted_rounds, "{what}");
    }
}

pub fn job((protocol, by): (Protocol, By), rows: &[u64]) -> ProgramJob {
    let parties = (0..3).map(PartyId).collect();
    let places = order(protocol, rows);
    ProgramJob { by, chunk_rows: 64, ..ProgramJob::new(protocol, parties, rows.to_vec()) }
        .with(|it| it.assignments[0].places = places)
}

/// Preprocessing before inputs are known, if the protocol can.
pub fn separate(protocol: Protocol) -> Preprocessing {
    match protocol {
        it if it == PLAIN => Preprocessing::Interleaved,
        _ => Preprocessing::Separate,
    }
}

/// Which party plays which role: any order, another one with every protocol and size.
fn order(protocol: Protocol, rows: &[u64]) -> Vec<PartyId> {
    let seed = protocol.name().bytes().map(u64::from).chain(rows.iter().copied());
    let mut rng =
        Rng(seed.fold(entropy::test_seed(), |seed, n| seed.wrapping_mul(31).wrapping_add(n)));
    let mut places: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    for last in (1..places.len()).rev() {
        places.swap(last, rng.below(last + 1));
    }
    places
}

/// Runs a program under every protocol: on no rows or one, in turn, and on many.
pub fn check(body: &str) {
    for (few, setting) in settings().enumerate() {
        check_under(std::iter::once(setting), body, &[few as u64 % 2, 130]);
    }
}

pub fn check_sizes(body: &str, sizes: &[u64]) {
    check_under(settings(), body, sizes);
}

/// As [`check_sizes`], under one protocol of each kind: for what takes long, or comes in many forms.
pub fn check_few(body: &str, sizes: &[u64]) {
    check_under(kinds(), body, sizes);
}

/// One protocol of each kind.
pub fn kinds() -> impl Iterator<Item = (Protocol, By)> {
    let kinds = [
        (TRIO, By::Rings),
        (LIFT, By::Rings),
        (QUAD_HET, By::Rings),
        (FANTASTIC_FOUR, By::Rings),
        (MULTI_FAN_IN, By::Circuits),
        (QUAD, By::Circuits),
        (GMW.fitting(3), By::Circuits),
    ];
    kinds.into_iter()
}

fn check_under(settings: impl Iterator<Item = (Protocol, By)>, body: &str, sizes: &[u64]) {
    let program = parse(body);
    for setting in settings {
        // Where programs are garbled, a row takes about as long as two.
        let one_too_many = |rows: u64| setting.0.garbles() && rows == 1 && sizes.len() > 1;
        for (i, rows) in sizes.iter().enumerate().filter(|(_, rows)| !one_too_many(**rows)) {
            let mut job = job(setting, &[fitting(setting.0, *rows), 5]);
            job.options.workers = 1 + i % 2;
            if *rows <= 1 {
                job.options.preprocessing = separate(setting.0);
            }
            check_job(&program, &job, *rows + 7);
        }
    }
}
