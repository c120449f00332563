//! Parties that give inputs and learn results, but play no role.

use crate::harness::*;
use std::sync::Mutex;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{ASTRA, BMR, PLAIN, QUAD, YAO_THREE};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{NetError, PartyId, Stream};
use tacit_program::Program;
use tacit_ring::Entropy;
use tacit_ring::entropy;

/// Plays no role in any job here; gives `e` and `k`, and learns.
const ERIN: u8 = 4;
const PIECES: &str = "shared different pieces";
const PARTIES: &str =
    "program test\nparties alice, bob, carol, dave, erin, frank\nrows n <= 1000\nrows m <= 9\n";

/// Every way in and out: numbers and bits of those outside, of several widths, alone and with others; public
/// inputs and results; a result for a party that gives nothing, and one for many.
fn program() -> Program {
    parse_whole(&format!(
        "{PARTIES}input a: i16[n] from alice\ninput d: i16[n] from dave in -500..500\n\
         input e: u64[n] from erin\ninput k: bit[n] from erin\ninput f: fixed(16,4) from dave\n\
         input p: u8 public\n\
         reveal sum(d, axis 0) to frank as \"total\"\n\
         reveal select(k, a, d) to dave as \"chosen\"\n\
         reveal d < 0 to erin, alice as \"negative\"\n\
         reveal k to frank as \"bits\"\n\
         reveal e to dave as \"passed on\"\n\
         reveal f + 1.5 to all as \"more\"\n\
         reveal p + 1 to erin as \"public\"\n\
         reveal a to dave as \"of a role\"\n"
    ))
}

/// Any of the six parties compute.
fn jobs(rows: u64) -> impl Iterator<Item = ProgramJob> {
    let roles = [5, 1, 3, 0].map(PartyId);
    let all = kinds().chain([(ASTRA, By::Rings), (QUAD, By::Rings)]);
    all.map(move |(protocol, by)| {
        ProgramJob {
            by,
            chunk_rows: 64,
            ..ProgramJob::new(protocol, PartyId::all(6).collect(), vec![rows, 1])
        }
        .with(|it| it.assignments[0].places = roles[..protocol.parties()].to_vec())
    })
}

#[test]
fn parties_outside_give_and_learn() {
    let program = program();
    for rows in [0, 1, 130] {
        for (number, job) in jobs(rows).enumerate() {
            let job = job.with(|it| it.workers = 1 + number % 2);
            check_job(&program, &job, rows);
        }
    }
}

#[test]
fn protocols_that_garble_need_all_parties() {
    let program = program();
    for protocol in [PLAIN, BMR.fitting(3), YAO_THREE] {
        let job = ProgramJob::new(protocol, PartyId::all(6).collect(), vec![1, 1]);
        let error = CompiledProgram::new(&program, job).err().expect("an error").to_string();
        assert!(error.contains("not supported") && error.contains("no role"), "{error}");
    }
}

/// Runs a job in which one message of `from` to `to` is changed on the way, the `nth` on a stream.
fn changed(
    program: &Program,
    job: &ProgramJob,
    [from, to]: [u8; 2],
    (stream, nth): (Stream, usize),
) -> Vec<Result<(), EvaluateError>> {
    let all = inputs(program, &job.rows, 3);
    let seed = entropy::test_seed();
    memory::run(6, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        if me == PartyId(from) {
            let seen = Mutex::new(0);
            // Deliveries are the last of a run.
            let late = move |step: u32| stream == Stream::Pre || step == u32::MAX;
            session.meshes[0].set_tamper(Tamper::new(move |message| {
                let here = message.to == PartyId(to) && message.stream == stream;
                if !here || !late(message.place.step) || message.bytes.is_empty() {
                    return Verdict::Keep;
                }
                let mut seen = seen.lock().unwrap();
                *seen += 1;
                if *seen != nth + 1 {
                    return Verdict::Keep;
                }
                let mut bytes = message.bytes.to_vec();
                bytes[0] ^= 1;
                Verdict::Replace(bytes)
            }));
        }
        let prepared = CompiledProgram::new(program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let given = given(program, &all, me);
        let outcome = program::run_with(&mut session, &prepared, given, &mut entropy, &|_| {})?;
        session.finish()?;
        outcome.revealed.map(drop)
    })
}

/// Whether a run ended in the check that says so.
fn is_check(result: &Result<(), EvaluateError>, what: &str) -> bool {
    matches!(result, Err(EvaluateError::Net(NetError::Check(check))) if check.contains(what))
}

/// As if a role shared another piece than it was given.
#[test]
fn a_piece_that_a_role_changes_ends_the_run_before_anything_opens() {
    let program = program();
    for job in jobs(3).filter(|job| job.protocol().is_malicious()) {
        for (role, nth) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let places = job.places();
            // Of the first column it has one piece first and one second, in either place.
            let results = changed(&program, &job, [ERIN, places[role].0], (Stream::Pre, nth));
            for (party, result) in results.iter().enumerate() {
                let computes = places.contains(&PartyId(party as u8));
                assert!(result.is_err(), "{}: party {party} has a result", job.protocol());
                let told = is_check(result, PIECES)
                    || matches!(result, Err(EvaluateError::Net(NetError::PeerAborted { .. })));
                assert!(told || !computes, "{}: {result:?}", job.protocol());
            }
            assert!(results.iter().any(|result| is_check(result, PIECES)), "{}", job.protocol());
        }
    }
}

#[test]
fn a_result_that_a_role_changes_on_its_way_is_refused() {
    let program = program();
    for job in jobs(3).filter(|job| job.protocol().is_malicious()) {
        for role in 0..job.places().len() {
            let results = changed(&program, &job, [job.places()[role].0, ERIN], (Stream::On, 0));
            assert!(
                is_check(&results[usize::from(ERIN)], "pass on different results"),
                "{}, role {role}",
                job.protocol()
            );
        }
    }
}
