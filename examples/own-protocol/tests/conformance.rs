//! Mirror computes what the clear and replicated sharing compute, for what its constants say that it costs.

use own_protocol::MIRROR;
use std::process::Command;
use std::thread;
use tacit::{
    Circuit, CircuitBuilder, ErrorKind, LocalParties, Network, Outcome, Party, Program, Threat,
    protocols,
};

/// All kinds of operations: products, comparisons, division, sorting, fixed point, sums of products, groups.
const PROGRAMS: [&str; 3] = [
    r#"
    input x: i16[n] from alice in -300..300
    input y: i16[n] from bob in -300..300
    input z: u8[n] from carol in 0..9
    reveal x * y + z to all as "products"
    reveal x < y to alice as "less"
    reveal sum(x * y, axis 0) to bob as "inner product"
    reveal max(x, y) to carol as "greater"
    reveal (x == y) | (z > 4) to all as "either"
    "#,
    r#"
    input x: i16[n] from alice in -300..300
    input y: i16[n] from bob in -300..300
    input z: u8[n] from carol in 0..9
    let (key, along) = sort(x, y)
    reveal key to all as "sorted"
    reveal along to bob as "sorted along"
    reveal x / (z + 1) to all as "quotients"
    reveal median(y) to alice as "median"
    reveal group_sum(z, x, first 0, groups 10) to all as "by z"
    "#,
    r#"
    input x: fixed(24,8)[n] from alice in -300.0..300.0
    input y: fixed(24,8)[n] from bob in -1.5..1.5
    input z: u8[n] from carol in 0..9
    reveal x * y to all as "products"
    reveal sum(x, axis 0) to carol as "sum"
    reveal select(x > y, x, y) to all as "greater"
    "#,
];

fn program(body: &str) -> Program {
    let rows = if body.contains("[n]") { "rows n <= 500" } else { "" };
    let text = format!("program test\nparties alice, bob, carol\n{rows}\n{body}");
    Program::parse("test", &text).expect("a program")
}

fn parties(program: &Program, protocol: tacit::Protocol, rows: u32) -> LocalParties {
    let values = |times: u32, modulus: u32| (0..rows).map(move |row| (row * times + 3) % modulus);
    let parties = LocalParties::new(program, protocol);
    let parties = parties.input("z", &values(7, 10).collect::<Vec<u32>>());
    match program.text().contains("fixed") {
        true => {
            let of = |times, most: f64| -> Vec<f64> {
                values(times, 997).map(|value| (f64::from(value) / 498.0 - 1.0) * most).collect()
            };
            parties.input("x", &of(211, 299.0)).input("y", &of(97, 1.4))
        }
        false => {
            let of = |times| -> Vec<i32> {
                values(times, 600).map(|value| value as i32 - 300).collect()
            };
            parties.input("x", &of(211)).input("y", &of(97))
        }
    }
}

/// Products in fixed point are rounded at random in the last place; all else is exact.
fn are_alike(program: &Program, one: &Outcome, other: &Outcome) {
    let most = if program.text().contains("fixed") { 1.5 / 256.0 } else { 0.0 };
    assert_eq!(one.results().len(), other.results().len());
    for ((name, one), (_, other)) in one.results().zip(other.results()) {
        let mut pairs = one.numbers().zip(other.numbers());
        assert!(pairs.all(|(one, other)| (one - other).abs() <= most), "{name}: {one} {other}");
        assert_eq!(one.numbers().count(), other.numbers().count(), "{name}");
    }
}

fn costs_are_what_was_said(outcome: &Outcome) {
    let report = outcome.report();
    for link in &report.cost.links {
        assert_eq!(link.bytes, link.predicted_bytes, "{link:?}");
    }
    assert_eq!(report.cost.rounds, report.cost.predicted_rounds);
    assert_eq!(report.protocol, "mirror");
}

#[test]
fn programs_have_the_results_of_the_clear_and_of_replicated_sharing() {
    for body in PROGRAMS {
        let program = program(body);
        for (rows, threads) in [(1, 1), (70, 1), (129, 2)] {
            let run = |protocol| {
                let parties = parties(&program, protocol, rows).threads(threads);
                parties.run().unwrap_or_else(|error| panic!("{protocol}: {error}"))
            };
            let mirror = run(MIRROR);
            costs_are_what_was_said(&mirror);
            let replicated = run(protocols::REPLICATED);
            are_alike(&program, &mirror, &replicated);
            are_alike(&program, &mirror, &run(protocols::PLAIN));
            // The same elements, the other way round.
            assert_eq!(mirror.report().cost.total_bytes(), replicated.report().cost.total_bytes());
        }
    }
}

#[test]
fn roles_are_given_out_by_hand_and_by_links() {
    let program = program(PROGRAMS[0]);
    let parties = parties(&program, MIRROR, 10).network(Network::GLOBAL);
    let want = parties.run().expect("a result").to_string();
    for parties in [parties.clone().roles(["carol", "alice", "bob"]), parties.roles_for_links()] {
        let outcome = parties.run().expect("a result");
        costs_are_what_was_said(&outcome);
        assert_eq!(outcome.to_string(), want);
    }
}

#[test]
fn what_a_program_takes_is_predicted_and_nothing_proposes_it() {
    let program = program(PROGRAMS[0]);
    let [mirror, replicated] = [MIRROR, protocols::REPLICATED].map(|protocol| {
        program.explain("global", protocol, &[("n", 100)]).expect("a prediction").total.seconds
    });
    assert!(mirror > 0.0 && (mirror / replicated - 1.0).abs() < 0.1, "{mirror} {replicated}");
    let choice = program.plan(&Network::CONTINENTAL, Threat::semi_honest(1), &[("n", 100)]);
    let candidates = choice.expect("a plan").candidates;
    assert!(candidates.iter().all(|candidate| candidate.protocol != "mirror"));
    assert!(protocols::named("mirror").is_err());
}

/// What each party makes of its run over TLS.
fn over_tls<T: Send>(start: impl Fn(&Party) -> tacit::Result<T> + Sync) -> Vec<tacit::Result<T>> {
    let parties = Party::on_loopback(&["alice", "bob", "carol"]).expect("ports");
    thread::scope(|scope| {
        let start = &start;
        let runs: Vec<_> = parties.iter().map(|party| scope.spawn(move || start(party))).collect();
        runs.into_iter().map(|run| run.join().expect("no panic")).collect()
    })
}

#[test]
fn programs_run_over_tls() {
    let program = program(
        "input x: u16 from alice in 0..9\ninput y: u16 from bob in 0..9\nreveal x * y to all as \"product\"",
    );
    let outcomes = over_tls(|party| {
        let run = party.run(&program).protocol(MIRROR);
        match party.name() {
            "alice" => run.input("x", 6).start(),
            "bob" => run.input("y", 7).start(),
            _ => run.start(),
        }
    });
    for outcome in outcomes {
        let outcome = outcome.expect("a result");
        costs_are_what_was_said(&outcome);
        assert_eq!(outcome["product"], 42);
    }
}

#[test]
fn circuits_run_over_tls() {
    // Products of two and of three bits, on several levels.
    let mut builder = CircuitBuilder::new();
    let ports = [0, 1, 2].map(|_| builder.input(8));
    let bits: Vec<_> = (0..8)
        .map(|bit| {
            let [x, y, z] = [0, 1, 2].map(|port| ports[port][bit]);
            let both = builder.and2(x, y);
            let all = builder.and(&[x, y, z]);
            let differ = builder.xor(both, z);
            builder.and2(differ, all)
        })
        .collect();
    builder.output(&bits);
    let circuit = Circuit::from(builder.finish());
    let given = |port: usize| -> Vec<u8> {
        (0..100u8).map(|i| i.wrapping_mul(37).rotate_left(port as u32 * 3) ^ port as u8).collect()
    };
    let outcomes = over_tls(|party| {
        let port = ["alice", "bob", "carol"].iter().position(|name| *name == party.name());
        let port = port.expect("one of three");
        party.evaluate(&circuit).protocol(MIRROR).input(port, &given(port)).start()
    });
    let [x, y, z] = [0, 1, 2].map(given);
    let want = (0..100).map(|i| u128::from(((x[i] & y[i]) ^ z[i]) & (x[i] & y[i] & z[i])));
    let want: Vec<u128> = want.collect();
    for outcome in outcomes {
        let outcome = outcome.expect("a result");
        assert_eq!(outcome.numbers(0), Some(want.clone()));
        let report = outcome.report();
        assert!(report.cost.links.iter().all(|link| link.bytes == link.predicted_bytes));
        assert_eq!(report.cost.rounds, report.cost.predicted_rounds);
    }
}

#[test]
fn parties_that_name_another_protocol_do_not_compute_with_it() {
    let program = program("input x: u16 from alice in 0..9\nreveal x to all as \"x\"");
    let outcomes = over_tls(|party| {
        let own = party.name() == "carol";
        let run = party.run(&program);
        let run = run.protocol(if own { MIRROR } else { protocols::REPLICATED });
        if party.name() == "alice" { run.input("x", 6).start() } else { run.start() }
    });
    for outcome in outcomes {
        let error = outcome.expect_err("they differ").to_string();
        assert!(error.contains("mirror"), "{error}");
    }
}

#[test]
fn stored_preprocessing_is_refused() {
    let program = program("input x: u16 from alice in 0..9\nreveal x to all as \"x\"");
    let parties = Party::on_loopback(&["alice", "bob", "carol"]).expect("ports");
    let error = parties[1].run(&program).protocol(MIRROR).prepared("store").start().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.to_string().contains("not supported for protocols of one's own"), "{error}");
}

#[test]
fn the_example_runs() {
    let output = Command::new(env!("CARGO_BIN_EXE_own-protocol")).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("mirror took") && shown.contains("all three"), "{shown}");
}
