//! A party's configuration file: who it is, its key, and whom it talks to.
//!
//! ```toml
//! name = "alice"
//! id = 0
//! listen = "10.0.0.1:7000"
//! certificate = """-----BEGIN CERTIFICATE----- ..."""
//! key = """-----BEGIN PRIVATE KEY----- ..."""
//!
//! [[peers]]
//! name = "bob"
//! id = 1
//! address = "10.0.0.2:7000"
//! fingerprint = "sha256:..."
//! ```

use crate::error::NetError;
use crate::identity::{Fingerprint, Identity};
use crate::socket::{PartyAddress, Security, SessionConfig, SessionId};
use crate::types::PartyId;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Largest configuration file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
const MAX_NAME_BYTES: usize = 64;

/// One party's configuration. Its key is wiped from memory on drop.
#[derive(Clone, Debug)]
pub struct PartyConfig {
    /// The party's name.
    pub name: String,
    /// Its id.
    pub id: PartyId,
    /// The address that it listens on.
    pub listen: String,
    /// Its certificate and key.
    pub identity: Identity,
    /// All parties by id, this one included (with its listening address).
    pub parties: Vec<PartyAddress>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    id: u8,
    listen: String,
    certificate: String,
    key: Secret,
    peers: Vec<FilePeer>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Secret(Zeroizing<String>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePeer {
    name: String,
    id: u8,
    address: String,
    fingerprint: Fingerprint,
}

impl PartyConfig {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`NetError::Configuration`] with file and, where there is one, line and column; also if
    /// others may read the file, since it holds the private key.
    pub fn load(path: &Path) -> Result<PartyConfig, NetError> {
        let shown = path.display();
        let wrong = |e: std::io::Error| NetError::Configuration(format!("{shown}: {e}"));
        let file = fs::File::open(path).map_err(wrong)?;
        let metadata = file.metadata().map_err(wrong)?;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(NetError::Configuration(format!(
                "{shown}: others may read this file, but it holds a private key; run: chmod 600 {shown}"
            )));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(NetError::Configuration(format!(
                "{shown}: larger than {MAX_FILE_BYTES} bytes: this is no configuration file"
            )));
        }
        let mut text = Zeroizing::new(String::with_capacity(metadata.len() as usize + 1));
        let read = file.take(MAX_FILE_BYTES).read_to_string(&mut text);
        read.map_err(wrong)?;
        PartyConfig::parse(&text, &shown.to_string())
    }

    /// Reads a configuration from text; `origin` names it in errors.
    ///
    /// # Errors
    /// As [`PartyConfig::load`].
    pub fn parse(text: &str, origin: &str) -> Result<PartyConfig, NetError> {
        let file: File = toml::from_str(text).map_err(|e| malformed(text, origin, &e))?;
        let wrong = |why: String| NetError::Configuration(format!("{origin}: {why}"));
        let identity =
            Identity::from_pem(&file.certificate, &file.key.0).map_err(|e| wrong(e.to_string()))?;
        let own = FilePeer {
            name: file.name.clone(),
            id: file.id,
            address: file.listen.clone(),
            fingerprint: identity.fingerprint(),
        };
        let mut parties: Vec<FilePeer> = file.peers;
        parties.push(own);
        parties.sort_by_key(|p| p.id);
        check(&parties).map_err(wrong)?;
        Ok(PartyConfig {
            name: file.name,
            id: PartyId(file.id),
            listen: file.listen,
            identity,
            parties: parties
                .into_iter()
                .map(|p| PartyAddress {
                    name: p.name,
                    address: p.address,
                    fingerprint: Some(p.fingerprint),
                })
                .collect(),
        })
    }

    /// The configuration as text, with the private key: a secret.
    #[must_use]
    pub fn to_toml(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(4096));
        // Writing to a string cannot fail. Names, addresses and PEM hold no quotes.
        let _ = write!(
            text,
            "# Tacit party configuration. It holds a private key: keep it to yourself.\n\
             name = \"{}\"\nid = {}\nlisten = \"{}\"\n\
             # Own fingerprint: {}\ncertificate = \"\"\"\n{}\"\"\"\nkey = \"\"\"\n{}\"\"\"\n",
            self.name,
            self.id.0,
            self.listen,
            self.identity.fingerprint(),
            self.identity.certificate_pem().replace('\r', ""),
            Zeroizing::new(self.identity.key_pem().replace('\r', "")).as_str(),
        );
        for (id, party) in PartyId::all(self.parties.len()).zip(&self.parties) {
            if id != self.id
                && let Some(fingerprint) = party.fingerprint
            {
                let _ = write!(
                    text,
                    "\n[[peers]]\nname = \"{}\"\nid = {}\naddress = \"{}\"\nfingerprint = \"{fingerprint}\"\n",
                    party.name, id.0, party.address,
                );
            }
        }
        text
    }

    /// What [`crate::connect`] needs for a session over TLS with these parties.
    #[must_use]
    pub fn session(&self, session: SessionId) -> SessionConfig {
        let security = Security::Tls(Box::new(self.identity.clone()));
        SessionConfig::new(self.id, session, self.parties.clone(), security)
    }
}

/// Makes configurations with new identities for parties given as (name, `host:port`), in memory:
/// for throw-away sessions.
///
/// # Errors
/// A name or an address is malformed or given twice.
pub fn generate(parties: &[(String, String)]) -> Result<Vec<PartyConfig>, NetError> {
    let mut identities = Vec::with_capacity(parties.len());
    let mut described = Vec::with_capacity(parties.len());
    for (id, (name, address)) in (0..=u8::MAX).zip(parties) {
        let identity = Identity::generate(name)?;
        described.push(FilePeer {
            name: name.clone(),
            id,
            address: address.clone(),
            fingerprint: identity.fingerprint(),
        });
        identities.push(identity);
    }
    check(&described).map_err(NetError::Configuration)?;
    let addresses: Vec<PartyAddress> = described
        .into_iter()
        .map(|p| PartyAddress {
            name: p.name,
            address: p.address,
            fingerprint: Some(p.fingerprint),
        })
        .collect();
    let config = |(id, identity): (PartyId, Identity)| PartyConfig {
        name: addresses[id.index()].name.clone(),
        id,
        listen: addresses[id.index()].address.clone(),
        identity,
        parties: addresses.clone(),
    };
    Ok(PartyId::all(parties.len()).zip(identities).map(config).collect())
}

/// Makes new identities and writes `NAME.toml` for each party into `dir`, readable by the owner
/// only. Nothing is overwritten: if one file exists already, none is written.
///
/// # Errors
/// As [`generate`], or a file cannot be written.
pub fn init(parties: &[(String, String)], dir: &Path) -> Result<Vec<PathBuf>, NetError> {
    let configs = generate(parties)?;
    let wrong = |path: &Path, e: std::io::Error| {
        NetError::Configuration(format!("{}: {e}", path.display()))
    };
    fs::create_dir_all(dir).map_err(|e| wrong(dir, e))?;
    let paths: Vec<PathBuf> =
        configs.iter().map(|c| dir.join(format!("{}.toml", c.name))).collect();
    if let Some(path) = paths.iter().find(|p| p.symlink_metadata().is_ok()) {
        return Err(NetError::Configuration(format!(
            "{} exists already and is not overwritten; choose another directory or remove it",
            path.display()
        )));
    }
    for (config, path) in configs.iter().zip(&paths) {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = options.open(path).map_err(|e| wrong(path, e))?;
        file.write_all(config.to_toml().as_bytes()).map_err(|e| wrong(path, e))?;
    }
    Ok(paths)
}

/// Checks all parties of a session, sorted by id.
fn check(parties: &[FilePeer]) -> Result<(), String> {
    let n = parties.len();
    if !(2..=255).contains(&n) {
        return Err(format!("a session has 2 to 255 parties, not {n}"));
    }
    let (mut names, mut addresses, mut fingerprints) =
        (HashSet::new(), HashSet::new(), HashSet::new());
    for (i, party) in parties.iter().enumerate() {
        if usize::from(party.id) != i {
            return Err(format!("the ids must be 0 to {} without gaps, each once", n - 1));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if party.name.is_empty()
            || party.name.len() > MAX_NAME_BYTES
            || !party.name.chars().all(plain)
        {
            return Err(format!(
                "{:?} is no name for a party: use 1 to {MAX_NAME_BYTES} letters, digits, - and _",
                party.name
            ));
        }
        check_address(&party.address)?;
        if !names.insert(&party.name) {
            return Err(format!("two parties are named {}", party.name));
        }
        if !addresses.insert(&party.address) {
            return Err(format!("two parties have the address {}", party.address));
        }
        if !fingerprints.insert(party.fingerprint) {
            return Err(format!("{} has the fingerprint of another party", party.name));
        }
    }
    Ok(())
}

fn check_address(address: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-._:[]%".contains(c);
    let parts = address.rsplit_once(':');
    let port = parts.and_then(|(_, port)| port.parse::<u16>().ok());
    let host = parts.map_or("", |(host, _)| host);
    match port {
        Some(1..) if !host.is_empty() && address.chars().all(good) => Ok(()),
        _ => Err(format!("{address:?} is no address: write host:port")),
    }
}

/// A parse error with file, line and column, and without quoting the file: it holds a key.
fn malformed(text: &str, origin: &str, e: &toml::de::Error) -> NetError {
    let at = e.span().map_or(0, |span| span.start).min(text.len());
    let before = &text.as_bytes()[..at];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&b| b != b'\n').count();
    NetError::Configuration(format!("{origin}:{line}:{column}: {}", e.message()))
}
