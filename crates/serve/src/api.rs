//! The operator's API: HTTP and JSON on a Unix socket that only the daemon's user and root can open.

use crate::backup;
use crate::core::Events;
use crate::data::{self, Data};
use crate::error::Error;
use crate::metrics::{self, Host};
use crate::store::Store;
use crate::study::{self, Lint, StudyFile};
use crate::workers::{report_file, results_file};
use axum::body::Bytes;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use tacit::ErrorKind;
use tacit_node::{Code, Command, Document, Limits, Member, Policy, Problem, Table};
use tokio::net::UnixListener;

/// Largest table that is taken, in bytes.
const MAX_TABLE_BYTES: usize = 1 << 30;
/// Largest study with its program, in bytes.
const MAX_STUDY_BYTES: usize = 1 << 20;

/// What requests are served with.
pub struct Served {
    pub events: Events,
    pub store: Arc<Store>,
    pub data: Arc<Data>,
    /// Held while a table is added: each is compared with all before.
    pub adding: tokio::sync::Mutex<()>,
    pub results: PathBuf,
    pub policy: Policy,
    pub limits: Limits,
    pub fingerprints: BTreeMap<String, String>,
    /// The node's state directory.
    pub state: PathBuf,
    /// When the daemon was started, in seconds of Unix time.
    pub started: u64,
}

type Api = State<Arc<Served>>;
type Reply = Result<Json<Value>, Refusal>;

/// Who asks: the user at the other end of the socket.
#[derive(Clone)]
struct Operator(String);

impl Connected<IncomingStream<'_, UnixListener>> for Operator {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Operator {
        let uid = stream.io().peer_cred().map(|it| it.uid());
        Operator(uid.map_or_else(|_| "unknown".into(), |uid| format!("uid:{uid}")))
    }
}

type Who = ConnectInfo<Operator>;

/// A problem, as RFC 9457 has it.
struct Refusal(Problem);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Problem { status, code, detail } = self.0;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let title = status.canonical_reason().unwrap_or_default();
        let body =
            json!({ "title": title, "status": status.as_u16(), "code": code, "detail": detail });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        (status, kind, body.to_string()).into_response()
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal(problem)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let (status, code) = match error.kind {
            ErrorKind::Input | ErrorKind::Config => (422, "invalid"),
            _ => (500, "system"),
        };
        Refusal(Problem::new(status, code, error.message))
    }
}

impl Served {
    fn lint(&self, document: &Document) -> Result<Value, Error> {
        let Lint { text, refused } = study::lint(document, &self.policy, self.limits)?;
        Ok(json!({ "text": text, "refused": refused }))
    }

    async fn ask(&self, who: Operator, command: Command) -> Reply {
        Ok(Json(self.events.ask(who.0, command).await?))
    }

    /// The parties, as all know them: their statement keys are those that this node has seen.
    fn members(&self, own: (&str, &str)) -> Result<BTreeMap<String, Member>, Error> {
        let records = self.store.load()?;
        let keys = records.into_iter().filter(|record| record.table == Table::Keys);
        let mut keys: BTreeMap<String, String> = keys
            .filter_map(|record| Some((record.key, serde_json::from_slice(&record.value).ok()?)))
            .collect();
        keys.insert(own.0.to_owned(), own.1.to_owned());
        let member = |(party, fingerprint): (&String, &String)| {
            let statements = keys.get(party).cloned().unwrap_or_default();
            (party.clone(), Member { fingerprint: fingerprint.clone(), statements })
        };
        Ok(self.fingerprints.iter().map(member).collect())
    }

    async fn document(&self, who: &Operator, proposal: Proposal) -> Result<Document, Refusal> {
        let status = self.events.ask(who.0.clone(), Command::Status).await?;
        let own =
            [&status["party"], &status["statements"]].map(|it| it.as_str().unwrap_or_default());
        let members = self.members((own[0], own[1]))?;
        let file = StudyFile::parse("the study", &proposal.study)?;
        Ok(file.document(&proposal.program, members)?)
    }

    /// The document of a study that the node knows.
    async fn known(&self, who: &Operator, name: String) -> Result<Document, Refusal> {
        let shown = self.events.ask(who.0.clone(), Command::ShowStudy(name)).await?;
        let document = json!({
            "version": 1, "terms": shown["terms"], "program": shown["program"],
            "program_digest": shown["program_digest"], "members": shown["members"],
        });
        serde_json::from_value(document)
            .map_err(|_| Refusal(Problem::new(500, "bug", "a study that the node knows is none")))
    }

    async fn file(
        &self,
        who: Operator,
        session: String,
        report: bool,
    ) -> Result<Response, Refusal> {
        let found = self.events.ask(who.0, Command::Results(session)).await?;
        let session = found["session"].as_str().unwrap_or_default();
        let attempt = found["attempt"].as_u64().unwrap_or(0) as u32;
        let path = match report {
            true => report_file(&self.results, session, attempt),
            false => results_file(&self.results, session, attempt),
        };
        let text = tokio::task::spawn_blocking(move || std::fs::read(&path)).await;
        let failed = || Problem::new(500, "system", "the file of the results cannot be read");
        let text = text.map_err(|_| failed())?.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Problem::new(
                410,
                "gone",
                "the results are not here: their file is gone, or the state was put back from a backup without it",
            ),
            _ => failed(),
        })?;
        Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
    }
}

/// A study's file and its program's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposal {
    study: String,
    program: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    dataset: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    study: String,
}

async fn propose(State(api): Api, ConnectInfo(who): Who, Json(it): Json<Proposal>) -> Reply {
    let document = api.document(&who, it).await?;
    api.ask(who, Command::ProposeStudy(Box::new(document))).await
}

async fn lint(State(api): Api, ConnectInfo(who): Who, Json(it): Json<Proposal>) -> Reply {
    let document = api.document(&who, it).await?;
    Ok(Json(api.lint(&document)?))
}

async fn lint_known(State(api): Api, ConnectInfo(who): Who, Path(name): Path<String>) -> Reply {
    let document = api.known(&who, name).await?;
    Ok(Json(api.lint(&document)?))
}

/// Nobody approves what this node cannot read.
async fn approve(State(api): Api, ConnectInfo(who): Who, Path(name): Path<String>) -> Reply {
    let document = api.known(&who, name).await?;
    study::check(&document)?;
    api.ask(who, Command::ApproveStudy(document.id())).await
}

async fn bind(
    State(api): Api,
    ConnectInfo(who): Who,
    Path(study): Path<String>,
    Json(Binding { dataset }): Json<Binding>,
) -> Reply {
    api.ask(who, Command::BindStudy { study, dataset }).await
}

async fn add(
    State(api): Api,
    ConnectInfo(who): Who,
    Path(dataset): Path<String>,
    table: Bytes,
) -> Reply {
    let _adding = api.adding.lock().await;
    let (data, store, name) = (api.data.clone(), api.store.clone(), dataset.clone());
    let add = move || {
        let version = data.add(&name, &table, &store.tables()?)?;
        Ok::<_, Error>((version, data::names(&table)?))
    };
    let added = tokio::task::spawn_blocking(add).await;
    let (version, columns) =
        added.map_err(|_| Problem::new(500, "bug", "the table was not stored"))??;
    let Json(mut added) = api.ask(who, Command::AddDataset { dataset, version }).await?;
    added["columns"] = json!(columns);
    Ok(Json(added))
}

async fn start(
    State(api): Api,
    ConnectInfo(who): Who,
    headers: HeaderMap,
    Json(Wish { study }): Json<Wish>,
) -> Reply {
    let key = headers.get("idempotency-key").map(|key| key.to_str().map(str::to_owned));
    let key = key
        .transpose()
        .map_err(|_| Problem::new(422, "invalid_key", "an idempotency key is printable ASCII"))?;
    api.ask(who, Command::StartSession { study, key }).await
}

async fn audit(State(api): Api) -> Reply {
    let store = api.store.clone();
    let entries = tokio::task::spawn_blocking(move || store.values(Table::Audit)).await;
    let entries = entries.map_err(|_| Problem::new(500, "bug", "the log was not read"))??;
    let entries: Vec<Value> =
        entries.iter().filter_map(|entry| serde_json::from_slice(entry).ok()).collect();
    Ok(Json(json!(entries)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    to: PathBuf,
}

async fn back_up(
    State(api): Api,
    ConnectInfo(who): Who,
    Json(Target { to }): Json<Target>,
) -> Reply {
    if !to.is_absolute() {
        return Err(
            Problem::new(422, "invalid", "the folder of a backup is an absolute path").into()
        );
    }
    let status = api.events.ask(who.0, Command::Status).await?;
    let written = tokio::task::spawn_blocking(move || {
        let text = |key: &str| status[key].as_str().unwrap_or_default().to_owned();
        let (party, statements) = (text("party"), text("statements"));
        backup::write((&api.state, &api.store), (&party, &statements), &to)
    });
    let about =
        written.await.map_err(|_| Problem::new(500, "bug", "the backup was not made"))??;
    Ok(Json(json!(about)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forgotten {
    charges: BTreeMap<String, u32>,
}

async fn recover(
    State(api): Api,
    ConnectInfo(who): Who,
    Json(Forgotten { charges }): Json<Forgotten>,
) -> Reply {
    api.ask(who, Command::Recover(charges)).await
}

async fn ready(State(api): Api) -> Reply {
    let status = api.events.ask("probe".into(), Command::Status).await?;
    if !status["recovery"].is_null() {
        return Err(Problem::new(503, "rolled_back", Code::RolledBack.advice()).into());
    }
    match status["draining"].as_bool() {
        Some(true) => Err(Problem::new(503, "draining", "this node is about to stop").into()),
        _ => Ok(Json(json!({ "ready": true }))),
    }
}

async fn measures(State(api): Api) -> Result<Response, Refusal> {
    let bug = |_| Problem::new(500, "bug", "the numbers could not be read");
    let found = api.events.ask("probe".into(), Command::Measures).await?;
    let found = serde_json::from_value(found).map_err(|_| bug(()))?;
    let text = metrics::text(&Host::of(api.started, &api.state), &found).map_err(|_| bug(()))?;
    Ok(([(header::CONTENT_TYPE, metrics::KIND)], text).into_response())
}

/// What others than operators may read.
fn probes() -> Router<Arc<Served>> {
    Router::new()
        .route("/healthz", get(|| async { Json(json!({ "alive": true })) }))
        .route("/readyz", get(ready))
        .route("/metrics", get(measures))
}

/// A request without a body about nothing or about one thing.
macro_rules! ask {
    ($command:expr) => {
        |State(api): Api, ConnectInfo(who): Who| async move { api.ask(who, $command).await }
    };
    (of $command:expr) => {
        |State(api): Api, ConnectInfo(who): Who, Path(name): Path<String>| async move {
            api.ask(who, $command(name)).await
        }
    };
}

fn routes(served: Arc<Served>) -> Router {
    let results = |State(api): Api, ConnectInfo(who): Who, Path(name): Path<String>| async move {
        api.file(who, name, false).await
    };
    let report = |State(api): Api, ConnectInfo(who): Who, Path(name): Path<String>| async move {
        api.file(who, name, true).await
    };
    let table = put(add).layer(DefaultBodyLimit::max(MAX_TABLE_BYTES));
    probes()
        .route("/v1/status", get(ask!(Command::Status)))
        .route("/v1/drain", post(ask!(Command::Drain)))
        .route("/v1/backup", post(back_up))
        .route("/v1/recover", post(recover))
        .route("/v1/studies", get(ask!(Command::ListStudies)).post(propose))
        .route("/v1/lint", post(lint))
        .route("/v1/studies/{id}", get(ask!(of Command::ShowStudy)))
        .route("/v1/studies/{id}/lint", get(lint_known))
        .route("/v1/studies/{id}/approve", post(approve))
        .route("/v1/studies/{id}/bind", post(bind))
        .route("/v1/studies/{id}/withdraw", post(ask!(of Command::WithdrawStudy)))
        .route("/v1/studies/{id}/close", post(ask!(of Command::CloseStudy)))
        .route("/v1/studies/{id}/clear", post(ask!(of Command::ClearStudy)))
        .route("/v1/datasets", get(ask!(Command::ListDatasets)))
        .route("/v1/datasets/{name}", table)
        .route("/v1/sessions", get(ask!(Command::ListSessions)).post(start))
        .route("/v1/sessions/{id}", get(ask!(of Command::ShowSession)))
        .route("/v1/sessions/{id}/cancel", post(ask!(of Command::CancelSession)))
        .route("/v1/sessions/{id}/settle", post(ask!(of Command::SettleSession)))
        .route("/v1/sessions/{id}/results", get(results))
        .route("/v1/sessions/{id}/report", get(report))
        .route("/v1/audit", get(audit))
        .layer(DefaultBodyLimit::max(MAX_STUDY_BYTES))
        .with_state(served)
}

/// Looks whether a socket can be made there.
///
/// # Errors
/// Its folder is not there, or something else has its name.
pub fn check_socket(socket: &std::path::Path) -> Result<(), Error> {
    use std::os::unix::fs::FileTypeExt;
    let shown = socket.display();
    if !socket.parent().is_some_and(std::path::Path::is_dir) {
        return Err(Error::config(format!(
            "{shown}: the folder of the socket is not there; make it, as the daemon's user's own \
             (systemd does so for `RuntimeDirectory=tacit`), or leave `socket` out: then it is in the state directory"
        )));
    }
    match std::fs::symlink_metadata(socket) {
        Ok(about) if !about.file_type().is_socket() => {
            Err(Error::config(format!("{shown} is there already, and is no socket")))
        }
        _ => Ok(()),
    }
}

/// Serves the API on a socket, on threads of its own, from here on.
///
/// # Errors
/// The socket cannot be made.
pub fn serve(
    socket: &std::path::Path,
    watched: Option<&str>,
    served: Served,
) -> Result<tokio::runtime::Runtime, Error> {
    let wrong = |e: std::io::Error| Error::file(socket, &e);
    check_socket(socket)?;
    // The lock on the state says that nobody else uses it.
    match std::fs::remove_file(socket) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(wrong(e)),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("tacit-api")
        .enable_all()
        .build()
        .map_err(|e| Error::system(format!("cannot start threads: {e}")))?;
    let listener = {
        let _within = runtime.enter();
        // Nobody else may call between these two steps.
        let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(socket);
        rustix::process::umask(mask);
        listener.map_err(wrong)?
    };
    let owner = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(socket, owner).map_err(wrong)?;
    let served = Arc::new(served);
    if let Some(address) = watched {
        let wrong = |e: std::io::Error| {
            Error::config(format!(
                "[metrics] listen: cannot listen on {address}: {e}; write HOST:PORT"
            ))
        };
        let listener = std::net::TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let _within = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(wrong)?;
        let service = probes().with_state(served.clone());
        runtime.spawn(async move {
            if let Err(error) = axum::serve(listener, service).await {
                tracing::error!(%error, "nobody can read metrics any more");
            }
        });
    }
    let service = routes(served).into_make_service_with_connect_info::<Operator>();
    runtime.spawn(async move {
        if let Err(error) = axum::serve(listener, service).await {
            tracing::error!(%error, "the API has ended");
        }
    });
    Ok(runtime)
}
