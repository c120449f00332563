//! What parties that do not trust each other say: commitments, coins, values that all must hear alike,
//! and shares that open under their MACs.
//!
//! Everything carries the session, the worker, a label and a number that counts what is said, so that
//! nothing can be said again elsewhere. A check that fails ends the session for everybody; peers are told
//! only that one failed.

use crate::Bits;
use crate::links::Links;
use tacit_net::Stream;
use tacit_ring::hash::{self, Item, Transcript};
use tacit_ring::word;
use tacit_sharing::gmw::WorkerKeys;
use tacit_sharing::{RoleId, SharingError};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a digest.
pub(super) const DIGEST: usize = 32;
pub(super) type Digest = [u8; DIGEST];

/// What a test makes a party do to what it says, by label.
#[cfg(test)]
pub(super) type Cheat = Box<dyn FnMut(&str, &mut [u8]) + Send>;

/// A party's channels, and what it says on them.
pub(super) struct Talk<'m> {
    pub links: Links<'m>,
    pub keys: WorkerKeys,
    /// Names the session. All parties contributed to it, each without knowing the others' parts.
    pub sid: Digest,
    /// Where things are said now.
    pub stream: Stream,
    next: u64,
    #[cfg(test)]
    pub cheat: Option<Cheat>,
}

/// Something this party has committed to. The others' commitments have not come yet.
pub(super) struct Sent {
    label: &'static str,
    number: u64,
    /// Randomness, and the value.
    opening: Zeroizing<Vec<u8>>,
}

/// Something all parties have committed to.
pub(super) struct Heard {
    sent: Sent,
    theirs: Vec<Digest>,
}

impl<'m> Talk<'m> {
    pub fn new(links: Links<'m>, keys: WorkerKeys, sid: Digest) -> Self {
        Talk {
            links,
            keys,
            sid,
            stream: Stream::Def,
            next: 0,
            #[cfg(test)]
            cheat: None,
        }
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

    /// Ends the session: a check failed.
    pub fn failed(&mut self, check: &str, peer: Option<RoleId>) -> SharingError {
        let mesh = &mut self.links.mesh;
        mesh.abort("a check of the protocol failed");
        let whose = peer.map(|role| format!(", of what {} sent", self.links.party(role)));
        let whose = whose.unwrap_or_default();
        let what = format!("check '{check}' failed{whose}: a party did not follow the protocol");
        self.links.mesh.check_failed(what).into()
    }

    /// Random words that nobody else knows.
    pub fn random(&mut self, words: &mut [u64]) -> Result<(), SharingError> {
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(words);
        Ok(())
    }

    /// Adds a share of zero.
    pub fn add_zero(&mut self, blocks: &mut [u128]) -> Result<(), SharingError> {
        let number = self.keys.zero_ids.step()?.single().number();
        let mut part = [0u128; 256];
        for prg in &self.keys.zeros {
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
            (self.keys.number.to_le_bytes(), number.to_le_bytes(), (from as u64).to_le_bytes());
        let mut all: Vec<&[u8]> =
            vec![use_.as_bytes(), label.as_bytes(), &self.sid, &worker, &number, &from];
        all.extend_from_slice(parts);
        hash::derive_key("tacit 2026 authenticated garbling", &all)
    }

    fn send_all(&mut self, bytes: &[u8]) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            self.links.send(peer, self.stream, bytes)?;
        }
        Ok(())
    }

    fn recv_digest(&mut self, from: RoleId) -> Result<Digest, SharingError> {
        let mut digest = [0; DIGEST];
        self.links.recv_into(from, self.stream, &mut digest)?;
        Ok(digest)
    }

    /// Commits to a value.
    pub fn commit(&mut self, label: &'static str, value: &[u8]) -> Result<Sent, SharingError> {
        let mut random = Zeroizing::new([0u64; DIGEST / 8]);
        self.random(&mut *random)?;
        let mut opening = Zeroizing::new(word::bytes(&*random).to_vec());
        opening.extend_from_slice(value);
        self.say(label, &mut opening[DIGEST..]);
        let number = self.number();
        let digest = self.digest("commitment", label, number, self.links.me, &[&opening]);
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
    pub fn hear(&mut self, sent: Sent) -> Result<Heard, SharingError> {
        let mut theirs = vec![[0; DIGEST]; self.links.parties()];
        for peer in self.links.peers() {
            theirs[peer] = self.recv_digest(peer)?;
        }
        Ok(Heard { sent, theirs })
    }

    /// Opens what was committed to; gives all parties' values by role.
    pub fn open(&mut self, heard: Heard) -> Result<Vec<Vec<u8>>, SharingError> {
        let Heard { sent: Sent { label, number, opening }, theirs } = heard;
        self.send_all(&opening)?;
        let mut values = vec![Vec::new(); self.links.parties()];
        values[self.links.me] = opening[DIGEST..].to_vec();
        for peer in self.links.peers() {
            let mut opening = vec![0; opening.len()];
            self.links.recv_into(peer, self.stream, &mut opening)?;
            let digest = self.digest("commitment", label, number, peer, &[&opening]);
            if !hash::equal(&digest, &theirs[peer]) {
                return Err(self.failed(&format!("commit:{label}"), Some(peer)));
            }
            values[peer] = opening.split_off(DIGEST);
        }
        Ok(values)
    }

    /// Opens a coin.
    pub fn toss(&mut self, heard: Heard) -> Result<Digest, SharingError> {
        let (label, number) = (heard.sent.label, heard.sent.number);
        let parts = self.open(heard)?;
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(self.digest("coin", label, number, 0, &parts))
    }

    /// Compares what everybody heard, by role.
    pub fn echo(&mut self, label: &str, heard: &[Vec<u8>]) -> Result<(), SharingError> {
        if self.links.parties() == 2 {
            return Ok(());
        }
        let parts: Vec<&[u8]> = heard.iter().map(Vec::as_slice).collect();
        let number = self.number();
        let mine = self.digest("echo", label, number, 0, &parts);
        self.send_all(&mine)?;
        let mut all_equal = true;
        for peer in self.links.peers() {
            let theirs = self.recv_digest(peer)?;
            all_equal &= hash::equal(&mine, &theirs);
        }
        if all_equal { Ok(()) } else { Err(self.failed(&format!("echo:{label}"), None)) }
    }

    /// A digest of MACs that open shares of `[from, to]`.
    fn mac_digest(
        &self,
        label: &str,
        number: u64,
        [from, to]: [RoleId; 2],
        macs: impl Iterator<Item = u128>,
    ) -> Digest {
        let to = (to as u64).to_le_bytes();
        let domain = self.digest("open", label, number, from, &[&to]);
        self.digest_blocks(&domain, macs)
    }

    /// A digest of blocks under a domain.
    fn digest_blocks(&self, domain: &Digest, mut blocks: impl Iterator<Item = u128>) -> Digest {
        let mut transcript = Transcript::new(&[domain]);
        let mut chunk = Zeroizing::new([0u128; 256]);
        loop {
            let mut len = 0;
            for (place, block) in chunk.iter_mut().zip(&mut blocks) {
                *place = block;
                len += 1;
            }
            transcript.append_words(Item { epoch: 0, step: 0, tag: 0 }, &chunk[..len]);
            if len < chunk.len() {
                return transcript.finish();
            }
        }
    }

    /// A digest of labels, for their garbler.
    pub fn label_digest(
        &self,
        number: u64,
        garbler: RoleId,
        labels: impl Iterator<Item = u128>,
    ) -> Digest {
        let domain = self.digest("labels", "label-check", number, garbler, &[]);
        self.digest_blocks(&domain, labels)
    }

    /// The number of the next thing said in full agreement, for digests made elsewhere.
    pub fn agreed_number(&mut self) -> u64 {
        self.number()
    }

    /// A digest of a party's hashes of columns, for one peer.
    pub fn column_digest(&self, coin: &Digest, pair: [RoleId; 2], hashes: &[u128]) -> Digest {
        let to = (pair[1] as u64).to_le_bytes();
        self.digest("columns", "cot-check", 0, pair[0], &[coin, &to, word::bytes(hashes)])
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
        let digest = self.mac_digest(label, number, [self.links.me, to], macs);
        #[cfg(test)]
        if self.cheat.is_some() && bits.len > 0 {
            let mut words = bits.words.clone();
            self.say(&format!("shares {label}"), word::bytes_mut(&mut words));
            self.links.send(to, self.stream, &words)?;
            return self.links.send(to, self.stream, &digest);
        }
        self.links.send(to, self.stream, &bits.words)?;
        self.links.send(to, self.stream, &digest)
    }

    /// Takes shares that a peer opens, and checks them against this party's keys and its Delta.
    pub fn recv_shares(
        &mut self,
        label: &str,
        number: u64,
        from: RoleId,
        len: usize,
        keys: impl Iterator<Item = u128>,
        delta: u128,
    ) -> Result<Bits, SharingError> {
        let mut bits = self.recv_bits(from, len)?;
        let theirs = self.recv_digest(from)?;
        let macs = keys.enumerate().map(|(i, key)| key ^ (u128::from(bits.get(i)) * delta));
        let digest = self.mac_digest(label, number, [from, self.links.me], macs);
        match hash::equal(&digest, &theirs) {
            true => Ok(std::mem::replace(&mut bits, Bits::zeros(0))),
            false => Err(self.failed(&format!("open-mac:{label}"), Some(from))),
        }
    }

    /// Takes bits, whose padding must be zero.
    pub fn recv_bits(&mut self, from: RoleId, len: usize) -> Result<Bits, SharingError> {
        let mut bits = Bits::zeros(len);
        self.links.recv_into(from, self.stream, &mut bits.words)?;
        let padding =
            bits.words.last().is_some_and(|last| !len.is_multiple_of(64) && last >> (len % 64) > 0);
        if padding { Err(self.failed("length", Some(from))) } else { Ok(bits) }
    }
}
