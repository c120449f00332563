//! What parties that do not trust each other say: commitments, coins, values that all must hear alike,
//! and shares that open under their MACs.
//!
//! Everything carries the session, the worker, a label and a number that counts what is said, so that
//! nothing can be said again elsewhere. A check that fails ends the session for everybody; peers are told
//! only that one failed.

use super::check::ensure;
use crate::Bits;
use crate::links::Links;
use serde::{Deserialize, Serialize};
use tacit_gmw::WorkerKeys;
use tacit_net::Stream;
use tacit_ring::hash::{self, Item, Transcript};
use tacit_ring::{Prg, Seed, StreamIds, Word, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a digest.
pub(super) const DIGEST: usize = 32;
pub(super) type Digest = [u8; DIGEST];

/// What a test makes a party do to what it says, by label.
#[cfg(test)]
pub(super) type Cheat = Box<dyn FnMut(&str, &mut [u8]) + Send>;

/// What everything that a worker says carries.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Domain {
    /// Names the session. All parties contributed to it, each without knowing the others' parts.
    pub sid: Digest,
    worker: u64,
}

/// A party's channels, and what it says on them.
pub(super) struct CheckedChannel<'m> {
    pub links: Links<'m>,
    /// Where there are none, nothing can be made that needs correlations.
    pub keys: Option<WorkerKeys>,
    /// Randomness of this party alone, where there are no such keys.
    own: Option<Own>,
    pub voice: Domain,
    /// Where things are said now.
    pub stream: Stream,
    next: u64,
    #[cfg(test)]
    pub cheat: Option<Cheat>,
}

/// Randomness of a party alone.
struct Own {
    prg: Prg,
    ids: StreamIds,
}

/// Something this party has committed to. The others' commitments have not come yet.
pub(super) struct Sent {
    label: &'static str,
    number: u64,
    /// Randomness, and the value.
    opening: Zeroizing<Vec<u8>>,
}

/// Something all parties have committed to.
pub(super) struct Commitments {
    sent: Sent,
    theirs: Vec<Digest>,
}

impl Domain {
    /// For a later phase of what a worker made as its `number`-th.
    pub fn later(&self, phase: &str, number: u64) -> Domain {
        Domain { sid: self.digest("later", phase, number, 0, &[]), ..*self }
    }

    /// A digest for one use.
    fn digest(
        &self,
        use_: &str,
        label: &str,
        number: u64,
        from: RoleId,
        parts: &[&[u8]],
    ) -> Digest {
        let (worker, number, from) =
            (self.worker.to_le_bytes(), number.to_le_bytes(), (from as u64).to_le_bytes());
        let mut all: Vec<&[u8]> =
            vec![use_.as_bytes(), label.as_bytes(), &self.sid, &worker, &number, &from];
        all.extend_from_slice(parts);
        hash::derive_key("tacit 2026 authenticated garbling", &all)
    }

    /// A digest of MACs that open shares of `[from, to]`.
    pub fn macs(
        &self,
        label: &str,
        number: u64,
        [from, to]: [RoleId; 2],
        macs: impl Iterator<Item = u128>,
    ) -> Digest {
        let to = (to as u64).to_le_bytes();
        digest_blocks(&self.digest("open", label, number, from, &[&to]), macs)
    }

    /// A digest of labels, for their garbler.
    pub fn labels(
        &self,
        number: u64,
        garbler: RoleId,
        labels: impl Iterator<Item = u128>,
    ) -> Digest {
        digest_blocks(&self.digest("labels", "label-check", number, garbler, &[]), labels)
    }

    /// A digest of a party's hashes of columns, for one peer.
    pub fn columns(&self, coin: &Digest, pair: [RoleId; 2], hashes: &[u128]) -> Digest {
        let to = (pair[1] as u64).to_le_bytes();
        self.digest("columns", "cot-check", 0, pair[0], &[coin, &to, word::bytes(hashes)])
    }
}

/// A digest of blocks under a domain.
fn digest_blocks(domain: &Digest, blocks: impl Iterator<Item = u128>) -> Digest {
    let mut transcript = Transcript::new(&[domain]);
    let mut chunk = Zeroizing::new([0u128; 256]);
    let mut append = |blocks: &[u128]| {
        transcript.append_words(Item { epoch: 0, step: 0, tag: 0 }, blocks);
    };
    let mut len = 0;
    blocks.for_each(|block| {
        chunk[len] = block;
        len += 1;
        if len == chunk.len() {
            append(&*chunk);
            len = 0;
        }
    });
    append(&chunk[..len]);
    transcript.finish()
}

fn recv_digest(
    links: &mut Links<'_>,
    stream: Stream,
    from: RoleId,
) -> Result<Digest, SharingError> {
    let mut digest = [0; DIGEST];
    links.recv_into(from, stream, &mut digest)?;
    Ok(digest)
}

/// Takes bits, whose padding must be zero.
pub(super) fn recv_bits(
    links: &mut Links<'_>,
    stream: Stream,
    from: RoleId,
    len: usize,
) -> Result<Bits, SharingError> {
    let mut bits = Bits::zeros(len);
    links.recv_into(from, stream, &mut bits.words)?;
    let padding =
        bits.words.last().is_some_and(|last| !len.is_multiple_of(64) && last >> (len % 64) > 0);
    ensure(links, !padding, "length", Some(from))?;
    Ok(bits)
}

/// Shares that are opened together: what they are and their number, this party's keys for them, and its
/// Delta.
pub(super) struct Opening<K> {
    pub label: &'static str,
    pub number: u64,
    pub len: usize,
    pub keys: K,
    pub delta: u128,
}

/// Takes shares that a peer opens, and checks them.
pub(super) fn recv_shares(
    links: &mut Links<'_>,
    (voice, stream): (Domain, Stream),
    from: RoleId,
    opening: Opening<impl Iterator<Item = u128>>,
) -> Result<Bits, SharingError> {
    let Opening { label, number, len, keys, delta } = opening;
    let bits = recv_bits(links, stream, from, len)?;
    let theirs = recv_digest(links, stream, from)?;
    let macs = keys.enumerate().map(|(i, key)| key ^ (u128::from(bits.get(i)) * delta));
    let digest = voice.macs(label, number, [from, links.me], macs);
    let equal = hash::equal(&digest, &theirs);
    ensure(links, equal, &format!("open-mac:{label}"), Some(from))?;
    Ok(bits)
}

/// What correlations are made of.
pub(super) fn correlations(keys: &mut Option<WorkerKeys>) -> Result<&mut WorkerKeys, SharingError> {
    keys.as_mut().ok_or_else(|| SharingError::Shape("a party online has no correlations".into()))
}

impl<'m> CheckedChannel<'m> {
    pub fn new(links: Links<'m>, keys: WorkerKeys, sid: Digest) -> Self {
        let voice = Domain { sid, worker: keys.number };
        CheckedChannel {
            keys: Some(keys),
            stream: Stream::Def,
            ..CheckedChannel::online(links, voice)
        }
    }

    /// For what needs no correlations.
    pub fn online(links: Links<'m>, voice: Domain) -> Self {
        CheckedChannel {
            voice,
            links,
            keys: None,
            own: None,
            stream: Stream::On,
            next: 0,
            #[cfg(test)]
            cheat: None,
        }
    }

    /// For what needs no correlations, with randomness from a fresh seed.
    pub fn drawing(links: Links<'m>, voice: Domain, seed: &Seed) -> Self {
        let key = seed.derive_key("tacit 2026 authenticated garbling from a stock", &[]);
        let own = Own { prg: Prg::new(&key), ids: StreamIds::new() };
        CheckedChannel {
            own: Some(own),
            stream: Stream::Def,
            ..CheckedChannel::online(links, voice)
        }
    }

    #[cfg(test)]
    pub fn cheating(mut self, cheat: Option<Cheat>) -> Self {
        self.cheat = cheat;
        self
    }

    /// Where tests change what this party says.
    #[inline(always)]
    pub fn say(&mut self, label: &str, bytes: &mut [u8]) {
        #[cfg(test)]
        if let Some(cheat) = &mut self.cheat {
            cheat(label, bytes);
        }
        let _ = (label, bytes);
    }

    /// Random words that nobody else knows.
    pub fn random<W: Word>(&mut self, words: &mut [W]) -> Result<(), SharingError> {
        let (prg, ids) = match &mut self.own {
            Some(Own { prg, ids }) => (&*prg, ids),
            None => {
                let keys = correlations(&mut self.keys)?;
                (&keys.own, &mut keys.ids)
            }
        };
        prg.stream(ids.step()?.single()).fill(words);
        Ok(())
    }

    /// Adds a share of zero.
    pub fn add_zero(&mut self, blocks: &mut [u128]) -> Result<(), SharingError> {
        let keys = correlations(&mut self.keys)?;
        let number = keys.zero_ids.step()?.single().number();
        let mut part = [0u128; 256];
        for prg in &keys.zeros {
            for (chunk, blocks) in blocks.chunks_mut(part.len()).enumerate() {
                let part = &mut part[..blocks.len()];
                prg.fill(number, (chunk * 256) as u64, word::bytes_mut(part));
                blocks.iter_mut().zip(part).for_each(|(block, part)| *block ^= *part);
            }
        }
        part.zeroize();
        Ok(())
    }

    /// The next thing's number.
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn send_all(&mut self, bytes: &[u8]) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            self.links.send(peer, self.stream, bytes)?;
        }
        Ok(())
    }

    /// Commits to a value.
    pub fn commit(&mut self, label: &'static str, value: &[u8]) -> Result<Sent, SharingError> {
        let mut random = Zeroizing::new([0u64; DIGEST / 8]);
        self.random(&mut *random)?;
        let mut opening = Zeroizing::new(word::bytes(&*random).to_vec());
        opening.extend_from_slice(value);
        self.say(label, &mut opening[DIGEST..]);
        let number = self.number();
        let digest = self.voice.digest("commitment", label, number, self.links.me, &[&opening]);
        self.send_all(&digest)?;
        Ok(Sent { label, number, opening })
    }

    /// Commits to a part of a coin. The coin is tossed only when everything that it is to check has come.
    pub fn commit_coin(&mut self, label: &'static str) -> Result<Sent, SharingError> {
        let mut part = Zeroizing::new([0u64; DIGEST / 8]);
        self.random(&mut *part)?;
        self.commit(label, word::bytes(&*part))
    }

    /// Takes the others' commitments.
    pub fn hear(&mut self, sent: Sent) -> Result<Commitments, SharingError> {
        let mut theirs = vec![[0; DIGEST]; self.links.parties()];
        for peer in self.links.peers() {
            theirs[peer] = self.recv_digest(peer)?;
        }
        Ok(Commitments { sent, theirs })
    }

    /// Opens what was committed to; gives all parties' values by role.
    pub fn open(&mut self, heard: Commitments) -> Result<Vec<Vec<u8>>, SharingError> {
        let Commitments { sent: Sent { label, number, opening }, theirs } = heard;
        self.send_all(&opening)?;
        let mut values = vec![Vec::new(); self.links.parties()];
        values[self.links.me] = opening[DIGEST..].to_vec();
        for peer in self.links.peers() {
            let mut opening = vec![0; opening.len()];
            self.links.recv_into(peer, self.stream, &mut opening)?;
            let digest = self.voice.digest("commitment", label, number, peer, &[&opening]);
            let equal = hash::equal(&digest, &theirs[peer]);
            self.ensure(equal, &format!("commit:{label}"), Some(peer))?;
            values[peer] = opening.split_off(DIGEST);
        }
        Ok(values)
    }

    /// Opens a coin.
    pub fn toss(&mut self, heard: Commitments) -> Result<Digest, SharingError> {
        let (label, number) = (heard.sent.label, heard.sent.number);
        let parts = self.open(heard)?;
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(self.voice.digest("coin", label, number, 0, &parts))
    }

    /// Compares what everybody heard, by role.
    pub fn echo(&mut self, label: &str, heard: &[Vec<u8>]) -> Result<(), SharingError> {
        if self.links.parties() == 2 {
            return Ok(());
        }
        let parts: Vec<&[u8]> = heard.iter().map(Vec::as_slice).collect();
        let number = self.number();
        let mine = self.voice.digest("echo", label, number, 0, &parts);
        self.send_all(&mine)?;
        let mut all_equal = true;
        for peer in self.links.peers() {
            let theirs = self.recv_digest(peer)?;
            all_equal &= hash::equal(&mine, &theirs);
        }
        self.ensure(all_equal, &format!("echo:{label}"), None)
    }

    /// The number of the next thing said in full agreement, for digests made elsewhere.
    pub fn agreed_number(&mut self) -> u64 {
        self.number()
    }

    /// Opens shares to a peer: the bits, and a digest of their MACs.
    pub fn send_shares(
        &mut self,
        label: &str,
        number: u64,
        to: RoleId,
        bits: &Bits,
        macs: impl Iterator<Item = u128>,
    ) -> Result<(), SharingError> {
        let digest = self.voice.macs(label, number, [self.links.me, to], macs);
        let bits = self.said(label, bits);
        self.links.send(to, self.stream, &bits.words)?;
        self.links.send(to, self.stream, &digest)
    }

    /// Shares as this party says them: as they are, but for tests.
    pub fn said(&mut self, label: &str, bits: &Bits) -> Bits {
        let mut bits = Bits { words: bits.words.clone(), len: bits.len };
        if cfg!(test) && bits.len > 0 {
            self.say(&format!("shares {label}"), word::bytes_mut(&mut bits.words));
        }
        bits
    }

    /// Takes shares that a peer opens, and checks them.
    pub fn recv_shares(
        &mut self,
        from: RoleId,
        opening: Opening<impl Iterator<Item = u128>>,
    ) -> Result<Bits, SharingError> {
        recv_shares(&mut self.links, (self.voice, self.stream), from, opening)
    }

    /// Takes bits, whose padding must be zero.
    pub fn recv_bits(&mut self, from: RoleId, len: usize) -> Result<Bits, SharingError> {
        recv_bits(&mut self.links, self.stream, from, len)
    }

    /// Ends the session unless a check has passed.
    pub fn ensure(
        &mut self,
        passed: bool,
        check: &str,
        peer: Option<RoleId>,
    ) -> Result<(), SharingError> {
        ensure(&mut self.links, passed, check, peer)
    }

    fn recv_digest(&mut self, from: RoleId) -> Result<Digest, SharingError> {
        recv_digest(&mut self.links, self.stream, from)
    }
}
