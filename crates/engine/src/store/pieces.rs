//! Preprocessing that is written and read piece by piece, as it may be larger than memory.
//!
//! Who takes the file has its key in memory, and the key on the disk is destroyed before the first piece is used:
//! what is on the disk then tells nothing, wherever the party stops, and yet pieces can be read one at a time.

use super::file::{self, Cipher, Head, Opened, Writer};
use super::private::system;
use super::state::State;
use crate::circuit::EvaluateError;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tacit_ring::Buffer;

/// Bytes before a piece: whose it is, and its length.
const FRAME: usize = 12;
/// Workers of a file, fewer than this: more threads than any machine runs.
const MOST_WORKERS: usize = 1 << 16;
/// Bytes of a piece, at most: 64 parties' take a third of that.
const MOST: u64 = 1 << 32;

/// A file of pieces that is being written, by several workers at once. It is there when it is finished: what
/// was not is never taken.
pub struct PieceWriter {
    writer: Mutex<Writer>,
    state: State,
}

impl PieceWriter {
    pub(super) fn begin(
        (directory, state): (&Path, &State),
        head: &Head,
    ) -> Result<Self, EvaluateError> {
        let writer = Mutex::new(Writer::begin(directory, head)?);
        Ok(PieceWriter { writer, state: state.clone() })
    }

    /// Keeps a worker's next piece.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put(&self, worker: usize, piece: Buffer<u8>) -> Result<(), EvaluateError> {
        let worker = u32::try_from(worker).ok().filter(|worker| (*worker as usize) < MOST_WORKERS);
        let worker =
            worker.ok_or_else(|| EvaluateError::Bug("more workers than are stored".into()))?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.put(&worker.to_le_bytes())?;
        writer.put(&(piece.len() as u64).to_le_bytes())?;
        writer.put(&piece)
    }

    /// Ends the file, when every worker is done; gives its bytes.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(self) -> Result<u64, EvaluateError> {
        let writer = self.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        writer.finish(&self.state)
    }
}

/// Pieces of a file that is spent. Each is given once, in the order in which its worker made it.
pub struct Pieces {
    path: PathBuf,
    cipher: Cipher,
    /// Bytes before what was prepared.
    start: u64,
    left: Mutex<Left>,
}

struct Left {
    file: File,
    /// By worker: place and length.
    pieces: Vec<VecDeque<(u64, usize)>>,
}

impl Pieces {
    /// Checks a file of pieces, which stays locked. Nothing of it may be used before it is spent.
    pub(super) fn of(
        path: &Path,
        mut opened: Opened,
        cipher: Cipher,
    ) -> Result<Pieces, EvaluateError> {
        let mut scan = Scan::default();
        opened.check(&cipher, |chunk| scan.chunk(chunk))?;
        let whole = scan.skip == 0 && scan.frame.is_empty() && !scan.wrong;
        if !whole || scan.pieces.iter().any(|(worker, ..)| *worker >= MOST_WORKERS) {
            return Err(file::damaged(path, "it has another form"));
        }
        let mut pieces = Vec::new();
        for (worker, at, len) in scan.pieces {
            if pieces.len() <= worker {
                pieces.resize_with(worker + 1, VecDeque::new);
            }
            pieces[worker].push_back((at, len));
        }
        let (path, start) = (path.to_path_buf(), opened.begins());
        let left = Mutex::new(Left { file: opened.into_file(), pieces });
        Ok(Pieces { path, cipher, start, left })
    }

    /// A worker's next piece.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next(&self, worker: usize) -> Result<Option<Buffer<u8>>, EvaluateError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Left { file, pieces } = &mut *left;
        let Some((at, len)) = pieces.get_mut(worker).and_then(VecDeque::pop_front) else {
            return Ok(None);
        };
        let mut piece = Buffer::zeros(len);
        let read =
            file.seek(SeekFrom::Start(self.start + at)).and_then(|_| file.read_exact(&mut piece));
        read.map_err(|e| system("read", &self.path, &e))?;
        drop(left);
        self.cipher.apply(at, &mut piece);
        Ok(Some(piece))
    }
}

impl Drop for Pieces {
    /// Nobody can read what is left: the key is gone from the disk.
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = file::empty(&left.file);
    }
}

/// Finds the pieces of a file that is read chunk by chunk.
#[derive(Default)]
struct Scan {
    /// The bytes read so far of the next piece's frame.
    frame: Vec<u8>,
    /// How many bytes of the last piece are still to be skipped.
    skip: u64,
    at: u64,
    pieces: Vec<(usize, u64, usize)>,
    wrong: bool,
}

impl Scan {
    fn chunk(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() && !self.wrong {
            let len = if self.skip > 0 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            preparation: "0".repeat(32),
            number: 1,
            name: "test".into(),
            facts: Vec::new(),
            parties: String::new(),
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

    fn state(directory: &Path) -> State {
        State::at(&directory.join("state")).unwrap()
    }

    /// What `Store::take_pieces` does before it spends the file.
    fn pieces(path: &Path, state: &State) -> Result<Pieces, EvaluateError> {
        let cipher = Cipher::new(&state.key(&head().id())?);
        Pieces::of(path, file::take(path)?, cipher)
    }

    #[test]
    fn pieces_come_back_once_each_and_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let state = state(directory.path());
        let path = directory.path().join(file::name(&head().preparation, 1, file::READY));
        let writer = PieceWriter::begin((directory.path(), &state), &head()).unwrap();
        (0..12).for_each(|i| writer.put(usize::from(i % 3), piece(i)).unwrap());
        assert!(
            !path.exists() && state.key(&head().id()).is_err(),
            "an unfinished file is not there"
        );
        let bytes = writer.finish().unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let before = std::fs::read(&path).unwrap();
        assert!(!before.windows(64).any(|bytes| bytes == [7; 64]), "pieces are encrypted");
        let taken = pieces(&path, &state).unwrap();
        assert!(pieces(&path, &state).is_err(), "one run at a time has it");
        file::wipe(&path).unwrap();
        for i in 0..12 {
            assert!(*taken.next(usize::from(i % 3)).unwrap().unwrap() == *piece(i));
        }
        assert!((0..5).all(|worker| taken.next(worker).unwrap().is_none()));
        drop(taken);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    }

    #[test]
    fn a_file_that_is_damaged_anywhere_is_not_taken() {
        let directory = tempfile::tempdir().unwrap();
        let state = state(directory.path());
        let path = directory.path().join(file::name(&head().preparation, 1, file::READY));
        let writer = PieceWriter::begin((directory.path(), &state), &head()).unwrap();
        (0..4).for_each(|i| writer.put(0, piece(i)).unwrap());
        let bytes = writer.finish().unwrap() as usize;
        let whole = std::fs::read(&path).unwrap();
        let start = file::open(&path).unwrap().begins() as usize;
        for at in [start - 2, start, start + 33, start + 36, bytes / 2, bytes - 33, bytes - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert!(pieces(&path, &state).is_err(), "byte {at}");
        }
        std::fs::write(&path, &whole).unwrap();
        // Under another key it is another file.
        let other = tacit_ring::Seed::from_bytes([5; 32]);
        let other = Pieces::of(&path, file::take(&path).unwrap(), Cipher::new(&other));
        assert!(other.is_err());
        // It is whole.
        let taken = pieces(&path, &state).unwrap();
        assert!(*taken.next(0).unwrap().unwrap() == *piece(0));
    }
}
