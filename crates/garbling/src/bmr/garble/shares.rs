//! Tests that shares of products of masks are fair coins but for their sum, for party 0, which knows its own values and
//! all that is public: one factor's mask is its own, the other's the sum of both others' masks.

use super::super::attacks::{Sent, listen, of, places};
use super::super::seat::Seat;
use super::*;
use crate::bmr::Opening;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{Phase, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;

/// ANDs of an instance.
const ANDS: usize = 64;
/// Instances.
const INSTANCES: usize = 32;

/// Products of inputs of party 0 with sums of inputs of both others.
fn products() -> Schedule {
    let mut b = Builder::new();
    let [x, y, z] = [(); 3].map(|()| b.input(ANDS as u32));
    let products: Vec<_> = (0..ANDS)
        .map(|i| {
            let sum = b.xor(y[i], z[i]);
            b.and2(x[i], sum)
        })
        .collect();
    b.output(&products);
    Schedule::new(&b.finish())
}

/// What a party has of the ANDs of an instance.
#[derive(Clone, Copy)]
struct Own {
    /// Its mask of the only input that it gives.
    masks: u64,
    /// Its shares of products.
    shares: u64,
    /// At party 0: what it knows of the pads in party 1's shares, but for what party 1's answer gives.
    pads: u64,
}

impl Garbling<'_> {
    fn part_of(&self, common: &Common, pi: &Permutation) -> Own {
        let (n, me) = (common.parties, common.me);
        let mut masks = Bits::zeros(ANDS);
        walk(self.ports.schedule, width(common), &self.sources, |gate| {
            let [u, v] = [gate.u, gate.v].map(|wire| wire.0[n + me] == 1);
            let (mine, other) = if me == 0 { (u, v) } else { (v, u) };
            assert!(!other, "the first factor is party 0's");
            masks.flip_if(gate.number, mine);
        });
        // Where nobody has a key all hash zeros.
        let known =
            |roles| lowest(&pads(pi, tweak(0, self.first_gate, roles), &[0; ANDS], 0)).words[0];
        let pads = self.pads[1].words[0] ^ known([0, 1]) ^ known([1, 2]) ^ known([2, 1]);
        Own { masks: masks.words[0], shares: self.shares.words[0], pads }
    }
}

/// By all parties' masks, how often there was an AND with them, and party 1's share without what party 0 knows of
/// it was one.
fn counts(rerandomised: bool) -> [[usize; 2]; 8] {
    let schedule = products();
    let inputs = [0, 1, 2].map(|role| (role, ANDS));
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &[vec![]], guards: 0 };
    let seed = test_seed();
    let parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let (mesh, places) = (&mut session.meshes[0], places());
        let all = Correlations::exchange(mesh, b"session", &places, Delta::Common, &mut entropy);
        let mut keys = all.unwrap().worker();
        if !rerandomised {
            keys.zeros.clear();
        }
        let heard = listen(&mut session);
        let mesh = &mut session.meshes[0];
        mesh.set_phase(Phase::Offline);
        let mut seat = Seat::new(mesh, &places, keys, b"session", Opening::All).unwrap();
        let mut all: Vec<_> = (0..INSTANCES).map(|_| seat.begin(ports, &[]).unwrap()).collect();
        all.iter_mut().for_each(|it| seat.take_masks(it).unwrap());
        all.iter_mut().for_each(|it| seat.take_cross(it).unwrap());
        all.iter_mut().for_each(|it| seat.take_products(it).unwrap());
        let own: Vec<Own> = all.iter().map(|it| it.part_of(&seat.common, &seat.keys.pi)).collect();
        session.finish().unwrap();
        (own, heard.try_iter().collect::<Vec<Sent>>())
    });
    let answers = of(&parties[1].1, (Stream::Def, Phase::Offline), ANDS / 8);
    let mut counts = [[0; 2]; 8];
    for (instance, answer) in answers.into_iter().enumerate() {
        let [first, second, third] = [0, 1, 2].map(|party| parties[party].0[instance]);
        let product = first.masks & (second.masks ^ third.masks);
        assert_eq!(first.shares ^ second.shares ^ third.shares, product);
        let answer = u64::from_le_bytes(*answer.first_chunk().unwrap());
        let rest = second.shares ^ first.pads ^ (first.masks & answer);
        for and in 0..ANDS {
            let bit = |word: u64| (word >> and & 1) as usize;
            let masks = [first, second, third].map(|party| bit(party.masks));
            counts[4 * masks[0] + 2 * masks[1] + masks[2]][bit(rest)] += 1;
        }
    }
    counts
}

#[test]
fn shares_of_products_are_fair_but_for_their_sum() {
    for (masks, [zeros, ones]) in counts(false).into_iter().enumerate() {
        // Without shares of zero what remains is the product of both parties' masks.
        let product = masks >> 2 & masks >> 1 & 1 == 1;
        assert_eq!(if product { zeros } else { ones }, 0, "without shares of zero");
    }
    for (masks, [zeros, ones]) in counts(true).into_iter().enumerate() {
        // About 256 fair coins; six standard deviations of the difference are 96.
        assert!(zeros + ones > 128 && zeros.abs_diff(ones) < 96, "{masks}: {zeros} and {ones}");
    }
}
