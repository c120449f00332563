//! Numbers held as bits: every operation at every value of narrow rings.

use crate::harness::{By, PROTOCOLS, Script, open, run_by, share, signed, term};
use tacit_backend::protocols::{REPLICATED, TRIO};
use tacit_backend::{Backend, Kind, Ring, Secret, Term};
use tacit_sharing::Protocol;
use tacit_sharing::arrays::MatrixShape;

fn run(protocol: Protocol, script: &Script<'_>) -> Vec<Vec<i128>> {
    run_by(protocol, By::Circuits, script)
}

fn kind(bits: u32) -> Kind {
    Kind::Ring(Ring::Bits(bits as u8))
}

fn all(bits: u32) -> std::ops::Range<i128> {
    -(1 << (bits - 1))..1 << (bits - 1)
}

/// All pairs of signed numbers.
fn pairs(bits: u32) -> (Vec<i128>, Vec<i128>) {
    all(bits).flat_map(|x| all(bits).map(move |y| (x, y))).unzip()
}

fn opened(be: &mut dyn Backend, results: &[Secret]) -> Vec<Vec<i128>> {
    results.iter().map(|result| open(be, result)).collect()
}

/// Checks opened arrays against functions of the values at each place.
fn check(what: &str, opened: &[Vec<i128>], want: &[&dyn Fn(usize) -> i128]) {
    assert_eq!(opened.len(), want.len());
    for (number, (got, want)) in opened.iter().zip(want).enumerate() {
        for (i, got) in got.iter().enumerate() {
            assert_eq!(*got, want(i), "{what}, result {number}, place {i}");
        }
    }
}

#[test]
fn operations_on_pairs_of_numbers() {
    for (bits, protocol) in [1, 2, 4, 5].into_iter().flat_map(|b| PROTOCOLS.map(|p| (b, p))) {
        let (x, y) = &pairs(bits);
        let chosen = &(0..x.len() as i128).map(|i| i * i % 7 % 2).collect::<Vec<_>>();
        let results = run(protocol, &|be| {
            let (a, b) = (share(be, kind(bits), 0, x), share(be, kind(bits), 2, y));
            let bit = share(be, Kind::Bits, 1, chosen);
            let (wide_a, wide_b) = (
                be.widen(&a, Ring::Bits(2 * bits as u8)).unwrap(),
                be.widen(&b, Ring::Bits(2 * bits as u8)).unwrap(),
            );
            let results = [
                be.sum(&a, &b, false).unwrap(),
                be.sum(&a, &b, true).unwrap(),
                be.multiply(&a, &b, [bits; 2]).unwrap(),
                be.multiply(&wide_a, &wide_b, [bits; 2]).unwrap(),
                be.less([&term(&wide_a), &term(&wide_b)], bits + 1).unwrap(),
                be.equal([&term(&a), &term(&b)], bits).unwrap(),
                be.select(&bit, &a, &b).unwrap(),
                be.select_public(chosen, &a, &b),
                be.inject(&bit, &a).unwrap(),
                be.times_each(&a, y, bits).unwrap(),
            ];
            opened(be, &results)
        });
        let wrap = |v| signed(v, bits);
        let select = |i: usize| if chosen[i] == 1 { x[i] } else { y[i] };
        let what = format!("{protocol}, {bits} bits");
        check(
            &what,
            &results,
            &[
                &|i| wrap(x[i] + y[i]),
                &|i| wrap(x[i] - y[i]),
                &|i| wrap(x[i] * y[i]),
                &|i| signed(x[i] * y[i], 2 * bits),
                &|i| i128::from(x[i] < y[i]),
                &|i| i128::from(x[i] == y[i]),
                &select,
                &select,
                &|i| chosen[i] * x[i],
                &|i| wrap(x[i] * y[i]),
            ],
        );
    }
}

#[test]
fn operations_with_constants() {
    let (bits, protocol) = (6, TRIO);
    let x = &all(bits).collect::<Vec<_>>();
    for number in all(bits).chain([1 << 40, -(1 << 40) - 3, i128::MAX, i128::MIN]) {
        let results = run(protocol, &|be| {
            let a = share(be, kind(bits), 1, x);
            let (term, constant) = (term(&a), Term::Constant(number));
            let results = [
                be.plus(&a, number).unwrap(),
                be.times(&a, number).unwrap(),
                be.less([&term, &constant], bits).unwrap(),
                be.less([&constant, &term], bits).unwrap(),
                be.equal([&term, &constant], bits).unwrap(),
            ];
            opened(be, &results)
        });
        let wrap = |v| signed(v, bits);
        check(
            &format!("{number}"),
            &results,
            &[
                &|i| wrap(x[i].wrapping_add(number)),
                &|i| wrap(x[i].wrapping_mul(number)),
                &|i| i128::from(wrap(x[i].wrapping_sub(number)) < 0),
                &|i| i128::from(wrap(number.wrapping_sub(x[i])) < 0),
                &|i| i128::from(wrap(x[i].wrapping_sub(number)) == 0),
            ],
        );
    }
}

#[test]
fn bits_cut_extended_and_shifted() {
    for bits in [1, 3, 8] {
        let x = &all(bits).collect::<Vec<_>>();
        for by in 0..bits + 2 {
            let results = run(REPLICATED, &|be| {
                let a = share(be, kind(bits), 1, x);
                let planes = be.low_bits(&a, bits).unwrap();
                let results = [
                    be.floor_shift(&a, by).unwrap(),
                    be.truncate(&a, by).unwrap(),
                    be.widen(&a, Ring::Bits(100)).unwrap(),
                    be.compose(&planes, false, Ring::Bits(9)).unwrap(),
                    be.compose(&planes, true, Ring::Bits(2)).unwrap(),
                    be.bit_to_ring(&planes.plane(0), Ring::Bits(5)).unwrap(),
                ];
                opened(be, &results)
            });
            let by = by.min(127);
            check(
                &format!("{bits} bits by {by}"),
                &results,
                &[
                    &|i| x[i] >> by,
                    &|i| x[i] >> by,
                    &|i| x[i],
                    &|i| x[i] & ((1 << bits) - 1),
                    &|i| signed(x[i], 2),
                    &|i| x[i] & 1,
                ],
            );
        }
    }
}

#[test]
fn numbers_of_many_widths_and_lengths() {
    for (bits, n) in [(8, 0), (33, 1), (64, 65), (128, 130), (65, 64)] {
        let word = |i: i128| (i + 3).wrapping_mul(0x1e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let x = &(0..n).map(|i| signed(word(i), bits)).collect::<Vec<_>>();
        let y = &(0..n).map(|i| signed(word(i + 9), bits)).collect::<Vec<_>>();
        for protocol in PROTOCOLS {
            let results = run(protocol, &|be| {
                let (a, b) = (share(be, kind(bits), 0, x), be.public(kind(bits), y, n as usize));
                let results = [
                    be.sum(&a, &b, false).unwrap(),
                    be.multiply(&a, &b, [bits; 2]).unwrap(),
                    be.times(&a, -5).unwrap(),
                ];
                opened(be, &results)
            });
            check(
                &format!("{protocol}, {bits} bits"),
                &results,
                &[
                    &|i| signed(x[i].wrapping_add(y[i]), bits),
                    &|i| signed(x[i].wrapping_mul(y[i]), bits),
                    &|i| signed(x[i].wrapping_mul(-5), bits),
                ],
            );
        }
    }
}

#[test]
fn sums_over_an_axis() {
    let shapes = [[1, 0, 3], [1, 1, 2], [1, 2, 1], [2, 3, 2], [3, 33, 1], [1, 1100, 1], [0, 4, 1]];
    for (shape, wide) in shapes.into_iter().flat_map(|shape| [(shape, 8), (shape, 20)]) {
        let [outer, axis, inner] = shape;
        let at = |o, k, i| (o * axis + k) * inner + i;
        let x = &(0..outer * axis * inner).map(|i| signed(i as i128 * 77, 8)).collect::<Vec<_>>();
        let results = run(PROTOCOLS[axis % 4], &|be| {
            let a = share(be, kind(wide), 0, x);
            let sums = be.sum_axis(&a, shape, 8).unwrap();
            opened(be, &[sums])
        });
        assert!(results[0].len() == outer * inner);
        let sum = |i: usize| (0..axis).map(|k| x[at(i / inner, k, i % inner)]).sum();
        check(&format!("{shape:?}"), &results, &[&|i| signed(sum(i), wide)]);
    }
}

#[test]
fn sums_by_group() {
    for (n, groups) in [(0, 2), (1, 1), (70, 3), (700, 40)] {
        let x = &(0..n).map(|i| signed(i * 41, 7)).collect::<Vec<_>>();
        let member = |g: i128, i: i128| i128::from((i + g) % 3 == 0 || g == 1);
        let results = run(PROTOCOLS[n as usize % 4], &|be| {
            let a = share(be, kind(20), 1, x);
            let bits: Vec<Secret> = (0..groups)
                .map(|g| {
                    let bits: Vec<i128> = (0..n).map(|i| member(g, i)).collect();
                    share(be, Kind::Bits, 0, &bits)
                })
                .collect();
            let bits: Vec<&Secret> = bits.iter().collect();
            let ring = Ring::Bits(20);
            let results = [
                be.group_sums(&bits, Some((&a, 7)), ring).unwrap(),
                be.group_sums(&bits, None, ring).unwrap(),
            ];
            opened(be, &results)
        });
        check(
            &format!("{n} rows"),
            &results,
            &[&|g| (0..n).map(|i| member(g as i128, i) * x[i as usize]).sum(), &|g| {
                (0..n).map(|i| member(g as i128, i)).sum()
            }],
        );
    }
}

#[test]
fn matrix_products() {
    for (rows, inner, columns) in [(2, 3, 4), (1, 70, 1), (3, 0, 2), (5, 1, 0), (4, 40, 2)] {
        let shape = MatrixShape { rows, inner, columns };
        let x = &(0..rows * inner).map(|i| signed(i as i128 * 5, 6)).collect::<Vec<_>>();
        let y = &(0..inner * columns).map(|i| signed(i as i128 * 9, 7)).collect::<Vec<_>>();
        for (wide, bits) in [(20, [6, 7]), (9, [9, 9])] {
            let results = run(PROTOCOLS[(rows + wide as usize) % 4], &|be| {
                let (a, b) = (share(be, kind(wide), 0, x), share(be, kind(wide), 2, y));
                let product = be.matrix_product(shape, &a, &b, bits).unwrap();
                opened(be, &[product])
            });
            assert!(results[0].len() == rows * columns);
            let dot = |i: usize| {
                let terms =
                    (0..inner).map(|k| x[i / columns * inner + k] * y[k * columns + i % columns]);
                signed(terms.sum(), wide)
            };
            check(&format!("{shape:?}"), &results, &[&dot]);
        }
    }
}

#[test]
fn batches_of_matrix_products() {
    for (batches, rows, inner, columns) in
        [(3, 2, 3, 4), (5, 1, 7, 1), (2, 3, 0, 2), (0, 2, 2, 2), (70, 2, 2, 3)]
    {
        let shape = MatrixShape { rows, inner, columns };
        let x = &(0..batches * rows * inner).map(|i| signed(i as i128 * 5, 6)).collect::<Vec<_>>();
        let y =
            &(0..batches * inner * columns).map(|i| signed(i as i128 * 9, 7)).collect::<Vec<_>>();
        let results = run(PROTOCOLS[batches % 4], &|be| {
            let (a, b) = (share(be, kind(20), 0, x), share(be, kind(20), 2, y));
            let products = be.matrix_products((batches, shape), &a, &b, [6, 7]).unwrap();
            opened(be, &[products])
        });
        assert!(results[0].len() == batches * rows * columns);
        let dot = |i: usize| {
            let (batch, column) = (i / (rows * columns), i % columns);
            let at = |k: usize| (batch * inner + k) * columns + column;
            let terms = (0..inner).map(|k| x[i / columns * inner + k] * y[at(k)]);
            signed(terms.sum(), 20)
        };
        check(&format!("{batches} of {shape:?}"), &results, &[&dot]);
    }
}

#[test]
fn the_sorting_network_is_stable_and_moves_every_kind_of_column() {
    for (n, protocol) in [0, 1, 2, 3, 5, 16, 33, 70].into_iter().zip(PROTOCOLS.repeat(2)) {
        let keys = &(0..n).map(|i| (i * 7919 + i * i) % 5).collect::<Vec<i128>>();
        let results = run(protocol, &|be| {
            let key = share(be, kind(4), 0, keys);
            let number = share(be, kind(70), 1, &(0..n).collect::<Vec<_>>());
            let odd = share(be, Kind::Bits, 2, &(0..n).map(|i| i % 2).collect::<Vec<_>>());
            let planes = be.low_bits(&key, 3).unwrap();
            let sorted = be.sort(&planes, &[&key, &number, &odd]).unwrap();
            opened(be, &sorted)
        });
        let mut want: Vec<(i128, i128)> = keys.iter().copied().zip(0..).collect();
        want.sort_unstable();
        check(
            &format!("{n} rows"),
            &results,
            &[&|i| want[i].0, &|i| want[i].1, &|i| want[i].1 % 2],
        );
        assert!(results.iter().all(|column| column.len() == n as usize));
    }
}
