//! Gates before results: nothing that shows a result leaves any party before all have passed theirs.

use crate::harness::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tacit_engine::Gate;
use tacit_engine::circuit::{self, Compiled, EvaluateError, Preprocessing};
use tacit_engine::program::{self, By, CompiledProgram, Garbling, Outcome, ProgramJob};
use tacit_engine::protocols::{
    AUTHENTICATED, BMR, BMR_REPLICATED, GMW, LIFT, PLAIN, TRIO, YAO, YAO_THREE,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Session};
use tacit_program::Program;
use tacit_ring::Entropy;

fn program(parties: usize) -> Program {
    let others = ["", "", "", ", carol", ", carol, dan", ", carol, dan, erin"][parties.min(5)];
    parse_whole(&format!(
        "program test\nparties alice, bob{others}\nrows n <= 1000\n\
         input a: i16[n] from alice in -100..100\ninput b: i16[n] from bob in -100..100\n\
         reveal sum(a * b, axis 0) to all as \"product\"\nreveal max(a, axis 0) to all as \"most\"\n"
    ))
}

/// As [`program`], where something is checked: within `range`, if there is one.
fn checked(parties: usize, range: Option<&str>) -> Program {
    let others = ["", "", "", ", carol", ", carol, dan"][parties];
    let sum = range.map_or("a + b".to_owned(), |range| format!("check(a + b, in {range})"));
    parse_whole(&format!(
        "program test\nparties alice, bob{others}\nrows n <= 1000\n\
         input a: i16[n] from alice in -100..100\ninput b: i16[n] from bob in -100..100\n\
         let c = {sum}\nreveal sum(c, axis 0) to all as \"sum\"\n"
    ))
}

/// Which holds, and fails, for what is given here.
const HOLDS: &str = "-200..199";
const FAILS: &str = "-200..-199";

/// What the parties did of one run.
struct Seen {
    results: Vec<Result<Outcome, EvaluateError>>,
    /// Times that gates were asked.
    asked: usize,
    /// Bytes by which anything opens on each link before the sender's gate.
    before: BTreeMap<(u8, u8), usize>,
    /// Who sent a message to whom, behind the sender's gate, and whether it opens something.
    after: Vec<(u8, u8, bool)>,
}

/// Runs a job where the gate of one party refuses, if that is asked for; with preprocessing of an earlier run, if the job is
/// of what is stored.
fn run_to(program: &Program, job: &ProgramJob, refuses: Option<u8>) -> Seen {
    let all = inputs(program, &job.rows, 5);
    let (before, after) = (Arc::new(Mutex::default()), Arc::new(Mutex::new(Vec::new())));
    let asked = Arc::new(AtomicUsize::new(0));
    let parties = job.everyone().len();
    let results = memory::run(parties, job.threads(), &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let passed = Arc::new(AtomicBool::new(false));
        for mesh in &mut session.meshes {
            let (passed, before, after) = (passed.clone(), before.clone(), after.clone());
            mesh.set_tamper(Tamper::new(move |message| {
                let opens = message.place.phase == Phase::Open;
                if passed.load(Ordering::SeqCst) {
                    after.lock().unwrap().push((me.0, message.to.0, opens));
                } else if opens {
                    let before: &Mutex<BTreeMap<_, usize>> = &before;
                    *before.lock().unwrap().entry((me.0, message.to.0)).or_default() +=
                        message.bytes.len();
                }
                Verdict::Keep
            }));
        }
        let asked = asked.clone();
        let gate = Gate::new(move || {
            asked.fetch_add(1, Ordering::SeqCst);
            passed.store(true, Ordering::SeqCst);
            if refuses == Some(me.0) { Err("no budget".into()) } else { Ok(()) }
        });
        let prepared = CompiledProgram::new(program, job.clone())?;
        let given = given(program, &all, me);
        let outcome = if job.options.stored {
            let garble = |session: &mut Session, compiled: &Compiled| {
                circuit::prepare(session, compiled, &mut Entropy::system())
            };
            let made = program::prepare(&mut session, &prepared, &BTreeMap::new(), garble)?.0;
            let made = ("made", made);
            program::run_prepared_gated(
                &mut session,
                &prepared,
                given,
                made,
                (Some(gate), &|_| {}),
            )?
        } else {
            program::run_gated(&mut session, &prepared, given, Some(gate), &|_| {})?
        };
        session.finish()?;
        Ok(outcome)
    });
    let (before, after) = (before.lock().unwrap().clone(), after.lock().unwrap().clone());
    Seen { results, asked: asked.load(Ordering::SeqCst), before, after }
}

/// Why a run ended, if stored preprocessing was lost with it.
fn cause(error: &EvaluateError) -> &EvaluateError {
    match error {
        EvaluateError::Lost { cause, .. } => cause,
        error => error,
    }
}

/// How a gate that refuses ends the run at all parties.
fn refused(seen: &Seen, refuses: u8, what: &str) {
    assert_eq!(seen.after, [], "{what}: messages behind a gate that others did not pass");
    for (party, result) in (0u8..).zip(&seen.results) {
        let error = cause(result.as_ref().err().expect("no result"));
        match error {
            EvaluateError::Refused(why) => {
                assert_eq!((party, &why[..]), (refuses, "no budget"), "{what}");
            }
            EvaluateError::Net(NetError::PeerAborted { reason, .. }) => {
                assert!(party != refuses && reason.contains("refused"), "{what}: {reason}");
            }
            error => panic!("{what}: {error}"),
        }
    }
}

fn named(job: &ProgramJob) -> String {
    let ahead = if job.options.stored { ", of what is stored" } else { "" };
    format!("{} by {}, {:?}{ahead}", job.protocol(), job.by, job.options.preprocessing)
}

/// Whether protocols say behind gates more than what opens results, as all compare what opened. Openings are marked as such.
fn compares(job: &ProgramJob) -> bool {
    job.protocol().is_checked() && !job.protocol().garbles()
}

fn check(program: &Program, job: &ProgramJob) {
    let parties = job.everyone().len();
    let what = named(job);
    let seen = run_to(program, job, None);
    assert_eq!(seen.asked, parties, "{what}: each is asked once");
    for (party, result) in (0u8..).zip(&seen.results) {
        assert!(result.is_ok(), "{what}: {:?}", result.as_ref().err());
        // To parties outside results are passed on.
        let by_opening = compares(job) && job.places().iter().any(|place| place.0 == party);
        let told = |(_, to, opens): &(u8, u8, bool)| *to == party && (*opens || !by_opening);
        let told = seen.after.iter().any(told);
        assert!(told, "{what}: party {party} learned its results before the gates");
    }
    for refuses in [0, parties as u8 - 1] {
        let seen = run_to(program, job, Some(refuses));
        refused(&seen, refuses, &what);
    }
}

/// Nothing of what a program checks opens before the gates: no more opens there than where nothing is checked.
fn check_checks(job: &ProgramJob) {
    let parties = job.everyone().len();
    let what = named(job);
    let unchecked = run_to(&checked(parties, None), job, None);
    let holds = run_to(&checked(parties, Some(HOLDS)), job, None);
    for (party, result) in holds.results.iter().chain(&unchecked.results).enumerate() {
        assert!(result.is_ok(), "{what}: {party}: {:?}", result.as_ref().err());
    }
    if !job.protocol().garbles() && !job.protocol().is_trusted_party() {
        let opens = |(.., opens): &&(u8, u8, bool)| *opens || !compares(job);
        let openings = |seen: &Seen| seen.after.iter().filter(opens).count();
        assert!(
            openings(&holds) > openings(&unchecked),
            "{what}: the check opens behind the gates"
        );
    }
    assert_eq!(holds.before, unchecked.before, "{what}: more opens before the gates");
    let fails = run_to(&checked(parties, Some(FAILS)), job, None);
    assert_eq!((fails.asked, &fails.before), (parties, &unchecked.before), "{what}");
    let failed = |error: &EvaluateError| match error {
        EvaluateError::Check(_) => true,
        EvaluateError::Net(NetError::PeerAborted { kind, .. }) => *kind == AbortKind::Check,
        _ => false,
    };
    for result in &fails.results {
        let error = cause(result.as_ref().err().expect("no result"));
        assert!(failed(error), "{what}: {error}");
    }
    for (range, refuses) in [(HOLDS, 0), (FAILS, parties as u8 - 1)] {
        let seen = run_to(&checked(parties, Some(range)), job, Some(refuses));
        refused(&seen, refuses, &what);
        assert_eq!(seen.before, holds.before, "{what}: something of the check opened");
    }
}

/// One protocol of each family, with preprocessing as it comes, before everything else, and stored.
#[test]
fn checks_of_the_program_stand_behind_gates() {
    let shares = kinds().chain([(PLAIN, By::Rings)]).map(|(protocol, by)| (protocol, by, None));
    let streamed = [YAO, YAO_THREE, BMR.fitting(3), AUTHENTICATED.fitting(2)];
    let streamed = streamed.map(|it| (it, By::Circuits, Some(Garbling::Streamed)));
    let whole = (AUTHENTICATED.fitting(2), By::Circuits, Some(Garbling::Whole));
    for (protocol, by, garbling) in shares.chain(streamed).chain([whole]) {
        let parties = PartyId::all(protocol.parties()).collect();
        let job = ProgramJob { by, ..ProgramJob::new(protocol, parties, vec![2]) };
        let job = job.with(|it| it.garbling = garbling.unwrap_or(it.garbling));
        check_checks(&job);
        // Without proofs what opens results is sent ahead, before checks could say anything: that is refused.
        if !(protocol.is_checked() || protocol.garbles()) || garbling == Some(Garbling::Streamed) {
            continue;
        }
        let job = job.with(|it| it.preprocessing = Preprocessing::Separate);
        check_checks(&job);
        check_checks(&job.with(|it| it.stored = true));
    }
}

#[test]
fn a_gate_that_refuses_ends_the_run_before_anything_opens() {
    for setting in settings().filter(|(protocol, _)| !protocol.garbles()) {
        let (protocol, by) = setting;
        let parties = PartyId::all(protocol.parties()).collect();
        let job = ProgramJob { by, ..ProgramJob::new(protocol, parties, vec![3]) }
            .with(|it| it.workers = 2);
        check(&program(protocol.parties()), &job);
    }
}

#[test]
fn gates_of_two_phases_stand_before_results() {
    for protocol in [TRIO, LIFT, GMW.fitting(3)] {
        let parties = PartyId::all(protocol.parties()).collect();
        let preprocessing = Preprocessing::Separate;
        let job =
            ProgramJob::new(protocol, parties, vec![3]).with(|it| it.preprocessing = preprocessing);
        check(&program(protocol.parties()), &job);
        check(&program(protocol.parties()), &job.with(|it| it.stored = true));
    }
}

#[test]
fn gates_of_garbled_programs_stand_before_the_evaluation() {
    let whole = [YAO, YAO_THREE, BMR.fitting(3), BMR_REPLICATED, AUTHENTICATED.fitting(2)];
    for protocol in whole {
        let parties = PartyId::all(protocol.parties()).collect();
        let garbling = Garbling::Whole;
        let job = ProgramJob::new(protocol, parties, vec![2]).with(|it| it.garbling = garbling);
        check(&program(protocol.parties()), &job);
        let preprocessing = Preprocessing::Separate;
        check(
            &program(protocol.parties()),
            &job.with(|it| (it.preprocessing, it.stored) = (preprocessing, true)),
        );
    }
    for protocol in [YAO, YAO_THREE, BMR.fitting(3), AUTHENTICATED.fitting(2)] {
        let parties = PartyId::all(protocol.parties()).collect();
        let garbling = Garbling::Streamed;
        let job = ProgramJob::new(protocol, parties, vec![2]).with(|it| it.garbling = garbling);
        check(&program(protocol.parties()), &job);
    }
}

#[test]
fn parties_outside_pass_a_gate_too() {
    for protocol in [TRIO, LIFT, GMW.fitting(3)] {
        let parties = PartyId::all(5).collect();
        let job = ProgramJob::new(protocol, parties, vec![3])
            .with(|it| it.assignments[0].places = [4, 2, 1].map(PartyId).to_vec());
        check(&program(5), &job);
    }
}

#[test]
fn a_party_without_a_gate_does_not_meet_those_that_have_one() {
    let program = program(3);
    let job = ProgramJob::new(TRIO, PartyId::all(3).collect(), vec![3]);
    let all = inputs(&program, &job.rows, 5);
    let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let prepared = CompiledProgram::new(&program, job.clone())?;
        let given = given(&program, &all, session.me());
        let gate = (session.me().0 > 0).then(|| Gate::new(|| Ok(())));
        program::run_gated(&mut session, &prepared, given, gate, &|_| {}).map(drop)
    });
    assert!(results.iter().all(Result::is_err));
}
