//! Evaluation of circuits.
//!
//! [`Job`] says what is computed by whom and for whom; [`Compiled`] lays the circuit out for a
//! protocol; [`evaluate`] runs it over an open session and returns the opened outputs with a
//! [`Report`].

mod ahead;
pub(crate) mod assignment;
mod compile;
mod error;
pub(crate) mod evaluate;
mod garbled;
mod guard;
mod instances;
mod job;
mod masked;
mod memory;
mod opening;
mod predict;
pub(crate) mod prepared;
mod rehearse;
mod report;
pub(crate) mod roles;
mod task;
mod triples;
mod worker;

pub use crate::options::{Garbling, Preprocessing};
pub use assignment::Assignment;
pub(crate) use assignment::{cut, list};
pub use compile::Compiled;
pub use error::EvaluateError;
pub(crate) use error::lost;
pub use evaluate::{
    Evaluation, check_storable, evaluate, evaluate_prepared, evaluate_with, prepare,
    prepare_from_triples,
};
pub use guard::Guard;
pub use instances::{Consent, UNSAID_VALUE_BYTES, agree_instances};
pub use job::{Blocking, FormChoice, Job, MAX_VALUE_BYTES};
pub use memory::memory;
pub use predict::{Alone, Prediction, predict, predict_ahead, predict_alone};
pub use prepared::{Give, Keep, StoredPreprocessing};
pub use rehearse::rehearse;
pub use report::{AssignmentUse, Report};
pub use triples::{MadeTriples, TripleJob, measure_triples, prepare_triples};
