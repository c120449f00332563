//! The registry: every design as a whole circuit, by name.

use super::adder::{self, AdderForm};
use super::aes::{self, Direction, KeyInput, KeySize, Sbox};
use super::and_tree;
use super::bits::FanIn;
use super::comparator::{self, Relation};
use super::counter;
use super::divider::{self, DividerForm};
use super::multiplier::{self, Fusion};
use super::params::{BuildError, MAX_TREE_INPUTS, MAX_WIDTH, Param, Params, RELATIONS, bad};
use super::sha256::{self, Additions};
use super::staged::{Staging, staged};
use crate::{Builder, Circuit, Wire};

/// A design of the library.
pub struct Design {
    /// Name, as given to [`build`].
    pub name: &'static str,
    /// What it computes, its ports, its depth.
    pub summary: &'static str,
    /// The parameters it has.
    pub params: &'static [Param],
    build: fn(&Values<'_>) -> Result<Circuit, BuildError>,
}

const ADDER_FORMS: Param = Param::Form(&["select", "prefix", "ripple", "ripple-two-and"]);

static REGISTRY: [Design; 13] = [
    Design {
        name: "add",
        summary: "x + y (+ carry in), the carry out as top bit if wanted; depth ceil(log_F n)",
        params: &[
            Param::Width,
            Param::FanIn,
            ADDER_FORMS,
            Param::Levels,
            Param::CarryIn,
            Param::CarryOut,
        ],
        build: add,
    },
    Design {
        name: "sub",
        summary: "x - y; the carry out, if wanted, is 1 iff x >= y; depth ceil(log_F n)",
        params: &[Param::Width, Param::FanIn, ADDER_FORMS, Param::CarryOut],
        build: sub,
    },
    Design {
        name: "compare",
        summary: "one bit: x > y and the like; depth ceil(log_F (n+1)), or ceil(log_F n) for eq",
        params: &[
            Param::Width,
            Param::FanIn,
            Param::Form(&["select", "prefix"]),
            Param::Relation,
            Param::Signed,
        ],
        build: compare,
    },
    Design {
        name: "and-tree",
        summary: "the AND of all input bits; depth ceil(log_F n)",
        params: &[Param::Width, Param::FanIn, Param::Form(&["cheapest", "uniform"]), Param::Levels],
        build: build_and_tree,
    },
    Design {
        name: "multiply",
        summary: "x * y, all 2n bits or the low ones; carry-save by AND levels",
        params: &[
            Param::Width,
            Param::FanIn,
            Param::Form(&["carry-save", "array", "wallace", "dadda"]),
            Param::ProductBits,
            Param::FuseTo,
            Param::Signed,
        ],
        build: multiply,
    },
    Design {
        name: "divide",
        summary: "x / y and x mod y as two ports; by zero: all ones, and x",
        params: &[
            Param::Width,
            Param::FanIn,
            Param::Form(&["digits", "digits1", "digits2", "digits3", "digits4", "scan", "ripple"]),
            Param::Signed,
        ],
        build: divide,
    },
    Design {
        name: "counter7",
        summary: "how many of 7 bits are set; one level",
        params: &[],
        build: counter7,
    },
    Design {
        name: "counter15",
        summary: "how many of 15 bits are set; one level of gates up to 8 inputs, 31,434 bits",
        params: &[],
        build: counter15,
    },
    Design {
        name: "aes",
        summary: "AES encryption: key (or round keys) and block to block; depth rounds x S-box depth",
        params: &[Param::KeyBits, Param::Sbox, Param::ExpandedKey],
        build: aes_encrypt,
    },
    Design {
        name: "aes-decrypt",
        summary: "AES decryption: key (or round keys of encryption) and block to block",
        params: &[Param::KeyBits, Param::Sbox, Param::ExpandedKey],
        build: aes_decrypt,
    },
    Design {
        name: "aes-key-schedule",
        summary: "AES key expansion: key to all round keys",
        params: &[Param::KeyBits, Param::Sbox],
        build: aes_key_schedule,
    },
    Design {
        name: "aes-sbox",
        summary: "the AES S-box: 8 bits to 8 bits; depth 4, 3, 2 or 1",
        params: &[Param::Sbox],
        build: aes_sbox,
    },
    Design {
        name: "sha256",
        summary: "SHA-256 compression: 512 message bits and 256 chaining bits to 256; words least significant bit first",
        params: &[Param::FanIn, Param::Form(&["low-depth", "ripple"])],
        build: build_sha256,
    },
];

/// All designs.
pub fn registry() -> &'static [Design] {
    &REGISTRY
}

/// Builds a design. Parameters that it does not have are an error.
pub fn build(name: &str, params: &Params) -> Result<Circuit, BuildError> {
    let design =
        REGISTRY.iter().find(|d| d.name == name).ok_or_else(|| BuildError::UnknownDesign {
            name: name.to_owned(),
            known: REGISTRY.iter().map(|d| d.name).collect::<Vec<_>>().join(", "),
        })?;
    let known: Vec<&str> = design.params.iter().map(|p| p.name()).collect();
    if let Some(param) = params.set_names().into_iter().find(|name| !known.contains(name)) {
        return Err(BuildError::NotAParam { design: design.name, param, known: known.join(", ") });
    }
    (design.build)(&Values { design, params })
}

/// A design's parameters with its defaults.
struct Values<'a> {
    design: &'static Design,
    params: &'a Params,
}

impl Values<'_> {
    fn width(&self) -> Result<usize, BuildError> {
        self.width_up_to(MAX_WIDTH)
    }

    fn width_up_to(&self, most: usize) -> Result<usize, BuildError> {
        let width = self.params.width.unwrap_or(32);
        let fits = (1..=most).contains(&width);
        fits.then_some(width)
            .ok_or_else(|| bad("width", &width.to_string(), format!("1 to {most}")))
    }

    fn fan_in(&self) -> FanIn {
        self.params.fan_in.unwrap_or(FanIn::FOUR)
    }

    /// The form as a position in the design's list of forms.
    fn form(&self) -> Result<usize, BuildError> {
        let forms = self
            .design
            .params
            .iter()
            .find_map(|p| if let Param::Form(f) = p { Some(*f) } else { None });
        self.choice("form", self.params.form.as_deref(), forms.unwrap_or_default())
    }

    fn choice(
        &self,
        param: &'static str,
        value: Option<&str>,
        known: &[&str],
    ) -> Result<usize, BuildError> {
        let Some(value) = value else { return Ok(0) };
        known.iter().position(|k| *k == value).ok_or_else(|| bad(param, value, known.join(", ")))
    }

    fn adder_form(&self) -> Result<AdderForm, BuildError> {
        let forms =
            [AdderForm::Select, AdderForm::Prefix, AdderForm::Ripple, AdderForm::RippleTwoAnd];
        Ok(forms[self.form()?])
    }

    fn signed(&self) -> bool {
        self.params.signed.unwrap_or(false)
    }

    fn key_size(&self) -> KeySize {
        self.params.key.unwrap_or(KeySize::Aes128)
    }

    fn sbox(&self) -> Sbox {
        self.params.sbox.unwrap_or(Sbox::D4)
    }
}

/// A circuit of two operands of one width.
fn binary(
    width: usize,
    outputs: impl FnOnce(&mut Builder, &[Wire], &[Wire]) -> Vec<Vec<Wire>>,
) -> Circuit {
    let mut b = Builder::new();
    let (x, y) = (b.input(width as u32), b.input(width as u32));
    for port in outputs(&mut b, &x, &y) {
        b.output(&port);
    }
    b.finish()
}

fn add(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let (width, form, fan_in) = (v.width()?, v.adder_form()?, v.fan_in());
    let carry_out = v.params.carry_out.unwrap_or(false);
    let radices = match v.params.levels {
        Some(levels) if form != AdderForm::Select => {
            return Err(bad(
                "levels",
                &levels.to_string(),
                "only the select form has a choice of levels",
            ));
        }
        Some(levels) if levels > 0 => {
            Some(adder::select_radices(width, carry_out, fan_in, levels).ok_or_else(|| {
                bad(
                    "levels",
                    &levels.to_string(),
                    format!(
                        "{width} bits need more at fan-in {fan_in}, or that many cannot be used"
                    ),
                )
            })?)
        }
        _ => None,
    };
    let mut b = Builder::new();
    let (x, y) = (b.input(width as u32), b.input(width as u32));
    let carry_in = v.params.carry_in.unwrap_or(false).then(|| b.input(1)[0]);
    let sum = match radices {
        Some(r) => adder::select_with(&mut b, &x, &y, carry_in, carry_out, &r.radices),
        None => adder::add(&mut b, form, &x, &y, carry_in, carry_out, fan_in),
    };
    b.output(&sum);
    Ok(b.finish())
}

fn sub(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let (form, carry_out) = (v.adder_form()?, v.params.carry_out.unwrap_or(false));
    Ok(binary(v.width()?, |b, x, y| vec![adder::subtract(b, form, x, y, carry_out, v.fan_in())]))
}

fn compare(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let relation = v.choice("relation", v.params.relation.as_deref(), &RELATIONS)?;
    let prefix = v.form()? == 1;
    if prefix && (relation != 0 || v.signed()) {
        return Err(bad("form", "prefix", "the prefix form computes unsigned gt only"));
    }
    let relations =
        [Relation::Greater, Relation::GreaterEqual, Relation::Less, Relation::LessEqual];
    Ok(binary(v.width()?, |b, x, y| {
        let bit = match relations.get(relation) {
            _ if prefix => comparator::greater_prefix(b, x, y, v.fan_in()).greater,
            Some(&relation) => comparator::compare(b, relation, v.signed(), x, y, v.fan_in()),
            None => comparator::equal(b, x, y, v.fan_in()),
        };
        vec![vec![bit]]
    }))
}

fn build_and_tree(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let (width, uniform) = (v.width_up_to(MAX_TREE_INPUTS)?, v.form()? == 1);
    let mut b = Builder::new();
    let x = b.input(width as u32);
    let root = if uniform {
        and_tree::uniform(&mut b, &x, v.fan_in())
    } else {
        and_tree::cheapest_in(&mut b, &x, v.fan_in(), v.params.levels.unwrap_or(0))
    };
    b.output(&[root]);
    Ok(b.finish())
}

fn multiply(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let (width, form) = (v.width()?, v.form()?);
    let bits = match v.params.product_bits.unwrap_or(0) {
        0 => 2 * width,
        bits if bits <= 2 * width => bits,
        bits => return Err(bad("product-bits", &bits.to_string(), format!("1 to {}", 2 * width))),
    };
    let signed = v.signed() && bits > width;
    if form > 0 && signed {
        let name = v.params.form.as_deref().unwrap_or_default();
        return Err(bad("form", name, "carry-save, for signed products beyond the width"));
    }
    let fusion = match v.params.fuse_to {
        None => Fusion::Auto,
        Some(0) => Fusion::Off,
        Some(height) => Fusion::To(height),
    };
    Ok(binary(width, |b, x, y| {
        vec![match form {
            1 => multiplier::array(b, x, y, bits),
            2 => staged(b, x, y, bits, Staging::Wallace),
            3 => staged(b, x, y, bits, Staging::Dadda),
            _ if signed => multiplier::carry_save_signed(b, x, y, bits, v.fan_in()),
            _ => multiplier::carry_save(b, x, y, bits, v.fan_in(), fusion),
        }]
    }))
}

fn divide(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let forms = [
        DividerForm::Digits(3),
        DividerForm::Digits(1),
        DividerForm::Digits(2),
        DividerForm::Digits(3),
        DividerForm::Digits(4),
        DividerForm::Scan,
        DividerForm::Ripple,
    ];
    let form = forms[v.form()?];
    Ok(binary(v.width()?, |b, x, y| {
        let divide = if v.signed() { divider::divide_signed } else { divider::divide };
        let d = divide(b, form, x, y, v.fan_in());
        vec![d.quotient, d.remainder]
    }))
}

fn counter7(_: &Values<'_>) -> Result<Circuit, BuildError> {
    let mut b = Builder::new();
    let x = b.input(7);
    let count = counter::seven_to_three(&mut b, std::array::from_fn(|i| x[i]));
    b.output(&count);
    Ok(b.finish())
}

fn counter15(_: &Values<'_>) -> Result<Circuit, BuildError> {
    let mut b = Builder::new();
    let x = b.input(15);
    let count = counter::fifteen_to_four(&mut b, std::array::from_fn(|i| x[i]));
    b.output(&count);
    Ok(b.finish())
}

fn aes_cipher(v: &Values<'_>, direction: Direction) -> Result<Circuit, BuildError> {
    let key =
        if v.params.expanded_key.unwrap_or(false) { KeyInput::RoundKeys } else { KeyInput::Key };
    Ok(aes::circuit(v.key_size(), v.sbox(), direction, key))
}

fn aes_encrypt(v: &Values<'_>) -> Result<Circuit, BuildError> {
    aes_cipher(v, Direction::Encrypt)
}

fn aes_decrypt(v: &Values<'_>) -> Result<Circuit, BuildError> {
    aes_cipher(v, Direction::Decrypt)
}

fn aes_key_schedule(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let mut b = Builder::new();
    let key = b.input(v.key_size().bits());
    let keys = aes::expand_key(&mut b, v.key_size(), &v.sbox().circuit(), &key);
    b.output(&keys);
    Ok(b.finish())
}

fn aes_sbox(v: &Values<'_>) -> Result<Circuit, BuildError> {
    Ok(v.sbox().circuit())
}

fn build_sha256(v: &Values<'_>) -> Result<Circuit, BuildError> {
    let ripple = v.form()? == 1;
    Ok(sha256::circuit(if ripple { Additions::Ripple } else { Additions::LowDepth(v.fan_in()) }))
}
