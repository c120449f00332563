//! Which program is computed, by whom, on how many rows.

use crate::circuit::{Assignment, EvaluateError, assignment, list};
use crate::options::{Garbling, Options, Preprocessing};
use std::fmt;
use std::str::FromStr;
use tacit_backend::Ring;
use tacit_backend::cost::MAX_ROLES;
use tacit_garbling::garbler;
use tacit_net::PartyId;
use tacit_program::{Program, text};
use tacit_proof::Method;
use tacit_sharing::reseat::Reseat;
use tacit_sharing::{Protocol, RoleId};

/// Rows of a large array that are computed together, unless the job says otherwise: their values
/// stay in the outer caches.
pub const CHUNK_ROWS: usize = 1 << 15;

/// What secret numbers are computed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum By {
    /// Shares in rings of machine words.
    #[default]
    Rings,
    /// Shares of bits, and circuits: what protocols that are Boolean only have.
    Circuits,
}

impl By {
    /// The name used on command lines and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            By::Rings => "rings",
            By::Circuits => "circuits",
        }
    }

    /// What programs under a protocol use unless they are told: rings, if it has them.
    #[must_use]
    pub fn of(protocol: Protocol) -> By {
        if protocol.has_rings() { By::Rings } else { By::Circuits }
    }

    /// The ring for numbers of so many bits, if there is one.
    #[must_use]
    pub fn ring(self, bits: u32) -> Option<Ring> {
        match self {
            By::Rings => Ring::holding(bits),
            By::Circuits => {
                let bits = u8::try_from(bits.max(1)).ok().filter(|bits| *bits <= 128);
                bits.map(Ring::Bits)
            }
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = [By::Rings, By::Circuits].into_iter().find(|by| by.name() == name);
        known.ok_or_else(|| "numbers are computed by `rings` or by `circuits`".into())
    }
}

/// A program for named parties that all of them agree on before any share is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramJob {
    /// How it is computed.
    pub options: Options,
    /// What numbers are computed with.
    pub by: By,
    /// `parties[p]` is the party that the program calls its party `p`.
    pub parties: Vec<PartyId>,
    /// Row counts, by dim.
    pub rows: Vec<u64>,
    /// Rows of large arrays that are computed together. Fewer take less memory and more rounds.
    pub chunk_rows: usize,
    /// Under protocols whose parties garble together, where they do that as the program runs: about how many ANDs each
    /// circuit has, at most. More take more memory and fewer rounds. If it is not said, a circuit takes some hundred
    /// megabytes.
    pub block_ands: Option<usize>,
    /// Under protocols that notice cheats, whether private inputs are tested to lie in their declared ranges before
    /// anything opens. If not, who shares others may read what it likes of other parties' inputs.
    pub range_check: bool,
}

impl ProgramJob {
    /// A job with the [usual options](Options::new).
    #[must_use]
    pub fn new(protocol: Protocol, parties: Vec<PartyId>, rows: Vec<u64>) -> Self {
        ProgramJob {
            options: Options::new(protocol),
            by: By::of(protocol),
            parties,
            rows,
            chunk_rows: CHUNK_ROWS,
            block_ands: None,
            range_check: true,
        }
    }

    /// The same job with other options.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Whether private inputs are tested to lie in their declared ranges: other protocols than those that notice
    /// cheats take every party's word for it.
    #[must_use]
    pub fn tests_ranges(&self) -> bool {
        self.range_check && self.protocol().is_malicious()
    }

    /// Whether its circuits can be garbled as the program runs.
    #[must_use]
    pub fn may_stream(&self) -> bool {
        self.protocol().one_garbles() || self.in_blocks()
    }

    /// Whether that is circuit by circuit.
    #[must_use]
    pub fn in_blocks(&self) -> bool {
        self.goes_on().is_some()
    }

    fn goes_on(&self) -> Option<usize> {
        garbler(self.protocol())?.goes_on()
    }

    /// About how many ANDs such a circuit has, at most.
    pub(super) fn most_ands(&self) -> usize {
        let most = self.goes_on().map_or(usize::MAX, |all| all / self.protocol().parties());
        self.block_ands.unwrap_or(most)
    }

    /// The protocol, of the first assignment of roles if there are several.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.options.protocol()
    }

    /// By role, the parties that play the roles of the first assignment.
    #[must_use]
    pub fn places(&self) -> &[PartyId] {
        self.options.places()
    }

    /// Gives the roles out in these ways, side by side.
    ///
    /// # Errors
    /// When there is none, or products are balanced.
    pub fn assign(&mut self, assignments: Vec<Assignment>) -> Result<(), EvaluateError> {
        if assignments.is_empty() {
            return Err(EvaluateError::Job("a job needs an assignment of roles".into()));
        }
        refuse_balanced(&assignments)?;
        self.options.assignments = assignments;
        Ok(())
    }

    /// Worker threads per party, of all assignments of roles.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.options.threads()
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self, program: &Program) -> Vec<(&'static str, String)> {
        let dims = program.dims.iter().zip(&self.rows);
        let rows: Vec<String> = dims.map(|(dim, rows)| format!("{}={rows}", dim.name)).collect();
        let preprocessing = ["in the run", "before the inputs"];
        let mut facts = vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("program", hex::encode(text::digest(program))),
            ("parties of the program", list(self.parties.iter())),
            ("rows", rows.join(" ")),
            ("protocol", self.protocol().to_string()),
            ("numbers by", self.by.to_string()),
            ("roles", self.roles_fact()),
            ("threads", self.options.workers.to_string()),
            ("rows per chunk", self.chunk_rows.to_string()),
            ("preprocessing", self.options.preprocessing_fact(preprocessing)),
        ];
        if self.protocol().is_malicious() {
            let tested =
                if self.range_check { "checked" } else { "not checked (--no-range-check)" };
            facts.push(("declared ranges of inputs", tested.to_string()));
        }
        facts.extend(self.options.facts_of_some());
        facts
    }

    fn roles_fact(&self) -> String {
        match &self.options.assignments[..] {
            [only] => list(only.places.iter()),
            _ => self.options.roles(),
        }
    }

    /// Checks the job against the program.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, program: &Program) -> Result<(), EvaluateError> {
        let fail = |text: String| Err(EvaluateError::Job(text));
        if self.by == By::Rings && !self.protocol().has_rings() {
            return fail(format!(
                "not supported: {} computes programs by circuits, not in rings; add --by circuits",
                self.protocol()
            ));
        }
        if self.parties.len() != program.parties.len() {
            let (wanted, given) = (program.parties.len(), self.parties.len());
            return fail(format!("the program has {wanted} parties, but {given} are named"));
        }
        if self.by == By::Circuits && self.protocol().is_trusted_party() {
            return fail("the trusted party computes in the clear, not by circuits".into());
        }
        if self.options.workers == 0 || self.chunk_rows == 0 {
            return fail("a job needs at least one thread and one row per chunk".into());
        }
        self.options.check_tables()?;
        if self.block_ands == Some(0) {
            return fail("a garbled circuit has one AND at least".into());
        }
        let Options { garbling, preprocessing, .. } = self.options;
        let whole = garbling == Garbling::Whole || preprocessing == Preprocessing::Separate;
        if self.block_ands.is_some() && (whole || !self.in_blocks()) {
            return fail(
                "only programs that are garbled circuit by circuit as they run (under bmr and its kin, half-gates \
                 and authenticated) take a number of ANDs for each circuit"
                    .into(),
            );
        }
        let streaming = "yao, yao-silent, yao-three, bmr and its kin, half-gates and authenticated";
        self.options.check_garbling(self.may_stream(), streaming)?;
        self.check_assignments()?;
        let outside = self.outside().len();
        if outside > 0 && (self.protocol().garbles() || self.protocol().is_trusted_party()) {
            return fail(format!(
                "not supported: {outside} of the program's parties play no role; under {} all must, as under other \
                 protocols that garble or trust a party",
                self.protocol()
            ));
        }
        if self.everyone().len() > MAX_ROLES {
            return fail(format!("a program has at most {MAX_ROLES} parties"));
        }
        if preprocessing == Preprocessing::Separate && !self.protocol().garbles() {
            self.check_preprocessing()?;
        }
        tacit_program::clear::check_rows(program, &self.rows)
            .map_err(|e| EvaluateError::Job(e.to_string()))
    }

    /// Refuses jobs whose preprocessing cannot come before inputs are known.
    pub(super) fn check_preprocessing(&self) -> Result<(), EvaluateError> {
        let fail = |text: String| Err(EvaluateError::Job(text));
        if self.protocol().is_trusted_party() {
            return fail("plain has no preprocessing".into());
        }
        if !self.outside().is_empty() {
            return fail(
                "not supported: parties that do not compute, where preprocessing comes before inputs are known"
                    .into(),
            );
        }
        Ok(())
    }

    fn check_assignments(&self) -> Result<(), EvaluateError> {
        let fail = |text: String| Err(EvaluateError::Job(text));
        let Options { assignments, preprocessing, .. } = &self.options;
        assignment::check(assignments)?;
        refuse_balanced(assignments)?;
        let (first, beside) = (&assignments[0], &assignments[1..]);
        for other in beside {
            let Assignment { protocol, places, .. } = other;
            if Method::of(*protocol) != Method::of(first.protocol) {
                return fail(format!(
                    "not supported: programs under {} beside {protocol}",
                    first.protocol
                ));
            }
            if places.iter().any(|party| !self.places().contains(party)) {
                return fail(
                    "not supported: programs whose roles are split among more parties than there are roles"
                        .into(),
                );
            }
            if !share_values(first, other) {
                return fail(format!(
                    "not supported: a program under {first} beside {other}, as values of one cannot be used by the \
                     other; see docs/roles.md, or leave the choice to --roles split"
                ));
            }
        }
        if !beside.is_empty() && *preprocessing == Preprocessing::Separate {
            return fail(
                "not supported: preprocessing of programs before the inputs, where roles are split: what is \
                 shared by one assignment of roles is used by another one"
                    .into(),
            );
        }
        Ok(())
    }

    /// The program's parties that play no role: they give inputs and learn results.
    #[must_use]
    pub fn outside(&self) -> Vec<PartyId> {
        let plays_none = |party: &&PartyId| !self.places().contains(party);
        self.parties.iter().filter(plays_none).copied().collect()
    }

    /// Who is who in traffic: the parties that play roles, in the order of these, then those outside.
    #[must_use]
    pub fn everyone(&self) -> Vec<PartyId> {
        self.places().iter().copied().chain(self.outside()).collect()
    }

    /// The place of a party among [`ProgramJob::everyone`]: its role, if it plays one.
    ///
    /// # Errors
    /// When it has no part in the program.
    pub(super) fn seat_of(&self, party: PartyId) -> Result<RoleId, EvaluateError> {
        let seat = self.everyone().iter().position(|p| *p == party);
        seat.ok_or_else(|| EvaluateError::Job(format!("party {} has no part in it", party.0)))
    }

    /// The role that a party of the session plays.
    ///
    /// # Errors
    /// When it plays none.
    pub fn role_of(&self, party: PartyId) -> Result<RoleId, EvaluateError> {
        self.options.assignments[0].role_of(party)
    }
}

/// Refuses assignments whose products are made in several ways.
fn refuse_balanced(assignments: &[Assignment]) -> Result<(), EvaluateError> {
    match assignments.iter().all(|it| it.balance.is_none()) {
        true => Ok(()),
        false => Err(EvaluateError::Job("not supported: balanced products in programs".into())),
    }
}

/// Whether workers of one assignment can compute with values of another one: parties can make the shares, and
/// coins stay what they promise.
///
/// A coin of a proof ([`tacit_proof`]) is shown in one round, which a role may do because all that the
/// coin binds comes to the role before the sender. Where the other assignment's order of the roles runs the other
/// way round, a cheat could hold back a message of that one from its receiver until the third party, which does
/// not wait for it, has shown a coin here.
#[must_use]
pub fn share_values(one: &Assignment, other: &Assignment) -> bool {
    let [a, b] = [one, other].map(|it| (it.protocol, &it.places[..]));
    let tosses = |protocol: Protocol| {
        let method = Method::of(protocol);
        method.is_some_and(|method| !matches!(method, Method::Brain(..)))
    };
    let alike = !tosses(a.0) || is_rotation(a.1, b.1);
    alike && Reseat::fits(a, b) && Reseat::fits(b, a)
}

/// Whether the same parties follow each other in a circle.
fn is_rotation(one: &[PartyId], other: &[PartyId]) -> bool {
    let shift = other.iter().position(|party| one.first() == Some(party));
    shift.is_some_and(|shift| {
        let turned = other.iter().cycle().skip(shift);
        one.len() == other.len() && one.iter().zip(turned).all(|(a, b)| a == b)
    })
}
