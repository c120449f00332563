//! Every operation, on every kind of number, at the ends of its range.

use crate::harness::*;
use tacit_engine::program::{By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{LIFT, QUAD, TRIO};
use tacit_program::clear::Array;

const INTEGERS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

/// Two columns of one type, secret under every protocol: nobody has both summands.
fn columns(ty: &str) -> String {
    format!("input a: {ty} from alice\ninput b: {ty} from bob\n")
}

#[test]
fn comparisons_and_choices_of_every_type() {
    let fixed = ["fixed(16,4)[n]", "fixed(32,20)[n]", "fixed(63,8)[n]"].map(str::to_owned);
    for ty in INTEGERS.iter().map(|ty| format!("{ty}[n]")).chain(fixed) {
        let text = columns(&ty)
            + "reveal a < b to alice as \"less\"\nreveal a <= b to bob as \"at most\"\n\
               reveal a == b to carol as \"equal\"\nreveal a != 3 to carol as \"differ\"\n\
               reveal min(a, b) to alice as \"min\"\nreveal max(a, b) to bob as \"max\"\n\
               reveal select(a < b, b, a) to carol as \"chosen\"\n";
        check_few(&text, &[66]);
    }
    for ty in ["i8[n]", "i16[n]", "i32[n]", "i64[n] in -9000000000..9000000000", "fixed(24,6)[n]"] {
        let within = ty.split_once(" in").map_or(String::new(), |(_, range)| format!(" in{range}"));
        let ty = ty.split(" in").next().unwrap();
        let text = format!(
            "input a: {ty} from alice{within}\ninput b: {ty} from bob{within}\n\
             reveal abs(a - b) to alice as \"abs\"\nreveal max(abs(a), abs(b)) to bob as \"greater\"\n"
        );
        check_few(&text, &[66]);
    }
}

/// All 65,536 pairs of bytes, by way of every conversion between bits and rings.
#[test]
fn every_pair_of_bytes() {
    for (ty, low) in [("i8", -128), ("u8", 0)] {
        let text = format!(
            "input a: {ty}[pairs] from alice\ninput b: {ty}[pairs] from bob\ninput z: {ty} from carol in {low}..{low}\n\
             let x = a + z\nlet y = b + z\n\
             reveal x < y to alice as \"less\"\nreveal x == y to bob as \"equal\"\n\
             reveal x * y to carol as \"product\"\nreveal max(x, y) to alice as \"greater\"\n\
             reveal shift_right(x, by 3) to bob as \"shifted\"\n\
             reveal select(x < y, x, y) to carol as \"chosen\"\n"
        );
        let text = text.replace("pairs", "65536");
        let program = parse(&text);
        let pair = |i: i128| [low + i / 256, low + i % 256];
        let column = |at: usize| (0..65_536).map(move |i| pair(i)[at]);
        let mut given = inputs(&program, &[1, 1], 1);
        for (name, at) in [("a", 0), ("b", 1)] {
            let element = given[name].element();
            given.insert(
                name.into(),
                Array::from_values(element, vec![65_536], column(at)).unwrap(),
            );
        }
        for setting in kinds().filter(|(protocol, _)| !protocol.is_gmw()) {
            let job = ProgramJob { chunk_rows: 1 << 13, ..job(setting, &[1, 1]) };
            check_on(&program, &job, &given);
        }
    }
}

#[test]
fn long_products_within_their_ranges() {
    let text = "input a: i64[n] from alice in -2147483648..2147483647\n\
                input b: i64[n] from bob in -2147483648..2147483647\n\
                input c: u64[n] from carol in 0..4294967295\n\
                reveal a * b to alice as \"product\"\nreveal -a * b to bob as \"negated\"\n\
                reveal c * c to carol as \"square\"\n";
    check_few(text, &[66]);
}

#[test]
fn shifts_and_powers_of_two() {
    for ty in ["i8", "i32", "u16", "u32"] {
        let text = columns(&format!("{ty}[n]"))
            + "let s = select(a < b, a, b)\n\
               reveal shift_left(s, by 5) to alice as \"left\"\n\
               reveal shift_right(s, by 1) to alice as \"right\"\n\
               reveal shift_right(shift_left(s, by 9), by 12) to bob as \"both\"\n";
        check_few(&text, &[66]);
    }
}

#[test]
fn quotients_and_roots_of_integers() {
    for ty in ["i8", "u8", "i16", "u16", "i32"] {
        let text = columns(&format!("{ty}[m]"))
            + "let x = max(a, b)\nlet y = min(a, b)\n\
               reveal x / y to alice as \"quotient\"\nreveal y % x to bob as \"rest\"\n\
               reveal y / 7 to carol as \"of a constant\"\n\
               reveal x / 0 to carol as \"by zero\"\n\
               reveal sqrt(abs(y)) to alice as \"root\"\n";
        check_few(&text, &[3]);
    }
}

/// Every divisor and dividend at which something changes: zero, one and minus one, powers of two and their neighbours, ends of
/// ranges, in ranges with zero and without.
#[test]
fn quotients_at_every_edge() {
    for (ty, low, high) in [
        ("i8", -128, 127),
        ("i16", -30, -1),
        ("i16", -30, 30),
        ("u16", 7, 65_535),
        ("i32", -(1i128 << 31), (1 << 31) - 1),
        ("u32", 0, (1 << 32) - 1),
        ("i64", -(1i128 << 62), (1 << 62) - 1),
        ("fixed(16,4)", -(1 << 15), (1 << 15) - 1),
    ] {
        let wide = if ty.starts_with("fixed") { "fixed(16,4)" } else { "i32" };
        let mut edges: Vec<i128> = (0..63).flat_map(|i| [(1 << i) - 1, 1 << i]).collect();
        edges.extend(edges.clone().iter().map(|edge| -edge));
        edges.extend([low, low + 1, high - 1, high, 3, -3]);
        let divisors: Vec<i128> =
            edges.iter().copied().filter(|edge| (low..=high).contains(edge)).collect();
        let dividends = [0, 1, -1, 100, -100, 32_767, -32_768];
        let pairs: Vec<(i128, i128)> =
            dividends.into_iter().flat_map(|n| divisors.iter().map(move |d| (n, *d))).collect();
        let rest = if ty.starts_with("fixed") {
            "reveal sqrt(y) to carol as \"root\"\n"
        } else {
            "reveal x % y to carol as \"rest\"\nreveal sqrt(y) to carol as \"root\"\n"
        };
        let ends = [low, high].map(|end| match ty {
            "fixed(16,4)" => format!("{}", end as f64 / 16.0),
            _ => end.to_string(),
        });
        let text = format!(
            "input a: {wide}[{count}] from alice\ninput b: {ty}[{count}] from bob in {}..{}\n\
             input z: bit[{count}] from carol\n\
             let x = select(z, a, a)\nlet y = select(z, b, b)\n\
             reveal x / y to alice as \"quotient\"\n{rest}",
            ends[0],
            ends[1],
            count = pairs.len()
        );
        let text = match ty {
            "i64" | "u32" | "u16" => text.replace("x / y", "cast(x, to i64) / cast(y, to i64)"),
            _ => text,
        };
        let program = parse(&text);
        let mut given = inputs(&program, &[1, 1], 1);
        let columns = [("a", pairs.iter().map(|pair| pair.0).collect::<Vec<_>>())];
        for (name, values) in
            columns.into_iter().chain([("b", pairs.iter().map(|pair| pair.1).collect())])
        {
            let element = given[name].element();
            let count = vec![pairs.len()];
            given.insert(name.into(), Array::from_values(element, count, values).unwrap());
        }
        // The others compute what Trio does, by products of their own.
        let others = if matches!(ty, "i8" | "fixed(16,4)") { &[LIFT, QUAD][..] } else { &[] };
        for protocol in std::iter::once(&TRIO).chain(others) {
            check_on(&program, &job((*protocol, By::Rings), &[1, 1]), &given);
        }
    }
}

#[test]
fn reciprocals_and_roots_in_fixed_point() {
    for ty in ["fixed(16,4)", "fixed(24,8)", "fixed(32,16)"] {
        let text = columns(&format!("{ty}[m]"))
            + "let x = max(a, b)\n\
               reveal reciprocal(x) to alice as \"reciprocal\"\n\
               reveal sqrt(abs(x)) to bob as \"root\"\n";
        check_few(&text, &[3]);
    }
}

#[test]
fn functions_of_real_numbers_at_every_precision() {
    for ty in ["fixed(24,6)", "fixed(32,16)"] {
        let text = format!(
            "input a: {ty}[m] from alice in -5.0..4.0\ninput b: {ty}[m] from bob in -5.0..4.0\n\
             let x = max(a, b)\n\
             reveal exp(x) to alice as \"exp\"\nreveal log(abs(x) + 0.25) to bob as \"log\"\n\
             reveal sigmoid(x) to carol as \"sigmoid\"\n"
        );
        check_few(&text, &[3]);
    }
}

/// With fewer bits, by comparisons and products in rings: also where ranges hold one piece, or have ends that no piece has.
#[test]
fn functions_with_a_stated_number_of_bits() {
    for (ty, range, bits) in [
        ("fixed(32,16)", "-8.0..8.0", [8, 12]),
        ("fixed(24,6)", "-30.0..9.0", [16, 20]),
        ("fixed(40,20)", "-1.0..1.0", [12, 16]),
    ] {
        let [few, more] = bits;
        let text = format!(
            "input a: {ty}[m] from alice in {range}\ninput b: {ty}[m] from bob in {range}\n\
             let x = max(a, b)\n\
             reveal exp(x, bits {few}) to alice as \"exp\"\n\
             reveal div(b, x, bits {more}) to alice as \"quotient\"\n\
             reveal reciprocal(abs(x) + 0.5, bits {few}) to alice as \"reciprocal\"\n\
             reveal log(x, bits {more}) to bob as \"log\"\n\
             reveal log(abs(x) + 0.25, bits {few}) to bob as \"log of positive numbers\"\n\
             reveal sigmoid(x, bits {more}) to carol as \"sigmoid\"\n\
             reveal tanh(x, bits {few}) to carol as \"tanh\"\n"
        );
        check_few(&text, &[3]);
    }
}

/// In the whole program, as the guide to programs says.
#[test]
fn rounds_of_functions() {
    for (call, rounds) in [
        ("sigmoid(x)", 11),
        ("sigmoid(x, bits 16)", 10),
        ("sigmoid(x, bits 8)", 10),
        ("exp(x)", 17),
        ("exp(x, bits 16)", 14),
        ("exp(x, bits 12)", 15),
        ("log(x)", 24),
        ("log(x, bits 12)", 22),
        ("reciprocal(x)", 35),
        ("reciprocal(x, bits 16)", 24),
        ("reciprocal(x, bits 8)", 22),
    ] {
        let program = parse(&format!(
            "input a: fixed(31,16)[n] from alice in -4.0..4.0\n\
             input b: fixed(31,16)[n] from carol in -4.0..4.0\n\
             let x = a + b\nreveal {call} to bob as \"value\"\n"
        ));
        let compiled = CompiledProgram::new(&program, job((TRIO, By::Rings), &[50, 1])).unwrap();
        let most = compiled.cost().unwrap().rounds.into_iter().max();
        assert_eq!(most, Some(rounds), "{call}");
    }
}

/// The numbers at which something changes: ends of octaves and pieces, zero, and all sorts beyond.
#[test]
fn approximations_at_every_edge() {
    let unit = 1i128 << 10;
    let mut edges: Vec<i128> = (0..15).flat_map(|i| [(1 << i) - 1, 1 << i, (1 << i) + 1]).collect();
    edges.extend((-30..30).flat_map(|i| {
        let octave = f64::from(2 * i - 1) * 0.5 * std::f64::consts::LN_2 * unit as f64;
        [-1, 0, 1].map(|more| octave as i128 + more)
    }));
    edges.extend((-8 * 64..8 * 64).step_by(7).map(|cut| cut * unit / 64));
    edges.extend(edges.clone().iter().map(|edge| -edge));
    edges.retain(|edge| (-20 * unit..=20 * unit).contains(edge));
    let text = format!(
        "input a: fixed(32,10)[{count}] from alice in -20.0..20.0\ninput z: bit[{count}] from carol\n\
         let x = select(z, a, a)\n\
         reveal div(3.5, x, bits 16) to alice as \"quotient\"\nreveal exp(x, bits 16) to alice as \"exp\"\nreveal log(x, bits 16) to bob as \"log\"\n\
         reveal sigmoid(x, bits 12) to carol as \"sigmoid\"\nreveal tanh(x, bits 8) to carol as \"tanh\"\n",
        count = edges.len()
    );
    let program = parse(&text);
    let mut given = inputs(&program, &[1, 1], 1);
    let element = given["a"].element();
    let count = vec![edges.len()];
    given.insert("a".into(), Array::from_values(element, count, edges).unwrap());
    for protocol in [TRIO, LIFT, QUAD] {
        check_on(&program, &job((protocol, By::Rings), &[1, 1]), &given);
    }
}

#[test]
fn statistics_of_columns() {
    check_few(
        "input a: i16[n] from alice in -300..300\ninput b: i16[n] from bob in -300..300\n\
         input c: bit[n] from carol\ninput f: fixed(24,8)[n] from carol in -50.0..50.0\n\
         let s = a + b\n\
         reveal mean(s, axis 0) to alice as \"mean\"\n\
         reveal variance(s, axis 0, fraction 4) to alice as \"variance\"\n\
         reveal std(s, axis 0, fraction 4) to bob as \"deviation\"\n\
         reveal mean(s, c, axis 0, fraction 6) to bob as \"mean of some\"\n\
         reveal variance(f, c, axis 0, fraction 8) to carol as \"variance of some\"\n\
         reveal min(s, axis 0) to carol as \"least\"\nreveal max(s, axis 0) to carol as \"greatest\"\n\
         reveal count(s, axis 0) to all as \"rows\"\n",
        &[1, 37],
    );
}

/// Of no rows an end of the range; with pairs left over; of more pairs than are compared at once.
#[test]
fn the_least_and_the_greatest_of_columns() {
    let body = |ty: &str, range: &str| {
        format!(
            "input a: {ty}[n] from alice in {range}\ninput b: {ty}[n] from bob in {range}\n\
             let s = select(a < b, a, b)\n\
             reveal min(s, axis 0) to carol as \"least\"\nreveal max(s, axis 0) to all as \"greatest\"\n"
        )
    };
    check_few(&body("i16", "-300..-7"), &[0, 1, 2, 3, 6, 37]);
    check_few(&body("fixed(24,8)", "-50.0..50.5"), &[0, 5]);
    check_few(&body("u64", "0..9000000000000000000"), &[5]);
    let sum = parse_whole(
        "program test\nparties alice, bob, carol\nrows n <= 600000\ninput a: u8[n] from alice\ninput b: u8[n] from bob\nreveal max(a + b, axis 0) to all as \"greatest\"\n",
    );
    check_job(&sum, &job((TRIO, By::Rings), &[600_000]), 7);
}

#[test]
fn statistics_of_groups() {
    check_few(
        "input g: u8[n] from alice in 0..3\ninput v: i16[n] from bob in -300..300\n\
         input keep: bit[n] from carol\n\
         reveal group_variance(g, v, first 0, groups 3, fraction 4) to alice as \"variances\"\n\
         reveal group_mean(g, v, keep, first 0, groups 5, fraction 4) to bob as \"means of some\"\n",
        &[0, 37],
    );
}

#[test]
fn products_and_shapes_of_secrets() {
    check_few(
        "input a: i8[m, 3] from alice in -4..4\ninput b: i8[m, 3] from bob in -4..4\n\
         input c: i16[6] from carol\ninput d: i16[6] from bob\ninput x: i16[n] from alice\n\
         let s = a + b\nlet t = c + d\n\
         reveal product(s, axis 1) to alice as \"products of rows\"\n\
         reveal reshape(t, shape [2, 3]) to alice as \"shaped\"\n\
         reveal broadcast(t, shape [2, 6]) to bob as \"repeated\"\n\
         reveal min(s, axis 1) to carol as \"least\"\nreveal max(s, axis 1) to carol as \"greatest\"\n\
         reveal broadcast(t < 5, shape [3, 6]) to carol as \"repeated bits\"\n",
        &[5],
    );
}

#[test]
fn sorting_by_keys_of_every_type() {
    for ty in ["i8", "u8", "i32", "u64", "fixed(16,4)"] {
        check_few(
            &format!(
                "input k: {ty}[n] from alice\ninput l: {ty}[n] from bob\ninput v: u16[n] from carol\n\
                 let (key, value) = sort(select(v < 30000, k, l), v)\n\
                 reveal key to alice\nreveal value to bob\n"
            ),
            &[33],
        );
    }
    check_few(
        "input k: i16[n] from alice\ninput l: i16[n] from bob\ninput v: bit[n] from carol\n\
         let (keys, values) = top(max(k, l), v, rows 4)\n\
         reveal keys to alice\nreveal values to carol\n",
        &[2, 33],
    );
}

/// Of whole columns, and of the rows that a secret bit chooses, of which there may be none.
#[test]
pub fn medians_and_quantiles_of_columns() {
    let body = "input v: i16[n] from alice in -300..300\ninput b: bit[n] from carol\n\
                let w = v + cast(b, to i8)\nreveal median(w) to alice as \"median\"\n\
                reveal quantile(w, 2/7, b) to bob, carol as \"of some\"\n";
    check_sizes(body, &[5]);
    let more = "input f: fixed(24,8)[n] from bob in -9.5..9.5\n\
                reveal quantile(f, [0, 1/4, 1], v < 0) to carol as \"of fixed point\"\n\
                reveal median(v, b & !b) + n to all as \"of none\"\n\
                reveal median(f) to bob as \"of what bob has\"\n";
    check_few(&format!("{body}{more}"), &[0, 33]);
}

#[test]
fn loops_of_any_length() {
    check_few(
        "input x: i64[n] from alice in 0..100\ninput y: i64[n] from bob in 0..100\n\
         let start = x + y\n\
         let none = loop 0 carry (s: i64[n] secret in 0..200 = start) {\nyield assume(s + s, in 0..200)\n}\n\
         reveal none to alice\n\
         let trips = loop m carry (s: i64[n] secret in 0..100000 = start) index i {\n\
             yield assume(s + y + i, in 0..100000)\n}\n\
         reveal trips to bob\n\
         let nested = loop 3 carry (s: i64[n] secret in 0..100000 = start) {\n\
             let inner = loop 2 carry (t: i64[n] secret in 0..100000 = s) {\n\
                 yield assume(t + x, in 0..100000)\n}\n\
             yield max(inner, y)\n}\n\
         reveal nested to carol\n",
        &[1, 40],
    );
}

/// What one party knows enters once for all turns, in loops of loops too, and what does not change is computed in front of them.
#[test]
fn what_does_not_change_in_a_loop_is_sent_once() {
    let text = |trips: u32| {
        format!(
            "input x: i32[n] from alice in -9..9\ninput y: i32[n] from bob in -9..9\ninput b: bit[n] from alice\n\
             let total = loop {trips} carry (s: i64[n] secret in -1000000..1000000 = x + y) use (x = x, y = y, b = b) {{\n\
                 let both = x * y\n\
                 let inner = loop 2 carry (t: i64[n] secret in -1000000..1000000 = s) use (x = x, both = both) {{\n\
                     yield assume(t + x * x + both, in -1000000..1000000)\n}}\n\
                 yield assume(inner + x, in -1000000..1000000)\n}}\n\
             reveal total to carol\n\
             let odd = loop {trips} carry (o: bit[n] secret = x < y) use (b = b) {{\nyield o ^ b\n}}\n\
             reveal odd to bob\n"
        )
    };
    check_few(&text(3), &[1, 40]);
    let sent = |trips| {
        let job = job((TRIO, By::Rings), &[1000, 5]);
        CompiledProgram::new(&parse(&text(trips)), job).unwrap().cost().unwrap().bytes.total()
    };
    assert_eq!(sent(2), sent(50));
}

/// Equal operations that do not depend on each other take the rounds of one: of numbers and bits, of rows and known axes, in loops too.
#[test]
fn independent_operations_take_their_rounds_together() {
    let header = "input x: i16[n] from alice\ninput y: i16[n] from bob\ninput f: fixed(32,16)[2, 3] from alice in -9.0..9.0\n\
         input g: fixed(32,16)[2, 3] from bob in -9.0..9.0\nlet s = x + y\nlet t = y + x\nlet h = f + g\nlet k = g + f\n";
    let one = format!(
        "{header}reveal select(s * s < x, s, t) to all as \"a\"\nreveal h * k to all as \"f\"\n"
    );
    let more = "reveal select(s * t < x, t, s) to all as \"b\"\nreveal select(t * t < x, s, s) to all as \"c\"\n\
         reveal k * k to all as \"g\"\nreveal h * h to all as \"h\"\n";
    let all = format!("{one}{more}");
    check_few(&all, &[0, 40]);
    let rounds = |text: &str, rows| {
        let job = job((TRIO, By::Rings), &[rows, 5]);
        let rounds = CompiledProgram::new(&parse(text), job).unwrap().cost().unwrap().rounds;
        rounds.into_iter().max().unwrap_or(0)
    };
    // Four results more, for each of which somebody may have to wait.
    let more = |rows| rounds(&all, rows) - rounds(&one, rows);
    assert!(more(40) <= 4, "{}", more(40));
    // Not where there are many.
    assert!(more(20_000) > 12, "{}", more(20_000));
    let turns = format!(
        "{header}let (a, b) = loop 3 carry (a: i16[n] secret = wrap(s, to i16), b: i16[n] secret = wrap(t, to i16)) {{\n\
             yield wrap(a * a, to i16), wrap(b * b, to i16)\n}}\nreveal a to alice\nreveal b to bob\n"
    );
    check_few(&turns, &[33]);
}

/// The body's values are kept once, not once per trip.
#[test]
fn a_long_loop() {
    let text = "input x: u8 from alice\ninput y: u8 from bob\n\
                let last = loop 300 carry (s: u8 secret = wrap(x + y, to u8)) index i {\n\
                    yield wrap(s * 3 + y + i, to u8)\n}\n\
                reveal last to carol\n";
    check_few(text, &[1]);
}

/// Of columns of symbolic length, which are streamed up to here, of rows of them, and of known axes.
#[test]
pub fn prefix_sums_and_shifts() {
    let body = "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput c: bit[n] from carol\n\
                let s = a + b\nlet sums = cumsum(s, axis 0)\n\
                reveal sums - a to alice as \"sums\"\n\
                reveal cumsum(c, axis 0, reverse) to bob as \"bits to the end\"\n\
                reveal shift(s, axis 0, by 1, fill -3) < b to carol as \"after\"\n\
                reveal shift(c, axis 0, by -70, fill 1) to alice as \"bits\"\n\
                reveal flip(s, axis 0) < b to carol as \"turned round\"\n\
                reveal flip(c, axis 0) to bob as \"bits turned round\"\n\
                reveal sum(shift(sums, axis 0, by 2, fill 0), axis 0) to bob as \"total\"\n";
    check_sizes(body, &[5]);
    let more = "input x: i8[n, 5] from alice\ninput y: i8[n, 5] from bob\ninput z: fixed(24,8)[2, 9] from carol\n\
                let t = x - y\nlet u = z * z\n\
                reveal cumsum(t, axis 1, reverse) to alice as \"rows\"\n\
                reveal cumsum(t, axis 0) to bob as \"columns\"\n\
                reveal shift(t, axis 1, by 2, fill 9) to carol as \"rows shifted\"\n\
                reveal cumsum(u, axis 1) to bob as \"fixed\"\n\
                reveal shift(u, axis 0, by -1, fill 0.5) to alice as \"fixed shifted\"\n";
    check_few(&format!("{body}{more}"), &[0, 1, 150]);
}

/// Folds since a marked row: numbers, fixed point and bits, of symbolic and known lengths, also where nothing is marked.
#[test]
pub fn folds_by_segments() {
    let body = "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput m: bit[n] from carol\n\
                let s = a + b\nlet c = a < b\nlet mark = and(m, less(a, 9000))\n\
                let (number, bit) = segment_first(mark, s, c)\n\
                reveal number to alice\nreveal bit to bob\n\
                reveal segment_sum(m, s) to carol as \"sums\"\n\
                reveal segment_sum(mark, a) to bob as \"own sums\"\n\
                reveal segment_min(mark, s) to alice as \"least\"\n\
                reveal segment_max(m, b) to bob as \"greatest\"\n\
                reveal segment_first(c & not(c), s) to carol as \"nothing\"\n";
    check_sizes(body, &[5]);
    let more = "input z: fixed(24,8)[9] from carol\ninput k: bit[9] from alice\n\
                let u = z * z\n\
                reveal segment_first(k, u) to alice as \"fixed\"\n\
                reveal segment_sum(k, u) to bob as \"fixed sums\"\n\
                reveal segment_max(k, u) to carol as \"fixed greatest\"\n";
    check_few(&format!("{body}{more}"), &[0, 1, 150]);
}

/// Places that loops compute, and public inputs.
#[test]
pub fn parts_at_places() {
    let header = HEADER.replace("rows n <= ", "rows n in 12..");
    let body = "input x: i16[n] from alice\ninput y: i16[n] from bob\ninput p: u8 public in 0..2\n\
                input w: i8[n, 4] from carol\n\
                let s = x + y\n\
                let (whole, last) = loop 3 carry (t: i64[9] secret in -200000..200000 = 0,\n\
                    r: i64[4] secret in -200000..200000 = 1) index i {\n\
                    let part = cast(slice_at(s, 4 * i, axis 0, length 4), to i64)\n\
                    yield update_at(t, slice(part, axis 0, length 3), 3 * i, axis 0), part + i\n}\n\
                reveal whole to alice\nreveal last to bob\n\
                reveal slice_at(w + 1, p, axis 1, length 2) to carol as \"columns\"\n\
                reveal update_at(w * 2, slice_at(w * 2, p, axis 1, length 1), p + 1, axis 1) to alice as \"replaced\"\n\
                reveal slice_at(x < y, p, axis 0, length 7) to bob as \"bits\"\n";
    let program = parse_whole(&format!("{header}{body}"));
    for (i, setting) in settings().enumerate() {
        let job = job(setting, &[12 + 70 * (i as u64 % 2), 5]).with(|it| it.workers = 1 + i % 2);
        check_job(&program, &job, i as u64);
    }
}
