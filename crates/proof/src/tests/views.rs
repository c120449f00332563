//! What role 1 sees in checks, over every choice of the randomness that it does not know: the same for all
//! secrets, whatever it sends itself.

use super::{Gf8, PLACES, honest};
use crate::channel::ProofChannel;
use crate::extension::Element;
use crate::field::Field;
use crate::integers::{self, Width};
use crate::redundant::{self, Claims};
use crate::{Batch, fold, galois, wide};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Stream};
use tacit_ring::Word;
use tacit_sharing::SharingError;
use tacit_sharing::party::{Keys, Party};

/// What the key of each component gives, by trial. That of component 0 is what role 1 does not know.
type Scripts<'s> = &'s (dyn Fn(usize) -> [Vec<u8>; 3] + Sync);

/// Messages to role 1, by sender, trial after trial.
fn seen_by_role_1(
    trials: usize,
    scripts: Scripts<'_>,
    cheat: fn() -> Tamper,
    check: impl Fn(usize, &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> + Sync,
) -> [Vec<Vec<u8>>; 3] {
    let seen: [Arc<Mutex<Vec<Vec<u8>>>>; 3] = Default::default();
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let role = mesh.me().index();
        let log = seen[role].clone();
        mesh.set_tamper(match role {
            1 => cheat(),
            _ => Tamper::new(move |m| {
                if m.to == PartyId(1) && m.stream == Stream::Def {
                    log.lock().unwrap().push(m.bytes.to_vec());
                }
                Verdict::Keep
            }),
        });
        let mut party = Party::new(mesh, &PLACES).unwrap();
        for trial in 0..trials {
            let scripts = scripts(trial);
            let mut keys =
                Keys::insecure_scripted([1, 0].map(|next| scripts[(role + next) % 3].clone()));
            let draws = keys.streams().draws().unwrap();
            check(role, &mut ProofChannel::new(&mut party, draws)).unwrap();
            drop(party.take_journal().unwrap());
        }
        party.flush().unwrap();
        drop(party);
        session.finish().unwrap();
    });
    seen.map(|seen| seen.lock().unwrap().clone())
}

/// How often each view occurs.
type Histogram = HashMap<Vec<u8>, u32>;

fn histogram(views: impl Iterator<Item = Vec<u8>>) -> Histogram {
    let mut histogram = Histogram::new();
    views.for_each(|view| *histogram.entry(view).or_default() += 1);
    histogram
}

/// Role `role`'s words of a sharing of a value of which role 1's words are always the same.
fn shared<W: Word>(role: usize, value: W, known: [W; 2]) -> [W; 2] {
    let components = [value.sub(known[0]).sub(known[1]), known[0], known[1]];
    [components[role], components[(role + 1) % 3]]
}

/// Changes all messages of so many bytes.
fn changing<const LEN: usize>() -> Tamper {
    Tamper::new(|m| {
        let mut bytes = m.bytes.to_vec();
        if m.stream == Stream::Def && bytes.len() == LEN {
            bytes[0] ^= 1;
        }
        Verdict::Replace(bytes)
    })
}

/// Products that are checked together, one per choice of two bytes.
const CHOICES: usize = 1 << 16;

/// What role 1 sees of sacrifices of products of words of six bits, two bits redundant: of each, a second
/// product and what opens. `mask` gives the mask of the second product where the masking factor is this.
fn sacrifices(secrets: [u8; 2], cheat: fn() -> Tamper, mask: fn(usize) -> u8) -> Histogram {
    let scripts = |_| {
        [
            [(0..CHOICES).map(|i| i as u8).collect(), (0..CHOICES).map(mask).collect()],
            [vec![77; CHOICES], vec![200; CHOICES]],
            [vec![3; CHOICES], vec![91; CHOICES]],
        ]
        .map(|draws: [Vec<u8>; 2]| [draws.concat(), vec![5; 32]].concat())
    };
    let seen = seen_by_role_1(1, &scripts, cheat, |role, channel| {
        let product = secrets[0].wrapping_mul(secrets[1]);
        let columns = [(secrets[0], [9, 30]), (secrets[1], [14, 250]), (product, [71, 6])]
            .map(|(value, known)| shared(role, value, known).map(|word| vec![word; CHOICES]));
        let [x, y, z] = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        let claims = Claims { each: 1, x, y, z, runs: &[(CHOICES, 1)] };
        redundant::sacrifice_with::<u8, 2>(channel, &claims)
    });
    let [products, opened]: [&Vec<u8>; 2] = [&seen[2][0], &seen[2][2]];
    assert_eq!((products.len(), opened.len()), (CHOICES, CHOICES));
    histogram(products.iter().zip(opened).map(|(c, e)| vec![*c, *e]))
}

const SECRETS: [[u8; 2]; 4] = [[0, 0], [1, 63], [63, 2], [32, 32]];

#[test]
fn a_cheat_sees_the_same_of_a_sacrifice_for_all_secrets() {
    let fresh = |i| (i >> 8) as u8;
    let reference = sacrifices([0, 0], honest, fresh);
    // All pairs, once each.
    assert_eq!(reference.len(), CHOICES);
    for cheat in [honest as fn() -> Tamper, changing::<CHOICES>] {
        for secrets in SECRETS {
            assert!(sacrifices(secrets, cheat, fresh) == reference, "{secrets:?}");
        }
    }
}

#[test]
fn a_mask_that_is_used_twice_shows() {
    let again = |i| i as u8;
    let [a, b] = [[0, 0], [63, 2]].map(|secrets| sacrifices(secrets, honest, again));
    assert!(a != b, "the test cannot see a leak");
}

/// What role 1 sees of a proof of an inner product of two elements each, in the field of eight elements:
/// two values of a grid, two masked products, and what opens; or, where two are not folded, a masked product and two
/// that open.
fn folds<const UNFOLDED: usize>([f, g]: [[u64; 2]; 2], cheat: fn() -> Tamper) -> Histogram {
    // Draws of three bits, in blocks of sixteen bytes, and between them coins.
    let scripts = |trial: usize| {
        let draw = |at: usize| vec![(trial >> (3 * at)) as u8 & 7; 16];
        let coin = vec![0b1011; 32];
        let unknown = match UNFOLDED {
            1 => [draw(0), draw(1), draw(2), draw(3), draw(4), coin].concat(),
            _ => [draw(0), draw(1), draw(2), coin].concat(),
        };
        [unknown, vec![6; 128], vec![1; 128]]
    };
    let trials = if UNFOLDED == 1 { 1 << 15 } else { 1 << 9 };
    let seen = seen_by_role_1(trials, &scripts, cheat, |role, channel| {
        let pair = |value: u64, known: u64| {
            let components = [value ^ known ^ 3, known, 3];
            [components[role], components[(role + 1) % 3]]
        };
        let column = |values: [u64; 2]| {
            let pairs = values.map(|value| pair(value, 5));
            [0, 1].map(|c| pairs.map(|pair| pair[c]))
        };
        let field = Gf8::<UNFOLDED>;
        let claim = field.mul(f[0], g[0]) ^ field.mul(f[1], g[1]);
        let columns = [column(f), column(g)];
        let vectors = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        fold::prove(channel, field, vectors, 2, pair(claim, 2))
    });
    // From the next role: the grid, if there is one, with masked products; a half of a coin hashed; and what opens.
    let views = seen[2].chunks_exact(3).map(|messages| [&messages[0][..], &messages[2]].concat());
    histogram(views)
}

/// Changes the first of every three messages to the previous role.
fn changing_first() -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        if m.stream != Stream::Def || m.to != PartyId(0) {
            return Verdict::Keep;
        }
        seen += 1;
        let mut bytes = m.bytes.to_vec();
        bytes[0] ^= u8::from(seen % 3 == 1);
        Verdict::Replace(bytes)
    })
}

#[test]
fn a_cheat_sees_the_same_of_a_proof_for_all_secrets() {
    let reference = folds::<1>([[0, 0], [0, 0]], honest);
    // Five elements, once each.
    assert_eq!(reference.len(), 1 << 15);
    assert!(folds::<1>([[1, 0], [7, 3]], honest) == reference);
    assert!(folds::<1>([[5, 6], [2, 4]], changing_first) == reference);
    let reference = folds::<2>([[0, 0], [0, 0]], honest);
    // Three elements, once each.
    assert_eq!(reference.len(), 1 << 9);
    assert!(reference.keys().all(|view| view.len() == 24));
    assert!(folds::<2>([[1, 0], [7, 3]], honest) == reference);
    assert!(folds::<2>([[5, 6], [2, 4]], changing::<8>) == reference);
}

/// What role 1 sees of a proof of two products in the ring of 256 numbers, in an extension of degree three: two
/// values of a grid, a masked product, and what opens.
///
/// The topmost bit of each number that is drawn takes both values, and so does that of each secret. Multiples of 128
/// are an ideal, so masks do for all numbers what they do for these.
fn extensions(top: [[bool; 2]; 2], cheat: fn() -> Tamper) -> Histogram {
    type Drawn = Element<u8>;
    let scripts = |trial: usize| {
        let draw = |at: usize| {
            let mut bytes = vec![0x35; size_of::<Drawn>()];
            (0..3).for_each(|i| bytes[i] ^= ((trial >> (3 * at + i)) as u8 & 1) << 7);
            bytes
        };
        let coin = || vec![0b1011; 32];
        let draws = [coin(), [draw(0), draw(1)].concat(), coin(), draw(2), draw(3), coin()];
        [draws.concat(), vec![6; 1024], vec![1; 1024]]
    };
    let seen = seen_by_role_1(1 << 12, &scripts, cheat, |role, channel| {
        let [x, y] = [[3, 77], [5, 130]];
        let secret = |value: u8, top: bool| value ^ u8::from(top) << 7;
        let [x, y] = [0, 1].map(|f| [0, 1].map(|i| secret([x, y][f][i], top[f][i])));
        let z = [0, 1].map(|i| x[i].wrapping_mul(y[i]));
        let columns = [(x, [9, 30]), (y, [14, 250]), (z, [71, 6])].map(|(values, known)| {
            let pairs = values.map(|value| shared(role, value, known));
            [0, 1].map(|c| pairs.map(|pair| pair[c]))
        });
        let [x, y, z] = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        galois::prove_in::<u8, 3, 1>(channel, &Batch { x, y, z, runs: vec![(2, 1)] })
    });
    // From the next role: hashes of halves of three coins, and between them the grid, the product and what opens.
    let views = seen[2].chunks_exact(6).map(|messages| {
        let elements = messages.iter().filter(|message| message.len() != 32);
        elements.flatten().copied().collect::<Vec<u8>>()
    });
    histogram(views)
}

#[test]
fn a_cheat_sees_the_same_of_a_proof_in_an_extension_for_all_secrets() {
    let none = [[false; 2]; 2];
    for cheat in [honest as fn() -> Tamper, changing::<6>] {
        let reference = extensions(none, cheat);
        // Four elements of three coefficients each, once each.
        assert_eq!(reference.len(), 1 << 12);
        assert!(reference.keys().all(|view| view.len() == 12));
        for top in [[[true, false], [false; 2]], [[false, true], [true, true]]] {
            assert!(extensions(top, cheat) == reference, "{top:?}");
        }
    }
}

/// Masked integers of 0 to 12, under masks below 64: how far apart what is sent can be.
#[test]
fn masks_hide_integers_as_well_as_they_are_wide() {
    const MASKS: usize = 64;
    let most = 12;
    let sent = |integer: u64| {
        let mask = |i: usize| [vec![i as u8], vec![0; 8 * wide::WORDS - 1]].concat();
        let scripts = |_| {
            let masks: Vec<u8> = (0..MASKS).flat_map(mask).collect();
            [masks, vec![9; MASKS * 8 * wide::WORDS], vec![7; MASKS * 8 * wide::WORDS]]
        };
        let seen = seen_by_role_1(1, &scripts, honest, |_, channel| {
            let integers = vec![wide::from_bytes(&integer.to_le_bytes()); MASKS];
            let width = Width { mask: 6, most: wide::from_bytes(&[most]), bytes: 1 };
            integers::share(channel, width, &integers).map(drop)
        });
        histogram(seen[2][0].iter().map(|byte| vec![*byte]))
    };
    let [least, greatest] = [0, u64::from(most)].map(sent);
    let only = |one: &Histogram, other: &Histogram| -> u32 {
        one.iter().map(|(view, n)| n.saturating_sub(*other.get(view).unwrap_or(&0))).sum()
    };
    assert_eq!([only(&least, &greatest), only(&greatest, &least)], [u32::from(most); 2]);
}
