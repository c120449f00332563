//! What stands for bits in place of shares under protocols that garble: wires of a circuit that is being
//! drawn, whole or cut into several, or labels of wires that are garbled as the program runs.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tacit_circuit::{Builder, Wire};
use tacit_ring::Buffer;

/// A circuit that is being drawn by whoever holds one of its wires.
#[derive(Clone, Default)]
pub struct Canvas(Arc<Mutex<Sheet>>);

/// A circuit, and who holds wires of it.
#[derive(Default)]
struct Sheet {
    builder: Builder,
    /// In the order in which they came; some may be gone.
    holders: Vec<Weak<Mutex<Vec<Wire>>>>,
    /// How many holders there are when those that are gone are looked for.
    full: usize,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sheet {
    fn hold(&mut self, wires: Vec<Wire>) -> Arc<Mutex<Vec<Wire>>> {
        if self.holders.len() >= self.full {
            self.holders.retain(|holder| holder.strong_count() > 0);
            self.full = 2 * self.holders.len().max(64);
        }
        let holder = Arc::new(Mutex::new(wires));
        self.holders.push(Arc::downgrade(&holder));
        holder
    }
}

impl Canvas {
    /// Does something with the circuit.
    pub fn with<T>(&self, f: impl FnOnce(&mut Builder) -> T) -> T {
        f(&mut locked(&self.0).builder)
    }

    /// The circuit as it is at the end; an empty one takes its place, and wires that somebody holds mean nothing.
    #[must_use]
    pub fn take(&self) -> Builder {
        self.with(std::mem::take)
    }

    /// Ends the circuit, and begins one that goes on from it: wires that somebody holds are the last output port
    /// of the one and the first input port of the other, each once, and stay with who holds them. Gives the circuit,
    /// and how many such wires there are; without any there is no such port.
    #[must_use]
    pub fn cut(&self) -> (Builder, usize) {
        let mut sheet = locked(&self.0);
        let sheet = &mut *sheet;
        let mut circuit = std::mem::take(&mut sheet.builder);
        let holders: Vec<_> = sheet.holders.iter().filter_map(Weak::upgrade).collect();
        const NOWHERE: u32 = u32::MAX;
        let mut places = vec![NOWHERE; circuit.wire_count()];
        let mut carried = Vec::new();
        for holder in &holders {
            for wire in &*locked(holder) {
                let place = &mut places[wire.index()];
                if *place == NOWHERE && circuit.constant_value(*wire).is_none() {
                    *place = carried.len() as u32;
                    carried.push(*wire);
                }
            }
        }
        let inputs = match carried.is_empty() {
            true => Vec::new(),
            false => sheet.builder.input(carried.len() as u32),
        };
        for holder in &holders {
            for wire in &mut *locked(holder) {
                *wire = match circuit.constant_value(*wire) {
                    Some(value) => sheet.builder.constant(value),
                    None => inputs[places[wire.index()] as usize],
                };
            }
        }
        if !carried.is_empty() {
            circuit.output(&carried);
        }
        (circuit, carried.len())
    }

    /// Holds wires of the circuit.
    #[must_use]
    pub fn hold(&self, wires: Vec<Wire>) -> Holding {
        Holding { canvas: self.clone(), wires: locked(&self.0).hold(wires) }
    }
}

/// Wires of a circuit that is being drawn. They get other names when it is cut.
pub struct Holding {
    canvas: Canvas,
    wires: Arc<Mutex<Vec<Wire>>>,
}

impl Holding {
    /// Their names in the circuit as it is now.
    #[must_use]
    pub fn wires(&self) -> Vec<Wire> {
        locked(&self.wires).clone()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        locked(&self.wires).len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds wires.
    pub fn extend(&self, more: impl IntoIterator<Item = Wire>) {
        locked(&self.wires).extend(more);
    }

    fn range(&self, at: Range<usize>) -> Vec<Wire> {
        locked(&self.wires)[at].to_vec()
    }
}

impl Clone for Holding {
    fn clone(&self) -> Self {
        self.canvas.hold(self.wires())
    }
}

/// A wire for each lane of each plane, plane after plane, without padding.
#[derive(Clone)]
pub enum Wires {
    /// Wires of a circuit.
    Drawn(Holding),
    /// Labels: zero labels at who garbles, those of the values at who evaluates. They add up as the values do,
    /// and zeros are labels of zeros.
    Labels(Buffer<u128>),
}

impl Wires {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Wires::Drawn(all) => all.len(),
            Wires::Labels(all) => all.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `count` zeros, of the same sort as these wires.
    #[must_use]
    pub fn zeros_like(&self, count: usize) -> Self {
        match self {
            Wires::Drawn(Holding { canvas, .. }) => {
                let zero = canvas.with(|b| b.constant(false));
                Wires::Drawn(canvas.hold(vec![zero; count]))
            }
            Wires::Labels(_) => Wires::Labels(Buffer::zeros(count)),
        }
    }

    /// The wires in the range `at`.
    #[must_use]
    pub fn range(&self, at: Range<usize>) -> Self {
        match self {
            Wires::Drawn(all) => Wires::Drawn(all.canvas.hold(all.range(at))),
            Wires::Labels(all) => Wires::Labels(Buffer::from_slice(&all[at])),
        }
    }

    /// The wires of some arrays at places `(which, index)`.
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
            // Whoever holds wires holds its own, a clone too, so that these are not locked twice.
            (Wires::Drawn(all), Wires::Drawn(other)) => {
                locked(&all.wires)[to].copy_from_slice(&locked(&other.wires)[from]);
            }
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
            (Wires::Drawn(x), Wires::Drawn(y)) => {
                let pairs = x.wires().into_iter().zip(y.wires());
                let all = x.canvas.with(|b| pairs.map(|(x, y)| b.xor(x, y)).collect());
                Wires::Drawn(x.canvas.hold(all))
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
