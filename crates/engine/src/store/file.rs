//! The files of a store: a line that says what a file is, a line of JSON, what was prepared, and a digest
//! of everything before it.

use super::system;
use crate::circuit::{EvaluateError, Prepared};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_ring::{Buffer, hash};

/// The first line.
const MAGIC: &str = "tacit preprocessing 1\n";
/// Bytes of the second line, at most.
const MAX_HEAD: u64 = 1 << 20;
const DIGEST: usize = 32;

/// What is ready, and what is spent.
pub const READY: &str = "ready";
pub const SPENT: &str = "spent";

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
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A file's name.
pub fn name(preparation: &str, number: u64, kind: &str) -> String {
    format!("{preparation}-{number:06}.{kind}")
}

/// What a file's name says.
pub fn parse(path: &Path) -> Option<(String, u64)> {
    let (preparation, number) = path.file_stem()?.to_str()?.split_once('-')?;
    let hex = preparation.len() == 32 && preparation.bytes().all(|b| b.is_ascii_hexdigit());
    Some((hex.then(|| preparation.to_string())?, number.parse().ok()?))
}

#[cfg(unix)]
pub fn only_for_owner(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if path.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
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

/// Writes a file so that it is there as a whole or not at all.
pub fn write(directory: &Path, head: &Head, prepared: &Prepared) -> Result<u64, EvaluateError> {
    let path = directory.join(name(&head.preparation, head.number, READY));
    let body = prepared.encode()?;
    let mut start = MAGIC.as_bytes().to_vec();
    serde_json::to_writer(&mut start, head)
        .map_err(|e| EvaluateError::Bug(format!("cannot write a head: {e}")))?;
    start.push(b'\n');
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(&start)?;
        file.write_all(&body)?;
        file.write_all(&hash::digest(&[&start, &body]))?;
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

/// Reads the two lines, and gives them with what they say.
fn start(reader: &mut impl BufRead, path: &Path) -> Result<(Vec<u8>, Head), EvaluateError> {
    let failed = |e: io::Error| system("read", path, &e);
    let mut start = Vec::new();
    let mut lines = reader.take(MAX_HEAD);
    lines.read_until(b'\n', &mut start).map_err(failed)?;
    if start != MAGIC.as_bytes() {
        return Err(damaged(path, "it is not a file of this version's preprocessing"));
    }
    lines.read_until(b'\n', &mut start).map_err(failed)?;
    let head = serde_json::from_slice(&start[MAGIC.len()..]);
    Ok((start, head.map_err(|_| damaged(path, "what it is for cannot be read"))?))
}

/// What a file is for, and its size. The rest is not looked at.
pub fn read_head(path: &Path) -> Result<(Head, u64), EvaluateError> {
    let failed = |e: io::Error| system("read", path, &e);
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let (_, head) = start(&mut BufReader::new(file), path)?;
    match parse(path) == Some((head.preparation.clone(), head.number)) {
        true => Ok((head, bytes)),
        false => Err(damaged(path, "it has another file's name")),
    }
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Prepared, EvaluateError> {
    let failed = |e: io::Error| system("read", path, &e);
    let (_, bytes) = read_head(path)?;
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let (start, _) = start(&mut reader, path)?;
    let rest = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_sub(start.len()));
    let rest = rest.filter(|rest| *rest >= DIGEST);
    let mut rest = Buffer::<u8>::zeros(rest.ok_or_else(|| damaged(path, "it is cut short"))?);
    reader.read_exact(&mut rest).map_err(|_| damaged(path, "it is cut short"))?;
    let (body, digest) = rest.split_at(rest.len() - DIGEST);
    if hash::digest(&[&start, body]) != digest {
        return Err(damaged(path, "its digest is another"));
    }
    Prepared::decode(body).map_err(|_| damaged(path, "it has another form"))
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
