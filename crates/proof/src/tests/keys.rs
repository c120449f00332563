//! Keys and the protocol that they are of.

use super::PLACES;
use crate::prover::Proofs;
use crate::{Method, Proving};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_protocol::Protocol;
use tacit_ring::Entropy;
use tacit_sharing::replicated::REPLICATED;
use tacit_sharing::setup::Secrets;

/// Keys say how products are proven, whatever the strength and the batch, and they say it once; stored ones do, too.
#[test]
fn keys_say_how_products_are_proven() {
    let known = Method::all().map(|method| method.protocol().descriptor());
    let known: Vec<_> = known.collect();
    let batched = ["post/4096", "post@64/4096", "lift@64/64", "brain-buckets/453x5"];
    let batched = batched.map(|name| Protocol::named(name, &known).unwrap());
    let protocols: Vec<Protocol> = Protocol::with_strengths(&known).chain(batched).collect();
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        let mut entropy = Entropy::insecure_seeded(5, session.me().0);
        let mesh = &mut session.meshes[0];
        let mut exchange =
            |protocol| Secrets::exchange(mesh, b"it", protocol, &PLACES, &mut entropy).unwrap();
        for protocol in &protocols {
            let mut kept = exchange(*protocol);
            let stored = Secrets::from_bytes(kept.store().unwrap()).unwrap();
            for mut secrets in [kept, stored] {
                assert!(secrets.fit(*protocol, role) && !secrets.fit(REPLICATED, role));
                let others = protocols.iter().filter(|other| *other != protocol);
                assert!(others.clone().all(|other| !secrets.fit(*other, role)), "{protocol}");
                let mut keys = secrets.keys("it", 1, 1).remove(0);
                let proving = Proofs::of(&mut keys).map(|proofs| proofs.proving);
                assert_eq!(proving, Proving::of(*protocol), "{protocol}");
                assert!(proving.is_some() && Proofs::of(&mut keys).is_none(), "{protocol}");
            }
        }
        let mut secrets = exchange(REPLICATED);
        assert!(Proofs::of(&mut secrets.keys("it", 1, 1)[0]).is_none());
        session.finish().unwrap();
    });
}
