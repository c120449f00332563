//! Evaluation of polynomial gates: begin (local terms, send) and finish (receive, combine).
//!
//! The quadratic form runs under every protocol. The symmetric and the dealer form are those of protocols with products of
//! more than two factors. Throughout, `own` are first components of the inputs and `other` second ones, one run of words each:
//! under multi-fan-in `own` is A at P0, B at P1 and a at P2, `other` is b at P0 and P2, and a at P1. Where shares are those of
//! replicated sharing ([`Role::REPLICATED_SHARES`]) the masked value A + b = B + a is what P0 and P1 have in common, and
//! -b and -a what they have in common with P2; these have the dealer form alone.
//!
//! Where products are proven ([`Role::PROVEN`]), all messages of a gate are: the file `proofs.rs` says how.

use super::plan::{Form, PolyPlan};
use super::proofs::{self, Dealt};
use crate::SharingError;
use crate::party::{Draws, Party};
use crate::products::{Scratch, settles};
use crate::role::{Few, Role, TERMS};
use crate::runs::{
    AddProducts, Masks, Outs, Settling, components, cut_mut, each_term, finish_run, mask_sums,
};
use crate::shares::{Runs, RunsMut, Shares};
use tacit_circuit::schedule::Slot;
use tacit_net::Stream;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

/// One polynomial gate on slots.
#[derive(Clone, Copy)]
pub struct Gate<'a> {
    /// Its layout.
    pub plan: &'a PolyPlan,
    /// Slots read, still intact when the gate is finished.
    pub inputs: &'a [Slot],
    /// Slots written.
    pub outputs: &'a [Slot],
}

/// Buffers that a worker reuses from gate to gate.
pub struct WideScratch<W> {
    own: Buffer<W>,
    other: Buffer<W>,
    /// Third components, where there are three.
    third: Buffer<W>,
    table: Buffer<W>,
    masks: [Buffer<W>; 2],
    message: Buffer<W>,
    sums: [Buffer<W>; TERMS],
    /// What is proven of the dealer form, of gates that have begun.
    proofs: proofs::Scratch<W>,
    /// For the quadratic form.
    pub products: Scratch<W>,
}

impl<W: Word> Default for WideScratch<W> {
    fn default() -> Self {
        WideScratch {
            own: Buffer::default(),
            other: Buffer::default(),
            third: Buffer::default(),
            table: Buffer::default(),
            masks: Default::default(),
            message: Buffer::default(),
            sums: Default::default(),
            proofs: proofs::Scratch::default(),
            products: Scratch::default(),
        }
    }
}

const EVALUATORS: [usize; 2] = [0, 1];
const HELPER: usize = 2;

/// Computes and sends a gate's messages; writes what is known of the results to their slots.
///
/// # Errors
/// When the network fails.
pub fn begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    check_form::<P>(gate)?;
    scratch.gather(shares, gate.inputs);
    match (gate.plan.form, P::ROLE) {
        (Form::Quadratic, _) => quadratic_begin::<P, W>(party, draws, scratch, shares, gate),
        (Form::Symmetric, HELPER) => symmetric_helper::<P, W>(draws, scratch, shares, gate),
        (Form::Symmetric, _) => symmetric_begin::<P, W>(party, draws, scratch, shares, gate),
        (Form::Dealer, HELPER) => dealer_helper::<P, W>(party, draws, scratch, shares, gate),
        (Form::Dealer, _) => dealer_begin::<P, W>(party, draws, scratch, shares, gate),
    }
}

/// Receives a gate's messages and completes its results.
///
/// # Errors
/// When the network fails.
pub fn finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    match (gate.plan.form, P::ROLE) {
        (Form::Quadratic, _) => {
            quadratic_finish::<P, W>(party, draws, scratch, shares, gate)?;
            if P::PROVEN {
                proofs::keep_sums::<P, W>(party, shares, gate)?;
            }
        }
        (Form::Symmetric, HELPER) => {
            forward(party, scratch, shares, gate, EVALUATORS[1], |(a, _)| a)?;
            forward(party, scratch, shares, gate, EVALUATORS[0], |(_, b)| b)?;
        }
        (Form::Symmetric, _) => {
            scratch.gather(shares, gate.inputs);
            symmetric_finish::<P, W>(party, scratch, shares, gate)?;
        }
        (Form::Dealer, role) => {
            if role != HELPER {
                dealer_finish::<P, W>(party, scratch, shares, gate)?;
            }
            if P::PROVEN {
                scratch.keep::<P>(party, shares, gate)?;
            }
        }
    }
    add_linear_terms::<P, W>(shares, gate);
    if P::PROVEN { party.prove_if_many() } else { Ok(()) }
}

/// Which forms a protocol has.
fn check_form<P: Role>(gate: Gate<'_>) -> Result<(), SharingError> {
    let wide = P::PROTOCOL.fan_in() > 2;
    let what = match gate.plan.form {
        Form::Quadratic if !P::PROVEN || wide => return Ok(()),
        Form::Quadratic => "proves products one by one",
        Form::Symmetric | Form::Dealer if !wide => "has no products of more than two factors",
        // Sub-products that travel between the evaluators are not proven.
        Form::Symmetric if P::REPLICATED_SHARES => "has its sub-products dealt",
        Form::Symmetric | Form::Dealer => return Ok(()),
    };
    Err(SharingError::Shape(format!("{} {what}", P::PROTOCOL)))
}

impl<W: Word> WideScratch<W> {
    /// Keeps what is proven of the gate that began first, in the dealer form.
    fn keep<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        shares: &Shares<W>,
        gate: Gate<'_>,
    ) -> Result<(), SharingError> {
        self.gather(shares, gate.inputs);
        let words = shares.words();
        if P::ROLE != HELPER {
            self.product_table(gate.plan, words, masked::<P, W>);
        }
        let WideScratch { own, other, table, proofs, .. } = self;
        proofs.keep::<P>(party, shares, gate, ([&*own, &*other], &*table))
    }

    fn gather(&mut self, shares: &Shares<W>, inputs: &[Slot]) {
        let words = shares.words();
        let own = self.own.sized(inputs.len() * words);
        let other = self.other.sized(inputs.len() * words);
        let runs = own.chunks_exact_mut(words).zip(other.chunks_exact_mut(words));
        for (slot, (own, other)) in inputs.iter().zip(runs) {
            let (first, second) = shares.get(*slot);
            own.copy_from_slice(first);
            other.copy_from_slice(second);
        }
        if shares.components() > 2 {
            let third = self.third.sized(inputs.len() * words).chunks_exact_mut(words);
            third.zip(inputs).for_each(|(to, slot)| to.copy_from_slice(shares.runs(*slot)[2]));
        }
    }

    /// Starts the fold's table: entry 1 as given, one run per input, zero products.
    fn start_table(&mut self, plan: &PolyPlan, words: usize, one: W, input: impl Fn(W, W) -> W) {
        let table = self.table.sized(plan.table() * words);
        table[..words].fill(one);
        let inputs = plan.inputs * words;
        for (i, entry) in table[words..words + inputs].iter_mut().enumerate() {
            *entry = input(self.own[i], self.other[i]);
        }
        table[words + inputs..].fill(W::ZERO);
    }

    /// All products of the closure of `input(own, other)`.
    fn product_table(&mut self, plan: &PolyPlan, words: usize, input: impl Fn(W, W) -> W) {
        self.start_table(plan, words, W::ONE, input);
        for step in plan.build_steps() {
            multiply_into(&mut self.table, words, step.from, 1 + step.input, step.to);
        }
    }

    /// The messages of a product table: single products, then fused sums, each plus its mask.
    fn masked_messages(
        &mut self,
        plan: &PolyPlan,
        words: usize,
        masks: usize,
        sign: impl Fn(u32) -> bool,
        combine: impl Fn(W, W) -> W + Copy,
    ) {
        let total = plan.messages() * words;
        let message = self.message.sized(total);
        let mut runs = message.chunks_exact_mut(words).zip(self.masks[masks].chunks_exact(words));
        for (entry, (run, mask)) in plan.singles.iter().zip(&mut runs) {
            let at = *entry as usize * words;
            for ((m, p), r) in run.iter_mut().zip(&self.table[at..at + words]).zip(mask) {
                *m = combine(*p, *r);
            }
        }
        if !plan.fused {
            return;
        }
        for (output, (run, mask)) in plan.outputs.iter().zip(runs) {
            run.fill(W::ZERO);
            for entry in &output.fused {
                add_run(run, &self.table[*entry as usize * words..], sign(*entry));
            }
            for (m, r) in run.iter_mut().zip(mask) {
                *m = combine(*m, *r);
            }
        }
    }

    /// Folds the table with `t`, plus or minus.
    fn fold<P: Role>(&mut self, plan: &PolyPlan, words: usize, t: Factor, minus: bool) {
        let factors = match t {
            Factor::Other => &self.other,
            Factor::Own => &self.own,
            // What both evaluators have in common.
            Factor::Masked if P::REPLICATED_SHARES && P::ROLE == EVALUATORS[0] => &self.other,
            Factor::Masked if P::REPLICATED_SHARES => &self.own,
            Factor::Masked => {
                for (own, other) in self.own.iter_mut().zip(self.other.iter()) {
                    *own = own.add(*other);
                }
                &self.own
            }
        };
        let table = &mut self.table;
        simd::vectorize(
            #[inline(always)]
            || {
                for step in &plan.steps {
                    let t =
                        &factors[step.input as usize * words..(step.input as usize + 1) * words];
                    let (from, to) = two_runs(table, words, step.from, step.to);
                    for ((to, from), t) in to.iter_mut().zip(from).zip(t) {
                        let term = t.mul(*from);
                        *to = if minus { to.sub(term) } else { to.add(term) };
                    }
                }
            },
        );
    }

    /// Adds the products of output `index` to `run`.
    fn sum_products(table: &[W], plan: &PolyPlan, words: usize, index: usize, run: &mut [W]) {
        for entry in &plan.outputs[index].products {
            add_run(run, &table[*entry as usize * words..], false);
        }
    }

    /// Puts received or drawn words into the table's single products, with a sign.
    fn load_singles(table: &mut [W], plan: &PolyPlan, words: usize, from: &[W], signed: bool) {
        for (entry, run) in plan.singles.iter().zip(from.chunks_exact(words)) {
            let to = &mut table[*entry as usize * words..(*entry as usize + 1) * words];
            let negative = signed && plan.is_odd(*entry);
            for (to, from) in to.iter_mut().zip(run) {
                *to = if negative { from.neg() } else { *from };
            }
        }
    }
}

/// What the fold multiplies by.
#[derive(Clone, Copy)]
enum Factor {
    Own,
    Other,
    /// The masked value.
    Masked,
}

impl PolyPlan {
    /// Whether the product of a table entry has an odd number of factors.
    pub(super) fn is_odd(&self, entry: u32) -> bool {
        self.mask(entry).count_ones() % 2 == 1
    }

    fn fused_words<'a, W>(&self, from: &'a [W], words: usize, index: usize) -> &'a [W] {
        let at = (self.singles.len() + index) * words;
        &from[at..at + words]
    }
}

fn add_run<W: Word>(to: &mut [W], from: &[W], minus: bool) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = if minus { to.sub(*from) } else { to.add(*from) };
    }
}

fn two_runs<W>(table: &mut [W], words: usize, from: u32, to: u32) -> (&[W], &mut [W]) {
    let (from, to) = (from as usize * words, to as usize * words);
    // A product stands after what it is made of.
    let (low, high) = table.split_at_mut(to);
    (&low[from..from + words], &mut high[..words])
}

fn multiply_into<W: Word>(table: &mut [W], words: usize, a: u32, b: u32, to: u32) {
    let (low, high) = table.split_at_mut(to as usize * words);
    let a = &low[a as usize * words..][..words];
    let b = &low[b as usize * words..][..words];
    for ((to, a), b) in high[..words].iter_mut().zip(a).zip(b) {
        *to = a.mul(*b);
    }
}

// ---- quadratic form, all protocols

fn quadratic_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let words = shares.words();
    let total = gate.outputs.len() * words;
    let WideScratch { own, other, third, products, sums, .. } = scratch;
    products.start::<P>(party, total)?;
    products.draw::<P>(draws, total);
    let (masks, [m0, m1, m2]) = products.split::<P>(0..total);
    let inputs: Runs<'_, W> = [own, other, if P::Share::<W>::COUNT > 2 { third } else { &[] }];
    for (index, (slot, output)) in gate.outputs.iter().zip(&gate.plan.outputs).enumerate() {
        let at = index * words..(index + 1) * words;
        let sum = QuadraticRun::<P, W> {
            inputs,
            output,
            masks: masks.part(at.clone()),
            messages: [&mut *m0, &mut *m1, &mut *m2].map(|m| cut_mut(m, at.clone())),
            sums: sums.each_mut().map(|sums| sums.sized(words)),
            result: shares.runs_mut(*slot),
            role: std::marker::PhantomData,
        };
        simd::run(sum);
    }
    products.send::<P>(party, total)
}

/// One output of a quadratic gate.
struct QuadraticRun<'a, P, W> {
    inputs: Runs<'a, W>,
    output: &'a super::plan::Output,
    masks: Masks<'a, W>,
    messages: Outs<'a, W>,
    sums: [&'a mut [W]; TERMS],
    result: RunsMut<'a, W>,
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for QuadraticRun<'_, P, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let QuadraticRun { inputs, output, masks, messages, mut sums, result, .. } = self;
        let words = result[0].len();
        let input = |of: u32| {
            let at = of as usize * words..(of as usize + 1) * words;
            let runs = inputs.map(|run| if run.is_empty() { run } else { &run[at.clone()] });
            components::<P, W>(runs, words)
        };
        sums.iter_mut().take(P::CROSS).for_each(|sum| sum.fill(W::ZERO));
        for &(a, b) in &output.pairs {
            let (a, b) = (input(a), input(b));
            let (sums, role) = (&mut sums, std::marker::PhantomData);
            each_term::<P>(AddProducts::<P, W> { a, b, sums, at: 0, role });
        }
        mask_sums::<P, W>(&masks, messages, result, sums.map(|sums| &*sums));
    }
}

fn quadratic_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    if !settles::<P>() {
        return Ok(());
    }
    let words = shares.words();
    let total = gate.outputs.len() * words;
    scratch.products.receive_late::<P>(party, total)?;
    let mut settling: Settling<'_, W> = scratch.products.settling::<P>(draws, 0..total);
    for (index, slot) in gate.outputs.iter().enumerate() {
        let settling = settling.part(index * words..(index + 1) * words);
        finish_run::<P, W>(settling, shares.runs_mut(*slot));
    }
    scratch.products.send_results::<P>(party, total)
}

// ---- symmetric form

fn symmetric_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let (words, plan) = (shares.words(), gate.plan);
    let sent = plan.messages() * words;
    let masks = scratch.masks[0].sized(sent + plan.outputs.len() * words);
    with_helper::<P>(draws).fill(masks);
    for (slot, mu) in gate.outputs.iter().zip(masks[sent..].chunks_exact(words)) {
        shares.get_mut(*slot).0.copy_from_slice(mu);
    }
    scratch.product_table(plan, words, |own, _| own);
    scratch.masked_messages(plan, words, 0, |_| false, W::add);
    party.send(1 - P::ROLE, Stream::On, &scratch.message[..sent])
}

fn symmetric_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let (words, plan) = (shares.words(), gate.plan);
    let message = scratch.message.sized(plan.messages() * words);
    party.recv(1 - P::ROLE, Stream::On, message)?;
    let helper = scratch.masks[1].sized(plan.outputs.len() * words);
    party.recv(HELPER, Stream::Pre, helper)?;
    scratch.start_table(plan, words, W::ONE, W::add);
    WideScratch::load_singles(&mut scratch.table, plan, words, &scratch.message, false);
    scratch.fold::<P>(plan, words, Factor::Other, true);
    for (index, slot) in gate.outputs.iter().enumerate() {
        let (first, second) = shares.get_mut(*slot);
        WideScratch::sum_products(&scratch.table, plan, words, index, first);
        if plan.fused {
            add_run(first, plan.fused_words(&scratch.message, words, index), false);
        }
        second.copy_from_slice(&scratch.masks[1][index * words..(index + 1) * words]);
    }
    Ok(())
}

/// The helper's part: the masks' side of both directions.
fn symmetric_helper<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let (words, plan) = (shares.words(), gate.plan);
    let sent = plan.messages() * words;
    let total = sent + plan.outputs.len() * words;
    // K12 hides P1's messages and b_t, K02 hides P0's messages and a_t.
    draws.with_prev().fill(scratch.masks[0].sized(total));
    draws.with_next().fill(scratch.masks[1].sized(total));
    for direction in 0..2 {
        let (input, factor): (fn(W, W) -> W, _) = match direction {
            0 => (|a, _| a, Factor::Other),
            _ => (|_, b| b, Factor::Own),
        };
        scratch.start_table(plan, words, W::ZERO, input);
        WideScratch::load_singles(
            &mut scratch.table,
            plan,
            words,
            &scratch.masks[direction],
            false,
        );
        scratch.fold::<P>(plan, words, factor, true);
        for (index, slot) in gate.outputs.iter().enumerate() {
            let (first, second) = shares.get_mut(*slot);
            let result = if direction == 0 { first } else { second };
            let mu = sent + index * words;
            result.copy_from_slice(&scratch.masks[1 - direction][mu..mu + words]);
            WideScratch::sum_products(&scratch.table, plan, words, index, result);
            if plan.fused {
                add_run(result, plan.fused_words(&scratch.masks[direction], words, index), false);
            }
        }
    }
    Ok(())
}

// ---- dealer form

fn dealer_helper<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let (words, plan) = (shares.words(), gate.plan);
    let sent = plan.messages() * words;
    let fresh = plan.outputs.len() * words;
    draws.with_next().fill(scratch.masks[0].sized(sent + fresh));
    draws.with_prev().fill(scratch.masks[1].sized(fresh));
    let mask = |own: W, other: W| {
        let sum = own.add(other);
        if P::REPLICATED_SHARES { sum.neg() } else { sum }
    };
    scratch.product_table(plan, words, mask);
    scratch.masked_messages(plan, words, 0, |entry| plan.is_odd(entry), W::sub);
    for (index, slot) in gate.outputs.iter().enumerate() {
        let (a, b) = shares.get_mut(*slot);
        copy_masks::<P, W>(a, &scratch.masks[1][index * words..(index + 1) * words]);
        copy_masks::<P, W>(b, &scratch.masks[0][sent + index * words..][..words]);
    }
    if P::PROVEN {
        let (message, masks) = (&scratch.message[..sent], &scratch.masks[0][..sent]);
        scratch.proofs.began(Dealt::of_helper(message, masks));
    }
    party.send(EVALUATORS[1], Stream::Pre, &scratch.message[..sent])
}

fn dealer_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let (words, plan) = (shares.words(), gate.plan);
    let sent = plan.messages() * words;
    let fresh = plan.outputs.len() * words;
    // P0 draws the masks r and b_t; P1 receives D = d - r and draws a_t.
    let masks = scratch.masks[0].sized(sent + fresh);
    if P::ROLE == EVALUATORS[0] {
        draws.with_prev().fill(masks);
    } else {
        party.recv(HELPER, Stream::Pre, &mut masks[..sent])?;
        draws.with_next().fill(&mut masks[sent..]);
    }
    let one = if P::ROLE == EVALUATORS[0] { W::ZERO } else { W::ONE };
    // Of the masks of inputs, with a minus, what this role has in common with the helper.
    scratch.start_table(plan, words, one, |own, other| match (P::REPLICATED_SHARES, P::ROLE) {
        (true, 0) => own,
        (true, _) => other,
        (false, _) => other.neg(),
    });
    WideScratch::load_singles(&mut scratch.table, plan, words, &scratch.masks[0], true);
    scratch.fold::<P>(plan, words, Factor::Masked, false);
    if P::PROVEN {
        scratch.proofs.began(Dealt::of_evaluator(&scratch.masks[0][..sent]));
    }
    let message = scratch.message.sized(fresh);
    for (index, slot) in gate.outputs.iter().enumerate() {
        let run = &mut message[index * words..(index + 1) * words];
        let mask = &scratch.masks[0][sent + index * words..][..words];
        run.copy_from_slice(mask);
        WideScratch::sum_products(&scratch.table, plan, words, index, run);
        if plan.fused {
            add_run(run, plan.fused_words(&scratch.masks[0], words, index), false);
        }
        let (masked, other) = evaluators_runs::<P, W>(shares.get_mut(*slot));
        masked.copy_from_slice(run);
        copy_masks::<P, W>(other, mask);
    }
    party.send(1 - P::ROLE, Stream::On, message)
}

/// `w_t` is the sum of both messages; under multi-fan-in `A_t = w_t - b_t`, `B_t = w_t - a_t`.
fn dealer_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut WideScratch<W>,
    shares: &mut Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let words = shares.words();
    let message = scratch.message.sized(gate.outputs.len() * words);
    party.recv(1 - P::ROLE, Stream::On, message)?;
    for (slot, run) in gate.outputs.iter().zip(message.chunks_exact(words)) {
        let (masked, other) = evaluators_runs::<P, W>(shares.get_mut(*slot));
        for ((masked, other), theirs) in masked.iter_mut().zip(&*other).zip(run) {
            let sum = masked.add(*theirs);
            *masked = if P::REPLICATED_SHARES { sum } else { sum.sub(*other) };
        }
    }
    Ok(())
}

/// An evaluator's components: the one with the masked value in it, and the one with its mask of the helper's.
fn evaluators_runs<'r, P: Role, W: Word>(
    (first, second): (&'r mut [W], &'r mut [W]),
) -> (&'r mut [W], &'r mut [W]) {
    match P::REPLICATED_SHARES && P::ROLE == EVALUATORS[0] {
        true => (second, first),
        false => (first, second),
    }
}

/// Writes masks as a component has them: with a minus in replicated sharing.
fn copy_masks<P: Role, W: Word>(to: &mut [W], masks: &[W]) {
    for (to, mask) in to.iter_mut().zip(masks) {
        *to = if P::REPLICATED_SHARES { mask.neg() } else { *mask };
    }
}

/// The masked value of an input at an evaluator of a protocol with shares of replicated sharing.
fn masked<P: Role, W: Word>(own: W, other: W) -> W {
    if P::ROLE == EVALUATORS[0] { other } else { own }
}

// ---- common

/// An evaluator's generator under its key with the helper.
fn with_helper<'d, 'k, P: Role>(draws: &'d mut Draws<'k>) -> &'d mut tacit_ring::PrgStream<'k> {
    if P::ROLE == EVALUATORS[0] { draws.with_prev() } else { draws.with_next() }
}

/// Sends one component of the results ahead.
fn forward<W: Word>(
    party: &mut Party<'_>,
    scratch: &mut WideScratch<W>,
    shares: &Shares<W>,
    gate: Gate<'_>,
    to: usize,
    component: impl for<'s> Fn((&'s [W], &'s [W])) -> &'s [W],
) -> Result<(), SharingError> {
    let words = shares.words();
    let message = scratch.message.sized(gate.outputs.len() * words);
    for (slot, run) in gate.outputs.iter().zip(message.chunks_exact_mut(words)) {
        run.copy_from_slice(component(shares.get(*slot)));
    }
    party.send(to, Stream::Pre, message)
}

/// Inputs and constants that an output adds. Local.
fn add_linear_terms<P: Role, W: Word>(shares: &mut Shares<W>, gate: Gate<'_>) {
    for (slot, output) in gate.outputs.iter().zip(&gate.plan.outputs) {
        for input in &output.linear {
            shares.add_assign(*slot, gate.inputs[*input as usize]);
        }
        if output.constant {
            let one = P::constant(W::ONE);
            let (first, second) = shares.get_mut(*slot);
            for (first, second) in first.iter_mut().zip(second) {
                *first = first.add(one[0]);
                *second = second.add(one[1]);
            }
        }
    }
}
