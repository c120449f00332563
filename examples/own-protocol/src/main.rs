//! Three companies find out who may pay whom, under a protocol that Tacit does not have.
//!
//! `cargo run -p own-protocol`

use own_protocol::MIRROR;
use std::error::Error;
use std::thread;
use tacit::{Circuit, CircuitBuilder, LocalParties, Network, Party, Program, protocols};

const PROGRAM: &str = r#"
program shares
parties alice, bob, carol
rows n in 1..100
input price: u16[n] from alice in 0..1000
input wanted: u8[n] from bob in 0..200
input budget: u32 from carol in 1..1000000
let cost = price * wanted
let total = sum(cost, axis 0)
reveal sort(cost, descending) to alice as "costs, greatest first"
reveal total <= budget to all as "within budget"
reveal total / budget to carol as "budgets"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    // A program, all parties in this process, on links as they are between continents; and what the clear gives.
    let program = Program::parse("shares", PROGRAM)?;
    let under = |protocol| {
        let parties = LocalParties::new(&program, protocol).network(Network::GLOBAL);
        let parties = parties.input("price", &[20, 310, 7]).input("wanted", &[100, 3, 55]);
        parties.input("budget", 1500).run()
    };
    let (mirror, clear) = (under(MIRROR)?, under(protocols::PLAIN)?);
    println!("{mirror}");
    assert_eq!(mirror.to_string(), clear.to_string());
    let report = mirror.report();
    println!(
        "{} took {:.1} s and {} bytes",
        MIRROR,
        report.cost.online_seconds,
        report.cost.total_bytes()
    );

    // A circuit, over TLS: whether three bits are all one, in as many instances as there are values.
    let mut builder = CircuitBuilder::new();
    let bits = [0, 1, 2].map(|_| builder.input(1)[0]);
    let all = builder.and(&bits);
    builder.output(&[all]);
    let circuit = Circuit::from(builder.finish());
    let given = [[1u8, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]];
    let parties = Party::on_loopback(&["alice", "bob", "carol"])?;
    let outcomes: Vec<_> = thread::scope(|scope| {
        let run = |port: usize| {
            let run = parties[port].evaluate(&circuit).protocol(MIRROR);
            scope.spawn(move || run.input(port, &given[port]).start())
        };
        let runs = [0, 1, 2].map(run);
        runs.map(|run| run.join().expect("no panic")).into_iter().collect::<tacit::Result<_>>()
    })?;
    for outcome in &outcomes {
        assert_eq!(outcome.numbers(0), Some(vec![1, 0, 0, 0]));
    }
    println!("all three: {:?}", outcomes[0].numbers(0));
    Ok(())
}
