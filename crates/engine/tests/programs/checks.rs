//! Values that the program checks in the run: a check that holds changes nothing, and one that fails ends the run with nothing
//! opened but that.

use crate::harness::*;
use std::collections::BTreeMap;
use tacit_engine::circuit::{EvaluateError, Preprocessing};
use tacit_engine::program::{self, By, CompiledProgram, Garbling, ProgramJob};
use tacit_engine::protocols::{
    AUTHENTICATED, BMR, FANTASTIC_FOUR, GMW, HALF_GATES, LIFT, PLAIN, QUAD, TRIO, YAO, YAO_THREE,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{AbortKind, NetError, PartyId};
use tacit_program::clear::Array;
use tacit_program::{Element, Program};
use tacit_ring::Entropy;
use tacit_ring::entropy;
use tacit_sharing::Protocol;

/// Of rows, of whole arrays in loops, of what one party knows, of public values; of ranges that cut off both ends or one.
#[test]
pub fn checks_that_hold_change_nothing() {
    let body = "input a: i16[n] from alice in -9..9\ninput b: i16[n] from bob in 1..5\n\
                input f: fixed(24,8)[m] from carol in -1.5..1.5\ninput p: u8 public\n\
                let s = check(a + b, in -8..14)\nlet t = check(a * b, in -100..45)\n\
                reveal s * t to alice as \"product\"\n\
                reveal sum(check(a - b, in -14..100), axis 0) to bob as \"total\"\n\
                reveal check(a, in -10..9) + p to carol as \"private\"\n\
                let g = f * f\n\
                let last = loop 4 carry (w: fixed(24,8)[m] secret in -4.0..4.0 = f,\n\
                    k: i16[n] secret in -9..14 = s, own: i16[n] from alice = a) index i {\n\
                    yield check(w + g - w, in -4.0..4.0), check(k, in -8..14), check(own, in -9..9)\n}\n\
                reveal last to alice as \"looped\"\n\
                reveal check(p, in 0..255) to all as \"public\"\n";
    let body = body.replace("let last = loop", "let (last, kept, own) = loop");
    let body = format!("{body}reveal kept to bob as \"rows\"\nreveal own to carol as \"own\"\n");
    let program = parse(&body);
    for (i, setting) in settings().enumerate() {
        for rows in [i as u64 % 2, 130] {
            let job = job(setting, &[fitting(setting.0, rows), 5]);
            let ahead = rows < 2 && setting.0.is_checked() && !setting.0.garbles();
            let preprocessing =
                if ahead { Preprocessing::Separate } else { Preprocessing::Interleaved };
            let workers = 1 + rows as usize % 3;
            check_job(
                &program,
                &job.with(|it| (it.workers, it.preprocessing) = (workers, preprocessing)),
                rows + 7,
            );
        }
    }
}

/// Who learns products of two columns, and how many rows there are.
const ROWS: u64 = 400;

fn program(parties: usize, checked: &str) -> Program {
    let carol = if parties > 2 { ", carol" } else { "" };
    parse_whole(&format!(
        "program test\nparties alice, bob{carol}\nrows n <= 1000\n\
         input a: i32[n] from alice in -1000..1000\ninput b: i32[n] from bob in -1000..1000\n\
         let s = a + b\n{checked}\nreveal s * b to all as \"products\"\n"
    ))
}

/// What is checked, all of which fails if the first element of `a` is 1000 and that of `b` is 1000.
const CHECKED: [&str; 4] = [
    "let c = check(s, in -2000..1999)",
    "let c = check(a, in -1000..999)",
    "let c = check(sum(s, axis 0), in -1000000..0)",
    "let c = loop 3 carry (k: i32[2] secret in -2000..6000 = slice_at(concat(s, [0, 0], axis 0), 0, axis 0, length 2)) \
     {\nyield check(k, in -2000..1999)\n}",
];

/// What every party ends with, and how many bytes all of them sent.
fn run_parts(
    program: &Program,
    job: &ProgramJob,
    first: i128,
) -> (Vec<Result<Vec<i128>, EvaluateError>>, u64) {
    let seed = entropy::test_seed();
    let rows = job.rows[0] as usize;
    let column = |name: &str| {
        let values = (0..rows).map(|row| if row == 0 { first } else { 0 });
        let array = Array::from_values(Element::int(32), vec![rows], values).unwrap();
        (name.to_owned(), array)
    };
    let all = BTreeMap::from([column("a"), column("b")]);
    let parties = job.places().len();
    let outcomes = memory::run(parties, job.threads(), &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let compiled = CompiledProgram::new(program, job.clone());
        let outcome = compiled.and_then(|prepared| {
            let inputs = given(program, &all, me);
            let outcome =
                program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {})?;
            let revealed = outcome.revealed?;
            // A fourth role computes for the others.
            Ok(revealed.first().map_or(Vec::new(), |(_, array)| array.values().collect()))
        });
        let sent = session.meter().total(|_, _, _| true).bytes_sent;
        if outcome.is_ok() {
            session.finish().unwrap();
        }
        (outcome, sent)
    });
    let (outcomes, sent): (Vec<_>, Vec<u64>) = outcomes.into_iter().unzip();
    (outcomes, sent.into_iter().sum())
}

/// Every party ends with the same kind of error, and what opens the results was not sent.
fn fails(job: &ProgramJob, checked: &str) {
    let label = format!("{} by {}: {checked}", job.protocol(), job.by);
    let program = program(job.parties.len(), checked);
    let (passed, more) = run_parts(&program, job, 0);
    for (party, outcome) in passed.iter().enumerate() {
        let values = outcome.as_ref().unwrap_or_else(|e| panic!("{label}: party {party}: {e}"));
        assert!(values.iter().all(|value| *value == 0), "{label}");
    }
    let (failed, fewer) = run_parts(&program, job, 1000);
    for (party, outcome) in failed.iter().enumerate() {
        match outcome {
            Err(EvaluateError::Check(place)) => {
                assert!(place.is_none() || job.protocol() == PLAIN, "{label}: {place:?}");
            }
            // Told by a party that has seen it already.
            Err(EvaluateError::Net(NetError::PeerAborted { kind, reason, .. })) => {
                assert_eq!(*kind, AbortKind::Check, "{label}: {reason}");
                assert!(reason.contains("that the program checks left its range"), "{reason}");
                assert!(!reason.contains("test.tacit"), "{reason}");
            }
            Err(error) => panic!("{label}: party {party}: {error}"),
            Ok(_) => panic!("{label}: party {party} has a result"),
        }
    }
    let bytes = |program: &Program| {
        CompiledProgram::new(program, job.clone()).unwrap().cost().unwrap().bytes.total()
    };
    // Circuits that are garbled leave out what is not revealed: there, both parties send each bit of the results.
    let opening = match job.protocol().garbles() {
        true => 2 * job.rows[0] * 22 / 8,
        false => {
            let again = program.reveals.iter().map(|reveal| {
                let name = format!("{} again", reveal.name);
                tacit_program::Reveal { name, ..reveal.clone() }
            });
            let reveals = program.reveals.iter().cloned().chain(again).collect();
            bytes(&Program { reveals, ..program.clone() }) - bytes(&program)
        }
    };
    assert!(opening > job.rows[0], "{label}");
    assert!(more >= fewer + opening, "{label}: {fewer} bytes, {more} with {opening} of results");
}

fn small_job(protocol: Protocol, by: By, rows: u64) -> ProgramJob {
    let parties = PartyId::all(protocol.parties().min(3)).collect();
    let job = ProgramJob::new(protocol, parties, vec![rows]);
    ProgramJob { by, chunk_rows: 64, ..job }
}

#[test]
fn a_check_that_fails_reveals_one_bit_on_shares() {
    for (i, checked) in CHECKED.iter().enumerate() {
        let settings = [
            (PLAIN, By::Rings),
            (TRIO, By::Rings),
            (TRIO, By::Circuits),
            (LIFT, By::Rings),
            (LIFT, By::Circuits),
            (QUAD, By::Rings),
            (FANTASTIC_FOUR, By::Rings),
            (GMW.fitting(2), By::Circuits),
            (GMW.fitting(3), By::Circuits),
        ];
        for (protocol, by) in settings {
            let mut job = small_job(protocol, by, ROWS);
            job.options.workers = 1 + i % 2;
            fails(&job, checked);
        }
    }
}

#[test]
fn a_check_that_fails_reveals_one_bit_before_the_inputs_are_known() {
    for (protocol, by) in [(LIFT, By::Rings), (QUAD, By::Rings), (QUAD, By::Circuits)] {
        let job = small_job(protocol, by, ROWS);
        fails(&job.with(|it| it.preprocessing = Preprocessing::Separate), CHECKED[0]);
    }
    // Others would send what opens the results before the run.
    for (protocol, by) in [(TRIO, By::Rings), (GMW.fitting(2), By::Circuits)] {
        let job = small_job(protocol, by, ROWS);
        let job = job.with(|it| it.preprocessing = Preprocessing::Separate);
        let error = CompiledProgram::new(&program(job.parties.len(), CHECKED[0]), job).err();
        let error = error.unwrap().to_string();
        assert!(error.contains("not supported: a program that checks"), "{protocol}: {error}");
    }
}

#[test]
fn a_check_that_fails_reveals_one_bit_of_garbled_circuits() {
    for checked in CHECKED {
        let many =
            [BMR.fitting(2), BMR.fitting(3), HALF_GATES.fitting(3), AUTHENTICATED.fitting(2)];
        for protocol in [YAO, YAO_THREE].into_iter().chain(many) {
            let job = small_job(protocol, By::Circuits, 40);
            fails(&job, checked);
            fails(&job.with(|it| it.garbling = Garbling::Streamed), checked);
        }
    }
}

/// One circuit of everything opens all at once, but under authenticated garbling.
#[test]
fn a_program_that_checks_is_not_garbled_whole() {
    let program = |protocol: Protocol| program(protocol.parties().min(3), CHECKED[0]);
    for protocol in [YAO, YAO_THREE, BMR.fitting(2)] {
        let job = small_job(protocol, By::Circuits, 3);
        let ways = [
            job.clone().with(|it| it.garbling = Garbling::Whole),
            job.clone().with(|it| it.preprocessing = Preprocessing::Separate),
        ];
        for way in ways {
            let error = CompiledProgram::new(&program(protocol), way).err().unwrap().to_string();
            assert!(error.contains("not supported: a program that checks"), "{protocol}: {error}");
        }
        let facts = CompiledProgram::new(&program(protocol), job).unwrap().facts().to_vec();
        assert!(facts.contains(&("circuits are garbled", "streamed".into())), "{facts:?}");
    }
    let job = small_job(AUTHENTICATED.fitting(2), By::Circuits, 3);
    for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
        let job = job
            .clone()
            .with(|it| (it.preprocessing, it.garbling) = (preprocessing, Garbling::Whole));
        fails(&job, CHECKED[0]);
    }
}

/// A value that everybody knows fails at everybody, in the same way.
#[test]
fn a_public_value_that_fails_its_check_ends_the_run_of_all() {
    let program = parse(
        "input a: u8 from alice\ninput p: u8 public\nreveal a + check(p, in 0..7) to all as \"sum\"\n",
    );
    let job = job((TRIO, By::Rings), &[1, 1]);
    let scalar = |value| Array::scalar(Element::uint(8), value).unwrap();
    let all = BTreeMap::from([("a".to_owned(), scalar(1)), ("p".to_owned(), scalar(8))]);
    let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let prepared = CompiledProgram::new(&program, job.clone()).unwrap();
        let inputs = given(&program, &all, session.me());
        program::run(&mut session, &prepared, inputs, &|_| {}).err().unwrap()
    });
    for error in errors {
        let kind = error.abort_kind();
        assert_eq!(kind, AbortKind::Check, "{error}");
    }
}
