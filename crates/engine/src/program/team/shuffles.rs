//! Sorting by shuffles on all workers.

use super::{At, Join, Result, Team, Worker, alone, back};
use crate::program::epochs::settle;
use std::ops::Range;
use tacit_backend::convert::shuffle::Hop;
use tacit_backend::{Column, Secret, Shuffles};
use tacit_ring::Buffer;
use tacit_sharing::RoleId;

/// A worker's own.
fn own<'w>(worker: &'w mut Worker<'_>) -> Result<&'w mut dyn Shuffles> {
    worker.shuffles().ok_or_else(|| alone("a shuffle"))
}

impl Team<'_, '_, '_> {
    /// Which of `items` rows each worker takes: all hold the shares of the same roles, and know the same hops.
    fn rows(&self, items: usize) -> Vec<Range<usize>> {
        let most = self.context.of_first();
        self.ranges(items, items, most, 64)
    }

    /// Only where the first worker shuffles is a team asked to.
    fn shuffler(&mut self) -> &mut dyn Shuffles {
        self.first().shuffles().expect("a worker that shuffles")
    }
}

impl Shuffles for Team<'_, '_, '_> {
    fn hops(&mut self) -> Vec<RoleId> {
        self.shuffler().hops()
    }

    fn least_rows(&mut self) -> usize {
        self.shuffler().least_rows()
    }

    fn enter(&mut self, columns: Vec<Column>) -> Result<Vec<Column>> {
        self.shuffler().enter(columns)
    }

    fn leave(&mut self, columns: Vec<Column>) -> Vec<Column> {
        self.shuffler().leave(columns)
    }

    fn draw(&mut self, hop: RoleId, n: usize) -> Result<Hop> {
        self.shuffler().draw(hop, n)
    }

    fn proves(&mut self) -> bool {
        self.shuffler().proves()
    }

    fn prove(&mut self, moves: &[(Hop, Vec<Column>)], after: &[Column]) -> Result<()> {
        // Rows of all workers are proven together: which of them belong together nobody may say.
        self.shuffler().prove(moves, after)
    }

    fn settle(&mut self) -> Result<()> {
        if !self.context.checked {
            return Ok(());
        }
        let mut verifier = self.context.verifier();
        settle(self.backends, verifier.as_mut()).map_err(back)
    }

    fn turn(&mut self, hop: &Hop, column: &mut Column) {
        self.shuffler().turn(hop, column);
    }

    fn hop(&mut self, hop: &Hop, columns: &[Column], to: Range<usize>) -> Result<Vec<Column>> {
        let moved = self.on(self.rows(to.len()), |worker, _, at| {
            own(worker)?.hop(hop, columns, to.start + at.start..to.start + at.end)
        })?;
        Ok(Join::join(moved))
    }

    fn hop_all(&mut self, hop: &Hop, columns: &mut Vec<Column>) -> Result<()> {
        let rows = columns.first().map_or(0, Column::len);
        if let [_] = self.rows(rows)[..] {
            return self.shuffler().hop_all(hop, columns);
        }
        *columns = self.hop(hop, columns, 0..rows)?;
        Ok(())
    }

    fn row_dots(&mut self, rows: usize, a: &Secret, b: &Secret) -> Result<Secret> {
        let width = a.len.checked_div(rows).unwrap_or(0);
        let dots = self.on(self.rows(rows), |worker, seat, range| {
            let terms = range.start * width..range.end * width;
            let at = At { range, seat };
            let (a, b) = (at.elements(a, terms.clone()), at.elements(b, terms));
            own(worker)?.row_dots(at.range.len(), &a, &b)
        })?;
        Ok(Join::join(dots))
    }

    fn open_places(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>> {
        if self.context.checked {
            // Leave to open is the first worker's.
            return self.shuffler().open_places(places, at);
        }
        let parts = self.on(self.rows(at.len()), |worker, _, part| {
            own(worker)?.open_places(places, at.start + part.start..at.start + part.end)
        })?;
        let mut opened = Buffer::zeros(parts.iter().map(|part| part.len()).sum());
        let mut at = 0;
        for part in &parts {
            opened[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        Ok(opened)
    }

    fn numbers(&mut self, n: usize) -> [Column; 2] {
        self.shuffler().numbers(n)
    }

    fn one(&mut self) -> [u32; 2] {
        self.shuffler().one()
    }

    fn each(&mut self, tasks: usize, work: &(dyn Fn(usize) + Sync)) -> Result<()> {
        let workers = self.backends.len().min(tasks).max(1);
        let shares = (0..workers).map(|first| first..first + 1).collect();
        self.on(shares, |_, _, share| {
            (share.start..tasks).step_by(workers).for_each(work);
            Ok(())
        })?;
        Ok(())
    }
}
