//! Seeds of correlated OT with every other party, in both directions.

use super::malformed::malformed;
use super::silent::{Silent, SilentStart};
use super::{FAN, Method};
use std::sync::Arc;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::base::{PAIR, POINT};
use tacit_ot::seeds::{AllSeeds, Level, SomeSeeds};
use tacit_ot::silent::Setting;
use tacit_ot::{BASE_OTS, FieldBits, OtError, Receiver, Receiving, Sender, Sending};
use tacit_ring::prg::Permutation;
use tacit_ring::{Entropy, Key, NoEntropy, Prg, Seed, StreamIds, hash};
use tacit_sharing::SharingError;
use tacit_sharing::party::role_in;
use tacit_sharing::role::RoleId;
use zeroize::Zeroizing;

/// What a party has to make correlations with all others.
pub struct Correlations {
    /// By role; none with oneself.
    pairs: Vec<Option<Pair>>,
    pi: Arc<Permutation>,
    own: Seed,
    delta: Option<Zeroizing<u128>>,
    /// Workers that have their keys.
    given: u64,
    method: Method,
    /// What silent transfers have in common, where there are any.
    setting: Option<Arc<Setting>>,
}

struct Pair {
    all: AllSeeds,
    some: SomeSeeds,
    /// A seed that both parties of the pair know.
    common: Seed,
}

/// What one worker has, and keeps between its parties: streams of its own, and its ends of the correlations with all others.
pub struct WorkerKeys {
    /// Counts workers from one.
    pub number: u64,
    /// Under a key of this party alone.
    pub own: Prg,
    /// The unused streams of `own`.
    pub ids: StreamIds,
    /// Under a key with every other party: their sum over all parties is zero.
    pub zeros: Vec<Prg>,
    /// The unused streams of `zeros`, the same for all of them.
    pub zero_ids: StreamIds,
    /// The permutation of the session that blocks are hashed with.
    pub pi: Arc<Permutation>,
    /// The offset of all correlations that this party sends, if they have one in common.
    pub delta: Option<Zeroizing<u128>>,
    pub(super) method: Method,
    pub(super) peers: Vec<Option<(Receiver, Sender)>>,
    pub(super) silent: Option<Silent>,
}

/// What one worker has with role 0: see [`WorkerKeys::split_first`].
pub struct KeysWithFirst {
    /// Transfers in which this party chooses.
    pub receiver: Receiver,
    /// Transfers in which role 0 chooses.
    pub sender: Sender,
    /// Under a key with role 0: one.
    pub zeros: Vec<Prg>,
    /// The unused streams of `zeros`.
    pub zero_ids: StreamIds,
}

impl WorkerKeys {
    /// This party's ends of the correlations with a role.
    ///
    /// # Errors
    /// When there are none.
    pub fn ends(&mut self, role: RoleId) -> Result<(&mut Receiver, &mut Sender), SharingError> {
        let ends = self.peers.get_mut(role).and_then(Option::as_mut);
        let ends = ends.ok_or_else(|| SharingError::Shape("no correlations with a role".into()))?;
        Ok((&mut ends.0, &mut ends.1))
    }

    /// Takes what this worker has with role 0 alone out. What is left is for the other parties among themselves, whose
    /// roles are one lower there.
    ///
    /// # Errors
    /// When this party plays role 0.
    pub fn split_first(mut self) -> Result<(KeysWithFirst, Self), SharingError> {
        let none = || SharingError::Shape("no correlations with role 0".into());
        if !matches!(self.peers.first(), Some(Some(_))) || self.zeros.is_empty() {
            return Err(none());
        }
        let (receiver, sender) = self.peers.remove(0).ok_or_else(none)?;
        let (zeros, zero_ids) = (vec![self.zeros.remove(0)], StreamIds::new());
        Ok((KeysWithFirst { receiver, sender, zeros, zero_ids }, self))
    }

    /// What silent transfers start from, where the session has them: once.
    pub fn take_silent(&mut self) -> Option<SilentStart> {
        self.silent.take().map(|silent| silent.start)
    }

    /// Words of a message that chooses so many words, against parties that follow the protocol.
    #[must_use]
    pub fn message_words(&self, words: usize) -> usize {
        words * FAN.message_bits()
    }
}

/// The offset of the correlations that a party sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta {
    /// One of its own for every other party.
    Each,
    /// One of its own for every other party, its lowest bit set: for silent transfers.
    Odd,
    /// One for all other parties, with its lowest bit set: an offset of labels.
    Common,
    /// One for all other parties, for bits that are authenticated against parties that deviate. The lowest bits of all
    /// parties' offsets add up to one: role 0's is the parity of the number of parties, the others' are set.
    Authenticating,
}

impl Delta {
    /// Columns per block: seeds made by trees would have to be checked against parties that deviate.
    fn fan(self) -> FieldBits {
        if self == Delta::Authenticating { FieldBits::One } else { FAN }
    }
}

/// A transfer between two parties: the sender first.
fn name(session: &[u8], places: &[PartyId], [sender, receiver]: [RoleId; 2]) -> [u8; 32] {
    let parties: Vec<u8> = places.iter().map(|party| party.0).collect();
    let direction = [sender as u8, receiver as u8];
    hash::derive_key("tacit 2026 OT of two parties", &[session, &parties, &direction])
}

impl Correlations {
    /// Base OTs with every other party, both ways: two rounds, and 12.4 kB per directed link.
    /// `session` must be fresh, and unknown before the run: hashes are keyed by it.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there is no entropy, or a peer sends what
    /// no honest party does.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        delta: Delta,
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        let me = role_in(places, mesh.me())?;
        mesh.set_phase(Phase::Setup);
        let peers: Vec<RoleId> = (0..places.len()).filter(|role| *role != me).collect();
        let mut begun = Vec::with_capacity(peers.len());
        let fan = delta.fan();
        let common_delta = match delta {
            Delta::Each | Delta::Odd => None,
            Delta::Authenticating if me == 0 => {
                let lowest = places.len() as u128 & 1;
                Some(Zeroizing::new(*fresh_delta(entropy)? & !1 | lowest))
            }
            Delta::Common | Delta::Authenticating => {
                Some(Zeroizing::new(*fresh_delta(entropy)? | 1))
            }
        };
        for &peer in &peers {
            let delta = match &common_delta {
                Some(delta) => delta.clone(),
                None => Zeroizing::new(*fresh_delta(entropy)? | u128::from(delta == Delta::Odd)),
            };
            let ours = begin(session, places, [me, peer], (fan, delta), entropy);
            let (receiving, sending) = ours.map_err(|e| malformed(mesh, places[peer], e))?;
            let seed = entropy.seed()?;
            mesh.send(places[peer], Stream::On, seed.expose())?;
            mesh.send(places[peer], Stream::On, receiving.message())?;
            mesh.send(places[peer], Stream::On, sending.message().as_flattened())?;
            begun.push((receiving, sending, seed));
        }
        let mut answered = Vec::with_capacity(peers.len());
        for ((receiving, sending, mine), &peer) in begun.into_iter().zip(&peers) {
            let mut theirs = Seed::from_bytes([0; Seed::LEN]);
            mesh.recv(places[peer], Stream::On, theirs.expose_mut())?;
            let common = common(session, [me, peer], [&mine, &theirs]);
            let (mut first, mut pairs) = ([0; POINT], vec![[0; PAIR]; BASE_OTS]);
            mesh.recv(places[peer], Stream::On, &mut first)?;
            mesh.recv(places[peer], Stream::On, pairs.as_flattened_mut())?;
            let seeds = receiving.finish(&pairs, entropy);
            let (all, levels) = seeds.map_err(|e| malformed(mesh, places[peer], e))?;
            mesh.send(places[peer], Stream::On, levels.as_flattened().as_flattened())?;
            answered.push((all, sending, first, common));
        }
        let mut pairs: Vec<Option<Pair>> = places.iter().map(|_| None).collect();
        for ((all, sending, first, common), &peer) in answered.into_iter().zip(&peers) {
            let mut levels: Vec<Level> = vec![Level::default(); BASE_OTS];
            let bytes = levels.as_flattened_mut().as_flattened_mut();
            mesh.recv(places[peer], Stream::On, bytes)?;
            let some = sending.finish(&first, &levels);
            let some = some.map_err(|e| malformed(mesh, places[peer], e))?;
            pairs[peer] = Some(Pair { all, some, common });
        }
        mesh.flush()?;
        let key = hash::derive_key("tacit 2026 OT hash", &[session]);
        let pi = Permutation::new(*key.first_chunk().expect("sixteen of thirty-two bytes"));
        Ok(Correlations {
            pairs,
            pi: Arc::new(pi),
            own: entropy.seed()?,
            delta: common_delta,
            given: 0,
            method: Method::Masked,
            setting: None,
        })
    }

    /// Exchanges correlations as [`Correlations::exchange`] does, with the offsets that GMW needs for this method.
    ///
    /// # Errors
    /// When [`Correlations::exchange`] fails.
    pub fn for_products(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        method: Method,
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        let all = Self::exchange(mesh, session, places, method.delta(), entropy)?;
        let all = if method == Method::Silent { all.silent(session) } else { all };
        Ok(Correlations { method, ..all })
    }

    /// Adds silent transfers with the parameters of [`Method::SILENT`]. The lowest bits of all offsets must be set.
    #[must_use]
    pub fn silent(self, session: &[u8]) -> Self {
        self.silent_by(Setting::new(Method::SILENT, session))
    }

    /// Adds silent transfers with other parameters, the same at all parties.
    #[must_use]
    pub fn silent_by(self, setting: Arc<Setting>) -> Self {
        Correlations { setting: Some(setting), ..self }
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        self.given += 1;
        let key: Key =
            self.own.derive_key("tacit 2026 GMW masks of a worker", &[&self.given.to_le_bytes()]);
        let number = self.given.to_le_bytes();
        let zero = |pair: &Pair| {
            Prg::new(&pair.common.derive_key("tacit 2026 GMW zeros of a worker", &[&number]))
        };
        let zeros = self.pairs.iter().flatten().map(zero).collect();
        let pi = &self.pi;
        let ends = |pair: &mut Option<Pair>| {
            pair.as_mut().map(|pair| (pair.all.receiver(pi), pair.some.sender(pi)))
        };
        let peers = self.pairs.iter_mut().map(ends).collect();
        let (ids, zero_ids) = (StreamIds::new(), StreamIds::new());
        let silent = self.setting.as_ref().map(|setting| {
            let seed = self.own.derive("tacit 2026 GMW silent OT", &[&number]);
            Silent::new(SilentStart::new(setting, seed), pi)
        });
        WorkerKeys {
            number: self.given,
            own: Prg::new(&key),
            ids,
            zeros,
            zero_ids,
            pi: self.pi.clone(),
            delta: self.delta.clone(),
            method: self.method,
            peers,
            silent,
        }
    }
}

/// A seed of two parties, from one of each.
fn common(session: &[u8], [me, peer]: [RoleId; 2], [mine, theirs]: [&Seed; 2]) -> Seed {
    let (low, high) = (me.min(peer) as u8, me.max(peer) as u8);
    let (first, second) = if me < peer { (mine, theirs) } else { (theirs, mine) };
    let parts: [&[u8]; 4] = [session, &[low, high], first.expose(), second.expose()];
    Seed::from_bytes(hash::derive_key("tacit 2026 GMW seed of two parties", &parts))
}

fn fresh_delta(entropy: &mut Entropy) -> Result<Zeroizing<u128>, NoEntropy> {
    let delta = entropy.seed()?.derive_key("tacit 2026 OT Delta", &[]);
    Ok(Zeroizing::new(u128::from_le_bytes(*delta.expose())))
}

/// This party's ends of the transfers from a peer and to it.
fn begin(
    session: &[u8],
    places: &[PartyId],
    [me, peer]: [RoleId; 2],
    (fan, delta): (FieldBits, Zeroizing<u128>),
    entropy: &mut Entropy,
) -> Result<(Receiving, Sending), OtError> {
    let receiving = Receiving::new(name(session, places, [peer, me]), fan, entropy)?;
    let sending = Sending::new(name(session, places, [me, peer]), fan, delta, entropy)?;
    Ok((receiving, sending))
}
