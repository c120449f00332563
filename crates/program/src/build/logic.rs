//! Comparisons, bits, choices and circuits.

use super::{Arg, Builder, POISON, Value};
use crate::infer::shape;
use crate::ir::Op;
use crate::types::{Element, Type, Visibility};
use std::sync::Arc;
use tacit_circuit::Circuit;

impl Builder {
    /// `a < b`.
    #[track_caller]
    pub fn lt(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Less, a.into(), b.into())
    }

    /// `a > b`.
    #[track_caller]
    pub fn gt(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Less, b.into(), a.into())
    }

    /// `a <= b`.
    #[track_caller]
    pub fn le(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        let above = self.gt(a, b);
        self.not(above)
    }

    /// `a >= b`.
    #[track_caller]
    pub fn ge(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        let below = self.lt(a, b);
        self.not(below)
    }

    /// `a = b`, of numbers or of bits.
    #[track_caller]
    pub fn eq(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        let [a, b] = self.pair(a.into(), b.into());
        if self.type_of(a).map(|t| t.element) == Some(Element::Bit) {
            let differ = self.push(Op::Xor, &[a, b], None);
            return self.not(differ);
        }
        self.push(Op::Equal, &[a, b], None)
    }

    /// `a != b`, of numbers or of bits.
    #[track_caller]
    pub fn ne(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `a and b`.
    #[track_caller]
    pub fn and(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::And, a.into(), b.into())
    }

    /// `a or b`.
    #[track_caller]
    pub fn or(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Or, a.into(), b.into())
    }

    /// `a` exclusive or `b`.
    #[track_caller]
    pub fn xor(&mut self, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        self.binary(Op::Xor, a.into(), b.into())
    }

    /// Not `a`.
    #[track_caller]
    pub fn not(&mut self, a: Value) -> Value {
        self.push(Op::Not, &[a], None)
    }

    /// `a` where the bit is one, else `b`.
    #[track_caller]
    pub fn select(&mut self, bit: Value, a: impl Into<Arg>, b: impl Into<Arg>) -> Value {
        let [a, b] = self.pair(a.into(), b.into());
        let [bit, a] = self.broadcast_pair(bit, a);
        let [bit, b] = self.broadcast_pair(bit, b);
        self.push(Op::Select, &[bit, a, b], None)
    }

    /// A circuit, lane by lane: one operand per input port, broadcast to one shape, and one
    /// result of these element types per output port.
    #[track_caller]
    pub fn circuit(
        &mut self,
        name: &str,
        circuit: &Arc<Circuit>,
        operands: &[Value],
        results: &[Element],
    ) -> Vec<Value> {
        let mut joint = Some(Vec::new());
        let mut visibility = Visibility::Public;
        for &operand in operands {
            let Some(ty) = self.type_of(operand) else { return vec![POISON; results.len()] };
            visibility = visibility.join(ty.visibility);
            joint = joint.and_then(|joint| shape::joint(&joint, &ty.shape));
        }
        let Some(joint) = joint else {
            self.fail("operands of shapes that do not broadcast to one");
            return vec![POISON; results.len()];
        };
        let mut wide = Vec::new();
        for &operand in operands {
            wide.push(self.broadcast_to(operand, joint.clone()));
        }
        let typed = |&element: &Element| Type {
            element,
            shape: joint.clone(),
            visibility,
            interval: element.interval(),
        };
        let types: Vec<Type> = results.iter().map(typed).collect();
        let op = Op::Circuit { name: name.into(), circuit: circuit.clone() };
        let values = self.push_all(op, &wide, Some(&types));
        if values.is_empty() { vec![POISON; results.len()] } else { values }
    }
}
