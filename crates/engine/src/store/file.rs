//! The files of a store: a line that says what a file is and how long the next one is, a line of JSON that says
//! what it is for, what was prepared, and a digest of everything before it.
//!
//! Nothing secret goes through a buffer that is not wiped.

use super::system;
use crate::circuit::{EvaluateError, Prepared};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_ring::{Buffer, hash};

/// The first line, up to the length of the second.
const MAGIC: &str = "tacit preprocessing 1, head ";
/// Digits of that length.
const DIGITS: usize = 7;
const DIGEST: usize = 32;

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

/// Writes a file so that it is there as a whole or not at all; gives its size. A crash leaves at most one
/// that is called unfinished.
pub fn write(directory: &Path, head: &Head, prepared: &Prepared) -> Result<u64, EvaluateError> {
    let path = directory.join(name(&head.preparation, head.number, READY));
    let body = prepared.encode()?;
    let head = serde_json::to_string(&Head { body: body.len() as u64, ..head.clone() })
        .map_err(|e| EvaluateError::Bug(format!("cannot write a head: {e}")))?;
    let start = format!("{MAGIC}{:0DIGITS$}\n{head}\n", head.len());
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix("")
            .suffix(&format!(".{UNFINISHED}"))
            .tempfile_in(directory)?;
        file.write_all(start.as_bytes())?;
        file.write_all(&body)?;
        file.write_all(&hash::digest(&[start.as_bytes(), &body]))?;
        file.as_file().sync_all()?;
        file.persist_noclobber(&path)?;
        sync_directory(directory)?;
        Ok((start.len() + body.len() + DIGEST) as u64)
    };
    write().map_err(|e: io::Error| system("write", &path, &e))
}

fn damaged(path: &Path, what: &str) -> EvaluateError {
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
    /// Reads what was prepared.
    pub fn read(mut self) -> Result<Prepared, EvaluateError> {
        let damaged = |what| damaged(&self.path, what);
        let rest = usize::try_from(self.bytes).ok();
        let rest = rest.and_then(|bytes| bytes.checked_sub(self.start.len()));
        let rest = rest.filter(|rest| *rest >= DIGEST).ok_or_else(|| damaged("it is cut short"))?;
        let mut rest = Buffer::<u8>::zeros(rest);
        self.file.read_exact(&mut rest).map_err(|_| damaged("it is cut short"))?;
        let (body, digest) = rest.split_at(rest.len() - DIGEST);
        if hash::digest(&[&self.start, body]) != digest {
            return Err(damaged("its digest is another"));
        }
        Prepared::decode(body).map_err(|_| damaged("it has another form"))
    }
}

/// Overwrites a file with zeros and empties it. Disks may keep copies of what was there.
pub fn wipe(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let mut left = file.metadata()?.len();
    let zeros = [0; 1 << 16];
    while left > 0 {
        let count = left.min(zeros.len() as u64);
        file.write_all(&zeros[..count as usize])?;
        left -= count;
    }
    file.sync_all()?;
    file.set_len(0)?;
    file.sync_all()
}
