//! Opening of garbled tables, column by column. Either every party sends its part of a column to the column's
//! owner, who tells all the sum, or who evaluates; or everybody sends everybody its parts of all columns.

use super::common::{Common, Garbled, Ready};
use crate::Bits;
use crate::bmr::Opening;
use crate::links::{Links, PIECE};
use tacit_net::Stream;
use tacit_ring::Buffer;
use tacit_sharing::SharingError;

/// The table of an instance that is being opened.
pub(super) struct Columns {
    /// Sums of the columns that this party adds up, by role; others are empty.
    sums: Vec<Buffer<u128>>,
    /// Masks of the outputs that this party learns.
    masks: Bits,
}

impl Columns {
    /// Sends this party's parts of all columns, and its shares of the masks that each role learns.
    pub fn send(
        links: &mut Links<'_>,
        opening: Opening,
        columns: Vec<Buffer<u128>>,
        mut masks: Vec<Bits>,
    ) -> Result<Self, SharingError> {
        for peer in links.peers() {
            for (j, column) in columns.iter().enumerate() {
                if adds_up(opening, peer, j) {
                    links.send(peer, Stream::Def, column)?;
                }
            }
            links.send(peer, Stream::Pre, &masks[peer].words)?;
        }
        let me = links.me;
        let kept =
            columns.into_iter().enumerate().map(|(j, column)| match adds_up(opening, me, j) {
                true => column,
                false => Buffer::default(),
            });
        Ok(Columns { sums: kept.collect(), masks: masks.swap_remove(me) })
    }

    /// Takes the peers' parts of the columns that this party adds up, and sends what others wait for.
    fn take_parts(&mut self, links: &mut Links<'_>, common: &Common) -> Result<(), SharingError> {
        let (me, opening) = (common.me, common.opening);
        for peer in links.peers() {
            for (j, sum) in self.sums.iter_mut().enumerate() {
                if adds_up(opening, me, j) {
                    links.recv_sum(peer, Stream::Def, sum)?;
                }
            }
            let masks = links.recv::<u64>(peer, Stream::Pre, self.masks.words.len())?;
            self.masks.add(&masks);
        }
        if opening != Opening::All && common.is_keeper() {
            for peer in links.peers().filter(|peer| opening.evaluates(*peer)) {
                links.send(peer, Stream::Def, &self.sums[me])?;
            }
        }
        Ok(())
    }

    /// Takes the other columns of so many ANDs, if this party evaluates. Gives the table, row after row a block for
    /// every column, and the masks.
    fn finish(
        self,
        links: &mut Links<'_>,
        common: &Common,
        ands: usize,
    ) -> Result<(Vec<u128>, Bits), SharingError> {
        let (columns, opening) = (common.columns, common.opening);
        if !opening.evaluates(common.me) {
            return Ok((Vec::new(), self.masks));
        }
        let mut table = vec![0; 4 * columns * ands];
        let mut part = Buffer::<u128>::zeros(PIECE);
        // A part of the table is written to while it is in the cache.
        for (piece, table) in table.chunks_mut(columns * PIECE).enumerate() {
            for (j, sum) in self.sums.iter().enumerate() {
                let part = &mut part[..table.len() / columns];
                match adds_up(opening, common.me, j) {
                    true => part.copy_from_slice(&sum[piece * PIECE..][..part.len()]),
                    false => links.recv_into(j, Stream::Def, part)?,
                }
                let entries = table.iter_mut().skip(j).step_by(columns);
                entries.zip(part).for_each(|(entry, block)| *entry = *block);
            }
        }
        Ok((table, self.masks))
    }
}

/// Opens the tables of instances of so many ANDs each, of which this party's parts are sent. `done` tells what
/// becomes of an instance with its table and masks.
pub(super) fn open<I>(
    links: &mut Links<'_>,
    common: &Common,
    (instances, mut columns): (Vec<I>, Vec<Columns>),
    ands: usize,
    done: impl Fn(I, (Vec<u128>, Bits)) -> Garbled,
) -> Result<Ready, SharingError> {
    for columns in &mut columns {
        columns.take_parts(links, common)?;
    }
    let mut garbled = Vec::with_capacity(instances.len());
    for (it, columns) in instances.into_iter().zip(columns) {
        garbled.push(done(it, columns.finish(links, common, ands)?));
    }
    links.mesh.flush()?;
    Ok(common.ready(garbled))
}

/// Whether a role adds up a column.
fn adds_up(opening: Opening, role: usize, column: usize) -> bool {
    opening == Opening::All || role == column
}
