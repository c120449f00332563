//! Meeting the other parties. Whatever keeps this one from it is told to them, too: nobody is to
//! wait for a party that has ended.

use crate::error::CliError;
use crate::harden;
use crate::invocation;
use crate::output::{Output, remark};
use crate::signals;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;
use tacit::runtime::{Meeting, session_named};
use tacit_net::config::PartyConfig;
use tacit_net::{Farewell, SessionConfig};

/// How long it tells them before it says on its terminal that it does so.
const AT_ONCE: Duration = Duration::from_millis(300);
/// How long a party that its user stopped tells the others. Peers try to connect once a second at least.
const GOODBYE: Duration = Duration::from_millis(1200);

/// A meeting of this configuration; signals end it from here on.
pub fn of(config: SessionConfig) -> Meeting {
    signals::end_session(config.stopper.clone());
    Meeting::new(config)
}

/// What one party does that others wait for. An error before they are met is told to them.
pub fn hold<T>(
    config: SessionConfig,
    work: impl FnOnce(&mut Meeting) -> Result<T, CliError>,
) -> Result<T, Failure> {
    let mut meeting = of(config);
    work(&mut meeting).map_err(|error| {
        let most = meeting.config.limits.connect;
        let farewell = meeting.farewell(&error);
        Failure { error, farewell, most }
    })
}

/// A failure before the arguments are known to be right. Where they name a party's file, the others are told. `session` is
/// the run's name where the arguments have none: where one of them is unknown, it may be the name that is misspelt.
pub fn early(error: CliError, session: Option<&str>) -> Failure {
    let farewell = named_party(session).and_then(|config| Meeting::new(config).farewell(&error));
    Failure { error, farewell, most: Duration::MAX }
}

/// The session of the party that the arguments of `tacit run` or `tacit prepare` name, as far as they can be read. None if its
/// port is taken: by another process of this party, which the others wait for or have met.
fn named_party(session: Option<&str>) -> Option<SessionConfig> {
    let words = invocation::arguments();
    let is = |names: &[&str]| words.iter().any(|word| names.iter().any(|name| word == name));
    if !is(&["run", "prepare"]) || is(&["--local"]) {
        return None;
    }
    let value = |flag: &str| {
        let given = words.iter().enumerate().find_map(|(at, word)| {
            let word = word.to_str()?;
            match word.strip_prefix(flag)? {
                "" => words.get(at + 1).cloned(),
                rest => rest.strip_prefix('=').map(Into::into),
            }
        });
        given.and_then(|value| value.into_string().ok())
    };
    // The file has the party's private key.
    harden::harden().ok()?;
    let file = PartyConfig::load(Path::new(&value("--party")?)).ok()?;
    TcpListener::bind(&file.listen).ok()?;
    let session = value("--session").or_else(|| session.map(str::to_owned))?;
    Some(file.session(session_named(&session)))
}

/// How a command failed, and who has not heard of it yet.
pub struct Failure {
    error: CliError,
    farewell: Option<Farewell>,
    /// Others are not told for longer.
    most: Duration,
}

impl From<CliError> for Failure {
    fn from(error: CliError) -> Failure {
        Failure { error, farewell: None, most: Duration::ZERO }
    }
}

impl From<tacit::Error> for Failure {
    fn from(error: tacit::Error) -> Failure {
        CliError::from(error).into()
    }
}

impl Failure {
    /// Says what is wrong, at once; then tells the others for a while, and ends.
    pub fn end(self, output: Output) -> u8 {
        let Failure { error, farewell, most } = self;
        if let Some(code) = signals::caught_and_said(output) {
            if let Some(mut farewell) = farewell {
                farewell.tell(GOODBYE);
            }
            return code;
        }
        output.error(&error);
        Failure { error, farewell, most }.part()
    }

    /// Tells the others for a while, of an error that was said, and ends.
    pub fn part(self) -> u8 {
        let Failure { error, farewell, most } = self;
        let code = error.kind.exit_code();
        signals::parting(code);
        if let Some(mut farewell) = farewell {
            farewell.tell(AT_ONCE);
            let patience = farewell.patience().min(most);
            if farewell.patience() <= GOODBYE {
                farewell.tell(patience);
                return code;
            }
            if !farewell.untold().is_empty() {
                let names = farewell.untold().join(", ");
                remark(&format!("telling {names} for up to {patience:.0?} (Ctrl-C to stop) ..."));
                farewell.tell(patience);
            }
            if !farewell.untold().is_empty() {
                remark(&format!("{} cannot be told", farewell.untold().join(", ")));
            }
        }
        code
    }
}
