//! Who sent how much to whom, from all parties' meters.

use crate::circuit::EvaluateError;
use crate::run_cost::LinkUse;
use tacit_backend::cost::Traffic;
use tacit_net::{Meter, PartyId, Phase, Session, Stream};

/// Gathers all parties' meters, beside the `predicted` bytes between parties.
pub(crate) fn all_links(
    session: &mut Session,
    predicted: &Traffic,
) -> Result<Vec<LinkUse>, EvaluateError> {
    let mine = serde_json::to_vec(&metered(&session.meter(), session.me()))
        .map_err(|e| EvaluateError::Bug(format!("cannot write the meter: {e}")))?;
    let mut links: Vec<LinkUse> = Vec::new();
    for (party, bytes) in session.publish(&mine)?.iter().enumerate() {
        let theirs: Vec<LinkUse> = serde_json::from_slice(bytes).map_err(|_| {
            let what = "it sent a meter that cannot be read".into();
            EvaluateError::Misbehaviour { party, what }
        })?;
        links.extend(theirs.into_iter().map(|part| own_words(part, party)));
    }
    Ok(merge_links(session.parties(), predicted, links))
}

/// What `party` may tell: what it sent, and how long it waited.
fn own_words(part: LinkUse, party: usize) -> LinkUse {
    let (sent, waited) = (usize::from(part.from) == party, usize::from(part.to) == party);
    LinkUse {
        bytes: if sent { part.bytes } else { 0 },
        messages: if sent { part.messages } else { 0 },
        waited_seconds: if waited { part.waited_seconds.clamp(0.0, 1e9) } else { 0.0 },
        ..part
    }
}

/// What this party sent (and how long it waited for what it got), set-up left out.
fn metered(meter: &Meter, me: PartyId) -> Vec<LinkUse> {
    let mut links = Vec::new();
    for (peer, stream, phase, count) in meter.entries() {
        if phase == Phase::Setup || peer == me {
            continue;
        }
        let entry = |from: PartyId, to: PartyId| LinkUse {
            from: from.0,
            to: to.0,
            stream: stream_name(stream).into(),
            bytes: 0,
            messages: 0,
            predicted_bytes: 0,
            waited_seconds: 0.0,
        };
        if count.bytes_sent > 0 {
            let sent = LinkUse {
                bytes: count.bytes_sent,
                messages: count.messages_sent,
                ..entry(me, peer)
            };
            links.push(sent);
        }
        if count.bytes_received > 0 {
            let waited_seconds = count.waited_ns as f64 * 1e-9;
            links.push(LinkUse { waited_seconds, ..entry(peer, me) });
        }
    }
    links
}

/// One entry per link and stream that is used or predicted, ordered.
fn merge_links(parties: usize, bytes: &Traffic, parts: Vec<LinkUse>) -> Vec<LinkUse> {
    let mut links = Vec::new();
    let all = || PartyId::all(parties);
    for (from, to) in all().flat_map(|from| all().map(move |to| (from, to))) {
        for stream in Stream::ALL {
            let predicted_bytes = bytes.stream(stream)[from.index()][to.index()];
            let (sender, receiver) = (from.0, to.0);
            let name = stream_name(stream);
            let mine =
                parts.iter().filter(|p| (p.from, p.to) == (sender, receiver) && p.stream == name);
            let mut link = LinkUse {
                from: sender,
                to: receiver,
                stream: name.into(),
                bytes: 0,
                messages: 0,
                predicted_bytes,
                waited_seconds: 0.0,
            };
            for part in mine {
                link.bytes = link.bytes.saturating_add(part.bytes);
                link.messages = link.messages.saturating_add(part.messages);
                link.waited_seconds += part.waited_seconds;
            }
            if link.bytes > 0 || link.predicted_bytes > 0 {
                links.push(link);
            }
        }
    }
    links
}

/// The stream's name in reports.
fn stream_name(stream: Stream) -> &'static str {
    match stream {
        Stream::Pre => "ahead",
        Stream::On => "online",
        Stream::Def => "deferred",
    }
}
