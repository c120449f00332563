//! Circuits of BMR, and of half gates of many garblers, that go on from each other: results, bytes, and what is refused.

mod common;
mod kinds;
mod parties;

use common::{circuit, given, in_the_clear, places, schedule};
use kinds::{Kind, party};
use parties::sent;
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, Circuit};
use tacit_garbling::blocks::ChainCost;
use tacit_garbling::bmr::Opening;
use tacit_garbling::protocols::HALF_GATES;
use tacit_garbling::{Bits, Chain, KEPT, Ports, Streaming, Terms};
use tacit_net::Session;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::entropy::test_seed;
use tacit_sharing::Protocol;

/// Of what [`circuit`] gives: ANDs with a bit of the last party, of a wire with its own negation too, and sums; all of
/// it and everything from before opens.
fn second() -> Circuit {
    let mut b = Builder::new();
    let (kept, z) = (b.input(6), b.input(1)[0]);
    let products: Vec<_> = kept.iter().map(|wire| b.and2(*wire, z)).collect();
    let zero = b.and2(kept[1], kept[2]);
    let sum = b.xor(products[0], products[5]);
    let last = b.and2(sum, kept[4]);
    b.output(&[&kept[..], &products[..], &[zero, sum, last]].concat());
    b.output(&[last]);
    b.finish()
}

fn second_in_the_clear(kept: &[bool], z: bool) -> Vec<bool> {
    let products: Vec<bool> = kept.iter().map(|bit| bit & z).collect();
    let sum = products[0] ^ products[5];
    [kept, &products, &[kept[1] & kept[2], sum, sum & kept[4]]].concat()
}

/// A circuit without ANDs or inputs of its own.
fn third() -> Circuit {
    let mut b = Builder::new();
    let kept = b.input(1)[0];
    let not = b.not(kept);
    b.output(&[not, kept]);
    b.finish()
}

struct Stage {
    schedule: Schedule,
    inputs: Vec<(usize, usize)>,
    outputs: Vec<Vec<usize>>,
}

impl Stage {
    fn new(circuit: &Circuit, inputs: &[(usize, usize)], outputs: &[Vec<usize>]) -> Self {
        let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
        Stage { schedule: schedule(circuit), inputs, outputs }
    }

    fn ports(&self) -> Ports<'_> {
        Ports { schedule: &self.schedule, inputs: &self.inputs, outputs: &self.outputs, guards: 0 }
    }
}

fn stages(parties: usize) -> [Stage; 3] {
    let (last, all, none) = (parties - 1, (0..parties).collect::<Vec<_>>(), Vec::new());
    let inputs = [(0, 2), (last, 2)];
    [
        Stage::new(&circuit(), &inputs, &[none.clone(), none.clone()]),
        Stage::new(&second(), &[(KEPT, 6), (last, 1)], &[all.clone(), none]),
        Stage::new(&third(), &[(KEPT, 1)], &[all]),
    ]
}

/// A party that evaluates circuits that go on from each other.
fn chain(
    session: &mut Session,
    protocol: Protocol,
    opening: Opening,
) -> Box<dyn Chain + Send + '_> {
    let terms = Terms { opening, ..Terms::of(protocol) };
    let worker = party(session, (protocol, terms), test_seed()).unwrap();
    match worker.streaming(&places(terms.parties)).unwrap() {
        Streaming::ByCircuits(chain) => chain,
        Streaming::ByGates(_) | Streaming::Never => unreachable!("{protocol} goes on"),
    }
}

fn run(session: &mut Session, protocol: Protocol, opening: Opening) {
    let (me, parties) = (session.me().index(), protocol.parties());
    let stages = stages(parties);
    let mut cost = ChainCost::new(protocol, opening).unwrap();
    let mut chain = chain(session, protocol, opening);
    for i in 0..32u8 {
        let bits = [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1);
        let z = i >> 4 == 1;
        let mut next = |stage: usize, values| {
            cost.add(stages[stage].ports());
            let learned = chain.evaluate_next(stages[stage].ports(), values).unwrap();
            (0..learned.len).map(|i| learned.get(i)).collect::<Vec<bool>>()
        };
        assert!(next(0, given(me, parties, bits)).is_empty());
        let mut own = Bits::zeros(usize::from(me == parties - 1));
        if own.len == 1 {
            own.flip_if(0, z);
        }
        let want = second_in_the_clear(&in_the_clear(bits), z);
        assert_eq!(next(1, own), want, "party {me} of {parties}");
        let last = want[want.len() - 1];
        assert_eq!(next(2, Bits::zeros(0)), [!last, last], "party {me} of {parties}");
    }
    drop(chain);
    let (meter, all) = (session.meter(), cost.bytes());
    for to in (0..parties).filter(|to| *to != me) {
        let want = [all.pre[me][to], all.def[me][to], all.on[me][to]];
        assert_eq!(sent(&meter, to), want, "{me} to {to}, {opening:?}");
    }
}

/// Other kinds are in [`circuits_of_baselines_go_on_from_others`].
#[test]
fn circuits_go_on_from_others_at_the_cost_that_is_said() {
    go_on_from_others(Kind::usual());
}

#[test]
#[ignore = "for kinds that are there to be compared with"]
fn circuits_of_baselines_go_on_from_others() {
    go_on_from_others(Kind::baselines());
}

fn go_on_from_others(kinds: Vec<(Kind, &[usize])>) {
    for (number, (kind, parties)) in kinds.into_iter().enumerate() {
        for parties in parties.iter().copied().filter(|parties| *parties <= 5) {
            let all = Opening::ALL.into_iter().enumerate();
            // All, or one after the other.
            let some =
                all.filter(|(i, _)| parties == 3 && number < 3 || (number + parties) % 3 == *i);
            for (_, opening) in some {
                memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
                    run(&mut session, kind.protocol(parties), opening);
                    session.finish().unwrap();
                });
            }
        }
    }
}

#[test]
fn half_gates_go_on_from_others() {
    for parties in [2, 3, 4, 5] {
        memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            run(&mut session, HALF_GATES.fitting(parties), Opening::Single);
            session.finish().unwrap();
        });
    }
}

/// A circuit goes on from what the one before kept, or not at all.
#[test]
fn other_wires_are_refused() {
    let errors = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let stages = stages(2);
        let mut chain = chain(&mut session, Kind::Wires.protocol(2), Opening::All);
        let error = chain.evaluate_next(stages[1].ports(), Bits::zeros(0)).err().unwrap();
        drop(chain);
        session.finish().unwrap();
        error.to_string()
    });
    assert!(errors.iter().all(|error| error.contains("not kept")), "{errors:?}");
}
