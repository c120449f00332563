//! Programs of random operations, on columns and over them.

use crate::harness::*;
use tacit_ring::entropy::{self, Rng};

/// A program of random operations on columns: integers, fixed point and bits.
pub fn random_text(rng: &mut Rng, steps: usize) -> String {
    let mut text = String::from(
        "input i0: i16[n] from alice\ninput i1: u8[n] from bob\n\
         input i2: i32[n] from carol in -1000..1000\ninput b0: bit[n] from alice\n\
         input b1: bit[n] from carol\ninput f0: fixed(24,8)[n] from bob in -9.0..9.0\n\
         input f1: fixed(24,8)[n] from carol in -1.0..1.0\n",
    );
    // Names by kind, integers with the bits that their values need.
    let (mut ints, mut bits) = (
        vec![("i0".to_string(), 16), ("i1".into(), 8), ("i2".into(), 11)],
        vec!["b0".to_string(), "b1".into()],
    );
    let mut fixeds = vec![("f0".to_string(), 13), ("f1".into(), 9)];
    for step in 0..steps {
        let name = format!("v{step}");
        let mut pick = |n: usize| rng.below(n);
        let (a, x) = ints[pick(ints.len())].clone();
        let (b, y) = ints[pick(ints.len())].clone();
        let (f, p) = fixeds[pick(fixeds.len())].clone();
        let (g, q) = fixeds[pick(fixeds.len())].clone();
        let (c, d) = (bits[pick(bits.len())].clone(), bits[pick(bits.len())].clone());
        let expression = match pick(18) {
            0 if x.max(y) < 40 => (format!("{a} + {b}"), 'i', x.max(y) + 1),
            1 if x.max(y) < 40 => (format!("{a} - {b} * 3"), 'i', x.max(y + 2) + 1),
            2 if x + y < 40 => (format!("{a} * {b}"), 'i', x + y),
            3 => (format!("{a} < {b}"), 'b', 0),
            4 => (format!("{a} == {b}"), 'b', 0),
            5 => (format!("select({c}, {a}, {b})"), 'i', x.max(y)),
            6 => (format!("{c} & !{d}"), 'b', 0),
            7 => (format!("{c} ^ {d}"), 'b', 0),
            8 => (format!("{c} | {d}"), 'b', 0),
            9 => (format!("min({a}, {b})"), 'i', x.max(y)),
            10 => (format!("shift_right({a}, by 2)"), 'i', x),
            11 if x < 40 => (format!("abs({a})"), 'i', x + 1),
            12 if p + q < 40 => (format!("{f} * {g}"), 'f', p + q - 7),
            13 if p.max(q) < 40 => (format!("{f} - {g}"), 'f', p.max(q) + 1),
            14 => (format!("{f} <= {g}"), 'b', 0),
            15 => (format!("cast({c}, to i8)"), 'i', 2),
            16 => (format!("cast({f}, to i64)"), 'i', p),
            17 if x < 20 => (format!("to_fixed({a}, fraction 8)"), 'f', x + 8),
            _ => (format!("max({a}, 5)"), 'i', x.max(4)),
        };
        let (expression, kind, width) = expression;
        text.push_str(&format!("let {name} = {expression}\n"));
        match kind {
            'i' => ints.push((name, width)),
            'f' => fixeds.push((name, width)),
            _ => bits.push(name),
        }
    }
    text.push_str(&over_columns(rng, &ints));
    for (name, width) in ints.iter().rev().take(3) {
        text.push_str(&format!("reveal {name} to alice\n"));
        if *width < 40 {
            text.push_str(&format!("reveal sum({name}, axis 0) to bob as \"sum {name}\"\n"));
        }
    }
    for name in bits.iter().rev().take(2) {
        text.push_str(&format!("reveal {name} to bob, carol\n"));
    }
    for (name, _) in fixeds.iter().rev().take(2) {
        text.push_str(&format!("reveal {name} to carol\n"));
    }
    text
}

/// Some operations over whole columns: groups, sorting, inner products, loops.
fn over_columns(rng: &mut Rng, ints: &[(String, i32)]) -> String {
    let short: Vec<&(String, i32)> = ints.iter().filter(|(_, width)| *width <= 19).collect();
    let mut text = String::new();
    for kind in 0..4 {
        let [a, b] = [0, 1].map(|_| short[rng.below(short.len())].0.as_str());
        if rng.below(2) == 0 {
            continue;
        }
        text.push_str(&match kind {
            0 => format!(
                "reveal group_sum(i1, {a}, b0, first 3, groups 5) to bob as \"sums of groups\"\n\
                 reveal group_count(i1, first 0, groups 4) to alice as \"counts of groups\"\n"
            ),
            1 => format!(
                "let (key, moved, flag) = sort({a}, {b}, b1)\nreveal key to alice as \"sorted\"\n\
                 reveal moved to bob as \"moved\"\nreveal flag to carol as \"moved bits\"\n"
            ),
            2 => format!("reveal dot({a}, {b}) to carol as \"inner product\"\n"),
            _ => format!(
                "let loops = loop 3 carry (t: i64[n] secret in -100000000..100000000 = cast({a}, to i64)) \
                 index i {{\nyield assume(max(t, {b}) + {a} - i, in -100000000..100000000)\n}}\n\
                 reveal loops to bob as \"looped\"\n"
            ),
        });
    }
    text
}

#[test]
pub fn random_programs_agree_with_the_clear_under_every_protocol() {
    let seed = entropy::test_seed();
    let mut rng = Rng(seed);
    for round in 0..8 {
        let program = parse(&random_text(&mut rng, 14));
        for setting in settings().filter(|(protocol, _)| !protocol.garbles() || round % 3 == 0) {
            let rows = fitting(setting.0, [1, 64, 77][round % 3]);
            let mut job = job(setting, &[rows, 5]);
            job.options.workers = 1 + round % 2;
            if rng.below(2) == 0 {
                job.options.preprocessing = separate(setting.0);
            }
            check_job(&program, &job, seed.wrapping_add(round as u64));
        }
    }
}
