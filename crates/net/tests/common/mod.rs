//! Sessions over sockets between threads of one test.
#![allow(dead_code)]

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::{
    Identity, PartyAddress, PartyId, Security, Session, SessionConfig, SessionId, connect,
};

pub const NAMES: [&str; 4] = ["alice", "bob", "carol", "dave"];

/// Configurations of `n` parties that listen on free ports of this machine.
pub fn configs(n: usize, tls: bool) -> Vec<SessionConfig> {
    let listeners: Vec<TcpListener> =
        (0..n).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let identities: Vec<Identity> =
        NAMES[..n].iter().map(|name| Identity::generate(name).unwrap()).collect();
    let parties: Vec<PartyAddress> = (0..n)
        .map(|i| PartyAddress {
            name: NAMES[i].into(),
            address: listeners[i].local_addr().unwrap().to_string(),
            fingerprint: tls.then(|| identities[i].fingerprint()),
        })
        .collect();
    PartyId::all(n)
        .zip(listeners)
        .zip(identities)
        .map(|((id, listener), identity)| {
            let security = match tls {
                true => Security::Tls(Box::new(identity)),
                false => Security::InsecurePlaintextOnLoopback,
            };
            let session = SessionId::named("test");
            let mut config = SessionConfig::new(id, session, parties.clone(), security);
            config.listener = Some(Arc::new(listener));
            config.limits.connect = Duration::from_secs(10);
            config.limits.progress = Duration::from_secs(10);
            config
        })
        .collect()
}

/// Connects every party in its own thread and runs `party` there.
pub fn run<R: Send>(configs: &[SessionConfig], party: impl Fn(Session) -> R + Sync) -> Vec<R> {
    run_each(configs, |config| party(connect(config).unwrap()))
}

/// Runs `party` in a thread per configuration.
pub fn run_each<R: Send>(
    configs: &[SessionConfig],
    party: impl Fn(&SessionConfig) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let party = &party;
        let threads: Vec<_> =
            configs.iter().map(|config| scope.spawn(move || party(config))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}
