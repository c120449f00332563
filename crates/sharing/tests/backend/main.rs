//! Every operation that programs use, under every protocol, through one backend: results against
//! the clear, bytes per directed link and rounds against the tally.

use std::sync::Mutex;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::backend::{self, Backend, Kind, Name, Planes, Ring, RingKeys, Secret, Tally};
use tacit_sharing::setup::Secrets;
use tacit_sharing::{Party, Protocol};

const PLACES: [PartyId; 3] = [PartyId(1), PartyId(2), PartyId(0)];
const EVERYONE: [usize; 3] = [0, 1, 2];
const PROTOCOLS: [Protocol; 4] =
    [Protocol::Trio, Protocol::Astra, Protocol::Replicated, Protocol::MultiFanIn];

/// A script over a backend; opened arrays are its result.
type Script = dyn Fn(&mut dyn Backend) -> Vec<Vec<i128>> + Sync;

type Sent = [[u64; 3]; 2];

/// One party's run: what it opened, what it sent and its rounds.
fn play(session: &mut Session, protocol: Protocol, script: &Script) -> (Vec<Vec<i128>>, Sent, u64) {
    let mesh = &mut session.meshes[0];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let mut secrets = Secrets::exchange(mesh, b"test", protocol, PLACES, &mut entropy).unwrap();
    mesh.reset_meter();
    mesh.set_phase(Phase::Online);
    let keys = RingKeys::new(&mut secrets, 1).remove(0);
    let party = Party::new(mesh, PLACES).unwrap();
    let mut backend = backend::three_party(protocol, party, keys).unwrap();
    let opened = script(&mut *backend);
    backend.flush().unwrap();
    drop(backend);
    let meter = session.meshes[0].meter();
    let sent =
        |stream| PLACES.map(|to| meter.total(|peer, s, _| peer == to && s == stream).bytes_sent);
    (opened, [sent(Stream::Pre), sent(Stream::On)], meter.rounds())
}

/// Runs a script under a protocol and checks that it costs what the tally says.
fn run(protocol: Protocol, script: &Script) -> Vec<Vec<i128>> {
    let mut tally = Tally::new(protocol);
    script(&mut tally);
    let results = Mutex::new(Vec::new());
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let role = PLACES.iter().position(|p| *p == session.me()).unwrap();
        let (opened, [pre, on], rounds) = play(&mut session, protocol, script);
        session.finish().unwrap();
        assert_eq!(pre, tally.bytes.pre[role], "{protocol} role {role}: bytes ahead");
        assert_eq!(on, tally.bytes.on[role], "{protocol} role {role}: bytes online");
        assert_eq!(rounds, tally.rounds[role], "{protocol} role {role}: rounds");
        results.lock().unwrap().push(opened);
    });
    let results = results.into_inner().unwrap();
    assert!(results.iter().all(|r| *r == results[0]));
    results[0].clone()
}

/// Gives the script's inputs to every party; the owner's count.
fn share(b: &mut dyn Backend, kind: Kind, owner: usize, values: &[i128]) -> Secret {
    b.input(kind, owner, Some(values), values.len()).unwrap()
}

fn open(b: &mut dyn Backend, secret: &Secret) -> Vec<i128> {
    b.open(secret, &EVERYONE).unwrap().unwrap_or_default()
}

fn signed(value: i128, bits: u32) -> i128 {
    value << (128 - bits) >> (128 - bits)
}

fn numbers(ring: Ring, n: usize) -> Vec<i128> {
    let word = |i: i128| (i + 3).wrapping_mul(0x1e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let top = 1i128.checked_shl(ring.bits() - 1).unwrap_or(i128::MIN);
    let edges = [0, 1, -1, signed(top, ring.bits()), top.wrapping_sub(1), 2, -2];
    let edges = edges.into_iter().chain((0..).map(word)).take(n);
    edges.map(|v| signed(v, ring.bits())).collect()
}

const SIZES: [usize; 5] = [0, 1, 63, 130, 700];

#[test]
fn linear_operations_products_and_constants() {
    for protocol in PROTOCOLS {
        for ring in Ring::ALL {
            for n in SIZES {
                let (x, y) = (numbers(ring, n), numbers(ring, n + 5).split_off(5));
                let (a, b) = (x.clone(), y.clone());
                let opened = run(protocol, &move |be| {
                    let kind = Kind::Ring(ring);
                    let (x, y) = (share(be, kind, 0, &a), share(be, kind, 2, &b));
                    let c = be.public(kind, &[7], n);
                    let linear = x.sum(&y, true).scale(&[-3]).sum(&c, false);
                    let product = be.multiply(&x, &y).unwrap();
                    let total = x.sum_axis(1, n, 1);
                    vec![open(be, &linear), open(be, &product), open(be, &total)]
                });
                let wrap = |v: i128| signed(v, ring.bits());
                for (i, (x, y)) in x.iter().zip(&y).enumerate() {
                    let linear = x.wrapping_sub(*y).wrapping_mul(-3).wrapping_add(7);
                    assert_eq!(opened[0][i], wrap(linear), "{protocol} {ring:?}");
                    assert_eq!(opened[1][i], wrap(x.wrapping_mul(*y)), "{protocol} {ring:?}");
                }
                let total = x.iter().fold(0i128, |s, x| s.wrapping_add(*x));
                assert_eq!(opened[2], [wrap(total)]);
            }
        }
    }
}

#[test]
fn signs_and_equality_at_every_value() {
    let all: Vec<i128> = (-128..128).collect();
    for protocol in PROTOCOLS {
        let values = all.clone();
        let opened = run(protocol, &move |b| {
            let x = share(b, Kind::Ring(Ring::W32), 1, &values);
            let mut results = Vec::new();
            for name in [Name::Sign(8), Name::Equal(8), Name::Difference(8)] {
                let circuit = b.circuits().get(name);
                let [m, lambda] = b.masked_bits(&x, 8).unwrap();
                let out = b.circuit(&circuit, &[&m, &lambda]).unwrap().remove(0);
                if out.planes == 1 {
                    results.push(open(b, &out.plane(0)));
                } else {
                    let number = b.compose(&out, true, Ring::W64).unwrap();
                    results.push(open(b, &number));
                    let number = b.compose(&out, false, Ring::W32).unwrap();
                    results.push(open(b, &number));
                }
            }
            results
        });
        for (i, v) in all.iter().enumerate() {
            assert_eq!(opened[0][i], i128::from(*v < 0), "{protocol} sign of {v}");
            assert_eq!(opened[1][i], i128::from(*v == 0), "{protocol} {v} is zero");
            assert_eq!(opened[2][i], *v, "{protocol} bits of {v}, signed");
            assert_eq!(opened[3][i], v & 255, "{protocol} bits of {v}, unsigned");
        }
    }
}

#[test]
fn signs_and_bits_of_whole_rings() {
    for protocol in PROTOCOLS {
        for ring in Ring::ALL {
            let values = numbers(ring, 200);
            let given = values.clone();
            let opened = run(protocol, &move |b| {
                let x = share(b, Kind::Ring(ring), 2, &given);
                let bits = ring.bits();
                let sign = b.circuits().get(Name::Sign(bits));
                let [m, lambda] = b.masked_bits(&x, bits).unwrap();
                let sign = b.circuit(&sign, &[&m, &lambda]).unwrap().remove(0).plane(0);
                let difference = b.circuits().get(Name::Difference(bits));
                let all = b.circuit(&difference, &[&m, &lambda]).unwrap().remove(0);
                let back = b.compose(&all, false, ring).unwrap();
                vec![open(b, &sign), open(b, &back)]
            });
            for (i, v) in values.iter().enumerate() {
                assert_eq!(opened[0][i], i128::from(*v < 0), "{protocol} {ring:?} {v}");
            }
            assert_eq!(opened[1], values, "{protocol} {ring:?}");
        }
    }
}

#[test]
fn bits_into_rings() {
    for protocol in PROTOCOLS {
        for ring in Ring::ALL {
            for n in SIZES {
                let values = numbers(ring, n);
                let bits: Vec<i128> = (0..n as i128).map(|i| i * i % 7 % 2).collect();
                let (v, c) = (values.clone(), bits.clone());
                let opened = run(protocol, &move |b| {
                    let x = share(b, Kind::Ring(ring), 0, &v);
                    let c = share(b, Kind::Bits, 1, &c);
                    let one = b.public(Kind::Bits, &[1], n);
                    let not = c.sum(&one, false);
                    let results = [
                        b.bit_to_ring(&not, ring).unwrap(),
                        b.inject(&c, &x).unwrap(),
                        b.group_sums(&[&c, &not], Some(&x), ring).unwrap(),
                        b.group_sums(&[&not], None, ring).unwrap(),
                        b.multiply(&c, &c).unwrap(),
                    ];
                    results.iter().map(|r| open(b, r)).collect()
                });
                let chosen: Vec<i128> = bits.iter().zip(&values).map(|(b, v)| b * v).collect();
                let total = chosen.iter().fold(0i128, |s, v| s.wrapping_add(*v));
                let ones = bits.iter().sum::<i128>();
                assert_eq!(opened[0], bits.iter().map(|b| 1 - b).collect::<Vec<_>>());
                assert_eq!(opened[1], chosen, "{protocol} {ring:?} {n}");
                let all = values.iter().fold(0i128, |s, v| s.wrapping_add(*v));
                let sums = [total, all.wrapping_sub(total)].map(|v| signed(v, ring.bits()));
                assert_eq!(opened[2], sums, "{protocol} {ring:?} {n}");
                assert_eq!(opened[3], [n as i128 - ones]);
                assert_eq!(opened[4], bits);
            }
        }
    }
}

#[test]
fn truncation_is_off_by_less_than_one_and_widening_is_exact() {
    for protocol in PROTOCOLS {
        for ring in [Ring::W32, Ring::W64, Ring::W128] {
            let limit = ring.bits() - 2;
            let mut values: Vec<i128> =
                numbers(ring, 500).iter().map(|v| v >> 2).chain([5, -5, 15, -16]).collect();
            values.extend([-(1 << (limit - 1)), (1 << (limit - 1)) - 1]);
            for by in [1, 4, ring.bits() - 3] {
                let given = values.clone();
                let opened = run(protocol, &move |b| {
                    let x = share(b, Kind::Ring(ring), 1, &given);
                    let cut = b.truncate(&x, by).unwrap();
                    let floor = b.floor_shift(&x, by).unwrap();
                    let mut results = vec![open(b, &cut), open(b, &floor)];
                    if ring != Ring::W128 {
                        let wide = b.widen(&x, Ring::W128).unwrap();
                        results.push(open(b, &wide));
                    }
                    results
                });
                for (v, got) in values.iter().zip(&opened[0]) {
                    let floor = v >> by;
                    let exact = v & ((1 << by) - 1) == 0;
                    assert!(*got == floor || !exact && *got == floor + 1, "{v} >> {by}: {got}");
                }
                let floors: Vec<i128> = values.iter().map(|v| v >> by).collect();
                assert_eq!(opened[1], floors, "{protocol} {ring:?} by {by}");
                if let Some(wide) = opened.get(2) {
                    assert_eq!(*wide, values, "{protocol} {ring:?}");
                }
            }
        }
    }
}

#[test]
fn matrices_and_one_hot_groups() {
    for protocol in PROTOCOLS {
        let opened = run(protocol, &|b| {
            let kind = Kind::Ring(Ring::W64);
            let x = share(b, kind, 0, &(1..=6).collect::<Vec<_>>());
            let y = share(b, kind, 1, &(1..=12).collect::<Vec<_>>());
            let shape = MatrixShape { rows: 2, inner: 3, columns: 4 };
            let product = b.matrix_product(shape, &x, &y).unwrap();
            let shape = MatrixShape { rows: 1, inner: 6, columns: 1 };
            let dot = b.matrix_product(shape, &x, &y.slice(0..6)).unwrap();
            let groups = share(b, Kind::Ring(Ring::W32), 2, &[0, 3, 2, 9, 1, 0, -1]);
            let [m, lambda] = b.masked_bits(&groups, 5).unwrap();
            let bits = b.circuits().get(Name::Difference(5));
            let bits = b.circuit(&bits, &[&m, &lambda]).unwrap().remove(0);
            let hot = b.circuits().get(Name::OneHot { bits: 5, groups: 3 });
            let hot = b.circuit(&hot, &[&bits]).unwrap();
            let mut results = vec![open(b, &product), open(b, &dot)];
            results.extend(hot.iter().map(|bit| open(b, &bit.plane(0))));
            results
        });
        assert_eq!(opened[0], [38, 44, 50, 56, 83, 98, 113, 128], "{protocol}");
        assert_eq!(opened[1], [91]);
        assert_eq!(opened[2], [1, 0, 0, 0, 0, 1, 0]);
        assert_eq!(opened[3], [0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(opened[4], [0, 0, 1, 0, 0, 0, 0]);
    }
}

#[test]
fn sorting_is_stable_and_moves_every_kind_of_column() {
    for protocol in PROTOCOLS {
        for (n, bits) in [(0, 5), (1, 3), (100, 6), (257, 33), (90, 40)] {
            let keys: Vec<i128> =
                (0..n as i128).map(|i| (i * 7919 + i * i) % 23 % (1 << bits.min(40))).collect();
            let given = keys.clone();
            let opened = run(protocol, &move |b| {
                let key = share(b, Kind::Ring(Ring::W64), 0, &given);
                let number: Vec<i128> = (0..n as i128).collect();
                let number = share(b, Kind::Ring(Ring::W128), 1, &number);
                let odd: Vec<i128> = (0..n as i128).map(|i| i % 2).collect();
                let odd = share(b, Kind::Bits, 2, &odd);
                let [m, lambda] = b.masked_bits(&key, bits).unwrap();
                let circuit = b.circuits().get(Name::Difference(bits));
                let planes = b.circuit(&circuit, &[&m, &lambda]).unwrap().remove(0);
                let sorted = b.sort(&planes, &[&key, &number, &odd]).unwrap();
                sorted.iter().map(|column| open(b, column)).collect()
            });
            let mut want: Vec<(i128, i128)> = keys.into_iter().zip(0..).collect();
            want.sort();
            assert_eq!(opened[0], want.iter().map(|w| w.0).collect::<Vec<_>>(), "{protocol}");
            assert_eq!(opened[1], want.iter().map(|w| w.1).collect::<Vec<_>>(), "{protocol}");
            assert_eq!(opened[2], want.iter().map(|w| w.1 % 2).collect::<Vec<_>>());
        }
    }
}

#[test]
fn structural_operations_move_bits_and_elements_alike() {
    for n in [1usize, 64, 200] {
        let opened = run(Protocol::Trio, &move |b| {
            let bits: Vec<i128> = (0..n as i128).map(|i| i % 3 % 2).collect();
            let bits = share(b, Kind::Bits, 0, &bits);
            let numbers: Vec<i128> = (0..n as i128).collect();
            let numbers = share(b, Kind::Ring(Ring::W32), 0, &numbers);
            let mut results = Vec::new();
            for x in [bits, numbers] {
                let reversed: Vec<u32> = (0..n as u32).rev().collect();
                let mut all = x.zeros_like(3 * n);
                all.copy_in(0, &x);
                all.copy_in(n, &x.gather(&reversed));
                all.copy_in(2 * n, &x.slice(n / 2..n));
                results.push(open(b, &all));
            }
            let planes =
                Planes::of(&[&Secret::bits(tacit_sharing::convert::BitPlanes::zeros(1, n))]);
            assert_eq!((planes.planes, planes.lanes), (1, n));
            results
        });
        if opened.is_empty() {
            continue;
        }
        let want: Vec<i128> = (0..n as i128)
            .chain((0..n as i128).rev())
            .chain(n as i128 / 2..n as i128)
            .chain((0..n as i128 / 2).map(|_| 0))
            .collect();
        let want: Vec<i128> = want[..3 * n].to_vec();
        assert_eq!(opened[1], want);
        let pad = 2 * n + (n - n / 2);
        let bits: Vec<i128> =
            want.iter().enumerate().map(|(i, v)| if i < pad { v % 3 % 2 } else { 0 }).collect();
        assert_eq!(opened[0], bits);
    }
}
