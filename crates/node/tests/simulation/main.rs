//! Nodes under lost, doubled and late messages, crashes at any point, failing workers and lying peers: no promise is broken.
//!
//! `SIM_SCHEDULES=100000` runs so many, and `SIM_SEED=17` one alone; with `SIM_LOG=1` it says what happens.

mod world;

use std::time::Instant;
use tacit_node::Safeguard;
use world::World;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn no_schedule_breaks_a_promise() {
    if let Some(seed) = number("SIM_SEED") {
        return World::new(seed, None, false)
            .run()
            .unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    let schedules = number("SIM_SCHEDULES").unwrap_or(300);
    let first = number("SIM_FIRST").unwrap_or(0);
    let started = Instant::now();
    for seed in first..first + schedules {
        World::new(seed, None, false).run().unwrap_or_else(|why| panic!("SIM_SEED={seed}: {why}"));
    }
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    println!("{schedules} schedules, {:.0} a minute", schedules as f64 / minutes);
}

/// The schedules after which a missing safeguard must have been noticed.
const ENOUGH: u64 = 40_000;

fn noticed(without: Option<Safeguard>, careless: bool) -> Option<(u64, String)> {
    let run = |seed| World::new(seed, without, careless).run().err().map(|why| (seed, why));
    (0..ENOUGH).find_map(run)
}

#[test]
#[ignore = "takes a minute"]
fn every_missing_safeguard_is_noticed() {
    for safeguard in Safeguard::ALL {
        let noticed = noticed(Some(safeguard), false);
        let (seed, why) = noticed.unwrap_or_else(|| panic!("{safeguard:?} is not missed"));
        let with = World::new(seed, None, false).run();
        assert_eq!(with, Ok(()), "seed {seed} breaks a promise with {safeguard:?}, too");
        println!("{safeguard:?}: seed {seed}: {}", why.chars().take(100).collect::<String>());
    }
}

#[test]
#[ignore = "takes a minute with the others"]
fn effects_before_the_store_is_durable_are_noticed() {
    let (seed, why) = noticed(None, true).expect("carelessness is not noticed");
    println!("seed {seed}: {why}");
}
