//! Shares move between roles and protocols: the forms that descriptors have are those that roles open.

use tacit_backend::protocols::{
    self, ASTRA, FANTASTIC_FOUR, GMW, PLAIN, QUAD, QUAD_A, QUAD_HET, TETRAD, TRIO,
};
use tacit_backend::visit::{visit, visit_canonical};
use tacit_net::PartyId;
use tacit_ring::Buffer;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::reseat::Reseat;
use tacit_sharing::role::{Canonical, Few, Role, RoleId};
use tacit_sharing::{CanonicalVisitor, Protocol, RoleVisitor};

const VALUES: [u64; 4] = [0x1234_5678_9abc_def0, 77, u64::MAX - 5, 1 << 63 | 12];

fn with_forms() -> impl Iterator<Item = Protocol> {
    let of_roles = |p: &Protocol| p.has_roles() && *p != PLAIN;
    protocols::all().chain(protocols::strong()).filter(of_roles)
}

fn value(protocol: Protocol) -> u64 {
    VALUES[..protocol.parties()].iter().fold(0, |sum, v| sum.wrapping_add(*v))
}

fn weighed(factors: &[i8], values: &[u64]) -> u64 {
    let term = |(f, v): (&i8, &u64)| (i64::from(*f) as u64).wrapping_mul(*v);
    factors.iter().zip(values).map(term).fold(0, u64::wrapping_add)
}

/// The share of a role, where role `j` lacks `VALUES[lacked[j]]`.
fn words(protocol: Protocol, role: RoleId, lacked: &[usize]) -> Vec<u64> {
    let components: Vec<u64> = lacked.iter().map(|i| VALUES[*i]).collect();
    let shares = protocol.roles().unwrap().shares;
    shares[role].iter().map(|form| weighed(form, &components)).collect()
}

fn in_order(protocol: Protocol, role: RoleId) -> Vec<u64> {
    words(protocol, role, &[0, 1, 2, 3][..protocol.parties()])
}

fn share_of<P: Role>(words: &[u64]) -> P::Share<u64> {
    assert_eq!(words.len(), <P::Share<u64> as Few<u64>>::COUNT);
    <P::Share<u64> as Few<u64>>::each(|i| words[i])
}

/// What a role sends to open a value towards a receiver.
struct Word(RoleId, Vec<u64>);
impl RoleVisitor for Word {
    type Out = u64;
    fn visit<P: Role>(self) -> u64 {
        P::open_word(self.0, share_of::<P>(&self.1))
    }
}

/// Who opens a value towards a receiver.
struct Openers(RoleId);
impl RoleVisitor for Openers {
    type Out = (RoleId, Option<RoleId>);
    fn visit<P: Role>(self) -> Self::Out {
        (P::opener(self.0).0, P::open_checker(self.0))
    }
}

struct Opened(Vec<u64>, u64);
impl RoleVisitor for Opened {
    type Out = u64;
    fn visit<P: Role>(self) -> u64 {
        P::opened(share_of::<P>(&self.0), self.1)
    }
}

#[test]
fn forms_are_those_that_roles_open() {
    for protocol in with_forms() {
        for receiver in 0..protocol.parties() {
            let (opener, checker) = visit(protocol, receiver, Openers(receiver));
            let word = |role| visit(protocol, role, Word(receiver, in_order(protocol, role)));
            let opened =
                visit(protocol, receiver, Opened(in_order(protocol, receiver), word(opener)));
            assert_eq!(opened, value(protocol), "{protocol}: role {receiver}");
            assert!(checker.is_none_or(|role| word(role) == word(opener)), "{protocol}");
        }
    }
}

#[test]
fn forms_of_three_parties_are_replicated_sharing() {
    struct ToReplicated(Vec<u64>);
    impl CanonicalVisitor for ToReplicated {
        type Out = [u64; 2];
        fn visit<P: Canonical>(self) -> [u64; 2] {
            P::to_replicated([self.0[0], self.0[1]])
        }
    }
    let mut seen = 0;
    for protocol in with_forms() {
        let share = |role| in_order(protocol, role);
        let all: Vec<[u64; 2]> = (0..protocol.parties())
            .filter_map(|role| visit_canonical(protocol, role, ToReplicated(share(role))))
            .collect();
        let [a, b, c] = all[..] else { continue };
        assert_eq!([a[1], b[1], c[1]], [b[0], c[0], a[0]], "{protocol}");
        assert_eq!(a[0].wrapping_add(b[0]).wrapping_add(c[0]), value(protocol), "{protocol}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}

fn orders(parties: usize) -> Vec<Vec<PartyId>> {
    let mut orders: Vec<Vec<PartyId>> = vec![Vec::new()];
    for _ in 0..parties {
        let longer = |order: &Vec<PartyId>| {
            let others = PartyId::all(parties).filter(|party| !order.contains(party));
            others.map(|party| [&order[..], &[party]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

#[test]
fn each_party_gets_the_share_of_its_new_role() {
    for protocol in with_forms() {
        let parties = protocol.parties();
        let first: Vec<PartyId> = PartyId::all(parties).collect();
        let mut possible = 0;
        for order in orders(parties) {
            let pair = [(protocol, &first[..]), (protocol, &order[..])];
            if !Reseat::fits(pair[0], pair[1]) {
                continue;
            }
            possible += 1;
            // Role `j` of the new order lacks what its party lacked.
            let lacked: Vec<usize> = order.iter().map(|party| party.index()).collect();
            for (role, party) in order.iter().enumerate() {
                let there = Reseat::between(pair[0], pair[1], *party).unwrap();
                let old = words(protocol, party.index(), &[0, 1, 2, 3][..parties]);
                let new: Vec<u64> = there.rows().iter().map(|row| weighed(row, &old)).collect();
                assert_eq!(new, words(protocol, role, &lacked), "{protocol} {order:?}");
                let back = Reseat::between(pair[1], pair[0], *party).unwrap();
                let again: Vec<u64> = back.rows().iter().map(|row| weighed(row, &new)).collect();
                assert_eq!(again, old, "{protocol} {order:?}");
                assert!(order != first || there.is_identity());
            }
        }
        let quad = [QUAD, QUAD_A, QUAD_HET].contains(&protocol);
        let all = if parties == 3 { 6 } else { 24 };
        assert_eq!(possible, if quad { 8 } else { all }, "{protocol}");
    }
}

#[test]
fn arrays_change_as_words_do() {
    let [first, order]: [Vec<PartyId>; 2] =
        [[0, 1, 2, 3], [2, 0, 3, 1]].map(|order| order.map(PartyId).to_vec());
    let pair = [(TETRAD, &first[..]), (TETRAD, &order[..])];
    let reseat = Reseat::between(pair[0], pair[1], PartyId(1)).unwrap();
    let run = |i: usize| Buffer::from_slice(&[VALUES[i], VALUES[i + 1]]);
    let shares = SharedVec { first: run(0), second: run(1), third: run(2) };
    let new = reseat.apply(&shares);
    for at in 0..2 {
        let old: Vec<u64> = shares.components().map(|run| run[at]).to_vec();
        let wanted: Vec<u64> = reseat.rows().iter().map(|row| weighed(row, &old)).collect();
        assert_eq!(new.components().map(|run| run[at]).to_vec(), wanted);
    }
}

#[test]
fn other_parties_or_none_do_not_fit() {
    let [three, others]: [Vec<PartyId>; 2] =
        [[0, 1, 2], [0, 1, 3]].map(|order| order.map(PartyId).to_vec());
    assert!(!Reseat::fits((TRIO, &three), (TRIO, &others)));
    assert!(Reseat::fits((TRIO, &three), (ASTRA, &three)));
    let four: Vec<PartyId> = PartyId::all(4).collect();
    assert!(Reseat::fits((QUAD_HET, &four), (QUAD, &four)));
    assert!(Reseat::fits((TETRAD, &four), (FANTASTIC_FOUR, &four)));
    // Quad's roles do not have all three components.
    assert!(!Reseat::fits((QUAD, &four), (TETRAD, &four)));
    let gmw: Vec<PartyId> = PartyId::all(3).collect();
    assert!(!Reseat::fits((GMW.fitting(3), &gmw), (GMW.fitting(3), &gmw)));
}
