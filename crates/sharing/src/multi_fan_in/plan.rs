//! The layout of a polynomial gate: which products are sent, in which order, and how the fold
//! runs. All parties derive the same layout from the circuit.
//!
//! `Q` is the set of products of two or more inputs that are properly contained in a product of
//! the gate, `T` the products that are not. Messages are one per element of `Q`, then one per
//! element of `T`, or one fused sum of `T`-products per output where that is fewer.
//!
//! Where one of the parties may cheat, `Relations` are what is proven of a gate's messages.

use std::ops::Range;
use std::sync::OnceLock;
use tacit_circuit::Poly;

/// How a polynomial gate is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Every output is a sum of products of two factors: three messages per output, any length.
    Quadratic,
    /// Sub-products travel between the evaluators, once in each direction.
    Symmetric,
    /// Sub-products of masks travel once, from the helper to P1.
    Dealer,
}

/// A step of the fold: `table[to] += t[input] * table[from]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub input: u32,
    pub from: u32,
    pub to: u32,
}

/// One output: a sum of products, inputs and perhaps the constant 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// Table entries of the products of two or more inputs.
    pub products: Vec<u32>,
    /// The products that travel in the output's fused message.
    pub fused: Vec<u32>,
    /// For quadratic outputs, the factors.
    pub pairs: Vec<(u32, u32)>,
    /// Inputs added as they are.
    pub linear: Vec<u32>,
    /// Whether 1 is added.
    pub constant: bool,
}

/// The layout of one polynomial gate in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolyPlan {
    pub(crate) form: Form,
    pub(crate) inputs: usize,
    pub(crate) outputs: Vec<Output>,
    /// Masks of the products in the table, after the entry for 1 and those for the inputs.
    pub(crate) closure: Vec<u16>,
    pub(crate) steps: Vec<Step>,
    /// Table entries sent one by one, in order.
    pub(crate) singles: Vec<u32>,
    pub(crate) fused: bool,
    /// What is proven of the messages, once somebody asked.
    relations: OnceLock<Relations>,
}

/// What is proven of the messages of a gate in [`Form::Dealer`]: sums of products of shared values. With `x = w - d` for every
/// input, `d_I` and `w_I` the products of masks and of masked values of the inputs in `I`:
///
/// - a dealt product is that of two others, `d_J d_k = d_I`;
/// - a fused sum is the sum of such products, with their signs;
/// - an output is what the evaluators' messages make of dealt values: the sum over all its products `M`, and all `I` within
///   `M` but the empty one and `M` itself, of `(-1)^|I| w_(M - I) d_I` is the output less the sum of all `w_M`, and less
///   what was dealt of the products `M` themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relations {
    /// Of every product that is dealt by itself, in order.
    pub singles: Vec<Pair>,
    /// Of every output with a fused sum: the products in it.
    pub fused: Vec<Vec<Pair>>,
    /// Of every output.
    pub exchanges: Vec<Exchange>,
}

/// A product of masks as that of two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Table entry of all factors but the last.
    pub rest: u32,
    /// Table entry of the last factor.
    pub input: u32,
    /// Table entry of the product.
    pub product: u32,
}

/// What is proven of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Table entries of what was dealt, or of an input, and the products of masked values by which it counts.
    pub terms: Vec<(u32, Range<usize>)>,
    /// Table entries of those products.
    pub factors: Vec<u32>,
    /// Table entries of products of the output that are dealt by themselves.
    pub dealt: Vec<u32>,
}

/// Products sort by size, then by their positions in ascending order: of two with the same size,
/// the one that has the lowest position in which they differ comes first.
fn by_size_then_positions(mask: &u16) -> (u32, u16) {
    (mask.count_ones(), !mask.reverse_bits())
}

/// All products of two or more inputs contained in `mask`, itself included.
fn sub_products(mask: u16) -> impl Iterator<Item = u16> {
    let mut next = Some(mask);
    std::iter::from_fn(move || {
        let current = next?;
        next = if current == 0 { None } else { Some((current - 1) & mask) };
        Some(current)
    })
    .filter(|m| m.count_ones() >= 2)
}

impl PolyPlan {
    /// Lays out `poly` in `wanted` form. A gate whose outputs are all sums of two-factor products
    /// becomes quadratic where that costs no more, or where it is wanted.
    #[must_use]
    pub fn new(poly: &Poly, wanted: Form) -> Self {
        let mut products: Vec<u16> =
            poly.outputs().iter().flatten().copied().filter(|m| m.count_ones() >= 2).collect();
        products.sort_unstable();
        products.dedup();
        let mut closure: Vec<u16> = products.iter().flat_map(|m| sub_products(*m)).collect();
        closure.sort_unstable();
        closure.dedup();
        closure.sort_unstable_by_key(by_size_then_positions);
        let contained = |m: u16| products.iter().any(|p| *p != m && p & m == m);
        let (inner, top): (Vec<u16>, Vec<u16>) = closure.iter().partition(|m| contained(**m));
        let fused = top.len() > poly.outputs().len();
        let mut sent = inner;
        if !fused {
            sent.extend(&top);
        }
        let mut plan = PolyPlan {
            form: wanted,
            inputs: poly.arity(),
            outputs: Vec::new(),
            closure,
            steps: Vec::new(),
            singles: Vec::new(),
            fused,
            relations: OnceLock::new(),
        };
        plan.singles = sent.iter().map(|m| plan.entry(*m)).collect();
        plan.outputs = poly.outputs().iter().map(|o| plan.output(o, &top)).collect();
        plan.steps = plan.fold_steps();
        if plan.is_quadratic() {
            plan.form = Form::Quadratic;
        }
        plan
    }

    /// The layout of the same polynomial in another form. It equals what [`PolyPlan::new`] gives, and takes less work.
    #[must_use]
    pub fn in_form(&self, wanted: Form) -> Self {
        let mut plan = self.clone();
        // A plan that became quadratic in some form may stay what was wanted in another one.
        plan.form = wanted;
        if plan.is_quadratic() {
            plan.form = Form::Quadratic;
        }
        plan
    }

    /// The layout of a product of `factors` inputs.
    ///
    /// # Panics
    /// When `factors` is not 2 to 8.
    #[must_use]
    pub fn product(factors: usize, wanted: Form) -> Self {
        assert!((2..=8).contains(&factors), "a product has 2 to 8 factors");
        PolyPlan::new(&Poly::new(factors as u8, vec![vec![((1u32 << factors) - 1) as u16]]), wanted)
    }

    /// The form in use.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// What is proven of the messages.
    pub(crate) fn relations(&self) -> &Relations {
        self.relations.get_or_init(|| Relations::of(self))
    }

    /// Statements that are proven of a gate, in order: how many are alike, and how many products each is a sum of. With `words`
    /// words of lanes there are as many of each.
    pub fn proven(&self) -> Vec<(usize, usize)> {
        match self.form {
            Form::Quadratic => self.outputs.iter().map(|output| (1, output.pairs.len())).collect(),
            Form::Symmetric | Form::Dealer => {
                let Relations { singles, fused, exchanges } = self.relations();
                let sums =
                    fused.iter().map(Vec::len).chain(exchanges.iter().map(|e| e.terms.len()));
                let singles = (!singles.is_empty()).then_some((singles.len(), 1));
                singles.into_iter().chain(sums.map(|terms| (1, terms))).collect()
            }
        }
    }

    /// The inputs of a table entry, as bits.
    pub(super) fn mask(&self, entry: u32) -> u16 {
        match entry as usize {
            0 => 0,
            at if at <= self.inputs => 1 << (at - 1),
            at => self.closure[at - 1 - self.inputs],
        }
    }

    /// A product of the closure as that of all its factors but the last, and that one.
    fn pair(&self, product: u32) -> Pair {
        let mask = self.mask(product);
        let last = 1 << mask.ilog2();
        Pair { rest: self.entry(mask & !last), input: self.entry(last), product }
    }

    fn is_quadratic(&self) -> bool {
        let degree_two = self.closure.iter().all(|m| m.count_ones() == 2);
        // No pair contains another one: all of them are sent last.
        let cheaper = self.outputs.len() <= 2 * self.closure.len().min(self.outputs.len());
        degree_two && (cheaper || self.form == Form::Quadratic)
    }

    /// Place of a product in the fold's table: 1, the inputs, then the closure.
    fn entry(&self, mask: u16) -> u32 {
        match mask.count_ones() {
            0 => 0,
            1 => 1 + mask.trailing_zeros(),
            _ => {
                let key = by_size_then_positions(&mask);
                let index = self.closure.partition_point(|m| by_size_then_positions(m) < key);
                (1 + self.inputs + index) as u32
            }
        }
    }

    /// Entries of the fold's table.
    #[must_use]
    pub fn table(&self) -> usize {
        1 + self.inputs + self.closure.len()
    }

    fn output(&self, products: &[u16], top: &[u16]) -> Output {
        let mut output = Output::default();
        for &mask in products {
            match mask.count_ones() {
                0 => output.constant = !output.constant,
                1 => output.linear.push(mask.trailing_zeros()),
                _ => {
                    output.products.push(self.entry(mask));
                    if self.fused && top.contains(&mask) {
                        output.fused.push(self.entry(mask));
                    }
                    if mask.count_ones() == 2 {
                        output.pairs.push((mask.trailing_zeros(), mask.ilog2()));
                    }
                }
            }
        }
        output
    }

    /// `for i: for all M containing i: f[M] += t_i f[M - i]`.
    fn fold_steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for input in 0..self.inputs as u32 {
            let bit = 1u16 << input;
            let singles = (0..self.inputs).map(|i| 1u16 << i);
            for mask in singles.chain(self.closure.iter().copied()) {
                if mask & bit != 0 {
                    steps.push(Step { input, from: self.entry(mask & !bit), to: self.entry(mask) });
                }
            }
        }
        steps
    }

    /// Every product of the closure from a smaller one and an input: `(product, rest, input)`.
    pub(crate) fn build_steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.closure.iter().map(|&mask| {
            let input = mask.trailing_zeros();
            Step { input, from: self.entry(mask & (mask - 1)), to: self.entry(mask) }
        })
    }

    /// Messages of sub-products and fused sums: one element each per direction that they travel.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.singles.len() + if self.fused { self.outputs.len() } else { 0 }
    }

    /// Results.
    #[must_use]
    pub fn results(&self) -> usize {
        self.outputs.len()
    }

    /// Products of inputs in the table.
    #[must_use]
    pub fn products(&self) -> usize {
        self.closure.len()
    }
}

impl Relations {
    fn of(plan: &PolyPlan) -> Self {
        let pair = |entry: &u32| plan.pair(*entry);
        let fused = match plan.fused {
            true => plan.outputs.iter().map(|o| o.fused.iter().map(pair).collect()).collect(),
            false => Vec::new(),
        };
        Relations {
            singles: plan.singles.iter().map(pair).collect(),
            fused,
            exchanges: plan.outputs.iter().map(|output| Exchange::of(plan, output)).collect(),
        }
    }
}

impl Exchange {
    fn of(plan: &PolyPlan, output: &Output) -> Self {
        let mut exchange = Exchange::default();
        let products = || output.products.iter().map(|entry| plan.mask(*entry));
        for entry in 1..plan.table() as u32 {
            let dealt = plan.mask(entry);
            let start = exchange.factors.len();
            let around = products().filter(|product| product & dealt == dealt && *product != dealt);
            exchange.factors.extend(around.map(|product| plan.entry(product & !dealt)));
            if exchange.factors.len() > start {
                exchange.terms.push((entry, start..exchange.factors.len()));
            }
        }
        let single = |entry: &&u32| !output.fused.contains(entry);
        exchange.dealt = output.products.iter().filter(single).copied().collect();
        exchange
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_messages_follow_the_formula() {
        for l in 3..=8usize {
            let plan = PolyPlan::product(l, Form::Symmetric);
            assert_eq!(plan.messages(), (1 << l) - l - 1);
            assert_eq!(plan.form(), Form::Symmetric);
        }
        assert_eq!(PolyPlan::product(2, Form::Dealer).form(), Form::Quadratic);
    }

    #[test]
    fn another_form_of_a_layout_is_the_layout_in_that_form() {
        let pairs = Poly::new(3, vec![vec![3, 5, 6], vec![3, 1], vec![5], vec![6, 3, 4]]);
        let many = Poly::new(4, (0..7).map(|i| vec![3, 5 + (i & 1)]).collect());
        let cubic = Poly::new(6, vec![vec![0b000_111, 0b111_000, 1], vec![0b011_001, 0]]);
        let forms = [Form::Dealer, Form::Symmetric, Form::Quadratic];
        for poly in [pairs, many, cubic] {
            for (from, to) in forms.into_iter().flat_map(|from| forms.map(|to| (from, to))) {
                assert_eq!(PolyPlan::new(&poly, from).in_form(to), PolyPlan::new(&poly, to));
            }
        }
    }

    #[test]
    fn products_sort_by_size_and_then_by_positions() {
        let positions = |mask: u16| (0..16).filter(|i| mask >> i & 1 == 1).collect::<Vec<u32>>();
        let mut masks: Vec<u16> = (0..1 << 10).map(|i: u16| i.wrapping_mul(0x9e3b)).collect();
        masks.sort_by_key(by_size_then_positions);
        assert!(masks.is_sorted_by_key(|mask| (mask.count_ones(), positions(*mask))));
    }

    #[test]
    fn fused_sums_replace_many_top_products() {
        // Two outputs over six inputs with four cubic products: Q has 3 pairs each.
        let products = vec![vec![0b000_111, 0b111_000, 1], vec![0b011_001, 0b101_010, 0]];
        let plan = PolyPlan::new(&Poly::new(6, products), Form::Dealer);
        assert!(plan.fused);
        assert_eq!(plan.messages(), 3 + 3 + 3 + 3 - duplicates() + 2);
        assert_eq!(plan.outputs[0].linear, vec![0]);
        assert!(plan.outputs[1].constant);
    }

    /// Pairs that occur in two of the four products above.
    fn duplicates() -> usize {
        let products = [0b000_111u16, 0b111_000, 0b011_001, 0b101_010];
        let mut pairs: Vec<u16> = products
            .iter()
            .flat_map(|m| sub_products(*m).filter(|s| s.count_ones() == 2))
            .collect();
        let all = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        all - pairs.len()
    }
}
