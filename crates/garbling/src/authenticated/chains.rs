//! Circuits that go on from others: what they give, what they cost, and that cheats in any of them are caught before
//! anything opens that depends on it.

use super::channel::Cheat;
use super::cost::CostOfChain;
use super::kept::{Active, Kept};
use super::outputs::open;
use super::party::{Authenticated, begin, finish_set_up};
use super::triples::Sizes;
use crate::garbler::Form;
use crate::{Bits, Counter, KEPT, Ports};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;
use tacit_sharing::cost::Traffic;

/// All values of three input bits.
const INSTANCES: usize = 8;

/// A circuit of the chain, and who gives and learns what.
struct Stage {
    schedule: Schedule,
    inputs: Vec<(usize, usize)>,
    outputs: Vec<Vec<usize>>,
}

impl Stage {
    fn new(b: Builder, inputs: &[(usize, usize)], outputs: &[Vec<usize>]) -> Stage {
        let schedule = Schedule::new(&passes::fold(&b.finish()));
        Stage { schedule, inputs: inputs.to_vec(), outputs: outputs.to_vec() }
    }

    fn ports(&self) -> Ports<'_> {
        Ports { schedule: &self.schedule, inputs: &self.inputs, outputs: &self.outputs, guards: 0 }
    }
}

/// Three circuits, each of which goes on from the one before. The first takes x and y, keeps x y, x + y and x, and
/// opens the negation of x y. The second takes z, keeps (x + y) z, and opens that plus x y x. The third opens its
/// negation, and the value itself once more.
fn stages(parties: usize) -> [Stage; 3] {
    let (all, none) = ((0..parties).collect::<Vec<_>>(), Vec::new());
    let mut b = Builder::new();
    let (x, y) = (b.input(1)[0], b.input(1)[0]);
    let (and, xor) = (b.and2(x, y), b.xor(x, y));
    let nand = b.not(and);
    b.output(&[and, xor]);
    b.output(&[nand]);
    b.output(&[x]);
    let first = [none.clone(), all.clone(), none.clone()];
    let first = Stage::new(b, &[(0, 1), (1, 1)], &first);
    let mut b = Builder::new();
    let (kept, z) = (b.input(3), b.input(1)[0]);
    let (product, other) = (b.and2(kept[1], z), b.and2(kept[0], kept[2]));
    let sum = b.xor(product, other);
    b.output(&[sum]);
    b.output(&[product]);
    let second = Stage::new(b, &[(KEPT, 3), (parties - 1, 1)], &[all.clone(), none]);
    let mut b = Builder::new();
    let kept = b.input(1)[0];
    let not = b.not(kept);
    b.output(&[not, kept]);
    [first, second, Stage::new(b, &[(KEPT, 1)], &[all])]
}

/// What opens, by circuit: of every instance, bit by bit.
fn wanted() -> [Vec<Vec<bool>>; 3] {
    let of = |f: fn(bool, bool, bool) -> Vec<bool>| {
        (0..INSTANCES).map(|i| f(i & 1 == 1, i & 2 == 2, i & 4 == 4)).collect()
    };
    [
        of(|x, y, _| vec![!(x & y)]),
        of(|x, y, z| vec![((x ^ y) & z) ^ (x & y)]),
        of(|x, y, z| vec![!((x ^ y) & z), (x ^ y) & z]),
    ]
}

/// Who flips a bit of everything that it says under a label, in which circuit.
#[derive(Clone, Copy)]
struct Plot {
    party: usize,
    stage: usize,
    label: &'static str,
}

/// A party's end: what opened, and the error that it ended with.
struct End {
    opened: Vec<Vec<Vec<bool>>>,
    error: Option<String>,
    sent: Traffic,
}

fn chain(parties: usize, plot: Option<Plot>) -> Vec<End> {
    let seed = test_seed();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut opened = Vec::new();
        let done = party(&mut session, parties, plot, seed, &mut opened);
        let me = session.me().index();
        let meter = session.meshes[0].meter();
        let mut sent = Traffic::default();
        for (peer, stream, phase, count) in meter.entries() {
            match (stream, phase) {
                (_, Phase::Setup) => {}
                (Stream::Def, _) => sent.def[me][peer.index()] += count.bytes_sent,
                (Stream::On, _) => sent.on[me][peer.index()] += count.bytes_sent,
                (Stream::Pre, _) => panic!("nothing is sent ahead"),
            }
        }
        let done = done.and_then(|()| Ok(session.finish()?));
        let error = done.err().map(|error| error.to_string());
        End { opened, error, sent }
    })
}

fn party(
    session: &mut Session,
    parties: usize,
    plot: Option<Plot>,
    seed: u64,
    opened: &mut Vec<Vec<Vec<bool>>>,
) -> Result<(), SharingError> {
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let (me, stages) = (session.me().index(), stages(parties));
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let mesh = &mut session.meshes[0];
    let kind = Delta::Authenticating;
    let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy)?;
    let sid = finish_set_up(begin(mesh, &places, all.worker(), b"test")?)?;
    let mut party = Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1))?;
    let (mut kept, mut ready) = (Kept::none(), Vec::new());
    for (number, stage) in stages.iter().enumerate() {
        party.cheat(plot.filter(|plot| (plot.party, plot.stage) == (me, number)).map(cheat));
        let (next, wires) = party.prepare_on(stage.ports(), INSTANCES, &kept)?;
        ready.push(next);
        kept = wires;
    }
    drop(party);
    let (mut active, mut unopened) = (Active::none(), Vec::new());
    for (number, (stage, ready)) in stages.iter().zip(ready).enumerate() {
        let values = given(&stage.inputs, me);
        let (mesh, ports) = (&mut session.meshes[0], stage.ports());
        let (done, wires) = ready.run_on(mesh, &places, ports, &values, &active)?;
        active = wires;
        unopened.push(done);
        // The last two open together.
        if number != 1 {
            let learned = open(mesh, &places, std::mem::take(&mut unopened))?;
            let bits = |bits: &Bits| (0..bits.len).map(|i| bits.get(i)).collect();
            opened.extend(learned.iter().map(|all| all.iter().map(bits).collect::<Vec<_>>()));
        }
    }
    Ok(session.meshes[0].flush()?)
}

fn cheat(plot: Plot) -> Cheat {
    Box::new(move |what, bytes| {
        if what == plot.label {
            bytes[0] ^= 1;
        }
    })
}

/// This party's bits: x of party 0, y of party 1, z of the last.
fn given(inputs: &[(usize, usize)], me: usize) -> Vec<Bits> {
    let first = inputs.len() == 2 && inputs[0].0 != KEPT;
    let mine = inputs.iter().enumerate().filter(|(_, (owner, _))| *owner == me);
    let inputs: Vec<usize> = mine.map(|(port, _)| if first { port } else { 2 }).collect();
    let instance = |i: usize| {
        let mut bits = Bits::zeros(inputs.len());
        (0..).zip(&inputs).for_each(|(at, input)| bits.flip_if(at, i >> input & 1 == 1));
        bits
    };
    (0..INSTANCES).map(instance).collect()
}

#[test]
fn circuits_go_on_from_others_at_the_cost_that_is_said() {
    for parties in [2, 3, 4] {
        let ends = chain(parties, None);
        let stages = stages(parties);
        let mut cost = CostOfChain::new(Form::HalfGates, parties, Sizes::of(1));
        stages.iter().for_each(|stage| cost.add(stage.ports(), INSTANCES));
        let cost = cost.bytes();
        for (me, end) in ends.iter().enumerate() {
            assert_eq!(end.error, None);
            assert_eq!(end.opened, wanted(), "party {me} of {parties}");
            assert_eq!(end.sent.def[me], cost.def[me], "party {me} of {parties}, ahead");
            assert_eq!(end.sent.on[me], cost.on[me], "party {me} of {parties}, online");
        }
    }
}

/// Nothing of the second circuit opens at an honest party when there was a cheat in the first or the second, and
/// nothing of the first when it was there.
#[test]
fn cheats_are_caught_before_anything_opens_that_depends_on_it() {
    let cases: [(usize, &str, &[&str]); 6] = [
        (1, "shares bucket", &["open-mac:bucket"]),
        (1, "shares beaver", &["open-mac:beaver"]),
        (1, "lowest bits", &["label-check", "z-check"]),
        (1, "z", &["z-check"]),
        (0, "public values", &["label-check"]),
        (0, "shares output", &["open-mac:output"]),
    ];
    for (cheat, label, checks) in cases {
        for (parties, stage) in [(2, 0), (2, 1), (3, 0), (3, 1)] {
            // Triples of the first circuit are enough for the second. Of two parties, the cheat finds its own lowest
            // bits wrong before the other finds anything.
            if (label, stage) == ("shares bucket", 1) || (label, parties) == ("lowest bits", 2) {
                continue;
            }
            let ends = chain(parties, Some(Plot { party: cheat, stage, label }));
            let honest = ends.iter().enumerate().filter(|(party, _)| *party != cheat);
            let mut found = false;
            for (party, end) in honest {
                let what = format!("{label} in {stage}, party {party} of {parties}");
                assert!(end.opened.len() <= stage, "{what}: {:?}", end.opened);
                let error = end.error.as_deref().unwrap_or_default();
                found |= checks.iter().any(|check| error.contains(&format!("'{check}'")));
            }
            let errors: Vec<_> = ends.iter().map(|end| &end.error).collect();
            assert!(found, "{label} in {stage}: {errors:?}");
        }
    }
}

/// A circuit goes on from what it was prepared on, or not at all.
#[test]
fn other_wires_are_refused() {
    let errors = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let places: Vec<PartyId> = PartyId::all(2).collect();
        let (me, stages) = (session.me().index(), stages(2));
        let mut entropy = Entropy::insecure_seeded(test_seed(), session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy);
        let mut all = all.unwrap();
        let sid = finish_set_up(begin(mesh, &places, all.worker(), b"test").unwrap()).unwrap();
        let mut party =
            Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1)).unwrap();
        let [first, second] = [0, 1].map(|stage| stages[stage].ports());
        let (_, kept) = party.prepare_on(first, INSTANCES, &Kept::none()).unwrap();
        let missing = party.prepare_on(second, INSTANCES, &Kept::none()).err().unwrap();
        let fewer = party.prepare_on(second, INSTANCES - 1, &kept).err().unwrap();
        let (ready, _) = party.prepare_on(second, INSTANCES, &kept).unwrap();
        let mut party = party.in_form(Form::FourRows);
        let rows = party.prepare_on(first, INSTANCES, &Kept::none()).err().unwrap();
        drop(party);
        let (mesh, values) = (&mut session.meshes[0], given(&stages[1].inputs, me));
        let other = ready.run_on(mesh, &places, second, &values, &Active::none()).err().unwrap();
        session.finish().unwrap();
        [missing, fewer, other, rows].map(|error| error.to_string())
    });
    for [wires @ .., rows] in errors {
        assert!(wires.iter().all(|error| error.contains("not kept")), "{wires:?}");
        assert!(rows.contains("not supported"), "{rows}");
    }
}
