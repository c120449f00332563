//! Parties over TLS, and all parties in one process: what goes wrong, and who hears of it.

use std::thread;
use std::time::{Duration, Instant};
use tacit::{
    Connecting, Connection, ErrorKind, LocalParties, Network, Outcome, Party, Program, Result,
    Stopper, Threat, protocols,
};

const SUM: &str = r#"
program sum
parties alice, bob
rows n in 2..100
input "alice.x" as x: u8[n] from alice in 0..100
input "bob.y" as y: u8[n] from bob in 0..100
input least: u8 public in 0..100
reveal sum(x, axis 0) + sum(y, axis 0) > least to all as "enough"
"#;

fn program() -> Program {
    Program::parse("sum", SUM).expect("a program")
}

/// What a party says of its run.
type Says<'a> = &'a (dyn Fn(tacit::Run<'_>) -> tacit::Run<'_> + Sync);

/// Runs alice and bob, who say different things.
fn both(alice_says: Says<'_>, bob_says: Says<'_>) -> [Result<Outcome>; 2] {
    let program = program();
    let [alice, bob] =
        Party::on_loopback(&["alice", "bob"]).expect("ports").try_into().expect("two");
    let start = Instant::now();
    let results = thread::scope(|scope| {
        let usual = |party: &Party, says: Says<'_>| {
            says(party.run(&program).protocol(protocols::YAO)).start()
        };
        let bob = scope.spawn(move || usual(&bob, bob_says));
        [usual(&alice, alice_says), bob.join().expect("no panic")]
    });
    assert!(start.elapsed() < Duration::from_secs(20), "nobody waits for a party that has ended");
    results
}

fn kinds(results: [Result<Outcome>; 2]) -> [Option<ErrorKind>; 2] {
    results.map(|result| result.err().map(|error| error.kind()))
}

#[test]
fn a_party_whose_input_is_wrong_tells_the_others() {
    let bob: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5);
    let too_large: Says<'_> = &|run| run.input("alice.x", &[3, 300]).input("least", 5);
    let missing: Says<'_> = &|run| run.input("least", 5);
    let anothers: Says<'_> = &|run| run.input("bob.y", &[3, 4]).input("least", 5);
    let unknown: Says<'_> = &|run| run.input("alice.z", &[3, 4]);
    for alice in [too_large, missing, anothers, unknown] {
        assert_eq!(kinds(both(alice, bob)), [Some(ErrorKind::Input), Some(ErrorKind::Peer)]);
    }
}

#[test]
fn a_value_outside_its_declared_range_is_refused_where_it_is_and_not_shown() {
    let alice: Says<'_> = &|run| run.input("alice.x", &[3, 199]).input("least", 5);
    let bob: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5);
    let [alice, bob] = both(alice, bob);
    let error = alice.expect_err("199 is more than 100");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.to_string().contains("alice.x"), "{error}");
    assert!(!format!("{error} {error:?}").contains("199"), "{error}");
    assert_eq!(bob.expect_err("there is no result").kind(), ErrorKind::Peer);
}

#[test]
fn parties_that_want_different_things_do_not_compute() {
    let alice: Says<'_> = &|run| run.input("alice.x", &[3, 4]).input("least", 5);
    let rows: Says<'_> = &|run| run.input("bob.y", &[1, 2, 3]).input("least", 5);
    let public: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 6);
    let bounds: Says<'_> =
        &|run| run.input("bob.y", &[1, 2]).input("least", 5).rows_within("n", 50..=100);
    let threads: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5).threads(2);
    for bob in [rows, public, bounds, threads] {
        for kind in kinds(both(alice, bob)) {
            assert_eq!(kind, Some(ErrorKind::Config));
        }
    }
}

#[test]
fn parties_that_agree_learn_the_same() {
    let alice: Says<'_> = &|run| run.input("alice.x", &[3, 4]).input("least", 5).session("today");
    let bob: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5).session("today");
    for result in both(alice, bob) {
        let outcome = result.expect("a result");
        assert_eq!(outcome["enough"], true);
        assert_eq!(format!("{outcome:?}"), r#"{"enough": Value(bit[])}"#);
    }
}

#[test]
fn the_usual_protocol_is_against_malicious_parties() {
    let names = ["alice", "bob", "carol", "dave", "erin"];
    for (parties, usual) in
        [(2, "authenticated:2"), (3, "lift"), (4, "quad"), (5, "authenticated:5")]
    {
        let party = &Party::on_loopback(&names[..parties]).expect("ports")[0];
        let protocol = party.usual_protocol().expect("a protocol");
        assert_eq!(protocol.to_string(), usual);
        assert!(protocol.security().is_malicious());
    }
}

#[test]
fn local_parties_refuse_what_the_program_has_not() {
    let program = program();
    let lab = || LocalParties::new(&program, protocols::TRIO);
    let given = || lab().input("alice.x", &[3, 4]).input("bob.y", &[1, 2]);
    let outcome = given().input("least", 50).network(Network::LAN).run().expect("a result");
    assert_eq!(outcome["enough"], false);
    let errors = [
        given().run(),
        given().input("least", 5).input("bob.z", 1).run(),
        given().input("least", 0.5).run(),
        given().input("least", 5).table("alice", "there is none.csv").input("alice.x", &[1]).run(),
        lab().input("bob.y", &[1, 2]).input("least", 5).table("alice", "none.csv").run(),
    ];
    for error in errors {
        assert_eq!(error.expect_err("is refused").kind(), ErrorKind::Input);
    }
    // All that alice has comes from values: nobody looks into a file that she gives besides.
    let unread = given().input("least", 5).table("alice", "unread.csv").run();
    let told = unread.expect_err("is refused").to_string();
    assert!(told.contains("no input of alice is read from unread.csv: leave"), "{told}");
}

#[test]
fn parties_choose_the_protocol_that_they_want_alike() {
    let alice: Says<'_> = &|run| {
        run.protect_against(Threat::semi_honest(1)).input("alice.x", &[3, 4]).input("least", 5)
    };
    let bob: Says<'_> = &|run| {
        run.protect_against(Threat::semi_honest(1)).input("bob.y", &[1, 2]).input("least", 5)
    };
    let outcomes = both(alice, bob).map(|outcome| outcome.expect("a result"));
    let [alice, bob] = outcomes.each_ref().map(|it| it.choice().expect("a choice"));
    let chosen = &alice.candidates[0];
    assert_eq!(chosen.protocol, bob.candidates[0].protocol);
    // Of those that are predicted to be within 1 % of the fastest, the most usual one is taken.
    assert!(alice.candidates.iter().all(|it| chosen.seconds <= 1.01 * it.seconds), "{alice:?}");
    assert!(alice.candidates.len() > 3 && alice.links.len() == 2, "{alice:?}");
    for outcome in &outcomes {
        assert_eq!(outcome["enough"], true);
        assert_eq!(outcome.report().protocol, alice.candidates[0].protocol);
    }
}

#[test]
fn parties_that_want_different_protection_do_not_compute() {
    let semi_honest: Says<'_> = &|run| {
        run.protect_against(Threat::semi_honest(1)).input("alice.x", &[3, 4]).input("least", 5)
    };
    let malicious: Says<'_> =
        &|run| run.protect_against(Threat::malicious(1)).input("bob.y", &[1, 2]).input("least", 5);
    let named: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5);
    for bob in [malicious, named] {
        for error in both(semi_honest, bob).map(|result| result.expect_err("no agreement")) {
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains("auto against one semi-honest party"), "{error}");
        }
    }
}

#[test]
fn what_no_protocol_does_is_said_before_anything_starts() {
    let impossible: Says<'_> = &|run| {
        run.protect_against(Threat::malicious(2)).input("alice.x", &[3, 4]).input("least", 5)
    };
    let twice: Says<'_> = &|run| {
        run.protect_against(Threat::malicious(1))
            .roles(["alice", "bob"])
            .input("alice.x", &[3, 4])
            .input("least", 5)
    };
    let bob: Says<'_> = &|run| run.input("bob.y", &[1, 2]).input("least", 5);
    for (alice, why) in
        [(impossible, "of 2 parties 1 may be corrupted at most"), (twice, "--roles")]
    {
        let [alice, bob] = both(alice, bob);
        let error = alice.expect_err("not possible");
        assert_eq!((error.kind(), bob.is_err()), (ErrorKind::Input, true));
        assert!(error.to_string().contains(why), "{error}");
    }
}

const LESS: &str = r#"
program less
parties alice, bob, carol
input a: i16 from alice in -1000..1000
input b: i16 from bob in -1000..1000
reveal a < b to all as "less"
reveal a * b to alice, bob as "product"
"#;

/// What each of three parties does with a connection of its own.
fn connected<D: Send>(
    how: &Connecting,
    work: impl Fn(usize, &Connection) -> Result<D> + Sync,
) -> Vec<Result<D>> {
    let parties = Party::on_loopback(&["alice", "bob", "carol"]).expect("ports");
    let one = |(me, party): (usize, &Party)| {
        // Each party is stopped on its own, as it would be in a process of its own.
        let connection =
            party.connect(Connecting { stopper: Stopper::default(), ..how.clone() })?;
        let done = work(me, &connection)?;
        connection.finish().map(|()| done)
    };
    let one = &one;
    thread::scope(|scope| {
        let threads: Vec<_> =
            parties.iter().enumerate().map(|it| scope.spawn(move || one(it))).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).collect()
    })
}

/// Every family's runs leave nothing behind that the next run over the same connection stumbles on.
#[test]
fn runs_of_every_family_follow_each_other_over_one_connection() {
    let program = Program::parse("less", LESS).expect("a program");
    let names = [
        "trio",
        "astra",
        "replicated",
        "multi-fan-in",
        "lift",
        "post",
        "gmw:3",
        "yao-three",
        "bmr:3",
        "bmr-shamir:3",
        "authenticated:3",
        "trio",
    ];
    let done = connected(&Connecting::default(), |me, connection| {
        for (round, name) in names.into_iter().enumerate() {
            let (a, b) = (round as i64 * 7 - 30, 11 - round as i64 * 5);
            let run = connection.run(&program).protocol(protocols::named(name).expect("known"));
            let run = match me {
                0 => run.input("a", a),
                1 => run.input("b", b),
                _ => run,
            };
            let outcome = run.start()?;
            assert_eq!(outcome["less"], a < b, "{name}");
            match me {
                2 => assert!(outcome.get("product").is_none(), "{name}"),
                _ => assert!(outcome["product"].integers().eq([i128::from(a * b)]), "{name}"),
            }
        }
        Ok(())
    });
    done.into_iter().for_each(|done| done.expect("all runs"));
}

#[test]
fn a_run_that_fails_ends_its_connection() {
    let program = Program::parse("less", LESS).expect("a program");
    let run = |me: usize, connection: &Connection, a: i64| {
        let run = connection.run(&program).protocol(protocols::LIFT);
        match me {
            0 => run.input("a", a).start(),
            1 => run.input("b", 4).start(),
            _ => run.start(),
        }
    };
    let done = connected(&Connecting::default(), |me, connection| {
        assert_eq!(run(me, connection, 3)?["less"], true);
        let error = run(me, connection, 1001).expect_err("1001 is more than 1000");
        let expected = if me == 0 { ErrorKind::Input } else { ErrorKind::Peer };
        assert_eq!(error.kind(), expected, "{error}");
        assert!(!error.to_string().contains("1001"), "{error}");
        let after = run(me, connection, 3).expect_err("it has ended");
        assert!(after.to_string().contains("connect again"), "{after}");
        Ok(())
    });
    done.into_iter().for_each(|done| done.expect("nothing to finish"));
}

#[test]
fn a_connection_has_as_many_threads_as_its_runs() {
    let program = Program::parse("less", LESS).expect("a program");
    for (threads, of_run) in [(1, 2), (2, 1)] {
        let how = Connecting { threads: Some(threads), ..Connecting::default() };
        let done = connected(&how, |_, connection| {
            connection.run(&program).protocol(protocols::TRIO).threads(of_run).start().map(drop)
        });
        let said = |it: &Result<()>| it.as_ref().is_err_and(|e| e.to_string().contains("threads"));
        assert!(done.iter().any(said), "{done:?}");
        assert!(done.iter().all(Result::is_err), "{done:?}");
    }
    let how = Connecting { threads: Some(2), ..Connecting::default() };
    let done = connected(&how, |me, connection| {
        let run = connection.run(&program).protocol(protocols::TRIO);
        match me {
            0 => run.input("a", 3).start().map(drop),
            1 => run.input("b", 4).start().map(drop),
            _ => run.start().map(drop),
        }
    });
    done.into_iter().for_each(|done| done.expect("two threads"));
}

/// Whoever stops a connection while a run waits for a party that does not come ends it for all, at once.
#[test]
fn a_connection_can_be_stopped_while_a_run_waits() {
    let program = Program::parse("less", LESS).expect("a program");
    let start = Instant::now();
    let done = connected(&Connecting::default(), |me, connection| {
        thread::scope(|scope| {
            if me == 0 {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(300));
                    connection.stop();
                });
            }
            if me == 1 {
                thread::sleep(Duration::from_millis(900));
            }
            let run = connection.run(&program).protocol(protocols::LIFT);
            match me {
                0 => run.input("a", 3).start().map(drop),
                1 => run.input("b", 4).start().map(drop),
                _ => run.start().map(drop),
            }
        })
    });
    assert!(start.elapsed() < Duration::from_secs(15), "nobody waits");
    let kinds: Vec<_> = done.into_iter().map(|done| done.err().map(|e| e.kind())).collect();
    assert_eq!(kinds, [ErrorKind::Interrupted, ErrorKind::Peer, ErrorKind::Peer].map(Some));
}

#[test]
fn what_cannot_be_prepared_is_said() {
    let program = Program::parse("less", LESS).expect("a program");
    let parties = Party::on_loopback(&["alice", "bob", "carol"]).expect("ports");
    let run = || parties[0].run(&program).protocol(protocols::LIFT);
    for (run, runs, says) in [
        (run(), 0, "from 1 to 1000000 runs"),
        (run().roles_for_links(), 1, "roles that are given"),
        (run().protect_against(Threat::malicious(1)), 1, "name it"),
        (run().protocol(protocols::PLAIN), 1, "plain"),
    ] {
        let error = run.prepare("nowhere", &[], runs).expect_err(says);
        assert_eq!(error.kind(), ErrorKind::Input, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert!(!std::path::Path::new("nowhere").exists());
}

/// Decimals go in and come out with their point, from numbers and from texts.
#[test]
fn decimals_have_their_point() {
    let program = r#"
program sum
parties alice, bob
input a: i32 from alice of decimal(2)
input b: i32 from bob of decimal(2)
reveal a + b to all of decimal(2) as "sum"
"#;
    let program = Program::parse("sum", program).expect("a program");
    let local = LocalParties::new(&program, protocols::YAO);
    let outcome = local.clone().input("a", 12.34).input("b", -2).run().expect("an outcome");
    assert_eq!(outcome["sum"], 10.34);
    assert_eq!(outcome["sum"].to_string(), "10.34");
    assert_eq!(outcome["sum"].integers().collect::<Vec<_>>(), [10]);
    assert_eq!(outcome["sum"].raw().collect::<Vec<_>>(), [1034]);
    for nothing in ["", "-", ".", "x"] {
        let refused = local.clone().input("a", nothing).input("b", 1).run();
        assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::Input), "{nothing}");
    }
}
