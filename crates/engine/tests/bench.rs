//! Measurements: their first pass takes what the cost functions say, or they end with an error.

use std::time::Duration;
use tacit_engine::bench::{self, Operation, Plan};
use tacit_engine::circuit::Assignment;
use tacit_engine::protocols::{
    ASTRA, GALOIS, GMW, GMW_OT, GMW_SILENT, GMW_STAR, GMW_TRIPLES, GMW_WIDE, LIFT, QUAD, TRIO,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_sharing::arrays::Cut;
use tacit_sharing::balance::Balance;

#[test]
fn forms_of_gmw_are_measured_at_the_price_of_their_cost_functions() {
    for protocol in [
        GMW.fitting(2),
        GMW_SILENT.fitting(2),
        GMW_STAR.fitting(3),
        GMW_WIDE.fitting(3),
        GMW_OT.fitting(3),
        GMW_TRIPLES.fitting(3),
    ] {
        let results =
            memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
                let plan = Plan {
                    assignments: vec![Assignment::in_order(protocol)],
                    threads: 1,
                    ring_bits: 1,
                    operation: Operation::Product,
                    elements: 5000,
                    duration: Duration::from_millis(1),
                    cut: Cut::default(),
                };
                let measured = bench::run(&mut session, &plan)?;
                session.finish()?;
                Ok::<_, tacit_engine::circuit::EvaluateError>(measured)
            });
        for measured in results {
            let measured = measured.unwrap_or_else(|error| panic!("{protocol}: {error}"));
            assert!(measured.passes > 0 && measured.bytes.link(0, 1) > 0, "{protocol}");
        }
    }
}

/// Of any size: proven entry by entry, or as a whole.
#[test]
fn matrices_are_measured_at_the_price_of_their_cost_functions() {
    for (protocol, ring_bits, size) in
        [(TRIO, 64, 20), (LIFT, 64, 20), (LIFT, 64, 8), (LIFT, 1, 8), (GALOIS, 64, 16)]
    {
        let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let plan = Plan {
                assignments: vec![Assignment::in_order(protocol)],
                threads: 1,
                ring_bits,
                operation: Operation::Matrix { size },
                elements: 3 * size * size,
                duration: Duration::from_millis(1),
                cut: Cut::default(),
            };
            let measured = bench::run(&mut session, &plan)?;
            session.finish()?;
            Ok::<_, tacit_engine::circuit::EvaluateError>(measured)
        });
        for measured in results {
            let measured = measured.unwrap_or_else(|error| panic!("{protocol}, {size}: {error}"));
            assert!(measured.passes > 0, "{protocol}");
        }
    }
}

/// Products made in several ways are right, and cost what their ways do.
#[test]
fn products_made_in_several_ways_are_measured() {
    let six = ["a", "a-crossed", "b", "b-crossed", "het", "het-crossed"];
    for (protocol, ways) in [
        (TRIO, &["straight", "crossed"][..]),
        (ASTRA, &["straight", "crossed"]),
        (QUAD, &["b", "b-crossed"]),
        (QUAD, &["a", "het"]),
        (QUAD, &six),
    ] {
        let balance = Balance::of(protocol, ways.iter().map(|way| (*way, 1))).unwrap();
        for (ring_bits, threads, cut) in
            [(1, 1, Cut::default()), (64, 2, Cut { piece: 700, window: 3 })]
        {
            let network = MemoryNetwork::default();
            let results = memory::run(protocol.parties(), threads, &network, |mut session| {
                let assignment = Assignment::in_order(protocol).balanced(balance.clone());
                let plan = Plan {
                    assignments: vec![assignment],
                    threads,
                    ring_bits,
                    operation: Operation::Product,
                    elements: 50_000,
                    duration: Duration::from_millis(1),
                    cut,
                };
                let measured = bench::run(&mut session, &plan)?;
                session.finish()?;
                Ok::<_, tacit_engine::circuit::EvaluateError>(measured)
            });
            for measured in results {
                let measured = measured.unwrap_or_else(|e| panic!("{balance} {ring_bits}: {e}"));
                assert!(measured.passes > 0 && measured.bytes.link(1, 2) > 0, "{balance}");
            }
        }
    }
}

#[test]
fn sums_of_products_are_not_balanced() {
    let balance = Balance::of(TRIO, [("straight", 1), ("crossed", 1)]).unwrap();
    let plan = Plan {
        assignments: vec![Assignment::in_order(TRIO).balanced(balance)],
        threads: 1,
        ring_bits: 64,
        operation: Operation::Dot { length: 10 },
        elements: 100,
        duration: Duration::from_millis(1),
        cut: Cut::default(),
    };
    assert!(plan.check().unwrap_err().to_string().contains("not supported"));
}
