//! Operations on secrets, out of what backends have.

use super::checks::Checked;
use super::indices;
use super::layout::is_secret;
use super::operand::{Task, wrapped};
use super::rings::{group_span, spread, width};
use std::sync::Arc;
use tacit_backend::divide::Part;
use tacit_backend::segments;
use tacit_backend::{Backend, Name, Planes, Secret, Term};
use tacit_program::{Block, Element, Fold, Interval, Node, Op};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;

type Result<T> = std::result::Result<T, SharingError>;

/// Pairs of a column that are compared together: all bits of all of them are in memory. Whole words of bits.
const COMPARED: usize = 1 << 18;

fn unsupported(what: &str) -> SharingError {
    SharingError::Shape(format!("{what} is no core operation"))
}

/// Whether an element is two's complement.
fn signed(element: Element) -> bool {
    !matches!(element, Element::Bit | Element::Int { signed: false, .. })
}

impl Task<'_> {
    /// Computes the results.
    pub fn run(&mut self) -> Result<Vec<Secret>> {
        match &self.node.op {
            Op::Sort { descending } => self.sort(*descending),
            Op::Segment { fold } => self.segments(*fold),
            Op::Circuit { circuit, .. } => {
                let layered = self.backend.circuits().layered(circuit);
                self.circuit(&layered)
            }
            _ => Ok(vec![self.single()?]),
        }
    }

    fn single(&mut self) -> Result<Secret> {
        let node = self.node;
        match &node.op {
            Op::Add { wrap } => self.add(false, *wrap),
            Op::Sub { wrap } => self.add(true, *wrap),
            Op::Neg { wrap } => {
                let number = self.number(0)?;
                let negative = self.backend.times(&number, -1)?;
                self.wrap_if(*wrap, negative)
            }
            Op::Mul { wrap } => {
                let product = self.product()?;
                let product = self.wrap_if(*wrap, product)?;
                self.rounded(product)
            }
            Op::ShiftLeft { by } => {
                let number = self.number(0)?;
                self.backend.times(&number, 1 << by)
            }
            Op::ShiftRight { by } => self.shift_right(u32::from(*by)),
            Op::Quotient { shift, bits } => self.divide(Part::Quotient, *shift, *bits),
            Op::Rem => self.divide(Part::Remainder, 0, None),
            Op::Sqrt => self.root(),
            Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => self.approximate(),
            Op::Less => self.less(),
            Op::Equal => self.equal(),
            Op::Select => self.select(),
            Op::And => self.and(),
            Op::Or => {
                let (a, b) = (self.bits(0)?, self.bits(1)?);
                Ok(a.sum(&b, false).sum(&self.and()?, false))
            }
            Op::Xor => Ok(self.bits(0)?.sum(&*self.bits(1)?, false)),
            Op::Not => {
                let bits = self.bits(0)?;
                self.backend.plus(&bits, 1)
            }
            Op::Cast(to) => self.cast(*to),
            Op::Wrap(to) => {
                let number = self.number(0)?;
                let ring = self.rings.results[0];
                wrapped(self.backend, &number, width(*to), signed(*to), ring)
            }
            Op::Sum { axis } => self.sum(*axis as usize),
            Op::MinOver { .. } => self.extreme(false),
            Op::MaxOver { .. } => self.extreme(true),
            Op::CumSum { axis, reverse } => self.prefix_sums(*axis as usize, *reverse),
            Op::MatMul => {
                let product = self.matrix_product()?;
                self.rounded(product)
            }
            Op::GroupSum { first, groups } => self.group_sum(*first, *groups),
            Op::GroupCount { first, groups } => self.group_count(*first, *groups),
            op => self.arrange(op),
        }
    }

    /// Moves elements, or leaves them as they are.
    fn arrange(&mut self, op: &Op) -> Result<Secret> {
        let shapes = self.shapes.clone();
        let first = self.operand(0)?;
        let to = &self.results[0];
        Ok(match op {
            Op::Assume(_) | Op::Reshape => first.slice(0..first.len),
            Op::Check(range) => {
                let (values, known) = (first.clone(), self.interval(0));
                self.cache.keep_checked(Checked { values, known, range: *range });
                first.slice(0..first.len)
            }
            Op::Broadcast => first.gather(&indices::broadcast(&shapes[0], to)),
            Op::Slice { axis, start, step } => {
                let at = [*start as usize, *step as usize];
                first.gather(&indices::slice(&shapes[0], *axis as usize, at, to))
            }
            Op::Transpose { order } => first.gather(&indices::transpose(&shapes[0], order)),
            Op::Gather { axis, indices } => {
                first.gather(&indices::gather(&shapes[0], *axis as usize, indices))
            }
            Op::Shift { axis, by, fill } => self.shift(*axis as usize, *by, *fill)?,
            Op::Flip { axis } => first.gather(&indices::flip(&shapes[0], *axis as usize)),
            Op::SliceAt { axis, .. } => {
                let at = [self.place(1), 1];
                first.gather(&indices::slice(&shapes[0], *axis as usize, at, &self.results[0]))
            }
            Op::UpdateAt { axis } => {
                let (part, at) = (self.operand(1)?, self.place(2));
                let places = indices::update(&shapes[0], &shapes[1], *axis as usize, at);
                first.gather_from(&[&first, &part], places.into_iter())
            }
            Op::Concat { axis } => {
                let all = (0..shapes.len()).map(|i| self.operand(i)).collect::<Result<Vec<_>>>()?;
                let all: Vec<&Secret> = all.iter().map(Arc::as_ref).collect();
                let places = indices::concat(&shapes, *axis as usize);
                first.gather_from(&all, places.into_iter())
            }
            _ => return Err(unsupported(&format!("{op:?}"))),
        })
    }

    fn wrap_if(&mut self, wrap: bool, number: Secret) -> Result<Secret> {
        let element = self.types[0].element;
        let ring = self.rings.results[0];
        if !wrap {
            return Ok(number);
        }
        wrapped(self.backend, &number, width(element), signed(element), ring)
    }

    fn add(&mut self, subtract: bool, wrap: bool) -> Result<Secret> {
        let sum = match (self.constant(0), self.constant(1)) {
            (_, Some(number)) => {
                let a = self.number(0)?;
                self.backend.plus(&a, if subtract { -number } else { number })?
            }
            (Some(number), None) if !subtract => {
                let b = self.number(1)?;
                self.backend.plus(&b, number)?
            }
            _ => {
                let (a, b) = (self.number(0)?, self.number(1)?);
                self.backend.sum(&a, &b, subtract)?
            }
        };
        self.wrap_if(wrap, sum)
    }

    /// The raw product.
    fn product(&mut self) -> Result<Secret> {
        for (known, other) in [(0, 1), (1, 0)] {
            let Some(factors) = self.public(known) else { continue };
            let (constant, bits) = (self.constant(known), self.width(known));
            let number = self.number(other)?;
            return match constant {
                Some(factor) => self.backend.times(&number, factor),
                None => self.backend.times_each(&number, &factors, bits),
            };
        }
        let (a, b, bits) = (self.number(0)?, self.number(1)?, self.widths());
        self.backend.multiply(&a, &b, bits)
    }

    fn widths(&self) -> [u32; 2] {
        [self.width(0), self.width(1)]
    }

    fn rounded(&mut self, raw: Secret) -> Result<Secret> {
        rounded(self.backend, self.types[0].element, raw)
    }

    fn shift_right(&mut self, by: u32) -> Result<Secret> {
        let number = self.number(0)?;
        let most = number.ring().map_or(1, |ring| ring.bits() - 1);
        if by == 0 {
            return Ok(number.slice(0..number.len));
        }
        self.backend.floor_shift(&number, by.min(most))
    }

    /// Operand `i` of a comparison.
    fn term(&mut self, i: usize) -> Result<Term> {
        Ok(match self.constant(i) {
            Some(number) => Term::Constant(number),
            None => Term::Array(self.number(i)?),
        })
    }

    /// The bits that hold all values of `a - b`.
    fn difference_bits(&self) -> u32 {
        let (a, b) = (self.interval(0), self.interval(1));
        Interval { low: a.low - b.high, high: a.high - b.low }.signed_bits()
    }

    fn less(&mut self) -> Result<Secret> {
        let (a, b, bits) = (self.term(0)?, self.term(1)?, self.difference_bits());
        self.backend.less([&a, &b], bits)
    }

    fn equal(&mut self) -> Result<Secret> {
        if self.types[0].element == Element::Bit {
            let differ = self.bits(0)?.sum(&*self.bits(1)?, false);
            return self.backend.plus(&differ, 1);
        }
        let (a, b, bits) = (self.term(0)?, self.term(1)?, self.difference_bits());
        self.backend.equal([&a, &b], bits)
    }

    fn and(&mut self) -> Result<Secret> {
        for (known, other) in [(0, 1), (1, 0)] {
            if let Some(mask) = self.public(known) {
                return Ok(self.bits(other)?.and_public(&mask));
            }
        }
        let (a, b) = (self.bits(0)?, self.bits(1)?);
        self.backend.multiply(&a, &b, [1, 1])
    }

    fn select(&mut self) -> Result<Secret> {
        let (a, b) = (self.operand(1)?, self.operand(2)?);
        if let Some(bits) = self.public(0) {
            return Ok(self.backend.select_public(&bits, &a, &b));
        }
        let bits = self.bits(0)?;
        self.backend.select(&bits, &a, &b)
    }

    fn cast(&mut self, to: Element) -> Result<Secret> {
        let from = self.types[0].element;
        if to == Element::Bit {
            return self.operand(0).map(|bits| bits.slice(0..bits.len));
        }
        let number = if from == Element::Bit {
            let bits = self.bits(0)?;
            Arc::new(self.backend.bit_to_ring(&bits, self.rings.results[0])?)
        } else {
            self.number(0)?
        };
        let (have, want) = (from.fraction(), to.fraction());
        if want >= have {
            return self.backend.times(&number, 1 << (want - have));
        }
        let most = number.ring().map_or(1, |ring| ring.bits() - 1);
        self.backend.floor_shift(&number, u32::from(have - want).min(most))
    }

    fn sum(&mut self, axis: usize) -> Result<Secret> {
        let shape = &self.shapes[0];
        let outer = shape[..axis].iter().product();
        let inner = shape[axis + 1..].iter().product();
        let length = shape[axis];
        let (number, bits) = (self.number(0)?, self.width(0));
        self.backend.sum_axis(&number, [outer, length, inner], bits)
    }

    /// The least or the greatest element of a column, by a tree of comparisons; an end of the range where there is none.
    fn extreme(&mut self, greatest: bool) -> Result<Secret> {
        let (mut left, interval) = (self.number(0)?, self.interval(0));
        let bits = spread(interval).signed_bits();
        if left.len == 0 {
            let end = if greatest { interval.low } else { interval.high };
            return Ok(self.backend.public(left.kind, &[end], 1));
        }
        while left.len > 1 {
            let half = left.len.div_ceil(2);
            let mut picked = left.zeros_like(half);
            for start in (0..half).step_by(COMPARED) {
                let end = half.min(start + COMPARED);
                // Of an odd number, the element in the middle is in two pairs.
                let behind = left.len - half;
                let pair = [start..end, behind + start..behind + end];
                let [first, second] = pair.map(|at| Arc::new(left.slice(at)));
                let terms = [&first, &second].map(|it| Term::Array(it.clone()));
                let less = self.backend.less(terms.each_ref(), bits)?;
                let (if_less, if_not) =
                    if greatest { (&second, &first) } else { (&first, &second) };
                picked.copy_in(start, &self.backend.select(&less, if_less, if_not)?);
            }
            left = Arc::new(picked);
        }
        Ok(left.slice(0..1))
    }

    fn prefix_sums(&mut self, axis: usize, reverse: bool) -> Result<Secret> {
        let shape = &self.shapes[0];
        let outer = shape[..axis].iter().product();
        let inner = shape[axis + 1..].iter().product();
        let (length, number) = (shape[axis], self.number(0)?);
        self.backend.prefix_sums(&number, [outer, length, inner], reverse)
    }

    /// Elements that many places on, and a number of the program where there are none.
    fn shift(&mut self, axis: usize, by: i64, fill: i128) -> Result<Secret> {
        let operand = self.operand(0)?;
        let filling = self.backend.public(operand.kind, &[fill], 1);
        let places = indices::shift(&self.shapes[0], axis, by);
        Ok(operand.gather_from(&[&operand, &filling], places.into_iter()))
    }

    /// The place that a public operand names: where its values are not known, in dry runs, the first.
    fn place(&self, operand: usize) -> usize {
        let place = self.public(operand).and_then(|values| values.first().copied());
        place.and_then(|place| usize::try_from(place).ok()).unwrap_or(0)
    }

    /// Raw inner products, as NumPy's `@`.
    pub fn matrix_product(&mut self) -> Result<Secret> {
        let inner = self.shapes[0].last().copied().unwrap_or(1);
        let (batches, columns) = match self.shapes[1][..] {
            [ref batches @ .., _, columns] => (batches.len(), columns),
            _ => (0, 1),
        };
        let (outer, rows) =
            self.shapes[0][..self.shapes[0].len().saturating_sub(1)].split_at(batches);
        let (batches, rows) = (outer.iter().product(), rows.iter().product());
        let (a, b) = (self.number(0)?, self.number(1)?);
        let bits = self.widths();
        self.backend.matrix_products((batches, MatrixShape { rows, inner, columns }), &a, &b, bits)
    }

    /// For each group the bits of the rows in it that count.
    fn members(
        &mut self,
        filter: Option<usize>,
        first: i64,
        groups: u64,
    ) -> Result<Arc<Vec<Secret>>> {
        let operands = &self.node.operands;
        let key = (operands[0], filter.map(|i| operands[i]), first, groups);
        if let Some(known) = self.cache.groups(key) {
            return Ok(known);
        }
        let bits = group_span(self.types[0], first, groups).signed_bits();
        let number = self.planes(0, i128::from(first), bits)?;
        let name = Name::OneHot { bits, groups: groups as u32 };
        let circuit = self.backend.circuits().get(name);
        let hot = self.backend.circuit(&circuit, &[&number])?;
        let mut members: Vec<Secret> = hot.iter().map(|bit| bit.plane(0)).collect();
        if let Some(filter) = filter {
            if let Some(mask) = self.public(filter) {
                members.iter_mut().for_each(|bits| *bits = bits.and_public(&mask));
            } else {
                members = self.filtered(filter, &members)?;
            }
        }
        Ok(self.cache.keep_groups(key, members))
    }

    fn filtered(&mut self, filter: usize, members: &[Secret]) -> Result<Vec<Secret>> {
        let filter = self.bits(filter)?;
        let n = filter.len;
        // Planes next to each other, so that all conjunctions take one round.
        let joined = Secret::side_by_side(members);
        let copies: Vec<&Secret> = members.iter().map(|_| &*filter).collect();
        let repeated = Secret::side_by_side(&copies);
        let product = self.backend.multiply(&joined, &repeated, [1, 1])?;
        let step = n.next_multiple_of(64);
        Ok((0..members.len()).map(|g| product.slice(g * step..g * step + n)).collect())
    }

    pub fn group_sum(&mut self, first: i64, groups: u64) -> Result<Secret> {
        let filter = (self.operands.len() > 2).then_some(2);
        let members = self.members(filter, first, groups)?;
        let (values, bits) = (self.number(1)?, self.width(1));
        let members: Vec<&Secret> = members.iter().collect();
        self.backend.group_sums(&members, Some((&values, bits)), self.rings.results[0])
    }

    pub fn group_count(&mut self, first: i64, groups: u64) -> Result<Secret> {
        let filter = (self.operands.len() > 1).then_some(1);
        let members = self.members(filter, first, groups)?;
        let members: Vec<&Secret> = members.iter().collect();
        self.backend.group_sums(&members, None, self.rings.results[0])
    }

    /// What these rows add to a sum over all rows.
    pub fn partial(&mut self) -> Result<Secret> {
        let node = self.node;
        match &node.op {
            Op::Sum { axis: 0 } => self.sum(0),
            Op::MatMul => {
                let (a, b) = (self.number(0)?, self.number(1)?);
                let shape = MatrixShape { rows: 1, inner: a.len, columns: 1 };
                let bits = self.widths();
                self.backend.matrix_product(shape, &a, &b, bits)
            }
            Op::GroupSum { first, groups } => self.group_sum(*first, *groups),
            Op::GroupCount { first, groups } => self.group_count(*first, *groups),
            op => Err(unsupported(&format!("a sum over rows by {op:?}"))),
        }
    }

    /// The columns whose results are secret, in the order of the key.
    fn sort(&mut self, descending: bool) -> Result<Vec<Secret>> {
        let Interval { low, high } = self.interval(0);
        let bits = 128 - high.abs_diff(low).leading_zeros();
        let bits = bits.max(1);
        let key = if descending {
            let key = self.number(0)?;
            let turned = self.backend.times(&key, -1)?;
            let turned = self.backend.plus(&turned, high)?;
            self.backend.low_bits(&turned, bits)?
        } else {
            self.planes(0, low, bits)?
        };
        let secret = (0..self.operands.len()).filter(|i| is_secret(&self.node.types[*i]));
        let secret: Vec<usize> = secret.collect();
        let columns = secret.iter().map(|i| self.operand(*i)).collect::<Result<Vec<_>>>()?;
        let columns: Vec<&Secret> = columns.iter().map(Arc::as_ref).collect();
        self.backend.sort(&key, &columns)
    }

    /// What is folded of each column since a segment began.
    fn segments(&mut self, fold: Fold) -> Result<Vec<Secret>> {
        let starts = self.bits(0)?;
        let columns = (1..self.operands.len()).map(|i| self.operand(i));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let columns: Vec<&Secret> = columns.iter().map(Arc::as_ref).collect();
        match fold {
            Fold::First => {
                let columns = columns.iter().map(|column| column.slice(0..column.len)).collect();
                segments::fill_forward(self.backend, &starts, columns)
            }
            Fold::Sum => segments::sums(self.backend, &starts, &columns),
            Fold::Min | Fold::Max => {
                let widths =
                    (1..self.operands.len()).map(|i| spread(self.interval(i)).signed_bits());
                let columns: Vec<(&Secret, u32)> = columns.into_iter().zip(widths).collect();
                segments::extremes(self.backend, &starts, &columns, fold == Fold::Max)
            }
        }
    }

    fn circuit(&mut self, circuit: &Arc<tacit_backend::convert::Layered>) -> Result<Vec<Secret>> {
        let widths: Vec<u32> = self.types.iter().map(|ty| width(ty.element)).collect();
        let ports = (0..widths.len())
            .map(|i| self.planes(i, 0, widths[i]))
            .collect::<Result<Vec<Planes>>>()?;
        let ports: Vec<&Planes> = ports.iter().collect();
        let outputs = self.backend.circuit(circuit, &ports)?;
        let types = self.node.types.iter().zip(&self.rings.results);
        outputs
            .iter()
            .zip(types)
            .map(|(planes, (ty, ring))| match ty.element {
                Element::Bit => Ok(planes.plane(0)),
                element => self.backend.compose(planes, signed(element), *ring),
            })
            .collect()
    }
}

/// A raw product of an element type, in fixed point rounded to its fraction.
fn rounded(backend: &mut dyn Backend, element: Element, raw: Secret) -> Result<Secret> {
    match element.fraction() {
        0 => Ok(raw),
        by => backend.truncate(&raw, u32::from(by)),
    }
}

/// Completes a sum over rows.
pub(super) fn finish(
    backend: &mut dyn Backend,
    block: &Block,
    node: &Node,
    total: Secret,
) -> Result<Secret> {
    match node.op {
        Op::MatMul => rounded(backend, block.type_of(node.operands[0]).element, total),
        _ => Ok(total),
    }
}
