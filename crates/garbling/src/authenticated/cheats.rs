//! Parties that deviate and stand by it: what they commit to, choose or show is wrong from the start, alone or
//! together. And the other way round: what they would reach if a check were left out.

use super::channel::Cheat;
use super::check::excuse;
use super::outputs::open;
use super::party::{Authenticated, begin, finish_set_up};
use super::triples::{Sizes, fallback};
use crate::garbler::Form;
use crate::{Bits, Evaluate, Garbling, Ports};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_gmw::{Correlations, Delta, WorkerKeys};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;

/// What happens in a run: who cheats at what, and who leaves out which checks.
#[derive(Clone)]
struct Plot {
    form: Form,
    parties: usize,
    cheats: &'static [usize],
    /// Cheats flip a bit of everything that is said under these labels.
    labels: &'static [&'static str],
    /// Each cheat flips another one: errors of several do not cancel.
    own_bits: bool,
    /// Checks that cheats leave out, and those that honest parties do.
    excused: [&'static [&'static str]; 2],
    keys: Keys,
    /// Products of leaky triples are shared bit by bit.
    bitwise: bool,
}

/// Before a label: not a bit of it is flipped, but one of the padding behind the last.
const PADDING: &str = "padding of ";

/// What party 1 does when correlations are set up.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Honest,
    /// It uses one Delta towards party 2 and another towards the rest.
    Two,
    /// Its Delta has the wrong lowest bit, towards one other party.
    Low,
}

impl Plot {
    fn new(parties: usize, cheats: &'static [usize], labels: &'static [&'static str]) -> Plot {
        let (excused, keys) = ([&[][..]; 2], Keys::Honest);
        let form = Form::HalfGates;
        Plot { form, parties, cheats, labels, own_bits: true, excused, keys, bitwise: false }
    }

    fn cheat(&self, me: usize) -> Option<Cheat> {
        let labels = self.cheats.contains(&me).then_some(self.labels)?;
        let bit = if self.own_bits { me % 8 } else { 0 };
        Some(Box::new(move |what, bytes| {
            if labels.iter().any(|label| label.strip_prefix(PADDING) == Some(what)) {
                *bytes.last_mut().expect("something is said") ^= 0x80;
            }
            if !labels.contains(&what) {
                return;
            }
            if what == "gates" {
                // The first gate of two parties, of four rows: all shares of its value.
                [64, 72, 80, 88].into_iter().for_each(|at| bytes[at] ^= 1);
            } else {
                // Shares of few bits are followed by padding.
                let bit = if what.starts_with("shares") { 0 } else { bit };
                bytes[0] ^= 1 << bit;
            }
        }))
    }

    /// Every party's end: one AND of inputs of parties 0 and 1, both one, for all to learn.
    fn results(&self, seed: u64) -> Vec<Result<bool, SharingError>> {
        memory::run(self.parties, 1, &MemoryNetwork::default(), |session| self.party(session, seed))
    }

    fn party(&self, mut session: Session, seed: u64) -> Result<bool, SharingError> {
        let mut b = Builder::new();
        let (x, y) = (b.input(1), b.input(1));
        let and = b.and2(x[0], y[0]);
        b.output(&[and]);
        let schedule = Schedule::new(&passes::fold(&b.finish()));
        let (inputs, outputs) = ([(0, 1), (1, 1)], [(0..self.parties).collect()]);
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let places: Vec<PartyId> = PartyId::all(self.parties).collect();
        let me = session.me().index();
        excuse(self.excused[usize::from(!self.cheats.contains(&me))]);
        fallback::choose(self.bitwise);
        let [first, second] = self.keys(&mut session, &places, seed)?;
        let mut channel = begin(&mut session.meshes[0], &places, first, b"test")?;
        channel.cheat = self.cheat(me);
        let sid = finish_set_up(channel)?;
        let party =
            Authenticated::new(&mut session.meshes[0], &places, second, &sid, Sizes::of(1))?;
        let mut party = party.in_form(self.form);
        party.cheat(self.cheat(me));
        let ready = party.prepare(ports, 1)?;
        let mut mine = Bits::zeros(usize::from(me < 2));
        if me < 2 {
            mine.flip_if(0, true);
        }
        let done = ready.run(party.mesh(), &places, ports, &[mine])?;
        drop(party);
        let learned = open(&mut session.meshes[0], &places, vec![done])?;
        session.finish()?;
        Ok(learned[0][0].get(0))
    }

    /// Keys of two workers. For a cheat at them everybody sets up twice, and what party 1 sends correlations
    /// with, and its peer receives them with, is exchanged for the second one's.
    fn keys(
        &self,
        session: &mut Session,
        places: &[PartyId],
        seed: u64,
    ) -> Result<[WorkerKeys; 2], SharingError> {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", places, kind, &mut entropy)?;
        let mut keys = [all.worker(), all.worker()];
        // With roles exchanged party 1 has the lowest bit that is party 0's.
        let (peer, other_places) = match self.keys {
            Keys::Honest => return Ok(keys),
            Keys::Two => (2, places.to_vec()),
            Keys::Low => (0, places.iter().rev().copied().collect()),
        };
        let place = |role: usize| {
            other_places.iter().position(|party| party.index() == role).expect("a place")
        };
        let mut all = Correlations::exchange(mesh, b"other", &other_places, kind, &mut entropy)?;
        for keys in &mut keys {
            let mut other = all.worker();
            if me == 1 {
                std::mem::swap(keys.ends(peer)?.1, other.ends(place(peer))?.1);
                if self.keys == Keys::Low {
                    keys.delta = other.delta.take();
                }
            } else if me == peer {
                std::mem::swap(keys.ends(1)?.0, other.ends(place(1))?.0);
            }
        }
        Ok(keys)
    }

    /// Some honest party sees one of these checks fail, and none has a wrong result.
    fn is_caught_by(&self, checks: &[&str]) {
        let label = self.label();
        let mut seen = Vec::new();
        // Who cheats checks, too, and may end the session before the others' checks fail: then they try again.
        for _ in 0..5 {
            let (results, mut found) = (self.results(test_seed()), false);
            for (party, result) in self.honest(&results) {
                match result {
                    Ok(value) => assert!(*value, "{label}: party {party} has a wrong result"),
                    Err(error) => {
                        let error = error.to_string();
                        found |= checks.iter().any(|check| error.contains(&format!("'{check}'")));
                    }
                }
            }
            if found {
                return;
            }
            seen.push(format!("{:?}", errors(&results)));
        }
        panic!("{label}: {seen:?}");
    }

    fn label(&self) -> String {
        format!("{:?} of {} parties, {:?} cheat", self.labels, self.parties, self.cheats)
    }

    fn honest<'r, T>(&self, results: &'r [T]) -> impl Iterator<Item = (usize, &'r T)> {
        let cheats = self.cheats;
        results.iter().enumerate().filter(|(party, _)| !cheats.contains(party))
    }

    /// Without the honest parties' check some run ends with a wrong result at one of them, and no error at any;
    /// with it none does.
    fn is_stopped_by_nothing_but(&self, check: &'static [&'static str]) {
        let wrong = |plot: &Plot, seed| {
            let results = plot.results(seed);
            let honest: Vec<_> = plot.honest(&results).map(|(_, result)| result).collect();
            honest.iter().all(|r| r.is_ok()) && honest.iter().any(|r| matches!(r, Ok(false)))
        };
        let without = Plot { excused: [self.excused[0], check], ..self.clone() };
        // Some depend on a random mask.
        let seeds = (0..16).map(|run| test_seed().wrapping_add(run));
        assert!(seeds.clone().any(|seed| wrong(&without, seed)), "{}: no harm", self.label());
        assert!(!seeds.take(4).any(|seed| wrong(self, seed)), "{}: harm", self.label());
        self.is_caught_by(check);
    }
}

const FORMS: [Form; 2] = [Form::HalfGates, Form::FourRows];

fn errors(results: &[Result<bool, SharingError>]) -> Vec<Option<&SharingError>> {
    results.iter().map(|result| result.as_ref().err()).collect()
}

#[test]
fn cheats_that_are_consistent_are_caught_by_their_checks() {
    // What is wrong, for how many parties, and the checks that may find it.
    let cases: [(&'static [&'static str], &[usize], &[&str]); 11] = [
        (&["d"], &[2, 3], &["leaky-and"]),
        (&["theta"], &[2, 3], &["leaky-and"]),
        (&["keyz"], &[3], &["key-consistency"]),
        (&["uhat"], &[2, 3], &["cot-consistency"]),
        // Another bit towards one peer than towards the other.
        (&["choices for 2"], &[3], &["cot-consistency"]),
        (&["shares bucket"], &[2, 3], &["open-mac:bucket"]),
        (&["shares beaver"], &[2, 3], &["open-mac:beaver"]),
        (&["shares output"], &[2, 3], &["open-mac:output"]),
        (&["shares input"], &[3], &["open-mac:input"]),
        (&["lowest bits"], &[3], &["label-check", "z-check"]),
        (&["z"], &[2, 3], &["z-check"]),
    ];
    for (labels, all_parties, checks) in cases {
        for parties in all_parties {
            Plot { own_bits: false, ..Plot::new(*parties, &[1], labels) }.is_caught_by(checks);
        }
    }
}

#[test]
fn a_cheating_evaluator_is_caught_by_the_garblers() {
    let cases: [(&'static [&'static str], &[&str]); 5] = [
        (&["public values"], &["label-check"]),
        (&["shares output"], &["open-mac:output"]),
        (&["shares beaver"], &["open-mac:beaver"]),
        (&["shares bucket"], &["open-mac:bucket"]),
        (&["d"], &["leaky-and"]),
    ];
    for (labels, checks) in cases {
        for parties in [2, 3] {
            Plot { own_bits: false, ..Plot::new(parties, &[0], labels) }.is_caught_by(checks);
        }
    }
}

/// Two of three, or of four: whoever is left finds it, also where all others are against it.
#[test]
fn two_that_collude_are_caught() {
    let cases: [(&'static [&'static str], &[&str]); 9] = [
        (&["d"], &["leaky-and"]),
        (&["theta"], &["leaky-and"]),
        (&["keyz"], &["key-consistency"]),
        (&["uhat"], &["cot-consistency"]),
        (&["choices for 0", "choices for 3"], &["cot-consistency"]),
        (&["shares bucket"], &["open-mac:bucket"]),
        (&["shares beaver"], &["open-mac:beaver"]),
        (&["shares output"], &["open-mac:output"]),
        (&["shares input"], &["open-mac:input"]),
    ];
    for (labels, checks) in cases {
        for parties in [3, 4] {
            // They do not give each other away.
            let excused = [checks_of(labels), &[]];
            Plot { excused, ..Plot::new(parties, &[1, 2], labels) }.is_caught_by(checks);
        }
    }
    Plot::new(4, &[1, 2], &["z"]).is_caught_by(&["z-check"]);
    Plot { own_bits: false, ..Plot::new(3, &[0, 1], &["shares output"]) }
        .is_caught_by(&["open-mac:output"]);
}

/// The checks that a cheat at something would see fail itself.
fn checks_of(labels: &[&str]) -> &'static [&'static str] {
    match labels[0] {
        "keyz" => &["key-consistency"],
        "uhat" | "choices for 0" => &["cot-consistency"],
        "shares bucket" => &["open-mac:bucket"],
        "shares beaver" => &["open-mac:beaver"],
        "shares output" => &["open-mac:output"],
        "shares input" => &["open-mac:input"],
        _ => &["leaky-and"],
    }
}

#[test]
fn two_deltas_of_one_party_are_caught() {
    for parties in [3, 4] {
        let excused = [&["cot-consistency", "key-consistency"][..], &[]];
        Plot { excused, keys: Keys::Two, ..Plot::new(parties, &[1], &[]) }
            .is_caught_by(&["key-consistency"]);
    }
}

#[test]
fn a_delta_with_the_wrong_lowest_bit_is_caught() {
    let excused = [&["low bit", "leaky-and"][..], &[]];
    Plot { excused, keys: Keys::Low, ..Plot::new(2, &[1], &[]) }.is_caught_by(&["leaky-and"]);
}

/// Each of these checks is what stops its attack: without it honest parties have wrong results.
#[test]
fn attacks_succeed_where_their_check_is_left_out() {
    for parties in [2, 3] {
        let plot = |cheats, labels, excused| {
            let excused = [excused, &[][..]];
            Plot { own_bits: false, excused, ..Plot::new(parties, cheats, labels) }
        };
        plot(&[1], &["shares output"], &[]).is_stopped_by_nothing_but(&["open-mac:output"]);
        // The cheat goes on with what it said: where the second mask is one the gate gives another value.
        plot(&[1], &["masked masks"], &[]).is_stopped_by_nothing_but(&["open-mac:beaver"]);
        plot(&[0], &["public values"], &[]).is_stopped_by_nothing_but(&["label-check"]);
    }
    Plot { own_bits: false, ..Plot::new(3, &[1], &["shares input"]) }
        .is_stopped_by_nothing_but(&["open-mac:input"]);
    // All garblers are against the evaluator, and accept what comes of it.
    Plot {
        own_bits: false,
        excused: [&["label-check"], &[]],
        ..Plot::new(2, &[1], &["lowest bits"])
    }
    .is_stopped_by_nothing_but(&["z-check"]);
}

#[test]
fn attacks_on_four_rows_succeed_where_their_check_is_left_out() {
    let rows = |parties, cheats, labels, excused| {
        let excused = [excused, &[][..]];
        Plot {
            form: Form::FourRows,
            own_bits: false,
            excused,
            ..Plot::new(parties, cheats, labels)
        }
    };
    for parties in [2, 3] {
        rows(parties, &[1], &["shares output"], &[])
            .is_stopped_by_nothing_but(&["open-mac:output"]);
        rows(parties, &[1], &["masked masks"], &[]).is_stopped_by_nothing_but(&["open-mac:beaver"]);
        rows(parties, &[0], &["public values"], &[]).is_stopped_by_nothing_but(&["label-check"]);
    }
    rows(2, &[1], &["gates"], &["label-check"]).is_stopped_by_nothing_but(&["row-mac"]);
}

/// Nobody cheats: everybody has the result.
#[test]
fn honest_parties_get_along() {
    for (parties, form) in [2, 3].into_iter().flat_map(|n| FORMS.map(|form| (n, form))) {
        let results = Plot { form, ..Plot::new(parties, &[], &[]) }.results(test_seed());
        assert!(results.iter().all(|result| matches!(result, Ok(true))));
    }
}

/// Triples of the older construction serve as well, in both forms, and are checked as well.
#[test]
fn triples_whose_products_are_shared_bit_by_bit_serve_as_well() {
    for (parties, form) in [(2, Form::HalfGates), (3, Form::HalfGates), (3, Form::FourRows)] {
        let plot = Plot { form, bitwise: true, ..Plot::new(parties, &[], &[]) };
        assert!(plot.results(test_seed()).iter().all(|result| matches!(result, Ok(true))));
        for label in [&["d"], &["products for 0"]] {
            let plot = Plot::new(parties, &[1], label);
            Plot { form, bitwise: true, own_bits: false, ..plot }.is_caught_by(&["leaky-and"]);
        }
    }
}

/// Bits that nobody asked for are refused, before anything is done with the others.
#[test]
fn padding_that_is_not_zero_is_refused() {
    let cases: [(usize, &[&str]); 5] = [
        (1, &["padding of d"]),
        (1, &["padding of shares beaver"]),
        (1, &["padding of lowest bits"]),
        (0, &["padding of public values"]),
        (1, &["padding of shares output"]),
    ];
    for (cheat, labels) in cases {
        let cheats: &[usize] = if cheat == 0 { &[0] } else { &[1] };
        let excused = [&["length"][..], &[]];
        Plot { excused, ..Plot::new(2, cheats, labels) }.is_caught_by(&["length"]);
    }
}
