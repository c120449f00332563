//! What stands for bits in place of shares under protocols that garble: wires of one large circuit that is being
//! drawn, or labels of wires that are garbled as the program runs.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use tacit_circuit::{Builder, Wire};
use tacit_ring::Buffer;

/// A circuit that is being drawn by whoever holds one of its wires.
#[derive(Clone, Default)]
pub struct Canvas(Arc<Mutex<Builder>>);

impl Canvas {
    /// Does something with the circuit.
    pub fn with<T>(&self, f: impl FnOnce(&mut Builder) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The circuit as it is now; an empty one takes its place.
    #[must_use]
    pub fn take(&self) -> Builder {
        self.with(std::mem::take)
    }
}

/// A wire for each lane of each plane, plane after plane, without padding.
#[derive(Clone)]
pub enum Wires {
    /// Wires of a circuit.
    Drawn(Canvas, Vec<Wire>),
    /// Labels: zero labels at who garbles, those of the values at who evaluates. They add up as the values do,
    /// and zeros are labels of zeros.
    Labels(Buffer<u128>),
}

impl Wires {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Wires::Drawn(_, all) => all.len(),
            Wires::Labels(all) => all.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// So many zeros, of the same sort.
    #[must_use]
    pub fn zeros_like(&self, count: usize) -> Self {
        match self {
            Wires::Drawn(canvas, _) => {
                let zero = canvas.with(|b| b.constant(false));
                Wires::Drawn(canvas.clone(), vec![zero; count])
            }
            Wires::Labels(_) => Wires::Labels(Buffer::zeros(count)),
        }
    }

    /// Those in `at`.
    #[must_use]
    pub fn range(&self, at: Range<usize>) -> Self {
        match self {
            Wires::Drawn(canvas, all) => Wires::Drawn(canvas.clone(), all[at].to_vec()),
            Wires::Labels(all) => Wires::Labels(Buffer::from_slice(&all[at])),
        }
    }

    /// Those of some arrays at places `(which, index)`.
    ///
    /// # Panics
    /// If arrays are not of one sort, or there are none.
    #[must_use]
    pub fn picked(
        arrays: &[&Wires],
        places: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut picked = arrays[0].zeros_like(places.len());
        for (to, (which, index)) in places.enumerate() {
            picked.put(to, arrays[which], index..index + 1);
        }
        picked
    }

    /// All of some arrays, one after the other; none for no arrays.
    #[must_use]
    pub fn joined(arrays: &[&Wires]) -> Option<Self> {
        let mut all = arrays.first()?.zeros_like(arrays.iter().map(|array| array.len()).sum());
        let mut start = 0;
        for array in arrays {
            all.put(start, array, 0..array.len());
            start += array.len();
        }
        Some(all)
    }

    /// Puts those of another array in `from` to place `at` and behind it.
    ///
    /// # Panics
    /// If they are not of the same sort.
    pub fn put(&mut self, at: usize, other: &Wires, from: Range<usize>) {
        let to = at..at + from.len();
        match (self, other) {
            (Wires::Drawn(_, all), Wires::Drawn(_, other)) => all[to].copy_from_slice(&other[from]),
            (Wires::Labels(all), Wires::Labels(other)) => all[to].copy_from_slice(&other[from]),
            _ => panic!("wires and labels"),
        }
    }

    /// With zeros in place of those that are not kept.
    #[must_use]
    pub fn only(&self, kept: impl Fn(usize) -> bool) -> Self {
        let mut some = self.zeros_like(self.len());
        let places = (0..self.len()).filter(|i| kept(*i));
        places.for_each(|i| some.put(i, self, i..i + 1));
        some
    }

    /// Exclusive or, wire by wire.
    ///
    /// # Panics
    /// If they are not of the same sort.
    #[must_use]
    pub fn xor(&self, other: &Wires) -> Self {
        match (self, other) {
            (Wires::Drawn(canvas, x), Wires::Drawn(_, y)) => {
                let pairs = x.iter().zip(y);
                let all = canvas.with(|b| pairs.map(|(x, y)| b.xor(*x, *y)).collect());
                Wires::Drawn(canvas.clone(), all)
            }
            (Wires::Labels(x), Wires::Labels(y)) => {
                let mut sum = x.clone();
                sum.iter_mut().zip(&**y).for_each(|(x, y)| *x ^= y);
                Wires::Labels(sum)
            }
            _ => panic!("wires and labels"),
        }
    }
}
