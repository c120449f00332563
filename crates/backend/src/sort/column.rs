//! Columns of rows that are moved.

use crate::convert::shuffle;
use crate::convert::{BitPlanes, to_planes};
use crate::{Data, Kind, Result, Ring, Secret, wrong};
use tacit_ring::{Buffer, Word, Z2, word};
use tacit_sharing::arrays::SharedVec;

/// A column of rows under way: bits have a word per row. Its shares have no `Debug`.
pub enum Column {
    /// Without shares: a dry run.
    Dry {
        /// How many.
        rows: usize,
        /// Bits of an element, of which bits have one, though a row of them is a word.
        bits: u32,
    },
    /// Bits, 64 to a row at most.
    Words(SharedVec<Z2>),
    /// Z_{2^32}.
    W32(SharedVec<u32>),
    /// Z_{2^64}.
    W64(SharedVec<u64>),
    /// Z_{2^128}.
    W128(SharedVec<u128>),
}

/// Evaluates an expression with `$v` bound to the shares of a column, and `$of` to what makes a
/// column of such.
macro_rules! with_column {
    ($column:expr, $v:ident, $of:ident => $body:expr, dry $dry:expr) => {
        match $column {
            Column::Dry { .. } => $dry,
            Column::Words($v) => {
                let $of = Column::Words;
                $body
            }
            Column::W32($v) => {
                let $of = Column::W32;
                $body
            }
            Column::W64($v) => {
                let $of = Column::W64;
                $body
            }
            Column::W128($v) => {
                let $of = Column::W128;
                $body
            }
        }
    };
}
pub(crate) use with_column;

impl Column {
    /// The rows of an array: bits as words.
    pub(super) fn of(secret: &Secret) -> Result<Self> {
        Ok(match &secret.data {
            Data::None => {
                Column::Dry { rows: secret.len, bits: secret.ring().map_or(1, Ring::bits) }
            }
            Data::Bits(bits) if secret.kind == Kind::Bits => {
                Column::Words(bits.shares.map(|run| shuffle::rows_of(run, 1, bits.lanes)))
            }
            Data::Bits(_) => return Err(wrong("a column of numbers held as bits")),
            Data::W32(shares) => Column::W32(shares.map(Buffer::clone)),
            Data::W64(shares) => Column::W64(shares.map(Buffer::clone)),
            Data::W128(shares) => Column::W128(shares.map(Buffer::clone)),
        })
    }

    /// The rows of an array that nobody else needs.
    pub(super) fn from_secret(secret: Secret) -> Result<Self> {
        Ok(match secret.data {
            Data::W32(shares) => Column::W32(shares),
            Data::W64(shares) => Column::W64(shares),
            Data::W128(shares) => Column::W128(shares),
            Data::None | Data::Bits(_) => Column::of(&secret)?,
        })
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        with_column!(self, v, _of => v.len(), dry match self {
            Column::Dry { rows, .. } => *rows,
            _ => 0,
        })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bits of an element: one of bits, though a row of them is a word.
    #[must_use]
    pub fn bits(&self) -> u32 {
        match self {
            Column::Dry { bits, .. } => *bits,
            Column::Words(_) => 1,
            Column::W32(_) => 32,
            Column::W64(_) => 64,
            Column::W128(_) => 128,
        }
    }

    /// Bytes of a row.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        match self.bits() {
            1 => 8,
            bits => u64::from(bits / 8),
        }
    }

    /// The same shares again.
    pub(super) fn copied(&self) -> Column {
        with_column!(self, v, of => of(v.map(Buffer::clone)), dry Column::Dry {
            rows: self.len(),
            bits: self.bits(),
        })
    }

    /// Columns of one kind, one after the other.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn join(parts: Vec<Column>) -> Column {
        let rows = parts.iter().map(Column::len).sum();
        if parts.len() == 1 {
            return parts.into_iter().next().expect("one column");
        }
        let mut at = 0;
        with_column!(&parts[0], like, of => {
            let mut all = SharedVec::zeros_like(rows, [like]);
            for part in &parts {
                part.copy_to(&mut all, at);
                at += part.len();
            }
            of(all)
        }, dry Column::Dry { rows, bits: parts[0].bits() })
    }

    fn copy_to<W: Word>(&self, all: &mut SharedVec<W>, at: usize) {
        with_column!(self, v, _of => {
            for (to, from) in all.components_mut().into_iter().zip(v.components()) {
                if !from.is_empty() {
                    to[at..at + from.len()].copy_from_slice(bytemuck::cast_slice(from));
                }
            }
        }, dry ())
    }

    /// The sums of the rows up to each one; of bits, whether they are an odd number.
    pub(super) fn summed(mut self) -> Column {
        with_column!(&mut self, v, _of => for run in [&mut v.first, &mut v.second] {
            for row in 1..run.len() {
                run[row] = run[row].add(run[row - 1]);
            }
        }, dry ());
        self
    }

    /// As an array of a kind.
    pub(super) fn into_secret(self, kind: Kind) -> Secret {
        match self {
            Column::Dry { rows, .. } => Secret::dry(kind, rows),
            Column::Words(rows) => {
                let shares = rows.map(|run| to_planes(word::lanes(run), 1));
                Secret::bits(BitPlanes::shared(shares, rows.len()))
            }
            Column::W32(v) => Secret::of(v),
            Column::W64(v) => Secret::of(v),
            Column::W128(v) => Secret::of(v),
        }
    }
}
