//! Checks: whoever sees one fail ends the session for everybody.

use crate::links::Links;
use tacit_sharing::{RoleId, SharingError};

/// Ends the session unless a check of what a peer sent, or of what all did, has passed.
pub(super) fn ensure(
    links: &mut Links<'_>,
    passed: bool,
    check: &str,
    peer: Option<RoleId>,
) -> Result<(), SharingError> {
    if passed || excused(check) { Ok(()) } else { Err(failed(links, check, peer)) }
}

/// Ends the session: a check failed. Peers are told only that one did.
fn failed(links: &mut Links<'_>, check: &str, peer: Option<RoleId>) -> SharingError {
    let whose = peer.map(|role| format!(", of what {} sent", links.party(role)));
    let whose = whose.unwrap_or_default();
    let what = format!("check '{check}' failed{whose}: a party did not follow the protocol");
    links.mesh.check_failed(what).into()
}

#[cfg(not(test))]
pub(super) fn excused(_: &str) -> bool {
    false
}

#[cfg(test)]
pub(super) use tests::{excuse, excused};

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    thread_local! {
        static EXCUSED: Cell<&'static [&'static str]> = const { Cell::new(&[]) };
    }

    /// In a test, this thread's party leaves out these checks: a cheat those that it would fail itself, an honest
    /// party those whose worth is to be seen.
    pub fn excuse(checks: &'static [&'static str]) {
        EXCUSED.set(checks);
    }

    pub fn excused(check: &str) -> bool {
        EXCUSED.get().contains(&check)
    }
}
