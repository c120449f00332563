//! Pairwise keys. Every ordered pair sends one fresh seed; the key of a pair is derived from both
//! seeds and the session, so that neither party fixes it alone and no two sessions share a stream.

use crate::Protocol;
use crate::party::{Keys, SharingError};
use crate::role::RoleId;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Entropy, Prg, Seed, hash};

/// The pair secrets of one role. Worker keys are derived from them, each once.
pub struct Secrets {
    next: Seed,
    prev: Seed,
    /// Number of [`Secrets::keys`] calls so far.
    given: u64,
}

struct Context {
    session: Vec<u8>,
    protocol: Protocol,
    places: [PartyId; 3],
    role: RoleId,
}

impl Secrets {
    /// Exchanges seeds from `entropy` over `mesh`: one round, 32 bytes per ordered pair.
    ///
    /// `session` must be fresh: it separates the keys of sessions and of attempts.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, or there is no entropy.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        protocol: Protocol,
        places: [PartyId; 3],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        let me = mesh.me();
        let role = places.iter().position(|p| *p == me).ok_or_else(|| {
            SharingError::Shape(format!("party {} plays no role in this plan", me.0))
        })?;
        mesh.set_phase(Phase::Setup);
        let [next, prev] = [(role + 1) % 3, (role + 2) % 3];
        let mine = [entropy.seed()?, entropy.seed()?];
        for (seed, peer) in mine.iter().zip([next, prev]) {
            mesh.send(places[peer], Stream::On, seed.expose())?;
        }
        let context = Context { session: session.to_vec(), protocol, places, role };
        let mut pair = |mine: &Seed, peer: RoleId| -> Result<Seed, SharingError> {
            let mut theirs = Seed::from_bytes([0; 32]);
            mesh.recv(places[peer], Stream::On, theirs.expose_mut())?;
            Ok(context.pair_secret(mine, &theirs, peer))
        };
        let next = pair(&mine[0], next)?;
        let prev = pair(&mine[1], prev)?;
        Ok(Secrets { next, prev, given: 0 })
    }

    /// Keys of all workers for one purpose, over the ring of `ring_bits`-bit words. No two calls
    /// give related keys, whatever their arguments; all roles make the same calls in the same
    /// order.
    #[must_use]
    pub fn keys(&mut self, purpose: &str, ring_bits: u32, workers: usize) -> Vec<Keys> {
        let call = self.given;
        self.given += 1;
        let prg = |secret: &Seed, worker: usize| {
            let parts: [&[u8]; 4] = [
                purpose.as_bytes(),
                &ring_bits.to_le_bytes(),
                &call.to_le_bytes(),
                &(worker as u64).to_le_bytes(),
            ];
            Prg::new(&secret.derive_key("tacit 2026 three-party stream key", &parts))
        };
        (0..workers).map(|w| Keys::new(prg(&self.next, w), prg(&self.prev, w))).collect()
    }
}

impl Context {
    /// `K_ij = KDF(session, protocol, places, i, j, seed i to j, seed j to i)` for i < j.
    fn pair_secret(&self, mine: &Seed, theirs: &Seed, peer: RoleId) -> Seed {
        let (i, j) = (self.role.min(peer), self.role.max(peer));
        let (first, second) = if self.role < peer { (mine, theirs) } else { (theirs, mine) };
        let places = self.places.map(|p| p.0);
        Seed::from_bytes(hash::derive_key(
            "tacit 2026 three-party pair secret",
            &[
                &self.session,
                self.protocol.name().as_bytes(),
                &places,
                &[i as u8, j as u8],
                first.expose(),
                second.expose(),
            ],
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_net::memory::{self, MemoryNetwork};

    const PLACES: [PartyId; 3] = [PartyId(2), PartyId(0), PartyId(1)];

    /// By role, the first word of each of these workers' streams under both keys.
    fn first_words(seed: u64, calls: &[(&str, u32, usize)]) -> [Vec<[u64; 2]>; 3] {
        let words = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
            let mesh = &mut session.meshes[0];
            let mut secrets =
                Secrets::exchange(mesh, b"session", Protocol::Trio, PLACES, &mut entropy).unwrap();
            session.finish().unwrap();
            let mut keys: Vec<Keys> = calls
                .iter()
                .flat_map(|(purpose, bits, n)| secrets.keys(purpose, *bits, *n))
                .collect();
            keys.iter_mut().map(first_word).collect::<Vec<_>>()
        });
        PLACES.map(|party| words[party.index()].clone())
    }

    fn first_word(keys: &mut Keys) -> [u64; 2] {
        let mut draws = keys.streams().draws().unwrap();
        let mut words = [0; 2];
        draws.next.fill(&mut words[..1]);
        draws.prev.fill(&mut words[1..]);
        words
    }

    #[test]
    fn neighbours_have_the_same_keys_and_nothing_is_given_twice() {
        // The same arguments three times, and others.
        let calls = [("a", 1, 2), ("a", 1, 2), ("a", 1, 2), ("b", 1, 1), ("a", 8, 1)];
        let words = first_words(1, &calls);
        for role in 0..3 {
            let next = &words[(role + 1) % 3];
            assert!(words[role].iter().zip(next).all(|(mine, theirs)| mine[0] == theirs[1]));
        }
        let mut all: Vec<u64> = words.iter().flatten().map(|word| word[0]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 3 * 8);
    }

    #[test]
    fn keys_are_a_function_of_all_parties_entropy() {
        let calls = [("a", 1, 1)];
        assert_eq!(first_words(1, &calls), first_words(1, &calls));
        assert_ne!(first_words(1, &calls), first_words(2, &calls));
    }
}
