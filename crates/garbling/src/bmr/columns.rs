//! Opening of garbled tables, column by column: every party sends its part of a column to the column's
//! owner, who tells all the sum.

use super::common::Common;
use crate::links::Links;
use crate::{Bits, Ports};
use tacit_net::Stream;
use tacit_ring::Buffer;
use tacit_sharing::SharingError;

/// The table of an instance that is being opened.
pub(super) struct Opening {
    /// The sum of this party's column, if it has one.
    column: Buffer<u128>,
    /// Masks of the outputs that this party learns.
    masks: Bits,
}

impl Opening {
    /// Sends this party's parts of all columns, and its shares of the masks that each role learns.
    pub fn send(
        links: &mut Links<'_>,
        mut columns: Vec<Buffer<u128>>,
        mut masks: Vec<Bits>,
    ) -> Result<Self, SharingError> {
        for peer in links.peers() {
            if let Some(column) = columns.get(peer) {
                links.send(peer, Stream::Def, column)?;
            }
            links.send(peer, Stream::Pre, &masks[peer].words)?;
        }
        let column = columns.get_mut(links.me).map(std::mem::take).unwrap_or_default();
        Ok(Opening { column, masks: masks.swap_remove(links.me) })
    }

    /// Takes the peers' parts of this party's column, and sends their sum.
    pub fn take_parts(
        &mut self,
        links: &mut Links<'_>,
        common: &Common,
        ports: Ports<'_>,
    ) -> Result<(), SharingError> {
        let words = ports.learned_by(common.me).div_ceil(64);
        for peer in links.peers() {
            if common.is_keeper() {
                let part = links.recv::<u128>(peer, Stream::Def, self.column.len())?;
                self.column.iter_mut().zip(&*part).for_each(|(sum, part)| *sum ^= part);
            }
            let masks = links.recv::<u64>(peer, Stream::Pre, words)?;
            self.masks.words.iter_mut().zip(&*masks).for_each(|(mine, theirs)| *mine ^= theirs);
        }
        for peer in links.peers().filter(|_| common.is_keeper()) {
            links.send(peer, Stream::Def, &self.column)?;
        }
        Ok(())
    }

    /// Takes the other columns of so many ANDs. Gives the table, row after row a block for every column, and
    /// the masks.
    pub fn finish(
        self,
        links: &mut Links<'_>,
        common: &Common,
        ands: usize,
    ) -> Result<(Buffer<u128>, Bits), SharingError> {
        let columns = common.columns;
        let mut table = Buffer::<u128>::zeros(4 * columns * ands);
        for j in 0..columns {
            let theirs = match j == common.me {
                true => Buffer::default(),
                false => links.recv::<u128>(j, Stream::Def, 4 * ands)?,
            };
            let column = if j == common.me { &self.column } else { &theirs };
            let entries = table.iter_mut().skip(j).step_by(columns);
            entries.zip(&**column).for_each(|(entry, block)| *entry = *block);
        }
        Ok((table, self.masks))
    }
}
