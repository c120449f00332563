//! BMR at one party, on one thread: blocks of a fixed key, gates hidden while garbling, and ANDs evaluated. What AES
//! alone takes is, per AND of `n` parties, `n * n` blocks evaluated, and `4 * n` blocks hidden. Evaluations count as
//! often as they are run as the shortest one took, so that other load on the machine does not.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use tacit_circuit::library::aes::{self, Direction, KeyInput, KeySize, Sbox};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_garbling::bmr::Ready;
use tacit_garbling::bmr::{LabelFunction, Opening};
use tacit_garbling::prf::{Gates, LabelPrf};
use tacit_garbling::protocols::BMR;
use tacit_garbling::{Bits, Evaluate, Parties, Ports, Terms, garbler};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::prg::Permutation;
use tacit_ring::{Buffer, Entropy};

const PARTIES: [usize; 4] = [3, 7, 13, 33];

/// ANDs that are evaluated at a time.
fn ands(parties: usize) -> usize {
    if parties > 13 { 4000 } else { 20_000 }
}

/// Levels of a hundred ANDs, each of them with a linear gate.
fn levels(ands: usize) -> Schedule {
    let mut b = Builder::new();
    let mut x = b.input(100);
    for _ in 0..ands / x.len() {
        let at = |i: usize| x[i % x.len()];
        let mut next = Vec::new();
        for i in 0..x.len() {
            let sum = b.xor(at(i + 1), at(i + 7));
            next.push(b.and2(at(i), sum));
        }
        x = next;
    }
    b.output(&x);
    Schedule::new(&passes::fold(&b.finish()))
}

/// AES, of ANDs and several times as many linear gates.
fn cipher() -> Schedule {
    let circuit = aes::circuit(KeySize::Aes128, Sbox::D4, Direction::Encrypt, KeyInput::RoundKeys);
    Schedule::new(&passes::fold(&circuit))
}

/// What role 1 gives, and role 0 evaluates.
fn given(schedule: &Schedule) -> Vec<(usize, usize)> {
    let ports = schedule.inputs().iter().map(|input| input.port).max().unwrap_or(0);
    let bits = |port| schedule.inputs().iter().filter(|input| input.port == port).count();
    (0..=ports).map(|port| (1, bits(port))).collect()
}

/// Garbled at every role.
fn garbled(parties: usize, ports: Ports<'_>) -> Vec<Buffer<u8>> {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::system();
        let mesh = &mut session.meshes[0];
        let protocol = BMR.fitting(parties);
        let terms = Terms { opening: Opening::Single, ..Terms::of(protocol) };
        let agreed = Parties { terms, places: &places, session: b"bench" };
        let garbler = garbler(protocol).expect("garbles");
        let seats = garbler.exchange(mesh, agreed, &mut entropy).expect("base OTs");
        let party = seats.into_iter().next().expect("a worker")(mesh, agreed);
        let ready = party.expect("a role").prepare(ports, 1).expect("prepares");
        session.finish().expect("ends");
        ready.into_bytes().expect("is stored")
    })
}

/// So many times the shortest time to evaluate at role 0, for which all others have sent all they send before.
fn time(garbled: &[Buffer<u8>], ports: Ports<'_>, times: u64) -> Duration {
    let (parties, places) = (garbled.len(), PartyId::all(garbled.len()).collect::<Vec<_>>());
    let sent = Barrier::new(parties);
    let all = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let bits = if me == 1 { ports.schedule.inputs().len() } else { 0 };
        let values = [Bits::zeros(bits)];
        let mut shortest = Duration::MAX;
        for _ in 0..times {
            let ready: Ready = Ready::from_bytes(garbled[me].clone()).expect("was stored");
            if me == 0 {
                sent.wait();
            }
            let start = Instant::now();
            let run = ready.run(&mut session.meshes[0], &places, ports, &values);
            shortest = shortest.min(start.elapsed());
            black_box(run.expect("runs"));
            if me > 0 {
                sent.wait();
            }
        }
        session.finish().expect("ends");
        shortest
    });
    all[0] * times as u32
}

fn bench_evaluation(c: &mut Criterion) {
    for parties in PARTIES {
        let mut group = c.benchmark_group(format!("{parties} parties, evaluated"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        for (name, schedule) in [("levels", levels(ands(parties))), ("aes", cipher())] {
            let (inputs, outputs) = (given(&schedule), [vec![0]]);
            let ports =
                Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
            let garbled = garbled(parties, ports);
            group.throughput(Throughput::Elements(ports.ands() as u64));
            group.bench_function(name, |b| b.iter_custom(|times| time(&garbled, ports, times)));
        }
        group.finish();
    }
}

fn bench_hiding(c: &mut Criterion) {
    let prf = LabelPrf::new(LabelFunction::DkMmo, [7; 16]);
    let mut group = c.benchmark_group("hidden");
    for parties in PARTIES {
        let mut out = vec![0; 4 * parties];
        let (mut gates, mut gate) = (Gates::new(&prf), 0);
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::from_parameter(parties), |b| {
            b.iter(|| {
                gate += 1;
                let labels = [&[1, 2, 3, 4], &[u128::from(gate); 4]];
                gates.hide(gate, labels, parties, black_box(&mut out));
            });
        });
    }
    group.finish();
}

fn bench_aes(c: &mut Criterion) {
    let pi = Permutation::new([7; 16]);
    let mut blocks = vec![0; 1024];
    let mut group = c.benchmark_group("blocks");
    group.throughput(Throughput::Elements(blocks.len() as u64));
    group.bench_function("fixed key", |b| b.iter(|| pi.apply(black_box(&mut blocks))));
    group.finish();
}

criterion_group!(benches, bench_aes, bench_hiding, bench_evaluation);
criterion_main!(benches);
