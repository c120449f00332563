//! Pairwise keys. Every ordered pair sends one fresh seed; the key of a pair is derived from both
//! seeds and the session, so that neither party fixes it alone and no two sessions share a stream.

use crate::Protocol;
use crate::party::{Keys, SharingError};
use crate::role::RoleId;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Prg, Seed, hash};

/// The pair secrets of one role. Worker keys are derived from them.
pub struct Secrets {
    next: Seed,
    prev: Seed,
}

struct Context {
    session: Vec<u8>,
    protocol: Protocol,
    places: [PartyId; 3],
    role: RoleId,
}

impl Secrets {
    /// Exchanges seeds over `mesh`: one round, 32 bytes per ordered pair.
    ///
    /// `session` must be fresh: it separates the keys of sessions and of attempts.
    ///
    /// # Errors
    /// When the network fails, or this party plays no role.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        protocol: Protocol,
        places: [PartyId; 3],
    ) -> Result<Self, SharingError> {
        let me = mesh.me();
        let role = places.iter().position(|p| *p == me).ok_or_else(|| {
            SharingError::Shape(format!("party {} plays no role in this plan", me.0))
        })?;
        mesh.set_phase(Phase::Setup);
        let [next, prev] = [(role + 1) % 3, (role + 2) % 3];
        let mine = [random_seed()?, random_seed()?];
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
        Ok(Secrets { next, prev })
    }

    /// The keys of one worker for one purpose, over the ring of `ring_bits`-bit words. Different
    /// arguments give unrelated keys.
    #[must_use]
    pub fn keys(&self, purpose: &str, ring_bits: u32, worker: usize) -> Keys {
        let prg = |secret: &Seed| {
            let parts: [&[u8]; 3] =
                [purpose.as_bytes(), &ring_bits.to_le_bytes(), &(worker as u64).to_le_bytes()];
            Prg::new(&secret.derive_key("tacit 2026 three-party stream key", &parts))
        };
        Keys { next: prg(&self.next), prev: prg(&self.prev) }
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

fn random_seed() -> Result<Seed, SharingError> {
    Seed::random().map_err(|e| SharingError::Shape(format!("the system gives no randomness: {e}")))
}
