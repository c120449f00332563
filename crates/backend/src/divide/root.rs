//! Square roots.

use super::{LeadingOne, TOGETHER, in_parts, looked_up};
use crate::machine::{Machine, OnShares, apart};
use crate::polynomial::Polynomial;
use crate::{Backend, Name, Planes, Result, Ring, Secret, Term};
use std::sync::Arc;

/// Places by which scaled roots are longer than roots.
const GUARD: u32 = 5;

/// How roots of numbers of up to so many bits are computed: a polynomial near `b^(-1/2)` for `1/2 <= b < 1`, and perhaps a
/// step of Heron's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The numbers are below `2^bits`.
    bits: u32,
    /// The ring that it is computed in.
    pub ring: Ring,
    /// Fractional bits of everything below one.
    fraction: u32,
    /// Coefficients in powers of `b - 3/4`, with so many fractional bits.
    coefficients: &'static [i128],
    /// Fractional bits of half the reciprocal of the root, where there is a step.
    pub(super) step: Option<u32>,
}

/// The four of the specification; each is proven for all numbers of its width.
const ALL: [Root; 4] = [
    Root {
        bits: 16,
        ring: Ring::W64,
        fraction: 13,
        coefficients: &[9455, -6293, 6865, -7837],
        step: None,
    },
    Root {
        bits: 32,
        ring: Ring::W64,
        fraction: 21,
        coefficients: &[
            2_421_582, -1_614_512, 1_614_735, -1_778_273, 2_065_117, -2_986_182, 3_751_486,
        ],
        step: None,
    },
    Root {
        bits: 48,
        ring: Ring::W128,
        fraction: 26,
        coefficients: &[77_491_453, -51_547_886, 51_418_576, -64_366_950, 77_164_104],
        step: Some(41),
    },
    Root {
        bits: 64,
        ring: Ring::W128,
        fraction: 22,
        coefficients: &[
            4_843_164, -3_229_024, 3_229_471, -3_556_546, 4_130_234, -5_972_364, 7_502_973,
        ],
        step: Some(53),
    },
];

impl Root {
    /// How roots of numbers below `2^bits` are computed. `None` above 64 bits.
    #[must_use]
    pub fn of(bits: u32) -> Option<Root> {
        ALL.into_iter().find(|root| root.bits >= bits)
    }

    /// `2^(half / 2)`, rounded to the nearest.
    fn half_power(half: u32) -> i128 {
        ((1i128 << (half + 2)).isqrt() + 1) / 2
    }

    /// The root of `b`, times this, is that of a number whose leading one is at `place`.
    pub(super) fn up(place: u32) -> i128 {
        Root::half_power(place + 1 + 2 * GUARD)
    }

    /// The reciprocal of the root of `b`, times this, is half the reciprocal of the number's root.
    pub(super) fn down(place: u32, step: u32) -> i128 {
        Root::half_power(2 * (step - 1) - (place + 1))
    }

    /// The root of `n`, off by at most one, and `n` less its square. `scale` takes `n` between half of `2^bits` and all of
    /// it; `up` and `down` belong to its leading one.
    pub(super) fn approximate<M: Machine>(
        &self,
        machine: &mut M,
        bits: u32,
        [n, scale, up]: [&M::Number; 3],
        down: Option<&M::Number>,
    ) -> Result<(M::Number, M::Number)> {
        let fraction = self.fraction;
        let scaled = machine.products(&[[n, scale]])?;
        let mut scaled =
            machine.truncated(&[(&scaled[0], i64::from(bits) - i64::from(fraction))])?;
        let b = scaled.swap_remove(0);
        let z = machine.linear(-(3i128 << (fraction - 2)), &[(1, &b)])?;
        let first = machine.products(&[[&z, &z], [&b, up]])?;
        let first = machine.truncate(&[&first[0], &first[1]], fraction)?;
        let polynomial = Polynomial { coefficients: self.coefficients, fraction, ring: self.ring };
        let y = polynomial.value(machine, [&z, &first[0]])?;

        let mut pairs = vec![[&y, &first[1]]];
        pairs.extend(down.map(|down| [&y, down]));
        let products = machine.products(&pairs)?;
        let places = fraction + GUARD;
        let offset = if down.is_none() { 1 << (places - 1) } else { 0 };
        let raw = machine.linear(-offset, &[(1, &products[0])])?;
        let mut parts = vec![(&raw, i64::from(places))];
        parts.extend(products.get(1).map(|product| (product, i64::from(fraction))));
        let mut cut = machine.truncated(&parts)?.into_iter();
        let (mut root, reciprocal) = match (cut.next(), cut.next()) {
            (Some(root), reciprocal) => (root, reciprocal),
            (None, _) => return Err(crate::result::wrong("a root")),
        };
        let square = machine.products(&[[&root, &root]])?;
        let mut rest = machine.linear(0, &[(1, n), (-1, &square[0])])?;
        if let (Some(reciprocal), Some(step)) = (reciprocal, self.step) {
            let more = machine.products(&[[&rest, &reciprocal]])?;
            let more = machine.linear(-(1i128 << (step - 3)), &[(1, &more[0])])?;
            let more = machine.cut(&more, step)?;
            root = machine.linear(0, &[(1, &root), (1, &more)])?;
            let square = machine.products(&[[&root, &root]])?;
            rest = machine.linear(0, &[(1, n), (-1, &square[0])])?;
        }
        Ok((root, rest))
    }
}

/// The square roots of `n 2^shift`, rounded down; zero of negative numbers. The numbers `n` are of the plan's ring, and the plan is for
/// `shift` bits more; their leading ones are where `number` says, with 0 as the lowest place where they may be zero or negative.
///
/// # Errors
/// When the network fails.
pub fn root(
    backend: &mut dyn Backend,
    plan: &Root,
    number: LeadingOne,
    shift: u32,
    n: &Secret,
) -> Result<Secret> {
    in_parts([n], TOGETHER, |[part]| root_together(backend, plan, number, shift, part))
}

fn root_together(
    backend: &mut dyn Backend,
    plan: &Root,
    number: LeadingOne,
    shift: u32,
    n: &Secret,
) -> Result<Secret> {
    let LeadingOne { bits, signed, lowest } = number;
    let planes = backend.low_bits(n, bits + u32::from(signed))?;
    let circuit = backend.circuits().get(Name::LeadingOne(number));
    let outputs = backend.circuit(&circuit, &[&planes])?;
    // From the highest place down.
    let lines: Vec<Secret> = (0..number.places() as usize).map(|i| outputs[0].plane(i)).collect();
    let places = (lowest..bits).rev();
    let mut tables = vec![places.clone().map(|e| 1 << (bits - 1 - e)).collect::<Vec<i128>>()];
    tables.push(places.clone().map(|e| Root::up(e + shift)).collect());
    tables.extend(plan.step.map(|step| places.map(|e| Root::down(e + shift, step)).collect()));

    let width = tables.iter().flatten().map(|value| 128 - value.leading_zeros()).max();
    let width = width.unwrap_or(1);
    let looked_up: Vec<Planes> =
        tables.iter().map(|table| looked_up(&lines, table, width)).collect();
    let composed = backend.compose(&Planes::join(&looked_up), false, plan.ring)?;
    let parts = apart(&composed, tables.len());

    let mut machine = OnShares { backend, ring: plan.ring };
    let scaled = machine.linear(0, &[(1 << shift, n)])?;
    let operands = [&scaled, &parts[0], &parts[1]];
    let whole = bits + shift;
    let (root, rest) = plan.approximate(&mut machine, whole, operands, parts.get(2))?;
    let beyond = machine.linear(-1, &[(1, &rest), (-2, &root)])?;
    let both = Term::Array(Arc::new(Secret::side_by_side(&[rest, beyond])));
    let less = machine.backend.less([&both, &Term::Constant(0)], whole.div_ceil(2) + 5)?;
    let off = machine.backend.bit_to_ring(&less, plan.ring)?;
    let off = apart(&off, 2);
    // One less where the rest is negative, one more where it reaches twice the root and one.
    let root = machine.linear(1, &[(1, &root), (-1, &off[0]), (-1, &off[1])])?;
    if lowest > 0 {
        return Ok(root);
    }
    let mut positive = outputs[1].plane(0);
    if signed {
        let unsigned = machine.backend.plus(&planes.plane(bits as usize), 1)?;
        positive = machine.backend.multiply(&positive, &unsigned, [1, 1])?;
    }
    machine.backend.inject(&positive, &root)
}
