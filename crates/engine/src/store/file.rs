//! The files of a store: a line that says what a file is and how long the next one is, a line of JSON that says
//! what it is for, what was prepared, and a digest of everything before it. They are written and checked chunk
//! by chunk: a file may be larger than memory.
//!
//! Nothing secret goes through a buffer that is not wiped.

use super::system;
use crate::circuit::{EvaluateError, Prepared};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_ring::Buffer;
use tacit_ring::hash::{self, Item, Transcript};
use tempfile::NamedTempFile;

/// The first line, up to the length of the second.
const MAGIC: &str = "tacit preprocessing 5, head ";
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
    pub party: u8,
    pub made: u64,
    /// Which program made it: another one may use the same keys otherwise.
    pub build: String,
    /// Bytes of what was prepared.
    pub body: u64,
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

#[cfg(unix)]
pub fn only_for_owner(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
pub fn only_for_owner(_: &Path) -> io::Result<()> {
    Ok(())
}

pub fn sync_directory(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        false => Ok(()),
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
    digest: Transcript,
    /// What is not written yet.
    chunk: Buffer<u8>,
    filled: usize,
}

impl Writer {
    /// Begins a file.
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
        let (chunk, digest) = (Buffer::zeros(CHUNK), Transcript::new(&[DIGEST_DOMAIN]));
        let (head, directory) = (Head { body: 0, ..head }, directory.to_path_buf());
        Ok(Writer { directory, path, head, start, file, digest, chunk, filled: 0 })
    }

    /// Appends something.
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<(), EvaluateError> {
        self.head.body += bytes.len() as u64;
        while !bytes.is_empty() {
            let len = bytes.len().min(CHUNK - self.filled);
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
        let bytes = &self.chunk[..self.filled];
        absorb(&mut self.digest, bytes);
        self.filled = 0;
        self.file.write_all(bytes).map_err(|e| system("write", &self.path, &e))
    }

    /// Ends the file and waits until the disk has it; gives its size.
    pub fn finish(mut self) -> Result<u64, EvaluateError> {
        self.flush()?;
        let start = lines(&self.head, self.start)?;
        absorb(&mut self.digest, start.as_bytes());
        let Writer { directory, path, mut file, digest, head, .. } = self;
        let finish = || {
            file.write_all(&digest.finish())?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(start.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist_noclobber(&path)?;
            sync_directory(&directory)
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

/// Opens a file and reads what it is for: the rest is not looked at.
pub fn open(path: &Path) -> Result<Opened, EvaluateError> {
    let failed = |e: io::Error| system("read", path, &e);
    let mut file = File::open(path).map_err(failed)?;
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
    match parse(path, READY) == Some((head.preparation.clone(), head.number)) {
        true => Ok(Opened { file, path: path.to_path_buf(), start, head, bytes }),
        false => Err(damaged(path, "it has another file's name")),
    }
}

impl Opened {
    /// Where what was prepared begins.
    pub fn begins(&self) -> u64 {
        self.start.len() as u64
    }

    /// Checks the digest; gives `each` what was prepared, chunk by chunk, before it is known to be right.
    pub fn check(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), EvaluateError> {
        let damaged = |what| damaged(&self.path, what);
        let mut transcript = Transcript::new(&[DIGEST_DOMAIN]);
        let (mut chunk, mut left) = (Buffer::<u8>::zeros(CHUNK), self.head.body);
        while left > 0 {
            let len = left.min(CHUNK as u64);
            let chunk = &mut chunk[..len as usize];
            self.file.read_exact(chunk).map_err(|_| damaged("it is cut short"))?;
            absorb(&mut transcript, chunk);
            each(chunk);
            left -= len;
        }
        // As it is written: nothing, where all chunks are full.
        if self.head.body.is_multiple_of(CHUNK as u64) {
            absorb(&mut transcript, &[]);
        }
        absorb(&mut transcript, &self.start);
        let mut digest = [0; DIGEST];
        self.file.read_exact(&mut digest).map_err(|_| damaged("it is cut short"))?;
        match transcript.finish() == digest {
            true => Ok(()),
            false => Err(damaged("its digest is another")),
        }
    }

    /// Reads all of what was prepared.
    pub fn read(mut self) -> Result<Prepared, EvaluateError> {
        // The file is as long as its head says.
        let body = usize::try_from(self.head.body);
        let body = body.map_err(|_| damaged(&self.path, "it is larger than memory"))?;
        let (mut all, mut filled) = (Buffer::<u8>::zeros(body), 0);
        self.check(|chunk| {
            all[filled..filled + chunk.len()].copy_from_slice(chunk);
            filled += chunk.len();
        })?;
        Prepared::decode(&all).map_err(|_| damaged(&self.path, "it has another form"))
    }
}

/// Writes a file of what fits in memory; gives its size.
pub fn write(directory: &Path, head: &Head, prepared: &Prepared) -> Result<u64, EvaluateError> {
    let mut writer = Writer::begin(directory, head)?;
    writer.put(&prepared.encode()?)?;
    writer.finish()
}

/// Overwrites a file with zeros and empties it. Disks may keep copies of what was there.
pub fn wipe(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let all = file.metadata()?.len();
    overwrite(&mut file, all)?;
    file.set_len(0)?;
    file.sync_all()
}

/// Overwrites the beginning of a file with zeros, and waits until the disk has that.
pub fn overwrite(file: &mut File, mut left: u64) -> io::Result<()> {
    let zeros = [0; 1 << 16];
    while left > 0 {
        let count = left.min(zeros.len() as u64);
        file.write_all(&zeros[..count as usize])?;
        left -= count;
    }
    file.sync_all()
}
