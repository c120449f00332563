//! Two people learn the sum of their numbers, and neither learns the other's number from anything but that sum.
//!
//! `cargo run -p tacit-mpc --example hello`
//!
//! Alice and Bob are two threads of this process here, each with its own key and port, and talk over TLS. On two
//! machines each has a file from `tacit party new` instead, and calls `Party::from_file`.

use std::error::Error;
use std::thread;
use tacit::{Party, Program, protocols};

/// What is computed: the same text at both.
const SUM: &str = r#"
program hello
parties alice, bob
input a: u16 from alice in 0..30000
input b: u16 from bob in 0..30000
reveal a + b to all as "sum"
"#;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let program = Program::parse("hello", SUM)?;
    // People read this before they agree to it.
    println!("{}", program.summary());

    let [alice, bob] = Party::on_loopback(&["alice", "bob"])?.try_into().expect("two parties");
    // Nobody else is needed, and each is protected as long as the other follows the protocol. Without this line the two
    // would run `authenticated:2`, which protects each from whatever the other does, and takes longer.
    let protocol = protocols::YAO;
    let (a, b) = thread::scope(|scope| {
        let bob = scope.spawn(|| bob.run(&program).protocol(protocol).input("b", 4711).start());
        let alice = alice.run(&program).protocol(protocol).input("a", 1234).start();
        (alice, bob.join().expect("no panic"))
    });
    let (a, b) = (a?, b?);
    println!("alice learned {}, bob {}", a["sum"], b["sum"]);
    assert_eq!(a["sum"], 5945);
    assert_eq!(b["sum"], 5945);
    Ok(())
}
