//! Keys of a session. No two sessions share a stream.
//!
//! Three parties: every ordered pair sends one fresh seed; the key of a pair is derived from both
//! seeds and the session, so that neither party fixes it alone. Under protocols that check, a pair's
//! secret for comparisons is derived from the same; keys for proofs are keys of their own.
//!
//! Four parties: every three have a key that the fourth lacks, derived from a seed of each of them. So
//! it hides values from the fourth role as long as that role can predict at most two of the three
//! generators: a machine that was cloned, or starts with too little randomness, gives nothing away alone.
//! Every two of the three compare what they derived. A member that gives the other two different
//! seeds makes their keys differ; both are honest then, they compare without it, and both end the session
//! before anything is masked. What it hears of their keys it could compute: it knows all
//! seeds that went into them. A member that waits for the others' seeds may choose among as many keys as it can
//! try, and wins nothing: the key hides values from the fourth role, and with one corruption that one
//! is honest then. Every two have a key besides, for the checks before an opening.

use crate::Protocol;
use crate::SharingError;
use crate::keys::{Keys, ProofKeys};
use crate::party::role_in;
use crate::role::RoleId;
use crate::stored;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Entropy, Prg, Seed, hash};

/// The secrets of one role, in the order of its [`Keys`]. Worker keys are derived from them, each
/// once. They may be stored before that, once, for the session that goes on with what is made with them.
pub struct Secrets {
    seeds: Vec<Seed>,
    /// Under protocols that check, the secret with each other role, by role.
    pairs: Vec<Option<Seed>>,
    /// The first key gives two streams per step.
    tail: bool,
    /// Where products are proven, keys come with others for proofs, and with one that no other role has; and the
    /// protocol's name, which says how they are proven.
    proofs: Option<(String, Seed)>,
    /// Number of [`Secrets::keys`] calls so far.
    given: u64,
    /// They have been stored.
    stored: bool,
}

struct Context<'c> {
    session: &'c [u8],
    protocol: Protocol,
    places: &'c [PartyId],
    role: RoleId,
}

impl Secrets {
    /// Exchanges seeds from `entropy` over `mesh`: one round and 32 bytes per ordered pair of three
    /// parties; two rounds and 160 bytes of four.
    ///
    /// `session` must be fresh: it separates the keys of sessions and of attempts.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there is no entropy, or a peer gives
    /// different keys to different roles.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        protocol: Protocol,
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        let role = role_in(places, mesh.me())?;
        mesh.set_phase(Phase::Setup);
        let context = Context { session, protocol, places, role };
        if protocol.parties() == 3 {
            let peers = [(role + 1) % 3, (role + 2) % 3];
            let mine = context.give_pairs(mesh, &peers, entropy)?;
            let seeds = context.pairs(mesh, &peers, &mine)?;
            let mut pairs: Vec<Option<Seed>> = Vec::new();
            if protocol.is_checked() {
                pairs = (0..3).map(|_| None).collect();
                for (peer, seed) in peers.iter().zip(&seeds) {
                    pairs[*peer] =
                        Some(seed.derive("tacit 2026 secrets of a pair for checks", &[]));
                }
            }
            let proofs = match protocol.proves_products() {
                true => Some((protocol.to_string(), entropy.seed()?)),
                false => None,
            };
            return Ok(Secrets { seeds, pairs, tail: false, proofs, given: 0, stored: false });
        }
        let peers: Vec<RoleId> = (0..4).filter(|peer| *peer != role).collect();
        let threes = context.threes();
        let mine = context.give_pairs(mesh, &peers, entropy)?;
        let mine_of_threes = context.give_threes(mesh, &threes, entropy)?;
        let mut pairs: Vec<Option<Seed>> = (0..4).map(|_| None).collect();
        for (peer, seed) in peers.iter().zip(context.pairs(mesh, &peers, &mine)?) {
            pairs[*peer] = Some(seed);
        }
        let seeds = context.keys_of_threes(mesh, &threes, mine_of_threes)?;
        // The key that role 0 lacks is the first one of all others.
        Ok(Secrets { seeds, pairs, tail: role != 0, proofs: None, given: 0, stored: false })
    }

    /// The form in which they are kept for the session that goes on with what this one makes ahead of inputs: it
    /// draws the same masks, and other ones for everything else. Secret.
    ///
    /// # Errors
    /// When they were stored before, or keys have been made of them.
    pub fn store(&mut self) -> Result<Buffer<u8>, SharingError> {
        if self.stored || self.given > 0 {
            return Err(SharingError::System("keys are stored once, before their use".into()));
        }
        self.stored = true;
        stored::encode(&(&self.seeds, &self.pairs, self.tail, &self.proofs))
    }

    /// Decodes what [`Secrets::store`] gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (seeds, pairs, tail, proofs) = stored::decode(&bytes)?;
        Ok(Secrets { seeds, pairs, tail, proofs, given: 0, stored: true })
    }

    /// Whether these are secrets of a role, of a protocol, from before their first use.
    #[must_use]
    pub fn fit(&self, protocol: Protocol, role: RoleId) -> bool {
        let (three, parties) = (protocol.parties() == 3, protocol.parties());
        let with_peers = !three || protocol.is_checked();
        let mut pairs = self.pairs.iter().enumerate();
        self.seeds.len() == if three { 2 } else { 3 }
            && self.pairs.len() == if with_peers { parties } else { 0 }
            && pairs.all(|(peer, pair)| pair.is_some() == (peer != role))
            && self.tail == (!three && role != 0)
            && self.proofs.as_ref().map(|(name, _)| name.clone())
                == protocol.proves_products().then(|| protocol.to_string())
            && self.given == 0
    }

    /// The secrets with other roles that checks before openings are keyed by, by role.
    #[must_use]
    pub fn take_pairs(&mut self) -> Vec<Option<Seed>> {
        std::mem::take(&mut self.pairs)
    }

    /// Keys of all workers for one purpose, over the ring of `ring_bits`-bit words. No two calls
    /// give related keys, whatever their arguments; all roles make the same calls in the same
    /// order.
    #[must_use]
    pub fn keys(&mut self, purpose: &str, ring_bits: u32, workers: usize) -> Vec<Keys> {
        let call = self.given;
        self.given += 1;
        let prg = |secret: &Seed, worker: usize, proofs: bool| {
            let parts: [&[u8]; 5] = [
                purpose.as_bytes(),
                &ring_bits.to_le_bytes(),
                &call.to_le_bytes(),
                &(worker as u64).to_le_bytes(),
                &[u8::from(proofs)],
            ];
            Prg::new(&secret.derive_key("tacit 2026 stream key", &parts))
        };
        let keys = |worker: usize| {
            let keys = Keys::new(self.seeds.iter().map(|seed| prg(seed, worker, false)), self.tail);
            let proofs = self.proofs.as_ref().map(|(protocol, private)| {
                let seeds = self.seeds.iter().chain([private]);
                let keys = Keys::new(seeds.map(|seed| prg(seed, worker, true)), self.tail);
                ProofKeys { protocol: protocol.clone(), keys, worker }
            });
            keys.with_proofs(proofs)
        };
        (0..workers).map(keys).collect()
    }
}

impl Context<'_> {
    /// Gives some roles a fresh seed each.
    fn give_pairs(
        &self,
        mesh: &mut Mesh,
        peers: &[RoleId],
        entropy: &mut Entropy,
    ) -> Result<Vec<Seed>, SharingError> {
        let mut mine = Vec::with_capacity(peers.len());
        for peer in peers {
            let seed = entropy.seed()?;
            mesh.send(self.places[*peer], Stream::On, seed.expose())?;
            mine.push(seed);
        }
        Ok(mine)
    }

    /// The secrets with some roles, each derived from a seed of both.
    fn pairs(
        &self,
        mesh: &mut Mesh,
        peers: &[RoleId],
        mine: &[Seed],
    ) -> Result<Vec<Seed>, SharingError> {
        let mut secrets = Vec::with_capacity(peers.len());
        for (mine, &peer) in mine.iter().zip(peers) {
            let theirs = self.receive(mesh, peer)?;
            let (i, j) = (self.role.min(peer), self.role.max(peer));
            let (first, second) = if self.role < peer { (mine, &theirs) } else { (&theirs, mine) };
            secrets.push(self.secret(&[i, j], &[first, second]));
        }
        Ok(secrets)
    }

    /// All threes that this role is one of, by the role that is not.
    fn threes(&self) -> Vec<Vec<RoleId>> {
        (0..4)
            .filter(|lacking| *lacking != self.role)
            .map(|lacking| (0..4).filter(|role| *role != lacking).collect())
            .collect()
    }

    /// The other two of three.
    fn others<'t>(&self, three: &'t [RoleId]) -> impl Iterator<Item = RoleId> + use<'t> {
        let me = self.role;
        three.iter().copied().filter(move |role| *role != me)
    }

    /// Gives a fresh seed for each three to the other two.
    fn give_threes(
        &self,
        mesh: &mut Mesh,
        threes: &[Vec<RoleId>],
        entropy: &mut Entropy,
    ) -> Result<Vec<Seed>, SharingError> {
        let mut mine = Vec::with_capacity(threes.len());
        for three in threes {
            let seed = entropy.seed()?;
            for to in self.others(three) {
                mesh.send(self.places[to], Stream::On, seed.expose())?;
            }
            mine.push(seed);
        }
        Ok(mine)
    }

    /// The secrets of all threes, each derived from a seed of all three, who compare it.
    fn keys_of_threes(
        &self,
        mesh: &mut Mesh,
        threes: &[Vec<RoleId>],
        mine: Vec<Seed>,
    ) -> Result<Vec<Seed>, SharingError> {
        let mut secrets = Vec::with_capacity(threes.len());
        for (three, mine) in threes.iter().zip(mine) {
            let mut mine = Some(mine);
            let mut seeds = Vec::with_capacity(three.len());
            for role in three {
                let own = if *role == self.role { mine.take() } else { None };
                seeds.push(own.map_or_else(|| self.receive(mesh, *role), Ok)?);
            }
            secrets.push(self.secret(three, &seeds.iter().collect::<Vec<_>>()));
        }
        self.compare(mesh, threes, &secrets)?;
        Ok(secrets)
    }

    /// Compares each key of three with both others that have it.
    fn compare(
        &self,
        mesh: &mut Mesh,
        threes: &[Vec<RoleId>],
        secrets: &[Seed],
    ) -> Result<(), SharingError> {
        let value = |secret: &Seed| {
            hash::derive_key("tacit 2026 key check value", &[self.session, secret.expose()])
        };
        for (three, secret) in threes.iter().zip(secrets) {
            for other in self.others(three) {
                mesh.send(self.places[other], Stream::On, &value(secret))?;
            }
        }
        for (three, secret) in threes.iter().zip(secrets) {
            for other in self.others(three) {
                let mut theirs = [0; 32];
                mesh.recv(self.places[other], Stream::On, &mut theirs)?;
                if !hash::equal(&value(secret), &theirs) {
                    return Err(mesh.check_failed(self.different(three, other)).into());
                }
            }
        }
        mesh.flush()?;
        Ok(())
    }

    /// What is wrong when another of three has another key.
    fn different(&self, three: &[RoleId], other: RoleId) -> String {
        let third = self.others(three).find(|role| *role != other).unwrap_or(other);
        let [other, third] = [other, third].map(|role| self.places[role].0);
        format!(
            "this party and party {other} have different keys: party {third} gave them different \
             seeds, or party {other} does not keep to its own"
        )
    }

    fn receive(&self, mesh: &mut Mesh, from: RoleId) -> Result<Seed, SharingError> {
        let mut seed = Seed::from_bytes([0; 32]);
        mesh.recv(self.places[from], Stream::On, seed.expose_mut())?;
        Ok(seed)
    }

    /// `K_S = KDF(session, protocol, places, S, seeds)`.
    fn secret(&self, members: &[RoleId], seeds: &[&Seed]) -> Seed {
        let places: Vec<u8> = self.places.iter().map(|p| p.0).collect();
        let members: Vec<u8> = members.iter().map(|role| *role as u8).collect();
        let protocol = self.protocol.to_string();
        let mut parts: Vec<&[u8]> = vec![self.session, protocol.as_bytes(), &places, &members];
        parts.extend(seeds.iter().map(|seed| &seed.expose()[..]));
        Seed::from_bytes(hash::derive_key("tacit 2026 key of some roles", &parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quad::QUAD;
    use crate::trio::TRIO;
    use std::time::Duration;
    use tacit_net::LinkProfile;
    use tacit_net::memory::{self, MemoryNetwork};
    use tacit_net::testing::{Tamper, Verdict};

    const PLACES: [PartyId; 3] = [PartyId(2), PartyId(0), PartyId(1)];

    /// By role, the first word of each of these workers' streams under both keys.
    fn first_words(seed: u64, calls: &[(&str, u32, usize)]) -> [Vec<[u64; 2]>; 3] {
        let words = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
            let mesh = &mut session.meshes[0];
            let mut secrets =
                Secrets::exchange(mesh, b"session", TRIO, &PLACES, &mut entropy).unwrap();
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
        draws.with_next().fill(&mut words[..1]);
        draws.with_prev().fill(&mut words[1..]);
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
    fn keys_are_stored_once_and_before_their_use() {
        memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let mut entropy = Entropy::insecure_seeded(3, session.me().0);
            let mesh = &mut session.meshes[0];
            let mut exchange =
                || Secrets::exchange(mesh, b"it", TRIO, &PLACES, &mut entropy).unwrap();
            let (mut kept, mut used) = (exchange(), exchange());
            session.finish().unwrap();
            let stored = kept.store().unwrap();
            assert!(kept.store().is_err());
            let mut again = Secrets::from_bytes(stored).unwrap();
            assert!(again.store().is_err());
            let [ahead, online] =
                [&mut kept, &mut again].map(|it| first_word(&mut it.keys("it", 1, 1)[0]));
            assert_eq!(ahead, online);
            let _ = used.keys("it", 1, 1);
            assert!(used.store().is_err());
        });
    }

    const FOUR: [PartyId; 4] = [PartyId(0), PartyId(1), PartyId(2), PartyId(3)];

    /// A role that gives two others different seeds of a key is found out in set-up, before any key is used.
    #[test]
    fn a_role_that_gives_two_seeds_is_found_out() {
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            if from == to {
                continue;
            }
            let results = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
                let mut entropy = Entropy::insecure_seeded(9, session.me().0);
                let mesh = &mut session.meshes[0];
                let mut given = 0;
                if mesh.me() == PartyId(from) {
                    mesh.set_tamper(Tamper::new(move |m| {
                        // First the seed of the pair, then those of threes.
                        given += usize::from(m.to == PartyId(to));
                        let mut bytes = m.bytes.to_vec();
                        bytes[0] ^= u8::from(m.to == PartyId(to) && given == 2);
                        Verdict::Replace(bytes)
                    }));
                }
                Secrets::exchange(mesh, b"session", QUAD, &FOUR, &mut entropy)?;
                Ok(session.finish()?)
            });
            let named = |result: &Result<(), SharingError>| {
                result.as_ref().is_err_and(|error| error.to_string().contains("different keys"))
            };
            // Whoever sees it first ends the session for the others.
            assert!(results.iter().any(named), "{from} to {to}: {results:?}");
            let honest =
                results.iter().enumerate().filter(|(party, _)| *party != usize::from(from));
            let ended = honest.filter(|(_, result)| result.is_err()).count();
            assert!(ended >= 2, "{from} to {to}: {results:?}");
        }
    }

    /// Keys of threes by role that lacks them, where one party's generator starts from another seed.
    fn keys_of_threes(other: Option<u8>) -> Vec<Seed> {
        let link = LinkProfile::delay(Duration::from_millis(10));
        let mut of_parties = memory::run(4, 1, &MemoryNetwork::uniform(link), |mut session| {
            let me = session.me().0;
            let mut entropy = Entropy::insecure_seeded(u64::from(Some(me) == other), me);
            let mesh = &mut session.meshes[0];
            let made = Secrets::exchange(mesh, b"session", QUAD, &FOUR, &mut entropy).unwrap();
            // 32 for the pair, and for each of two threes 32 of a seed and 32 to compare.
            let sent = |peer| session.meter().total(|to, _, _| to == peer).bytes_sent;
            assert!(FOUR.iter().all(|peer| sent(*peer) == if peer.0 == me { 0 } else { 160 }));
            assert_eq!(session.meshes[0].now(), 2 * link.delay);
            session.finish().unwrap();
            made.seeds
        });
        // What role 0 lacks is the first of role 3; role 0 has those that 1, 2 and 3 lack.
        let mut keys = vec![of_parties[3].remove(0)];
        keys.append(&mut of_parties[0]);
        keys
    }

    /// Whoever can predict one generator, or two of the three, does not know a key.
    #[test]
    fn each_of_three_contributes_to_their_key() {
        let usual = keys_of_threes(None);
        for party in 0..4 {
            let other = keys_of_threes(Some(party));
            for (lacking, (a, b)) in (0..).zip(usual.iter().zip(&other)) {
                assert_eq!(a == b, lacking == party, "the key that {lacking} lacks, of {party}");
            }
        }
    }

    #[test]
    fn keys_are_a_function_of_all_parties_entropy() {
        let calls = [("a", 1, 1)];
        assert_eq!(first_words(1, &calls), first_words(1, &calls));
        assert_ne!(first_words(1, &calls), first_words(2, &calls));
    }
}
