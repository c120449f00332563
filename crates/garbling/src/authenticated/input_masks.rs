//! What opens of the mask of an output that is linear in inputs: were masks of inputs known to their owners alone, a
//! third party could tell both summands of `x + y`.

use super::check::excuse;
use super::masks::shares;
use super::party::{Authenticated, begin, finish_set_up};
use super::triples::Sizes;
use crate::garbler::Form;
use crate::{Garbling, Ports};
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;

const RUNS: usize = 400;

/// How often party 2, who learns the sum of an input of party 0 and one of party 1, tells each of them: everybody
/// knows an input under its mask, and party 2 takes its owner's share of the output's mask for the mask.
fn inputs_found(form: Form, excused: &'static [&'static str]) -> [usize; 2] {
    let mut b = Builder::new();
    let (x, y) = (b.input(1), b.input(1));
    let sum = b.xor(x[0], y[0]);
    b.output(&[sum]);
    let schedule = Schedule::new(&b.finish());
    let (inputs, outputs) = ([(0, 1), (1, 1)], [vec![2]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let found = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        excuse(excused);
        let places: Vec<PartyId> = PartyId::all(3).collect();
        let mut entropy = Entropy::insecure_seeded(test_seed(), session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy).unwrap();
        let sid = finish_set_up(begin(mesh, &places, all.worker(), b"test").unwrap()).unwrap();
        let party = Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1)).unwrap();
        let mut party = party.in_form(form);
        let ready = party.prepare(ports, RUNS).unwrap();
        drop(party);
        session.finish().unwrap();
        let (masks, sent) = (&ready.masks.inputs, shares(&ready.masks.outputs[2]));
        (0..masks.len).filter(|i| masks.get(*i) == sent.get(*i)).count()
    });
    [found[0], found[1]]
}

#[test]
fn a_sum_of_inputs_does_not_tell_its_summands() {
    for form in [Form::HalfGates, Form::FourRows] {
        assert_eq!(inputs_found(form, &["shared masks of inputs"]), [RUNS; 2]);
        // Six standard deviations.
        for found in inputs_found(form, &[]) {
            assert!(found.abs_diff(RUNS / 2) < 60, "{form:?}: {found} of {RUNS}");
        }
    }
}
