//! Parties over TLS, and all parties in one process: what goes wrong, and who hears of it.

use std::thread;
use std::time::{Duration, Instant};
use tacit::{ErrorKind, LocalParties, Network, Outcome, Party, Program, Result, Threat, protocols};

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
    assert!(alice.candidates.iter().all(|it| chosen.seconds <= it.seconds), "{alice:?}");
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
