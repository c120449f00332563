//! What operations cost: elements per directed link and stream, rounds per role.
//!
//! One element is one ring word of every lane block, so bits per instance for Z_2. The planner
//! uses these functions, and tests compare them with the meter byte for byte.

pub use tacit_sharing::cost::{
    CHECK_ROUNDS, Links, MAX_ROLES, Products, Rounds, SETTLE_ROUNDS, Traffic, links, pairs,
};

use crate::visit;
use std::ops::{Add, Range};
use tacit_circuit::schedule::Schedule;
use tacit_gmw as gmw;
use tacit_net::{PartyId, Stream};
use tacit_proof::{Bill, Method, integer_bytes, redundant_bytes};
use tacit_protocol::OwnRoles;
use tacit_sharing::Protocol;
use tacit_sharing::balance::{Balance, LevelMix, Way};
use tacit_sharing::level::Level;
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::role::{InputRule, Role, RoleId, RoleVisitor, Sink, Timing};
use tacit_sharing::verify::DIGEST_BYTES;

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
    let bytes = |words| gmw::Method::of(protocol).map_or(0, |method| method.start_bytes(words));
    to_all(protocol.parties(), [bytes(words.end) - bytes(words.start), 0])
}

/// Words that a worker does not send for a circuit's products on so many lanes that whole words would take: there are no gaps
/// where lanes are fewer than a word has.
#[must_use]
pub fn gaps(protocol: Protocol, schedule: &Schedule, lanes: usize) -> Traffic {
    let Some(method) = gmw::Method::of(protocol) else { return Traffic::default() };
    let gaps = |made| (made * lanes.div_ceil(64) - method.made_words(made, lanes)) as u64;
    // Results, products of pairs, and products of more.
    let words = |levels| gmw::masked_words(schedule, levels);
    let [_, pairs, larger] = words(0..schedule.depth());
    let online = (0..schedule.depth()).map(|level| gaps(words(level..level + 1)[0])).sum::<u64>();
    let each = product(protocol);
    let online = Traffic { on: each.on.clone(), ..Traffic::default() } * online;
    Traffic { on: Links::default(), ..each } * (gaps(pairs) + gaps(larger)) + online
}

/// The products of a circuit on so many lanes, whole words of them where gaps are computed.
#[must_use]
pub fn products(protocol: Protocol, schedule: &Schedule, lanes: usize) -> Products {
    if let Some(method) = gmw::Method::of(protocol) {
        // Pairs of masks are multiplied, and more of them for ANDs of more inputs.
        let [results, pairs, larger] = gmw::masked_words(schedule, 0..schedule.depth());
        let bits = |products| 64 * method.made_words(products, lanes) as u64;
        return Products { preprocessed: bits(pairs) + bits(larger), online: bits(results) };
    }
    let wanted = if protocol.fan_in() > 2 { Form::Dealer } else { Form::Quadratic };
    let polys = schedule.polys().iter().map(|poly| PolyPlan::new(poly, wanted));
    let polys = polys.map(|plan| match plan.form() {
        Form::Quadratic => plan.results(),
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
    gmw::Method::of(protocol)
        .map_or(products * lanes.div_ceil(64), |method| method.made_words(products, lanes))
}

/// Online rounds that a product takes.
#[must_use]
pub fn rounds(protocol: Protocol) -> u64 {
    gmw::Method::of(protocol).map_or(1, |method| method.rounds() as u64)
}

/// Latencies of an online round: two where one party tells the others what it heard.
#[must_use]
pub fn latencies(protocol: Protocol) -> u64 {
    if gmw::Method::of(protocol) == Some(gmw::Method::Star) { 2 } else { 1 }
}

/// What costs follow from, as the constants and the rules of a role say. Protocols that are in no list bring it along for their roles.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    /// What it sends for a product.
    product: fn() -> Traffic,
    /// Whether values may open to everybody at once.
    opens_at_once: bool,
    /// Who hears of an input.
    input_rule: fn(RoleId, Timing) -> InputRule,
    /// Who opens.
    opener: fn(RoleId) -> (RoleId, Stream),
}

impl Said {
    /// Of a role by its type.
    pub(crate) const fn of<P: Role>() -> Said {
        Said {
            product: sent_for_product::<P>,
            opens_at_once: P::OPENS_AT_ONCE,
            input_rule: P::input_rule,
            opener: P::opener,
        }
    }
}

/// What a role sends for a product.
fn sent_for_product<P: Role>() -> Traffic {
    let ahead: &[Sink] = if P::TWO_PASSES { P::Ahead::OUT } else { &[] };
    let sinks = ahead.iter().chain(P::OUT).chain(P::RESULT);
    sinks.fold(Traffic::default(), |sent, sink| match *sink {
        Sink::Send(to, stream) => sent.sent(P::ROLE, to, stream, 1),
        Sink::Log(_) => sent,
    })
}

/// What costs follow from, of a role of any protocol.
fn said(protocol: Protocol, role: RoleId) -> Said {
    struct Says;
    impl RoleVisitor for Says {
        type Out = Said;
        fn visit<P: Role>(self) -> Said {
            Said::of::<P>()
        }
    }
    let own = protocol.own_roles().and_then(OwnRoles::part::<[Said; 3]>);
    own.map_or_else(|| visit(protocol, role, Says), |own| own[role])
}

/// A product, an inner product, or an entry of a matrix product, as the constants of roles say. Protocols that garble make
/// none: what an AND costs there is asked elsewhere.
#[must_use]
pub fn product(protocol: Protocol) -> Traffic {
    if let Some(method) = gmw::Method::of(protocol) {
        return method.product(protocol.parties());
    }
    let roles = if protocol.garbles() { 0 } else { protocol.parties() };
    let sent = (0..roles).map(|role| (said(protocol, role).product)());
    let product = sent.fold(Traffic::default(), Add::add);
    match Method::of(protocol) {
        // Both factors, under masks.
        Some(Method::Brain(..)) => product * 2,
        Some(
            Method::Lift
            | Method::Galois(_)
            | Method::WideLift
            | Method::Integers(_)
            | Method::Post
            | Method::Tagged,
        )
        | None => product,
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
    match Method::of(protocol) {
        None | Some(Method::Lift | Method::Galois(_) | Method::WideLift) => word * results,
        Some(Method::Brain(..)) => word * results * terms as u64,
        Some(Method::Post | Method::Tagged | Method::Integers(_)) if bits == 1 => {
            word * results * terms as u64
        }
        Some(Method::Post | Method::Tagged | Method::Integers(_)) if terms == 0 => 0,
        Some(Method::Integers(_)) => integer_bytes(bits, strength, terms) as u64 * results,
        Some(Method::Post | Method::Tagged) => redundant_bytes(bits, strength) as u64 * results,
    }
}

/// A polynomial gate, or a product of more than two factors.
#[must_use]
pub fn polynomial(protocol: Protocol, plan: &PolyPlan) -> Traffic {
    let (messages, outputs) = (plan.messages() as u64, plan.results() as u64);
    if gmw::Method::of(protocol) == Some(gmw::Method::Wide) {
        // Products of masks, one by one, and a bit for each result.
        let ahead = (gmw::FAN.message_bits() + 1) * plan.products();
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

/// 64-lane words that the products of a level cost per word of lanes.
#[must_use]
pub fn level(level: Level<'_>, protocol: Protocol) -> Traffic {
    if let Some(mix) = level.mix() {
        return mixed(level, mix);
    }
    let start = product(protocol) * level.products() as u64;
    level.gates().fold(start, |sum, gate| sum + polynomial(protocol, gate.plan))
}

/// Adds what is proven of a level's products on so many words of lanes, or the triples that they take, to a bill, in the order in
/// which a worker keeps them.
pub fn add_level(bill: &mut Bill, level: Level<'_>, words: usize) {
    proven(level).into_iter().for_each(|(alike, terms)| bill.add(1, alike * words, terms));
}

/// What is proven of a level's products on a word of lanes, in the order in which a worker keeps it: how many statements, and of how
/// many products each. Those that follow each other are different.
#[must_use]
pub fn proven(level: Level<'_>) -> Vec<(usize, usize)> {
    let products = (level.products() > 0).then_some((level.products(), 1));
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (alike, terms) in products.into_iter().chain(level.gates().flat_map(|it| it.plan.proven()))
    {
        match runs.last_mut() {
            Some((before, each)) if *each == terms => *before += alike,
            _ => runs.push((alike, terms)),
        }
    }
    runs
}

fn mixed(level: Level<'_>, mix: &LevelMix) -> Traffic {
    let mut sum = Traffic::default();
    for (way, products) in &mix.products {
        sum += product_in(*way) * *products as u64;
    }
    for (gate, way) in level.gates().zip(&mix.wide) {
        sum += product_in(*way) * gate.outputs.len() as u64;
    }
    sum
}

/// A product that is made in some way.
#[must_use]
pub fn product_in(way: Way) -> Traffic {
    let product = product(way.protocol);
    if way.crossed { product.placed(&[0, 2, 1, 3].map(PartyId)) } else { product }
}

/// Products of a mix of ways, and how many those are: the fewest that divide evenly.
#[must_use]
pub fn balanced(balance: &Balance, protocol: Protocol) -> (Traffic, u64) {
    if balance.is_none() {
        return (product(protocol), 1);
    }
    let weights = balance.weights();
    let sum = |sum, (way, weight): &(Way, u32)| sum + product_in(*way) * u64::from(*weight);
    let whole = weights.iter().map(|(_, weight)| u64::from(*weight)).sum();
    (weights.iter().fold(Traffic::default(), sum), whole)
}

/// Bytes of one comparison of transcripts, whatever was computed.
#[must_use]
pub fn checks(protocol: Protocol) -> Traffic {
    comparison(protocol, CHECK_ROUNDS)
}

/// Bytes of a comparison of transcripts after which a run goes on.
#[must_use]
pub fn settling(protocol: Protocol) -> Traffic {
    comparison(protocol, settling_rounds(protocol))
}

/// Rounds of it.
#[must_use]
pub fn settling_rounds(protocol: Protocol) -> u64 {
    if opens_at_once(protocol) { SETTLE_ROUNDS } else { CHECK_ROUNDS }
}

fn comparison(protocol: Protocol, rounds: u64) -> Traffic {
    let roles = if protocol.is_checked() { protocol.parties() } else { 0 };
    let each = rounds * DIGEST_BYTES as u64;
    pairs(roles).fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, Stream::On, each))
}

/// Whether bits that open to everybody are sent [by two roles each](tacit_sharing::transfer::open_at_once).
#[must_use]
pub fn opens_at_once(protocol: Protocol) -> bool {
    protocol.has_roles() && said(protocol, 0).opens_at_once
}

/// What it takes to open an element to everybody, in a way after which a run goes on: bits, and places of rows.
#[must_use]
pub fn open_to_all(protocol: Protocol) -> Traffic {
    if !opens_at_once(protocol) {
        let everybody: Vec<RoleId> = (0..protocol.parties()).collect();
        return output(protocol, &everybody);
    }
    let all = pairs(protocol.parties());
    all.fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, Stream::On, 1))
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
    gmw::Method::of(protocol).is_some_and(|method| !method.is_masked())
}

/// An input element of `owner`.
#[must_use]
pub fn input(protocol: Protocol, owner: RoleId, timing: Timing) -> Traffic {
    let none = Traffic::default();
    if on_shares(protocol) {
        return none;
    }
    if !protocol.has_roles() {
        let others = pairs(protocol.parties()).filter(|(from, _)| *from == owner);
        return others.fold(none, |sum, (from, to)| sum.sent(from, to, Stream::On, 1));
    }
    let rule = (said(protocol, owner).input_rule)(owner, timing);
    rule.to.iter().fold(none, |sum, (to, stream, _)| sum.sent(owner, *to, *stream, 1))
}

/// An output element opened to `receivers`.
#[must_use]
pub fn output(protocol: Protocol, receivers: &[RoleId]) -> Traffic {
    if !protocol.has_roles() {
        let learn = pairs(protocol.parties()).filter(|(_, to)| receivers.contains(to));
        let stream = if on_shares(protocol) { Stream::On } else { Stream::Pre };
        return learn.fold(Traffic::default(), |sum, (from, to)| sum.sent(from, to, stream, 1));
    }
    receivers.iter().fold(Traffic::default(), |sum, &to| {
        let (from, stream) = (said(protocol, to).opener)(to);
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

    /// What a role, with its pass ahead, sends for a product that is made in some way of a mix is what that costs.
    #[test]
    fn roles_send_what_a_way_costs() {
        struct Sends;
        impl RoleVisitor for Sends {
            type Out = Traffic;
            fn visit<P: Role>(self) -> Traffic {
                P::OUT.iter().chain(P::RESULT).fold(Traffic::default(), |sum, sink| match sink {
                    Sink::Send(to, stream) => sum.sent(P::ROLE, *to, *stream, 1),
                    Sink::Log(_) => sum,
                })
            }
        }
        struct InWay(Way);
        impl RoleVisitor for InWay {
            type Out = Traffic;
            fn visit<P: Role>(self) -> Traffic {
                let sent = P::in_way(self.0, Sends);
                if P::TWO_PASSES { sent + P::Ahead::in_way(self.0, Sends) } else { sent }
            }
        }
        for way in [TRIO, ASTRA, QUAD].into_iter().flat_map(Way::all) {
            let four = way.protocol.parties() == 4;
            let protocol = if four { QUAD_A } else { way.protocol };
            let sent = (0..protocol.parties()).map(|role| visit(protocol, role, InWay(way)));
            let sum = sent.fold(Traffic::default(), |a, b| a + b);
            assert_eq!(sum, product_in(way), "{way:?}");
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
