//! Measurements of forms of GMW: their first pass takes what the cost functions say, or they end with an error.

use std::time::Duration;
use tacit_engine::bench::{self, Operation, Plan};
use tacit_engine::circuit::Assignment;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_sharing::Protocol;
use tacit_sharing::arrays::Cut;

#[test]
fn forms_of_gmw_are_measured_at_the_price_of_their_cost_functions() {
    for protocol in
        [Protocol::Gmw(2), Protocol::GmwSilent(2), Protocol::GmwOt(3), Protocol::GmwTriples(3)]
    {
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
