//! Parts of dates that nobody sees.

use super::Lowering;
use crate::error::{QueryError, Result};
use crate::plan::DatePart;
use chrono::{Datelike, Days, Months, NaiveDate};
use tacit_program::build::Value;
use tacit_program::{Element, Interval, Span};

/// How many first days of months or years a date is compared with at most.
const MOST: usize = 1200;

impl Lowering<'_> {
    /// A part of a date. Years and months are counted by comparing with the first day of each one that the column's range
    /// holds, so that narrow ranges are fast.
    pub fn date_part(&mut self, part: DatePart, date: Value, span: &Span) -> Result<Value> {
        if part == DatePart::Weekday {
            // 1970-01-01 was a Thursday.
            let Interval { low, .. } = self.interval(date);
            let weeks = if low < 0 { (-low + 6) / 7 } else { 0 };
            let shifted = self.b.add(date, 4 + 7 * weeks);
            return Ok(self.b.rem(shifted, 7));
        }
        let Interval { low, high } = self.interval(date);
        let far = || {
            QueryError::new(span, "this date may be too far from today: give its column a CHECK")
        };
        let (first, last) = day(low).zip(day(high)).ok_or_else(far)?;
        let months = match part {
            DatePart::Year => 12,
            DatePart::Quarter => 3,
            _ => 1,
        };
        let begin =
            first.with_day(1).and_then(|day| day.with_month0(first.month0() / months * months));
        let begin = begin.ok_or_else(far)?;
        let next = |day: &NaiveDate| day.checked_add_months(Months::new(months));
        let starts: Vec<NaiveDate> = std::iter::successors(Some(begin), next)
            .skip(1)
            .take_while(|day| *day <= last)
            .take(MOST + 1)
            .collect();
        if starts.len() > MOST {
            let what = format!(
                "this date lies in {first}..{last}, more than {MOST} months: give its column a CHECK with a narrower range"
            );
            return Err(QueryError::new(span, what));
        }
        let mut passed = Vec::new();
        for start in &starts {
            passed.push(self.b.ge(date, days(*start)));
        }
        let count = self.ones(&passed);
        Ok(match part {
            DatePart::Year => self.b.add(count, i64::from(begin.year())),
            DatePart::Quarter => self.turning(count, i128::from(begin.month0() / 3), 4),
            DatePart::Month => self.turning(count, i128::from(begin.month0()), 12),
            // The last start that has passed is the first day of its month.
            _ => {
                let mut month = self.b.constant(Element::int(32), days(begin));
                for (start, passed) in starts.iter().zip(&passed) {
                    let later = self.b.constant(Element::int(32), days(*start));
                    month = self.b.select(*passed, later, month);
                }
                let day = self.b.sub(date, month);
                let day = self.b.add(day, 1);
                self.b.assume(day, 1..=31)
            }
        })
    }

    /// How many bits are one.
    fn ones(&mut self, bits: &[Value]) -> Value {
        let mut count = self.b.constant(Element::uint(8), 0);
        for bit in bits {
            let bit = self.b.cast(*bit, Element::uint(8));
            count = self.b.add(count, bit);
        }
        count
    }

    /// The number in a cycle, from one on, that many steps after the number `from`, which counts from zero.
    fn turning(&mut self, steps: Value, from: i128, cycle: i128) -> Value {
        let at = self.b.add(steps, from);
        let at = if self.interval(at).high < cycle { at } else { self.b.rem(at, cycle) };
        self.b.add(at, 1)
    }
}

/// The date that many days after 1970-01-01.
fn day(days: i128) -> Option<NaiveDate> {
    let epoch = NaiveDate::from_ymd_opt(1970, 1, 1)?;
    let size = Days::new(u64::try_from(days.unsigned_abs()).ok()?);
    if days < 0 { epoch.checked_sub_days(size) } else { epoch.checked_add_days(size) }
}

/// Days since 1970-01-01.
fn days(date: NaiveDate) -> i64 {
    i64::from(date.to_epoch_days())
}
