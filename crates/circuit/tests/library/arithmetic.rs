//! Adders, comparators, AND trees, counters, multipliers and dividers against integers.

use crate::harness::{Wide, cut, ones, operand_pairs, product, run, signed};
use tacit_circuit::Circuit;
use tacit_circuit::library::{FanIn, Params, build};

const WIDTHS: [usize; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 17, 24, 31, 33, 64, 100, 127, 128];
const FAN_INS: [FanIn; 3] = [FanIn::TWO, FanIn::FOUR, FanIn::EIGHT];

fn params(width: usize, fan_in: FanIn, settings: &[(&str, &str)]) -> Params {
    let mut p = Params::new().width(width).fan_in(fan_in);
    for (name, value) in settings {
        p.set(name, value).unwrap();
    }
    p
}

/// Builds a design of two operands and compares it with `expect` on many pairs.
fn check(
    design: &str,
    width: usize,
    fan_in: FanIn,
    settings: &[(&str, &str)],
    sizes: (usize, usize),
    expect: impl Fn(u128, u128) -> Vec<Wide>,
) -> Circuit {
    let circuit = build(design, &params(width, fan_in, settings)).unwrap();
    let pairs = operand_pairs(width, sizes.0, sizes.1, 1);
    let cases: Vec<Vec<u128>> = pairs.iter().map(|p| p.to_vec()).collect();
    for (got, [x, y]) in run(&circuit, &cases).into_iter().zip(&pairs) {
        assert_eq!(
            got,
            expect(*x, *y),
            "{design} {settings:?} width {width} fan-in {fan_in} of {x}, {y}"
        );
    }
    circuit
}

fn sum(x: u128, y: u128, carry: u128) -> Wide {
    let (s, c) = x.overflowing_add(y);
    let (s, d) = s.overflowing_add(carry);
    (s, u128::from(c || d))
}

#[test]
fn adders_add() {
    for form in ["select", "prefix", "ripple", "ripple-two-and"] {
        for fan_in in FAN_INS {
            for width in WIDTHS {
                let settings = [("form", form), ("carry-out", "true")];
                let with_carry = |x, y| vec![cut(sum(x, y, 0), width + 1)];
                let c = check("add", width, fan_in, &settings, (6, 64), with_carry);
                let m = check("add", width, fan_in, &settings[..1], (4, 64), |x, y| {
                    vec![cut(sum(x, y, 0), width)]
                });
                if form == "select" {
                    assert_eq!(c.stats().and_depth, fan_in.levels(width + 1));
                    assert_eq!(m.stats().and_depth, fan_in.levels(width));
                }
            }
        }
    }
}

#[test]
fn adders_take_a_carry_in() {
    for form in ["select", "prefix", "ripple", "ripple-two-and"] {
        for (width, fan_in) in [
            (1, FanIn::TWO),
            (3, FanIn::FOUR),
            (5, FanIn::TWO),
            (33, FanIn::EIGHT),
            (100, FanIn::FOUR),
        ] {
            let p = params(
                width,
                fan_in,
                &[("form", form), ("carry-in", "true"), ("carry-out", "true")],
            );
            let circuit = build("add", &p).unwrap();
            let cases: Vec<Vec<u128>> = operand_pairs(width, 5, 40, 2)
                .iter()
                .flat_map(|p| [0, 1].map(|c| vec![p[0], p[1], c]))
                .collect();
            for (got, case) in run(&circuit, &cases).into_iter().zip(&cases) {
                assert_eq!(
                    got,
                    [cut(sum(case[0], case[1], case[2]), width + 1)],
                    "{form} {width} {case:?}"
                );
            }
        }
    }
}

#[test]
fn fan_ins_between_the_usual_ones_work() {
    for fan_in in [3, 5, 6, 7].map(|f| FanIn::new(f).unwrap()) {
        for width in [1, 5, 31, 65] {
            for form in ["select", "prefix"] {
                let settings = [("form", form)];
                check("add", width, fan_in, &settings, (5, 32), |x, y| {
                    vec![cut(sum(x, y, 0), width)]
                });
                check("compare", width, fan_in, &settings, (5, 32), |x, y| {
                    vec![(u128::from(x > y), 0)]
                });
            }
            check("multiply", width.min(20), fan_in, &[], (4, 32), |x, y| vec![product(x, y)]);
        }
    }
}

#[test]
fn subtraction() {
    for form in ["select", "prefix", "ripple"] {
        for fan_in in FAN_INS {
            for width in WIDTHS {
                let settings = [("form", form), ("carry-out", "true")];
                check("sub", width, fan_in, &settings, (6, 64), |x, y| {
                    let difference = x.wrapping_sub(y) & ones(width);
                    vec![if width == 128 {
                        (difference, u128::from(x >= y))
                    } else {
                        (difference | u128::from(x >= y) << width, 0)
                    }]
                });
            }
        }
    }
}

#[test]
fn adders_of_more_levels_cost_less() {
    let bits = |levels: &str| {
        let settings = [("levels", levels), ("carry-out", "true")];
        let c =
            check("add", 64, FanIn::EIGHT, &settings, (0, 64), |x, y| vec![cut(sum(x, y, 0), 65)]);
        assert_eq!(c.stats().and_depth.to_string(), levels);
        c.stats().direction_bits()
    };
    let costs = ["3", "4", "5", "6", "7"].map(bits);
    assert!(costs.is_sorted_by(|a, b| a > b), "{costs:?}");
    assert!(
        build("add", &params(64, FanIn::EIGHT, &[("levels", "2"), ("carry-out", "true")])).is_err()
    );
}

#[test]
fn the_choice_of_radices_follows_the_price_of_a_level() {
    use tacit_circuit::library::adder::choose_select;
    let depth = |price| choose_select(64, true, FanIn::EIGHT, price).radices.len();
    assert_eq!((depth(1e9), depth(0.0)), (3, 7));
    assert!((4..=6).contains(&depth(200.0)));
}

#[test]
fn comparators_compare() {
    type Order = (&'static str, fn(&i128, &i128) -> bool);
    let orders: [Order; 4] =
        [("gt", i128::gt), ("ge", i128::ge), ("lt", i128::lt), ("le", i128::le)];
    for fan_in in FAN_INS {
        for width in WIDTHS {
            for (relation, holds) in orders {
                let settings = [("relation", relation)];
                let c = check("compare", width, fan_in, &settings, (6, 96), |x, y| {
                    // Flipping the top bit maps unsigned order to i128 order at 128 bits.
                    let key = |v: u128| (v ^ 1 << 127) as i128;
                    vec![(u128::from(holds(&key(x), &key(y))), 0)]
                });
                assert_eq!(c.stats().and_depth, fan_in.levels(width + 1));
                let settings = [("relation", relation), ("signed", "true")];
                check("compare", width, fan_in, &settings, (6, 96), |x, y| {
                    vec![(u128::from(holds(&signed(x, width), &signed(y, width))), 0)]
                });
            }
            let c = check("compare", width, fan_in, &[("relation", "eq")], (6, 96), |x, y| {
                vec![(u128::from(x == y), 0)]
            });
            assert_eq!(c.stats().and_depth, fan_in.levels(width));
            check("compare", width, fan_in, &[("form", "prefix")], (6, 96), |x, y| {
                vec![(u128::from(x > y), 0)]
            });
        }
    }
}

#[test]
fn and_trees_are_ones_only_for_all_ones() {
    for form in ["cheapest", "uniform"] {
        for fan_in in FAN_INS {
            for width in [1, 2, 3, 5, 8, 9, 63, 64, 65, 100, 128] {
                let c = build("and-tree", &params(width, fan_in, &[("form", form)])).unwrap();
                assert_eq!(c.stats().and_depth, fan_in.levels(width));
                let all = ones(width);
                let mut cases = vec![vec![all], vec![0]];
                cases.extend((0..width).map(|i| vec![all ^ 1 << i]));
                for (got, case) in run(&c, &cases).into_iter().zip(&cases) {
                    assert_eq!(got[0].0, u128::from(case[0] == all), "{form} {width} {fan_in}");
                }
            }
        }
    }
}

#[test]
fn counters_count() {
    for (name, inputs) in [("counter7", 7), ("counter15", 15)] {
        let c = build(name, &Params::new()).unwrap();
        assert_eq!(c.stats().and_depth, 1);
        let cases: Vec<Vec<u128>> = (0..1 << inputs).map(|x| vec![x]).collect();
        for (got, case) in run(&c, &cases).into_iter().zip(&cases) {
            assert_eq!(got[0].0, u128::from(case[0].count_ones()), "{name} of {case:?}");
        }
    }
}

#[test]
fn multipliers_multiply() {
    for width in WIDTHS {
        for fan_in in FAN_INS {
            check("multiply", width, fan_in, &[], (6, 64), |x, y| vec![product(x, y)]);
            let low = width.to_string();
            let settings = [("product-bits", low.as_str())];
            check("multiply", width, fan_in, &settings, (5, 64), |x, y| {
                vec![cut(product(x, y), width)]
            });
        }
        check("multiply", width, FanIn::TWO, &[("form", "array")], (6, 64), |x, y| {
            vec![product(x, y)]
        });
        for bits in [width / 2 + 1, width, 3 * width / 2] {
            let bits = bits.max(1);
            let text = bits.to_string();
            let settings = [("form", "array"), ("product-bits", text.as_str())];
            check("multiply", width, FanIn::TWO, &settings, (4, 64), |x, y| {
                vec![cut(product(x, y), bits)]
            });
        }
    }
}

#[test]
fn signed_products() {
    for width in [1, 2, 3, 4, 5, 17, 31, 63] {
        for fan_in in FAN_INS {
            for bits in [width, 2 * width - 1, 2 * width] {
                let text = bits.to_string();
                let settings = [("signed", "true"), ("product-bits", text.as_str())];
                check("multiply", width, fan_in, &settings, (5, 64), |x, y| {
                    vec![((signed(x, width) * signed(y, width)) as u128 & ones(bits), 0)]
                });
            }
        }
    }
}

#[test]
fn operands_of_different_widths_multiply() {
    use tacit_circuit::Builder;
    use tacit_circuit::library::multiplier::{Fusion, array, carry_save, carry_save_signed};
    for (n, m) in [(1, 4), (4, 1), (5, 3), (3, 5), (2, 7)] {
        for width in [1, m, n, n + m - 1, n + m] {
            let mut b = Builder::new();
            let (x, y) = (b.input(n as u32), b.input(m as u32));
            let products = [
                array(&mut b, &x, &y, width),
                carry_save(&mut b, &x, &y, width, FanIn::EIGHT, Fusion::To(2)),
                carry_save_signed(&mut b, &x, &y, width, FanIn::FOUR),
            ];
            products.iter().for_each(|p| b.output(p));
            let cases: Vec<Vec<u128>> =
                (0..1 << n).flat_map(|x| (0..1 << m).map(move |y| vec![x, y])).collect();
            for (got, case) in run(&b.finish(), &cases).into_iter().zip(&cases) {
                let unsigned = (case[0] * case[1]) & ones(width);
                let signed = (signed(case[0], n) * signed(case[1], m)) as u128 & ones(width);
                assert_eq!(got, [(unsigned, 0), (unsigned, 0), (signed, 0)], "{n} x {m}, {case:?}");
            }
        }
    }
}

#[test]
fn fused_multipliers_multiply_and_save_a_level() {
    for (width, height, depths) in [(32, "19", [8, 7]), (64, "55", [10, 9])] {
        let depth = |height: &str| {
            let settings = [("fuse-to", height)];
            let c = check("multiply", width, FanIn::FOUR, &settings, (0, 64), |x, y| {
                vec![product(x, y)]
            });
            c.stats().and_depth
        };
        assert_eq!([depth("0"), depth(height)], depths, "width {width}");
    }
}

#[test]
fn staged_multipliers_multiply() {
    for form in ["wallace", "dadda"] {
        for width in [1, 2, 3, 4, 5, 6, 17, 33, 64] {
            for bits in [width, 2 * width] {
                let text = bits.to_string();
                let settings = [("form", form), ("product-bits", text.as_str())];
                check("multiply", width, FanIn::TWO, &settings, (5, 64), |x, y| {
                    vec![cut(product(x, y), bits)]
                });
            }
        }
    }
}

#[test]
fn the_closed_form_cost_of_a_select_adder_is_that_of_the_circuit() {
    use tacit_circuit::library::adder::choose_select;
    for width in [1, 2, 3, 5, 17, 24, 31, 33, 64, 100, 128] {
        for fan_in in FAN_INS {
            let p = params(width, fan_in, &[("carry-in", "true"), ("carry-out", "true")]);
            let stats = build("add", &p).unwrap().stats();
            assert_eq!(choose_select(width, true, fan_in, 1e9).bits, stats.direction_bits());
        }
    }
}

const DIVIDERS: [&str; 6] = ["ripple", "scan", "digits1", "digits2", "digits3", "digits4"];

#[test]
fn dividers_divide() {
    for form in DIVIDERS {
        for (width, fan_in) in [
            (1, 2),
            (2, 4),
            (3, 8),
            (4, 2),
            (5, 4),
            (6, 8),
            (7, 2),
            (17, 4),
            (31, 8),
            (33, 8),
            (64, 4),
            (128, 8),
        ] {
            if width == 128 && form == "digits4" {
                continue;
            }
            let fan_in = FanIn::new(fan_in).unwrap();
            check("divide", width, fan_in, &[("form", form)], (6, 64), |x, y| {
                vec![
                    (x.checked_div(y).unwrap_or(ones(width)), 0),
                    (x.checked_rem(y).unwrap_or(x), 0),
                ]
            });
        }
    }
}

#[test]
fn signed_division_truncates() {
    for form in DIVIDERS {
        for (width, fan_in) in [(1, 4), (2, 2), (3, 8), (4, 4), (5, 2), (6, 4), (17, 8), (33, 4)] {
            let fan_in = FanIn::new(fan_in).unwrap();
            check(
                "divide",
                width,
                fan_in,
                &[("form", form), ("signed", "true")],
                (6, 64),
                |x, y| {
                    let (n, d) = (signed(x, width), signed(y, width));
                    let (q, r) = if d == 0 { (-1, n) } else { (n / d, n % d) };
                    vec![(q as u128 & ones(width), 0), (r as u128 & ones(width), 0)]
                },
            );
        }
    }
}
