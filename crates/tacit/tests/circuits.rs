//! Circuits among parties over TLS.

use std::thread;
use tacit::{
    Circuit, CircuitBuilder, CircuitOutcome, ErrorKind, Party, Ports, Result, Run, protocols,
};

/// Two ports of so many bits, and their AND and XOR, bit by bit.
fn circuit(width: u32) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(width), builder.input(width));
    let pairs = || a.iter().copied().zip(b.iter().copied());
    let both: Vec<_> = pairs().map(|(a, b)| builder.and2(a, b)).collect();
    let one: Vec<_> = pairs().map(|(a, b)| builder.xor(a, b)).collect();
    builder.output(&both);
    builder.output(&one);
    Circuit::from(builder.finish())
}

/// What a party says of its run.
type Says<'a> = &'a (dyn for<'p> Fn(Run<'p, Ports<'p>>) -> Run<'p, Ports<'p>> + Sync);

/// Runs alice and bob.
fn both(circuit: &Circuit, [alice, bob]: [Says<'_>; 2]) -> [Result<CircuitOutcome>; 2] {
    let parties = Party::on_loopback(&["alice", "bob"]).expect("ports");
    let start = |party: usize, says: Says<'_>| {
        let run = parties[party].evaluate(circuit).protocol(protocols::YAO);
        says(run).start()
    };
    thread::scope(|scope| {
        let bob = scope.spawn(|| start(1, bob));
        [start(0, alice), bob.join().expect("no panic")]
    })
}

#[test]
fn instances_go_side_by_side_and_outputs_to_those_who_learn_them() {
    let values: Vec<u128> = (0..70).map(|i| (i << 100) | 5).collect();
    let alice: Says<'_> = &|run| run.input(0, &values).reveal(0, ["bob"]);
    let bob: Says<'_> = &|run| run.input(1, u128::MAX).repeat(1).reveal(0, ["bob"]);
    let [alice, bob] = both(&circuit(128), [alice, bob]).map(|result| result.expect("a result"));
    assert_eq!(alice.numbers(0), None);
    assert_eq!(bob.numbers(0), Some(values.clone()));
    for outcome in [&alice, &bob] {
        assert_eq!(outcome.numbers(1), Some(values.iter().map(|value| !value).collect()));
    }
    assert_eq!(bob.report().instances, 70);
}

#[test]
fn wide_ports_are_bytes() {
    let (mut left, right) = ([0u8; 40], [0xff_u8; 40]);
    left[39] = 0x81;
    let alice: Says<'_> = &|run| run.input(0, tacit::Bits::from_bytes([left]));
    let bob: Says<'_> = &|run| run.input(1, tacit::Bits::from_bytes([right]));
    for outcome in both(&circuit(320), [alice, bob]) {
        let outcome = outcome.expect("a result");
        assert_eq!(outcome.numbers(0), None, "it is wider than a number");
        assert_eq!(outcome.bytes(0), Some(vec![left.to_vec()]));
    }
}

#[test]
fn nobodys_value_is_repeated_unless_its_owner_says_so() {
    let alice: Says<'_> = &|run| run.input(0, &[1u8, 2, 3]);
    let bob: Says<'_> = &|run| run.input(1, 7u8);
    for result in both(&circuit(8), [alice, bob]) {
        assert_eq!(result.expect_err("they disagree").kind(), ErrorKind::Config);
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused_where_they_are() {
    let bob: Says<'_> = &|run| run.input(1, 7u8);
    let wide: Says<'_> = &|run| run.input(0, 256u16);
    let missing: Says<'_> = &|run| run;
    let anothers: Says<'_> = &|run| run.input(0, 1u8).input(1, 2u8);
    let unknown: Says<'_> = &|run| run.input(0, 1u8).input(2, 2u8);
    for alice in [wide, missing, anothers, unknown] {
        let kinds = both(&circuit(8), [alice, bob]).map(|result| result.err().map(|e| e.kind()));
        assert_eq!(kinds, [Some(ErrorKind::Input), Some(ErrorKind::Peer)]);
    }
}
