//! Triples are what they should be: all parties' shares, MACs and keys are put beside each other.

use super::party::{begin, finish_set_up};
use super::rows::{Layout, Rows};
use super::triples::{self, bucket};
use super::tweak::Hash;
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::gmw::{Correlations, Delta};

/// All parties' Deltas and rows of a batch of so many triples.
fn batch(parties: usize, count: usize) -> Vec<(u128, Rows)> {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let seed = test_seed();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy).unwrap();
        let mut talk = begin(mesh, &places, all.worker(), b"test").unwrap();
        talk.keys = Some(all.worker());
        let hash = Hash::new(&[7; 32], 1).unwrap();
        let made = triples::make(&mut talk, hash, 0, count, &vec![5; parties]);
        let delta = *super::bits::delta(&talk).unwrap();
        let (rows, _) = made.unwrap();
        finish_set_up(talk).unwrap();
        session.finish().unwrap();
        (delta, rows)
    })
}

/// Every MAC is its key plus the bit times Delta, and every third value the product of the first two.
fn hold(parties: &[(u128, Rows)]) {
    let layout = |me| Layout { parties: parties.len(), me };
    let width = layout(0).width();
    let mut ones = [0; 3];
    for i in 0..parties[0].1.len() {
        let mut values = [0u128; 3];
        for (factor, value) in values.iter_mut().enumerate() {
            let row = |role: usize| &parties[role].1.get(i)[factor * width..(factor + 1) * width];
            for me in 0..parties.len() {
                let bit = row(me)[0];
                *value ^= bit;
                for peer in (0..parties.len()).filter(|peer| *peer != me) {
                    let mac = row(me)[layout(me).mac(peer)];
                    let key = row(peer)[layout(peer).key(me)];
                    assert_eq!(mac, key ^ (bit * parties[peer].0), "triple {i}, {me} to {peer}");
                }
            }
        }
        assert_eq!(values[2], values[0] & values[1], "triple {i}");
        ones.iter_mut().zip(values).for_each(|(ones, value)| *ones += value as usize);
    }
    // Random bits: ten standard deviations.
    let count = parties[0].1.len() as f64;
    for (ones, mean) in ones.into_iter().zip([0.5, 0.5, 0.25]) {
        assert!((ones as f64 - mean * count).abs() < 5.0 * count.sqrt(), "{ones} of {count}");
    }
}

#[test]
fn triples_are_authenticated_products_with_buckets_of_all_sizes() {
    for (parties, count, buckets) in
        [(2, 432, 5), (3, 432, 5), (4, 500, 5), (2, 4096, 4), (3, 5000, 4)]
    {
        assert_eq!(bucket(count), buckets);
        hold(&batch(parties, count));
    }
    assert_eq!(bucket(triples::LARGE), 3);
    hold(&batch(2, triples::LARGE));
}
