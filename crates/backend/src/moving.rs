//! Shuffles of a party with numbers in rings.

use super::numbers::Numbers;
use super::ring_keys::{Held, RingContext};
use super::sort::{Column, with_column};
use super::{Result, wrong};
use crate::convert::shuffle::{self, Hop};
use std::ops::Range;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::coordinates::Coordinates;
use tacit_sharing::role::RoleId;

impl<P: Coordinates> Numbers<'_, P> {
    pub(super) fn draw_hop(&mut self, which: RoleId, n: usize) -> Result<Hop> {
        let (_, bench) = self.step::<Z2>();
        let mut draws = bench.keys.streams().draws()?;
        Ok(Hop::draw::<P>(&mut draws, which, n))
    }

    pub(super) fn enter_shuffle(&mut self, columns: Vec<Column>) -> Result<Vec<Column>> {
        if P::PROTOCOL.parties() != 4 {
            return Ok(columns);
        }
        self.step::<Z2>();
        let mut entered = Vec::new();
        for column in &columns {
            entered.push(
                with_column!(column, v, of => of(self.enter_column(v)?), dry return Err(dry())),
            );
        }
        Ok(entered)
    }

    fn enter_column<W: Held>(&mut self, shares: &SharedVec<W>) -> Result<SharedVec<W>> {
        let (party, RingContext { keys, .. }) = self.same_step::<W>();
        let mut draws = keys.streams().draws()?;
        shuffle::enter::<P, W>(party, &mut draws, shares)
    }

    pub(super) fn leave_shuffle(&self, columns: Vec<Column>) -> Vec<Column> {
        if P::PROTOCOL.parties() != 4 {
            return columns;
        }
        let leave = |column| match column {
            Column::Words(v) => Column::Words(shuffle::leave::<P, _>(v)),
            Column::W32(v) => Column::W32(shuffle::leave::<P, _>(v)),
            Column::W64(v) => Column::W64(shuffle::leave::<P, _>(v)),
            Column::W128(v) => Column::W128(shuffle::leave::<P, _>(v)),
            dry @ Column::Dry { .. } => dry,
        };
        columns.into_iter().map(leave).collect()
    }

    pub(super) fn hop_columns(
        &mut self,
        hop: &Hop,
        columns: &[Column],
        to: Range<usize>,
    ) -> Result<Vec<Column>> {
        self.step::<Z2>();
        let mut moved = Vec::new();
        for column in columns {
            moved.push(with_column!(column, v, of => {
                of(self.hop_begin(hop, v, to.clone())?)
            }, dry return Err(dry())));
        }
        for column in &mut moved {
            with_column!(column, v, _of => self.hop_finish(hop, v)?, dry ());
        }
        Ok(moved)
    }

    /// All rows of columns. A column is gone as soon as what is sent of it was.
    pub(super) fn hop_all(&mut self, hop: &Hop, columns: &mut [Column]) -> Result<()> {
        self.step::<Z2>();
        for column in columns.iter_mut() {
            *column = with_column!(&*column, v, of => {
                of(self.hop_begin(hop, v, 0..v.len())?)
            }, dry return Err(dry()));
        }
        for column in columns {
            with_column!(column, v, _of => self.hop_finish(hop, v)?, dry ());
        }
        Ok(())
    }

    fn hop_begin<W: Held>(
        &mut self,
        hop: &Hop,
        turned: &SharedVec<W>,
        to: Range<usize>,
    ) -> Result<SharedVec<W>> {
        let (party, RingContext { keys, .. }) = self.same_step::<W>();
        let mut draws = keys.streams().draws()?;
        hop.begin::<P, W>(party, &mut draws, turned, to)
    }

    fn hop_finish<W: Held>(&mut self, hop: &Hop, moved: &mut SharedVec<W>) -> Result<()> {
        let (party, _) = self.same_step::<W>();
        hop.finish::<P, W>(party, moved)
    }

    pub(super) fn open_rows(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>> {
        match places {
            Column::W32(v) => {
                let cut = v.map(|run| Buffer::from_slice(&run[at.clone()]));
                self.bits.open_to_all(&cut)
            }
            Column::Words(v) => {
                let cut = v.map(|run| Buffer::from_slice(&run[at.clone()]));
                let opened = self.bits.open_to_all(&cut)?;
                let mut numbers = Buffer::zeros(opened.len());
                numbers.iter_mut().zip(opened.iter()).for_each(|(to, word): (&mut u32, _)| {
                    *to = word.0 as u32;
                });
                Ok(numbers)
            }
            _ => Err(wrong("places")),
        }
    }

    pub(super) fn row_numbers(&self, n: usize) -> [Column; 2] {
        let (mut words, mut places) = (SharedVec::<Z2>::zeros(n), SharedVec::<u32>::zeros(n));
        for i in 0..n {
            [words.first[i], words.second[i]] = P::constant(Z2((i as u64) << 32));
            [places.first[i], places.second[i]] = P::constant(i as u32);
        }
        [Column::Words(words), Column::W32(places)]
    }
}

fn dry() -> SharingError {
    wrong("a column of a dry run")
}

/// What [`Shuffles`](super::sort::Shuffles) wants of all but proofs: that of a [`Numbers`].
macro_rules! delegate_shuffles {
    ($to:ident) => {
        fn hops(&mut self) -> Vec<RoleId> {
            shuffle::hops(P::PROTOCOL)
        }

        fn least_rows(&mut self) -> usize {
            shuffle::least_rows(P::PROTOCOL)
        }

        fn enter(&mut self, columns: Vec<Column>) -> Result<Vec<Column>> {
            self.$to.enter_shuffle(columns)
        }

        fn leave(&mut self, columns: Vec<Column>) -> Vec<Column> {
            self.$to.leave_shuffle(columns)
        }

        fn turn(&mut self, hop: &Hop, column: &mut Column) {
            with_column!(column, v, _of => hop.turn::<P, _>(v), dry ());
        }

        fn hop(&mut self, hop: &Hop, columns: &[Column], to: Range<usize>) -> Result<Vec<Column>> {
            self.$to.hop_columns(hop, columns, to)
        }

        fn hop_all(&mut self, hop: &Hop, columns: &mut Vec<Column>) -> Result<()> {
            self.$to.hop_all(hop, columns)
        }

        fn row_dots(&mut self, rows: usize, a: &Secret, b: &Secret) -> Result<Secret> {
            Ok(Secret::of(self.$to.row_dots(rows, typed::<u32>(a), typed::<u32>(b))?))
        }

        fn open_places(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>> {
            self.$to.open_rows(places, at)
        }

        fn numbers(&mut self, n: usize) -> [Column; 2] {
            self.$to.row_numbers(n)
        }

        fn one(&mut self) -> [u32; 2] {
            P::constant(1u32)
        }
    };
}
pub(super) use delegate_shuffles;
