//! What each line of a program costs.
//!
//! A line is whatever the spans of the program's operations say: who wants costs by operation numbers them there.

use super::compiled::CompiledProgram;
use super::cost::Counting;
use super::drawn;
use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use tacit_backend::cost::Products;
use tacit_backend::{LineCost, Tally};

impl CompiledProgram {
    /// What each line costs, by number, of a job with one worker: over shares as many bytes, rounds and products
    /// together as [`CompiledProgram::cost`] says, but for what those outside send and wait for. Where circuits are garbled it
    /// is ANDs alone, before what circuits have in common is found.
    ///
    /// # Errors
    /// When arrays are too large, the job has more workers, or the protocol computes in the clear.
    pub fn cost_by_line(&self) -> Result<BTreeMap<u32, LineCost>, EvaluateError> {
        if self.job.protocol().is_trusted_party() || self.job.threads() != 1 {
            return Err(EvaluateError::Job(format!(
                "not supported: the cost of each operation under {} with {} workers",
                self.job.protocol(),
                self.job.threads()
            )));
        }
        if self.job.protocol().garbles() {
            let garbled = |(line, ands)| {
                (line, LineCost { products: Products::of(ands), ..LineCost::default() })
            };
            return Ok(drawn::ands_by_line(self)?.into_iter().map(garbled).collect());
        }
        let (tallies, _) = self.tallies(&self.needs()?, Counting::ByLine)?;
        Ok(tallies.into_iter().next().map(Tally::lines).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Preprocessing;
    use crate::program::{By, Cost, ProgramJob};
    use crate::protocols::{BRAIN_BUCKETS, GMW, LIFT, PLAIN, QUAD, REPLICATED, TRIO, YAO_THREE};
    use tacit_backend::LINE_OF_CHECKS;
    use tacit_net::PartyId;
    use tacit_program::text;

    const TEXT: &str = "program lines\nparties a, b, c\nrows n <= 100000\n\
        input x: i16[n] from a in -100..100\ninput y: i16[n] from b in -100..100\n\
        let less = x < y\n\
        let product = x * y\n\
        let checked = check(product, in -5000..5000)\n\
        let total = sum(select(less, checked, y), axis 0)\n\
        let looped = loop 5 carry (z = total) {\n\
        let next = z / 3\n\
        yield next\n}\n\
        reveal looped to a as \"it\"\n";

    fn compiled(job: ProgramJob) -> CompiledProgram {
        CompiledProgram::new(&text::parse("lines", TEXT).unwrap(), job).unwrap()
    }

    fn job(protocol: tacit_sharing::Protocol) -> ProgramJob {
        ProgramJob::new(protocol, PartyId::all(3).collect(), vec![70_000])
    }

    #[test]
    fn lines_cost_together_what_the_program_does() {
        let separate =
            |protocol| job(protocol).with(|it| it.preprocessing = Preprocessing::Separate);
        let circuits = |protocol| ProgramJob { by: By::Circuits, ..job(protocol) };
        for job in [
            job(TRIO),
            circuits(TRIO),
            job(REPLICATED),
            job(LIFT),
            separate(LIFT),
            job(QUAD),
            job(GMW.fitting(3)),
            job(BRAIN_BUCKETS),
        ] {
            let prepared = compiled(job);
            let (lines, all) = (prepared.cost_by_line().unwrap(), prepared.cost().unwrap());
            let what = format!("{} by {}", prepared.job().protocol(), prepared.job().by);
            let Cost { bytes, ahead, rounds, products, .. } = all;
            assert_eq!(lines.values().map(|line| line.bytes).sum::<u64>(), bytes.total(), "{what}");
            // Checks of what was made ahead belong to no line.
            let made = lines.values().map(|line| line.ahead).sum::<u64>();
            assert!(made <= ahead.total() && made * 101 >= ahead.total() * 100, "{what}");
            for (role, waits) in rounds.iter().enumerate() {
                let of_lines: u64 = lines.values().map(|line| line.rounds[role]).sum();
                assert_eq!(of_lines, *waits, "{what}");
            }
            assert_eq!(
                lines.values().map(|line| line.products.online).sum::<u64>(),
                products.online
            );
            for line in [6, 7, 11, LINE_OF_CHECKS] {
                assert!(lines[&line].bytes > 0, "{what}: line {line}");
            }
        }
    }

    #[test]
    fn garbled_lines_have_ands() {
        let lines = compiled(job(YAO_THREE)).cost_by_line().unwrap();
        let ands = |line: u32| lines[&line].products.online;
        // Sixteen bits of a comparison, and as many rows.
        assert!(ands(6) >= 8 * 70_000 && ands(6) < ands(7), "{} {}", ands(6), ands(7));
        assert!(ands(11) > 0);
    }

    #[test]
    fn what_has_no_lines_is_refused() {
        let refused = |job| compiled(job).cost_by_line().unwrap_err().to_string();
        assert!(refused(job(PLAIN)).contains("not supported"));
        assert!(refused(job(TRIO).with(|it| it.workers = 2)).contains("2 workers"));
    }
}
