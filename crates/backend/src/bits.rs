//! The circuits of comparisons, conversions and arithmetic, built once and kept.

use super::boolean::Arithmetic;
use super::divide::LeadingOne;
use super::forms::Forms;
use crate::convert::Layered;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use tacit_circuit::library::{FanIn, and_tree, bits, comparator};
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_sharing::Protocol;

/// A circuit that conversions use.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Name {
    /// The bits of `m - lambda`.
    Difference(u32),
    /// The top bit of `m - lambda`.
    Sign(u32),
    /// Whether `m = lambda`.
    Equal(u32),
    /// Whether `m mod 2^low < lambda mod 2^low` and whether `m < lambda`.
    Borrows {
        /// Bits of the first.
        low: u32,
        /// Bits of the second.
        high: u32,
    },
    /// For numbers `x`, `y`, `z` with `x + y + z = a - 1`: bits of `m` and `lambda` with
    /// `a = m - lambda`.
    Split(u32),
    /// How often the low `low` bits of three numbers together exceed `2^low`, as the sum of two bits;
    /// and the same with `high` bits.
    Carries {
        /// Bits of the first.
        low: u32,
        /// Bits of the second.
        high: u32,
    },
    /// For bits of a number: whether it is 0, 1, ..., each.
    OneHot {
        /// Bits of the number.
        bits: u32,
        /// How many outputs.
        groups: u32,
    },
    /// For a number: where its leading one is, from the top place down, and whether it is not zero.
    LeadingOne(LeadingOne),
    /// Arithmetic on numbers held as bits.
    Arithmetic(Arithmetic),
}

/// Bytes of a level's messages under way, unless more are wanted: what links of some milliseconds carry meanwhile.
const WINDOW_BYTES: usize = 1 << 20;

/// Circuits laid out for one protocol, and how many lanes of them are evaluated together.
pub struct Circuits {
    protocol: Protocol,
    /// Bytes of messages that are under way at most while one is evaluated.
    window: usize,
    kept: HashMap<Name, Arc<Layered>>,
    /// By address; the circuit is held, so that no other one gets its address.
    others: HashMap<usize, (Arc<Circuit>, Arc<Layered>)>,
}

impl Circuits {
    /// None yet.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Circuits { protocol, window: WINDOW_BYTES, kept: HashMap::new(), others: HashMap::new() }
    }

    /// With so many times as many lanes evaluated together: they take as many times fewer rounds, and more memory. All
    /// parties do so alike.
    pub fn widen(&mut self, times: usize) {
        self.window = WINDOW_BYTES.saturating_mul(times.max(1));
    }

    /// Bytes of a level's messages that are under way, about, at most.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// A circuit of conversions. Whoever asked for it before in this process has laid it out for all: a plan asks
    /// for the same ones for every order of roles.
    pub fn get(&mut self, name: Name) -> Arc<Layered> {
        let protocol = self.protocol;
        let entry = self.kept.entry(name.clone());
        entry.or_insert_with(|| laid_out(name, protocol)).clone()
    }

    /// Any circuit, laid out once, as long as it is held: a plan asks for the same ones for every order of roles.
    pub fn layered(&mut self, circuit: &Arc<Circuit>) -> Arc<Layered> {
        let protocol = self.protocol;
        let entry = self.others.entry(Arc::as_ptr(circuit) as usize);
        let lay_out = || (circuit.clone(), laid_out_again(circuit, protocol));
        entry.or_insert_with(lay_out).1.clone()
    }
}

/// Circuits that are kept for the whole process: more than programs have, and bounded all the same.
const MOST_KEPT: usize = 1 << 10;

/// Circuits by what they do, and for which protocol.
type Kept = HashMap<(Protocol, Name), Arc<Layered>>;

/// A circuit of conversions, laid out once in this process.
fn laid_out(name: Name, protocol: Protocol) -> Arc<Layered> {
    static ALL: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (protocol, name);
    if let Some(known) = all().get(&key) {
        return known.clone();
    }
    // Not under the lock: others lay out other ones meanwhile.
    let made = Arc::new(Layered::new(&build(&key.1, protocol), protocol));
    let mut all = all();
    if all.len() >= MOST_KEPT {
        all.clear();
    }
    all.entry(key).or_insert(made).clone()
}

/// Wires of circuits of programs whose layouts are kept, all together; a layout has some dozens of bytes for each.
const MOST_WIRES: usize = 1 << 21;

/// Layouts by the circuit's address, which is its own as long as somebody holds it, and the protocol.
#[derive(Default)]
struct Layouts {
    all: HashMap<(usize, Protocol), (Weak<Circuit>, Arc<Layered>)>,
    wires: usize,
}

/// A circuit of a program, laid out once in this process while it is held.
fn laid_out_again(circuit: &Arc<Circuit>, protocol: Protocol) -> Arc<Layered> {
    static ALL: LazyLock<Mutex<Layouts>> = LazyLock::new(Mutex::default);
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (Arc::as_ptr(circuit) as usize, protocol);
    if let Some((known, layered)) = all().all.get(&key)
        && known.strong_count() > 0
    {
        return layered.clone();
    }
    // Not under the lock: others lay out other ones meanwhile.
    let made = Arc::new(Layered::new(circuit, protocol));
    let mut layouts = all();
    if layouts.wires >= MOST_WIRES {
        *layouts = Layouts::default();
    }
    layouts.wires += circuit.wire_count();
    layouts.all.insert(key, (Arc::downgrade(circuit), made.clone()));
    made
}

fn build(name: &Name, protocol: Protocol) -> Circuit {
    let forms = Forms::of(protocol);
    let mut b = Builder::new();
    match *name {
        Name::Difference(width) => {
            let (m, lambda) = (b.input(width), b.input(width));
            let difference = forms.subtract(&mut b, &m, &lambda);
            b.output(&difference);
        }
        Name::Sign(width) => {
            let (m, lambda) = (b.input(width), b.input(width));
            let sign = sign(&mut b, &m, &lambda, forms);
            b.output(&[sign]);
        }
        Name::Equal(width) => {
            let (m, lambda) = (b.input(width), b.input(width));
            let equal = comparator::equal(&mut b, &m, &lambda, forms.fan_in);
            b.output(&[equal]);
        }
        Name::Borrows { low, high } => {
            let (m, lambda) = (b.input(high), b.input(high));
            let low = low as usize;
            let first = forms.less(&mut b, &m[..low], &lambda[..low]);
            let second = forms.less(&mut b, &m, &lambda);
            b.output(&[first, second]);
        }
        Name::Split(width) => {
            let (sum, twice, _) = carry_save(&mut b, width);
            // a - 1 = sum + twice, and -1 - twice has all bits inverted.
            let lambda = bits::not(&mut b, &twice);
            b.output(&sum);
            b.output(&lambda);
        }
        Name::Carries { low, high } => {
            let (sum, twice, carry) = carry_save(&mut b, high);
            let not = bits::not(&mut b, &twice);
            for bits in [low as usize, high as usize] {
                // sum + twice exceeds all ones where the rest to all ones is less than sum.
                let over = forms.less(&mut b, &not[..bits], &sum[..bits]);
                b.output(&[over]);
                b.output(&[carry[bits - 1]]);
            }
        }
        Name::OneHot { bits, groups } => {
            let x = b.input(bits);
            for wire in one_hot(&mut b, &x, groups as usize, forms.fan_in) {
                b.output(&[wire]);
            }
        }
        Name::LeadingOne(leading) => leading.build(&mut b, forms.fan_in),
        Name::Arithmetic(ref arithmetic) => arithmetic.build(&mut b, forms),
    }
    b.finish()
}

/// Builds a carry-save adder of three numbers: their sum without carries, twice the carries cut to the width, and the
/// carries.
fn carry_save(b: &mut Builder, width: u32) -> (Vec<Wire>, Vec<Wire>, Vec<Wire>) {
    let [x, y, z] = [(); 3].map(|()| b.input(width));
    let (mut sum, mut carry) = (Vec::new(), Vec::new());
    for ((x, y), z) in x.into_iter().zip(y).zip(z) {
        let (xz, yz) = (b.xor(x, z), b.xor(y, z));
        let both = b.and2(xz, yz);
        sum.push(b.xor(xz, y));
        carry.push(b.xor(both, z));
    }
    let mut twice = vec![b.constant(false)];
    twice.extend(&carry);
    twice.truncate(width as usize);
    (sum, twice, carry)
}

/// The top bit of `x - y`.
pub(super) fn sign(b: &mut Builder, x: &[Wire], y: &[Wire], forms: Forms) -> Wire {
    let top = x.len() - 1;
    let borrow = forms.less(b, &x[..top], &y[..top]);
    b.xor_all(&[x[top], y[top], borrow])
}

/// Whether `x` is `0..groups`, each: the products of the one-hot forms of its halves.
fn one_hot(b: &mut Builder, x: &[Wire], groups: usize, fan_in: FanIn) -> Vec<Wire> {
    // High bits that no wanted number has must all be zero.
    let used = groups.next_power_of_two().trailing_zeros() as usize;
    let (low, high) = x.split_at(used.min(x.len()));
    let mut all = demux(b, low, groups);
    if !high.is_empty() {
        let zeros = bits::not(b, high);
        let none = and_tree::cheapest(b, &zeros, fan_in);
        all = all.iter().map(|wire| b.and2(*wire, none)).collect();
    }
    all
}

fn demux(b: &mut Builder, x: &[Wire], count: usize) -> Vec<Wire> {
    match x {
        [] => vec![b.constant(true)],
        [bit] => {
            let not = b.not(*bit);
            vec![not, *bit].into_iter().take(count).collect()
        }
        _ => {
            let (low, high) = x.split_at(x.len() / 2);
            let lows = demux(b, low, 1 << low.len());
            let highs = demux(b, high, count.div_ceil(1 << low.len()));
            let pairs = highs.iter().flat_map(|high| lows.iter().map(move |low| (*high, *low)));
            pairs.take(count).map(|(high, low)| b.and2(high, low)).collect()
        }
    }
}
