//! How much opens, as it follows from the program and the numbers of rows.

use tacit_backend::cost::opens_at_once;
use tacit_engine::program::{By, ProgramJob};
use tacit_program::{Element, Fold, Interval, Op, Program, Type, Visibility};

/// What opens to somebody at once.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    elements: u64,
    /// Bits that hold one: a bit, or those of a ring at least.
    bits: u32,
}

/// A number of the rows' places.
const PLACE: u32 = 32;

impl Opening {
    fn of(elements: u64, bits: u32) -> Opening {
        Opening { elements, bits }
    }

    fn of_type(ty: &Type, job: &ProgramJob) -> Opening {
        let bits = match ty.element {
            Element::Bit => 1,
            _ => By::Rings.ring(ty.interval.signed_bits()).expect("a ring").bits(),
        };
        Opening::of(elements(ty, job), bits)
    }

    /// Whether a message of so many bytes is one: of bits in whole words, or of numbers in this ring, or in a wider one that they were
    /// computed in.
    pub fn is_of(self, bytes: u64) -> bool {
        match self.bits {
            1 => bytes == 8 * self.elements.div_ceil(64),
            least => [32, 64, 128]
                .into_iter()
                .any(|bits: u32| bits >= least && bytes == u64::from(bits / 8) * self.elements),
        }
    }
}

/// What opens to a party of the program, in order of senders and then of time: what is opened of shuffled rows, what the run checks,
/// results. Where some of it opens at once it comes from two senders, of whom either may be the first.
pub fn expected(program: &Program, job: &ProgramJob, party: u8) -> [Vec<Opening>; 2] {
    let mut all = shuffled(program, job);
    all.extend(tested(program, job));
    let checks = |node: &tacit_program::Node| matches!(node.op, Op::Check(_));
    let checks = program.body.nodes.iter().any(|node| checks(node) && is_secret(&node.types[0]));
    all.extend(checks.then(|| Opening::of(1, 1)));
    all.retain(|opening| opening.elements > 0);
    let again = if opens_at_once(job.protocol()) { all.clone() } else { Vec::new() };
    let learned = program.reveals.iter().filter(|it| it.to.iter().any(|to| to.0 == party));
    let types = learned.map(|it| program.body.type_of(it.value));
    let secret = types.filter(|ty| ty.visibility != Visibility::Public);
    all.extend(secret.map(|ty| Opening::of_type(ty, job)));
    all.retain(|opening| opening.elements > 0);
    [[&all[..], &again].concat(), [&again[..], &all].concat()]
}

fn is_secret(ty: &Type) -> bool {
    ty.visibility == Visibility::Secret
}

fn elements(ty: &Type, job: &ProgramJob) -> u64 {
    ty.shape.iter().map(|axis| axis.bound(&job.rows).expect("a length")).product()
}

/// Whether inputs are in their ranges, under protocols that notice cheats: a bit for each end of the range of each number.
fn tested(program: &Program, job: &ProgramJob) -> Option<Opening> {
    let inputs = program.inputs().map(|(node, ..)| &program.body.nodes[node as usize].types[0]);
    let numbers = inputs.filter(|ty| ty.element != Element::Bit);
    let bits: u64 = numbers.map(|ty| 2 * elements(ty, job)).sum();
    job.protocol().is_malicious().then(|| Opening::of(bits, 1))
}

/// What opens of shuffled rows: how all pairs of few rows that are sorted compare, and the places of rows whose keys have one digit, and
/// of those that values are carried forward among.
fn shuffled(program: &Program, job: &ProgramJob) -> Vec<Opening> {
    let body = &program.body;
    let mut all = Vec::new();
    for node in &body.nodes {
        let Some(key) = node.operands.first().map(|key| body.type_of(*key)) else { continue };
        let places = Opening::of(elements(key, job), PLACE);
        match &node.op {
            Op::Sort { .. } if is_secret(key) => {
                let rows = elements(key, job);
                assert!(rows <= tacit_backend::AT_ONCE as u64, "one step of a sort of few rows");
                let network = match (job.protocol().proves_products(), job.protocol().is_checked())
                {
                    (true, _) => 9,
                    (_, true) => 5,
                    _ => 2,
                };
                match key_bits(key.interval) {
                    _ if rows < network => {}
                    1 | 2 if !job.protocol().is_checked() => all.push(places),
                    _ => all.push(Opening::of(rows * (rows - 1) / 2, 1)),
                }
            }
            Op::Segment { fold: Fold::First | Fold::Sum }
                if is_secret(&node.types[0]) && !job.protocol().is_checked() =>
            {
                all.extend([places; 2]);
            }
            _ => {}
        }
    }
    all
}

fn key_bits(Interval { low, high }: Interval) -> u32 {
    (128 - high.abs_diff(low).leading_zeros()).max(1)
}
