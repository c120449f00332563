//! A service of three organisations that answers many requests at a time, a thread for each.
//!
//! `cargo run -p tacit-mpc --example service`
//!
//! Each organisation runs a server, which knows that organisation's numbers alone. A request is an identifier and a
//! threshold; the three servers compute together how many of all numbers are above it, and nothing else. A run takes
//! a listening port for as long as it lasts, so a server has one party per request that it answers at the same time
//! (a *lane*), each with a port of its own. Whoever accepts requests says which lane each one takes, the same
//! at all servers. What they say to each other for that, HTTP or a queue, is not Tacit's matter; here it is a call.

use std::error::Error;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tacit::{Outcome, Party, Program, protocols};

/// What every request computes. The threshold is public: all servers compare theirs before anything else.
const ABOVE: &str = r#"
program above
parties alice, bob, carol
rows a in 3..1000
rows b in 3..1000
rows c in 3..1000
input threshold: u16 public in 0..1000
input "alice.x" as x: u16[a] from alice in 0..1000
input "bob.x" as y: u16[b] from bob in 0..1000
input "carol.x" as z: u16[c] from carol in 0..1000
let numbers = concat(x, y, z, axis 0)
reveal sum(numbers > threshold, axis 0) to all as "above"
"#;

const NAMES: [&str; 3] = ["alice", "bob", "carol"];
const LANES: usize = 2;

/// What a client asks.
#[derive(Clone)]
struct Request {
    /// Unique: it names the session, so that parts of different requests never meet.
    id: String,
    threshold: u16,
}

/// The server of one organisation.
struct Server {
    program: Program,
    /// One party per request at a time.
    lanes: Vec<Party>,
    /// This organisation's numbers. They never leave the process.
    numbers: Vec<u16>,
}

impl Server {
    /// Answers a request in a thread of its own, on a lane that is free.
    fn answer(
        self: &Arc<Self>,
        request: Request,
        lane: usize,
    ) -> JoinHandle<tacit::Result<Outcome>> {
        let server = self.clone();
        thread::spawn(move || {
            let party = &server.lanes[lane];
            party
                .run(&server.program)
                .protocol(protocols::TRIO)
                .session(&request.id)
                // A service gives up early on peers that do not come.
                .connect_timeout(Duration::from_secs(20))
                .input("threshold", request.threshold)
                .input(&format!("{}.x", party.name()), &server.numbers)
                .start()
        })
    }
}

/// The servers of all organisations; on real machines there is one process each.
fn servers(program: &Program) -> tacit::Result<Vec<Arc<Server>>> {
    let lanes = (0..LANES).map(|_| Party::on_loopback(&NAMES));
    let lanes: Vec<Vec<Party>> = lanes.collect::<tacit::Result<_>>()?;
    let server = |number: usize| {
        Arc::new(Server {
            program: program.clone(),
            lanes: lanes.iter().map(|lane| lane[number].clone()).collect(),
            numbers: (0..10).map(|i| (100 * i + 10 * number) as u16).collect(),
        })
    };
    Ok((0..NAMES.len()).map(server).collect())
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let program = Program::parse("above", ABOVE)?;
    let servers = servers(&program)?;
    let requests = [500, 900, 0].map(|threshold| {
        let id = format!("request above {threshold}");
        Request { id, threshold }
    });
    // As many at a time as there are lanes.
    for batch in requests.chunks(LANES) {
        let answers: Vec<_> = batch
            .iter()
            .enumerate()
            .map(|(lane, request)| {
                let threads = servers.iter().map(|server| server.answer(request.clone(), lane));
                (request, threads.collect::<Vec<_>>())
            })
            .collect();
        for (request, threads) in answers {
            for (name, thread) in NAMES.iter().zip(threads) {
                let outcome = thread.join().expect("no panic")?;
                let above = outcome["above"].integers().sum::<i128>();
                println!("{name} answers {}: {above}", request.id);
                let expected = servers.iter().flat_map(|server| &server.numbers);
                let expected = expected.filter(|number| **number > request.threshold).count();
                assert_eq!(above, expected as i128);
            }
        }
    }
    Ok(())
}
