//! Authenticated garbling: results and bytes of every input, and every message altered.

mod common;

use common::{circuit, given, in_the_clear, places, schedule};
use std::sync::mpsc;
use tacit_circuit::Builder;
use tacit_garbling::authenticated::{Authenticated, bytes, set_up};
use tacit_garbling::{Bits, Garbling, Ports};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Outgoing, Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;
use tacit_sharing::gmw::{Correlations, Delta};

fn party<'m>(
    session: &'m mut Session,
    parties: usize,
    seed: u64,
) -> Result<Authenticated<'m>, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(parties));
    let kind = Delta::Authenticating;
    let mut all = Correlations::exchange(mesh, b"session", &places, kind, &mut entropy)?;
    let sid = set_up(mesh, &places, all.worker(), b"session")?;
    Authenticated::new(mesh, &places, all.worker(), &sid)
}

fn cases() -> Vec<[bool; 4]> {
    (0..16).map(|i| [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1)).collect()
}

#[test]
fn all_inputs_give_what_the_circuit_says_at_the_price_of_the_formulas() {
    let schedule = schedule(&circuit());
    for parties in [2, 3, 5] {
        let inputs = [(0, 2), (parties - 1, 2)];
        let outputs = [vec![0, parties - 1], vec![parties - 1]];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs };
        let seed = test_seed();
        memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let mut party = party(&mut session, parties, seed).unwrap();
            // The second chunk has triples left by the first.
            for cases in cases().chunks(11) {
                let ready = party.prepare(ports, cases.len()).unwrap();
                let values: Vec<Bits> = cases.iter().map(|v| given(me, parties, *v)).collect();
                let learned = party.run(ports, ready, &values).unwrap();
                for (values, learned) in cases.iter().zip(&learned) {
                    let want = in_the_clear(*values);
                    let mine: &[bool] = match me {
                        _ if me == parties - 1 => &want,
                        0 => &want[..3],
                        _ => &[],
                    };
                    assert_eq!(learned.len, mine.len());
                    assert!((0..mine.len()).all(|i| learned.get(i) == mine[i]), "{values:?}");
                }
            }
            drop(party);
            let all = bytes(ports, parties, [11, 5].into_iter());
            let meter = session.meter();
            for to in (0..parties).filter(|to| *to != me) {
                let id = PartyId(to as u8);
                let sent = |stream| -> u64 {
                    let phases = [Phase::Offline, Phase::Online];
                    phases.map(|phase| meter.count(id, stream, phase).bytes_sent).iter().sum()
                };
                assert_eq!(sent(Stream::Pre), 0);
                assert_eq!(sent(Stream::Def), all.def[me][to], "{me} to {to}, ahead");
                assert_eq!(sent(Stream::On), all.on[me][to], "{me} to {to}, online");
            }
            session.finish().unwrap();
        });
    }
}
