//! Wires of one large circuit that is being drawn, in place of shares: what programs are for protocols
//! that garble.

use std::sync::{Arc, Mutex, PoisonError};
use tacit_circuit::{Builder, Wire};

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
pub struct Wires {
    /// Where they are.
    pub canvas: Canvas,
    /// The wires.
    pub all: Vec<Wire>,
}

impl Wires {
    /// So many zeros.
    #[must_use]
    pub fn zeros(canvas: &Canvas, count: usize) -> Self {
        let zero = canvas.with(|b| b.constant(false));
        Wires { canvas: canvas.clone(), all: vec![zero; count] }
    }

    /// Others on the same canvas.
    #[must_use]
    pub fn on_same(&self, all: Vec<Wire>) -> Self {
        Wires { canvas: self.canvas.clone(), all }
    }

    /// Exclusive or, wire by wire.
    #[must_use]
    pub fn xor(&self, other: &Wires) -> Self {
        let pairs = self.all.iter().zip(&other.all);
        self.on_same(self.canvas.with(|b| pairs.map(|(x, y)| b.xor(*x, *y)).collect()))
    }
}
