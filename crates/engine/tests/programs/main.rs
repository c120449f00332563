//! Programs under every protocol, by rings and by circuits, against evaluation in the clear: values
//! within their stated bound, bytes and rounds as predicted.
//!
//! `make test` leaves out protocols that are there to be compared with, all but one program each; the long tests
//! [`programs_under_baselines`] and [`more_programs_under_baselines`], which `make test-all` runs, run the same programs
//! under those.

mod checks;
mod gate;
mod harness;
mod numpy;
mod operations;
mod outside;
mod random;
mod split;
mod streamed;
mod team;

use harness::*;
use std::collections::BTreeMap;
use tacit_engine::program::{self, By, CompiledProgram};
use tacit_engine::protocols::{
    self, BMR, BMR_SHAMIR, BMR_SILENT, BRAIN_BUCKETS, BRAIN_SACRIFICE, PLAIN, TRIO,
};
use tacit_garbling::bmr::Opening;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_program::clear::Array;
use tacit_program::{Element, Program};
use tacit_proof::Method;
use tacit_proof::Strength;
use tacit_sharing::Protocol;

#[test]
#[ignore = "minutes: the programs of this file, under protocols that are there to be compared with"]
fn programs_under_baselines() {
    under_baselines(&[
        arithmetic_on_integers_of_every_width,
        arithmetic_on_long_integers,
        comparisons_selections_and_logic,
        fixed_point,
        division_and_roots,
        functions_of_real_numbers,
        matrices_and_axes,
        batches_of_matrices,
        rearranging,
        public_inputs,
        groups,
        sorting,
        loops_and_circuits,
        numbers_meet_rings_wide_enough_for_every_bit_that_is_read,
        loops_share_what_becomes_secret,
        a_result_outside_of_its_type_is_known_only_to_those_who_learn_it,
    ]);
}

#[test]
#[ignore = "minutes: programs of other files, under protocols that are there to be compared with"]
fn more_programs_under_baselines() {
    under_baselines(&[
        checks::checks_that_hold_change_nothing,
        operations::medians_and_quantiles_of_columns,
        operations::prefix_sums_and_shifts,
        operations::parts_at_places,
        random::random_programs_agree_with_the_clear_under_every_protocol,
        split::rows_of_streams,
        split::parts_of_whole_arrays,
    ]);
}

/// What `make test` runs under protocols that are there to be compared with.
#[test]
fn one_program_under_every_baseline() {
    under_baselines(&[loops_share_what_becomes_secret]);
}

#[test]
fn arithmetic_on_integers_of_every_width() {
    for ty in ["i8", "i16", "i32", "u8", "u16", "u32"] {
        let under = if ["i8", "u32"].contains(&ty) { check_sizes } else { check_few };
        under(
            &format!(
                "input a: {ty}[n] from alice\ninput b: {ty}[n] from bob\n\
                 reveal a + b to alice, carol as \"sum\"\n\
                 reveal a - b to bob as \"difference\"\n\
                 reveal a * b to alice as \"product\"\n\
                 reveal -a + b * 3 to alice as \"linear\"\n\
                 reveal add(a, b, wrap) to alice as \"wrapped sum\"\n\
                 reveal mul(a, b, wrap) to alice as \"wrapped product\"\n\
                 reveal shift_right(a * b, by 3) to bob as \"shifted\"\n\
                 reveal sum(a + b, axis 0) to alice, bob, carol as \"total\"\n"
            ),
            &[130],
        );
    }
}

/// Two sources here, all in [`triples_of_every_source`].
#[test]
fn triples_of_some_sources() {
    let sources = [BRAIN_BUCKETS, BRAIN_SACRIFICE];
    triples_of(sources.into_iter());
}

#[test]
#[ignore = "for protocols that are there to be compared with"]
fn triples_of_every_source() {
    let made = |p: &Protocol| matches!(Method::of(*p), Some(Method::Brain(..)));
    triples_of(protocols::all().chain(protocols::strong()).filter(made));
}

fn triples_of(protocols: impl Iterator<Item = Protocol>) {
    let program = parse(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\n\
         reveal a * b to alice as \"product\"\n\
         reveal sum(a * b, axis 0) to carol as \"total\"\n\
         reveal select(a < b, a, b) to bob as \"least\"\n",
    );
    for (i, protocol) in protocols.enumerate() {
        for by in [By::Rings, By::Circuits] {
            let mut job = job((protocol, by), &[70, 5]);
            job.options.workers = 1 + i % 2;
            check_job(&program, &job, 7);
        }
    }
}

/// Tables that everybody has, and one that a single party has, which tells the others what they learn.
#[test]
fn tables_of_programs_open_in_every_way() {
    let program = parse(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\n\
         reveal sum(a * b, axis 0) to carol as \"total\"\n\
         reveal select(a < b, a, b) to alice, bob as \"least\"\n",
    );
    for protocol in [BMR.fitting(3), BMR_SILENT.fitting(3), BMR_SHAMIR.fitting(3)] {
        for (i, opening) in Opening::ALL.into_iter().enumerate() {
            let mut job = job((protocol, By::Circuits), &[3, 5]);
            job.options.opening = Some(opening);
            if i % 2 == 0 {
                job.options.preprocessing = separate(protocol);
            }
            check_job(&program, &job, 7);
        }
    }
    let mut other = job((TRIO, By::Rings), &[3, 5]);
    other.options.opening = Some(Opening::Single);
    let refused = CompiledProgram::new(&program, other).err().unwrap().to_string();
    assert!(refused.contains("opens no garbled tables"), "{refused}");
}

/// Masks of integers hide so many and no more, all workers together; lift has few, unless its batches are small.
#[test]
fn more_masked_numbers_than_are_hidden_well_enough_are_refused() {
    let program = parse_whole(
        "program test\nparties alice, bob, carol\nrows n <= 20000000\n\
         input a: i32[n] from alice\ninput b: i32[n] from bob\n\
         reveal mul(a, b, wrap) to carol as \"product\"\n",
    );
    let most = 1 << 24;
    for (name, rows, fits) in [
        ("integers", most, true),
        ("integers", most + 1, false),
        ("integers@64", most + 1, false),
        ("brain-integers", most, true),
        ("brain-integers", most + 1, false),
        ("brain-batch", most + 1, false),
        ("lift", most + 1, true),
        ("lift/64", most, true),
        ("lift@64/64", most, false),
        ("lift/4", most, false),
        ("galois/4", most + 1, true),
        ("post", most + 1, true),
        ("brain-buckets", most + 1, true),
    ] {
        let mut job = job((protocols::named(name).unwrap(), By::Rings), &[rows]);
        (job.options.workers, job.chunk_rows) = (2, 1 << 20);
        let checked = CompiledProgram::new(&program, job).unwrap().check_masks();
        let told = checked.as_ref().err().map(ToString::to_string).unwrap_or_default();
        assert_eq!(checked.is_ok(), fits, "{name} {rows}: {told}");
        assert!(fits || told.contains("not supported: under"), "{told}");
    }
}

/// Each sort proves a shuffle, however few rows it moves.
#[test]
#[ignore = "counts what many sorts take: a minute"]
fn more_proven_shuffles_than_are_hidden_well_enough_are_refused() {
    for (trips, fits) in [(1000, true), (420_000, false)] {
        let program = parse(&format!(
            "input a: u64[9] from alice in 0..100\n\
             let s = loop {trips} carry (s: u64[9] secret in 0..100 = a) {{\nyield sort(s)\n}}\n\
             reveal s to alice as \"sorted\"\n"
        ));
        let job = job((protocols::LIFT, By::Rings), &[1, 1]);
        let checked = CompiledProgram::new(&program, job).unwrap().check_masks();
        assert_eq!(checked.is_ok(), fits, "{trips}: {:?}", checked.err());
    }
}

/// Products of all kinds, in numbers of several rings.
fn products_of_all_kinds() -> Program {
    parse(
        "input a: i32[n] from alice\ninput b: i32[n] from bob in -1000..1000\n\
         input c: i64[n] from carol in -1000000..1000000\n\
         input d: fixed(32, 10)[n] from carol in -100.0..100.0\n\
         reveal mul(a, b, wrap) to alice as \"product\"\n\
         reveal sum(b * c, axis 0) to carol as \"total\"\n\
         reveal select(a < b, a, b) to bob as \"least\"\n\
         reveal shift_right(c * c, by 7) to bob as \"shifted\"\n\
         reveal d * d to alice as \"square\"\n",
    )
}

/// Other protocols are in [`programs_of_baselines_with_other_parameters`].
#[test]
fn programs_with_batches_of_another_size() {
    programs_in_batches(&["lift/100", "post/100", "tagged@64/100"]);
}

#[test]
#[ignore = "for protocols that are there to be compared with"]
fn programs_of_baselines_with_other_parameters() {
    programs_in_batches(&[
        "galois/30",
        "integers/100",
        "brain-integers/100",
        "brain-buckets/453x5",
    ]);
    programs_in_batches(&["galois@64", "integers@64", "tagged/10"]);
}

/// Under protocols by name.
fn programs_in_batches(names: &[&str]) {
    let program = products_of_all_kinds();
    for name in names {
        for by in [By::Rings, By::Circuits] {
            let mut job = job((protocols::named(name).unwrap(), by), &[20, 5]);
            job.options.workers = 2;
            check_job(&program, &job, 7);
        }
    }
}

/// Other protocols are in [`programs_of_baselines_with_other_parameters`].
#[test]
fn programs_with_a_statistical_parameter_of_64() {
    let program = products_of_all_kinds();
    for method in [Method::Lift, Method::Post, Method::Tagged] {
        for by in [By::Rings, By::Circuits] {
            let mut job =
                job((method.protocol().with_strength(Strength::Strong).unwrap(), by), &[70, 5]);
            job.options.workers = 2;
            check_job(&program, &job, 7);
        }
    }
}

#[test]
fn arithmetic_on_long_integers() {
    check(
        "input a: i64[n] from alice\ninput b: i64[n] from bob\ninput c: u64[n] from carol\n\
         input d: i64[n] from alice in -1000000000..1000000000\n\
         reveal mul(a, b, wrap) to alice as \"wrapped product\"\n\
         reveal sub(a, b, wrap) to alice as \"wrapped difference\"\n\
         reveal a < b to alice as \"less\"\n\
         reveal a == b to alice as \"equal\"\n\
         reveal select(a < b, a, b) to bob as \"least\"\n\
         reveal c < 5 to bob as \"small\"\n\
         reveal add(c, c, wrap) to carol as \"twice\"\n\
         reveal sum(d, axis 0) to carol as \"total\"\n\
         reveal shift_right(d * d, by 20) to alice as \"shifted\"\n",
    );
}

#[test]
fn comparisons_selections_and_logic() {
    check(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput c: bit[n] from carol\n\
         let less = a < b\nlet equal = a == b\n\
         reveal less to alice\nreveal equal to bob\n\
         reveal a <= b to carol as \"at most\"\nreveal a != b to carol as \"differ\"\n\
         reveal select(c, a, b) to alice as \"chosen\"\n\
         reveal select(c, 5, a) to alice as \"constant\"\n\
         reveal (less & c) | !equal to bob as \"logic\"\n\
         reveal c ^ less to bob as \"xor\"\n\
         reveal select(c, less, equal) to bob as \"bits\"\n\
         reveal min(a, b) to bob as \"min\"\nreveal max(a, b) to bob as \"max\"\n\
         reveal abs(a) to bob as \"abs\"\n\
         reveal cast(c, to i32) + a to alice as \"number\"\n\
         reveal sum(cast(less, to i32), axis 0) to alice as \"count\"\n",
    );
}

#[test]
fn fixed_point() {
    check(
        "input a: fixed(32,16)[n] from alice in -1000.0..1000.0\n\
         input b: fixed(32,16)[n] from bob in -1000.0..1000.0\ninput c: i16[n] from carol\n\
         reveal a + b to alice as \"sum\"\nreveal a * b to bob as \"product\"\n\
         reveal a * a * b to bob as \"cube\"\n\
         reveal a * 2.5 - c to carol as \"scaled\"\n\
         reveal a < b to alice as \"less\"\n\
         reveal dot(a, b) to alice as \"dot\"\n\
         reveal sum(a * b, axis 0) to alice as \"sum of products\"\n\
         reveal cast(a, to i32) to carol as \"whole\"\n\
         reveal cast(a, to fixed(32,4)) to carol as \"short\"\n\
         reveal select(a < b, a, b) to carol as \"least\"\n",
    );
}

#[test]
fn division_and_roots() {
    check_sizes(
        "input a: i16[m] from alice\ninput b: i16[m] from bob in -30..30\n\
         input x: fixed(24,8)[m] from carol in -2000.0..2000.0\n\
         reveal a / b to alice as \"quotient\"\nreveal a % b to bob as \"rest\"\n\
         reveal sqrt(abs(x)) to carol as \"root\"\n\
         reveal x / cast(b, to fixed(24,8)) to carol as \"ratio\"\n",
        &[9],
    );
}

#[test]
fn functions_of_real_numbers() {
    check_sizes(
        "input x: fixed(32,12)[m] from carol in -6.0..6.0\n\
         reveal exp(x) to alice as \"exp\"\nreveal log(abs(x) + 0.5) to bob as \"log\"\n\
         reveal sigmoid(x) to carol as \"sigmoid\"\n",
        &[9],
    );
}

/// A right factor of three axes and more is as many matrices: of known numbers of them, and one for each row.
#[test]
fn batches_of_matrices() {
    check(
        "input a: i16[n, 2, 3] from alice\ninput b: i16[n, 3, 2] from bob\n\
         input c: fixed(24, 4)[2, 3, 1, 4] from carol in -9.0..9.0\n\
         input d: fixed(24, 4)[2, 3, 4, 2] from alice in -9.0..9.0\n\
         input e: i8[5, 2, 3] from bob\n\
         reveal matmul(a, b) to alice as \"one for each row\"\n\
         reveal matmul(c, d) to carol as \"fixed\"\n\
         reveal matmul(transpose(e, order [0, 2, 1]), e) to bob as \"of one party\"\n\
         reveal sum(matmul(reshape(e + 1, shape [15, 1, 2]), reshape(e * 2, shape [15, 2, 1])), axis 0) to carol as \"inner products\"\n",
    );
}

#[test]
fn matrices_and_axes() {
    check(
        "input a: i16[n, 3] from alice\ninput w: i16[3, 2] from bob\ninput v: i16[3] from carol\n\
         input y: i16[n] from bob\n\
         reveal matmul(a, w) to alice as \"rows times matrix\"\n\
         reveal matmul(a, v) to alice as \"rows times vector\"\n\
         reveal matmul(transpose(a, order [1, 0]), y) to bob as \"columns times vector\"\n\
         reveal sum(a, axis 0) to bob as \"column sums\"\n\
         reveal sum(a, axis 1) to bob as \"row sums\"\n\
         reveal a + v to carol as \"broadcast\"\n\
         reveal max(a, axis 1) to carol as \"row maxima\"\n\
         reveal product(v, axis 0) to carol as \"product\"\n",
    );
}

#[test]
fn rearranging() {
    check(
        "input a: i16[n, 4] from alice\ninput b: i16[n, 4] from bob\ninput c: i16[6] from carol\n\
         input d: bit[n] from carol\n\
         reveal concat(a, b, axis 0) to alice as \"stacked\"\n\
         reveal concat(a + b, b, axis 1) to alice as \"beside\"\n\
         reveal slice(a + b, axis 1, start 1, step 2, length 2) to bob as \"columns\"\n\
         reveal gather(a + b, axis 1, at [3, 0, 3]) to bob as \"picked\"\n\
         reveal transpose(a + b, order [1, 0]) to carol as \"turned\"\n\
         reveal reshape(c, shape [2, 3]) to alice as \"shaped\"\n\
         reveal gather(c, axis 0, at [5, 5, 0]) to alice as \"ends\"\n\
         reveal concat(d, !d, axis 0) to bob as \"bits\"\n",
    );
}

#[test]
fn public_inputs() {
    check_sizes(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput p: i16[n] public\n\
         input q: bit[n] public\ninput r: i16 public in -3..9\ninput m: i16[3, 2] public\n\
         input t: i16[n, 3] from carol\ninput g: u8[n] from bob in 0..4\n\
         let s = a + b\n\
         reveal s * p to alice as \"product\"\nreveal s * r - p to bob as \"scaled\"\n\
         reveal s < p to carol as \"less\"\nreveal select(q, s, b) to alice as \"chosen\"\n\
         reveal select(s < p, r, 7) to alice as \"public choices\"\n\
         reveal dot(s, p) to alice as \"dot\"\nreveal matmul(t, m) to alice as \"rows\"\n\
         reveal group_sum(g, s, q, first 0, groups 3) to alice as \"sums\"\n\
         let (_, c) = sort(s + r, s * p, descending)\nreveal c to bob as \"sorted\"\n",
        &[70],
    );
}

#[test]
fn groups() {
    check(
        "input g: u8[n] from alice in 0..9\ninput h: i8[n] from bob in -3..3\n\
         input v: i32[n] from carol in -10000..10000\ninput keep: bit[n] from bob\n\
         reveal group_sum(g, v, first 0, groups 7) to alice as \"sums\"\n\
         reveal group_sum(g, v, keep, first 2, groups 5) to alice as \"kept sums\"\n\
         reveal group_count(g, first 0, groups 12) to bob as \"counts\"\n\
         reveal group_count(h + cast(g, to i8), keep, first -3, groups 9) to bob as \"secret groups\"\n",
    );
    check_few(
        "input g: u8[n] from alice in 0..9\ninput v: i32[n] from carol in -10000..10000\n\
         reveal group_mean(g, v, first 0, groups 3) to carol as \"means\"\n\
         reveal group_std(g, v, first 0, groups 3) to carol as \"deviations\"\n",
        &[0, 1, 130],
    );
}

#[test]
fn sorting() {
    check(
        "input k: i16[n] from alice in -50..50\ninput v: u32[n] from bob\ninput f: bit[n] from carol\n\
         let (key, value, flag) = sort(k, v, f)\n\
         reveal key to alice\nreveal value to bob\nreveal flag to carol\n\
         let (a, b) = sort(k + cast(f, to i16), v, descending)\n\
         reveal a to alice as \"descending\"\nreveal b to alice as \"moved along\"\n\
         reveal sum(key, axis 0) to carol as \"of a key that alice sorts alone\"\n",
    );
}

#[test]
fn loops_and_circuits() {
    check_sizes(
        "input a: i64[n] from alice in 0..1000\ninput b: i64[n] from bob in 0..1000\n\
         let total = loop 5 carry (t: i64[n] secret in 0..100000 = a) index i {\n\
             yield assume(t + b + i, in 0..100000)\n}\n\
         reveal total to carol\n\
         reveal circuit(\"add\", width 64)(a, b) to carol as \"added\"\n",
        &[1, 130],
    );
}

#[test]
fn numbers_meet_rings_wide_enough_for_every_bit_that_is_read() {
    check_sizes(
        "input x: i32[n] from alice\ninput y: i32[n] from bob\ninput z: i64[n] from carol\n\
         input s: i8[n] from bob\ninput t: i8[n] from alice\n\
         input f: fixed(64,40)[n] from alice in 0.0..0.0000000001\n\
         input g: fixed(64,40)[n] from bob in 0.0..0.0000000001\n\
         input h: fixed(64,32)[n] from bob in -0.25..0.25\n\
         let both = s + t\n\
         reveal wrap(both, to u64) to alice as \"sign extended\"\n\
         reveal wrap(select(x < y, x, y), to u64) to alice as \"sign extended too\"\n\
         reveal wrap(assume(select(z < 0, 0, 7) , in 0..10), to u64) to bob as \"fits already\"\n\
         reveal circuit(\"add\", width 64)(cast(both, to i64), cast(x, to i64)) to bob as \"added\"\n\
         reveal group_count(select(x < y, x, y), first 1, groups 3) to carol as \"far keys\"\n\
         reveal group_count(select(x < y, x, y), first -1, groups 3) to carol as \"near keys\"\n\
         reveal f * g to alice as \"tiny\"\n\
         reveal cast(h + cast(f, to fixed(64,32)), to i64) to carol as \"whole\"\n",
        &[70],
    );
}

#[test]
fn loops_share_what_becomes_secret() {
    check_sizes(
        "input x: i64[n] from alice in 0..100\ninput y: i64[n] from bob in 0..100\n\
         let s = loop 2 carry (s: i64[n] secret in 0..200 = x + y) {\nyield x * 2\n}\n\
         reveal s + y to carol as \"sum\"\nreveal s to bob as \"carried\"\n",
        &[1, 70],
    );
}

#[test]
fn a_result_outside_of_its_type_is_known_only_to_those_who_learn_it() {
    let program = parse(
        "input x: u8 from alice\ninput y: u8 from bob\n\
         reveal cast(assume(x + y, in 0..200), to u8) to alice as \"sum\"\n",
    );
    let number = |name: &str| (name.to_owned(), Array::scalar(Element::uint(8), 200).unwrap());
    let all = BTreeMap::from([number("x"), number("y")]);
    for setting in settings().filter(|(protocol, _)| *protocol != PLAIN) {
        let outcomes = run(&program, &job(setting, &[1, 1]), &all);
        let failed: Vec<bool> = outcomes.iter().map(|outcome| outcome.revealed.is_err()).collect();
        assert_eq!(failed[..3], [true, false, false], "{setting:?}");
    }
}

#[test]
fn peers_do_not_hear_where_an_input_is_wrong() {
    let program =
        parse("input x: u8[n] from alice in 0..9\nreveal sum(x, axis 0) to bob as \"s\"\n");
    let x = Array::from_values(Element::uint(8), vec![3], [1, 99, 2]).unwrap();
    let all = BTreeMap::from([("x".to_owned(), x)]);
    let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let prepared = CompiledProgram::new(&program, job((TRIO, By::Rings), &[3, 1])).unwrap();
        let inputs = given(&program, &all, session.me());
        let outcome = program::run(&mut session, &prepared, inputs, &|_| {});
        outcome.err().map(|error| error.to_string()).unwrap_or_default()
    });
    assert!(errors[0].contains("input `x`: its value at place 1"), "{errors:?}");
    for error in &errors[1..] {
        assert!(error.contains("inputs do not fit") && !error.contains("place 1"), "{errors:?}");
    }
}
