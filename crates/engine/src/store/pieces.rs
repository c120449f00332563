//! Preprocessing that is written and read piece by piece, as it may be larger than memory.
//!
//! Pieces are encrypted under a key that stands before them in the file. Who takes the file reads the key, and
//! overwrites it before the first piece is used: what is on the disk then tells nothing, wherever the party
//! stops, and yet pieces can be read one at a time.

use super::file::{self, Head, Opened, Writer};
use super::system;
use crate::circuit::EvaluateError;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tacit_ring::{Buffer, Entropy, Prg, Seed};

/// Bytes before a piece: whose it is, and its length.
const FRAME: usize = 12;
/// Workers of a file, fewer than this: more threads than any machine runs.
const MOST_WORKERS: usize = 1 << 16;
/// Bytes of a piece, at most: 64 parties' take a third of that.
const MOST: u64 = 1 << 32;

fn cipher(key: &Seed) -> Prg {
    Prg::new(&key.derive_key("tacit 2026 pieces of preprocessing", &[]))
}

/// Encrypts or decrypts piece `number` of a file in place.
fn crypt(cipher: &Prg, number: u64, bytes: &mut [u8]) {
    let mut stream = Buffer::<u8>::zeros(bytes.len().min(1 << 16));
    for (i, chunk) in bytes.chunks_mut(1 << 16).enumerate() {
        let stream = &mut stream[..chunk.len()];
        cipher.fill(number, (i << 16) as u64, stream);
        chunk.iter_mut().zip(&*stream).for_each(|(byte, stream)| *byte ^= stream);
    }
}

/// A file of pieces that is being written, by several workers at once. It is there when it is finished: what
/// was not is never taken.
pub struct PieceWriter(Mutex<Writing>);

struct Writing {
    writer: Writer,
    cipher: Prg,
    /// Pieces so far.
    count: u64,
}

impl PieceWriter {
    pub(super) fn begin(directory: &Path, head: &Head) -> Result<Self, EvaluateError> {
        let key = Entropy::system().seed().map_err(|e| EvaluateError::System(e.to_string()))?;
        let mut writer = Writer::begin(directory, head)?;
        writer.put(key.expose())?;
        Ok(PieceWriter(Mutex::new(Writing { writer, cipher: cipher(&key), count: 0 })))
    }

    /// Keeps a worker's next piece.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put(&self, worker: usize, mut piece: Buffer<u8>) -> Result<(), EvaluateError> {
        let worker = u32::try_from(worker).ok().filter(|worker| (*worker as usize) < MOST_WORKERS);
        let worker =
            worker.ok_or_else(|| EvaluateError::Bug("more workers than are stored".into()))?;
        let mut writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Writing { writer, cipher, count } = &mut *writing;
        crypt(cipher, *count, &mut piece);
        *count += 1;
        writer.put(&worker.to_le_bytes())?;
        writer.put(&(piece.len() as u64).to_le_bytes())?;
        writer.put(&piece)
    }

    /// Ends the file, when every worker is done; gives its bytes.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(self) -> Result<u64, EvaluateError> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).writer.finish()
    }
}

/// Pieces of a file that is spent. Each is given once, in the order in which its worker made it.
pub struct Pieces {
    path: PathBuf,
    cipher: Prg,
    left: Mutex<Left>,
}

struct Left {
    file: File,
    /// By worker: number, place and length.
    pieces: Vec<VecDeque<(u64, u64, usize)>>,
}

/// Where the pieces of a file are: its digest is right.
pub struct Index {
    path: PathBuf,
    key: Seed,
    /// Bytes before the pieces: they are worth nothing without these.
    start: u64,
    pieces: Vec<VecDeque<(u64, u64, usize)>>,
}

impl Index {
    /// Checks a file of pieces. Nothing of it may be used before it is spent.
    pub fn of(path: &Path, mut opened: Opened) -> Result<Index, EvaluateError> {
        let damaged = || file::damaged(path, "it has another form");
        let mut scan = Scan::default();
        opened.check(|chunk| scan.chunk(chunk))?;
        let key: [u8; Seed::LEN] = scan.key.as_slice().try_into().map_err(|_| damaged())?;
        let whole = scan.skip == 0 && scan.frame.is_empty() && !scan.wrong;
        let start = opened.begins();
        let mut pieces = Vec::new();
        for (number, (worker, at, len)) in (0..).zip(scan.pieces.drain(..)) {
            if worker >= MOST_WORKERS {
                return Err(damaged());
            }
            if pieces.len() <= worker {
                pieces.resize_with(worker + 1, VecDeque::new);
            }
            pieces[worker].push_back((number, start + at, len));
        }
        let (path, key) = (path.to_path_buf(), Seed::from_bytes(key));
        let index = Index { path, key, start: start + Seed::LEN as u64, pieces };
        if whole { Ok(index) } else { Err(damaged()) }
    }

    /// Overwrites the key of a file that was renamed to `spent`.
    pub fn spend(self, spent: &Path) -> Result<Pieces, EvaluateError> {
        let Index { key, start, pieces, .. } = self;
        let take = || {
            let mut file = OpenOptions::new().read(true).write(true).open(spent)?;
            file::overwrite(&mut file, start)?;
            Ok(file)
        };
        let file = take().map_err(|e: io::Error| system("empty", spent, &e))?;
        let left = Mutex::new(Left { file, pieces });
        Ok(Pieces { path: spent.to_path_buf(), cipher: cipher(&key), left })
    }

    /// The file that it is of.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Finds the pieces of a file that is read chunk by chunk.
#[derive(Default)]
struct Scan {
    key: zeroize::Zeroizing<Vec<u8>>,
    /// Of the next piece's frame.
    frame: Vec<u8>,
    /// Of the last piece.
    skip: u64,
    at: u64,
    pieces: Vec<(usize, u64, usize)>,
    wrong: bool,
}

impl Scan {
    fn chunk(&mut self, mut chunk: &[u8]) {
        if self.key.is_empty() {
            self.key.reserve_exact(Seed::LEN);
        }
        while !chunk.is_empty() && !self.wrong {
            let len = if self.key.len() < Seed::LEN {
                let len = chunk.len().min(Seed::LEN - self.key.len());
                self.key.extend_from_slice(&chunk[..len]);
                len
            } else if self.skip > 0 {
                let len = self.skip.min(chunk.len() as u64);
                self.skip -= len;
                len as usize
            } else {
                let len = chunk.len().min(FRAME - self.frame.len());
                self.frame.extend_from_slice(&chunk[..len]);
                len
            };
            self.at += len as u64;
            chunk = &chunk[len..];
            self.whole_frame();
        }
    }

    fn whole_frame(&mut self) {
        let Some((worker, rest)) = self.frame.split_first_chunk::<4>() else { return };
        let Some(len) = rest.first_chunk::<8>() else { return };
        let (worker, len) = (u32::from_le_bytes(*worker), u64::from_le_bytes(*len));
        self.pieces.push((worker as usize, self.at, len as usize));
        self.wrong |= len > MOST;
        self.skip = len;
        self.frame.clear();
    }
}

impl Pieces {
    /// A worker's next piece.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next(&self, worker: usize) -> Result<Option<Buffer<u8>>, EvaluateError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Left { file, pieces } = &mut *left;
        let Some((number, at, len)) = pieces.get_mut(worker).and_then(VecDeque::pop_front) else {
            return Ok(None);
        };
        let mut piece = Buffer::zeros(len);
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut piece));
        read.map_err(|e| system("read", &self.path, &e))?;
        drop(left);
        crypt(&self.cipher, number, &mut piece);
        Ok(Some(piece))
    }
}

impl Drop for Pieces {
    /// Nobody can read what is left: the key is gone from the disk.
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = left.file.set_len(0).and_then(|()| left.file.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            preparation: "0".repeat(32),
            number: 1,
            name: "test".into(),
            facts: Vec::new(),
            party: 0,
            made: 0,
            build: String::new(),
            body: 0,
        }
    }

    fn piece(i: u8) -> Buffer<u8> {
        // Some lie across the chunks in which files are read; one is empty.
        let mut piece = Buffer::zeros(300_000 * usize::from(i));
        piece.fill(i + 1);
        piece
    }

    #[test]
    fn pieces_come_back_once_each_and_in_order_and_the_key_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(file::name(&head().preparation, 1, file::READY));
        let writer = PieceWriter::begin(directory.path(), &head()).unwrap();
        (0..12).for_each(|i| writer.put(usize::from(i % 3), piece(i)).unwrap());
        assert!(!path.exists(), "an unfinished file is not there");
        let bytes = writer.finish().unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let before = std::fs::read(&path).unwrap();
        assert!(!before.windows(64).any(|bytes| bytes == [7; 64]), "pieces are encrypted");
        let index = Index::of(&path, file::open(&path).unwrap()).unwrap();
        let (start, key) = (index.start as usize, *index.key.expose());
        let pieces = index.spend(&path).unwrap();
        let after = std::fs::read(&path).unwrap();
        assert!(!after.windows(key.len()).any(|bytes| bytes == key));
        assert!(after[..start].iter().all(|byte| *byte == 0) && after[start..] == before[start..]);
        assert!(file::open(&path).is_err(), "it is not taken again, whatever its name");
        for i in 0..12 {
            assert!(*pieces.next(usize::from(i % 3)).unwrap().unwrap() == *piece(i));
        }
        assert!((0..5).all(|worker| pieces.next(worker).unwrap().is_none()));
        drop(pieces);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    }

    #[test]
    fn a_file_that_is_damaged_anywhere_is_not_taken() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(file::name(&head().preparation, 1, file::READY));
        let writer = PieceWriter::begin(directory.path(), &head()).unwrap();
        (0..4).for_each(|i| writer.put(0, piece(i)).unwrap());
        let bytes = writer.finish().unwrap() as usize;
        let whole = std::fs::read(&path).unwrap();
        let start = file::open(&path).unwrap().begins() as usize;
        for at in [start - 2, start, start + 33, start + 36, bytes / 2, bytes - 33, bytes - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            let taken = file::open(&path).and_then(|opened| Index::of(&path, opened));
            assert!(taken.is_err(), "byte {at}");
        }
        std::fs::write(&path, whole).unwrap();
        assert!(Index::of(&path, file::open(&path).unwrap()).is_ok());
    }
}
