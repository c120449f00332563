//! Conversions in the ring of 8 bits, at every value: exact ones exactly, truncation with the
//! stated rate of rounding up.

use tacit_backend::convert::{self, Coordinates, Masked, MaskedParty};
use tacit_backend::protocols::{self, PLAIN};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase};
use tacit_ring::{Entropy, Word, Z2, entropy};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::party::Keys;
use tacit_sharing::role::Timing;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Pass, Verifier};
use tacit_sharing::{CoordinatesVisitor, Party, Protocol, RoleId, Shares};

const PLACES: [PartyId; 4] = [PartyId(2), PartyId(0), PartyId(1), PartyId(3)];
const ROLES: [RoleId; 4] = [0, 1, 2, 3];

/// Those with masked coordinates: programs in rings, but for those that prove products.
fn protocols() -> impl Iterator<Item = Protocol> {
    let real = protocols::on_bits().filter(|protocol| *protocol != PLAIN);
    real.filter(|protocol| protocol.has_rings() && !protocol.proves_products())
}

/// One party, with keys for the rings of the tests.
struct Bench<'m> {
    party: Party<'m>,
    verifier: Verifier,
    bits: Keys,
    bytes: Keys,
    longs: Keys,
}

/// Something to do in a role; what it opened.
trait Task: Sync {
    fn run<P: Coordinates>(&self, bench: &mut Bench<'_>) -> Vec<i128>;
}

struct Start<'a, 'm, T>(&'a T, Bench<'m>);

impl<T: Task> CoordinatesVisitor for Start<'_, '_, T> {
    type Out = Vec<i128>;
    fn visit<P: Coordinates>(mut self) -> Vec<i128> {
        self.0.run::<P>(&mut self.1)
    }
}

fn run<T: Task>(protocol: Protocol, task: &T) -> Vec<i128> {
    let seed = entropy::test_seed();
    let places = &PLACES[..protocol.parties()];
    let results = memory::run(places.len(), 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
        let mut secrets = Secrets::exchange(mesh, b"test", protocol, places, &mut entropy).unwrap();
        let mut keys = |bits| secrets.keys("test", bits, 1).remove(0);
        let (bits, bytes, longs) = (keys(1), keys(8), keys(64));
        let verifier = Verifier::new(protocol, places, b"test".to_vec(), secrets.take_pairs());
        let party = Party::new(mesh, places).unwrap();
        let role = party.role();
        let start = Start(task, Bench { party, verifier, bits, bytes, longs });
        let opened = tacit_backend::visit::visit_coordinates(protocol, role, start).unwrap();
        session.finish().unwrap();
        opened
    });
    assert!(results.iter().all(|r| *r == results[0]), "all parties open the same");
    results[0].clone()
}

fn share<P: Coordinates, W: Word>(party: &mut Party<'_>, keys: &mut Keys, v: &[W]) -> SharedVec<W> {
    let mut shares = Shares::of::<P>(1, v.len());
    let input = Input { owner: 1, timing: Timing::Early, slots: &[0], values: v };
    let mut scratch = TransferScratch::default();
    let mut draws = keys.streams().draws().unwrap();
    transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input).unwrap();
    transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input).unwrap();
    SharedVec::copied(shares.runs(0))
}

fn open<P: Coordinates, W: Word>(bench: &mut Bench<'_>, masked: Masked<W>) -> Vec<W> {
    let words = convert::from_masked::<P, W>(masked);
    let mut shares = Shares::of::<P>(1, words.len());
    for (to, from) in shares.runs_mut(0).into_iter().zip(words.components()) {
        to.copy_from_slice(from);
    }
    let output = Output { receivers: &ROLES[..P::PROTOCOL.parties()], slots: &[0] };
    let (mut scratch, mut opened) = (TransferScratch::default(), vec![W::ZERO; shares.words()]);
    let pass = check(bench);
    let party = &mut bench.party;
    transfer::output_begin::<P, W>(party, &pass, &mut scratch, &shares, output).unwrap();
    transfer::output_finish::<P, W>(party, &pass, &mut scratch, &shares, output, &mut opened)
        .unwrap();
    check(bench);
    opened
}

/// Compares what all did so far.
fn check(bench: &mut Bench<'_>) -> Pass {
    let journal = bench.party.take_journal().unwrap();
    let pass = bench.verifier.end_epoch(bench.party.mesh(), vec![journal]).unwrap();
    bench.party.mesh().set_phase(Phase::Online);
    pass
}

/// Every value of 8 bits, so often.
fn values(times: usize) -> Vec<u8> {
    (0..=255u8).cycle().take(256 * times).collect()
}

/// Bits of every value and back.
struct ThereAndBack;

impl Task for ThereAndBack {
    fn run<P: Coordinates>(&self, bench: &mut Bench<'_>) -> Vec<i128> {
        let values = values(4);
        let shares = share::<P, u8>(&mut bench.party, &mut bench.bytes, &values);
        let masked = convert::to_masked::<P, u8>(&shares);
        // The number's bits as they are dealt: m and lambda; their difference is the number.
        let mut draws = bench.bits.streams().draws().unwrap();
        let mut masked_party = MaskedParty::new::<P>(&mut bench.party);
        let lambda = masked.lambda(masked_party.seat());
        let n = values.len();
        let upper = convert::upper_bits(&mut masked_party, &mut draws, &masked.first, 8).unwrap();
        let lower = convert::lower_bits(&mut masked_party, &mut draws, &lambda, n, 8).unwrap();
        let mut numbers = Vec::new();
        for planes in [upper, lower] {
            let mut draws = bench.bytes.streams().draws().unwrap();
            let mut masked_party = MaskedParty::new::<P>(&mut bench.party);
            let number =
                convert::bits_to_ring::<u8>(&mut masked_party, &mut draws, &planes, n).unwrap();
            numbers.push(open::<P, u8>(bench, number));
        }
        (0..n).map(|i| i128::from(numbers[0][i].wrapping_sub(numbers[1][i]))).collect()
    }
}

#[test]
fn bits_of_every_value_are_right() {
    for protocol in protocols() {
        let want: Vec<i128> = values(4).into_iter().map(i128::from).collect();
        assert_eq!(run(protocol, &ThereAndBack), want, "{protocol}");
    }
}

/// Truncates every value, often.
struct Truncate {
    by: u32,
    times: usize,
}

impl Task for Truncate {
    fn run<P: Coordinates>(&self, bench: &mut Bench<'_>) -> Vec<i128> {
        let values = values(self.times);
        let shares = share::<P, u8>(&mut bench.party, &mut bench.bytes, &values);
        let masked = convert::to_masked::<P, u8>(&shares);
        let mut draws = bench.bytes.streams().draws().unwrap();
        let mut masked_party = MaskedParty::new::<P>(&mut bench.party);
        let cut = convert::truncate(&mut masked_party, &mut draws, &masked, self.by).unwrap();
        open::<P, u8>(bench, cut).into_iter().map(|x| i128::from(x as i8)).collect()
    }
}

#[test]
fn truncation_rounds_up_as_often_as_the_fraction_says_and_is_never_further_off() {
    const TIMES: usize = 4000;
    for protocol in protocols() {
        for by in [1, 3, 6] {
            let got = run(protocol, &Truncate { by, times: TIMES });
            for value in -64..64i32 {
                let at = usize::from(value as u8);
                let floor = i128::from(value >> by);
                let ups = (0..TIMES).filter(|t| got[t * 256 + at] == floor + 1).count();
                let floors = (0..TIMES).filter(|t| got[t * 256 + at] == floor).count();
                assert_eq!(ups + floors, TIMES, "{protocol}: {value} >> {by} is off");
                let fraction = f64::from(value & ((1 << by) - 1)) / f64::from(1 << by);
                // Six standard deviations of the binomial distribution.
                let slack = 6.0 * (fraction * (1.0 - fraction) * TIMES as f64).sqrt();
                let off = (ups as f64 - fraction * TIMES as f64).abs();
                assert!(off <= slack, "{protocol}: {value} >> {by} rounds up {ups} times");
            }
        }
    }
}

/// Widens every value that may be widened.
struct Widen;

impl Task for Widen {
    fn run<P: Coordinates>(&self, bench: &mut Bench<'_>) -> Vec<i128> {
        let values: Vec<u8> =
            values(20).into_iter().filter(|v| (-64..64).contains(&(*v as i8))).collect();
        let shares = share::<P, u8>(&mut bench.party, &mut bench.bytes, &values);
        let masked = convert::to_masked::<P, u8>(&shares);
        let mut draws = bench.longs.streams().draws().unwrap();
        let mut masked_party = MaskedParty::new::<P>(&mut bench.party);
        let wide = convert::widen::<u8, u64>(&mut masked_party, &mut draws, &masked).unwrap();
        let wide = open::<P, u64>(bench, wide);
        wide.iter()
            .zip(&values)
            .map(|(w, v)| i128::from(*w as i64) - i128::from(*v as i8))
            .collect()
    }
}

#[test]
fn widening_is_exact() {
    for protocol in protocols() {
        assert!(run(protocol, &Widen).iter().all(|off| *off == 0), "{protocol}");
    }
}

/// Selects every value by bits, and counts.
struct Select;

impl Task for Select {
    fn run<P: Coordinates>(&self, bench: &mut Bench<'_>) -> Vec<i128> {
        let values = values(2);
        let n = values.len();
        let words: Vec<Z2> = (0..n as u64 / 64).map(|i| Z2(0x5555_3333_0f0f_00ff ^ i)).collect();
        let shares = share::<P, u8>(&mut bench.party, &mut bench.bytes, &values);
        let bits = share::<P, Z2>(&mut bench.party, &mut bench.bits, &words);
        let (a, b) = (convert::to_masked::<P, u8>(&shares), convert::to_masked::<P, Z2>(&bits));
        let mut draws = bench.bytes.streams().draws().unwrap();
        let mut masked_party = MaskedParty::new::<P>(&mut bench.party);
        let chosen = convert::inject(&mut masked_party, &mut draws, &b, &a).unwrap();
        let chosen = open::<P, u8>(bench, chosen);
        let bit = |i: usize| (words[i / 64].0 >> (i % 64) & 1) as u8;
        (0..n).map(|i| i128::from(chosen[i]) - i128::from(bit(i) * values[i])).collect()
    }
}

#[test]
fn selection_is_exact_at_every_value() {
    for protocol in protocols() {
        assert!(run(protocol, &Select).iter().all(|off| *off == 0), "{protocol}");
    }
}
