//! Values as bit-sliced lanes: instance `j` is bit `j mod 64` of word `j / 64`.

use super::{BitOrder, Problem};
use std::fmt;
use tacit_ring::transpose::transpose64;
use zeroize::Zeroize;

/// All instances of one port, bit-sliced: for each port bit a vector of 64-lane words.
///
/// Lanes beyond the last instance are zero. Wiped on drop; `Debug` shows the shape only.
#[derive(Clone, PartialEq, Eq)]
pub struct Lanes {
    instances: usize,
    bits: Vec<Vec<u64>>,
}

impl Lanes {
    /// Lanes from one vector of `ceil(instances / 64)` words per port bit. Lanes beyond
    /// the last instance are set to zero.
    ///
    /// # Panics
    /// If a vector has another length.
    pub fn from_bits(mut bits: Vec<Vec<u64>>, instances: usize) -> Lanes {
        let words = instances.div_ceil(64);
        let tail = match instances % 64 {
            0 => u64::MAX,
            lanes => (1 << lanes) - 1,
        };
        for bit in &mut bits {
            assert_eq!(bit.len(), words, "words per port bit");
            if let Some(last) = bit.last_mut() {
                *last &= tail;
            }
        }
        Lanes { instances, bits }
    }

    /// Number of instances.
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// Number of port bits.
    pub fn width(&self) -> u32 {
        self.bits.len() as u32
    }

    /// Words per port bit: `ceil(instances / 64)`.
    pub fn words(&self) -> usize {
        self.instances.div_ceil(64)
    }

    /// The lanes of one port bit.
    ///
    /// # Panics
    /// If `bit` is not below [`Lanes::width`].
    pub fn bit(&self, bit: u32) -> &[u64] {
        &self.bits[bit as usize]
    }

    /// The lanes of all port bits, in order.
    pub fn bits(&self) -> &[Vec<u64>] {
        &self.bits
    }

    /// A single instance repeated `instances` times; lanes that already have so many
    /// instances come back unchanged. Whoever repeats a secret lets as many questions be asked about it.
    ///
    /// # Errors
    /// When there are several instances, of another number.
    pub fn broadcast(self, instances: usize) -> Result<Lanes, Problem> {
        if self.instances == instances {
            return Ok(self);
        }
        if self.instances != 1 {
            return Err(Problem::InstanceCount { expected: instances, found: self.instances });
        }
        let words = instances.div_ceil(64);
        let spread = |bit: &Vec<u64>| vec![0u64.wrapping_sub(bit[0] & 1); words];
        Ok(Lanes::from_bits(self.bits.iter().map(spread).collect(), instances))
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.bits.iter_mut().for_each(Zeroize::zeroize);
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lanes({} bits x {})", self.bits.len(), self.instances)
    }
}

/// Collects the numbers of one port, instance by instance, into lanes.
pub(super) struct LaneBuilder {
    order: BitOrder,
    width: u32,
    instances: usize,
    bits: Vec<Vec<u64>>,
    /// Numbers of the unfinished block of 64: limb `l` of lane `j` is at `64 l + j`.
    pending: Vec<u64>,
}

impl LaneBuilder {
    /// No instance yet.
    pub(super) fn new(width: u32, order: BitOrder) -> LaneBuilder {
        LaneBuilder {
            order,
            width,
            instances: 0,
            bits: vec![Vec::new(); width as usize],
            pending: vec![0; width.div_ceil(64) as usize * 64],
        }
    }

    /// Adds an instance: a number of `width` bits in little-endian limbs.
    pub(super) fn push(&mut self, limbs: &[u64]) {
        let lane = self.instances % 64;
        for (block, &limb) in self.pending.chunks_exact_mut(64).zip(limbs) {
            block[lane] = limb;
        }
        self.instances += 1;
        if lane == 63 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (l, block) in self.pending.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            transpose64(block);
            let low = 64 * l as u32;
            for k in low..self.width.min(low + 64) {
                let port_bit = self.order.port_bit(k, self.width) as usize;
                self.bits[port_bit].push(block[(k - low) as usize]);
            }
            block.zeroize();
        }
    }

    /// All instances pushed; of a port of width 0, whose values are not pushed, `instances`.
    pub(super) fn finish(mut self, instances: usize) -> Lanes {
        debug_assert!(self.width == 0 || self.instances == instances);
        if !self.instances.is_multiple_of(64) {
            self.flush();
        }
        Lanes { instances, bits: std::mem::take(&mut self.bits) }
    }
}

impl Drop for LaneBuilder {
    fn drop(&mut self) {
        self.pending.zeroize();
        self.bits.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// The numbers of block `block` (64 instances) of a port, as [`LaneBuilder`] keeps them:
/// limb `l` of lane `j` at `64 l + j`.
pub(super) fn numbers(lanes: &Lanes, order: BitOrder, block: usize, out: &mut Vec<u64>) {
    let width = lanes.width();
    out.zeroize();
    out.resize(width.div_ceil(64) as usize * 64, 0);
    for k in 0..width {
        out[k as usize] = lanes.bit(order.port_bit(k, width))[block];
    }
    out.as_chunks_mut::<64>().0.iter_mut().for_each(transpose64);
}
