//! Who plays which role in a program, and what its numbers are computed with.

use crate::assign::{Chosen, Wanted, choose, loads};
use crate::costs::product;
use crate::counter::Counter;
use crate::network::Network;
use crate::roles::{Demand, orders, single};
use tacit_backend::cost::Traffic;
use tacit_backend::{convert, cost};
use tacit_engine::circuit::{Assignment, EvaluateError, Preprocessing};
use tacit_engine::program::{By, Cost, ProgramJob, share_values};
use tacit_net::PartyId;
use tacit_program::Program;
use tacit_sharing::Protocol;

/// What of a job may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// Who plays which role.
    pub roles: bool,
    /// Whether several assignments of roles may stand side by side, where roles are free.
    pub split: bool,
    /// Rings or circuits.
    pub by: bool,
    /// How many rows of large arrays are computed together.
    pub chunk: bool,
}

/// What fits the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Assignments of roles: one, or several side by side.
    pub assignments: Vec<Assignment>,
    /// Rings or circuits.
    pub by: By,
    /// Rows of large arrays that are computed together.
    pub chunk_rows: usize,
    /// Seconds that the network takes for it at least.
    pub seconds: f64,
    /// Seconds that it takes for the job as it was given; none if that is impossible.
    pub given_seconds: Option<f64>,
}

/// Chooses what takes the network least time: rounds times the largest delay of a link that products
/// wait for, and the bytes of the busiest link. Processors do not count. Of equals it is the job as
/// given. Where roles are free there may be several assignments, of the job's protocol and those that it may run
/// `beside`, if that saves enough.
///
/// # Errors
/// When the job does not fit the program, however it is computed.
pub fn for_program(
    network: &Network,
    program: &Program,
    job: &ProgramJob,
    free: Free,
    beside: &[Protocol],
) -> Result<Choice, EvaluateError> {
    choose_with(network, &Counter::new(program), job, free, beside)
}

pub(crate) fn choose_with(
    network: &Network,
    counter: &Counter<'_>,
    job: &ProgramJob,
    free: Free,
    beside: &[Protocol],
) -> Result<Choice, EvaluateError> {
    let alone = |demand: &Demand| single(network, std::slice::from_ref(demand));
    let mut best: Option<(ProgramJob, f64)> = None;
    let (mut given_seconds, mut failed) = (None, None);
    for by in forms(job, free) {
        let own = ProgramJob { by, ..job.clone() };
        if best.as_ref().is_some_and(|(_, best)| least(network, counter, &own, free) >= *best) {
            continue;
        }
        let places = std::iter::once(job.places().to_vec()).chain(placings(job, free));
        for places in places {
            let candidate = own.clone().with(|it| it.assignments[0].places = places);
            let found = demand(counter, &candidate)
                .and_then(|demand| alone(&demand).map_err(|_| no_candidate()));
            match found {
                Ok(plan) => {
                    let shorter = |(_, best): &(_, f64)| plan.seconds < best * (1.0 - 1e-9);
                    if given_seconds.is_none() && candidate == *job {
                        given_seconds = Some(plan.seconds);
                    }
                    if best.as_ref().is_none_or(shorter) {
                        best = Some((candidate, plan.seconds));
                    }
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
    }
    let Some((mut chosen, mut seconds)) = best else {
        return Err(failed.unwrap_or_else(no_candidate));
    };
    // What links carry says little of how long several assignments of roles take side by side where one waits to deal.
    let waits = convert::hears_before_it_deals(job.protocol());
    if free.roles && free.split && can_split(&chosen) && !waits {
        let protocols: Vec<Protocol> =
            std::iter::once(job.protocol()).chain(beside.iter().copied()).collect();
        let split = split_with(network, counter, &chosen, &protocols, Wanted::Best)?;
        if split.assignments.len() > 1 || split.seconds < seconds * (1.0 - 1e-9) {
            seconds = split.seconds;
            chosen.assign(split.assignments)?;
        }
    }
    let (chunk_rows, seconds) = match free.chunk {
        true => chunk(network, counter, &chosen)?,
        false => (chosen.chunk_rows, seconds),
    };
    let (assignments, by) = (chosen.options.assignments, chosen.by);
    Ok(Choice { assignments, by, chunk_rows, seconds, given_seconds })
}

/// Whether a job's roles may change from row to row.
fn can_split(job: &ProgramJob) -> bool {
    let shares = job.protocol().has_roles() && !job.protocol().is_trusted_party();
    shares && job.options.preprocessing == Preprocessing::Interleaved
}

/// Chooses assignments of roles for a program among some protocols whose values parties can take from one to the other.
/// The assignments of the job are ignored.
///
/// # Errors
/// When the job does not fit the program, or roles of its protocol are not split.
pub fn split_program(
    network: &Network,
    program: &Program,
    job: &ProgramJob,
    protocols: &[Protocol],
    wanted: Wanted,
) -> Result<Chosen, EvaluateError> {
    split_with(network, &Counter::new(program), job, protocols, wanted)
}

fn split_with(
    network: &Network,
    counter: &Counter<'_>,
    job: &ProgramJob,
    protocols: &[Protocol],
    wanted: Wanted,
) -> Result<Chosen, EvaluateError> {
    if !can_split(job) {
        return Err(EvaluateError::Job(format!(
            "not supported: roles of programs that are split under {}, or with preprocessing before the inputs",
            job.protocol()
        )));
    }
    let words = job.rows.iter().max().map_or(1, |rows| rows.div_ceil(64)) as usize;
    let mut best: Option<Chosen> = None;
    for class in classes(job, protocols) {
        let demand = |assignment: &Assignment| {
            let mut job = job.clone();
            job.assign(vec![assignment.clone()])?;
            demand(counter, &job)
        };
        let demands = class.iter().map(demand).collect::<Result<Vec<_>, _>>()?;
        let chosen = choose(network, &class, &demands, wanted, words)
            .map_err(|e| EvaluateError::Bug(e.to_string()))?;
        if best.as_ref().is_none_or(|best| chosen.seconds < best.seconds * (1.0 - 1e-9)) {
            best = Some(chosen);
        }
    }
    best.ok_or_else(no_candidate)
}

/// All assignments to the parties of a job, those together whose shares can be made of each other's.
fn classes(job: &ProgramJob, protocols: &[Protocol]) -> Vec<Vec<Assignment>> {
    let mut classes: Vec<Vec<Assignment>> = Vec::new();
    for protocol in protocols {
        for order in orders(job.places().len(), protocol.parties()) {
            let places: Vec<PartyId> = order.iter().map(|p| job.places()[p.index()]).collect();
            let assignment = Assignment::new(*protocol, places);
            match classes.iter_mut().find(|class| share_values(&class[0], &assignment)) {
                Some(class) => class.push(assignment),
                None => classes.push(vec![assignment]),
            }
        }
    }
    classes
}

/// Chunks that are tried where a job's own have more rounds: rows of all workers together.
const LARGER: [usize; 2] = [1 << 17, 1 << 19];
/// Larger chunks fit caches less, and take memory: the smallest within this of the best is best.
const WORTH: f64 = 1.25;

/// The smallest chunk with which rounds take little of the time, and the seconds with it.
fn chunk(
    network: &Network,
    counter: &Counter<'_>,
    job: &ProgramJob,
) -> Result<(usize, f64), EvaluateError> {
    let most = job.rows.iter().copied().max().unwrap_or(0);
    let own = job.chunk_rows;
    let larger = LARGER.into_iter().scan(own, |last, size| {
        let size = size / job.options.workers.max(1);
        let splits = size > *last && most > *last as u64;
        *last = size.max(*last);
        splits.then_some(size)
    });
    let mut tried = Vec::new();
    for chunk_rows in std::iter::once(own).chain(larger) {
        let demand = demand(counter, &ProgramJob { chunk_rows, ..job.clone() })?;
        let seconds = |demand: Demand| {
            single(network, &[demand]).map(|plan| plan.seconds).map_err(|_| no_candidate())
        };
        let without_rounds = seconds(Demand { depth: 0, ..demand.clone() })?;
        let seconds = seconds(demand)?;
        tried.push((chunk_rows, seconds));
        if seconds <= without_rounds * WORTH {
            // Larger ones save rounds alone.
            break;
        }
    }
    let best = tried.iter().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min);
    let fits = |(_, seconds): &(usize, f64)| *seconds <= best * WORTH;
    tried.into_iter().find(fits).ok_or_else(no_candidate)
}

fn no_candidate() -> EvaluateError {
    EvaluateError::Bug("a program without any form".into())
}

/// Whether there is anything to choose of what is free.
pub(crate) fn has_choice(job: &ProgramJob, free: Free) -> bool {
    let several = forms(job, free).len() * placings(job, free).len() > 1;
    several || free.chunk || (free.roles && can_split(job))
}

fn forms(job: &ProgramJob, free: Free) -> Vec<By> {
    // The baseline computes in the clear.
    let both = job.protocol().has_rings() && !job.protocol().is_trusted_party();
    let other = if job.by == By::Rings { By::Circuits } else { By::Rings };
    if free.by && both { vec![job.by, other] } else { vec![job.by] }
}

fn placings(job: &ProgramJob, free: Free) -> Vec<Vec<PartyId>> {
    match free.roles && job.protocol().has_unlike_roles() {
        true => {
            // Who computes at all is a matter of trust, not of links.
            let orders = orders(job.places().len(), job.protocol().parties()).into_iter();
            let placed =
                |order: Vec<PartyId>| order.iter().map(|p| job.places()[p.index()]).collect();
            orders.map(placed).collect()
        }
        false => vec![job.places().to_vec()],
    }
}

/// What a job asks of the network.
fn demand(counter: &Counter<'_>, job: &ProgramJob) -> Result<Demand, EvaluateError> {
    Ok(demand_of(job, &counter.count(job)?.cost))
}

fn demand_of(job: &ProgramJob, cost: &Cost) -> Demand {
    Demand {
        bytes: loads(&cost.bytes.placed(&job.everyone())),
        critical: critical(job),
        depth: levels(job, cost),
    }
}

/// Seconds that the network takes at least for a job in one assignment of roles, whichever it is: as if proofs of products cost
/// nothing, which take long to count where products are many. Infinite where it does not run.
pub(crate) fn least(network: &Network, counter: &Counter<'_>, job: &ProgramJob, free: Free) -> f64 {
    let jobs = placings(job, free)
        .into_iter()
        .map(|places| job.clone().with(|it| it.assignments[0].places = places));
    let seconds = |job: ProgramJob| {
        let demand = demand_of(&job, &counter.least(&job).ok()?);
        single(network, &[demand]).ok().map(|plan| plan.seconds)
    };
    jobs.filter_map(seconds).fold(f64::INFINITY, f64::min)
}

/// Directed links that operations wait for.
pub(crate) fn critical(job: &ProgramJob) -> Vec<(usize, usize)> {
    let assignments = job.options.assignments.iter();
    let awaited = assignments.map(|it| awaited(it.protocol, job.by).placed(&it.places));
    let awaited = awaited.fold(Traffic::default(), |sum, next| sum + next);
    cost::links().filter(|(from, to)| awaited.on[*from][*to] > 0).collect()
}

/// How often operations wait for them.
pub(crate) fn levels(job: &ProgramJob, cost: &Cost) -> u64 {
    cost::latencies(job.protocol()) * cost.rounds.into_iter().max().unwrap_or(0)
}

/// The links that operations wait for, as online traffic.
fn awaited(protocol: Protocol, by: By) -> Traffic {
    let products = product(protocol);
    let by_seats = by == By::Rings && protocol.has_rings() && !protocol.proves_products();
    if !by_seats || protocol.is_trusted_party() {
        return products;
    }
    let all = products + convert::gadget_cost(protocol);
    match convert::hears_before_it_deals(protocol) {
        // The dealer deals when it has heard what was raised: both ways are waited for.
        true => {
            let deals = Traffic { on: convert::deal_cost(protocol).pre, ..Traffic::default() };
            let raises = Traffic { on: convert::raise_cost(protocol).def, ..Traffic::default() };
            all + deals + raises
        }
        false => all + convert::deal_cost(protocol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_engine::program::CompiledProgram;
    use tacit_engine::protocols::{
        ASTRA, BMR, BRAIN_BUCKETS, FANTASTIC_FOUR, GMW, LIFT, PLAIN, POST, QUAD, QUAD_A, QUAD_HET,
        REPLICATED, TAGGED, TETRAD, TRIO, WIDE_LIFT, YAO_THREE,
    };
    use tacit_program::text;

    const TEXT: &str = "program choice\nparties a, b, c\nrows n <= 1000000\n\
        input x: i16[n] from a\ninput y: i16[n] from b\n";

    fn job(protocol: Protocol, rows: u64) -> ProgramJob {
        ProgramJob::new(protocol, PartyId::all(3).collect(), vec![rows])
    }

    fn choose(network: &Network, reveal: &str, job: &ProgramJob, free: Free) -> Choice {
        let program = text::parse("choice", &format!("{TEXT}{reveal}\n")).unwrap();
        for_program(network, &program, job, free, &[]).unwrap()
    }

    const ROLES: Free = Free { roles: true, split: true, by: false, chunk: false };
    const BY: Free = Free { roles: false, split: false, by: true, chunk: false };
    const CHUNK: Free = Free { roles: false, split: false, by: false, chunk: true };

    #[test]
    fn the_pair_that_waits_is_the_near_one() {
        // Parties 0 and 2 are near each other.
        let network = Network::new(3, |a, b| {
            let near = a.index() + b.index() == 2;
            (1e9, if near { 0.001 } else { 0.1 })
        });
        let reveal = "reveal sum(select(x < y, x, y), axis 0) to a as \"s\"";
        for protocol in [TRIO, ASTRA] {
            let choice = choose(&network, reveal, &job(protocol, 10), ROLES);
            assert_eq!(choice.assignments[0].places[0], PartyId(1), "{protocol}");
            assert!(choice.seconds < 0.05 * choice.given_seconds.unwrap(), "{protocol}");
        }
    }

    /// In rings under Quad-Het role 0 deals as it hears from role 2: far from it is not the place to be.
    #[test]
    fn who_deals_online_is_near_who_is_dealt_to() {
        // Party 3 is far from everybody.
        let network = Network::new(4, |a, b| {
            let far = a.index() == 3 || b.index() == 3;
            (1e9, if far { 0.1 } else { 0.001 })
        });
        let reveal = "reveal sum(select(x < y, x, y), axis 0) to a as \"s\"";
        for (protocol, waits_for_nobody) in [(QUAD, &[0, 3][..]), (QUAD_A, &[3]), (QUAD_HET, &[3])]
        {
            let choice = choose(&network, reveal, &job(protocol, 10), ROLES);
            let places = &choice.assignments[0].places;
            let role = places.iter().position(|party| *party == PartyId(3)).unwrap();
            assert!(waits_for_nobody.contains(&role), "{protocol}: {places:?}");
        }
    }

    #[test]
    fn who_has_the_faster_uplink_garbles() {
        let network = Network::new(3, |a, b| {
            let fast = [a.index(), b.index()] == [2, 0];
            (if fast { 1e9 } else { 1e6 }, 0.01)
        });
        let reveal = "reveal sum(select(x < y, x, y), axis 0) to a as \"s\"";
        let choice = choose(&network, reveal, &job(YAO_THREE, 1000), ROLES);
        let places = &choice.assignments[0].places;
        assert_eq!([places[0], places[2]], [2, 0].map(PartyId));
        // Labels of inputs still take the slow links.
        let given = choice.given_seconds.unwrap();
        assert!(choice.seconds < 0.8 * given, "{} against {given}", choice.seconds);
    }

    /// So that what cannot win by it need not be counted whole.
    #[test]
    fn the_least_that_a_job_costs_is_no_more_than_it_costs() {
        let network = Network::new(3, |_, _| (1e7, 1e-3));
        let text = format!("{TEXT}reveal sum(select(x < y, x, y), axis 0) to a as \"s\"\n");
        let program = text::parse("choice", &text).unwrap();
        for protocol in [TRIO, LIFT, WIDE_LIFT, POST, TAGGED, BRAIN_BUCKETS] {
            let counter = Counter::new(&program);
            for by in [By::Rings, By::Circuits] {
                let job = ProgramJob { by, ..job(protocol, 5000) };
                let whole = demand(&counter, &job).unwrap();
                let whole = single(&network, &[whole]).unwrap().seconds;
                let least = least(&network, &counter, &job, BY);
                assert!(least > 0.1 * whole && least <= whole, "{protocol} {by}: {least} {whole}");
                assert_eq!(least < whole, protocol.proves_products(), "{protocol} {by}");
                // Counted once.
                let before = counter.count(&job).unwrap();
                assert!(std::rc::Rc::ptr_eq(&before, &counter.count(&job).unwrap()));
            }
        }
    }

    #[test]
    fn products_take_rings_and_shifts_take_circuits() {
        let network = Network::uniform(3);
        let products = "reveal sum(x * y, axis 0) to a as \"s\"";
        let shifts = "reveal shift_right(select(x < y, x, y), by 3) to a as \"s\"";
        for protocol in [TRIO, LIFT] {
            let untested = ProgramJob { range_check: false, ..job(protocol, 100_000) };
            for (reveal, by) in [(products, By::Rings), (shifts, By::Circuits)] {
                let choice = choose(&network, reveal, &untested, BY);
                assert_eq!(choice.by, by, "{protocol}: {reveal}");
                assert_eq!(choice.assignments, job(protocol, 1).options.assignments);
            }
        }
        // In circuits there is nothing to test: an input is as many bits as its range needs.
        let tested = choose(&network, products, &job(LIFT, 100_000), BY);
        assert_eq!(tested.by, By::Circuits);
    }

    #[test]
    fn where_nothing_is_free_the_job_stays() {
        let network = Network::uniform(3);
        let reveal = "reveal sum(x * y, axis 0) to a as \"s\"";
        for protocol in [PLAIN, GMW.fitting(3), BMR.fitting(3), TRIO] {
            let given = job(protocol, 10);
            let none = Free { roles: false, split: false, by: false, chunk: false };
            let all = protocol != TRIO;
            let all = Free { roles: all, split: all, by: all, chunk: false };
            let free = if protocol.is_trusted_party() { none } else { all };
            let choice = choose(&network, reveal, &given, free);
            assert_eq!(choice.assignments, given.options.assignments, "{protocol}");
            assert_eq!(choice.by, given.by, "{protocol}");
        }
    }

    #[test]
    fn chunks_are_large_where_rounds_are_slow() {
        let reveal = "reveal sum(select(x < y, x, y), axis 0) to a as \"s\"";
        let on = |delay: f64, rows: u64| {
            let network = Network::new(3, |_, _| (1e9, delay));
            let choice = choose(&network, reveal, &job(TRIO, rows), CHUNK);
            assert!(choice.seconds <= choice.given_seconds.unwrap());
            choice.chunk_rows
        };
        let usual = job(TRIO, 1).chunk_rows;
        assert_eq!(on(0.00001, 900_000), usual);
        assert_eq!(on(0.1, 900_000), 1 << 19);
        // Nor are they larger than it takes.
        assert_eq!(on(0.1, 100_000), 1 << 17);
        assert_eq!(on(0.1, 30_000), usual);
    }

    /// Products of many rows: as much faster as circuits are, but for orders of Quad's roles whose shares cannot
    /// be made of each other's.
    #[test]
    fn roles_are_split_where_links_are_busy() {
        let text = format!("{TEXT}reveal sum(x * y, axis 0) to a as \"s\"\n");
        let program = text::parse("choice", &text).unwrap();
        for (protocol, rate) in [
            (TRIO, 2.0),
            (REPLICATED, 2.0),
            (BRAIN_BUCKETS, 2.0),
            (QUAD, 1.3),
            (TETRAD, 2.2),
            (FANTASTIC_FOUR, 1.9),
        ] {
            let network = Network::new(protocol.parties(), |_, _| (1e7, 1e-5));
            let job = job(protocol, 1_000_000);
            // Inputs of one party load its links alone.
            let split = |wanted| split_program(&network, &program, &job, &[protocol], wanted);
            let [one, many] = [Wanted::Single, Wanted::Split].map(|wanted| split(wanted).unwrap());
            let saved = one.seconds / many.seconds;
            assert!(many.assignments.len() > 1 && saved > 0.6 * rate, "{protocol}: {saved}");
            let choice = for_program(&network, &program, &job, ROLES, &[]).unwrap();
            let expected = job.clone();
            let mut job = job;
            job.assign(choice.assignments).unwrap();
            assert!(
                CompiledProgram::new(&program, job).is_ok(),
                "{protocol}: {:?}",
                expected.places()
            );
        }
        for other in [GMW.fitting(3), PLAIN] {
            let job = job(other, 1000);
            let split =
                split_program(&Network::uniform(3), &program, &job, &[other], Wanted::Split);
            assert!(split.unwrap_err().to_string().contains("not supported"), "{other}");
        }
    }

    #[test]
    fn a_job_that_fits_in_no_form_is_an_error() {
        let text = format!("{TEXT}reveal x < y to a as \"s\"\n");
        let program = text::parse("choice", &text).unwrap();
        let too_many = job(TRIO, 2_000_000);
        let all = Free { roles: true, split: true, by: true, chunk: true };
        assert!(for_program(&Network::uniform(3), &program, &too_many, all, &[]).is_err());
    }
}
