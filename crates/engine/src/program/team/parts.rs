//! Parts of arrays, and arrays out of parts.

use super::super::seats::{Reseated, Seat};
use std::ops::{Deref, Range};
use std::sync::Arc;
use tacit_backend::{Column, Planes, Secret, Term};

/// All of something, or some elements of it.
pub(super) enum Part<'p, T> {
    Whole(&'p T),
    Some(T),
}

impl<T> Deref for Part<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match self {
            Part::Whole(whole) => whole,
            Part::Some(part) => part,
        }
    }
}

impl<T: Reseated> Part<'_, T> {
    /// In a worker's roles.
    fn in_seat(self, seat: Seat<'_>) -> Self {
        match seat.there(&*self) {
            Some(there) => Part::Some(there),
            None => self,
        }
    }
}

/// Which elements a worker takes, and in what roles.
pub(super) struct At<'s> {
    pub range: Range<usize>,
    pub seat: Seat<'s>,
}

impl At<'_> {
    /// Elements of an array.
    pub fn part_of<'p>(&self, array: &'p Secret) -> Part<'p, Secret> {
        self.elements(array, self.range.clone())
    }

    /// Other elements of an array.
    pub fn elements<'p>(&self, array: &'p Secret, at: Range<usize>) -> Part<'p, Secret> {
        let whole = at == (0..array.len);
        let part = if whole { Part::Whole(array) } else { Part::Some(array.slice(at)) };
        part.in_seat(self.seat)
    }

    /// Lanes of planes.
    pub fn part_of_planes<'p>(&self, planes: &'p Planes) -> Part<'p, Planes> {
        let at = self.range.clone();
        let whole = at == (0..planes.lanes);
        let part = if whole { Part::Whole(planes) } else { Part::Some(planes.lanes(at)) };
        part.in_seat(self.seat)
    }

    /// Elements of one side of a comparison.
    pub fn part_of_term(&self, term: &Term) -> Term {
        match term {
            Term::Array(array) => match self.part_of(array) {
                Part::Whole(_) => Term::Array(array.clone()),
                Part::Some(part) => Term::Array(Arc::new(part)),
            },
            Term::Constant(number) => Term::Constant(*number),
        }
    }
}

/// What can be put together out of the workers' parts, of which there is one at least.
pub(super) trait Join: Sized {
    fn join(parts: Vec<Self>) -> Self;
}

impl Join for Secret {
    fn join(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let mut all = parts[0].zeros_like(parts.iter().map(|part| part.len).sum());
        let mut at = 0;
        for part in &parts {
            all.copy_in(at, part);
            at += part.len;
        }
        all
    }
}

impl Join for Planes {
    fn join(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 { parts.remove(0) } else { Planes::join(&parts) }
    }
}

impl Join for Column {
    fn join(parts: Vec<Self>) -> Self {
        Column::join(parts)
    }
}

/// Several results of every worker.
impl<T: Join> Join for Vec<T> {
    fn join(parts: Vec<Self>) -> Self {
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let count = parts.first().map_or(0, ExactSizeIterator::len);
        let one = |_| T::join(parts.iter_mut().filter_map(Iterator::next).collect());
        (0..count).map(one).collect()
    }
}
