//! Parties that deviate and stand by it: what they commit to, choose or show is wrong from the start.

use super::outputs::open;
use super::party::{Authenticated, begin, finish_set_up};
use super::talk::Cheat;
use crate::{Bits, Evaluate, Garbling, Ports};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;
use tacit_sharing::gmw::{Correlations, Delta};

/// Flips the lowest bit of everything under a label.
fn flip(label: &'static str) -> Cheat {
    Box::new(move |what, bytes| {
        if what == label {
            bytes[0] ^= 1;
        }
    })
}

/// Every party's end where party 1 cheats: one AND of inputs of parties 0 and 1, for all to learn.
fn results(parties: usize, label: &'static str) -> Vec<Result<bool, SharingError>> {
    let mut b = Builder::new();
    let (x, y) = (b.input(1), b.input(1));
    let and = b.and2(x[0], y[0]);
    b.output(&[and]);
    let schedule = Schedule::new(&passes::fold(&b.finish()));
    let (inputs, outputs) = ([(0, 1), (1, 1)], [(0..parties).collect()]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs };
    let places: Vec<PartyId> = PartyId::all(parties).collect();
    let seed = test_seed();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy)?;
        let cheat = || (me == 1).then(|| flip(label));
        let mut talk = begin(mesh, &places, all.worker(), b"test")?;
        talk.cheat = cheat();
        let sid = finish_set_up(talk)?;
        let mut party = Authenticated::new(mesh, &places, all.worker(), &sid)?;
        party.cheat(cheat());
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
    })
}

#[test]
fn cheats_that_are_consistent_are_caught_by_their_checks() {
    // What is wrong, for how many parties, and the checks that may find it.
    let cases: [(&str, &[usize], &[&str]); 9] = [
        ("d", &[2, 3], &["leaky-and"]),
        ("theta", &[2, 3], &["leaky-and"]),
        ("keyz", &[3], &["key-consistency"]),
        ("uhat", &[2, 3], &["cot-consistency"]),
        // Another bit towards one peer than towards the other.
        ("choices for 2", &[3], &["cot-consistency"]),
        ("shares bucket", &[2, 3], &["open-mac:bucket"]),
        ("shares beaver", &[2, 3], &["open-mac:beaver"]),
        ("shares output", &[2, 3], &["open-mac:output"]),
        ("z", &[2, 3], &["z-check"]),
    ];
    for (label, all_parties, checks) in cases {
        for parties in all_parties {
            let results = results(*parties, label);
            let honest = results.iter().enumerate().filter(|(party, _)| *party != 1);
            let mut found = false;
            for (party, result) in honest {
                match result {
                    Ok(value) => assert!(*value, "{label}: party {party} has a wrong result"),
                    Err(error) => {
                        let error = error.to_string();
                        found |= checks.iter().any(|check| error.contains(&format!("'{check}'")));
                    }
                }
            }
            assert!(found, "{label}, {parties} parties: {:?}", errors(&results));
        }
    }
}

fn errors(results: &[Result<bool, SharingError>]) -> Vec<Option<&SharingError>> {
    results.iter().map(|result| result.as_ref().err()).collect()
}

/// Nobody cheats: everybody has the result.
#[test]
fn honest_parties_get_along() {
    for parties in [2, 3] {
        assert!(results(parties, "nothing").iter().all(|result| matches!(result, Ok(true))));
    }
}
