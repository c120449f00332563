//! What a cell of a column may hold, and the raw value it becomes.

use std::collections::HashMap;

use tacit_program::domain::parse_date;
use tacit_program::{Element, Interval, Meaning};

use crate::number::{self, Exact, Unit};
use crate::problem::Problem;
use crate::schema::ColumnSpec;

/// A cell: its raw value, nothing, or what is wrong.
pub(crate) type Cell = Result<Option<i64>, Problem>;

/// What cells of one column become.
pub(crate) struct Target {
    element: Element,
    unit: Unit,
    interval: Interval,
    categories: HashMap<String, i64>,
    dates: bool,
    /// What texts become, in a column of texts of any letters.
    texts: Option<Meaning>,
    /// Texts that mean that a value is missing, besides the empty one.
    missing: Vec<String>,
}

impl Target {
    pub(crate) fn new(spec: &ColumnSpec, missing: &[String]) -> Self {
        Target {
            element: spec.element,
            unit: spec.unit(),
            interval: spec.range,
            categories: spec.categories.iter().cloned().collect(),
            dates: spec.dates,
            texts: spec.meaning.is_of_texts().then(|| spec.meaning.clone()),
            missing: missing.to_vec(),
        }
    }

    /// A text, as CSV has them; spaces around it do not count.
    pub(crate) fn text(&self, bytes: &[u8]) -> Cell {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() || self.missing.iter().any(|text| text.as_bytes() == bytes) {
            return Ok(None);
        }
        if let Some(texts) = self.texts.as_ref().filter(|_| self.categories.is_empty()) {
            let text = std::str::from_utf8(bytes).map_err(|_| Problem::NotUtf8)?;
            return texts.raw_of(text).map(|raw| self.exact(raw.into())).transpose();
        }
        let raw = match self.categories.is_empty() {
            _ if self.dates => self.date(bytes),
            true => self.number_text(bytes),
            false => self.category(bytes),
        };
        match raw {
            Err(Problem::NotNumber | Problem::NotBit | Problem::NotCategory | Problem::NotDate)
                if std::str::from_utf8(bytes).is_err() =>
            {
                Err(Problem::NotUtf8)
            }
            raw => raw.map(Some),
        }
    }

    fn category(&self, bytes: &[u8]) -> Result<i64, Problem> {
        let code = std::str::from_utf8(bytes).ok().and_then(|text| self.categories.get(text));
        code.copied().ok_or(Problem::NotCategory)
    }

    fn date(&self, bytes: &[u8]) -> Result<i64, Problem> {
        let days = std::str::from_utf8(bytes).ok().and_then(parse_date);
        self.exact(days.ok_or(Problem::NotDate)?.into())
    }

    fn number_text(&self, bytes: &[u8]) -> Result<i64, Problem> {
        match (self.element, number::truth(bytes)) {
            (Element::Bit, Some(bit)) => self.exact(i128::from(bit)),
            (Element::Bit, None) => self.bit(number::from_text(bytes, Unit::binary(0))),
            _ => self.take(number::from_text(bytes, self.unit)?),
        }
    }

    /// A bit written as a number.
    fn bit(&self, number: Result<Exact, Problem>) -> Result<i64, Problem> {
        match number {
            Ok(Exact { raw, exact: true }) if matches!(raw, 0 | 1) => self.exact(raw),
            _ => Err(Problem::NotBit),
        }
    }

    /// An integer.
    pub(crate) fn integer(&self, value: i128) -> Cell {
        match self.element {
            _ if self.texts.is_some() => Err(Problem::NotText),
            Element::Bit => self.bit(Ok(Exact { raw: value, exact: true })).map(Some),
            _ => {
                let ten = 10i128.pow(u32::from(self.unit.decimals));
                let scaled = value.checked_mul(ten << self.unit.fraction);
                self.exact(scaled.ok_or(Problem::Outside)?).map(Some)
            }
        }
    }

    /// A floating-point number: exact for integers and bits, else rounded to the nearest raw
    /// value, ties to even.
    pub(crate) fn float(&self, value: f64) -> Cell {
        self.rounded(number::from_f64(value, self.unit)?)
    }

    /// The decimal number `mantissa / 10^scale`, rounded as floating-point numbers are.
    pub(crate) fn decimal(&self, mantissa: i128, scale: i8) -> Cell {
        self.rounded(number::from_scaled(mantissa, scale, self.unit)?)
    }

    /// A decimal number of any length.
    pub(crate) fn decimal_text(&self, text: &str) -> Cell {
        self.rounded(number::from_text(text.as_bytes(), self.unit)?)
    }

    fn rounded(&self, number: Exact) -> Cell {
        match self.element {
            _ if self.texts.is_some() => Err(Problem::NotText),
            Element::Bit => self.bit(Ok(number)),
            _ => self.take(number),
        }
        .map(Some)
    }

    fn take(&self, number: Exact) -> Result<i64, Problem> {
        let rounds = matches!(self.element, Element::Fixed { .. }) || self.unit.decimals > 0;
        if !number.exact && !rounds {
            return Err(Problem::Fraction);
        }
        self.exact(number.raw)
    }

    /// A raw value, if it is in range. Those of `u64` above `i64::MAX` keep their bits.
    #[expect(clippy::cast_possible_truncation, reason = "intervals fit 64 bits")]
    fn exact(&self, raw: i128) -> Result<i64, Problem> {
        if self.interval.contains(Interval::point(raw)) {
            Ok(raw as i64)
        } else if self.element == Element::Bit && !matches!(raw, 0 | 1) {
            Err(Problem::NotBit)
        } else {
            Err(Problem::Outside)
        }
    }
}
