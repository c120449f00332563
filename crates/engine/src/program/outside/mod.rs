//! Parties outside the computation: they give inputs and learn results, but play no role.
//!
//! An input of theirs is a sum of *pieces*, all but one of them random: numbers modulo the size of their
//! ring, bits by exclusive or. Each piece goes to a role, which shares it like an input of its own; the
//! sum of the shares is the input. There are more pieces than corrupted roles can have.
//!
//! Where a role may deviate from its protocol, each piece goes to a second role, which shares it too. Before
//! anything else opens, the differences are opened, and must be zero: what a role adds to a piece shows
//! there, and nothing else does. So a role can keep a run from ending, but not change an input.
//!
//! A result is opened to the roles under a *pad*, which the party that learns it gives like an input, for
//! this run alone. One role passes on what it opened; where roles may deviate, all do, and must have
//! opened the same. (Pads as in I. Damgård et al., "Confidential Benchmarking Based on Multiparty
//! Computation", FC 2016; the comparison of pieces is ours.)

mod messages;
mod party;
mod roles;

pub(super) use party::take_part;
pub(super) use roles::{Entered, Parcel, deliver, enter, open, receive};

use super::compiled::CompiledProgram;
use super::layout::lengths;
use super::ranges;
use crate::circuit::EvaluateError;
use messages::size;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_backend::cost::{MAX_ROLES, Rounds, Traffic};
use tacit_backend::{Kind, Ring, Secret, Values};
use tacit_program::{Element, Type, ValueId, Visibility};
use tacit_sharing::{Protocol, RoleId};

/// The step in which results are passed on: after all others.
const LAST_STEP: u32 = u32::MAX;

type Answer<T> = Result<T, EvaluateError>;

/// What a role was given: by column, and by piece and holder, what it has.
pub(super) struct Dealt(Vec<Vec<Option<Values>>>);

/// What came in from outside, by the name of the input.
pub(super) type Inputs = BTreeMap<String, Arc<Secret>>;

/// What a column is for.
#[derive(Clone, PartialEq, Eq)]
enum Purpose {
    /// An input, by name.
    Input(String),
    /// The pad of a result, by its place among the program's.
    Pad(usize),
}

/// An array that a party outside gives in pieces.
struct Column {
    /// Who gives it: its seat, behind those of the roles.
    from: RoleId,
    purpose: Purpose,
    kind: Kind,
    len: usize,
    /// Where it has fewer bits than the numbers that it is computed with: those, and whether the last bit is a sign.
    extends: Option<(Ring, bool)>,
}

/// The roles that share each piece: one, and where a role may deviate a second one. One corrupted role
/// of three or four has two of three pieces at most; among any number of parties each has one. (Those that garble have
/// nobody outside: with all but one corrupted, two holders for a piece would be too many.)
fn holders(protocol: Protocol) -> Vec<Vec<RoleId>> {
    match protocol {
        _ if protocol.is_checked() && protocol.has_roles() => {
            (0..3).map(|role| vec![role, (role + 1) % 3]).collect()
        }
        _ if protocol.has_roles() => vec![vec![0], vec![1]],
        _ => (0..protocol.parties()).map(|role| vec![role]).collect(),
    }
}

/// The roles that pass results on.
fn messengers(protocol: Protocol) -> usize {
    if protocol.is_malicious() { protocol.parties() } else { 1 }
}

/// All columns, in the order in which they are given.
fn columns(prepared: &CompiledProgram) -> Answer<Vec<Column>> {
    let program = &prepared.program;
    let is_outside = |seat: RoleId| seat >= prepared.job.places().len();
    let mut columns = Vec::new();
    for (id, name, owner) in program.inputs() {
        let Some(from) = owner.map(|owner| prepared.roles[usize::from(owner.0)]) else { continue };
        let used = ValueId { node: id, index: 0 };
        let reader = (0..).zip(&program.body.nodes).find(|(_, node)| node.operands.contains(&used));
        let Some((reader, _)) = reader.filter(|_| is_outside(from)) else { continue };
        let ty = &program.body.nodes[id as usize].types[0];
        let kind = kind_of(ty, || prepared.rings.node(reader).operands[0]);
        let purpose = Purpose::Input(name.to_owned());
        let (kind, extends) = match kind {
            // Pieces of more bits could be a number that its range does not have.
            Kind::Ring(ring @ Ring::Bits(_)) if prepared.job.tests_ranges() => {
                let (bits, signed) = ranges::held(ty.interval);
                (Kind::Ring(Ring::Bits(bits as u8)), Some((ring, signed)))
            }
            kind => (kind, None),
        };
        columns.push(Column { from, purpose, kind, len: length(prepared, ty)?, extends });
    }
    let padded = results(prepared)?.into_iter().filter(|result| result.padded);
    columns.extend(padded.map(|Learned { to, number, kind, len, .. }| Column {
        from: to,
        purpose: Purpose::Pad(number),
        kind,
        len,
        extends: None,
    }));
    Ok(columns)
}

/// A result that a party outside learns.
#[derive(Clone, Copy)]
struct Learned {
    to: RoleId,
    /// Its place among the program's.
    number: usize,
    kind: Kind,
    len: usize,
    /// What is public needs no pad.
    padded: bool,
}

/// All of them, in the program's order.
fn results(prepared: &CompiledProgram) -> Answer<Vec<Learned>> {
    let mut results = Vec::new();
    for (number, reveal) in prepared.program.reveals.iter().enumerate() {
        let ty = prepared.program.body.type_of(reveal.value);
        let ValueId { node, index } = reveal.value;
        let kind = match ty.visibility {
            Visibility::Secret => kind_of(ty, || prepared.rings.node(node).results[index as usize]),
            _ => prepared.given_kind(ty),
        };
        let (len, padded) = (length(prepared, ty)?, ty.visibility != Visibility::Public);
        let seats = reveal.to.iter().map(|party| prepared.roles[usize::from(party.0)]);
        let outside = seats.filter(|seat| *seat >= prepared.job.places().len());
        results.extend(outside.map(|to| Learned { to, number, kind, len, padded }));
    }
    Ok(results)
}

fn kind_of(ty: &Type, ring: impl FnOnce() -> Ring) -> Kind {
    if ty.element == Element::Bit { Kind::Bits } else { Kind::Ring(ring()) }
}

fn length(prepared: &CompiledProgram, ty: &Type) -> Answer<usize> {
    Ok(lengths(&ty.shape, &prepared.job.rows)?.iter().product())
}

/// What is sent from and to those outside, by seats, and the rounds that they wait for.
pub(super) fn cost(prepared: &CompiledProgram) -> Answer<(Traffic, Rounds)> {
    let protocol = prepared.job.protocol();
    let (mut bytes, mut rounds) = (Traffic::default(), [0; MAX_ROLES]);
    for Column { from, kind, len, .. } in columns(prepared)? {
        for holder in holders(protocol).into_iter().flatten() {
            bytes.pre[from][holder] += size(kind, len) as u64;
        }
    }
    for Learned { to, kind, len, .. } in results(prepared)? {
        (0..messengers(protocol)).for_each(|role| bytes.on[role][to] += size(kind, len) as u64);
        rounds[to] |= u64::from(len > 0);
    }
    Ok((bytes, rounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{GMW, LIFT, QUAD, TRIO};

    #[test]
    fn one_corrupted_role_lacks_a_piece_and_shares_none_alone() {
        for protocol in [TRIO, LIFT, QUAD, GMW.fitting(4)] {
            let pieces = holders(protocol);
            for role in 0..protocol.parties() {
                assert!(pieces.iter().any(|holders| !holders.contains(&role)), "{protocol}");
            }
            let checked = pieces.iter().all(|holders| holders.len() == 2);
            assert_eq!(checked, protocol.is_malicious(), "{protocol}");
        }
    }
}
