//! Gates before results: nothing that shows a result leaves any party before all have passed theirs.

use crate::harness::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tacit_engine::Gate;
use tacit_engine::circuit::{EvaluateError, Preprocessing};
use tacit_engine::program::{self, CompiledProgram, Garbling, Outcome, ProgramJob};
use tacit_engine::protocols::{
    AUTHENTICATED, BMR, BMR_REPLICATED, GMW, LIFT, TRIO, YAO, YAO_THREE,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{NetError, PartyId};
use tacit_program::Program;

fn program(parties: usize) -> Program {
    let others = ["", "", "", ", carol", ", carol, dan", ", carol, dan, erin"][parties.min(5)];
    parse_whole(&format!(
        "program test\nparties alice, bob{others}\nrows n <= 1000\n\
         input a: i16[n] from alice in -100..100\ninput b: i16[n] from bob in -100..100\n\
         reveal sum(a * b, axis 0) to all as \"product\"\nreveal max(a, axis 0) to all as \"most\"\n"
    ))
}

/// What the parties did of one run.
struct Seen {
    results: Vec<Result<Outcome, EvaluateError>>,
    /// Times that gates were asked.
    asked: usize,
    /// Who sent a message to whom, behind the sender's gate.
    after: Vec<(u8, u8)>,
}

/// Runs a job where the gate of one party refuses, if that is asked for.
fn run_to(program: &Program, job: &ProgramJob, refuses: Option<u8>) -> Seen {
    let all = inputs(program, &job.rows, 5);
    let after = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::new(AtomicUsize::new(0));
    let parties = job.everyone().len();
    let results = memory::run(parties, job.threads(), &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let passed = Arc::new(AtomicBool::new(false));
        for mesh in &mut session.meshes {
            let (passed, after) = (passed.clone(), after.clone());
            mesh.set_tamper(Tamper::new(move |message| {
                if passed.load(Ordering::SeqCst) {
                    after.lock().unwrap().push((me.0, message.to.0));
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
        let outcome = program::run_gated(&mut session, &prepared, given, Some(gate), &|_| {})?;
        session.finish()?;
        Ok(outcome)
    });
    let after = after.lock().unwrap().clone();
    Seen { results, asked: asked.load(Ordering::SeqCst), after }
}

fn check(program: &Program, job: &ProgramJob) {
    let parties = job.everyone().len();
    let what = format!("{} by {}", job.protocol, job.by);
    let seen = run_to(program, job, None);
    assert_eq!(seen.asked, parties, "{what}: each is asked once");
    for (party, result) in (0u8..).zip(&seen.results) {
        assert!(result.is_ok(), "{what}: {:?}", result.as_ref().err());
        let told = seen.after.iter().any(|(_, to)| *to == party);
        assert!(told, "{what}: party {party} learned its results before the gates");
    }
    for refuses in [0, parties as u8 - 1] {
        let seen = run_to(program, job, Some(refuses));
        assert_eq!(seen.after, [], "{what}: messages behind a gate that others did not pass");
        for (party, result) in (0u8..).zip(&seen.results) {
            let error = result.as_ref().err().expect("no result");
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
}

#[test]
fn a_gate_that_refuses_ends_the_run_before_anything_opens() {
    for setting in settings().filter(|(protocol, _)| !protocol.garbles()) {
        let (protocol, by) = setting;
        let parties = PartyId::all(protocol.parties()).collect();
        let job = ProgramJob { by, workers: 2, ..ProgramJob::new(protocol, parties, vec![3]) };
        check(&program(protocol.parties()), &job);
    }
}

#[test]
fn gates_of_two_phases_stand_before_results() {
    for protocol in [TRIO, LIFT, GMW.fitting(3)] {
        let parties = PartyId::all(protocol.parties()).collect();
        let preprocessing = Preprocessing::Separate;
        let job = ProgramJob { preprocessing, ..ProgramJob::new(protocol, parties, vec![3]) };
        check(&program(protocol.parties()), &job);
    }
}

#[test]
fn gates_of_garbled_programs_stand_before_the_evaluation() {
    let whole = [YAO, YAO_THREE, BMR.fitting(3), BMR_REPLICATED, AUTHENTICATED.fitting(2)];
    for protocol in whole {
        let parties = PartyId::all(protocol.parties()).collect();
        let garbling = Garbling::Whole;
        let job = ProgramJob { garbling, ..ProgramJob::new(protocol, parties, vec![2]) };
        check(&program(protocol.parties()), &job);
    }
    for protocol in [YAO, YAO_THREE, BMR.fitting(3), AUTHENTICATED.fitting(2)] {
        let parties = PartyId::all(protocol.parties()).collect();
        let garbling = Garbling::Streamed;
        let job = ProgramJob { garbling, ..ProgramJob::new(protocol, parties, vec![2]) };
        check(&program(protocol.parties()), &job);
    }
}

#[test]
fn parties_outside_pass_a_gate_too() {
    for protocol in [TRIO, LIFT, GMW.fitting(3)] {
        let parties = PartyId::all(5).collect();
        let job = ProgramJob {
            places: [4, 2, 1].map(PartyId).to_vec(),
            ..ProgramJob::new(protocol, parties, vec![3])
        };
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
