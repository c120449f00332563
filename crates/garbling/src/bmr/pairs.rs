//! Seeds that every two parties have in common, without oblivious transfer.

use crate::links::Links;
use tacit_net::Stream;
use tacit_ring::{Entropy, Seed, hash};
use tacit_sharing::SharingError;

/// Seeds that were sent, by role; none to oneself.
pub(super) struct Pairs(Vec<Option<Seed>>);

impl Pairs {
    /// Sends every other party a fresh seed of 32 bytes.
    pub fn send(links: &mut Links<'_>, entropy: &mut Entropy) -> Result<Self, SharingError> {
        let mut mine: Vec<Option<Seed>> = (0..links.parties()).map(|_| None).collect();
        for peer in links.peers() {
            let seed = entropy.seed()?;
            links.send(peer, Stream::On, seed.expose())?;
            mine[peer] = Some(seed);
        }
        Ok(Pairs(mine))
    }

    /// Takes what a peer sent; gives the seed with it, from both.
    pub fn receive(
        &self,
        links: &mut Links<'_>,
        session: &[u8],
        peer: usize,
    ) -> Result<Seed, SharingError> {
        let none = || SharingError::Shape("no seed for a role".into());
        let mine = self.0.get(peer).and_then(Option::as_ref).ok_or_else(none)?;
        let mut theirs = Seed::from_bytes([0; Seed::LEN]);
        links.recv_into(peer, Stream::On, theirs.expose_mut())?;
        let me = links.me;
        let (first, second) = if me < peer { (mine, &theirs) } else { (&theirs, mine) };
        let roles = [me.min(peer) as u8, me.max(peer) as u8];
        let parts: [&[u8]; 4] = [session, &roles, first.expose(), second.expose()];
        Ok(Seed::from_bytes(hash::derive_key("tacit 2026 seed of two parties of BMR", &parts)))
    }
}
