//! Who is who: names of the session's parties, and of the program's.

use crate::error::{Error, Result};
use tacit_circuit::spelling;
use tacit_net::{PartyId, SessionConfig};
use tacit_program::{self as form, Program};
use tacit_sharing::Protocol;

/// The names of the parties, by id.
pub struct Parties(pub Vec<String>);

impl Parties {
    /// Local parties are known by number.
    pub fn numbered(parties: usize) -> Parties {
        Parties((0..parties).map(|party| format!("party{party}")).collect())
    }

    /// The parties of a configuration, which is called `origin`. There may be more than the protocol's if `outside`
    /// says so.
    pub fn of(
        config: &SessionConfig,
        origin: &str,
        protocol: Protocol,
        outside: bool,
    ) -> Result<Parties> {
        let parties = Parties(config.parties.iter().map(|p| p.name.clone()).collect());
        let needed = protocol.parties();
        if parties.0.len() < needed || (parties.0.len() > needed && !outside) {
            return Err(Error::input(format!(
                "{origin} has {} parties; {protocol} needs {needed} (`tacit party add` adds others)",
                parties.0.len(),
            )));
        }
        Ok(parties)
    }

    /// The party of a name or number.
    pub fn find(&self, name: &str) -> Result<PartyId> {
        let by_name = self.0.iter().position(|known| known == name);
        let by_number = name.parse().ok().filter(|number| *number < self.0.len());
        by_name.or(by_number).map(|index| PartyId(index as u8)).ok_or_else(|| {
            let (known, hint) = (self.0.join(", "), self.hint(name));
            Error::input(format!(
                "there is no party `{name}`: choose from {known}, or by number{hint}"
            ))
        })
    }

    /// The party that was meant by a name that nobody has, for messages.
    pub fn hint(&self, name: &str) -> String {
        spelling::hint(name, self.0.iter().map(String::as_str))
    }

    /// Parties separated by commas.
    pub fn list(&self, names: &str) -> Result<Vec<PartyId>> {
        names.split(',').map(|name| self.find(name.trim())).collect()
    }
}

/// Whether a protocol trusts one party with everything.
pub(crate) fn is_trusted(protocol: Protocol) -> bool {
    protocol.security().corruptions(protocol.parties()) == 0
}

/// Checks that all of the program's parties can play a role.
pub fn check_parties(program: &Program, protocol: Protocol) -> Result<()> {
    let (has, computing) = (program.parties.len(), protocol.parties());
    if has <= computing {
        return Ok(());
    }
    Err(Error::input(format!(
        "the program has {has} parties; {computing} compute under {protocol}, and more are supported in `tacit run` \
         only, under protocols by shares"
    )))
}

/// Whether parties may give inputs and learn results that play no role.
pub fn takes_outside(protocol: Protocol) -> bool {
    !protocol.garbles() && !is_trusted(protocol)
}

/// Names of the session's parties when all are local: those of the program, and others that only compute.
pub fn local_names(program: &Program, protocol: Protocol) -> Result<Vec<String>> {
    if !takes_outside(protocol) {
        check_parties(program, protocol)?;
    }
    let mut names = program.parties.clone();
    names.extend((names.len()..protocol.parties()).map(|i| format!("party{i}")));
    Ok(names)
}

/// Who is who: parties of the program and of the session.
pub struct Names {
    /// The names of the session's parties.
    pub session: Vec<String>,
    /// The session's party that each party of the program is.
    pub parties: Vec<PartyId>,
}

impl Names {
    /// Locally, the program's first party is party 0, and so on.
    pub fn local(program: &Program, protocol: Protocol) -> Result<Self> {
        let session = local_names(program, protocol)?;
        let parties = (0..program.parties.len() as u8).map(PartyId).collect();
        Ok(Names { session, parties })
    }

    /// Otherwise parties are told by name.
    pub fn configured(program: &Program, parties: &Parties) -> Result<Self> {
        let find = |name: &String| {
            let found = parties.0.iter().position(|known| known == name);
            found.map(|i| PartyId(i as u8)).ok_or_else(|| {
                let hint = parties.hint(name);
                Error::input(format!(
                    "the program's party `{name}` is none of {}{hint}; use the same names in the \
                     program and in the configuration (`tacit party show`)",
                    parties.0.join(", ")
                ))
            })
        };
        let found = program.parties.iter().map(find).collect::<Result<_>>()?;
        Ok(Names { session: parties.0.clone(), parties: found })
    }

    /// The program's party that `me` is.
    #[must_use]
    pub fn own(&self, me: PartyId) -> Option<form::PartyId> {
        let own = self.parties.iter().position(|party| *party == me);
        own.map(|party| form::PartyId(party as u8))
    }
}
