//! Whole arrays taken by several workers side by side.

use super::harness::*;
use tacit_backend::AT_ONCE;
use tacit_backend::convert::shuffle::{has_shuffles, least_rows};
use tacit_engine::program::{By, ProgramJob};
use tacit_engine::protocols::{GMW, REPLICATED, TAGGED, TETRAD, TRIO};
use tacit_sharing::Protocol;

/// Elements enough for every worker to take a part.
const ROWS: u64 = 300;

fn check_with_workers(body: &str) {
    let program = parse(body);
    for (i, setting) in kinds().chain([(TAGGED, By::Rings)]).enumerate() {
        let workers = 2 + i % 2;
        let job = job(setting, &[70, 5]).with(|it| it.workers = workers);
        check_job(&program, &job, workers as u64);
    }
}

#[test]
fn matrices_on_all_workers() {
    check_with_workers(
        "input a: i16[31, 40] from alice\ninput b: i16[40, 9] from bob\n\
         input c: fixed(32, 8)[5, 60] from carol in -100.0..100.0\n\
         input d: fixed(32, 8)[60, 40] from bob in -100.0..100.0\n\
         reveal matmul(a, b) to alice as \"integers\"\nreveal matmul(c, d) to carol as \"fixed\"\n",
    );
}

#[test]
fn batches_of_matrices_on_all_workers() {
    check_with_workers(
        "input a: i16[40, 3, 7] from alice\ninput b: i16[40, 7, 2] from bob\n\
         input c: fixed(32, 8)[n, 3, 5] from carol in -100.0..100.0\n\
         input d: fixed(32, 8)[n, 5, 4] from bob in -100.0..100.0\n\
         reveal matmul(a, b) to alice as \"integers\"\nreveal matmul(c, d) to carol as \"fixed\"\n",
    );
}

#[test]
fn every_operation_on_all_workers() {
    check_with_workers(&format!(
        "input a: i16[{ROWS}] from alice\ninput b: i16[{ROWS}] from bob\n\
         input c: bit[{ROWS}] from carol\n\
         input x: fixed(32, 8)[{ROWS}] from bob in -100.0..100.0\n\
         let s = a + b\n\
         reveal s < b to alice as \"less\"\nreveal s == b to bob as \"equal\"\n\
         reveal 3 < s to bob as \"above\"\n\
         reveal select(c, s, b) to carol as \"chosen\"\n\
         reveal mul(a, b, wrap) to alice as \"wrapped\"\n\
         reveal c & (a < b) to bob as \"both\"\n\
         reveal shift_right(a * b, by 3) to bob as \"shifted\"\n\
         reveal x * x to carol as \"squares\"\n\
         reveal sum(s * 2 + 1, axis 0) to alice as \"total\"\n",
    ));
}

fn sorts(settings: impl Iterator<Item = (Protocol, By)>, rows: u64) {
    // A key, too, of more than 32 bits.
    let program = parse(&format!(
        "input key: i8[{rows}] from alice\ninput long: i64[{rows}] from bob in -10000000000..10\n\
         input c: bit[{rows}] from carol\n\
         let (k, v, b) = sort(key + 1, long, c)\nlet (w, d) = sort(v, b)\n\
         let (f, e) = segment_first(b, w, d)\n\
         reveal k to alice\nreveal v to bob\nreveal b to carol\nreveal w to bob\nreveal d to bob\n\
         reveal f to alice\nreveal e to bob\n",
    ));
    for setting in settings {
        check_job(&program, &job(setting, &[70, 5]).with(|it| it.workers = 3), rows);
    }
}

#[test]
fn shuffles_on_all_workers() {
    let shuffled = |(protocol, by): &(Protocol, By)| *by == By::Rings && has_shuffles(*protocol);
    for setting in settings().filter(shuffled) {
        // Not a multiple of what a worker takes.
        let rows = ROWS.max(AT_ONCE.max(least_rows(setting.0)) as u64) + 5;
        sorts(std::iter::once(setting), rows);
    }
}

#[test]
fn comparisons_of_shuffled_rows_on_all_workers() {
    let shuffled = |(protocol, by): &(Protocol, By)| *by == By::Rings && has_shuffles(*protocol);
    for setting in settings().filter(shuffled) {
        // So many that those whom others are looked up among are more than are put in order in one step.
        sorts(std::iter::once(setting), 8 * AT_ONCE as u64 + 77);
    }
}

#[test]
fn sorting_networks_on_all_workers() {
    let settings = [TETRAD, TAGGED].map(|protocol| (protocol, By::Rings));
    let settings = settings.into_iter().chain([(GMW.fitting(3), By::Circuits)]);
    sorts(settings, ROWS / 2);
}

/// With larger chunks as many times as many bits are under way: a level of whole arrays takes one round, and not one for each part of them.
#[test]
fn larger_chunks_take_fewer_rounds() {
    let program = parse(
        "input a: u64[130000] from alice in 0..9000000000000000000\n\
         input b: u64[130000] from bob in 0..9000000000000000000\n\
         input c: bit[130000] from carol\nlet (k, d) = sort(a, c)\n\
         reveal sum(b < k, axis 0) to carol as \"less\"\nreveal d to carol as \"sorted\"\n",
    );
    for setting in [(TRIO, By::Rings), (REPLICATED, By::Rings)] {
        let inputs = inputs(&program, &[1, 1], 1);
        let rounds = [1 << 15, 1 << 18].map(|chunk_rows| {
            let job = ProgramJob { chunk_rows, ..job(setting, &[1, 1]) };
            check_on(&program, &job, &inputs);
            run(&program, &job, &inputs).iter().map(|of| of.report.cost.rounds).max().unwrap()
        });
        assert!(rounds[1] * 10 < rounds[0] * 9, "{}: {rounds:?}", setting.0);
    }
}
