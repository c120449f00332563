//! Parameters of the designs in the registry: typed values, set by name from text.

use super::aes::{KeySize, Sbox};
use super::bits::FanIn;
use crate::spelling;
use thiserror::Error;

/// Largest operand width of the arithmetic designs.
pub const MAX_WIDTH: usize = 128;
/// Most inputs of an AND tree.
pub const MAX_TREE_INPUTS: usize = 1 << 16;

/// The name that was meant, of a list with commas.
fn hint(name: &str, known: &str) -> String {
    spelling::hint(name, known.split(", "))
}

/// Why a circuit was not built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// No design of this name.
    #[error("no design is called `{name}`{hint}; there are: {known}", hint = hint(.name, .known))]
    UnknownDesign {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// No parameter of this name.
    #[error("no parameter is called `{name}`{hint}; there are: {known}", hint = hint(.name, .known))]
    UnknownParam {
        /// The name given.
        name: String,
        /// All names.
        known: String,
    },
    /// The design does not have this parameter.
    #[error("`{design}` has no parameter `{param}`; it has: {known}")]
    NotAParam {
        /// The design.
        design: &'static str,
        /// The parameter.
        param: &'static str,
        /// The design's parameters.
        known: String,
    },
    /// A value that the parameter cannot have.
    #[error("`{value}` is no value of {param}: {expected}")]
    BadValue {
        /// The parameter.
        param: &'static str,
        /// The value given.
        value: String,
        /// What it may be.
        expected: String,
    },
}

/// A parameter of a design.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Param {
    /// Operand width in bits.
    Width,
    /// Largest number of AND inputs.
    FanIn,
    /// Which of the design's forms; the first is the default.
    Form(&'static [&'static str]),
    /// Comparison: `gt`, `ge`, `lt`, `le`, `eq`.
    Relation,
    /// Two's complement operands.
    Signed,
    /// An extra one-bit input, added in.
    CarryIn,
    /// An extra top output bit.
    CarryOut,
    /// Bits of a product (0: all).
    ProductBits,
    /// Column height to which full adders join the first level (0: never).
    FuseTo,
    /// AND levels wanted (0: the fewest).
    Levels,
    /// Bits of the AES key.
    KeyBits,
    /// AES S-box.
    Sbox,
    /// The key input holds all round keys.
    ExpandedKey,
}

impl Param {
    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            Param::Width => "width",
            Param::FanIn => "fan-in",
            Param::Form(_) => "form",
            Param::Relation => "relation",
            Param::Signed => "signed",
            Param::CarryIn => "carry-in",
            Param::CarryOut => "carry-out",
            Param::ProductBits => "product-bits",
            Param::FuseTo => "fuse-to",
            Param::Levels => "levels",
            Param::KeyBits => "key-bits",
            Param::Sbox => "sbox",
            Param::ExpandedKey => "expanded-key",
        }
    }

    /// What values it takes, for help texts.
    pub fn values(self) -> String {
        match self {
            Param::Width => "1 to 128 (AND tree: to 65536), default 32".into(),
            Param::FanIn => "2 to 8, default 4".into(),
            Param::Form(forms) => format!("{}; default {}", forms.join(", "), forms[0]),
            Param::Relation => format!("{}; default gt", RELATIONS.join(", ")),
            Param::Signed | Param::CarryIn | Param::CarryOut | Param::ExpandedKey => {
                "true or false, default false".into()
            }
            Param::ProductBits => "1 to twice the width, default all".into(),
            Param::FuseTo => "column height, 0 for never; default where it pays".into(),
            Param::Levels => "AND depth, default the least".into(),
            Param::KeyBits => "128, 192 or 256, default 128".into(),
            Param::Sbox => format!("{}; default d4", Sbox::ALL.map(Sbox::name).join(", ")),
        }
    }
}

/// Names of the comparisons.
pub(super) const RELATIONS: [&str; 5] = ["gt", "ge", "lt", "le", "eq"];

/// All names that [`Params::set`] takes.
const NAMES: [&str; 13] = [
    "width",
    "fan-in",
    "form",
    "relation",
    "signed",
    "carry-in",
    "carry-out",
    "product-bits",
    "fuse-to",
    "levels",
    "key-bits",
    "sbox",
    "expanded-key",
];

/// Values of parameters. Those that were not set have the design's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// Operand width in bits.
    pub width: Option<usize>,
    /// Largest number of AND inputs.
    pub fan_in: Option<FanIn>,
    /// Which of the design's forms.
    pub form: Option<String>,
    /// Comparison.
    pub relation: Option<String>,
    /// Two's complement operands.
    pub signed: Option<bool>,
    /// An extra one-bit input, added in.
    pub carry_in: Option<bool>,
    /// An extra top output bit.
    pub carry_out: Option<bool>,
    /// Bits of a product.
    pub product_bits: Option<usize>,
    /// Column height of the fused first level.
    pub fuse_to: Option<usize>,
    /// AND levels wanted.
    pub levels: Option<u32>,
    /// AES key size.
    pub key: Option<KeySize>,
    /// AES S-box.
    pub sbox: Option<Sbox>,
    /// The key input holds all round keys.
    pub expanded_key: Option<bool>,
}

impl Params {
    /// No parameter set.
    pub fn new() -> Params {
        Params::default()
    }

    /// With a width.
    pub fn width(mut self, width: usize) -> Params {
        self.width = Some(width);
        self
    }

    /// With a fan-in limit.
    pub fn fan_in(mut self, fan_in: FanIn) -> Params {
        self.fan_in = Some(fan_in);
        self
    }

    /// With a form.
    pub fn form(mut self, form: &str) -> Params {
        self.form = Some(form.to_owned());
        self
    }

    /// Sets a parameter from text. Names may be written with `-` or `_`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BuildError> {
        match name.replace('_', "-").as_str() {
            "width" => self.width = Some(number("width", value, 1, MAX_TREE_INPUTS)?),
            "fan-in" => self.fan_in = FanIn::new(number("fan-in", value, 2, 8)?),
            "form" => self.form = Some(value.to_owned()),
            "relation" => self.relation = Some(value.to_owned()),
            "signed" => self.signed = Some(truth("signed", value)?),
            "carry-in" => self.carry_in = Some(truth("carry-in", value)?),
            "carry-out" => self.carry_out = Some(truth("carry-out", value)?),
            "product-bits" => {
                self.product_bits = Some(number("product-bits", value, 0, 2 * MAX_WIDTH)?)
            }
            "fuse-to" => self.fuse_to = Some(number("fuse-to", value, 0, MAX_WIDTH)?),
            "levels" => self.levels = Some(number("levels", value, 0, 64)? as u32),
            "key-bits" => self.key = Some(key_size(value)?),
            "sbox" => self.sbox = Some(value.parse().map_err(|e| bad("sbox", value, e))?),
            "expanded-key" => self.expanded_key = Some(truth("expanded-key", value)?),
            _ => {
                return Err(BuildError::UnknownParam {
                    name: name.to_owned(),
                    known: NAMES.join(", "),
                });
            }
        }
        Ok(())
    }

    /// Names of the parameters that are set.
    pub(super) fn set_names(&self) -> Vec<&'static str> {
        let set = [
            self.width.is_some(),
            self.fan_in.is_some(),
            self.form.is_some(),
            self.relation.is_some(),
            self.signed.is_some(),
            self.carry_in.is_some(),
            self.carry_out.is_some(),
            self.product_bits.is_some(),
            self.fuse_to.is_some(),
            self.levels.is_some(),
            self.key.is_some(),
            self.sbox.is_some(),
            self.expanded_key.is_some(),
        ];
        NAMES.into_iter().zip(set).filter_map(|(name, set)| set.then_some(name)).collect()
    }
}

pub(super) fn bad(param: &'static str, value: &str, expected: impl Into<String>) -> BuildError {
    BuildError::BadValue { param, value: value.to_owned(), expected: expected.into() }
}

fn number(
    param: &'static str,
    value: &str,
    least: usize,
    most: usize,
) -> Result<usize, BuildError> {
    let number = value.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| bad(param, value, format!("a number from {least} to {most}")))
}

fn truth(param: &'static str, value: &str) -> Result<bool, BuildError> {
    value.parse().map_err(|_| bad(param, value, "true or false"))
}

fn key_size(value: &str) -> Result<KeySize, BuildError> {
    let size = value.parse().ok().and_then(KeySize::from_bits);
    size.ok_or_else(|| bad("key-bits", value, "128, 192 or 256"))
}
