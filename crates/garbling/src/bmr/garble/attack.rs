//! Without shares of zero, the share of a row's bit that a party sees of another is a function of that party's masks:
//! party 0, whose input times the sum of both others' opens, finds a summand.

use super::super::attacks::{RUNS, Sent, bit, blocks, listen, of, places};
use super::super::columns::open;
use super::super::seat::Seat;
use super::*;
use crate::Evaluate;
use crate::bmr::Opening;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{Phase, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};

/// What party 0 has itself of an instance: its mask of its input; for rows party 1's `K`; what it knows of party
/// 1's pads.
struct Own {
    mask: bool,
    keys: [u128; 4],
    pads: bool,
}

impl Garbling<'_> {
    fn own(&self, common: &Common, pi: &Permutation) -> Own {
        let [u, v, w] = [0, 1, 2].map(|source: usize| &self.sources[6 * source..][..6]);
        // The second factor is the sum of both other inputs.
        let (v, w) = (v[1] ^ w[1], self.sources[6 * 3 + 1]);
        let keys = [0, 1, 2, 3].map(|row: usize| {
            let (a, b) = ((row >> 1) as u128, (row & 1) as u128);
            self.crossed[1] ^ w ^ (a * v) ^ (b * u[1])
        });
        // Where nobody has a key all hash zeros.
        let known = |roles| lowest(&pads(pi, tweak(0, self.first_gate, roles), &[0], 0)).get(0);
        let pads = self.pads[1].get(0) ^ known([0, 1]) ^ known([1, 2]) ^ known([2, 1]);
        Own { mask: u[3 + common.me] == 1, keys, pads }
    }
}

/// How often party 0 finds the input of party 1.
fn inputs_found(rerandomised: bool) -> usize {
    let mut b = Builder::new();
    let (x, y, z) = (b.input(1), b.input(1), b.input(1));
    let sum = b.xor(y[0], z[0]);
    let and = b.and2(x[0], sum);
    b.output(&[and]);
    let schedule = Schedule::new(&b.finish());
    let (inputs, outputs) = ([(0, 1), (1, 1), (2, 1)], [vec![0]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let mut rng = Rng(test_seed());
    let (secrets, seed) = (rng.words(RUNS), rng.word());
    let parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let (mut entropy, places) = (Entropy::insecure_seeded(seed, me as u8), places());
        let (mesh, delta) = (&mut session.meshes[0], Delta::Common);
        let all = Correlations::exchange(mesh, b"session", &places, delta, &mut entropy);
        let mut keys = all.unwrap().worker();
        if !rerandomised {
            keys.zeros.clear();
        }
        let heard = listen(&mut session);
        let mesh = &mut session.meshes[0];
        mesh.set_phase(Phase::Offline);
        let mut seat = Seat::new(mesh, &places, keys, b"session", Opening::All).unwrap();
        let mut all: Vec<_> = (0..RUNS).map(|_| seat.begin(ports, &[]).unwrap()).collect();
        all.iter_mut().for_each(|it| seat.take_masks(it).unwrap());
        all.iter_mut().for_each(|it| seat.take_cross(it).unwrap());
        let opens = |it: &mut Garbling<'_>| {
            seat.take_products(it).unwrap();
            seat.open(ports, it).unwrap()
        };
        let opened = all.iter_mut().map(opens).collect();
        let own: Vec<Own> = all.iter().map(|it| it.own(&seat.common, &seat.keys.pi)).collect();
        let Seat { links, common, .. } = &mut seat;
        let finish = |it: Garbling<'_>, opened| it.finish(common, opened);
        let ready = open(links, common, (all, opened), 1, finish).unwrap();
        let again = ready.common(3, me);
        let value = |secret: &u64| bit(me == 0 || secret >> me & 1 == 1);
        let values: Vec<Bits> = secrets.iter().map(value).collect();
        ready.run(&mut session.meshes[0], &places, ports, &values).unwrap();
        session.finish().unwrap();
        (again, own, heard.try_iter().collect::<Vec<Sent>>())
    });
    let ((common, own, _), (.., sent)) = (&parties[0], &parties[1]);
    let ahead = (Stream::Def, Phase::Offline);
    let (crossed, columns) = (of(sent, ahead, 8), of(sent, ahead, 64));
    let masks = of(sent, (Stream::Pre, Phase::Offline), 8);
    let [public, labels] = [8, 48].map(|length| of(sent, (Stream::On, Phase::Online), length));
    let found = |i: &usize| {
        let labels = blocks(labels[*i]);
        let [u, v] = [labels[0], labels[1] ^ labels[2]];
        let row = 2 * (u & 1) as usize + (v & 1) as usize;
        let mut hidden = [0; 3];
        // Gates are counted from the first of the first worker.
        common.prf.hide_pair((1 << 48) + *i as u64, [u, v], &mut hidden);
        let part = blocks(columns[3 * i])[row] ^ hidden[0] ^ own[*i].keys[row];
        let share = part == *common.offset;
        assert!(share || part == 0);
        let product = own[*i].pads ^ (own[*i].mask & (crossed[*i][0] & 1 == 1));
        let mask = share ^ (masks[*i][0] & 1 == 1) ^ product;
        mask ^ (public[*i][0] & 1 == 1) == (secrets[*i] >> 1 & 1 == 1)
    };
    (0..RUNS).filter(found).count()
}

#[test]
fn shares_of_rows_show_no_summand() {
    assert_eq!(inputs_found(false), RUNS, "without shares of zero");
    // 64 fair coins; five standard deviations are 20.
    let found = inputs_found(true);
    assert!(found.abs_diff(RUNS / 2) < 20, "{found} of {RUNS}");
}
