//! Orders that shuffles draw are uniform: to everybody, and to each role, which knows the orders of all hops but one.

use crate::harness::{end, settle, shuffling, with_backend};
use std::collections::BTreeMap;
use tacit_backend::{Backend, Column, Shuffles};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_protocol::Protocol;

const ROWS: usize = 4;
/// How many orders four rows have.
const ORDERS: usize = 24;

/// Fails if things do not come equally often: the chi-square statistic of those that do is so far above its mean less often than once
/// in 2^40 times.
fn assert_uniform<T: Ord>(label: &str, outcomes: usize, found: impl IntoIterator<Item = T>) {
    let mut counts = BTreeMap::<T, usize>::new();
    found.into_iter().for_each(|it| *counts.entry(it).or_default() += 1);
    let total: usize = counts.values().sum();
    let expected = total as f64 / outcomes as f64;
    assert!(expected >= 5.0 && counts.len() <= outcomes, "{label}");
    let squares = |count: usize| (count as f64 - expected).powi(2) / expected;
    let missing = (outcomes - counts.len()) as f64 * expected;
    let found = counts.values().map(|count| squares(*count)).sum::<f64>() + missing;
    let mean = outcomes as f64 - 1.0;
    // Wilson and Hilferty: the cube root is nearly normal.
    let spread = 2.0 / (9.0 * mean);
    let deviates = ((found / mean).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!(deviates < 7.5, "{label}: {found} for {mean}");
}

/// The rows' numbers in an order that all open.
fn opened(protocol: Protocol, shuffles: usize) -> Vec<Vec<u32>> {
    let opened = memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let opened = with_backend(protocol, &mut session.meshes[0], None, |b, verifier| {
            let shuffle = |b: &mut dyn Backend| -> Column {
                let on = b.shuffles().unwrap();
                let [_, numbers] = on.numbers(ROWS);
                tacit_backend::shuffled(on, vec![numbers], ROWS).unwrap().remove(0)
            };
            let moved = Column::join((0..shuffles).map(|_| shuffle(b)).collect());
            settle(b, verifier).unwrap();
            let rows = ROWS * shuffles;
            let opened = b.shuffles().unwrap().open_places(&moved, 0..rows).unwrap();
            end(b, verifier).unwrap();
            b.flush().unwrap();
            opened.chunks(ROWS).map(<[u32]>::to_vec).collect()
        });
        session.finish().unwrap();
        opened
    });
    opened.into_iter().next().unwrap()
}

#[test]
fn orders_that_open_are_uniform() {
    for protocol in shuffling() {
        assert_uniform(&protocol.to_string(), ORDERS, opened(protocol, 10 * ORDERS));
    }
}

/// One order for each hop, where this role knows it.
fn drawn(on: &mut dyn Shuffles) -> Vec<Option<Vec<u32>>> {
    let hops = on.hops();
    let orders =
        hops.into_iter().map(|hop| on.draw(hop, ROWS).unwrap().order().map(<[u32]>::to_vec));
    orders.collect()
}

#[test]
fn every_role_lacks_the_order_of_one_hop_and_those_that_know_it_know_the_same() {
    const SHUFFLES: usize = 20 * ORDERS * ORDERS;
    for protocol in shuffling() {
        let roles = protocol.parties();
        let drawn = memory::run(roles, 1, &MemoryNetwork::default(), |mut session| {
            let drawn = with_backend(protocol, &mut session.meshes[0], None, |b, _| {
                let on = b.shuffles().unwrap();
                (0..SHUFFLES).map(|_| drawn(on)).collect::<Vec<_>>()
            });
            // Nothing was compared, as nothing was sent.
            let _ = session.finish();
            drawn
        });
        // By shuffle, the orders of its hops.
        let mut orders = Vec::new();
        for number in 0..SHUFFLES {
            let mut all: Vec<Option<&Vec<u32>>> = vec![None; roles];
            for (role, shuffles) in drawn.iter().enumerate() {
                let known = shuffles[number].iter().flatten().count();
                assert_eq!(known, roles - 1, "{protocol}: hops whose order role {role} knows");
                for (hop, order) in shuffles[number].iter().enumerate() {
                    let Some(order) = order else { continue };
                    assert!(all[hop].is_none_or(|it| it == order), "{protocol}: hop {hop}");
                    all[hop] = Some(order);
                }
            }
            orders.push(all.into_iter().map(Option::unwrap).collect::<Vec<_>>());
        }
        for hop in 0..roles {
            let label = format!("{protocol}: hop {hop}");
            assert_uniform(&label, ORDERS, orders.iter().map(|all| all[hop]));
            // Beside that of the next hop, and of the same one in the next shuffle.
            let next = (hop + 1) % roles;
            let pairs = orders.iter().map(|all| [all[hop], all[next]]);
            assert_uniform(&format!("{label} and {next}"), ORDERS * ORDERS, pairs);
            let pairs = orders.chunks_exact(2).map(|two| [two[0][hop], two[1][hop]]);
            assert_uniform(&format!("{label} and the next"), ORDERS * ORDERS, pairs);
        }
    }
}
