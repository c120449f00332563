//! Whose fault an error is: every kind that can be provoked.

use std::ops::RangeInclusive;
use tacit_circuit::{Builder, Circuit};
use tacit_engine::circuit::{
    Assignment, Compiled, Consent, EvaluateError, Job, agree_instances, evaluate,
};
use tacit_engine::program::{CompiledProgram, ProgramJob, RowTerms, agree_rows};
use tacit_engine::protocols::{self, POST, TRIO};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{AbortKind, NetError, PartyId, Session, Stream};
use tacit_program::text;
use tacit_proof::Strength;
use tacit_sharing::{Party, SharingError};

fn one_and() -> (Circuit, Job) {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(1), builder.input(1));
    let product = builder.and(&[x[0], y[0]]);
    builder.output(&[product]);
    let job = Job::new(TRIO, vec![PartyId(0); 2], vec![vec![PartyId(0)]]);
    (builder.finish(), job)
}

fn run<R: Send>(workers: usize, party: impl Fn(Session) -> R + Sync) -> Vec<R> {
    memory::run(3, workers, &MemoryNetwork::default(), party)
}

#[test]
fn numbers_of_instances_that_no_party_offers_are_misbehaviour() {
    let (circuit, job) = one_and();
    for bad in [&[][..], &[1], &[1; 9]] {
        let errors = run(1, |mut session| {
            if session.me() != PartyId(2) {
                return agree_instances(&mut session, &circuit, &job, Consent::UpTo(9)).err();
            }
            let mut facts = job.facts(&circuit);
            facts.retain(|(name, _)| *name != "instances");
            facts.insert(0, ("command", "run".into()));
            session.agree(&facts).unwrap();
            session.publish(bad).unwrap();
            None
        });
        for error in &errors[..2] {
            let blamed = matches!(error, Some(EvaluateError::Misbehaviour { party: 2, .. }));
            assert!(blamed, "{bad:?}: {error:?}");
        }
    }
}

/// What parties agree on, who consent to so many instances.
fn agreed(consents: [Consent; 3]) -> Vec<Result<usize, EvaluateError>> {
    let (circuit, job) = one_and();
    run(1, |mut session| {
        let mine = consents[session.me().index()];
        let agreed = agree_instances(&mut session, &circuit, &job, mine)?;
        session.finish()?;
        Ok(agreed)
    })
}

#[test]
fn numbers_of_instances_are_what_all_consent_to() {
    use Consent::{Exactly, UpTo};
    for (consents, count) in [
        ([UpTo(9), UpTo(9), UpTo(9)], 1),
        ([Exactly(1), UpTo(1), UpTo(9)], 1),
        ([Exactly(4), UpTo(4), Exactly(4)], 4),
        ([UpTo(1 << 40), Exactly(1 << 40), UpTo(1 << 40)], 1 << 40),
    ] {
        let agreed = agreed(consents);
        assert!(agreed.iter().all(|it| *it.as_ref().unwrap() == count), "{consents:?}");
    }
    // One value beside many, other numbers, and more than somebody takes part in: `mine` is what party 0 says.
    for (consents, here, there, with) in [
        ([Exactly(1), Exactly(4096), UpTo(9999)], "1", "4096", 1),
        ([Exactly(1), UpTo(9), Exactly(2)], "1", "2", 2),
        ([Exactly(3), Exactly(2), UpTo(9)], "3", "2", 1),
        ([UpTo(9), Exactly(1), Exactly(4096)], "1, which party 1 says", "4096", 2),
        ([UpTo(9), UpTo(99), Exactly(10)], "up to 9, unless --instances says how many", "10", 2),
        ([UpTo(1 << 40), UpTo(9), Exactly(usize::MAX)], "up to 1099511627776, unless", "18446", 2),
    ] {
        let agreed = agreed(consents);
        let Err(EvaluateError::Net(NetError::Disagreement { peer, mine, theirs, .. })) = &agreed[0]
        else {
            panic!("{consents:?}: {:?}", agreed[0]);
        };
        assert!(
            mine.starts_with(here) && theirs.starts_with(there),
            "{consents:?}: {mine} {theirs}"
        );
        assert_eq!(peer.id, PartyId(with), "{consents:?}");
        // Whoever would go on is told that the parties disagree.
        let disagrees = |it: &Result<_, EvaluateError>| {
            let kind = AbortKind::Disagreement;
            matches!(it, Err(EvaluateError::Net(NetError::Disagreement { .. })))
                || matches!(it, Err(EvaluateError::Net(NetError::PeerAborted { kind: k, .. })) if *k == kind)
        };
        assert!(agreed.iter().all(disagrees), "{consents:?}: {agreed:?}");
    }
    let none = agreed([Exactly(0), UpTo(1), UpTo(1)]);
    assert!(matches!(none[0], Err(EvaluateError::Job(_))), "{none:?}");
}

#[test]
fn row_counts_are_what_all_consent_to() {
    let text = "program few\nparties alice, bob\nrows n in 3..20\ninput x: u8[n] from bob\n\
                reveal sum(x, axis 0) to alice as \"it\"\n";
    let program = text::parse("few.tacit", text).unwrap();
    let agreed = |offered: u64, wanted: RangeInclusive<u64>| {
        run(1, |mut session| {
            let mut terms = RowTerms::default();
            match session.me().0 {
                0 => drop(terms.bounds.insert("n".into(), wanted.clone())),
                1 => drop(terms.own.insert("n".into(), offered)),
                _ => {}
            }
            let agreed = agree_rows(&mut session, &program, &terms)?;
            session.finish()?;
            Ok::<_, EvaluateError>(agreed)
        })
    };
    for (offered, wanted) in [(3, 0..=3), (20, 4..=u64::MAX), (7, 7..=7)] {
        assert!(agreed(offered, wanted).iter().all(|it| *it.as_ref().unwrap() == [offered]));
    }
    for offered in [0, 2, 21, u64::MAX] {
        let refused = agreed(offered, 0..=u64::MAX);
        assert!(matches!(refused[1], Err(EvaluateError::Job(_))), "{refused:?}");
        for other in [0, 2] {
            match &refused[other] {
                Err(EvaluateError::Net(NetError::Disagreement { peer, mine, .. })) => {
                    assert_eq!(peer.id, PartyId(1));
                    assert!(mine.contains("as the program allows"), "{mine}");
                }
                // Or the other one found it first, and told.
                Err(EvaluateError::Net(NetError::PeerAborted { kind, .. })) => {
                    assert_eq!(*kind, AbortKind::Disagreement);
                }
                told => panic!("{told:?}"),
            }
        }
    }
    for wanted in [8..=u64::MAX, 0..=6] {
        let refused = &agreed(7, wanted)[0];
        let Err(EvaluateError::Net(error @ NetError::Disagreement { peer, .. })) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(peer.id, PartyId(1));
        assert!(error.to_string().contains("rows `n`"), "{error}");
    }
}

/// Runs of two programs, one of them at the second party; all parties show their texts, but for one.
fn of_two_programs(hides: Option<u8>) -> Vec<Result<Vec<u64>, EvaluateError>> {
    let text = |at: u32| {
        let text = "program old\nparties alice, bob\nrows n <= 20\ninput x: u8[n] from bob\n\
            reveal sum(x >= AT, axis 0) to alice as \"it\"\n";
        text::parse("old.tacit", &text.replace("AT", &at.to_string())).unwrap()
    };
    let programs = [text(65), text(64), text(65)];
    run(1, |mut session| {
        let me = session.me();
        session.share_program = hides != Some(me.0);
        let mut terms = RowTerms::default();
        terms.own.insert("n".into(), 7);
        agree_rows(&mut session, &programs[me.index()], &terms)
    })
}

#[test]
fn parties_with_other_programs_see_the_lines_that_differ() {
    let mut seen = 0;
    for (me, refused) in of_two_programs(None).into_iter().enumerate() {
        match refused {
            Err(error @ EvaluateError::OtherProgram { .. }) => {
                let told = error.to_string();
                let (here, there) = if me == 1 { ("64", "65") } else { ("65", "64") };
                let line = |sign: char, number: &str| {
                    told.lines().any(|line| line.starts_with(sign) && line.contains(number))
                };
                assert!(
                    line('-', here) && line('+', there) && told.contains("about program"),
                    "{told}"
                );
                assert_eq!(error.abort_kind(), AbortKind::Disagreement);
                seen += 1;
            }
            // Another party had seen it and left.
            Err(EvaluateError::Net(
                NetError::Disagreement { .. }
                | NetError::PeerAborted { kind: AbortKind::Disagreement, .. },
            )) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(seen > 0, "who leaves first has seen it");
}

#[test]
fn nobody_shows_a_program_to_those_who_hide_theirs() {
    for refused in of_two_programs(Some(2)) {
        match refused {
            Err(EvaluateError::Net(NetError::Disagreement { what, .. })) => {
                assert_eq!(what, "program")
            }
            Err(EvaluateError::Net(NetError::PeerAborted { kind, .. })) => {
                assert_eq!(kind, AbortKind::Disagreement);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn rows_that_are_joined_are_as_many_at_both_owners() {
    let text = "program joined\nparties alice, bob\nrows n <= 20\ninput x: u8[n] from alice\n\
                input y: u8[n] from bob\nreveal sum(x * y, axis 0) to alice as \"it\"\n";
    let program = text::parse("joined.tacit", text).unwrap();
    let refused = run(1, |mut session| {
        let mut terms = RowTerms::default();
        if let Some(rows) = [Some(7), Some(9), None][session.me().index()] {
            terms.own.insert("n".into(), rows);
        }
        agree_rows(&mut session, &program, &terms)
    });
    for (refused, (with, here, there)) in
        refused.iter().zip([(1, "7", "9"), (0, "9", "7"), (1, "7 from", "9")])
    {
        match refused {
            Err(EvaluateError::Net(NetError::Disagreement { peer, mine, theirs, .. })) => {
                assert_eq!(peer.id, PartyId(with));
                assert!(mine.starts_with(here) && theirs == there, "{mine} {theirs}");
            }
            // Or it hears it from another party before it has compared.
            Err(EvaluateError::Net(NetError::PeerAborted { kind, .. })) => {
                assert_eq!(*kind, AbortKind::Disagreement);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn inputs_that_do_not_fit_are_the_users_and_disagreement_is_the_networks() {
    let (circuit, job) = one_and();
    let mut none = job.clone();
    none.instances = 0;
    assert!(matches!(none.check(&circuit), Err(EvaluateError::Job(_))));
    // Nothing is repeated that the caller has not repeated.
    let errors = run(1, |mut session| {
        let job = Job { instances: 2, ..job.clone() };
        let compiled = Compiled::new(&circuit, job).unwrap();
        let one = || Some(Lanes::from_bits(vec![vec![1]], 1));
        evaluate(&mut session, &compiled, vec![one(), one()], &|_| {}).err()
    });
    assert!(matches!(&errors[0], Some(EvaluateError::Job(_))), "{errors:?}");
    let errors = run(1, |mut session| {
        let mut job = job.clone();
        job.instances += usize::from(session.me().0);
        let compiled = Compiled::new(&circuit, job).unwrap();
        evaluate(&mut session, &compiled, vec![None, None], &|_| {}).err()
    });
    let strengths = run(1, |mut session| {
        let names = [POST, POST.with_strength(Strength::Strong).unwrap()];
        let mut job = job.clone();
        job.options.assignments =
            vec![Assignment::in_order(names[usize::from(session.me().0 == 1)])];
        let compiled = Compiled::new(&circuit, job).unwrap();
        evaluate(&mut session, &compiled, vec![None, None], &|_| {}).err()
    });
    let told =
        |e: &Option<EvaluateError>| e.as_ref().is_some_and(|e| e.to_string().contains("post@64"));
    assert!(strengths.iter().all(told), "{strengths:?}");
    let batches = run(1, |mut session| {
        let name = ["post", "post/4096"][usize::from(session.me().0 == 1)];
        let mut job = job.clone();
        job.options.assignments = vec![Assignment::in_order(protocols::named(name).unwrap())];
        let compiled = Compiled::new(&circuit, job).unwrap();
        evaluate(&mut session, &compiled, vec![None, None], &|_| {}).err()
    });
    let told =
        |e: &Option<EvaluateError>| e.as_ref().is_some_and(|e| e.to_string().contains("post/4096"));
    assert!(batches.iter().all(told), "{batches:?}");
    let disagree = |e: &Option<EvaluateError>| {
        matches!(e, Some(EvaluateError::Net(NetError::Disagreement { .. })))
    };
    let mut all = errors.iter().chain(&strengths).chain(&batches);
    assert!(all.all(disagree), "{errors:?} {strengths:?} {batches:?}");
}

#[test]
fn a_session_that_does_not_fit_its_job_is_a_bug() {
    let (circuit, job) = one_and();
    let job = job.with(|it| it.workers = 2);
    let errors = run(1, |mut session| {
        let compiled = Compiled::new(&circuit, job.clone()).unwrap();
        let values = vec![Some(Lanes::from_bits(vec![vec![1]], 1)), None];
        evaluate(&mut session, &compiled, values, &|_| {}).err()
    });
    assert!(errors.iter().any(|e| matches!(e, Some(EvaluateError::Bug(_)))), "{errors:?}");
}

#[test]
fn stored_preprocessing_is_used_up_and_no_more() {
    let places = [0, 1, 2].map(PartyId);
    run(1, |mut session| {
        let me = session.me();
        let mut party = Party::new(&mut session.meshes[0], &places).unwrap();
        if me == PartyId(0) {
            party.send(1, Stream::Pre, &[7u64, 8]).unwrap();
            party.flush().unwrap();
        }
        if me == PartyId(1) {
            party.fetch_ahead(0, 16).unwrap();
            let mut word = [0u64];
            for expected in [7, 8] {
                let left = party.check_used_up().map_err(EvaluateError::from);
                assert!(matches!(left, Err(EvaluateError::Bug(_))), "{left:?}");
                party.recv(0, Stream::Pre, &mut word).unwrap();
                assert_eq!(word, [expected]);
            }
            party.check_used_up().unwrap();
            let more = party.recv(0, Stream::Pre, &mut word);
            assert!(matches!(more, Err(SharingError::Shape(_))), "{more:?}");
        }
        drop(party);
        session.finish().unwrap();
    });
}

#[test]
fn more_rows_than_can_be_computed_are_the_users_under_every_protocol() {
    let text = "program many\nparties alice, bob, carol\nrows n <= 281474976710656\n\
                input x: u8[n] from alice\nreveal x to bob\n";
    let program = text::parse("many.tacit", text).unwrap();
    let parties: Vec<PartyId> = (0..3).map(PartyId).collect();
    for protocol in protocols::on_bits() {
        let prepared = |rows: u64| {
            let mut job = ProgramJob::new(protocol, parties.clone(), vec![rows]);
            // Tests of ranges are counted chunk by chunk, and so many rows have many.
            job.range_check = false;
            CompiledProgram::new(&program, job)
        };
        for rows in [1 << 32, 1 << 48, u64::MAX] {
            let error = prepared(rows).err();
            assert!(matches!(error, Some(EvaluateError::Job(_))), "{protocol}, {rows}: {error:?}");
        }
        // Circuits of whole programs do not get that large.
        if !protocol.garbles() {
            let most = prepared(u64::from(u32::MAX));
            assert!(most.is_ok_and(|most| most.cost().is_ok()), "{protocol}");
        }
    }
}
