//! The side of a local party.

use super::{LISTEN_VARIABLE, Launch, Outcome, PARTY_VARIABLE, Ready, Transport};
use crate::error::{CliError, ErrorKind};
use serde::Serialize;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use tacit_net::{Fingerprint, Identity, PartyAddress, PartyId, Security, SessionConfig, SessionId};
use zeroize::Zeroizing;

/// A local party that has been started by the launcher.
pub struct Child {
    /// Which party.
    pub me: PartyId,
    /// How to connect.
    pub config: SessionConfig,
}

/// The party that this process is, if the launcher started it.
pub fn from_environment() -> Option<Result<Child, CliError>> {
    let party = std::env::var(PARTY_VARIABLE).ok()?;
    Some(Child::meet(&party))
}

/// Whether the launcher started this process.
pub fn is_child() -> bool {
    std::env::var_os(PARTY_VARIABLE).is_some()
}

/// The number of the party that this process is, if the launcher started it.
pub fn own_number() -> Option<u8> {
    std::env::var(PARTY_VARIABLE).ok()?.parse().ok()
}

impl Child {
    fn meet(party: &str) -> Result<Child, CliError> {
        let bad = |what: &str| CliError {
            kind: ErrorKind::Config,
            message: format!("{PARTY_VARIABLE} is set, but {what}; it is for the launcher only"),
        };
        let me: u8 = party.parse().map_err(|_| bad("it names no party"))?;
        let address = std::env::var(LISTEN_VARIABLE).unwrap_or_else(|_| "127.0.0.1:0".into());
        let listener = TcpListener::bind(&address).map_err(|e| CliError {
            kind: ErrorKind::Network,
            message: format!("cannot listen on {address}: {e}"),
        })?;
        let port = listener.local_addr().map_err(|_| bad("loopback has no address"))?.port();
        print_line(&Ready { port });
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(|_| bad("nothing comes on the input"))?;
        let launch: Launch =
            serde_json::from_str(&line).map_err(|_| bad("no launch comes on the input"))?;
        let mut config =
            launch.config(PartyId(me)).ok_or_else(|| bad("the launch is malformed"))?;
        config.listener = Some(Arc::new(listener));
        std::thread::spawn(end_with_launcher);
        Ok(Child { me: PartyId(me), config })
    }

    /// Tells the launcher how it went. The launcher reports errors; the exit code is theirs.
    pub fn report<T: Serialize>(result: Result<T, CliError>) -> u8 {
        let failed = |e: CliError| {
            print_line(&Outcome::<()>::Failed(e.kind.exit_code(), e.message));
            e.kind.exit_code()
        };
        match result.map(|value| print_line(&Outcome::Done(value))) {
            Ok(true) => 0,
            Ok(false) => failed(CliError {
                kind: ErrorKind::Bug,
                message: "a result cannot be written".into(),
            }),
            Err(e) => failed(e),
        }
    }
}

impl Launch {
    fn config(&self, me: PartyId) -> Option<SessionConfig> {
        let addresses = self.addresses.iter().zip(&self.fingerprints).enumerate();
        let parties = addresses.map(|(party, (address, fingerprint))| {
            Some(PartyAddress {
                name: format!("party{party}"),
                address: address.clone(),
                fingerprint: Some(fingerprint.parse::<Fingerprint>().ok()?),
            })
        });
        let security = match self.transport {
            Transport::Tls => {
                Security::Tls(Box::new(Identity::from_pem(&self.certificate, &self.key).ok()?))
            }
            Transport::Tcp => Security::InsecurePlaintextOnLoopback,
        };
        let session = SessionId::named(&self.session);
        Some(SessionConfig::new(me, session, parties.collect::<Option<_>>()?, security))
    }
}

/// Ends this process when the launcher's does: nobody would hear of its result.
fn end_with_launcher() {
    let mut rest = [0; 64];
    while matches!(std::io::stdin().read(&mut rest), Ok(1..)) {}
    std::process::exit(i32::from(ErrorKind::System.exit_code()));
}

/// Prints a value as one line; false if it has no such form.
fn print_line(value: &impl Serialize) -> bool {
    // It may hold opened values.
    let Ok(line) = serde_json::to_string(value).map(Zeroizing::new) else { return false };
    // Without a launcher to hear it there is nothing to do about a failure.
    let _ = writeln!(std::io::stdout(), "{}", *line);
    true
}
