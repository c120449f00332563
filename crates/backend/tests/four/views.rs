//! What a party sees of a gadget, over every choice of randomness: the same for all secrets.
//!
//! Over bits, every choice of masks in a lane of its own. Two secrets a and b are shared; the pair's
//! `a + x0` is raised, the masks' sum `y0` of b is dealt, and `a0 y0 + a0` shared.

use crate::{FOUR, PLACES};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_backend::convert::{Coordinates, MaskedParty};
use tacit_net::Session;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_ring::{Buffer, Z2, word};
use tacit_sharing::party::Keys;
use tacit_sharing::{CoordinatesVisitor, Party, Protocol};

/// Masks of a: x1, x2, u; of b: y1, y2, v; draws: k and w, z2, q1 and z1.
const FREE: u32 = 11;
const WORDS: usize = (1 << FREE) / 64;

type Column = Vec<Z2>;

/// Bit `index` of the number of each lane.
fn free(index: u32) -> Column {
    let of = |lane: usize| (lane as u64) >> index & 1;
    let word = |w: usize| (0..64).fold(0, |word, lane| word | of(w * 64 + lane) << lane);
    (0..WORDS).map(|w| Z2(word(w))).collect()
}

fn sum(columns: &[&Column]) -> Column {
    (0..WORDS).map(|i| Z2(columns.iter().fold(0, |sum, column| sum ^ column[i].0))).collect()
}

fn constant(bit: u64) -> Column {
    vec![Z2(bit.wrapping_neg()); WORDS]
}

struct Play<'a> {
    session: &'a mut Session,
    secrets: [u64; 2],
    /// Draws z1 = 0, a negative control: P2 sees what it must not.
    careless: bool,
}

impl CoordinatesVisitor for Play<'_> {
    type Out = Vec<Column>;
    fn visit<P: Coordinates>(self) -> Vec<Column> {
        let [x1, x2, u, y1, y2, v, k, w, z2, q1, z1] = std::array::from_fn(|i| free(i as u32));
        let z1 = if self.careless { constant(0) } else { z1 };
        let [a, b] = self.secrets.map(constant);
        let (x0, y0) = (sum(&[&x1, &x2]), sum(&[&y1, &y2]));
        // Masked coordinates of both.
        let coordinates = |a: &Column, x1: &Column, x2: &Column, u: &Column| {
            let x0 = sum(&[x1, x2]);
            match P::ROLE {
                0 => [sum(&[a, &x0, u]), x0],
                1 => [sum(&[a, &x0]), x1.clone()],
                2 => [sum(&[a, &x0]), x2.clone()],
                _ => [u.clone(), x0],
            }
        };
        let mine = [coordinates(&a, &x1, &x2, &u), coordinates(&b, &y1, &y2, &v)];
        // By the role that lacks the key.
        let drawn = [vec![k, w], vec![z2], vec![q1, z1], vec![]];
        let drawn: Vec<Vec<Column>> = drawn
            .into_iter()
            .enumerate()
            .filter(|(lacking, _)| *lacking != P::ROLE)
            .map(|(_, columns)| columns)
            .collect();
        let bytes = |columns: &Vec<Column>| word::bytes(&columns.concat()).to_vec();
        let mut keys = Keys::insecure_scripted(drawn.iter().map(bytes));
        let mut draws = keys.streams().draws().unwrap();
        let mut party = Party::new(&mut self.session.meshes[0], &PLACES).unwrap();
        let mut masked_party = MaskedParty::new::<P>(&mut party);
        let lower = if masked_party.seat().is_pair() { Vec::new() } else { y0 };
        let y = masked_party.deal(&mut draws, &lower, WORDS).unwrap();
        let upper = if masked_party.seat().is_pair() { sum(&[&a, &x0]) } else { constant(0) };
        let upper = masked_party.raise(&mut draws, Buffer::from_slice(&upper)).unwrap();
        let products = upper.iter().zip(y.part()).map(|(c, t)| Z2(c.0 & t.0)).collect::<Column>();
        let sums = Buffer::from_slice(&products);
        let result = masked_party.gadget(&mut draws, sums, Some(&upper)).unwrap();
        party.flush().unwrap();
        drop(party.take_journal().unwrap());
        let mut seen: Vec<Column> = mine.into_iter().flatten().chain(drawn.concat()).collect();
        let components = [result.first, result.second, result.third];
        seen.extend(components.iter().filter(|run| !run.is_empty()).map(|run| run.to_vec()));
        seen
    }
}

/// Messages by receiver, sender and order.
type Messages = Mutex<BTreeMap<(usize, usize, usize), Column>>;

/// By role, the views of all lanes in ascending order.
fn views(protocol: Protocol, secrets: [u64; 2], careless: bool) -> Vec<Vec<u64>> {
    let messages: Arc<Messages> = Arc::default();
    let mut seen = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let (kept, mut number) = (messages.clone(), 0);
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            let words: Column = word::from_bytes(message.bytes).expect("whole words");
            assert_eq!(words.len(), WORDS, "a message of one word per lane");
            kept.lock().unwrap().insert((message.to.index(), me, number), words);
            number += 1;
            Verdict::Keep
        }));
        let start = Play { session: &mut session, secrets, careless };
        let seen = tacit_backend::visit::visit_coordinates(protocol, me, start).unwrap();
        session.meshes[0].set_tamper(Tamper::new(|_| Verdict::Keep));
        session.finish().unwrap();
        seen
    });
    for ((to, ..), words) in messages.lock().unwrap().iter() {
        seen[*to].push(words.clone());
    }
    seen.iter().map(|columns| sorted_lanes(columns)).collect()
}

fn sorted_lanes(columns: &[Column]) -> Vec<u64> {
    let lane = |lane: usize| {
        let bit = |column: &Column| column[lane / 64].0 >> (lane % 64) & 1;
        columns.iter().fold(0, |view, column| view << 1 | bit(column))
    };
    let mut lanes: Vec<u64> = (0..64 * WORDS).map(lane).collect();
    lanes.sort_unstable();
    lanes
}

const SECRETS: [[u64; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

#[test]
fn a_role_sees_the_same_for_all_secrets() {
    for protocol in FOUR {
        let reference = views(protocol, SECRETS[0], false);
        for secrets in &SECRETS[1..] {
            let views = views(protocol, *secrets, false);
            for (role, (one, other)) in reference.iter().zip(&views).enumerate() {
                assert!(one == other, "{protocol}: role {role} sees {secrets:?}");
            }
        }
    }
}

#[test]
fn a_mask_left_out_shows() {
    for protocol in FOUR {
        let all = SECRETS.map(|secrets| views(protocol, secrets, true));
        let told = |role: usize| all.iter().any(|views| views[role] != all[0][role]);
        assert!(told(2), "{protocol}: the test cannot see a leak");
    }
}
