//! Bit planes of arrays: cut, joined and moved alike in real and dry runs. All local.

use super::secret::bits_of;
use super::{Data, Kind, Ring, Secret};
use crate::convert::{BitPlanes, Wires, shuffle, to_planes};
use std::ops::Range;
use tacit_ring::{Buffer, Z2, word};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::reseat::Reseat;

/// Bits of numbers, plane after plane, or only their count in a dry run.
pub struct Planes {
    /// Bits of each number.
    pub planes: usize,
    /// How many numbers.
    pub lanes: usize,
    /// The shares.
    pub data: Option<BitPlanes>,
}

impl Planes {
    /// Shared planes.
    #[must_use]
    pub fn new(data: BitPlanes, planes: usize) -> Self {
        Planes { planes, lanes: data.lanes, data: Some(data) }
    }

    /// Planes without shares.
    #[must_use]
    pub fn dry(planes: usize, lanes: usize) -> Self {
        Planes { planes, lanes, data: None }
    }

    /// The bits of an array that is held as bits.
    #[must_use]
    pub fn of_secret(secret: &Secret) -> Self {
        Self::low_of(secret, secret.kind.planes())
    }

    /// The low `bits` bits of an array that is held as bits.
    ///
    /// # Panics
    /// If it is not held as bits, or has fewer.
    #[must_use]
    pub fn low_of(secret: &Secret, bits: usize) -> Self {
        assert!(bits <= secret.kind.planes(), "bits that a number has");
        let data = match &secret.data {
            Data::None => None,
            _ => Some(bits_of(secret).range(0..bits)),
        };
        Planes { planes: bits, lanes: secret.len, data }
    }

    /// As numbers of a ring that is held as bits: cut, or extended by the sign or by zeros.
    #[must_use]
    pub fn into_number(self, ring: Ring, signed: bool) -> Secret {
        let bits = ring.bits() as usize;
        let len = self.lanes;
        let data = self.data.map_or(Data::None, |data| {
            if self.planes == bits {
                return Data::Bits(data);
            }
            let words = data.words();
            let mut out = data.range(0..self.planes.min(bits));
            if let Some(wires) = &out.wires {
                let filling = match signed && self.planes > 0 {
                    true => wires.range(wires.len().saturating_sub(len)..wires.len()),
                    false => wires.zeros_like(len),
                };
                let more = std::iter::repeat_n(&filling, bits.saturating_sub(self.planes));
                let all: Vec<&Wires> = std::iter::once(wires).chain(more).collect();
                out.wires = Wires::joined(&all);
                return Data::Bits(out);
            }
            out.shares = resized(&out.shares, bits * words);
            if signed && (1..bits).contains(&self.planes) {
                let top = (self.planes - 1) * words..self.planes * words;
                for run in out.shares.components_mut().into_iter().filter(|run| !run.is_empty()) {
                    (self.planes..bits).for_each(|j| run.copy_within(top.clone(), j * words));
                }
            }
            Data::Bits(out)
        });
        Secret::untagged(Kind::Ring(ring), len, data)
    }

    /// Plane `j` as an array of bits.
    #[must_use]
    pub fn plane(&self, j: usize) -> Secret {
        match &self.data {
            Some(data) => Secret::bits(data.plane(j)),
            None => Secret::dry(Kind::Bits, self.lanes),
        }
    }

    /// Arrays of bits as planes.
    ///
    /// # Panics
    /// If lengths differ or one is not of bits.
    #[must_use]
    pub fn of(bits: &[&Secret]) -> Self {
        Self::stack(&bits.iter().map(|bits| Self::of_secret(bits)).collect::<Vec<_>>())
    }

    /// Planes of the same lanes one above the other, the lowest first.
    ///
    /// # Panics
    /// If lanes differ.
    #[must_use]
    pub fn stack(parts: &[Planes]) -> Self {
        let lanes = parts.first().map_or(0, |part| part.lanes);
        assert!(parts.iter().all(|part| part.lanes == lanes), "planes of the same lanes");
        let planes = parts.iter().map(|part| part.planes).sum();
        let data = whole(parts.iter()).map(|parts| {
            let wires: Vec<&Wires> = parts.iter().flat_map(|part| &part.wires).collect();
            if let Some(wires) = Wires::joined(&wires) {
                return BitPlanes::of_wires(wires, lanes);
            }
            let mut all = BitPlanes::zeros_like(planes, lanes, parts.iter().copied());
            let mut at = 0;
            for part in parts {
                all.shares.copy_in(at, &part.shares);
                at += part.shares.len();
            }
            all
        });
        Planes { planes, lanes, data }
    }

    /// Planes `at`.
    #[must_use]
    pub fn range(&self, at: Range<usize>) -> Self {
        let data = self.data.as_ref().map(|data| data.range(at.clone()));
        Planes { planes: at.len(), lanes: self.lanes, data }
    }

    /// Lanes `at`; those beyond the last are zeros.
    #[must_use]
    pub fn lanes(&self, at: Range<usize>) -> Self {
        let lanes = at.len();
        let data = self.data.as_ref().map(|data| slice(data, self.planes, at));
        Planes { planes: self.planes, lanes, data }
    }

    /// Converts the shares to the roles of another assignment.
    #[must_use]
    pub fn reseated(&self, to: &Reseat) -> Self {
        Planes { data: self.data.as_ref().map(|data| data.reseated(to)), ..*self }
    }

    /// Lanes one after the other.
    ///
    /// # Panics
    /// If numbers of planes differ.
    #[must_use]
    pub fn join(parts: &[Planes]) -> Self {
        let planes = parts.first().map_or(0, |part| part.planes);
        assert!(parts.iter().all(|part| part.planes == planes), "lanes of as many planes");
        let lanes = parts.iter().map(|part| part.lanes).sum();
        let data = whole(parts.iter()).map(|parts| {
            let mut all = BitPlanes::zeros_like(planes, lanes, parts.iter().copied());
            let mut at = 0;
            for part in parts {
                copy_in(&mut all, at, part);
                at += part.lanes;
            }
            all
        });
        Planes { planes, lanes, data }
    }
}

/// The shares of all, unless it is a dry run.
fn whole<'p>(parts: impl Iterator<Item = &'p Planes>) -> Option<Vec<&'p BitPlanes>> {
    parts.map(|part| part.data.as_ref()).collect()
}

fn resized(shares: &SharedVec<Z2>, words: usize) -> SharedVec<Z2> {
    shares.map(|run| {
        let mut out = Buffer::zeros(words);
        let kept = run.len().min(words);
        out[..kept].copy_from_slice(&run[..kept]);
        out
    })
}

/// Numbers as words: 64 bits of each to a word, so that they move fast.
pub struct Rows {
    planes: usize,
    lanes: usize,
    words: Held,
}

/// What rows are of.
enum Held {
    Nothing,
    Words(Vec<SharedVec<Z2>>),
    Wires(Wires),
}

impl Rows {
    /// The rows of planes.
    #[must_use]
    pub fn new(planes: &Planes) -> Self {
        let words = match &planes.data {
            None => Held::Nothing,
            Some(BitPlanes { wires: Some(wires), .. }) => Held::Wires(wires.clone()),
            Some(data) => Held::Words(rows_of(data, planes.planes)),
        };
        Rows { planes: planes.planes, lanes: planes.lanes, words }
    }

    /// Whether there are no shares, in a dry run.
    #[must_use]
    pub fn are_dry(&self) -> bool {
        matches!(self.words, Held::Nothing)
    }

    /// The rows at `places`, as planes. In a dry run places are not asked for: there may be billions.
    ///
    /// # Panics
    /// If one is out of range.
    #[must_use]
    pub fn gather<At: IntoIterator<Item = u32>>(
        &self,
        lanes: usize,
        at: impl FnOnce() -> At,
    ) -> Planes {
        let places = || at().into_iter().map(|i| (0, i)).collect::<Vec<_>>();
        let data = match &self.words {
            Held::Nothing => None,
            Held::Wires(wires) => {
                Some(picked_wires(&[(wires, self.lanes)], self.planes, &places()))
            }
            Held::Words(words) => {
                let places = places();
                let column = |column| picked(&[column], places.iter().copied());
                let moved: Vec<SharedVec<Z2>> = words.iter().map(column).collect();
                Some(planes_of(&moved, self.planes, lanes))
            }
        };
        Planes { planes: self.planes, lanes, data }
    }

    /// Puts the lanes of `planes` into rows `at`.
    ///
    /// # Panics
    /// If one is out of range.
    pub fn scatter(&mut self, at: &[u32], planes: &Planes) {
        let Some(data) = &planes.data else { return };
        let words = match (&mut self.words, &data.wires) {
            (Held::Words(words), _) => words,
            (Held::Wires(wires), Some(others)) => {
                for plane in 0..self.planes {
                    let (to, from) = (plane * self.lanes, plane * data.lanes);
                    let moved = at.iter().zip(from..from + data.lanes);
                    moved.for_each(|(i, from)| wires.put(to + *i as usize, others, from..from + 1));
                }
                return;
            }
            _ => return,
        };
        for (column, from) in words.iter_mut().zip(rows_of(data, self.planes)) {
            for (i, to) in at.iter().enumerate() {
                let runs = column.components_mut().into_iter().zip(from.components());
                runs.filter(|(_, run)| !run.is_empty())
                    .for_each(|(column, run)| column[*to as usize] = run[i]);
            }
        }
    }

    /// All rows, as planes.
    #[must_use]
    pub fn planes(&self) -> Planes {
        let data = match &self.words {
            Held::Nothing => None,
            Held::Wires(wires) => Some(BitPlanes::of_wires(wires.clone(), self.lanes)),
            Held::Words(words) => Some(planes_of(words, self.planes, self.lanes)),
        };
        Planes { planes: self.planes, lanes: self.lanes, data }
    }
}

fn rows_of(data: &BitPlanes, planes: usize) -> Vec<SharedVec<Z2>> {
    let rows = |start: usize| {
        let bits = (planes - start).min(64);
        let part = data.range(start..start + bits).shares;
        part.map(|run| shuffle::rows_of(run, bits, data.lanes))
    };
    (0..planes).step_by(64).map(rows).collect()
}

fn planes_of(columns: &[SharedVec<Z2>], planes: usize, lanes: usize) -> BitPlanes {
    let like = SharedVec::zeros_like(planes * lanes.div_ceil(64), columns);
    let mut all = BitPlanes::shared(like, lanes);
    let words = all.words();
    for (start, column) in (0..planes).step_by(64).zip(columns) {
        let bits = (planes - start).min(64);
        let at = start * words..(start + bits) * words;
        let runs = all.shares.components_mut().into_iter().zip(column.components());
        for (to, run) in runs.filter(|(_, run)| !run.is_empty()) {
            to[at.clone()].copy_from_slice(&to_planes(word::lanes(run), bits));
        }
    }
    all
}

fn picked(
    columns: &[&SharedVec<Z2>],
    places: impl ExactSizeIterator<Item = (u32, u32)>,
) -> SharedVec<Z2> {
    let mut out = SharedVec::zeros_like(places.len(), columns.iter().copied());
    for (i, (which, index)) in places.enumerate() {
        let from = columns[which as usize].components();
        for (to, run) in out.components_mut().into_iter().zip(from) {
            if !to.is_empty() {
                to[i] = run[index as usize];
            }
        }
    }
    out
}

/// Lanes `(which, index)` of wires, each with its number of lanes, of as many planes.
fn picked_wires(arrays: &[(&Wires, usize)], planes: usize, places: &[(u32, u32)]) -> BitPlanes {
    let wires: Vec<&Wires> = arrays.iter().map(|(wires, _)| *wires).collect();
    let place = |i: usize| {
        let (plane, (which, index)) = (i / places.len(), places[i % places.len()]);
        (which as usize, plane * arrays[which as usize].1 + index as usize)
    };
    let picked = Wires::picked(&wires, (0..planes * places.len()).map(place));
    BitPlanes::of_wires(picked, places.len())
}

/// Lanes `(which, index)` of several arrays of as many planes.
pub(super) fn gather(arrays: &[&Secret], planes: usize, places: Vec<(u32, u32)>) -> BitPlanes {
    let drawn = arrays.iter().map(|array| bits_of(array));
    let drawn = drawn.map(|bits| bits.wires.as_ref().map(|wires| (wires, bits.lanes)));
    if let Some(drawn) = drawn.collect::<Option<Vec<_>>>().filter(|drawn| !drawn.is_empty()) {
        return picked_wires(&drawn, planes, &places);
    }
    let rows: Vec<_> = arrays.iter().map(|array| rows_of(bits_of(array), planes)).collect();
    let columns = planes.div_ceil(64);
    let moved: Vec<SharedVec<Z2>> = (0..columns)
        .map(|c| {
            let column: Vec<&SharedVec<Z2>> = rows.iter().map(|rows| &rows[c]).collect();
            picked(&column, places.iter().copied())
        })
        .collect();
    planes_of(&moved, planes, places.len())
}

/// Lanes `at`; those beyond the last are zeros.
pub(super) fn slice(from: &BitPlanes, planes: usize, at: Range<usize>) -> BitPlanes {
    let mut out = BitPlanes::zeros_like(planes, at.len(), [from]);
    let kept = from.lanes.min(at.end).saturating_sub(at.start);
    if let (Some(to), Some(wires)) = (&mut out.wires, &from.wires) {
        for plane in (0..planes).filter(|_| kept > 0) {
            let (to_start, start) = (plane * at.len(), plane * from.lanes + at.start);
            to.put(to_start, wires, start..start + kept);
        }
        return out;
    }
    each_plane(&mut out, from, |to, from| copy_lanes(to, 0, from, at.start, kept));
    out
}

/// Writes all lanes of `from` from place `at`.
pub(super) fn copy_in(to: &mut BitPlanes, at: usize, from: &BitPlanes) {
    if let (Some(wires), Some(others)) = (&mut to.wires, &from.wires) {
        for plane in 0..others.len().checked_div(from.lanes).unwrap_or(0) {
            let start = plane * from.lanes;
            wires.put(plane * to.lanes + at, others, start..start + from.lanes);
        }
        return;
    }
    each_plane(to, from, |to, plane| copy_lanes(to, at, plane, 0, from.lanes));
}

fn each_plane(to: &mut BitPlanes, from: &BitPlanes, copy: impl Fn(&mut [u64], &[u64])) {
    let (step, from_step) = (to.words().max(1), from.words().max(1));
    for (to, from) in to.shares.components_mut().into_iter().zip(from.shares.components()) {
        let planes = word::lanes_mut(to).chunks_exact_mut(step);
        planes.zip(word::lanes(from).chunks_exact(from_step)).for_each(|(to, from)| copy(to, from));
    }
}

/// Copies `lanes` bits from place `start` to place `at`.
fn copy_lanes(to: &mut [u64], at: usize, from: &[u64], start: usize, lanes: usize) {
    let shift = at % 64;
    for i in 0..lanes.div_ceil(64) {
        let word = word_at(from, start + 64 * i);
        let bits = (lanes - 64 * i).min(64);
        let mask = u64::MAX >> (64 - bits);
        let place = at / 64 + i;
        to[place] = to[place] & !(mask << shift) | (word & mask) << shift;
        if shift + bits > 64 {
            let down = 64 - shift;
            to[place + 1] = to[place + 1] & !(mask >> down) | (word & mask) >> down;
        }
    }
}

/// 64 lanes from place `start`.
fn word_at(from: &[u64], start: usize) -> u64 {
    let (place, shift) = (start / 64, start % 64);
    let low = from[place] >> shift;
    match from.get(place + 1) {
        Some(high) if shift > 0 => low | high << (64 - shift),
        _ => low,
    }
}
