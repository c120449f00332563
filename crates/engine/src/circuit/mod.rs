//! Evaluation of circuits.
//!
//! [`Job`] says what is computed by whom and for whom; [`Compiled`] lays the circuit out for a
//! protocol; [`evaluate`] runs it over an open session and returns the opened outputs with a
//! [`Report`].

mod ahead;
mod compile;
mod error;
pub(crate) mod evaluate;
mod job;
pub(crate) mod links;
mod opening;
mod predict;
mod report;
mod worker;

pub use compile::Compiled;
pub use error::EvaluateError;
pub use evaluate::{Evaluation, agree_instances, evaluate, evaluate_with};
pub(crate) use job::check_places;
pub use job::{Blocking, FormChoice, Job, MAX_VALUE_BYTES, Preprocessing};
pub use predict::{Prediction, predict};
pub use report::{LinkUse, Report};
