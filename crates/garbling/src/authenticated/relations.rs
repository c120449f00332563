//! Triples are what they should be: all parties' shares, MACs and keys are put beside each other.

use super::channel::CheckedChannel;
use super::party::{begin, finish_set_up};
use super::rows::{Layout, Rows};
use super::triples::{self, Sizes, fallback};
use crate::tweak::{self, Hash};
use tacit_gmw::{Correlations, Delta};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;

/// What `f` gives all parties, which have just set up.
fn each<T: Send>(parties: usize, f: impl Fn(&mut CheckedChannel<'_>) -> T + Sync) -> Vec<T> {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let seed = test_seed();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy).unwrap();
        let mut channel = begin(mesh, &places, all.worker(), b"test").unwrap();
        channel.keys = Some(all.worker());
        let made = f(&mut channel);
        finish_set_up(channel).unwrap();
        session.finish().unwrap();
        made
    })
}

fn bucket(count: usize) -> usize {
    Sizes::of(1).bucket(count)
}

/// This party's Delta and rows of a batch of so many triples.
fn make(channel: &mut CheckedChannel<'_>, count: usize) -> (u128, Rows) {
    let hash = Hash::new(tweak::AUTHENTICATED, &[7; 32], 1).unwrap();
    let extra = vec![5; channel.links.parties()];
    let made = triples::make(channel, hash, 0, (count, bucket(count)), &extra).unwrap();
    let layout = Layout { parties: channel.links.parties(), me: channel.links.me };
    (*super::bits::delta(channel).unwrap(), made.packed(0..count).rows(layout))
}

/// All parties' Deltas and rows of a batch of so many triples.
fn batch(parties: usize, count: usize) -> Vec<(u128, Rows)> {
    each(parties, |channel| make(channel, count))
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
    let large = Sizes::of(1).large();
    assert_eq!(bucket(large), 3);
    hold(&batch(2, large));
}

#[test]
fn parts_of_a_batch_are_its_triples() {
    let parts = each(3, |channel| {
        let hash = Hash::new(tweak::AUTHENTICATED, &[7; 32], 1).unwrap();
        let made = triples::make(channel, hash, 0, (450, bucket(450)), &[0; 3]).unwrap();
        let layout = Layout { parties: 3, me: channel.links.me };
        let rows = |part| made.packed(part).rows(layout);
        let all = rows(0..450);
        for part in [0..1, 1..130, 127..450, 449..450, 450..450] {
            let rows = rows(part.clone());
            assert_eq!(rows.len(), part.len());
            assert!(part.enumerate().all(|(i, k)| rows.get(i) == all.get(k)));
        }
        all.len()
    });
    assert_eq!(parts, [450; 3]);
}

/// Two constructions of leaky triples, of the same bits: they agree on every correction, and what comes of either
/// are triples.
#[test]
fn products_that_are_shared_bit_by_bit_are_the_same() {
    for (parties, count) in [(2, 432), (3, 433), (4, 450)] {
        let made = each(parties, |channel| {
            fallback::choose(true);
            let made = make(channel, count);
            fallback::choose(false);
            (made, fallback::both().expect("both shares"))
        });
        let sum = |which: usize| {
            made.iter().fold(vec![0; (count * bucket(count)).div_ceil(64)], |mut sum, (_, both)| {
                sum.iter_mut().zip(&both[which].words).for_each(|(sum, word)| *sum ^= word);
                sum
            })
        };
        assert_eq!(sum(0), sum(1), "{parties} parties");
        assert!(made.iter().all(|(_, both)| both[0].words != both[1].words));
        hold(&made.into_iter().map(|(made, _)| made).collect::<Vec<_>>());
    }
}
