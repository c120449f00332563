//! Parts of arrays, and arrays out of parts.

use std::ops::{Deref, Range};
use std::sync::Arc;
use tacit_sharing::backend::{Column, Planes, Secret, Term};

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

/// Elements of an array.
pub(super) fn part_of<'p>(array: &'p Secret, at: &Range<usize>) -> Part<'p, Secret> {
    if *at == (0..array.len) { Part::Whole(array) } else { Part::Some(array.slice(at.clone())) }
}

/// Lanes of planes.
pub(super) fn part_of_planes<'p>(planes: &'p Planes, at: &Range<usize>) -> Part<'p, Planes> {
    if *at == (0..planes.lanes) {
        Part::Whole(planes)
    } else {
        Part::Some(planes.lanes(at.clone()))
    }
}

/// Elements of one side of a comparison.
pub(super) fn part_of_term(term: &Term, at: &Range<usize>) -> Term {
    match term {
        Term::Array(array) if *at == (0..array.len) => Term::Array(array.clone()),
        Term::Array(array) => Term::Array(Arc::new(array.slice(at.clone()))),
        Term::Constant(number) => Term::Constant(*number),
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
