//! Three hospitals learn the mean stay of their older patients, from tables that stay where they are.
//!
//! `cargo run -p tacit-mpc --example stay`
//!
//! All parties run in this process, once for each network that they may have between them: this is how one finds out,
//! before anybody installs anything, what a computation would reveal and how long it would take. For the real run
//! each hospital writes `Party::from_file("alice.toml")?.run(&program).table("alice.csv").start()`.

use std::error::Error;
use std::path::Path;
use tacit::{LocalParties, Network, Program, protocols};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stay");
    let program = Program::read(folder.join("stay.tacit"))?;
    // One of the three hospitals may cheat, in any way: it gets caught, and nobody gets a result.
    let mut hospitals = LocalParties::new(&program, protocols::LIFT);
    for name in program.parties() {
        hospitals = hospitals.table(name, folder.join(format!("{name}.csv")));
    }
    for (name, network) in [("one room", Network::LAN), ("three continents", Network::GLOBAL)] {
        let outcome = hospitals.clone().network(network).run()?;
        let report = outcome.report();
        let seconds = report.cost.total_seconds();
        println!(
            "in {name}: {:.3} s, {} bytes, mean stay {}",
            seconds,
            report.cost.total_bytes(),
            outcome["mean stay"]
        );
        assert!((outcome["mean stay"].numbers().sum::<f64>() - 9.707).abs() < 0.001);
    }
    Ok(())
}
