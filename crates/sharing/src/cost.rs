//! What operations cost: elements per directed link and stream, rounds per role.
//!
//! One element is one ring word of every lane block, so bits per instance for Z_2. The planner
//! uses these functions, and tests compare them with the meter byte for byte.

use crate::Protocol;
use crate::RoleVisitor;
use crate::gmw;
use crate::multi_fan_in::plan::{Form, PolyPlan};
use crate::proof::{Bill, Method, integer_bytes, redundant_bytes};
use crate::role::{InputRule, Role, RoleId, Sink, Timing};
use crate::verify::DIGEST_BYTES;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Range, SubAssign};
use tacit_circuit::schedule::Schedule;
use tacit_net::{PartyId, Stream};

/// Roles at most.
pub const MAX_ROLES: usize = 64;

/// Rounds by role.
pub type Rounds = [u64; MAX_ROLES];

/// Rounds of one role, none of the others.
pub(crate) fn rounds_of(role: RoleId, rounds: u64) -> Rounds {
    let mut all = [0; MAX_ROLES];
    all[role] = rounds;
    all
}

/// Elements per directed link of one stream: `links[from][to]`.
#[derive(Clone, Default)]
pub struct Links(Vec<[u64; MAX_ROLES]>);

const NONE: [u64; MAX_ROLES] = [0; MAX_ROLES];

impl Links {
    /// What each role sends, up to the last that sends anything.
    pub fn iter(&self) -> impl Iterator<Item = &[u64; MAX_ROLES]> {
        self.0.iter()
    }
}

impl Index<RoleId> for Links {
    type Output = [u64; MAX_ROLES];
    fn index(&self, from: RoleId) -> &Self::Output {
        self.0.get(from).unwrap_or(&NONE)
    }
}

impl IndexMut<RoleId> for Links {
    fn index_mut(&mut self, from: RoleId) -> &mut Self::Output {
        if self.0.len() <= from {
            self.0.resize(from + 1, NONE);
        }
        &mut self.0[from]
    }
}

impl PartialEq for Links {
    fn eq(&self, other: &Self) -> bool {
        (0..self.0.len().max(other.0.len())).all(|from| self[from] == other[from])
    }
}

impl Eq for Links {}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = links().filter(|(from, to)| self[*from][*to] > 0);
        f.debug_map().entries(used.map(|(from, to)| ((from, to), self[from][to]))).finish()
    }
}

impl AddAssign<&Links> for Links {
    fn add_assign(&mut self, other: &Links) {
        for (from, row) in other.0.iter().enumerate() {
            self[from].iter_mut().zip(row).for_each(|(sum, more)| *sum += more);
        }
    }
}

impl SubAssign<&Links> for Links {
    fn sub_assign(&mut self, part: &Links) {
        for (from, row) in part.0.iter().enumerate() {
            self[from].iter_mut().zip(row).for_each(|(rest, part)| *rest -= part);
        }
    }
}

/// Elements sent between roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Ahead of the online roles.
    pub pre: Links,
    /// Online.
    pub on: Links,
    /// Deferred, to a role that nobody waits for.
    pub def: Links,
}

impl Traffic {
    /// With so many elements more from a role to another.
    #[must_use]
    pub fn sent(mut self, from: RoleId, to: RoleId, stream: Stream, elements: u64) -> Self {
        self.count(from, to, stream, elements);
        self
    }

    fn count(&mut self, from: RoleId, to: RoleId, stream: Stream, elements: u64) {
        let links = match stream {
            Stream::Pre => &mut self.pre,
            Stream::On => &mut self.on,
            Stream::Def => &mut self.def,
        };
        links[from][to] += elements;
    }

    /// What goes over a stream.
    #[must_use]
    pub fn stream(&self, stream: Stream) -> &Links {
        match stream {
            Stream::Pre => &self.pre,
            Stream::On => &self.on,
            Stream::Def => &self.def,
        }
    }

    /// Traffic between parties instead of roles, where party `places[r]` plays role `r`.
    #[must_use]
    pub fn placed(&self, places: &[PartyId]) -> Self {
        let mut out = Traffic::default();
        for stream in Stream::ALL {
            for (from, sent) in self.stream(stream).iter().enumerate().take(places.len()) {
                for (to, elements) in sent.iter().enumerate().filter(|(_, n)| **n > 0) {
                    out.count(places[from].index(), places[to].index(), stream, *elements);
                }
            }
        }
        out
    }

    /// The rest, without a part of it.
    #[must_use]
    pub fn without(&self, part: &Traffic) -> Self {
        let mut rest = self.clone();
        rest.pre -= &part.pre;
        rest.on -= &part.on;
        rest.def -= &part.def;
        rest
    }

    /// All elements, all links.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.pre.iter().chain(self.on.iter()).chain(self.def.iter()).flatten().sum()
    }

    /// Elements from `from` to `to` on all streams.
    #[must_use]
    pub fn link(&self, from: RoleId, to: RoleId) -> u64 {
        self.pre[from][to] + self.on[from][to] + self.def[from][to]
    }

    /// Elements on the busiest directed link: what bounds throughput on equal links.
    #[must_use]
    pub fn busiest(&self) -> u64 {
        let rows = self.pre.0.len().max(self.on.0.len()).max(self.def.0.len());
        let links = (0..rows).flat_map(|from| (0..MAX_ROLES).map(move |to| (from, to)));
        links.map(|(from, to)| self.link(from, to)).max().unwrap_or(0)
    }

    /// Whether `role` waits for anything online.
    #[must_use]
    pub fn is_awaited_by(&self, role: RoleId) -> bool {
        self.on.iter().any(|to| to[role] > 0)
    }
}

/// All pairs of roles.
pub fn links() -> impl Iterator<Item = (RoleId, RoleId)> {
    (0..MAX_ROLES).flat_map(|from| (0..MAX_ROLES).map(move |to| (from, to)))
}

/// All pairs of different roles of `parties`.
fn pairs(parties: usize) -> impl Iterator<Item = (RoleId, RoleId)> {
    let all = move |from| (0..parties).map(move |to| (from, to));
    (0..parties).flat_map(all).filter(|(from, to)| from != to)
}

impl Add for Traffic {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        *self += &other;
    }
}

impl AddAssign<&Traffic> for Traffic {
    fn add_assign(&mut self, other: &Self) {
        self.pre += &other.pre;
        self.on += &other.on;
        self.def += &other.def;
    }
}

impl SubAssign for Traffic {
    fn sub_assign(&mut self, part: Self) {
        self.pre -= &part.pre;
        self.on -= &part.on;
        self.def -= &part.def;
    }
}

impl Mul<u64> for Traffic {
    type Output = Self;
    fn mul(mut self, times: u64) -> Self {
        let links = [&mut self.pre, &mut self.on, &mut self.def];
        links.into_iter().flat_map(|links| &mut links.0).flatten().for_each(|n| *n *= times);
        self
    }
}

impl Div<u64> for Traffic {
    type Output = Self;
    fn div(mut self, by: u64) -> Self {
        let links = [&mut self.pre, &mut self.on, &mut self.def];
        links.into_iter().flat_map(|links| &mut links.0).flatten().for_each(|n| *n /= by);
        self
    }
}

/// Elements deferred and online, from everybody to everybody.
fn to_all(parties: usize, [ahead, online]: [u64; 2]) -> Traffic {
    pairs(parties).fold(Traffic::default(), |sum, (i, j)| {
        sum.sent(i, j, Stream::Def, ahead).sent(i, j, Stream::On, online)
    })
}

/// Bytes for silent transfers between the roles of one worker that makes these words of its products of bits,
/// over those of each product.
#[must_use]
pub fn transfers(protocol: Protocol, words: Range<usize>) -> Traffic {
    let bytes =
        |words| crate::gmw::Method::of(protocol).map_or(0, |method| method.start_bytes(words));
    to_all(protocol.parties(), [bytes(words.end) - bytes(words.start), 0])
}

/// Words that a worker does not send for a circuit's products on so many lanes that whole words would take: there are no gaps
/// where lanes are fewer than a word has.
#[must_use]
pub fn gaps(protocol: Protocol, schedule: &Schedule, lanes: usize) -> Traffic {
    let Some(method) = crate::gmw::Method::of(protocol) else { return Traffic::default() };
    let gaps = |made| (made * lanes.div_ceil(64) - method.made_words(made, lanes)) as u64;
    // Results, products of pairs, and products of more.
    let words = |levels| gmw::masked_words(schedule, levels);
    let [_, pairs, larger] = words(0..schedule.depth());
    let online = (0..schedule.depth()).map(|level| gaps(words(level..level + 1)[0])).sum::<u64>();
    let each = product(protocol);
    let online = Traffic { on: each.on.clone(), ..Traffic::default() } * online;
    Traffic { on: Links::default(), ..each } * (gaps(pairs) + gaps(larger)) + online
}

/// Products of bits, or ANDs: what parties compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Products {
    /// Ahead, or for what is garbled ahead.
    pub preprocessed: u64,
    /// Online.
    pub online: u64,
}

impl Products {
    /// As many ahead as online.
    #[must_use]
    pub fn of(count: u64) -> Self {
        Products { preprocessed: count, online: count }
    }
}

impl AddAssign for Products {
    fn add_assign(&mut self, other: Self) {
        self.preprocessed += other.preprocessed;
        self.online += other.online;
    }
}

/// The products of a circuit on so many lanes, whole words of them where gaps are computed.
#[must_use]
pub fn products(protocol: Protocol, schedule: &Schedule, lanes: usize) -> Products {
    if let Some(method) = crate::gmw::Method::of(protocol) {
        // Pairs of masks are multiplied, and more of them for ANDs of more inputs.
        let [results, pairs, larger] = gmw::masked_words(schedule, 0..schedule.depth());
        let bits = |products| 64 * method.made_words(products, lanes) as u64;
        return Products { preprocessed: bits(pairs) + bits(larger), online: bits(results) };
    }
    let wanted = if protocol.fan_in() > 2 { Form::Dealer } else { Form::Quadratic };
    let polys = schedule.polys().iter().map(|poly| PolyPlan::new(poly, wanted));
    let polys = polys.map(|plan| match plan.form() {
        Form::Quadratic => plan.outputs.len(),
        Form::Symmetric | Form::Dealer => plan.messages(),
    });
    let polys: Vec<usize> = polys.collect();
    let of = |level| {
        let wide = schedule.wide(level).iter().map(|gate| polys[gate.poly as usize]);
        schedule.products(level).len() + wide.sum::<usize>()
    };
    let all = (0..schedule.depth()).map(of).sum::<usize>();
    Products::of((64 * all * lanes.div_ceil(64)) as u64)
}

/// Words that preprocessing makes for products of bits on so many lanes.
#[must_use]
pub fn made_words(protocol: Protocol, products: usize, lanes: usize) -> usize {
    crate::gmw::Method::of(protocol)
        .map_or(products * lanes.div_ceil(64), |method| method.made_words(products, lanes))
}

/// Online rounds that a product takes.
#[must_use]
pub fn rounds(protocol: Protocol) -> u64 {
    crate::gmw::Method::of(protocol).map_or(1, |method| method.rounds() as u64)
}

/// Latencies of an online round: two where one party tells the others what it heard.
#[must_use]
pub fn latencies(protocol: Protocol) -> u64 {
    if crate::gmw::Method::of(protocol) == Some(gmw::Method::Star) { 2 } else { 1 }
}

/// A product, an inner product, or an entry of a matrix product, as the constants of roles say. Protocols that garble make
/// none: what an AND costs there is asked elsewhere.
#[must_use]
pub fn product(protocol: Protocol) -> Traffic {
    struct Sends;
    impl RoleVisitor for Sends {
        type Out = Traffic;
        fn visit<P: Role>(self) -> Traffic {
            let ahead: &[Sink] = if P::TWO_PASSES { P::Ahead::OUT } else { &[] };
            let sinks = ahead.iter().chain(P::OUT).chain(P::RESULT);
            sinks.fold(Traffic::default(), |sent, sink| match *sink {
                Sink::Send(to, stream) => sent.sent(P::ROLE, to, stream, 1),
                Sink::Log(_) => sent,
            })
        }
    }
    if let Some(method) = crate::gmw::Method::of(protocol) {
        return method.product(protocol.parties());
    }
    let roles = if protocol.garbles() { 0 } else { protocol.parties() };
    let sent = (0..roles).map(|role| crate::visit::visit(protocol, role, Sends));
    let product = sent.fold(Traffic::default(), Add::add);
    match crate::proof::Method::of(protocol) {
        // Both factors, under masks.
        Some(Method::Brain(_)) => product * 2,
        Some(Method::Lift | Method::Galois | Method::Integers | Method::Post | Method::Tagged)
        | None => product,
    }
}

impl gmw::Method {
    /// A product: what chooses, and corrections ahead, then online; silent transfers also what [`transfers`] says.
    #[must_use]
    pub fn product(self, parties: usize) -> Traffic {
        let chooses = gmw::FAN.message_bits() as u64;
        let [ahead, online] = match self {
            gmw::Method::Masked | gmw::Method::Star | gmw::Method::Wide => [chooses + 1, 1],
            gmw::Method::Silent => [1 + 1, 1],
            gmw::Method::Transfers => [chooses, 1 + 2],
            gmw::Method::Triples => [chooses + 1, 2],
        };
        pairs(parties).fold(Traffic::default(), |sum, (i, j)| {
            // A star is between role 0 and the others.
            let sent = self != gmw::Method::Star || i == 0 || j == 0;
            sum.sent(i, j, Stream::Def, ahead).sent(i, j, Stream::On, online * u64::from(sent))
        })
    }
}

/// Bytes of results over words of `bits` bits, each the sum of `terms` products of words; without what
/// proofs of them cost, or triples.
#[must_use]
pub fn results(protocol: Protocol, bits: u32, results: usize, terms: usize) -> Traffic {
    product(protocol) * result_bytes(protocol, bits, results, terms)
}

/// Bytes of the products that such results are made of.
pub(crate) fn result_bytes(protocol: Protocol, bits: u32, results: usize, terms: usize) -> u64 {
    let word = if bits == 1 { 8 } else { u64::from(bits / 8) };
    let (results, strength) = (results as u64, protocol.strength());
    match crate::proof::Method::of(protocol) {
        None | Some(Method::Lift | Method::Galois) => word * results,
        Some(Method::Brain(_)) => word * results * terms as u64,
        Some(Method::Post | Method::Tagged | Method::Integers) if bits == 1 => {
            word * results * terms as u64
        }
        Some(Method::Post | Method::Tagged | Method::Integers) if terms == 0 => 0,
        Some(Method::Integers) => integer_bytes(bits, strength, terms) as u64 * results,
        Some(Method::Post | Method::Tagged) => redundant_bytes(bits, strength) as u64 * results,
    }
}

/// A polynomial gate, or a product of more than two factors.
#[must_use]
pub fn polynomial(protocol: Protocol, plan: &PolyPlan) -> Traffic {
    let (messages, outputs) = (plan.messages() as u64, plan.outputs.len() as u64);
    if crate::gmw::Method::of(protocol) == Some(gmw::Method::Wide) {
        // Products of masks, one by one, and a bit for each result.
        let ahead = (gmw::FAN.message_bits() + 1) * plan.closure.len();
        return to_all(protocol.parties(), [ahead as u64, outputs]);
    }
    match plan.form() {
        Form::Quadratic => product(protocol) * outputs,
        Form::Symmetric => Traffic::default()
            .sent(0, 1, Stream::On, messages)
            .sent(1, 0, Stream::On, messages)
            .sent(2, 0, Stream::Pre, outputs)
            .sent(2, 1, Stream::Pre, outputs),
        Form::Dealer => Traffic::default()
            .sent(2, 1, Stream::Pre, messages)
            .sent(0, 1, Stream::On, outputs)
            .sent(1, 0, Stream::On, outputs),
    }
}

/// Rounds of one comparison of transcripts.
pub const CHECK_ROUNDS: u64 = 3;

/// Bytes of one comparison of transcripts, whatever was computed.
#[must_use]
pub fn checks(protocol: Protocol) -> Traffic {
    let roles = if protocol.is_checked() { protocol.parties() } else { 0 };
    let each = CHECK_ROUNDS * DIGEST_BYTES as u64;
    pairs(roles).fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, Stream::On, each))
}

/// Bytes between the roles of a protocol for the proofs of a bill that is finished.
#[must_use]
pub fn proofs(bill: &Bill) -> Traffic {
    (0..3).fold(Traffic::default(), |sum, role| {
        sum.sent(role, (role + 2) % 3, Stream::Def, bill.backward).sent(
            role,
            (role + 1) % 3,
            Stream::Def,
            bill.forward,
        )
    })
}

/// Whether parties of GMW hold shares, not masks and public values.
fn on_shares(protocol: Protocol) -> bool {
    crate::gmw::Method::of(protocol).is_some_and(|method| !method.is_masked())
}

/// An input element of `owner`.
#[must_use]
pub fn input(protocol: Protocol, owner: RoleId, timing: Timing) -> Traffic {
    struct Rule(RoleId, Timing);
    impl RoleVisitor for Rule {
        type Out = InputRule;
        fn visit<P: Role>(self) -> InputRule {
            P::input_rule(self.0, self.1)
        }
    }
    let none = Traffic::default();
    if on_shares(protocol) {
        return none;
    }
    if !protocol.has_roles() {
        let others = pairs(protocol.parties()).filter(|(from, _)| *from == owner);
        return others.fold(none, |sum, (from, to)| sum.sent(from, to, Stream::On, 1));
    }
    let rule = crate::visit::visit(protocol, owner, Rule(owner, timing));
    rule.to.iter().fold(none, |sum, (to, stream, _)| sum.sent(owner, *to, *stream, 1))
}

/// An output element opened to `receivers`.
#[must_use]
pub fn output(protocol: Protocol, receivers: &[RoleId]) -> Traffic {
    struct Opener(RoleId);
    impl RoleVisitor for Opener {
        type Out = (RoleId, Stream);
        fn visit<P: Role>(self) -> (RoleId, Stream) {
            P::opener(self.0)
        }
    }
    if !protocol.has_roles() {
        let learn = pairs(protocol.parties()).filter(|(_, to)| receivers.contains(to));
        let stream = if on_shares(protocol) { Stream::On } else { Stream::Pre };
        return learn.fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, stream, 1));
    }
    receivers.iter().fold(Traffic::default(), |sum, &to| {
        let (from, stream) = crate::visit::visit(protocol, to, Opener(to));
        if from == to { sum } else { sum.sent(from, to, stream, 1) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{
        self, ASTRA, BRAIN_BUCKETS, FANTASTIC_FOUR, GALOIS, GMW, GMW_OT, GMW_SILENT, GMW_STAR,
        GMW_TRIPLES, GMW_WIDE, INTEGERS, LIFT, MULTI_FAN_IN, PLAIN, POST, QUAD, QUAD_A, QUAD_HET,
        REPLICATED, TAGGED, TETRAD, TRIO,
    };

    #[test]
    fn products_cost_what_the_docs_say() {
        // Ahead, online and deferred, all links.
        for (protocol, elements) in [
            (TRIO, [1, 2, 0]),
            (ASTRA, [1, 2, 0]),
            (REPLICATED, [0, 3, 0]),
            (LIFT, [0, 3, 0]),
            (GALOIS, [0, 3, 0]),
            (INTEGERS, [0, 3, 0]),
            (POST, [0, 3, 0]),
            (TAGGED, [0, 3, 0]),
            (BRAIN_BUCKETS, [0, 6, 0]),
            (MULTI_FAN_IN, [1, 2, 0]),
            (QUAD, [2, 2, 1]),
            (QUAD_A, [2, 2, 1]),
            (QUAD_HET, [1, 2, 2]),
            (TETRAD, [2, 2, 1]),
            (FANTASTIC_FOUR, [0, 6, 0]),
            (PLAIN, [0, 0, 0]),
            (GMW.fitting(3), [0, 6, 6 * 33]),
            (GMW_SILENT.fitting(3), [0, 6, 6 * 2]),
            (GMW_STAR.fitting(3), [0, 4, 6 * 33]),
            (GMW_WIDE.fitting(3), [0, 6, 6 * 33]),
            (GMW_OT.fitting(3), [0, 6 * 3, 6 * 32]),
            (GMW_TRIPLES.fitting(3), [0, 6 * 2, 6 * 33]),
        ] {
            let Traffic { pre, on, def } = product(protocol);
            let all = [pre, on, def].map(|links| links.iter().flatten().sum::<u64>());
            assert_eq!(all, elements, "{protocol}");
        }
    }

    #[test]
    fn inputs_and_outputs_cost_what_the_table_says() {
        for protocol in [TRIO, ASTRA, REPLICATED, MULTI_FAN_IN] {
            for owner in 0..3 {
                assert_eq!(input(protocol, owner, Timing::Early).total(), 1);
            }
            assert_eq!(output(protocol, &[0, 1, 2]).total(), 3);
        }
        let four = |protocol: &Protocol| protocol.parties() == 4 && protocol.has_roles();
        for protocol in protocols::all().filter(four) {
            for owner in 0..4 {
                assert_eq!(input(protocol, owner, Timing::Early).total(), 2);
            }
            let late = if protocol.ahead().is_some() { 3 } else { 2 };
            assert_eq!(input(protocol, 3, Timing::Late).total(), late);
            assert_eq!(output(protocol, &[0, 1, 2, 3]).total(), 4);
        }
        assert_eq!(input(TRIO, 0, Timing::Late).total(), 2);
        assert_eq!(input(MULTI_FAN_IN, 2, Timing::Late).total(), 2);
    }

    #[test]
    fn wide_products_cost_what_the_table_says() {
        let totals =
            [(3, 10, 6), (4, 24, 13), (5, 54, 28), (6, 116, 59), (7, 242, 122), (8, 496, 249)];
        for (l, symmetric, dealer) in totals {
            let total = |form| polynomial(MULTI_FAN_IN, &PolyPlan::product(l, form)).total();
            assert_eq!((total(Form::Symmetric), total(Form::Dealer)), (symmetric, dealer));
        }
        assert_eq!(polynomial(MULTI_FAN_IN, &PolyPlan::product(2, Form::Dealer)).total(), 3);
    }
}
