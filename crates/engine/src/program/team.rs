//! All workers of a party as one backend: operations on whole arrays, side by side.
//!
//! Where an array has many elements every worker takes some of them, from a multiple of 64 on, over its own
//! mesh and under its own keys, as it does with rows of a stream. All parties, and predictions, divide
//! alike. Inputs, openings and sums stay with the first worker.

mod parts;
mod shuffles;

use super::context::{Backends, Context};
use super::seats::{Reseated, Seat};
use crate::circuit::{EvaluateError, cut};
use crate::workers::on_each;
use parts::{At, Join};
use std::ops::Range;
use std::sync::Arc;
use tacit_backend::convert::Layered;
use tacit_backend::cost::Rounds;
use tacit_backend::{Backend, Bits, Circuits, Kind, Planes, Ring, Secret, Shuffles, Term, Values};
use tacit_net::AbortKind;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::verify::{Journal, Verifier};
use tacit_sharing::{RoleId, SharingError};

type Result<T> = std::result::Result<T, SharingError>;
type Worker<'m> = dyn Backend + Send + 'm;

/// Elements that are worth a thread: what a worker takes at least, unless chunks are smaller.
const LEAST: usize = 4096;

/// The workers of a party.
pub(super) struct Team<'t, 'b, 'm> {
    backends: Backends<'b, 'm>,
    least: usize,
    context: &'t Context<'t>,
}

impl<'t, 'b, 'm> Team<'t, 'b, 'm> {
    pub fn new(backends: Backends<'b, 'm>, context: &'t Context<'t>) -> Self {
        Team { backends, least: context.chunk.clamp(1, LEAST), context }
    }

    fn first(&mut self) -> &mut Worker<'m> {
        &mut *self.backends[0]
    }

    /// Which items of `work` pieces of work each of the first `most` workers takes: those in the same place of
    /// the list. Places are multiples of `step`.
    fn ranges(&self, items: usize, work: usize, most: usize, step: usize) -> Vec<Range<usize>> {
        let parts = (work / self.least).clamp(1, most);
        let weights = &self.context.weights[..parts];
        if weights.iter().all(|weight| *weight == 0) {
            return std::iter::once(0..items).collect();
        }
        let ends = cut(items.div_ceil(step), weights.iter().copied());
        let ends = ends.into_iter().map(|end| (end * step).min(items));
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Which elements each worker takes.
    fn elements(&self, len: usize) -> Vec<Range<usize>> {
        self.ranges(len, len, self.backends.len(), 64)
    }

    /// Does the same to parts of arrays of `len` elements, and joins what comes out.
    fn split<T: Join + Reseated + Send>(
        &mut self,
        len: usize,
        work: impl Fn(&mut Worker<'m>, &At<'_>) -> Result<T> + Sync,
    ) -> Result<T> {
        let ranges = self.elements(len);
        let parts = self.on(ranges, |backend, seat, range| {
            Ok(seat.back(work(backend, &At { range, seat })?))
        })?;
        Ok(T::join(parts))
    }

    /// Gives every item to a worker of its own; those that have nothing to do are left out.
    fn on<T: Send>(
        &mut self,
        ranges: Vec<Range<usize>>,
        work: impl Fn(&mut Worker<'m>, Seat<'t>, Range<usize>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let seats = &self.context.seats;
        let mut busy: Vec<(usize, Range<usize>)> =
            ranges.into_iter().enumerate().filter(|(_, range)| !range.is_empty()).collect();
        if busy.is_empty() {
            busy.push((0, 0..0));
        }
        if let [(0, range)] = &busy[..] {
            let range = range.clone();
            return Ok(vec![work(self.first(), seats[0], range)?]);
        }
        // Peers may wait for what the first worker said last.
        self.first().flush()?;
        let before = self.all_rounds();
        let start = self.first().now();
        let is_busy = |worker: &usize| busy.iter().any(|(other, _)| other == worker);
        let workers = self.backends.iter_mut().enumerate();
        let ends = workers.filter(|(worker, _)| is_busy(worker)).map(|(_, backend)| &mut **backend);
        let results = on_each(ends, busy.clone(), |backend, (worker, range)| {
            backend.begin_at(start);
            let result = work(backend, seats[worker], range)?;
            // This worker waits for the others next: peers need its last messages.
            backend.flush()?;
            Ok((result, backend.now()))
        });
        let results = results.map_err(back)?;
        let end = results.iter().map(|(_, end)| *end).max().unwrap_or(start);
        self.first().begin_at(end);
        let after = self.all_rounds().into_iter().zip(before);
        let made: Vec<Rounds> = after
            .map(|(after, before)| std::array::from_fn(|role| after[role] - before[role]))
            .collect();
        self.context.beside.stream(&made);
        Ok(results.into_iter().map(|(result, _)| result).collect())
    }

    fn all_rounds(&mut self) -> Vec<Rounds> {
        self.context.rounds_of(self.backends)
    }
}

/// What a worker's error was before it came from a thread.
fn back(error: EvaluateError) -> SharingError {
    match error {
        EvaluateError::Net(error) | EvaluateError::OtherProgram { cause: error, .. } => {
            SharingError::Net(error)
        }
        EvaluateError::System(what) => SharingError::System(what),
        EvaluateError::Job(what) | EvaluateError::Bug(what) => SharingError::Shape(what),
        error @ (EvaluateError::Misbehaviour { .. }
        | EvaluateError::Lost { .. }
        | EvaluateError::Refused(_)
        | EvaluateError::Check(_)) => SharingError::Shape(error.to_string()),
    }
}

fn alone(what: &str) -> SharingError {
    SharingError::Shape(format!("{what} of all workers as one"))
}

impl Bits for Team<'_, '_, '_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.first().input_planes(owner, values, planes, lanes)
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        self.first().public_planes(values, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.first().open_planes(planes, receivers)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        self.split(lanes, |backend, at| {
            let parts: Vec<_> = inputs.iter().map(|planes| at.part_of_planes(planes)).collect();
            let parts: Vec<&Planes> = parts.iter().map(|part| &**part).collect();
            backend.circuit(circuit, &parts)
        })
    }

    fn circuits(&mut self) -> &mut Circuits {
        self.first().circuits()
    }

    fn take_journal(&mut self) -> Result<Journal> {
        Err(alone("the transcripts"))
    }

    fn end_epoch(&mut self, _: Option<&mut Verifier>, _: Vec<Journal>) -> Result<()> {
        Err(alone("the checks"))
    }

    fn opens_at_once(&self) -> bool {
        self.backends.first().is_some_and(|backend| backend.opens_at_once())
    }

    fn at_line(&mut self, line: u32) {
        self.backends.iter_mut().for_each(|backend| backend.at_line(line));
    }

    fn rounds(&mut self) -> Rounds {
        self.first().rounds()
    }

    fn flush(&mut self) -> Result<()> {
        self.backends.iter_mut().try_for_each(|backend| backend.flush())
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.first().abort(kind, reason);
    }
}

/// Whether sums and the like are circuits.
fn by_circuits(a: &Secret) -> bool {
    matches!(a.kind, Kind::Ring(Ring::Bits(_)))
}

/// Operations on one array, element by element.
macro_rules! on_one {
    ($($name:ident($($more:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&mut self, a: &Secret, $($more: $ty),*) -> Result<$out> {
            self.split(a.len, |backend, at| backend.$name(&at.part_of(a), $($more),*))
        })*
    };
}

/// Operations on one array, which are local unless numbers are held as bits.
macro_rules! on_one_by_circuits {
    ($($name:ident($($more:ident: $ty:ty),*);)*) => {
        $(fn $name(&mut self, a: &Secret, $($more: $ty),*) -> Result<Secret> {
            if !by_circuits(a) {
                return self.first().$name(a, $($more),*);
            }
            self.split(a.len, |backend, at| backend.$name(&at.part_of(a), $($more),*))
        })*
    };
}

impl Backend for Team<'_, '_, '_> {
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        self.first().input(kind, owner, values, len)
    }

    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        self.first().public(kind, values, len)
    }

    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
        self.first().open(secret, receivers)
    }

    fn sum(&mut self, a: &Secret, b: &Secret, subtract: bool) -> Result<Secret> {
        if !by_circuits(a) {
            return self.first().sum(a, b, subtract);
        }
        self.split(a.len, |backend, at| backend.sum(&at.part_of(a), &at.part_of(b), subtract))
    }

    on_one_by_circuits! {
        plus(number: i128);
        times(factor: i128);
    }

    fn times_each(&mut self, a: &Secret, factors: &[i128], bits: u32) -> Result<Secret> {
        self.first().times_each(a, factors, bits)
    }

    fn sum_axis(&mut self, a: &Secret, shape: [usize; 3], bits: u32) -> Result<Secret> {
        self.first().sum_axis(a, shape, bits)
    }

    fn prefix_sums(&mut self, a: &Secret, shape: [usize; 3], reverse: bool) -> Result<Secret> {
        if !by_circuits(a) {
            return self.first().prefix_sums(a, shape, reverse);
        }
        tacit_backend::prefix::sums(self, a, shape, reverse)
    }

    fn multiply(&mut self, a: &Secret, b: &Secret, bits: [u32; 2]) -> Result<Secret> {
        self.split(a.len, |backend, at| backend.multiply(&at.part_of(a), &at.part_of(b), bits))
    }

    fn matrix_products(
        &mut self,
        (batches, shape): (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
        bits: [u32; 2],
    ) -> Result<Secret> {
        let MatrixShape { rows, inner, columns } = shape;
        let work = rows.saturating_mul(inner).saturating_mul(columns).saturating_mul(batches);
        if batches != 1 {
            let ranges = self.ranges(batches, work, self.backends.len(), 1);
            let products = self.on(ranges, |backend, seat, range| {
                let own = |size: usize| range.start * size..range.end * size;
                let (left, right) = (own(rows * inner), own(inner * columns));
                let of = (range.len(), shape);
                let at = At { range: range.clone(), seat };
                let (a, b) = (at.elements(a, left), at.elements(b, right));
                Ok(seat.back(backend.matrix_products(of, &a, &b, bits)?))
            })?;
            return Ok(Join::join(products));
        }
        let ranges = self.ranges(rows, work, self.backends.len(), 1);
        let products = self.on(ranges, |backend, seat, range| {
            let shape = MatrixShape { rows: range.len(), ..shape };
            let elements = range.start * inner..range.end * inner;
            let at = At { range, seat };
            let (a, b) = (at.elements(a, elements), at.elements(b, 0..b.len));
            Ok(seat.back(backend.matrix_product(shape, &a, &b, bits)?))
        })?;
        Ok(Join::join(products))
    }

    on_one! {
        truncate(by: u32) -> Secret;
        widen(ring: Ring) -> Secret;
        bit_to_ring(ring: Ring) -> Secret;
        floor_shift(by: u32) -> Secret;
        low_bits(bits: u32) -> Planes;
    }

    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret> {
        self.split(planes.lanes, |backend, at| {
            backend.compose(&at.part_of_planes(planes), signed, ring)
        })
    }

    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        self.split(a.len, |backend, at| backend.inject(&at.part_of(bits), &at.part_of(a)))
    }

    fn select(&mut self, bits: &Secret, a: &Secret, b: &Secret) -> Result<Secret> {
        self.split(a.len, |backend, at| {
            backend.select(&at.part_of(bits), &at.part_of(a), &at.part_of(b))
        })
    }

    fn select_public(&mut self, bits: &[i128], a: &Secret, b: &Secret) -> Secret {
        self.first().select_public(bits, a, b)
    }

    fn group_sums(
        &mut self,
        groups: &[&Secret],
        a: Option<(&Secret, u32)>,
        ring: Ring,
    ) -> Result<Secret> {
        self.first().group_sums(groups, a, ring)
    }

    fn less(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.split(len_of(pair), |backend, at| {
            let parts = pair.map(|term| at.part_of_term(term));
            backend.less(parts.each_ref(), bits)
        })
    }

    fn equal(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.split(len_of(pair), |backend, at| {
            let parts = pair.map(|term| at.part_of_term(term));
            backend.equal(parts.each_ref(), bits)
        })
    }

    fn shuffles(&mut self) -> Option<&mut dyn Shuffles> {
        if self.first().shuffles().is_some() { Some(self) } else { None }
    }
}

fn len_of(pair: [&Term; 2]) -> usize {
    let len = |term: &Term| if let Term::Array(array) = term { array.len } else { 0 };
    pair.into_iter().map(len).max().unwrap_or(0)
}
