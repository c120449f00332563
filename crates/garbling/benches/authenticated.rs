//! Authenticated garbling in one process: triples made, and ANDs prepared and evaluated, per second, every party a
//! thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_garbling::authenticated::{Authenticated, Sizes, open, set_up};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_gmw::{Correlations, Delta};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;

/// ANDs of one instance, all beside each other.
const ANDS: usize = 6800;

fn schedule() -> Schedule {
    let mut b = Builder::new();
    let (x, y) = (b.input(128), b.input(128));
    let gates: Vec<_> = (0..ANDS).map(|i| b.and2(x[i % 128], y[(i + i / 128) % 128])).collect();
    let all = b.xor_all(&gates);
    b.output(&[all]);
    Schedule::new(&passes::fold(&b.finish()))
}

/// Time to prepare, and to run, so many instances together, so often.
fn time(parties: usize, instances: usize, schedule: &Schedule, times: u64) -> [Duration; 2] {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let all = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let mut entropy = Entropy::system();
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let keys = Correlations::exchange(mesh, b"bench", &places, kind, &mut entropy);
        let mut keys = keys.expect("base OTs");
        let sid = set_up(mesh, &places, keys.worker(), b"bench").expect("set-up");
        let mut party =
            Authenticated::new(mesh, &places, keys.worker(), &sid, Sizes::of(1)).expect("a role");
        let (inputs, outputs) = ([(0, 128), (1, 128)], [vec![0]]);
        let ports = Ports { schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let given = if me < 2 { 128 } else { 0 };
        let values: Vec<Bits> = (0..instances).map(|_| Bits::zeros(given)).collect();
        let (mut spent, mut done) = ([Duration::ZERO; 2], Vec::new());
        for _ in 0..times {
            let start = Instant::now();
            let ready = party.prepare(ports, instances).expect("prepares");
            let prepared = start.elapsed();
            done.push(ready.run(party.mesh(), &places, ports, &values).expect("runs"));
            spent[0] += prepared;
            spent[1] += start.elapsed() - prepared;
        }
        let start = Instant::now();
        drop(party);
        black_box(open(&mut session.meshes[0], &places, done).expect("opens"));
        spent[1] += start.elapsed();
        session.finish().expect("ends");
        spent
    });
    [0, 1].map(|i| all.iter().map(|spent| spent[i]).max().unwrap_or_default())
}

/// Time to make so many triples, so often, and as many bits for masks.
fn time_of_triples(parties: usize, count: usize, times: u64) -> Duration {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let all = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::system();
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let keys = Correlations::exchange(mesh, b"bench", &places, kind, &mut entropy);
        let mut keys = keys.expect("base OTs");
        let sid = set_up(mesh, &places, keys.worker(), b"bench").expect("set-up");
        let start = Instant::now();
        for _ in 0..times {
            let party = Authenticated::new(mesh, &places, keys.worker(), &sid, Sizes::of(1))
                .expect("a role");
            let (stock, making) = party.stock().expect("keys");
            let keep = |piece| {
                black_box(piece);
                Ok(())
            };
            making.pieces(count, count, keep).expect("makes");
            drop(stock);
        }
        let spent = start.elapsed();
        session.finish().expect("ends");
        spent
    });
    all.into_iter().max().unwrap_or_default()
}

fn bench_triples(c: &mut Criterion) {
    for parties in [2, 3, 5] {
        let mut group = c.benchmark_group(format!("{parties} parties, triples"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        // Buckets of four that fit in caches, and of three.
        for count in [4096, 400_000] {
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(count.to_string(), |b| {
                b.iter_custom(|times| time_of_triples(parties, count, times));
            });
        }
        group.finish();
    }
}

fn bench(c: &mut Criterion) {
    let schedule = schedule();
    for parties in [2, 3, 5] {
        for instances in [1, 16] {
            let mut group =
                c.benchmark_group(format!("{parties} parties, {instances} x {ANDS} ANDs"));
            group.throughput(Throughput::Elements((instances * ANDS) as u64));
            group.sample_size(10).measurement_time(Duration::from_secs(3));
            for (i, phase) in ["prepare", "run"].into_iter().enumerate() {
                group.bench_function(phase, |b| {
                    b.iter_custom(|times| time(parties, instances, &schedule, times)[i]);
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, bench_triples, bench);
criterion_main!(benches);
