//! A party's configuration file: who it is, its key, and whom it talks to; and the cards by which
//! parties tell each other their keys.
//!
//! ```toml
//! name = "alice"
//! address = "alice.example.org:7000"   # where the others reach it
//! listen = "0.0.0.0:7000"              # what it listens on, if that is something else
//! certificate = """-----BEGIN CERTIFICATE----- ..."""
//! key = """-----BEGIN PRIVATE KEY----- ..."""
//! share_program = false                # where programs differ, the others see no text of this one; true if it is left out
//!
//! [policy]                             # what its runs must protect against, if it says so
//! security = "malicious"
//!
//! [[peers]]
//! name = "bob"
//! address = "10.0.0.2:7000"
//! fingerprint = "sha256:..."
//! ```
//!
//! Parties have ids by their names: sorted, the first has 0. So nobody has to hand out numbers. A
//! file may say `id = 0` for the party and for every peer instead; then all parties' files
//! must say the same.

mod card;
mod policy;

pub use card::Card;
pub use policy::{Behaviour, Corruptions, Policy};

use crate::error::NetError;
use crate::identity::{Fingerprint, Identity};
use crate::socket::{PartyAddress, Security, SessionConfig, SessionId};
use crate::types::PartyId;
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Largest configuration file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
const MAX_NAME_BYTES: usize = 64;

/// One party's configuration. Its key is wiped from memory on drop.
#[derive(Clone, Debug)]
pub struct PartyConfig {
    /// The name of the party.
    pub name: String,
    /// The number of the party, from 0.
    pub id: PartyId,
    /// The address, `host:port`, at which the others reach it.
    pub address: String,
    /// The address that it listens on.
    pub listen: String,
    /// The certificate and the private key of the party.
    pub identity: Identity,
    /// All parties by id, this one included (with its listening address).
    pub parties: Vec<PartyAddress>,
    /// Whether ids follow from the names. Otherwise the file says them.
    pub ids_by_name: bool,
    /// What its runs must protect against, if it says so.
    pub policy: Option<Policy>,
    /// Whether it shows the others the text of its program, if all do, where their programs differ.
    pub share_program: bool,
}

/// What [`PartyConfig::add`] did.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Added {
    /// The party was not known.
    New,
    /// The party has another address, or another key, than before.
    Changed,
    /// Nothing is new.
    Known,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    id: Option<u8>,
    address: Option<String>,
    listen: Option<String>,
    certificate: String,
    key: Secret,
    policy: Option<Policy>,
    #[serde(default = "yes")]
    share_program: bool,
    #[serde(default)]
    peers: Vec<FilePeer>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Secret(Zeroizing<String>);

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePeer {
    name: String,
    id: Option<u8>,
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
    /// [`NetError::Configuration`] with `origin` and, where there is one, line and column.
    pub fn parse(text: &str, origin: &str) -> Result<PartyConfig, NetError> {
        let file: File = toml::from_str(text).map_err(|e| malformed(text, origin, &e))?;
        let wrong = |why: String| NetError::Configuration(format!("{origin}: {why}"));
        let identity =
            Identity::from_pem(&file.certificate, &file.key.0).map_err(|e| wrong(e.to_string()))?;
        let (address, listen) = match (file.address, file.listen) {
            (Some(address), Some(listen)) => (address, listen),
            (Some(one), None) | (None, Some(one)) => (one.clone(), one),
            (None, None) => return Err(wrong("it has neither `address` nor `listen`".into())),
        };
        check_address(&listen).map_err(wrong)?;
        let own = FilePeer {
            name: file.name.clone(),
            id: file.id,
            address: address.clone(),
            fingerprint: identity.fingerprint(),
        };
        let mut parties: Vec<FilePeer> = file.peers;
        parties.push(own);
        let ids_by_name = give_ids(&mut parties).map_err(wrong)?;
        check(&parties).map_err(wrong)?;
        let config = PartyConfig {
            id: PartyId(0),
            parties: parties.into_iter().map(PartyAddress::from).collect(),
            name: file.name,
            address,
            listen,
            identity,
            ids_by_name,
            policy: file.policy,
            share_program: file.share_program,
        };
        Ok(config.settled())
    }

    /// Makes a new party with a fresh key, which knows no others yet. It listens on `listen`, or
    /// where `address` says: on this machine's loopback interface, or else on every interface.
    ///
    /// # Errors
    /// The name or an address is malformed, or the system has no randomness.
    pub fn new(name: &str, address: &str, listen: Option<&str>) -> Result<PartyConfig, NetError> {
        let identity = Identity::generate(name)?;
        let card = Card {
            name: name.to_owned(),
            address: address.to_owned(),
            fingerprint: identity.fingerprint(),
        };
        card.check().map_err(NetError::Configuration)?;
        let listen = listen.map_or_else(|| listening(address), str::to_owned);
        check_address(&listen).map_err(NetError::Configuration)?;
        let config = PartyConfig {
            name: name.to_owned(),
            id: PartyId(0),
            address: address.to_owned(),
            listen,
            identity,
            parties: vec![FilePeer::from(card).into()],
            ids_by_name: true,
            policy: None,
            share_program: true,
        };
        Ok(config.settled())
    }

    /// Gives what this party tells the others about itself.
    #[must_use]
    pub fn card(&self) -> Card {
        Card {
            name: self.name.clone(),
            address: self.address.clone(),
            fingerprint: self.identity.fingerprint(),
        }
    }

    /// Takes another party's card: from now on it is a member, known by that key. A member's new
    /// key is taken only if `replace` says so.
    ///
    /// # Errors
    /// The card is this party's own, or that of a member with another key; or the ids are said in
    /// this configuration, so that no party can be added here alone.
    pub fn add(&mut self, card: &Card, replace: bool) -> Result<Added, NetError> {
        let wrong = |why: String| Err(NetError::Configuration(why));
        card.check().map_err(NetError::Configuration)?;
        let name = &card.name;
        if *name == self.name {
            return wrong(format!(
                "the card is {name}'s, and so is this configuration; add the cards of the others"
            ));
        }
        let mut parties: Vec<PartyAddress> = self.parties.clone();
        let added = match parties.iter_mut().find(|party| party.name == *name) {
            Some(party) => {
                let new_key = party.fingerprint != Some(card.fingerprint);
                if new_key && !replace {
                    let known = party.fingerprint.map_or_else(String::new, |f| f.to_string());
                    return wrong(format!(
                        "{name} is known with the key {known}, but this card says {}; ask {name} by \
                         telephone which is right, and if it is the card, replace the key",
                        card.fingerprint
                    ));
                }
                let changed = new_key || party.address != card.address;
                party.address.clone_from(&card.address);
                party.fingerprint = Some(card.fingerprint);
                match changed {
                    true => Added::Changed,
                    false => Added::Known,
                }
            }
            None if !self.ids_by_name => {
                return wrong(format!(
                    "{name} cannot be added: this configuration says the parties' ids, as `tacit network \
                     init` writes them for all at once; make one with `tacit party new`"
                ));
            }
            None => {
                parties.push(FilePeer::from(card.clone()).into());
                Added::New
            }
        };
        self.change(parties)?;
        Ok(added)
    }

    /// Forgets a party.
    ///
    /// # Errors
    /// There is no such peer, or the ids are said in this configuration.
    pub fn remove(&mut self, name: &str) -> Result<(), NetError> {
        let peer = self.parties.iter().position(|p| p.name == name && p.name != self.name);
        let (Some(peer), true) = (peer, self.ids_by_name) else {
            return Err(NetError::Configuration(match self.ids_by_name {
                true => format!("{name} is no peer of {}", self.name),
                false => "the ids that this configuration says would have a gap".to_owned(),
            }));
        };
        let mut parties = self.parties.clone();
        parties.remove(peer);
        self.change(parties)
    }

    /// Replaces the list of parties, if it is a good one.
    fn change(&mut self, parties: Vec<PartyAddress>) -> Result<(), NetError> {
        let mut config = PartyConfig { parties, ..self.clone() };
        if self.ids_by_name {
            config.parties.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let config = config.settled();
        check(&config.described()).map_err(NetError::Configuration)?;
        *self = config;
        Ok(())
    }

    /// With the own id and listening address, as the list of parties has it.
    fn settled(mut self) -> PartyConfig {
        let own =
            PartyId::all(self.parties.len()).find(|id| self.parties[id.index()].name == self.name);
        self.id = own.unwrap_or(self.id);
        if let Some(party) = self.parties.get_mut(self.id.index()) {
            party.address.clone_from(&self.listen);
        }
        self
    }

    /// All parties as files have them: this one with the address at which others reach it.
    fn described(&self) -> Vec<FilePeer> {
        let peer = |(id, party): (PartyId, &PartyAddress)| FilePeer {
            name: party.name.clone(),
            id: Some(id.0),
            address: match id == self.id {
                true => self.address.clone(),
                false => party.address.clone(),
            },
            fingerprint: party.fingerprint.unwrap_or_else(|| self.identity.fingerprint()),
        };
        PartyId::all(self.parties.len()).zip(&self.parties).map(peer).collect()
    }

    /// Writes the configuration to a new file, readable by its owner only.
    ///
    /// # Errors
    /// The file exists already, or cannot be written.
    pub fn create(&self, path: &Path) -> Result<(), NetError> {
        write_new(path, self.to_toml().as_bytes(), 0o600)
    }

    /// Writes the configuration over the file that it was read from, all or nothing.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn replace(&self, path: &Path) -> Result<(), NetError> {
        let mut draft = path.as_os_str().to_owned();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        write_new(&draft, self.to_toml().as_bytes(), 0o600)?;
        fs::rename(&draft, path)
            .map_err(|e| NetError::Configuration(format!("{}: {e}", path.display())))
    }

    /// Gives the configuration as text, with the private key: a secret, which is wiped when it is dropped.
    #[must_use]
    pub fn to_toml(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(4096));
        let id = |id: PartyId| match self.ids_by_name {
            true => String::new(),
            false => format!("id = {}\n", id.0),
        };
        // Writing to a string cannot fail. Names, addresses and PEM hold no quotes.
        let _ = write!(
            text,
            "# Tacit party configuration. It holds a private key: keep it to yourself.\n\
             name = \"{}\"\n{}# Where the others reach this party, and the socket that it opens.\n\
             address = \"{}\"\nlisten = \"{}\"\n\
             # Own fingerprint: {}\ncertificate = \"\"\"\n{}\"\"\"\nkey = \"\"\"\n{}\"\"\"\n",
            self.name,
            id(self.id),
            self.address,
            self.listen,
            self.identity.fingerprint(),
            self.identity.certificate_pem().replace('\r', ""),
            Zeroizing::new(self.identity.key_pem().replace('\r', "")).as_str(),
        );
        if !self.share_program {
            text.push_str("share_program = false\n");
        }
        if let Some(policy) = self.policy {
            let _ = write!(text, "\n{policy}");
        }
        for (number, party) in PartyId::all(self.parties.len()).zip(&self.parties) {
            if number != self.id
                && let Some(fingerprint) = party.fingerprint
            {
                let _ = write!(
                    text,
                    "\n[[peers]]\nname = \"{}\"\n{}address = \"{}\"\nfingerprint = \"{fingerprint}\"\n",
                    party.name,
                    id(number),
                    party.address,
                );
            }
        }
        text
    }

    /// Gives what [`crate::connect`] needs for a session over TLS with these parties.
    #[must_use]
    pub fn session(&self, session: SessionId) -> SessionConfig {
        let security = Security::Tls(Box::new(self.identity.clone()));
        let config = SessionConfig::new(self.id, session, self.parties.clone(), security);
        SessionConfig { share_program: self.share_program, ..config }
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
            id: Some(id),
            address: address.clone(),
            fingerprint: identity.fingerprint(),
        });
        identities.push(identity);
    }
    if described.len() < 2 {
        return Err(NetError::Configuration("a session has 2 to 255 parties, not 1".into()));
    }
    check(&described).map_err(NetError::Configuration)?;
    let addresses: Vec<PartyAddress> = described.into_iter().map(PartyAddress::from).collect();
    let config = |(id, identity): (PartyId, Identity)| PartyConfig {
        name: addresses[id.index()].name.clone(),
        id,
        address: addresses[id.index()].address.clone(),
        listen: addresses[id.index()].address.clone(),
        identity,
        parties: addresses.clone(),
        ids_by_name: false,
        policy: None,
        share_program: true,
    };
    Ok(PartyId::all(parties.len()).zip(identities).map(config).collect())
}

/// Makes new identities and writes `NAME.toml` for each party into `dir`, readable by the owner
/// only. Nothing is overwritten: if one file exists already, none is written.
///
/// # Errors
/// A name or an address is malformed or given twice, or a file cannot be written.
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
        config.create(path)?;
    }
    Ok(paths)
}

/// Writes a file that must not exist yet, and makes it last.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), NetError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let written = options.open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|e| {
        let shown = path.display();
        NetError::Configuration(match e.kind() {
            ErrorKind::AlreadyExists => format!(
                "{shown} exists already and is not overwritten; choose another directory or remove it"
            ),
            _ => format!("{shown}: {e}"),
        })
    })
}

impl From<FilePeer> for PartyAddress {
    fn from(peer: FilePeer) -> PartyAddress {
        PartyAddress { name: peer.name, address: peer.address, fingerprint: Some(peer.fingerprint) }
    }
}

impl From<Card> for FilePeer {
    fn from(card: Card) -> FilePeer {
        let Card { name, address, fingerprint } = card;
        FilePeer { name, id: None, address, fingerprint }
    }
}

/// Puts parties in the order of their ids: as said, or else by name; says whether by name.
fn give_ids(parties: &mut [FilePeer]) -> Result<bool, String> {
    let said = parties.iter().filter(|party| party.id.is_some()).count();
    if said == parties.len() {
        parties.sort_by_key(|party| party.id);
        return Ok(false);
    }
    if said > 0 {
        return Err("it says the ids of some parties; say those of all, or none".into());
    }
    parties.sort_by(|a, b| a.name.cmp(&b.name));
    for (id, party) in (0..=u8::MAX).zip(parties) {
        party.id = Some(id);
    }
    Ok(true)
}

/// What a party listens on that others reach at `address`: the name may be a router's.
fn listening(address: &str) -> String {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match ip {
        Ok(ip) if ip.is_loopback() => address.to_owned(),
        Ok(IpAddr::V6(_)) => format!("[::]:{port}"),
        _ if host == "localhost" => address.to_owned(),
        _ => format!("0.0.0.0:{port}"),
    }
}

/// Checks all parties of a session, sorted by id.
fn check(parties: &[FilePeer]) -> Result<(), String> {
    let n = parties.len();
    if n > 255 {
        return Err(format!("a session has 2 to 255 parties, not {n}"));
    }
    let (mut names, mut addresses, mut fingerprints) =
        (HashSet::new(), HashSet::new(), HashSet::new());
    for (i, party) in parties.iter().enumerate() {
        if party.id.map(usize::from) != Some(i) {
            return Err(format!("the ids must be 0 to {} without gaps, each once", n - 1));
        }
        check_name(&party.name)?;
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

fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(plain) {
        true => Ok(()),
        false => Err(format!(
            "{name:?} is no name for a party: use 1 to {MAX_NAME_BYTES} letters, digits, - and _"
        )),
    }
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
