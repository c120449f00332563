//! Whole arrays taken by several workers side by side.

use super::harness::*;
use tacit_backend::LEAST_COMPARED;
use tacit_backend::convert::shuffle::{has_shuffles, least_rows};
use tacit_engine::program::{By, ProgramJob};
use tacit_engine::protocols::{GMW, LIFT, TAGGED, TETRAD};
use tacit_sharing::Protocol;

/// Elements enough for every worker to take a part.
const ROWS: u64 = 300;

fn check_with_workers(body: &str) {
    let program = parse(body);
    for (i, setting) in kinds().chain([(TAGGED, By::Rings)]).enumerate() {
        let workers = 2 + i % 2;
        let job = ProgramJob { workers, ..job(setting, &[70, 5]) };
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
        check_job(&program, &ProgramJob { workers: 3, ..job(setting, &[70, 5]) }, rows);
    }
}

#[test]
fn shuffles_on_all_workers() {
    let shuffled = |(protocol, by): &(Protocol, By)| *by == By::Rings && has_shuffles(*protocol);
    for setting in settings().filter(shuffled) {
        // Not a multiple of what a worker takes.
        let rows = ROWS.max(least_rows(setting.0) as u64) + 5;
        sorts(std::iter::once(setting), rows);
    }
}

#[test]
fn comparisons_of_shuffled_rows_on_all_workers() {
    let shuffled = |(protocol, by): &(Protocol, By)| *by == By::Rings && has_shuffles(*protocol);
    for setting in settings().filter(shuffled) {
        sorts(std::iter::once(setting), LEAST_COMPARED.max(least_rows(setting.0)) as u64 + 77);
    }
}

#[test]
fn sorting_networks_on_all_workers() {
    let settings = [LIFT, TETRAD, TAGGED].map(|protocol| (protocol, By::Rings));
    let settings = settings.into_iter().chain([(GMW.fitting(3), By::Circuits)]);
    sorts(settings, ROWS / 2);
}
