//! Every operation that programs use, under every protocol, through one backend: results against
//! the clear, bytes per directed link and rounds against the tally.

mod circuits;
mod harness;

use harness::{EVERYONE, PROTOCOLS, check, numbers, open, run, share, signed, term};
use tacit_backend::convert::shuffle::has_shuffles;
use tacit_backend::protocols::{QUAD, TAGGED, TRIO};
use tacit_backend::{Backend, Data, Kind, Name, Planes, Ring, Secret, Term};
use tacit_sharing::Protocol;
use tacit_sharing::arrays::MatrixShape;

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
                    let product = be.multiply(&x, &y, [ring.bits(); 2]).unwrap();
                    let total = be.sum_axis(&x, [1, n, 1], ring.bits()).unwrap();
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

/// Products of products, of what is linear in them, and of tags under keys that a check has burnt: one
/// when there are many, and one before something opens.
#[test]
fn tagged_numbers_are_tagged_again_after_a_check() {
    const N: usize = 40_000;
    let ring = Ring::W64;
    let (x, y) = (numbers(ring, N), numbers(ring, N + 5).split_off(5));
    let (a, b) = (x.clone(), y.clone());
    let opened = run(TAGGED, &move |be| {
        let kind = Kind::Ring(ring);
        let (x, y) = (share(be, kind, 0, &a), share(be, kind, 2, &b));
        let three = be.public(kind, &[3], N);
        let xy = be.multiply(&x, &y, [64; 2]).unwrap();
        let cube = be.multiply(&xy.sum(&three, true).scale(&[-5]), &xy, [64; 2]).unwrap();
        let first = open(be, &cube);
        let again = be.multiply(&y, &cube, [64; 2]).unwrap();
        let shape = MatrixShape { rows: 2, inner: N / 2, columns: 1 };
        let row = again.slice(0..N / 2);
        let sums = be.matrix_product(shape, &again, &row, [64; 2]).unwrap();
        vec![first, open(be, &sums)]
    });
    let wrap = |v: i128| signed(v, 64);
    let cube = |i: usize| {
        let xy = x[i].wrapping_mul(y[i]);
        wrap(xy.wrapping_sub(3).wrapping_mul(-5).wrapping_mul(xy))
    };
    let again = |i: usize| wrap(cube(i).wrapping_mul(y[i]));
    assert!((0..N).all(|i| opened[0][i] == cube(i)));
    assert_eq!(opened[1].len(), 2);
    for (row, sum) in opened[1].iter().enumerate() {
        let terms = (0..N / 2).map(|i| again(row * N / 2 + i).wrapping_mul(again(i)));
        assert_eq!(*sum, wrap(terms.fold(0, i128::wrapping_add)));
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
            let (term, zero) = (term(&x), Term::Constant(0));
            let bits = [b.less([&term, &zero], 8).unwrap(), b.equal([&zero, &term], 8).unwrap()];
            results.extend(bits.map(|bit| open(b, &bit)));
            let planes = b.low_bits(&x, 8).unwrap();
            for (signed, ring) in [(true, Ring::W64), (false, Ring::W32)] {
                let number = b.compose(&planes, signed, ring).unwrap();
                results.push(open(b, &number));
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
                let zero = term(&b.public(x.kind, &[0], x.len));
                let sign = b.less([&term(&x), &zero], bits).unwrap();
                let all = b.low_bits(&x, bits).unwrap();
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
                        b.group_sums(&[&c, &not], Some((&x, ring.bits())), ring).unwrap(),
                        b.group_sums(&[&not], None, ring).unwrap(),
                        b.multiply(&c, &c, [1, 1]).unwrap(),
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
            let product = b.matrix_product(shape, &x, &y, [4, 5]).unwrap();
            let shape = MatrixShape { rows: 1, inner: 6, columns: 1 };
            let dot = b.matrix_product(shape, &x, &y.slice(0..6), [4, 5]).unwrap();
            let groups = share(b, Kind::Ring(Ring::W32), 2, &[0, 3, 2, 9, 1, 0, -1]);
            let bits = b.low_bits(&groups, 5).unwrap();
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
    // Where checks come before a sort opens anything, a worker alone does not sort: programs do, with all of theirs.
    let alone = |protocol: &Protocol| !(protocol.is_checked() && has_shuffles(*protocol));
    for protocol in PROTOCOLS.into_iter().filter(alone) {
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
                let planes = b.low_bits(&key, bits).unwrap();
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

/// Every operation that sends something, on a number and a bit.
const WORK: [fn(&mut dyn Backend, &Secret, &Secret); 14] = [
    |b, x, _| drop(share(b, x.kind, 3, &[5])),
    |b, _, c| drop(share(b, c.kind, 3, &[1])),
    |b, x, _| drop(b.multiply(x, x, [64; 2]).unwrap()),
    |b, _, c| drop(b.multiply(c, c, [1; 2]).unwrap()),
    |b, x, _| {
        let shape = MatrixShape { rows: 1, inner: 1, columns: 1 };
        drop(b.matrix_product(shape, x, x, [64; 2]).unwrap());
    },
    |b, x, _| drop(b.truncate(x, 3).unwrap()),
    |b, x, _| drop(b.widen(x, Ring::W128).unwrap()),
    |b, x, _| drop(b.floor_shift(x, 3).unwrap()),
    |b, x, _| drop(b.low_bits(x, 8).unwrap()),
    |b, x, _| drop(b.less([&term(x), &Term::Constant(3)], 8).unwrap()),
    |b, _, c| drop(b.compose(&Planes::of_secret(c), false, Ring::W32).unwrap()),
    |b, _, c| drop(b.bit_to_ring(c, Ring::W64).unwrap()),
    |b, x, c| drop(b.inject(c, x).unwrap()),
    |b, x, c| drop(b.group_sums(&[c], Some((x, 64)), Ring::W64).unwrap()),
];

#[test]
fn nothing_opens_before_the_checks_of_what_was_computed() {
    for work in WORK {
        let opened = run(QUAD, &move |b| {
            let x = share(b, Kind::Ring(Ring::W64), 0, &[7]);
            let c = share(b, Kind::Bits, 1, &[1]);
            check(b);
            work(b, &x, &c);
            if !matches!(x.data, Data::None) {
                assert!(b.open(&x, &EVERYONE).is_err(), "an opening without checks");
                assert!(b.open(&c, &EVERYONE).is_err(), "an opening without checks");
            }
            vec![open(b, &x), open(b, &c)]
        });
        assert_eq!(opened, [[7], [1]]);
    }
}

#[test]
fn structural_operations_move_bits_and_elements_alike() {
    for n in [1usize, 64, 200] {
        let opened = run(TRIO, &move |b| {
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
                Planes::of(&[&Secret::bits(tacit_backend::convert::BitPlanes::zeros(1, n))]);
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
