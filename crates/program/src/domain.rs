//! What integers stand for: categories, dates, texts, and the labels of groups.

use crate::derived::Derived;
use crate::types::{Extent, Interval, Shape};
use chrono::{Datelike, Days, NaiveDate};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// The list of what the integers `first`, `first + 1`, ... stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The name of the domain, unique in the program.
    pub name: String,
    /// The members of the domain.
    pub members: Members,
}

/// The members of a [`Domain`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Texts, which 0, 1, ... stand for.
    Names(Vec<String>),
    /// Numbers, which stand for themselves.
    Numbers {
        /// The least number.
        first: i64,
        /// The greatest number.
        last: i64,
    },
}

/// The most members of a domain.
pub const MAX_MEMBERS: u64 = 1 << 24;

impl Domain {
    /// Gives the number of members.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.members {
            Members::Names(names) => names.len() as u64,
            Members::Numbers { first, last } if first <= last => last.abs_diff(*first) + 1,
            Members::Numbers { .. } => 0,
        }
    }

    /// Says whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its members are texts.
    #[must_use]
    pub fn is_named(&self) -> bool {
        matches!(self.members, Members::Names(_))
    }

    /// The least integer that stands for a member.
    #[must_use]
    pub fn first(&self) -> i64 {
        match self.members {
            Members::Names(_) => 0,
            Members::Numbers { first, .. } => first,
        }
    }

    /// All integers that stand for members.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let low = i128::from(self.first());
        Interval { low, high: low + i128::from(self.len()) - 1 }
    }

    /// What an integer stands for, if it is one of the domain's.
    #[must_use]
    pub fn label(&self, code: i128) -> Option<String> {
        let at = usize::try_from(code - i128::from(self.first())).ok()?;
        match &self.members {
            Members::Names(names) => names.get(at).cloned(),
            Members::Numbers { .. } => ((at as u64) < self.len()).then(|| code.to_string()),
        }
    }

    /// What is wrong with it, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        let name = &self.name;
        if name.is_empty() || [DATE, DECIMAL, TEXT, PADDING].contains(&name.as_str()) {
            return Err(format!("a domain cannot be called \"{name}\": give it another name"));
        }
        if !(1..=MAX_MEMBERS).contains(&self.len()) {
            return Err(format!("domain `{name}` has {} members: 1 to 2^24", self.len()));
        }
        let Members::Names(names) = &self.members else { return Ok(()) };
        let mut seen = std::collections::HashSet::new();
        for member in names {
            if member.is_empty() || member.trim_ascii() != member {
                let what = "a member that is empty or has spaces around it";
                return Err(format!("domain `{name}` has {what}: \"{member}\""));
            }
            if !seen.insert(member) {
                return Err(format!("domain `{name}` has the member \"{member}\" twice"));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Domain {
    /// Its members, the first of many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        match &self.members {
            Members::Numbers { first, last } => write!(f, "{first}..{last}"),
            Members::Names(names) => {
                f.write_str(&names[..names.len().min(SHOWN)].join(", "))?;
                if names.len() > SHOWN { write!(f, ", ... ({})", names.len()) } else { Ok(()) }
            }
        }
    }
}

/// What the values of an input or a result stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// The values are numbers, and stand for themselves.
    #[default]
    Number,
    /// The values are dates, as days since 1970-01-01.
    Date,
    /// The values are decimal numbers with so many digits behind the point: an integer stands for itself, divided by that
    /// power of ten.
    Decimal(u8),
    /// The values are texts, each as its [`text_code`]: equal texts are equal numbers, and nothing else is known of them.
    Text,
    /// The values are what their owner computes of a column of texts. Of inputs only.
    Derived(Arc<Derived>),
    /// The values are bits that say which rows a table has: its owner appends others, up to the most that there may be, so that nobody sees how
    /// many it has. Of inputs only.
    Padding,
    /// The values are members of a domain.
    Domain(Arc<Domain>),
}

impl Meaning {
    /// What a program writes behind `of`; nothing of numbers.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Meaning::Number => None,
            Meaning::Date => Some(DATE),
            Meaning::Decimal(_) => Some(DECIMAL),
            Meaning::Text | Meaning::Derived(_) => Some(TEXT),
            Meaning::Padding => Some(PADDING),
            Meaning::Domain(domain) => Some(&domain.name),
        }
    }

    /// Digits behind the decimal point of what the values stand for.
    #[must_use]
    pub fn decimals(&self) -> u8 {
        if let Meaning::Decimal(digits) = self { *digits } else { 0 }
    }

    /// All integers that may stand for something: none are said of numbers, dates and decimals.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        match self {
            Meaning::Domain(domain) => Some(domain.interval()),
            Meaning::Text => Some(TEXTS),
            Meaning::Derived(derived) => derived.function.interval(),
            _ => None,
        }
    }

    /// What the values are computed from, if their owner computes them.
    #[must_use]
    pub fn derived(&self) -> Option<&Derived> {
        if let Meaning::Derived(derived) = self { Some(derived) } else { None }
    }

    /// Whether tables hold a text in place of each value, of any letters.
    #[must_use]
    pub fn is_of_texts(&self) -> bool {
        matches!(self, Meaning::Text | Meaning::Derived(_))
    }

    /// What goes in for a text, where tables hold texts of any letters; nothing for an empty one.
    #[must_use]
    pub fn raw_of(&self, text: &str) -> Option<i64> {
        match self {
            Meaning::Text => (!text.trim_ascii().is_empty()).then(|| text_code(text)),
            Meaning::Derived(derived) => derived.function.raw(text),
            _ => None,
        }
    }

    /// What an integer stands for; itself if it stands for nothing else.
    #[must_use]
    pub fn show(&self, code: i128) -> String {
        let label = match self {
            Meaning::Number | Meaning::Text | Meaning::Derived(_) | Meaning::Padding => None,
            Meaning::Date => show_date(code),
            Meaning::Decimal(digits) => Some(show_decimal(code, *digits)),
            Meaning::Domain(domain) => domain.label(code),
        };
        label.unwrap_or_else(|| code.to_string())
    }
}

/// The name of bits that say which rows a table has, where a domain may stand.
pub const PADDING: &str = "padding";

/// The name of dates where a domain may stand.
pub const DATE: &str = "date";

/// The name of decimal numbers where a domain may stand.
pub const DECIMAL: &str = "decimal";

/// The name of texts where a domain may stand.
pub const TEXT: &str = "text";

/// What texts become: numbers below the prime 2^61 - 1. With a bit for what is missing and one for rows that are not there, they
/// are one word to sort by.
pub const TEXTS: Interval = Interval { low: 0, high: (1 << 61) - 2 };

/// The number that stands for a text: SHA-256 of its bytes in UTF-8, without spaces around it, the first eight bytes of the digest, least first, modulo
/// 2^61 - 1. Of `n` different texts two have one number with a chance below `n^2 / 2^62`: for two million, one in a million.
#[must_use]
pub fn text_code(text: &str) -> i64 {
    let digest =
        Sha256::new_with_prefix(b"tacit text 1\0").chain_update(text.trim_ascii()).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    (u64::from_le_bytes(first) % ((1 << 61) - 1)) as i64
}

/// The most digits behind the point of decimal numbers.
pub const MAX_DECIMALS: u8 = 18;

/// An integer divided by a power of ten.
#[must_use]
pub fn show_decimal(raw: i128, digits: u8) -> String {
    let sign = if raw < 0 { "-" } else { "" };
    let (size, width) = (raw.unsigned_abs(), usize::from(digits));
    let unit = 10u128.pow(u32::from(digits.min(MAX_DECIMALS)));
    match digits {
        0 => format!("{sign}{size}"),
        _ => format!("{sign}{}.{:0width$}", size / unit, size % unit),
    }
}

const EPOCH: NaiveDate = NaiveDate::from_ymd_opt(1970, 1, 1).expect("a date");

/// The days since 1970-01-01 of a date in ISO 8601, `2024-01-31`.
#[must_use]
pub fn parse_date(text: &str) -> Option<i64> {
    let is_plain = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| is_plain)?;
    Some(date.signed_duration_since(EPOCH).num_days())
}

/// The date that is so many days after 1970-01-01, if its year has four digits.
#[must_use]
pub fn show_date(days: i128) -> Option<String> {
    let size = u64::try_from(days.unsigned_abs()).ok()?;
    let date = match days {
        0.. => EPOCH.checked_add_days(Days::new(size)),
        _ => EPOCH.checked_sub_days(Days::new(size)),
    };
    let date = date.filter(|date| (0..=9999).contains(&date.year()))?;
    Some(date.format("%Y-%m-%d").to_string())
}

/// Which domains label which axis: each axis in turn takes domains until their sizes multiply to its
/// length, the axes behind the last domain none. `None` if they do not fit.
pub(crate) fn by_axis(by: &[Arc<Domain>], shape: &[Extent]) -> Option<Vec<Vec<Arc<Domain>>>> {
    let mut left = by.iter();
    let mut axes = Vec::with_capacity(shape.len());
    for extent in shape {
        let mut axis = Vec::new();
        let mut labelled = 1u64;
        while (axis.is_empty() || Some(labelled) != extent.known()) && left.len() > 0 {
            let domain = left.next()?;
            labelled = labelled.checked_mul(domain.len())?;
            axis.push(domain.clone());
            if labelled > extent.known()? {
                return None;
            }
        }
        if !axis.is_empty() && extent.known() != Some(labelled) {
            return None;
        }
        axes.push(axis);
    }
    (left.len() == 0).then_some(axes)
}

/// The labels of a shape's axes, outermost first; none of an axis that has no labels.
pub type Axes = Vec<Vec<Arc<Domain>>>;

/// Those of the leading axes that have labels, one after the other.
pub(crate) fn leading(axes: &Axes) -> Vec<Arc<Domain>> {
    axes.iter().take_while(|axis| !axis.is_empty()).flatten().cloned().collect()
}

/// Labels for another shape of the same elements; of its axes that they do not fit, none.
pub(crate) fn reshaped(axes: &Axes, to: &Shape) -> Axes {
    by_axis(&leading(axes), to).unwrap_or_else(|| vec![Vec::new(); to.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(name: &str, members: u64) -> Arc<Domain> {
        let last = members as i64 - 1;
        Arc::new(Domain { name: name.into(), members: Members::Numbers { first: 0, last } })
    }

    #[test]
    fn dates_are_days_since_1970() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2024-02-29", 19_782),
            ("2024-01-31", 19_753),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(parse_date(text), Some(days), "{text}");
            assert_eq!(show_date(days.into()).as_deref(), Some(text));
        }
        for wrong in ["2023-02-29", "2024-1-31", "24-01-31", "2024/01/31", "+024-01-31", "", " "] {
            assert_eq!(parse_date(wrong), None, "{wrong}");
        }
        assert_eq!(show_date(i128::MAX), None);
        assert_eq!(show_date(2_932_897), None);
    }

    #[test]
    fn axes_take_domains_until_they_are_full() {
        let (level, group) = (domain("level", 5), domain("group", 2));
        let both = [level.clone(), group.clone()];
        let names = |by: &[Arc<Domain>], shape: &[u64]| {
            let shape: Shape = shape.iter().map(|&n| n.into()).collect();
            let name = |axis: &Vec<Arc<Domain>>| -> Vec<String> {
                axis.iter().map(|domain| domain.name.clone()).collect()
            };
            by_axis(by, &shape).map(|axes| axes.iter().map(name).collect::<Vec<_>>())
        };
        assert_eq!(names(&both, &[10]).unwrap(), [["level", "group"]]);
        assert_eq!(names(&both, &[5, 2]).unwrap(), [["level"], ["group"]]);
        assert_eq!(names(&both[..1], &[5, 7]).unwrap(), [vec!["level".to_string()], vec![]]);
        for wrong in [&[2, 5][..], &[5], &[20], &[3, 2], &[]] {
            assert_eq!(names(&both, wrong), None, "{wrong:?}");
        }
    }
}
