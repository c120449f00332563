//! Operands of one operation, shared only when and as it needs them.

use super::checks::Checked;
use super::ranges::{self, ByBits, Shared, Test};
use super::rings::NodeRings;
use std::collections::HashMap;
use std::sync::Arc;
use tacit_backend::convert::to_planes;
use tacit_backend::{Backend, Kind, Planes, Ring, Secret, Values};
use tacit_program::{Interval, Node, Type, ValueId, Visibility};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// A value as an operation meets it. In a dry run nobody has values.
pub(super) enum Operand {
    /// Shared.
    Secret(Arc<Secret>),
    /// Known to all.
    Public(Option<Vec<i128>>),
    /// Known to one role.
    Private(RoleId, Option<Values>),
}

/// Which rows are in which group: group operand, filter, first group, number of groups.
type GroupKey = (ValueId, Option<ValueId>, i64, u64);

/// What operations on the same rows need not do twice.
#[derive(Default)]
pub(super) struct Cache {
    shared: HashMap<(ValueId, Kind), Arc<Secret>>,
    groups: HashMap<GroupKey, Arc<Vec<Secret>>>,
    /// What tests of inputs said.
    tests: Vec<Test>,
    /// What the program checks.
    checked: Vec<Checked>,
}

impl Cache {
    /// Hands out what tests of inputs said.
    pub fn take_tests(&mut self) -> Vec<Test> {
        std::mem::take(&mut self.tests)
    }

    /// Hands out what is to be compared with ranges that the program checks.
    pub fn take_checked(&mut self) -> Vec<Checked> {
        std::mem::take(&mut self.checked)
    }

    pub fn keep_checked(&mut self, checked: Checked) {
        self.checked.push(checked);
    }

    pub fn groups(&mut self, key: GroupKey) -> Option<Arc<Vec<Secret>>> {
        self.groups.get(&key).cloned()
    }

    pub fn keep_groups(&mut self, key: GroupKey, bits: Vec<Secret>) -> Arc<Vec<Secret>> {
        self.groups.entry(key).or_insert_with(|| Arc::new(bits)).clone()
    }
}

/// An operation about to be computed.
pub(super) struct Task<'t> {
    pub backend: &'t mut dyn Backend,
    pub cache: &'t mut Cache,
    pub node: &'t Node,
    pub types: Vec<&'t Type>,
    pub rings: &'t NodeRings,
    /// The lines that the operands are of.
    pub lines: Vec<u32>,
    pub operands: Vec<Operand>,
    /// Lengths of the operands' axes.
    pub shapes: Vec<Vec<usize>>,
    /// Lengths of the results' axes.
    pub results: Vec<Vec<usize>>,
    /// Whether inputs are tested to lie in their ranges.
    pub tested: bool,
    /// Inputs that are shared by bits: nothing beyond their ranges can be.
    pub by_bits: &'t ByBits,
}

impl Task<'_> {
    /// Elements of operand `i`.
    pub fn len(&self, i: usize) -> usize {
        self.shapes[i].iter().product()
    }

    pub fn interval(&self, i: usize) -> Interval {
        self.types[i].interval
    }

    /// The values of operand `i` if everybody knows them.
    pub fn public(&self, i: usize) -> Option<Vec<i128>> {
        match &self.operands[i] {
            Operand::Public(values) => Some(values.clone().unwrap_or_else(|| vec![0])),
            _ => None,
        }
    }

    /// Operand `i` if it is one number of the program itself.
    pub fn constant(&self, i: usize) -> Option<i128> {
        let Interval { low, high } = self.interval(i);
        (low == high && matches!(self.operands[i], Operand::Public(_))).then_some(low)
    }

    /// Bits that hold the values of operand `i`.
    pub fn width(&self, i: usize) -> u32 {
        self.interval(i).signed_bits()
    }

    /// Operand `i` as ring elements.
    pub fn number(&mut self, i: usize) -> Result<Arc<Secret>, SharingError> {
        self.shared(i, Kind::Ring(self.rings.operands[i]))
    }

    /// Operand `i` as bits.
    pub fn bits(&mut self, i: usize) -> Result<Arc<Secret>, SharingError> {
        self.shared(i, Kind::Bits)
    }

    /// Operand `i`, bits or numbers as its type says.
    pub fn operand(&mut self, i: usize) -> Result<Arc<Secret>, SharingError> {
        if self.types[i].element == tacit_program::Element::Bit {
            self.bits(i)
        } else {
            self.number(i)
        }
    }

    fn shared(&mut self, i: usize, kind: Kind) -> Result<Arc<Secret>, SharingError> {
        let len = self.len(i);
        let key = (self.node.operands[i], kind);
        match &self.operands[i] {
            Operand::Secret(secret) => {
                let secret = secret.clone();
                self.test(i, &secret)?;
                Ok(secret)
            }
            Operand::Public(values) => {
                let values = values.as_deref().unwrap_or(&[0]);
                Ok(Arc::new(self.backend.public(kind, values, len)))
            }
            Operand::Private(owner, values) => {
                if let Some(known) = self.cache.shared.get(&key) {
                    return Ok(known.clone());
                }
                let values = values.as_ref().map(|values| &values[..]);
                self.backend.at_line(self.lines[i]);
                let secret = Arc::new(match self.tested {
                    false => self.backend.input(kind, *owner, values, len)?,
                    true => {
                        let (range, owner) = (self.types[i].interval, *owner);
                        let shared = Shared { kind, range, owner, values, len };
                        match self.by_bits.get(&key.0.node) {
                            Some(bits) => shared.number_of_bits(self.backend, *bits)?,
                            None => shared.number(self.backend)?,
                        }
                    }
                });
                self.cache.shared.insert(key, secret.clone());
                self.backend.at_line(self.node.span.line);
                if !self.by_bits.contains_key(&key.0.node) {
                    self.test(i, &secret)?;
                }
                Ok(secret)
            }
        }
    }

    /// Tests operand `i`, if it is an input that enters here.
    fn test(&mut self, i: usize, secret: &Arc<Secret>) -> Result<(), SharingError> {
        let Type { visibility: Visibility::Private(_), interval, .. } = self.types[i] else {
            return Ok(());
        };
        if !self.tested {
            return Ok(());
        }
        self.backend.at_line(self.lines[i]);
        let beyond = ranges::test(self.backend, secret, *interval)?;
        self.backend.at_line(self.node.span.line);
        let input = self.node.operands[i].node;
        self.cache.tests.extend(beyond.map(|beyond| Test { input, beyond }));
        Ok(())
    }

    /// The low `bits` bits of operand `i` minus a public number, in two's complement.
    pub fn planes(&mut self, i: usize, minus: i128, bits: u32) -> Result<Planes, SharingError> {
        let len = self.len(i);
        if let (Operand::Private(owner, values), false) = (&self.operands[i], self.tested) {
            // The owner shares the bits themselves.
            let words = values.as_ref().map(|values| {
                let shifted = values.iter().map(|value| (value - minus) as u128);
                let shifted: Zeroizing<Vec<u128>> = Zeroizing::new(shifted.collect());
                to_planes(&shifted, bits as usize)
            });
            self.backend.at_line(self.lines[i]);
            let planes = self.backend.input_planes(*owner, words.as_deref(), bits as usize, len);
            self.backend.at_line(self.node.span.line);
            return planes;
        }
        if self.types[i].element == tacit_program::Element::Bit {
            let bit = self.bits(i)?;
            return Ok(Planes::of(&[&bit]));
        }
        let number = self.number(i)?;
        if minus == 0 {
            return self.backend.low_bits(&number, bits);
        }
        let shifted = self.backend.plus(&number, -minus)?;
        self.backend.low_bits(&shifted, bits)
    }
}

/// The low `bits` bits of numbers as numbers of another ring.
pub(super) fn wrapped(
    backend: &mut dyn Backend,
    number: &Secret,
    bits: u32,
    signed: bool,
    ring: Ring,
) -> Result<Secret, SharingError> {
    let own = number.ring().map_or(0, Ring::bits);
    if signed && ring.bits() == bits && own >= bits {
        return Ok(number.narrow(ring));
    }
    let planes = backend.low_bits(number, bits.min(own))?;
    backend.compose(&planes, signed, ring)
}
