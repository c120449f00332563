//! Sessions on free ports of this machine.

use crate::error::{Error, ErrorKind, Result};
use std::net::TcpListener;
use std::sync::Arc;
use tacit_net::config::{PartyConfig, generate};
use tacit_net::{SessionConfig, SessionId};

/// What parties of these names start a session with, with fresh keys and ports.
pub(crate) fn sessions(names: &[&str]) -> Result<Vec<SessionConfig>> {
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
    let session = |(config, listener): (&PartyConfig, Arc<TcpListener>)| SessionConfig {
        listener: Some(listener),
        ..config.session(SessionId::named(""))
    };
    Ok(configs.iter().zip(listeners).map(session).collect())
}
