//! The files of a store: a line that says what a file is and how long the next one is, a line of JSON that says
//! what it is for, what was prepared, and a digest of everything before it. They are written and checked chunk
//! by chunk: a file may be larger than memory.
//!
//! What was prepared is encrypted under a key of this file alone, which is kept outside the store ([`State`]) and
//! keys the digest too. Nothing secret goes through a buffer that is not wiped.

use super::private::{self, system};
use super::state::{RunId, State};
use crate::circuit::{EvaluateError, StoredPreprocessing};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_ring::hash::{self, Item, Transcript};
use tacit_ring::{Buffer, Entropy, Prg, Seed};
use tempfile::NamedTempFile;

/// The first line, up to the length of the second.
const MAGIC: &str = "tacit preprocessing 6, head ";
/// Digits of that length.
const DIGITS: usize = 7;
const DIGEST: usize = 32;
/// Bytes that are written, read and hashed in one go.
const CHUNK: usize = 1 << 20;

/// What is ready, what is spent, and what is being written.
pub const READY: &str = "ready";
pub const SPENT: &str = "spent";
pub const UNFINISHED: &str = "unfinished";

/// What parties agreed on, by name.
pub type Facts = Vec<(String, String)>;

/// What a file is for. Nothing secret.
#[derive(Clone, Serialize, Deserialize)]
pub struct Head {
    pub preparation: String,
    pub number: u64,
    pub name: String,
    pub facts: Facts,
    /// Between whom: what the parties' keys are, or that they have none that last.
    pub parties: String,
    pub party: u8,
    pub made: u64,
    /// Which program made it: another one may use the same keys otherwise.
    pub build: String,
    /// Bytes of what was prepared.
    pub body: u64,
}

impl Head {
    /// Whose key and line in the ledger are this file's.
    pub fn id(&self) -> RunId {
        let (preparation, number, party) = (self.preparation.clone(), self.number, self.party);
        RunId { preparation, number, party }
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Names this program: a digest of its file.
pub fn build() -> Result<String, EvaluateError> {
    static BUILD: OnceLock<Result<String, String>> = OnceLock::new();
    let digest = || {
        let program = std::env::current_exe().and_then(fs::read);
        let digest = program.map(|bytes| hex::encode(&hash::digest(&[&bytes])[..16]));
        digest.map_err(|e| format!("cannot read this program's file: {e}"))
    };
    BUILD.get_or_init(digest).clone().map_err(EvaluateError::System)
}

/// A file's name.
pub fn name(preparation: &str, number: u64, kind: &str) -> String {
    format!("{preparation}-{number:06}.{kind}")
}

/// What a file's name says, if it is one of a kind.
pub fn parse(path: &Path, kind: &str) -> Option<(String, u64)> {
    let (preparation, number) = path.file_stem()?.to_str()?.split_once('-')?;
    let hex = preparation.len() == 32 && preparation.bytes().all(|b| b.is_ascii_hexdigit());
    let number = number.parse().ok().filter(|_| hex)?;
    let same = path.file_name()?.to_str()? == name(preparation, number, kind);
    same.then(|| (preparation.to_string(), number))
}

/// Encrypts what was prepared, and keys the digest of its file.
pub struct Cipher {
    prg: Prg,
    digest: Seed,
}

impl Cipher {
    /// The cipher under a file's key.
    pub fn new(key: &Seed) -> Cipher {
        let prg = Prg::new(&key.derive_key("tacit 2026 what was prepared", &[]));
        Cipher { prg, digest: key.derive("tacit 2026 digest of a file of preprocessing", &[]) }
    }

    /// Encrypts or decrypts what stands at some place of what was prepared.
    pub fn apply(&self, at: u64, bytes: &mut [u8]) {
        const BLOCK: u64 = 16;
        const MOST: usize = 1 << 16;
        // A chunk begins in the middle of a block, perhaps.
        let before = (at % BLOCK) as usize;
        let mut stream = Buffer::<u8>::zeros((before + bytes.len()).min(MOST));
        let (first, rest) = bytes.split_at_mut(bytes.len().min(MOST - before));
        let mut place = at / BLOCK;
        for chunk in std::iter::once(first).chain(rest.chunks_mut(MOST)) {
            let skip = if place == at / BLOCK { before } else { 0 };
            let stream = &mut stream[..skip + chunk.len()];
            self.prg.fill(0, place, stream);
            chunk.iter_mut().zip(&stream[skip..]).for_each(|(byte, stream)| *byte ^= stream);
            place += MOST as u64 / BLOCK;
        }
    }

    /// The digest that ends a file, of what its transcript hashes to: only who has the key makes it.
    fn tag(&self, transcript: Transcript) -> [u8; DIGEST] {
        *self
            .digest
            .derive("tacit 2026 end of a file of preprocessing", &[&transcript.finish()])
            .expose()
    }
}

/// A file that is being written: it is there as a whole in the end, or not at all. A crash leaves at most one
/// that is called unfinished.
pub struct Writer {
    directory: PathBuf,
    path: PathBuf,
    head: Head,
    /// Bytes of both lines.
    start: usize,
    file: NamedTempFile,
    key: Seed,
    cipher: Cipher,
    digest: Transcript,
    /// What is not written yet.
    chunk: Buffer<u8>,
    filled: usize,
}

impl Writer {
    /// Begins a file, under a fresh key.
    pub fn begin(directory: &Path, head: &Head) -> Result<Writer, EvaluateError> {
        let path = directory.join(name(&head.preparation, head.number, READY));
        let head = Head { body: u64::MAX, ..head.clone() };
        let start = lines(&head, 0)?.len();
        let begin = || {
            let suffix = format!(".{UNFINISHED}");
            let mut file =
                tempfile::Builder::new().prefix("").suffix(&suffix).tempfile_in(directory)?;
            // In their place come the lines, when it is known how long the file is.
            file.write_all(&vec![0; start])?;
            Ok(file)
        };
        let file = begin().map_err(|e: io::Error| system("write", &path, &e))?;
        let key = Entropy::system().seed().map_err(|e| EvaluateError::System(e.to_string()))?;
        let cipher = Cipher::new(&key);
        let (chunk, digest) = (Buffer::zeros(CHUNK), Transcript::new(&[DIGEST_DOMAIN]));
        let (head, directory) = (Head { body: 0, ..head }, directory.to_path_buf());
        Ok(Writer { directory, path, head, start, file, key, cipher, digest, chunk, filled: 0 })
    }

    /// Appends something.
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<(), EvaluateError> {
        while !bytes.is_empty() {
            let len = bytes.len().min(CHUNK - self.filled);
            self.head.body += len as u64;
            let (now, later) = bytes.split_at(len);
            self.chunk[self.filled..self.filled + len].copy_from_slice(now);
            (self.filled, bytes) = (self.filled + len, later);
            if self.filled == CHUNK {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EvaluateError> {
        let bytes = &mut self.chunk[..self.filled];
        self.cipher.apply(self.head.body - self.filled as u64, bytes);
        absorb(&mut self.digest, bytes);
        self.filled = 0;
        self.file.write_all(bytes).map_err(|e| system("write", &self.path, &e))
    }

    /// Ends the file and waits until the disk has it, after its key; gives its size.
    pub fn finish(mut self, state: &State) -> Result<u64, EvaluateError> {
        self.flush()?;
        let start = lines(&self.head, self.start)?;
        absorb(&mut self.digest, start.as_bytes());
        let Writer { directory, path, mut file, digest, cipher, head, key, .. } = self;
        state.keep(&head.id(), &key)?;
        let finish = || {
            file.write_all(&cipher.tag(digest))?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(start.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist_noclobber(&path)?;
            private::sync_directory(&directory)
        };
        finish().map_err(|e: io::Error| system("write", &path, &e))?;
        Ok(start.len() as u64 + head.body + DIGEST as u64)
    }
}

/// Names what is hashed.
const DIGEST_DOMAIN: &[u8] = b"tacit 2026 file of preprocessing";

fn absorb(digest: &mut Transcript, bytes: &[u8]) {
    digest.append(Item { epoch: 0, step: 0, tag: 0 }, bytes);
}

/// Both lines, filled up with blanks to so many bytes.
fn lines(head: &Head, bytes: usize) -> Result<String, EvaluateError> {
    let head = serde_json::to_string(head)
        .map_err(|e| EvaluateError::Bug(format!("cannot write a head: {e}")))?;
    let length = head.len().max(bytes.saturating_sub(MAGIC.len() + DIGITS + 2));
    Ok(format!("{MAGIC}{length:0DIGITS$}\n{head:length$}\n"))
}

pub fn damaged(path: &Path, what: &str) -> EvaluateError {
    EvaluateError::Job(format!("{} is damaged: {what}; remove it", path.display()))
}

/// A file whose head was read.
pub struct Opened {
    file: File,
    path: PathBuf,
    /// Both lines.
    start: Vec<u8>,
    pub head: Head,
    pub bytes: u64,
}

/// Opens a file that is ready, and reads what it is for: the rest is not looked at.
pub fn open(path: &Path) -> Result<Opened, EvaluateError> {
    read_head(path, READY, OpenOptions::new().read(true))
}

/// What a file that is spent was for, if it has not been emptied.
pub fn open_spent(path: &Path) -> Result<Head, EvaluateError> {
    Ok(read_head(path, SPENT, OpenOptions::new().read(true))?.head)
}

/// Opens a file to use what was prepared: nobody else does until it is closed.
pub fn take(path: &Path) -> Result<Opened, EvaluateError> {
    let opened = read_head(path, READY, OpenOptions::new().read(true).write(true))?;
    opened.file.try_lock().map_err(|e| system("lock", path, &e.into()))?;
    Ok(opened)
}

fn read_head(path: &Path, kind: &str, options: &OpenOptions) -> Result<Opened, EvaluateError> {
    let failed = |e: io::Error| system("read", path, &e);
    let mut file = options.open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut start = vec![0; MAGIC.len() + DIGITS + 1];
    let other = || damaged(path, "it is not a file of this version's preprocessing");
    file.read_exact(&mut start).map_err(|_| other())?;
    let length = start.strip_prefix(MAGIC.as_bytes()).and_then(|rest| rest.strip_suffix(b"\n"));
    let length = length.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
    let length = length.filter(|length| *length < 10usize.pow(DIGITS as u32)).ok_or_else(other)?;
    let line = start.len();
    start.resize(line + length + 1, 0);
    file.read_exact(&mut start[line..]).map_err(|_| damaged(path, "it is cut short"))?;
    let head: Head = serde_json::from_slice(&start[line..])
        .map_err(|_| damaged(path, "what it is for cannot be read"))?;
    if head.body.checked_add((start.len() + DIGEST) as u64) != Some(bytes) {
        return Err(damaged(path, "it is cut short, or longer than it should be"));
    }
    match parse(path, kind) == Some((head.preparation.clone(), head.number)) {
        true => Ok(Opened { file, path: path.to_path_buf(), start, head, bytes }),
        false => Err(damaged(path, "it has another file's name")),
    }
}

impl Opened {
    /// Where what was prepared begins.
    pub fn begins(&self) -> u64 {
        self.start.len() as u64
    }

    /// The file, which stays locked as long as it is open.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Checks the digest; gives `each` what was prepared, chunk by chunk, before it is known to be right.
    pub fn check(
        &mut self,
        cipher: &Cipher,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), EvaluateError> {
        let damaged = |what| damaged(&self.path, what);
        let (mut digest, mut at) = (Transcript::new(&[DIGEST_DOMAIN]), 0);
        let mut chunk = Buffer::<u8>::zeros(CHUNK);
        while at < self.head.body {
            let len = (self.head.body - at).min(CHUNK as u64);
            let chunk = &mut chunk[..len as usize];
            self.file.read_exact(chunk).map_err(|_| damaged("it is cut short"))?;
            absorb(&mut digest, chunk);
            cipher.apply(at, chunk);
            each(chunk);
            at += len;
        }
        // As it is written: nothing, where all chunks are full.
        if self.head.body.is_multiple_of(CHUNK as u64) {
            absorb(&mut digest, &[]);
        }
        absorb(&mut digest, &self.start);
        let mut theirs = [0; DIGEST];
        self.file.read_exact(&mut theirs).map_err(|_| damaged("it is cut short"))?;
        match hash::equal(&cipher.tag(digest), &theirs) {
            true => Ok(()),
            false => Err(damaged("its digest is another")),
        }
    }

    /// Reads all of what was prepared.
    pub fn read(&mut self, cipher: &Cipher) -> Result<StoredPreprocessing, EvaluateError> {
        // The file is as long as its head says.
        let body = usize::try_from(self.head.body);
        let body = body.map_err(|_| damaged(&self.path, "it is larger than memory"))?;
        let (mut all, mut filled) = (Buffer::<u8>::zeros(body), 0);
        self.check(cipher, |chunk| {
            all[filled..filled + chunk.len()].copy_from_slice(chunk);
            filled += chunk.len();
        })?;
        StoredPreprocessing::from_bytes(&all)
            .map_err(|_| damaged(&self.path, "it has another form"))
    }
}

/// Writes a file of what fits in memory; gives its size.
pub fn write(
    (directory, state): (&Path, &State),
    head: &Head,
    prepared: StoredPreprocessing,
) -> Result<u64, EvaluateError> {
    let mut writer = Writer::begin(directory, head)?;
    writer.put(&prepared.into_bytes()?)?;
    writer.finish(state)
}

/// Overwrites a file with zeros and empties it, unless a run is reading it.
pub fn wipe(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    if file.try_lock().is_err() {
        return Ok(());
    }
    let (mut left, zeros) = (file.metadata()?.len(), [0; 1 << 16]);
    while left > 0 {
        let count = left.min(zeros.len() as u64);
        file.write_all(&zeros[..count as usize])?;
        left -= count;
    }
    file.sync_all()?;
    empty(&file)
}

/// Empties a file whose key is gone.
pub fn empty(file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_encrypted_as_it_is_in_the_whole() {
        let cipher = Cipher::new(&Seed::from_bytes([3; 32]));
        let mut whole = vec![0; 200_000];
        cipher.apply(0, &mut whole);
        for (at, len) in [(0, 0), (5, 3), (16, 70_000), (65_530, 100), (17, 150_001), (65_536, 1)] {
            let mut part = vec![0; len];
            cipher.apply(at as u64, &mut part);
            assert!(part == whole[at..at + len], "{len} at {at}");
        }
        assert!(whole.chunks(16).collect::<std::collections::HashSet<_>>().len() == 12_500);
    }
}
