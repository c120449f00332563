//! Quotients, remainders, square roots and approximations of numbers in rings.

use super::operand::{Task, wrapped};
use super::plans::{approximation_of, plan_of};
use std::sync::Arc;
use tacit_backend::divide::{self, Division, Divisor, LeadingOne, Part, Root};
use tacit_backend::{Ring, Secret};
use tacit_program::Interval;
use tacit_program::lower::root_bits;
use tacit_sharing::SharingError;

type Result<T> = std::result::Result<T, SharingError>;

/// The lowest place where a number of an interval may have its leading one; 0 if it may be zero or negative.
fn lowest(interval: Interval) -> u32 {
    if interval.low > 0 { interval.low.ilog2() } else { 0 }
}

impl Task<'_> {
    /// `a 2^shift / b`, exactly or with so many right bits, or `a - b floor(a / b)`, of raw values.
    pub fn divide(&mut self, part: Part, shift: u8, bits: Option<u8>) -> Result<Secret> {
        let plan = plan_of(&self.types, shift, bits)
            .ok_or_else(|| SharingError::Shape("a division that rings have no plan for".into()))?;
        let interval = self.interval(1);
        let divisor = Divisor {
            signed: interval.low < 0,
            zero: interval.low <= 0 && interval.high >= 0,
            lowest: lowest(interval),
        };
        let n = self.lifted(0, plan.ring)?;
        let n = self.backend.times(&n, 1 << shift)?;
        let d = self.lifted(1, plan.ring)?;
        let result = Division { plan, divisor, part }.run(self.backend, [&n, &d])?;
        self.lowered(result)
    }

    /// The square root, rounded down.
    pub fn root(&mut self) -> Result<Secret> {
        let (interval, shift) = (self.interval(0), self.types[0].element.fraction());
        let root = Root::of(root_bits(interval, shift))
            .ok_or_else(|| SharingError::Shape("a root that rings have no plan for".into()))?;
        let number = LeadingOne {
            bits: root_bits(interval, 0),
            signed: interval.low < 0,
            lowest: lowest(interval),
        };
        let n = self.lifted(0, root.ring)?;
        let result = divide::root(self.backend, &root, number, shift.into(), &n)?;
        self.lowered(result)
    }

    /// A function, approximated.
    pub fn approximate(&mut self) -> Result<Secret> {
        let wrong = || SharingError::Shape("an approximation that rings have no way for".into());
        let wanted = approximation_of(&self.node.op, self.types[0], &self.node.types[0]);
        let wanted = wanted.ok_or_else(wrong)?;
        let x = self.lifted(0, wanted.ring().ok_or_else(wrong)?)?;
        let result = wanted.run(self.backend, &x)?;
        self.lowered(result)
    }

    /// Operand `i` in a ring.
    fn lifted(&mut self, i: usize, ring: Ring) -> Result<Arc<Secret>> {
        let number = self.number(i)?;
        let bits = self.width(i);
        self.in_ring(&number, bits, ring).map(|moved| moved.map_or(number, Arc::new))
    }

    /// The result in the ring that it is wanted in.
    fn lowered(&mut self, number: Secret) -> Result<Secret> {
        let bits = self.node.types[0].interval.signed_bits();
        let moved = self.in_ring(&number, bits, self.rings.results[0])?;
        Ok(moved.unwrap_or(number))
    }

    /// A number of so many bits in another ring; `None` if it is in that one.
    fn in_ring(&mut self, number: &Secret, bits: u32, ring: Ring) -> Result<Option<Secret>> {
        let own = number.ring().map_or(0, Ring::bits);
        if own == ring.bits() {
            return Ok(None);
        }
        if own > ring.bits() {
            return Ok(Some(number.narrow(ring)));
        }
        // Below a quarter of its ring it is extended at once, else bit by bit.
        let moved = match bits < own {
            true => self.backend.widen(number, ring)?,
            false => wrapped(self.backend, number, bits, true, ring)?,
        };
        Ok(Some(moved))
    }
}
