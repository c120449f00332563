//! The AES S-box at AND depth 4, 3, 2 and 1 (`docs/spec/circuits.md` section 6), and with the fewest ANDs.
//!
//! | form | depth | gates | bits per direction |
//! |---|---|---|---|
//! | [`Sbox::D6`] | 6 | 32 2-input | 32 |
//! | [`Sbox::D4`] | 4 | 34 2-input | 34 |
//! | [`Sbox::D3`] | 3 | 29 2-, 4 3-input | 45 |
//! | [`Sbox::D2`] | 2 | 25 2-, 12 3-, 18 4-input | 271 |
//! | [`Sbox::D2p`] | 2 | two polynomial gates | 102 |
//! | [`Sbox::D2pProducts`] | 2 | the same, product by product: 41, 32, 32 | 521 |
//! | [`Sbox::D1`] | 1 | one polynomial gate | 246 |
//!
//! All but `D1` have the structure of the depth-16 straight-line program of Boyar
//! and Peralta (2012): a linear layer, the *norm* to GF(16) in nine products,
//! inversion there, 18 products with the linear layer, and a linear layer. Bits are
//! named as in their paper: `u0` and `s0` are the most significant.

use super::field::{normal_form, sbox_table};
use super::program::{Algebra, Values, run};
use crate::{Builder, Circuit, Poly, Wire};
use std::str::FromStr;

/// A form of the S-box.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sbox {
    /// Six levels of two-input gates: fewest ANDs, for circuits that are garbled.
    D6,
    /// Four levels of two-input gates: least traffic.
    D4,
    /// Three levels, gates of up to three inputs.
    D3,
    /// Two levels, gates of up to four inputs.
    D2,
    /// Two levels, each one polynomial gate.
    D2p,
    /// The products of `D2p` as separate gates, shared between outputs; for comparison.
    D2pProducts,
    /// One level: the algebraic normal form as one polynomial gate of degree 7.
    D1,
}

impl Sbox {
    /// All forms.
    pub const ALL: [Sbox; 7] =
        [Sbox::D6, Sbox::D4, Sbox::D3, Sbox::D2, Sbox::D2p, Sbox::D2pProducts, Sbox::D1];

    /// The name in text: `d6`, `d4`, `d3`, `d2`, `d2p`, `d2p-products`, `d1`.
    pub fn name(self) -> &'static str {
        match self {
            Sbox::D6 => "d6",
            Sbox::D4 => "d4",
            Sbox::D3 => "d3",
            Sbox::D2 => "d2",
            Sbox::D2p => "d2p",
            Sbox::D2pProducts => "d2p-products",
            Sbox::D1 => "d1",
        }
    }

    /// AND depth.
    pub fn depth(self) -> u32 {
        match self {
            Sbox::D6 => 6,
            Sbox::D4 => 4,
            Sbox::D3 => 3,
            Sbox::D2 | Sbox::D2p | Sbox::D2pProducts => 2,
            Sbox::D1 => 1,
        }
    }

    /// The S-box as a circuit of one 8-bit input and one 8-bit output, least
    /// significant bit first.
    pub fn circuit(self) -> Circuit {
        let mut b = Builder::new();
        let x = b.input(8);
        let y = match self {
            Sbox::D6 => gate_list(&mut b, &x, &[TOP, NORM, INVERSE_D6, SUMS, PRODUCTS, BOTTOM]),
            Sbox::D4 => gate_list(&mut b, &x, &[TOP, NORM, INVERSE_D4, SUMS, PRODUCTS, BOTTOM]),
            Sbox::D3 => gate_list(&mut b, &x, &[TOP, NORM, INVERSE_D3, SUMS, PRODUCTS, BOTTOM]),
            Sbox::D2 => gate_list(&mut b, &x, &[D2]),
            Sbox::D2p => two_polynomials(&mut b, &x),
            Sbox::D2pProducts => two_product_levels(&mut b, &x),
            Sbox::D1 => one_polynomial(&mut b, &x),
        };
        b.output(&y);
        b.finish()
    }
}

impl FromStr for Sbox {
    type Err = String;

    fn from_str(text: &str) -> Result<Sbox, String> {
        let names = || Sbox::ALL.map(Sbox::name).join(", ");
        Sbox::ALL
            .into_iter()
            .find(|s| s.name() == text)
            .ok_or_else(|| format!("unknown S-box `{text}`: {}", names()))
    }
}

/// Linear forms of the input: the change of basis to GF(16)^2.
const TOP: &str = "
    t1=u0+u3 t2=u0+u5 t3=u0+u6 t4=u3+u5 t5=u4+u6 t6=t1+t5 t7=u1+u2 t8=u7+t6 t9=u7+t7
    t10=t6+t7 t11=u1+u5 t12=u2+u5 t13=t3+t4 t14=t6+t11 t15=t5+t11 t16=t5+t12 t17=t9+t16
    t18=u3+u7 t19=t7+t18 t20=t1+t19 t21=u6+u7 t22=t7+t21 t23=t2+t22 t24=t2+t10 t25=t20+t17
    t26=t3+t16 t27=t1+t12";

/// The norm `m0..m3` in GF(16): nine products.
const NORM: &str = "
    a1=t13*t6 a2=t23*t8 a3=t14+a1 a4=t19*u7 a5=a4+a1 a6=t3*t16 a7=t22*t9 a8=t26+a6
    a9=t20*t17 a10=a9+a6 a11=t1*t15 a12=t4*t27 a13=a12+a11 a14=t2*t10 a15=a14+a11
    a16=a3+a2 a17=a5+t24 a18=a8+a7 a19=a10+a15 m0=a16+a13 m1=a17+a15 m2=a18+a13 m3=a19+t25";

/// Inversion in GF(16) in two levels of two-input gates: with `h = m2 + m3`,
/// `e = m0 + m1`, `q = m0 m2`: `i0 = m1 + (m3 + q) e`, `i1 = (m0 m3) e + e + q`,
/// `i2 = m3 + (m1 + q) h`, `i3 = (m1 m2) h + h + q`.
const INVERSE_D4: &str = "
    h=m2+m3 q=m2*m0 b1=m1+q e=m0+m1 b2=m3+q b3=b2*e b4=b1*h b5=m0*m3 b6=e*b5 b7=e+q
    b8=m1*m2 b9=h*b8 b10=h+q i0=m1+b3 i1=b6+b7 i2=m3+b4 i3=b9+b10";

/// Inversion in GF(16) in four levels of two-input gates, five in all: as few as there can be. `i0` and `i2` are as
/// before, and the others made from them. From J. Boyar, R. Peralta, "A New Combinational Logic Minimization Technique
/// with Applications to Cryptology" (SEA 2010).
const INVERSE_D6: &str = "
    h=m2+m3 q=m2*m0 b1=m1+q e=m0+m1 b2=m3+q b3=b2*e b4=b1*h i0=m1+b3 i2=m3+b4
    c1=m2+i2 c2=b2+i2 c3=m3*c2 i3=c1+c3 c4=b2+c3 c5=i0*c4 i1=e+c5";

/// Inversion in GF(16) in one level: four three-input products, each the indicator
/// of two points of GF(2)^4, and two two-input products (`docs/spec/circuits.md` section 6.3).
const INVERSE_D3: &str = "
    n3=!m3 c0=m1*m2*n3 n2=!m2 c1=m0*n2*m3 n1=!m1 c2=m0*n1*m3 n0=!m0 c3=n0*m1*m2
    q0=m0*m2 e=m0+m1 h=m2+m3 q1=e*h
    b1=c3+q1 i0=m1+b1 b2=c2+q0 b3=m0+b2 i1=m1+b3 b4=c1+q1 i2=m3+b4 b5=c0+q0 b6=m2+b5 i3=m3+b6";

/// The nine linear combinations of the inverse that are multiplied out.
const SUMS: &str = "d1=i1+i3 d2=i0+i2 d3=i0+i1 d4=i2+i3 d5=d2+d1";

/// The two products of GF(16): nine ANDs each.
const PRODUCTS: &str = "
    p0=d4*t6 p1=i3*t8 p2=i2*u7 p3=d3*t16 p4=i1*t9 p5=i0*t17 p6=d2*t15 p7=d5*t27 p8=d1*t10
    p9=d4*t13 p10=i3*t23 p11=i2*t19 p12=d3*t3 p13=i1*t22 p14=i0*t20 p15=d2*t1 p16=d5*t4 p17=d1*t2";

/// Back to the standard basis, with the affine map of the S-box.
const BOTTOM: &str = "
    l0=p15+p16 l1=p4+p10 l2=p0+p2 l3=p1+p9 l4=p8+p12 l5=p3+p15 l6=p16+l5 l7=p0+l3 l8=p5+p13
    l9=p6+p7 l10=p7+l4 l11=p14+l2 l12=p2+p5 l13=p4+l0 l14=p6+p15 l15=p9+l1 l16=p10+l0
    l17=p11+l1 l18=p12+l8 l19=p17+l4 l20=l0+l1 l21=l1+l7 l22=l3+l12 l23=l18+l2 l24=l15+l9
    l25=l6+l10 l26=l7+l9 l27=l8+l10 l28=l11+l14 l29=l11+l17 r1=l16+l26 r2=l19+l28 r6=l13+l27
    r7=l6+l23 s0=l6+l24 s1=!r1 s2=!r2 s3=l6+l21 s4=l20+l22 s5=l25+l29 s6=!r6 s7=!r7";

/// Depth 2 (`docs/spec/circuits.md` section 6.4): the norm, then inversion and both products flattened into
/// one level. Each of the 18 products is a line (4-input gate) plus shared planes
/// (3-input) and linear terms (2-input), chosen by search: 55 gates.
const D2: &str = include_str!("sbox_d2.txt");

/// Names of the input bits, most significant first, with the values `of` bit index.
fn inputs<T>(of: impl Fn(usize) -> T) -> Values<T> {
    (0..8).map(|k| (format!("u{k}"), of(7 - k))).collect()
}

/// The outputs, least significant first.
fn outputs<T: Copy>(values: &Values<T>) -> Vec<T> {
    (0..8).rev().map(|k| values[&format!("s{k}")]).collect()
}

impl Algebra<Wire> for Builder {
    fn xor(&mut self, x: Wire, y: Wire) -> Wire {
        Builder::xor(self, x, y)
    }
    fn and(&mut self, factors: &[Wire]) -> Wire {
        Builder::and(self, factors)
    }
    fn not(&mut self, x: Wire) -> Wire {
        Builder::not(self, x)
    }
}

fn gate_list(b: &mut Builder, x: &[Wire], programs: &[&str]) -> Vec<Wire> {
    let mut values = inputs(|bit| x[bit]);
    for program in programs {
        run(program, &mut values, b);
    }
    outputs(&values)
}

/// Truth tables of up to 16 points, or linear masks (for which AND has no meaning
/// and complements are dropped).
struct Masks;

impl Algebra<u32> for Masks {
    fn xor(&mut self, x: u32, y: u32) -> u32 {
        x ^ y
    }
    fn and(&mut self, factors: &[u32]) -> u32 {
        factors.iter().fold(u32::MAX, |x, y| x & y)
    }
    fn not(&mut self, x: u32) -> u32 {
        !x
    }
}

/// For each output bit (least significant first) the products of its sum: masks with
/// the norm bits `m0..m3` as bits 0 to 3 and the input bits, least significant first,
/// as bits 4 to 11. Every product has one input bit and at most three norm bits.
fn products_of_norm() -> Vec<Vec<u16>> {
    let mut linear = inputs(|bit| 1u32 << bit);
    run(TOP, &mut linear, &mut Masks);
    let mut inverse: Values<u32> = (0..4).map(|i| (format!("m{i}"), norm_table(i))).collect();
    run(INVERSE_D4, &mut inverse, &mut Masks);
    run(SUMS, &mut inverse, &mut Masks);
    let factors: Vec<(&str, &str)> =
        PRODUCTS.split_whitespace().filter_map(|p| p.split_once('=')?.1.split_once('*')).collect();
    let mut parts: Values<u32> = (0..18).map(|k| (format!("p{k}"), 1 << k)).collect();
    run(BOTTOM, &mut parts, &mut Masks);
    outputs(&parts)
        .iter()
        .enumerate()
        .map(|(bit, &parts)| {
            let parts = if CONSTANT >> bit & 1 == 1 { !parts } else { parts };
            let chosen = factors.iter().enumerate().filter(|(k, _)| parts >> k & 1 == 1);
            sum_of_products(chosen.map(|(_, (i, t))| (inverse[*i], linear[*t])))
        })
        .collect()
}

/// Truth table of norm bit `i` over the 16 norms.
fn norm_table(i: u32) -> u32 {
    (0..16).map(|x| (x >> i & 1) << x).sum()
}

/// The expanded sum of (function of the norm) times (linear form of the input).
fn sum_of_products(terms: impl Iterator<Item = (u32, u32)>) -> Vec<u16> {
    let mut sum = std::collections::BTreeSet::new();
    for (table, form) in terms {
        for norm in normal_form((0..16).map(|x| table >> x & 1 == 1).collect()) {
            for bit in (0..8).filter(|bit| form >> bit & 1 == 1) {
                let product = norm | 16 << bit;
                if !sum.remove(&product) {
                    sum.insert(product);
                }
            }
        }
    }
    sum.into_iter().collect()
}

/// The affine constant of the S-box.
const CONSTANT: u8 = 0x63;

fn two_product_levels(b: &mut Builder, x: &[Wire]) -> Vec<Wire> {
    let mut values = inputs(|bit| x[bit]);
    run(TOP, &mut values, b);
    run(NORM, &mut values, b);
    let mut factors: Vec<Wire> = (0..4).map(|i| values[&format!("m{i}")]).collect();
    factors.extend(x);
    let sums = products_of_norm();
    let sums = sums.iter().enumerate().map(|(bit, products)| {
        let mut terms = vec![b.constant(CONSTANT >> bit & 1 == 1)];
        for product in products {
            let chosen: Vec<Wire> =
                (0..12).filter(|i| product >> i & 1 == 1).map(|i| factors[i]).collect();
            terms.push(b.and(&chosen));
        }
        b.xor_all(&terms)
    });
    sums.collect()
}

fn two_polynomials(b: &mut Builder, x: &[Wire]) -> Vec<Wire> {
    let norm = Poly::new(8, norm_normal_forms());
    let mut factors = b.poly(x, norm);
    factors.extend(x);
    let sums = products_of_norm().into_iter().enumerate().map(|(bit, mut products)| {
        products.extend((CONSTANT >> bit & 1 == 1).then_some(0));
        products
    });
    let rest = Poly::new(12, sums.collect());
    b.poly(&factors, rest)
}

/// The norm bits as quadratic forms of the input bits, by evaluating the norm.
fn norm_normal_forms() -> Vec<Vec<u16>> {
    let mut tables = vec![Vec::new(); 4];
    for x in 0..256u32 {
        let mut values = inputs(|bit| (x >> bit & 1) * u32::MAX);
        run(TOP, &mut values, &mut Masks);
        run(NORM, &mut values, &mut Masks);
        for (i, table) in tables.iter_mut().enumerate() {
            table.push(values[&format!("m{i}")] & 1 == 1);
        }
    }
    tables.into_iter().map(normal_form).collect()
}

fn one_polynomial(b: &mut Builder, x: &[Wire]) -> Vec<Wire> {
    let sbox = sbox_table();
    let forms = (0..8).map(|bit| normal_form(sbox.iter().map(|y| y >> bit & 1 == 1).collect()));
    b.poly(x, Poly::new(8, forms.collect()))
}
