//! Programs whose circuits are garbled as the program runs: gate by gate between two parties, or circuit by circuit.

use crate::harness::*;
use crate::random::random_text;
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::{self, CompiledProgram, Garbling, ProgramJob};
use tacit_engine::protocols::{
    AUTHENTICATED, BMR, BMR_BASIC, BMR_OFFSET, BMR_REPLICATED, BMR_SHAMIR, BMR_SHAMIR_S3,
    BMR_SILENT, HALF_GATES, WRK17, YAO, YAO_SILENT, YAO_THREE,
};
use tacit_garbling::bmr::{LabelFunction, Opening};
use tacit_net::PartyId;
use tacit_program::Program;
use tacit_ring::entropy::{self, Rng};
use tacit_sharing::Protocol;

const PROTOCOLS: [Protocol; 3] = [YAO, YAO_SILENT, YAO_THREE];

/// A program of three parties, with alice in place of carol.
fn of_two(body: &str) -> Program {
    let header = HEADER.replace(", carol", "");
    let body = body.replace(", carol", "").replace("carol", "alice");
    parse_whole(&format!("{header}{body}"))
}

/// A program of three parties, or of two of them, as many as a protocol has.
fn of_all(protocol: Protocol, body: &str) -> Program {
    if protocol.parties() == 2 { of_two(body) } else { parse(body) }
}

/// `first` plays role 0, those behind it the other roles.
fn job(protocol: Protocol, rows: u64, first: usize) -> ProgramJob {
    let parties: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    let mut places = parties.clone();
    places.rotate_left(first % protocol.parties());
    ProgramJob { chunk_rows: 64, ..ProgramJob::new(protocol, parties, vec![rows, 5]) }
        .with(|it| (it.assignments[0].places, it.garbling) = (places, Garbling::Streamed))
}

#[test]
fn random_programs_agree_with_the_clear_and_with_whole_circuits() {
    let seed = entropy::test_seed();
    let mut rng = Rng(seed);
    for round in 0..9 {
        let protocol = PROTOCOLS[round % 3];
        let program = of_all(protocol, &random_text(&mut rng, 14));
        let rows = [1, 70, 9, 130, 0, 64, 65, 5, 200][round];
        let streamed = job(protocol, rows, round / 3);
        let streamed = streamed.with(|it| it.workers = 1 + round % 2);
        check_job(&program, &streamed, seed.wrapping_add(round as u64));
        if rows < 10 {
            let whole = streamed.with(|it| it.garbling = Garbling::Whole);
            check_job(&program, &whole, seed.wrapping_add(round as u64));
        }
    }
}

/// Under protocols of two and three parties, with circuits of so many ANDs.
fn in_blocks(protocol: Protocol, rows: u64, most: usize) -> ProgramJob {
    ProgramJob { block_ands: Some(most), ..job(protocol, rows, rows as usize) }
}

#[test]
fn random_programs_agree_with_the_clear_circuit_by_circuit() {
    let seed = entropy::test_seed();
    let mut rng = Rng(seed);
    let protocols = [BMR.fitting(2), AUTHENTICATED.fitting(2), BMR_SILENT.fitting(2)];
    let more = [BMR, AUTHENTICATED, BMR_SILENT, HALF_GATES].map(|protocol| protocol.fitting(3));
    let opening = [None, Some(Opening::Single), Some(Opening::All)];
    let shared = [BMR_SHAMIR.fitting(3), BMR_REPLICATED];
    let published = [BMR_BASIC.fitting(2), BMR_OFFSET.fitting(3), BMR_SHAMIR_S3.fitting(3)];
    let all = protocols.into_iter().chain(more).chain(shared).chain(published).chain(protocols);
    for (round, protocol) in all.enumerate() {
        let program = of_all(protocol, &random_text(&mut rng, 10));
        let rows = [1, 70, 9, 2, 3, 0, 65, 5, 30, 4, 12][round % 11];
        let most = [1, 5000, 300, 1 << 20][round % 4];
        let job = in_blocks(protocol, rows, most);
        let opening = opening[round % 3].filter(|_| protocol.opens_tables());
        let function = Some(LabelFunction::ALL[round % 3]).filter(|_| protocol.opens_tables());
        let job = job.with(|it| {
            (it.opening, it.label_function, it.workers) = (opening, function, 1 + round % 2)
        });
        check_job(&program, &job, seed.wrapping_add(round as u64));
    }
}

#[test]
fn values_go_on_from_circuit_to_circuit() {
    // Kept as they are, negated, constant, opened and used again, from loops and sorted.
    let program = parse(
        "input x: i8[n] from alice\ninput y: i8[n] from bob\ninput b: bit[n] from carol\n\
         input k: i8[n] public\ninput c: bit[n] public\n\
         let never = x < x\nlet p = x * y\nreveal sum(p, axis 0) to bob as \"p\"\n\
         let q = select(b, p, cast(k, to i16))\nreveal q to alice, carol as \"q\"\n\
         reveal sum(select(never, x, y), axis 0) to alice as \"never\"\n\
         reveal x * k to carol as \"scaled\"\n\
         reveal sum(select(c, x * y, q), axis 0) to bob as \"chosen\"\n\
         let (key, moved) = sort(x, q)\nreveal moved to carol as \"moved\"\n\
         reveal key to alice, bob as \"key\"\nreveal sum(q, axis 0) to bob as \"again\"\n",
    );
    let shared = [BMR_SHAMIR.fitting(3), BMR_REPLICATED];
    let transferred = [BMR, HALF_GATES, AUTHENTICATED].map(|protocol| protocol.fitting(3));
    for protocol in transferred.into_iter().chain(shared) {
        for (rows, most) in [(0, 10), (1, 1), (5, 64), (67, 1000)] {
            check_job(&program, &in_blocks(protocol, rows, most), rows);
        }
    }
}

#[test]
fn operations_that_move_extend_and_mask_labels() {
    let body = "input x: i16[n] from alice\ninput y: i16[n] from bob\ninput b: bit[n] from carol\n\
         input k: i16[n] public\n\
         let (key, moved, flag) = sort(x, y, b)\nreveal key to alice as \"sorted\"\n\
         reveal moved to bob as \"moved\"\nreveal flag to alice, bob as \"moved bits\"\n\
         reveal x * k to alice as \"scaled\"\nreveal cast(x * y, to i64) to bob as \"wide\"\n\
         reveal group_sum(y, x, b, first 3, groups 5) to bob as \"groups\"\n\
         reveal sum(select(b, x, y), axis 0) to alice, bob as \"sum\"\nreveal x to bob as \"given\"\n\
         reveal y to alice, carol as \"theirs\"\nreveal b to alice as \"bits\"\n";
    for (i, protocol) in PROTOCOLS.into_iter().enumerate() {
        let program = of_all(protocol, body);
        for rows in [0, 3, 100] {
            let job = job(protocol, rows, i);
            check_job(&program, &job.with(|it| it.workers = 1 + i % 2), rows);
        }
    }
}

#[test]
fn large_programs_are_streamed_unless_they_are_to_be_stored() {
    let program = of_two(
        "input x: i16[n] from alice\ninput y: i16[n] from bob\nreveal sum(x * y, axis 0) to bob as \"s\"\n",
    );
    let prepared = |rows: u64, change: &dyn Fn(&mut ProgramJob)| {
        let mut job = job(YAO, rows, 0).with(|it| it.garbling = Garbling::Auto);
        change(&mut job);
        CompiledProgram::new(&program, job)
    };
    let how = |prepared: CompiledProgram| {
        let facts = prepared.facts().iter();
        facts.filter(|(name, _)| name.contains("garbled")).map(|(_, how)| how.clone()).collect()
    };
    let how = |rows, change: &dyn Fn(&mut ProgramJob)| -> Vec<String> {
        how(prepared(rows, change).unwrap())
    };
    assert_eq!(how(10, &|_| {}), ["whole"]);
    assert_eq!(how(10_000, &|_| {}), ["streamed"]);
    let stored = program::check_storable(&prepared(10_000, &|_| {}).unwrap());
    assert!(stored.unwrap_err().to_string().contains("separate"));
    assert_eq!(how(10, &|job| job.options.garbling = Garbling::Streamed), ["streamed"]);
    assert_eq!(how(10_000, &|job| job.options.garbling = Garbling::Whole), ["whole"]);
    assert_eq!(how(10_000, &|job| job.options.preprocessing = Preprocessing::Separate), ["whole"]);
    let error = |change: &dyn Fn(&mut ProgramJob)| prepared(10, change).err().unwrap().to_string();
    let streamed = |job: &mut ProgramJob| job.options.garbling = Garbling::Streamed;
    let separate = error(&|job| {
        streamed(job);
        job.options.preprocessing = Preprocessing::Separate;
    });
    assert!(separate.contains("--garbling streamed"), "{separate}");
    let other = error(&|job| {
        streamed(job);
        job.options.assignments[0].protocol = WRK17.fitting(2);
    });
    assert!(other.contains("not supported") && other.contains("yao"), "{other}");
    // Circuit by circuit from the second circuit on.
    let blocks =
        |job: &mut ProgramJob| job.options.assignments[0].protocol = AUTHENTICATED.fitting(2);
    assert_eq!(how(100, &blocks), ["whole"]);
    assert_eq!(how(10_000, &blocks), ["streamed"]);
    let short = |job: &mut ProgramJob| {
        blocks(job);
        job.block_ands = Some(1000);
    };
    assert_eq!(how(10, &short), ["streamed"]);
}
