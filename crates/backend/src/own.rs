//! Protocols of three parties that are in no list: what is done with their roles, as values.
//!
//! The types of roles of the protocols in the list are chosen by [`visit`](crate::visit()), which names them all. A protocol of
//! another crate cannot be named there. Its [descriptor](tacit_protocol::Descriptor) brings along [`Parts`] instead: for each
//! role, functions that were compiled for the role's type. They are called once per worker, so loops are as fast as under a protocol of
//! the list.

use crate::cost::Said;
use crate::start::StartOwn;
use std::any::Any;
use std::marker::PhantomData;
use tacit_net::Stream;
use tacit_protocol::{Form, Protocol, RoleId};
use tacit_sharing::role::{Canonical, Few, OUTS, Role, SLOTS, Sink, Source, TERMS, Timing};

/// How many roles a protocol has that is in no list.
pub const ROLES: usize = 3;

/// What this crate does with the roles of a protocol that is in no list, whose types these are: parts of its
/// [`OwnRoles`](tacit_protocol::OwnRoles).
///
/// Where a constant of a role is none that a semi-honest role of three can have, naming a part is an error of the compiler.
pub struct Parts<P0, P1, P2>(PhantomData<(P0, P1, P2)>);

/// A part of what runs roles.
type Part = &'static (dyn Any + Send + Sync);

impl<P0: Canonical, P1: Canonical, P2: Canonical> Parts<P0, P1, P2> {
    /// What [`check`] looks at.
    pub const CHECKS: Part = &Checks([Check::of::<P0>(0), Check::of::<P1>(1), Check::of::<P2>(2)]);
    /// What costs follow from.
    pub const COSTS: Part = &[Said::of::<P0>(), Said::of::<P1>(), Said::of::<P2>()];
    /// What starts workers of programs.
    pub const WORKERS: Part = &[StartOwn::of::<P0>(), StartOwn::of::<P1>(), StartOwn::of::<P2>()];
}

/// Whether a role receives nothing before outputs open.
#[must_use]
pub const fn waits_for_nobody<P: Role>() -> bool {
    P::EARLY.is_none() && P::LATE.is_empty()
}

struct Checks([Check; ROLES]);

const TIMINGS: [Timing; 2] = [Timing::Early, Timing::Late];

/// What is compared of a role with the other roles, and what is asked of it alone.
struct Check {
    role: RoleId,
    sends: [&'static [Sink]; 2],
    takes: [Option<Source>; 2],
    takes_late: &'static [Source],
    draws: [usize; SLOTS],
    input_draws: fn(RoleId, Timing) -> [bool; SLOTS],
    alone: fn(Protocol) -> Result<(), &'static str>,
}

impl Check {
    const fn of<P: Canonical>(role: RoleId) -> Self {
        check_constants::<P>(role);
        Check {
            role,
            sends: [P::OUT, P::RESULT],
            takes: [P::EARLY, P::EARLY_LESS],
            takes_late: P::LATE,
            draws: P::DRAWS,
            input_draws: P::input_draws,
            alone: check_functions::<P>,
        }
    }

    /// Whether it draws what the role after it draws under the key of the two: for a product, and for inputs.
    fn draws_with(&self, next: &Check) -> bool {
        let input = |(owner, timing)| {
            (self.input_draws)(owner, timing)[0] == (next.input_draws)(owner, timing)[1]
        };
        let mut owners = (0..ROLES).flat_map(|owner| TIMINGS.map(|timing| (owner, timing)));
        self.draws[0] == next.draws[1] && owners.all(input)
    }

    /// How many words it sends on a stream to a role for a product, and how many it takes.
    fn words(&self, peer: RoleId, stream: Stream) -> [usize; 2] {
        let to_peer =
            |sink: &&Sink| matches!(sink, Sink::Send(to, by) if (*to, *by) == (peer, stream));
        let of_peer = |source: &&Source| (source.from, source.stream) == (peer, stream);
        let takes = self.takes.iter().flatten().chain(self.takes_late);
        [
            self.sends.iter().copied().flatten().filter(to_peer).count(),
            takes.filter(of_peer).count(),
        ]
    }
}

/// Checks what the types of roles say, of a protocol that is in no list: that it is their protocol, that shares are made of what the
/// descriptor says, that both holders of a key draw as much from it, and that what is sent is received. Nothing is checked of a protocol of a list.
///
/// **Nobody checks that it hides anything**, nor that it computes products.
///
/// # Errors
/// Says what does not fit.
pub fn check(protocol: Protocol) -> Result<(), String> {
    let Some(own) = protocol.own_roles() else { return Ok(()) };
    let Some(Checks(all)) = own.part() else {
        return Err(format!(
            "the protocol `{protocol}` cannot run: it does not come from `own::protocol`"
        ));
    };
    let alone = all.iter().try_for_each(|role| {
        (role.alone)(protocol).map_err(|why| format!("role {} {why}", role.role))
    });
    alone
        .and_then(|()| fit(all))
        .map_err(|why| format!("the protocol `{protocol}` cannot run: {why}"))
}

/// Checks that both holders of a key draw as much from it, and that what is sent for a product is received.
fn fit(all: &[Check; ROLES]) -> Result<(), String> {
    for from in all {
        let next = &all[(from.role + 1) % ROLES];
        if !from.draws_with(next) {
            return Err(format!(
                "roles {} and {} do not draw the same number of words under the key that they share",
                from.role, next.role
            ));
        }
        for to in all.iter().filter(|to| to.role != from.role) {
            for stream in Stream::ALL {
                let ([sent, _], [_, taken]) =
                    (from.words(to.role, stream), to.words(from.role, stream));
                if sent != taken {
                    return Err(format!(
                        "for a product role {} sends role {} {sent} words on the stream {stream:?}, and that one takes {taken}",
                        from.role, to.role
                    ));
                }
            }
        }
    }
    Ok(())
}

/// What a role says in constants, as far as it does not depend on the protocol, whose descriptor they become a part of.
const fn check_constants<P: Canonical>(role: RoleId) {
    assert!(P::ROLE == role, "the constant ROLE of a role is another number than its place");
    assert!(
        !(P::PROVEN || P::MADE || P::OPENS_AT_ONCE || P::TWO_PASSES),
        "a role of one's own makes products in one pass, which are neither proven nor checked"
    );
    assert!(P::Share::<u64>::COUNT == 2, "a role of one's own has shares of two words");
    assert!(P::Terms::<u64>::COUNT <= TERMS && P::CROSS <= P::Terms::<u64>::COUNT);
    assert!(P::OUT.len() <= OUTS && P::OUT.len() <= P::Out::<u64>::COUNT);
    assert!(P::LATE.len() <= 2 && P::RESULT.len() <= 2);
    let mut slot = 0;
    while slot < SLOTS {
        // A role has a key with each of the two others.
        assert!(
            P::DRAWS[slot] <= if slot < 2 { 2 } else { 0 },
            "draws from a key that is not there"
        );
        slot += 1;
    }
    assert!(P::SETTLE_DRAWS == 0, "a role of three draws nothing when it settles a product");
    assert!(!compares(P::OUT) && !compares(P::RESULT), "semi-honest parties compare nothing");
    let mut at = 0;
    while at < P::LATE.len() {
        assert!(P::LATE[at].log.is_none(), "semi-honest parties compare nothing");
        at += 1;
    }
    assert!(!matches!(P::EARLY, Some(Source { log: Some(_), .. })));
}

const fn compares(sinks: &[Sink]) -> bool {
    let mut at = 0;
    while at < sinks.len() {
        if matches!(sinks[at], Sink::Log(_)) {
            return true;
        }
        at += 1;
    }
    false
}

/// Checks what functions of a role say.
fn check_functions<P: Canonical>(protocol: Protocol) -> Result<(), &'static str> {
    let that = |holds: bool, wrong: &'static str| if holds { Ok(()) } else { Err(wrong) };
    that(P::PROTOCOL == protocol, "is of another protocol")?;
    let forms = protocol.roles().map_or(&[][..], |facts| facts.shares[P::ROLE]);
    that(forms == canonical_forms::<P>(), "has shares of other components than the protocol says")?;
    let back = P::to_replicated(P::from_replicated([3u64, 5]));
    that(back == [3, 5], "does not find replicated sharing again")?;
    for timing in TIMINGS {
        for owner in 0..ROLES {
            let [_, _, third, tail] = P::input_draws(owner, timing);
            that(!third && !tail, "draws for an input from a key that is not there")?;
        }
        let rule = P::input_rule(P::ROLE, timing);
        that(rule.log.is_none(), "compares inputs, which semi-honest parties do not")?;
        let fits =
            |(to, _, word): &(RoleId, Stream, usize)| *to < ROLES && *to != P::ROLE && *word < 2;
        that(rule.to.iter().all(fits), "sends an input to nobody")?;
        let ahead = rule.to.iter().any(|(to, ..)| protocol.ahead() == Some(*to));
        that(!ahead, "sends an input to a role that waits for nobody")?;
    }
    let (opener, _) = P::opener(P::ROLE);
    that(opener < ROLES && opener != P::ROLE, "opens what it lacks itself")?;
    that(P::open_checker(P::ROLE).is_none(), "compares openings, which semi-honest parties do not")
}

/// What a role's words are made of, by the components of a value. Its share in replicated sharing is `(s_i, s_{i+1})`, and role `j` lacks
/// `s_{j+2}`.
fn canonical_forms<P: Canonical>() -> [Form; 2] {
    let mut forms = [[0; 4]; 2];
    for (of, unit) in [[1u64, 0], [0, 1]].into_iter().enumerate() {
        let component = (P::ROLE + of + 1) % ROLES;
        for (form, factor) in forms.iter_mut().zip(P::from_replicated(unit)) {
            form[component] = match factor {
                0 => 0,
                1 => 1,
                u64::MAX => -1,
                // No form has such a factor.
                _ => i8::MAX,
            };
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_proof::visit_canonical;
    use tacit_sharing::astra::Astra;
    use tacit_sharing::replicated::{REPLICATED, Replicated};
    use tacit_sharing::role::CanonicalVisitor;
    use tacit_sharing::trio::{TRIO, Trio};

    /// In constants these would not compile.
    #[test]
    #[should_panic(expected = "another number than its place")]
    fn a_role_has_the_number_of_its_place() {
        let _ = Check::of::<Trio<1>>(0);
    }

    #[test]
    #[should_panic(expected = "neither proven nor checked")]
    fn products_are_not_proven() {
        struct OfRole;
        impl CanonicalVisitor for OfRole {
            type Out = ();
            fn visit<P: Canonical>(self) {
                let _ = Check::of::<P>(0);
            }
        }
        visit_canonical(crate::protocols::LIFT, 0, OfRole);
    }

    /// What is asked of others holds for those of the list that are as others could be.
    #[test]
    fn roles_of_the_list_fit_together() {
        let trio = [Check::of::<Trio<0>>(0), Check::of::<Trio<1>>(1), Check::of::<Trio<2>>(2)];
        let astra = [Check::of::<Astra<0>>(0), Check::of::<Astra<1>>(1), Check::of::<Astra<2>>(2)];
        for (role, (trio, astra)) in trio.iter().zip(&astra).enumerate() {
            assert_eq!((trio.alone)(TRIO), Ok(()));
            assert_eq!((astra.alone)(crate::protocols::ASTRA), Ok(()));
            assert!((trio.alone)(REPLICATED).is_err(), "{role}");
        }
        for all in [&trio, &astra] {
            assert_eq!(fit(all), Ok(()));
        }
        let mixed =
            [Check::of::<Trio<0>>(0), Check::of::<Trio<1>>(1), Check::of::<Replicated<2>>(2)];
        assert!(fit(&mixed).is_err());
    }
}
