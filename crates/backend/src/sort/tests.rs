//! What opens of shuffled rows is any order, as often whatever the keys are.

use super::*;
use crate::RingKeys;
use crate::protocols::{ASTRA, MULTI_FAN_IN, REPLICATED, TRIO};
use std::collections::BTreeMap;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::setup::Secrets;
use tacit_sharing::{Party, Protocol};

const ROWS: usize = 4;
/// How many orders four rows have.
const ORDERS: usize = 24;
/// How often each order is expected.
const TIMES: usize = 20;

/// Sorts rows, and says what opens.
type Sort = fn(&mut dyn Shuffles, &Planes) -> Vec<u32>;

/// Places of shuffled rows by a digit.
fn by_radix(on: &mut dyn Shuffles, key: &Planes) -> Vec<u32> {
    let rows = Rows::of(on, key).unwrap();
    let places = places_by(on, &rows, 0, DIGIT_BITS).unwrap();
    let moved = shuffled(on, vec![places], ROWS).unwrap();
    on.open_places(&moved[0], 0..ROWS).unwrap().to_vec()
}

/// The order of shuffled rows, by their comparisons.
fn by_comparing(on: &mut dyn Shuffles, key: &Planes) -> Vec<u32> {
    let mut rows = Keyed::of(on, key).unwrap();
    rows.columns = shuffled(on, std::mem::take(&mut rows.columns), ROWS).unwrap();
    rows.order(on).unwrap()
}

const WAYS: [(&str, Sort); 2] = [("radix", by_radix), ("comparisons", by_comparing)];

/// What opens in many sorts by the same keys of two bits.
fn opened(protocol: Protocol, keys: [u64; ROWS], sort: Sort) -> Vec<Vec<u32>> {
    let opened = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let (mesh, places) = (&mut session.meshes[0], [0, 1, 2].map(PartyId));
        let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
        let secrets = Secrets::exchange(mesh, b"test", protocol, &places, &mut entropy);
        let ring_keys = RingKeys::new(&mut secrets.unwrap(), 1).remove(0);
        mesh.set_phase(Phase::Online);
        let party = Party::new(mesh, &places).unwrap();
        let mut on = crate::in_rings(protocol, party, ring_keys).unwrap();
        let plane = |bit: u32| {
            let bits = keys.iter().enumerate().map(|(row, key)| (key >> bit & 1) << row);
            Z2(bits.sum())
        };
        let key = on.public_planes(&[plane(0), plane(1)], DIGIT_BITS, ROWS);
        let sorts = 0..TIMES * ORDERS;
        let opened: Vec<Vec<u32>> = sorts.map(|_| sort(on.shuffles().unwrap(), &key)).collect();
        on.flush().unwrap();
        drop(on);
        session.finish().unwrap();
        opened
    });
    opened.into_iter().next().unwrap()
}

/// Of keys that are all equal only their numbers make rows differ. An order is missing, or comes three times as often as it should, in
/// less than one run of this test in a million. Under protocols that check the same opens, after a comparison.
#[test]
fn what_opens_is_any_order_whatever_the_keys_are() {
    for protocol in [TRIO, ASTRA, REPLICATED, MULTI_FAN_IN] {
        for keys in [[3, 1, 0, 2], [1; ROWS]] {
            for (way, sort) in WAYS {
                let mut counts = BTreeMap::<Vec<u32>, usize>::new();
                for order in opened(protocol, keys, sort) {
                    *counts.entry(order).or_default() += 1;
                }
                let label = format!("{protocol}, {way}, keys {keys:?}: {counts:?}");
                assert_eq!(counts.len(), ORDERS, "{label}");
                assert!(counts.values().all(|times| *times < 3 * TIMES), "{label}");
            }
        }
    }
}
