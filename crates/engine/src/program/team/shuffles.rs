//! Sorting by shuffles on all workers.

use super::parts::part_of;
use super::{Join, Result, Team, Worker, alone};
use std::ops::Range;
use tacit_ring::Buffer;
use tacit_sharing::RoleId;
use tacit_sharing::backend::{Column, Secret, Shuffles};
use tacit_sharing::convert::shuffle::Hop;

/// A worker's own.
fn own<'w>(worker: &'w mut Worker<'_>) -> Result<&'w mut dyn Shuffles> {
    worker.shuffles().ok_or_else(|| alone("a shuffle"))
}

impl Team<'_, '_, '_> {
    /// Only where the first worker shuffles is a team asked to.
    fn shuffler(&mut self) -> &mut dyn Shuffles {
        self.first().shuffles().expect("a worker that shuffles")
    }
}

impl Shuffles for Team<'_, '_, '_> {
    fn hops(&mut self) -> [RoleId; 3] {
        self.shuffler().hops()
    }

    fn draw(&mut self, pair: RoleId, n: usize) -> Result<Hop> {
        self.shuffler().draw(pair, n)
    }

    fn turn(&mut self, hop: &Hop, column: &mut Column) {
        self.shuffler().turn(hop, column);
    }

    fn hop(&mut self, hop: &Hop, columns: &[Column], to: Range<usize>) -> Result<Vec<Column>> {
        let ranges = self.ranges(to.len()).into_iter();
        let ranges = ranges.map(|at| to.start + at.start..to.start + at.end).collect();
        let moved = self.on(ranges, |worker, at| own(worker)?.hop(hop, columns, at))?;
        Ok(Join::join(moved))
    }

    fn row_dots(&mut self, rows: usize, a: &Secret, b: &Secret) -> Result<Secret> {
        let width = a.len.checked_div(rows).unwrap_or(0);
        let ranges = self.ranges(rows);
        let dots = self.on(ranges, |worker, at| {
            let terms = at.start * width..at.end * width;
            own(worker)?.row_dots(at.len(), &part_of(a, &terms), &part_of(b, &terms))
        })?;
        Ok(Join::join(dots))
    }

    fn open_places(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>> {
        let ranges = self.ranges(at.len()).into_iter();
        let ranges = ranges.map(|part| at.start + part.start..at.start + part.end).collect();
        let parts = self.on(ranges, |worker, at| own(worker)?.open_places(places, at))?;
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
        let shares: Vec<usize> = (0..workers).collect();
        self.on(shares, |_, first| {
            (first..tasks).step_by(workers).for_each(work);
            Ok(())
        })?;
        Ok(())
    }
}
