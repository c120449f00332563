//! Parties on free ports of this machine.

use crate::error::{Error, ErrorKind, Result};
use crate::party::Party;
use std::net::TcpListener;
use std::sync::Arc;
use tacit_net::SessionId;
use tacit_net::config::generate;

/// Parties of these names, with fresh keys and ports.
pub(crate) fn parties(names: &[&str]) -> Result<Vec<Party>> {
    let busy = |e| Error::new(ErrorKind::Config, format!("loopback has no free port: {e}"));
    let mut addresses = Vec::with_capacity(names.len());
    let mut listeners = Vec::with_capacity(names.len());
    for name in names {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(busy)?;
        let address = listener.local_addr().map_err(busy)?;
        addresses.push(((*name).to_owned(), address.to_string()));
        listeners.push(Arc::new(listener));
    }
    let configs = generate(&addresses)?;
    let party = |(config, listener): (&tacit_net::config::PartyConfig, Arc<TcpListener>)| {
        let mut session = config.session(SessionId::named(""));
        session.listener = Some(listener);
        Party::with(session, format!("the configuration of {}", config.name))
    };
    Ok(configs.iter().zip(listeners).map(party).collect())
}
