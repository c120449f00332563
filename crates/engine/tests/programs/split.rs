//! Several assignments of roles side by side.

use super::harness::*;
use tacit_engine::circuit::{Assignment, Preprocessing};
use tacit_engine::program::{By, CompiledProgram, ProgramJob, share_values};
use tacit_engine::protocols::{
    ASTRA, FANTASTIC_FOUR, GMW, LIFT, PLAIN, POST, QUAD, QUAD_A, QUAD_HET, REPLICATED, TAGGED,
    TETRAD, TRIO,
};
use tacit_net::PartyId;
use tacit_ring::entropy::{self, Rng};
use tacit_sharing::Protocol;

/// What runs side by side.
fn class(protocol: Protocol) -> Vec<Protocol> {
    match protocol {
        it if it == TRIO => vec![TRIO, ASTRA, REPLICATED],
        it if it == QUAD => vec![QUAD, QUAD_A, QUAD_HET],
        it if it == TETRAD => vec![TETRAD, FANTASTIC_FOUR, QUAD],
        other => vec![other],
    }
}

/// All assignments of a protocol's class whose shares parties can make of those of `first`.
fn possible(first: &Assignment) -> Vec<Assignment> {
    let mut all = Vec::new();
    for protocol in class(first.protocol) {
        for places in orders(&first.places) {
            let assignment = Assignment::new(protocol, places);
            if share_values(first, &assignment) {
                all.push(assignment);
            }
        }
    }
    all
}

/// All orders of some parties.
fn orders(parties: &[PartyId]) -> Vec<Vec<PartyId>> {
    let Some((last, others)) = parties.split_last() else { return vec![Vec::new()] };
    let with = |order: Vec<PartyId>| {
        (0..=order.len()).map(move |at| {
            let mut order = order.clone();
            order.insert(at, *last);
            order
        })
    };
    orders(others).into_iter().flat_map(with).collect()
}

/// The same with up to three more assignments, of any weights.
fn split(job: ProgramJob, rng: &mut Rng) -> ProgramJob {
    let all = possible(&job.options.assignments[0]);
    let weight = |rng: &mut Rng| [1, 1, 2, 0][rng.below(4)];
    let beside = (0..1 + rng.below(3)).map(|_| {
        let assignment = all[rng.below(all.len())].clone();
        Assignment { weight: weight(rng), ..assignment }
    });
    let beside: Vec<Assignment> = beside.collect();
    let some = beside.iter().any(|assignment| assignment.weight > 0);
    let weight = if some { rng.below(2) as u32 } else { 1 };
    job.with(|it| {
        it.assignments[0].weight = weight;
        it.assignments.extend(beside);
    })
}

fn settings_with_roles() -> impl Iterator<Item = (Protocol, By)> {
    settings().filter(|(protocol, _)| protocol.has_roles() && *protocol != PLAIN)
}

fn check(settings: impl Iterator<Item = (Protocol, By)>, body: &str, sizes: &[u64]) {
    let program = parse(body);
    let mut rng = Rng(entropy::test_seed());
    for setting in settings {
        for rows in sizes {
            let given = job(setting, &[*rows, 5]);
            let given = given.with(|it| it.workers = 1 + rng.below(2));
            let job = split(given, &mut rng);
            println!("{:?} by {}", job.options.assignments, job.by);
            check_job(&program, &job, *rows + 7);
        }
    }
}

/// Rows in streams: values of their own, sums, and rows that one stream leaves to the next.
#[test]
pub fn rows_of_streams() {
    check(
        settings_with_roles(),
        "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput c: bit[n] from carol\n\
         input f: fixed(32, 8)[n] from carol in -100.0..100.0\n\
         let total = sum(a * b, axis 0)\nlet chosen = select(c, a, b)\n\
         reveal total to alice as \"total\"\nreveal chosen to carol as \"chosen\"\n\
         reveal (a < b) & c to bob as \"both\"\nreveal f * f to alice as \"squares\"\n\
         reveal sum(select(a * 2 < chosen, f, f * f), axis 0) to bob as \"second\"\n\
         reveal chosen * total to bob as \"scaled\"\n",
        &[1, 400],
    );
}

/// Whole arrays: every operation takes shares there and back.
#[test]
pub fn parts_of_whole_arrays() {
    let sorted =
        "let (k, v) = sort(a, s)\nreveal k to alice as \"keys\"\nreveal v to bob as \"values\"\n";
    let rest = "input a: i16[300] from alice\ninput b: i16[300] from bob\ninput c: bit[300] from carol\n\
         input p: i16[31, 40] from alice\ninput q: i16[40, 9] from bob\nlet s = a + b\n\
         reveal s < b to alice as \"less\"\nreveal 3 < s to bob as \"above\"\n\
         reveal select(c, s, b) to carol as \"chosen\"\nreveal mul(a, b, wrap) to alice as \"wrapped\"\n\
         reveal shift_right(a * b, by 3) to bob as \"shifted\"\n\
         reveal matmul(p, q) to alice as \"product\"\nreveal sum(s * 2 + 1, axis 0) to carol as \"total\"\n";
    let fast = |(protocol, by): &(Protocol, By)| *by == By::Rings && !protocol.is_malicious();
    check(settings_with_roles().filter(|setting| !fast(setting)), rest, &[70]);
    check(settings_with_roles().filter(fast), &format!("{rest}{sorted}"), &[70]);
}

/// Shuffled rows are compared by all, and put in order by the first.
#[test]
fn comparisons_of_shuffled_rows() {
    let sorted = "input a: i16[1100] from alice\ninput b: i16[1100] from bob\ninput c: bit[1100] from carol\n\
         let (k, v, d) = sort(a + b, b, c)\nreveal k to alice as \"keys\"\nreveal v to bob as \"values\"\n\
         reveal d to carol as \"bits\"\n";
    let fast = |(protocol, by): &(Protocol, By)| *by == By::Rings && !protocol.is_malicious();
    check(settings_with_roles().filter(fast), sorted, &[70]);
}

/// What one party knows and a loop reads is shared once, in the roles of the first assignment, and used in all.
#[test]
pub fn loops_that_read_what_one_party_knows() {
    let body = "input a: i32[n] from alice in -9..9\ninput b: i32[n] from bob in -9..9\n\
         let total = loop 3 carry (s: i64[n] secret in -1000000..1000000 = a + b) use (a = a, b = b) {\n\
             yield assume(s + a * a + a * b, in -1000000..1000000)\n}\nreveal total to carol\n";
    let fast = |(protocol, by): &(Protocol, By)| *by == By::Rings && !protocol.is_malicious();
    check(settings_with_roles().filter(fast), body, &[70, 300]);
}

/// What the first assignment's shares cannot be made into, or need before inputs, is refused.
#[test]
fn what_does_not_fit_is_refused() {
    let program = parse("input a: i16[n] from alice\nreveal sum(a, axis 0) to bob as \"s\"\n");
    let parties: Vec<PartyId> = PartyId::all(3).collect();
    let with = |protocol: Protocol, places: &[u8]| {
        let places = places.iter().map(|p| PartyId(*p)).collect();
        let job = ProgramJob::new(protocol, parties.clone(), vec![10, 5]);
        job.with(|it| it.assignments.push(Assignment::new(protocol, places)))
    };
    let refused = |job: ProgramJob, why: &str| {
        let error = CompiledProgram::new(&program, job).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    };
    // Parties lack what the shares of their new roles are made of.
    refused(with(QUAD, &[0, 3, 1, 2]), "cannot be used");
    // A coin in one round binds only what follows the same circle.
    for protocol in [LIFT, POST, TAGGED] {
        refused(with(protocol, &[2, 1, 0]), "cannot be used");
        assert!(CompiledProgram::new(&program, with(protocol, &[1, 2, 0])).is_ok());
    }
    refused(with(TRIO, &[0, 1, 3]), "more parties");
    refused(with(GMW.fitting(3), &[2, 1, 0]), "not split");
    let separate = with(TRIO, &[2, 1, 0]);
    let separate = separate.with(|it| it.preprocessing = Preprocessing::Separate);
    refused(separate, "before the inputs");
    let mut mixed = with(LIFT, &[2, 0, 1]);
    mixed.options.assignments[0].protocol = POST;
    refused(mixed, "beside");
    assert!(CompiledProgram::new(&program, with(QUAD, &[3, 1, 2, 0])).is_ok());
}
