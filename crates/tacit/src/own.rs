//! Protocols of your own: write three roles, and run whatever Tacit runs under them.
//!
//! The list of [`protocols`](crate::protocols) is Tacit's. A protocol that is not in it is a constant of your crate, which you name
//! where you would name one of the list. You write what each of three roles computes, draws, sends and receives, as equations on words of a
//! ring. Batches of products, streams of messages, threads, the meter, agreement of the parties, programs, circuits, TLS and
//! reports are Tacit's.
//!
//! The crate `examples/own-protocol` of Tacit's repository is a whole protocol in 150 lines, with tests. It depends on this package
//! alone.
//!
//! # What you write
//!
//! 1. **A type for each role**, `MyRole<const R: RoleId>`, which is a [`Role`]: its share of a constant, its part of a product in three steps, how
//!    inputs are shared, and who opens a value to whom. Constants say who sends words to whom; what a product costs follows from them.
//! 2. **[`Canonical`]** for that type: the two maps between its share and replicated sharing, in which `x = s0 + s1 + s2` and
//!    role i holds `(s_i, s_{i+1})`. Programs convert numbers, compare, divide and sort by these maps. They are local, so your shares must be
//!    sums and differences of such components.
//! 3. **[`ThreeRoles`]**: the name, what shares are made of, and the type of the roles. [`protocol`] makes the constant of it.
//!
//! ```
//! use tacit::own::{self, Canonical, Drawn, Form, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Stream};
//! use tacit::own::{ThreeRoles, Timing, Word};
//! use tacit::{LocalParties, Program, Protocol};
//!
//! /// Additive shares that all parties see: **it hides nothing**, and shows the form of a protocol on one screen.
//! const OPEN: Protocol = own::protocol::<Open>();
//! struct Open;
//!
//! impl ThreeRoles for Open {
//!     const NAME: &'static str = "open-to-all";
//!     // Role i holds components i+1 and i+2, as in replicated sharing.
//!     const SHARES: [&'static [Form]; 3] = [
//!         &[[0, 1, 0, 0], [0, 0, 1, 0]], &[[0, 0, 1, 0], [1, 0, 0, 0]], &[[1, 0, 0, 0], [0, 1, 0, 0]],
//!     ];
//!     type Role<const R: RoleId> = OpenRole<R>;
//! }
//!
//! #[derive(Clone, Copy)]
//! struct OpenRole<const R: RoleId>;
//!
//! impl<const R: RoleId> Role for OpenRole<R> {
//!     type Share<W: Word> = Share<W>;
//!     type Terms<W: Word> = [W; 2];
//!     type Out<W: Word> = [W; 2];
//!     type Ahead = Self;
//!     const PROTOCOL: Protocol = OPEN;
//!     const ROLE: RoleId = R;
//!     const DRAWS: [usize; SLOTS] = [0; SLOTS];
//!     const EARLY: Option<Source> = None;
//!     // Its summand of a product goes to the role before it.
//!     const OUT: &'static [Sink] = &[Sink::Send((R + 2) % 3, Stream::On)];
//!     const LATE: &'static [Source] = &[Source::new((R + 1) % 3, Stream::On)];
//!
//!     fn constant<W: Word>(c: W) -> Share<W> {
//!         [[c, W::ZERO], [W::ZERO; 2], [W::ZERO, c]][R]
//!     }
//!     fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
//!         [a[0].mul(b[0].add(b[1])).add(a[1].mul(b[0])), W::ZERO]
//!     }
//!     fn mask<W: Word>(v: [W; 2], _: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
//!         (v, v) // A protocol that hides anything adds a mask here.
//!     }
//!     fn settle<W: Word>(partial: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
//!         ([partial[0], late[0]], [W::ZERO; 2])
//!     }
//!     fn input_rule(owner: RoleId, _: Timing) -> InputRule {
//!         const TO: [&[(RoleId, Stream, usize)]; 3] =
//!             [&[(2, Stream::On, 0)], &[(0, Stream::On, 0)], &[(1, Stream::On, 0)]];
//!         InputRule { to: TO[owner], log: None }
//!     }
//!     fn input_draws(_: RoleId, _: Timing) -> [bool; SLOTS] {
//!         [false; SLOTS]
//!     }
//!     fn input_own<W: Word>(_: Timing, v: W, _: [W; SLOTS]) -> (Share<W>, [W; 2]) {
//!         ([v, W::ZERO], [v, W::ZERO])
//!     }
//!     fn input_part<W: Word>(_: RoleId, _: Timing, _: [W; SLOTS]) -> Share<W> {
//!         [W::ZERO; 2]
//!     }
//!     fn input_other<W: Word>(owner: RoleId, _: Timing, part: Share<W>, received: W) -> Share<W> {
//!         if R == (owner + 1) % 3 { part } else { [W::ZERO, received] }
//!     }
//!     fn opener(receiver: RoleId) -> (RoleId, Stream) {
//!         ((receiver + 1) % 3, Stream::On)
//!     }
//!     fn open_word<W: Word>(_: RoleId, share: Share<W>) -> W {
//!         share[1]
//!     }
//!     fn opened<W: Word>(share: Share<W>, received: W) -> W {
//!         share[0].add(share[1]).add(received)
//!     }
//! }
//!
//! impl<const R: RoleId> Canonical for OpenRole<R> {
//!     fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
//!         share
//!     }
//!     fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
//!         share
//!     }
//! }
//!
//! let program = Program::parse("less", r#"
//!     program less
//!     parties alice, bob
//!     input a: u16 from alice in 0..1000
//!     input b: u16 from bob in 0..1000
//!     reveal a < b to all as "less"
//! "#)?;
//! let outcome = LocalParties::new(&program, OPEN).input("a", 3).input("b", 4).run()?;
//! assert_eq!(outcome["less"], true);
//! assert_eq!(outcome.report().protocol, "open-to-all");
//! # Ok::<(), tacit::Error>(())
//! ```
//!
//! # The way of a value
//!
//! ```text
//!  owner                             every role                                    receiver
//!
//!  value ── input_own ──► share ──►  cross ─► mask ─┬─► OUT    ══► other roles      share ─┬─ opened ─► value
//!              │   draws under                ▲     └─► half a share ─┐                    │
//!              │   keys of two roles          │                       ▼                    │
//!              ╘══► input_other at       EARLY, draws    LATE ══► settle ─► share          ╘══ open_word
//!                   the other roles                                                            of opener
//!
//!  ─► within a role    ══► a message: words of the ring, all of one step in one message per link
//! ```
//!
//! `cross` is called for both factors of a product, and its summands are added up where a result is a sum of products: an inner product costs as
//! much as one product. All functions are called with `W` a word of 64 bits (Z_2, XOR and AND) or a number modulo 2^32, 2^64 or 2^128.
//!
//! # What you promise
//!
//! Tacit takes your word for these: inputs are as safe as they are true. Only what [the next section](#what-is-checked) lists is checked.
//!
//! * **Who is protected from whom.** Your protocol is announced as *semi-honest, one of three*: one party that is curious, and follows the
//!   protocol, learns nothing but what the program reveals to it. Policies of parties are held against that. If a party deviates, results may be
//!   wrong and inputs may leak, and nobody notices; declared ranges of inputs are not enforced.
//! * **Randomness.** Roles i and j have a key that the third does not have. From [slot](SLOTS) 0 a role draws under its key with role i+1, from
//!   slot 1 under that with role i+2 (modulo 3). Both holders of a key must draw the same number of words for every purpose: so what role i says of
//!   slot 0, in [`Role::DRAWS`] and [`Role::input_draws`], role i+1 says of slot 1. Then both get the same words, and no word serves
//!   twice. Draw from nowhere else.
//! * **Every message is hidden** from its receiver by a word that the receiver cannot compute, and that nothing else uses; but for what opens a
//!   value to its receiver, which must follow from that value and from what the receiver has.
//! * **Nothing depends on a secret** but the words: no branch, no index. Functions have no other inputs, and keep nothing.
//! * **What opens has been computed by the protocol.** A semi-honest protocol compares nothing before it opens. A protocol that notices cheats
//!   must have checked all that a result depends on before that opens, products and inputs alike; Tacit does this by transcripts and proofs of
//!   its own protocols, and does not offer it for others.
//! * **The name says what is sent.** Parties compare the protocol's name before they start, and nothing else of it. If you change what is sent, or
//!   what is computed of it, change the name.
//!
//! # What is checked
//!
//! The compiler refuses constants that no role can have, and names that could be misread. Before anything is sent, a run is
//! refused with an [`Input`](crate::ErrorKind::Input) error where the name is one of Tacit's list, a role belongs to another protocol, shares are not
//! made of what [`ThreeRoles::SHARES`] says, the two holders of a key say that they draw different numbers of words, or a role sends words for a product that the
//! receiver does not take. After a run its report has what your
//! constants said a run would send beside what the meter counted: compare the two in your tests, and results with those of
//! [`PLAIN`](crate::protocols::PLAIN) and [`REPLICATED`](crate::protocols::REPLICATED).
//!
//! # Where it runs, and where not
//!
//! [`LocalParties`](crate::LocalParties), [`Party::run`](crate::Party::run) and [`Party::evaluate`](crate::Party::evaluate) run it, on any number of threads, with roles
//! given out by hand or by the links. [`Program::explain`](crate::Program::explain) predicts what it takes.
//!
//! Not supported for protocols of one's own: [`Run::prepared`](crate::Run::prepared), because stores are filled by the command line; products of
//! more than two factors in one round; products divided among several ways; roles of four parties; and checks against cheats. Nothing proposes
//! a protocol that it does not know: [`Run::protect_against`](crate::Run::protect_against), [`Program::plan`](crate::Program::plan) and the command `tacit` choose among, and
//! name, those of the list alone. The command has no plug-ins.

pub use tacit_engine::own::{ThreeRoles, protocol};
pub use tacit_net::Stream;
pub use tacit_protocol::Form;
pub use tacit_ring::Word;
pub use tacit_sharing::role::{
    Canonical, Drawn, Few, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing,
};
