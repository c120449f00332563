//! Three companies learn how pay differs between women and men at each level, over all of them. None shows a salary,
//! and groups of fewer than ten people stay hidden: the program says so, and every company has read it.
//!
//! `cargo run -p tacit-mpc --example pay_gap`
//!
//! It shows inputs that come from a program's own memory, as texts and numbers, and results that are arrays.

use std::error::Error;
use std::path::Path;
use tacit::{LocalParties, Outcome, Program, protocols};

/// What a company knows of its people, a column each.
struct People {
    levels: Vec<&'static str>,
    groups: Vec<&'static str>,
    salaries: Vec<u32>,
}

const LEVELS: [&str; 5] = ["junior", "senior", "lead", "manager", "executive"];

/// Made-up people: of each of the first three levels five women and five men, and one executive.
fn people(company: u32) -> People {
    let mut people = People { levels: Vec::new(), groups: Vec::new(), salaries: Vec::new() };
    for (step, level) in (0..).zip(&LEVELS[..3]) {
        for person in 0..10 {
            let (group, raise) = if person % 2 == 0 { ("women", 0) } else { ("men", 2_000) };
            people.levels.push(level);
            people.groups.push(group);
            people.salaries.push(30_000 + 10_000 * step + 500 * company + raise);
        }
    }
    people.levels.push(LEVELS[4]);
    people.groups.push("men");
    people.salaries.push(150_000);
    people
}

/// Computes everything that the companies learn.
fn compute(program: &Program) -> Result<Outcome, Box<dyn Error>> {
    let mut parties = LocalParties::new(program, protocols::TRIO);
    for (number, company) in (0..).zip(program.parties()) {
        let People { levels, groups, salaries } = people(number);
        parties = parties
            .input(&format!("{company}.level"), &levels)
            .input(&format!("{company}.group"), &groups)
            .input(&format!("{company}.salary"), &salaries);
    }
    Ok(parties.run()?)
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pay-gap/pay-gap.tacit");
    let program = Program::read(text)?;
    let outcome = compute(&program)?;
    println!("{outcome}");
    // Women and men of each level in turn; the three executives are too few to be shown.
    assert_eq!(outcome["people"].shape(), [10]);
    assert_eq!(outcome["people"], [15, 15, 15, 15, 15, 15, 0, 0, 0, 0]);
    let gap: Vec<f64> = outcome["pay gap"].numbers().collect();
    assert!((gap[0] - 2_000.0 / 32_500.0).abs() < 0.001, "of juniors: {gap:?}");
    assert_eq!(gap[4], 0.0);
    Ok(())
}
