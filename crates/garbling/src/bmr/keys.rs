//! Keys for sharing by polynomials: seeds of all pairs, and shares of offsets.

use super::field::shares;
use super::pairs::Pairs;
use super::shamir::corruptions;
use crate::links::Links;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Entropy, Key, Prg, Seed, StreamIds, word};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// What parties have agreed on for a session: every party once.
pub struct ShamirKeys {
    /// With every other party.
    pairs: Vec<Seed>,
    own: Seed,
    /// `R` of this party, if it is a keeper.
    offset: Zeroizing<u128>,
    /// This party's shares of the keepers' `R`.
    offsets: Zeroizing<Vec<u128>>,
    given: u64,
}

/// What one worker has of them.
pub struct WorkerKeys {
    pub(super) number: u64,
    own: Prg,
    ids: StreamIds,
    pub(super) zeros: Vec<Prg>,
    pub(super) zero_ids: StreamIds,
    pub(super) offset: Zeroizing<u128>,
    pub(super) offsets: Zeroizing<Vec<u128>>,
}

/// Shares for so many roles of secrets, with random coefficients.
pub(super) type Shares = fn(&[u128], &[u128], usize) -> Vec<Buffer<u128>>;

impl ShamirKeys {
    /// Seeds of all pairs, and shares of offsets: one round, 32 or 48 bytes per directed link. `session`
    /// must be fresh.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are fewer than three, or there is no entropy.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        if places.len() < 3 {
            return Err(SharingError::Shape("fewer than three parties have no majority".into()));
        }
        let t = corruptions(places.len());
        Self::deal(mesh, session, places, (t, t + 1, shares), entropy)
    }

    /// Exchanges seeds of all pairs and shares of offsets, for polynomials of degree `t` over a field. `keepers`
    /// parties have labels.
    pub(super) fn deal(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        (t, keepers, shares): (usize, usize, Shares),
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        mesh.set_phase(Phase::Setup);
        let mut links = Links::new(mesh, places)?;
        let (n, me) = (places.len(), links.me);
        let own = entropy.seed()?;
        let mut secrets = Zeroizing::new(vec![0u128; 1 + t]);
        Prg::new(&own.derive_key("tacit 2026 offset of a keeper", &[])).fill(
            0,
            0,
            word::bytes_mut(&mut secrets),
        );
        let offset = Zeroizing::new(if me < keepers { secrets[0] | 1 } else { 0 });
        let dealt = shares(&[*offset], &secrets[1..], n);
        let sent = Pairs::send(&mut links, entropy)?;
        for peer in links.peers().filter(|_| me < keepers) {
            links.send(peer, Stream::On, &dealt[peer])?;
        }
        let mut offsets = Zeroizing::new(vec![0u128; keepers]);
        if me < keepers {
            offsets[me] = dealt[me][0];
        }
        let mut pairs = Vec::new();
        for peer in links.peers() {
            pairs.push(sent.receive(&mut links, session, peer)?);
            if peer < keepers {
                links.recv_into(peer, Stream::On, &mut offsets[peer..=peer])?;
            }
        }
        links.mesh.flush()?;
        Ok(ShamirKeys { pairs, own, offset, offsets, given: 0 })
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        self.given += 1;
        let number = self.given.to_le_bytes();
        let own: Key = self.own.derive_key("tacit 2026 labels and masks of a worker", &[&number]);
        let zero = |seed: &Seed| {
            Prg::new(&seed.derive_key("tacit 2026 BMR zeros of a worker", &[&number]))
        };
        WorkerKeys {
            number: self.given,
            own: Prg::new(&own),
            ids: StreamIds::new(),
            zeros: self.pairs.iter().map(zero).collect(),
            zero_ids: StreamIds::new(),
            offset: self.offset.clone(),
            offsets: self.offsets.clone(),
        }
    }
}

impl WorkerKeys {
    /// Random blocks of this party's own.
    pub(super) fn random(&mut self, blocks: usize) -> Result<Buffer<u128>, SharingError> {
        let mut random = Buffer::zeros(blocks);
        let id = self.ids.step()?.single();
        self.own.stream(id).fill(&mut random);
        Ok(random)
    }
}
