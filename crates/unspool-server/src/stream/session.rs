//! Events of one session: first those that a reader has missed, then new ones.

use std::convert::Infallible;
use std::sync::Arc;

use axum::response::Response;
use futures_util::stream;
use tokio::sync::watch;
use unspool_engine::library::{FeedReader, FeedStart, FeedStep, FeedTarget, OpenSessionView};

use super::drive::RunFollower;
use super::sse::{self, EventText, HEARTBEAT};
use crate::driving::RunChanges;
use crate::follow::FollowedSession;
use crate::route::Call;
use crate::web::{RequestProblem, WorkPool};

/// The maximum number of events in a step. Most messages have a few kilobytes, so a step is small
/// compared to the buffers of a connection.
const STEP: usize = 50;

/// Writes the events of a feed, for one kind of reader.
pub(crate) trait FeedPainter: Send + Sync {
    /// Writes the events of a step.
    fn paint(
        &self,
        view: &OpenSessionView<'_>,
        target: &FeedTarget,
        step: &FeedStep,
        text: &mut EventText,
    ) -> Result<(), RequestProblem>;

    /// Writes the changes of the run that drives the session.
    fn paint_drive(&self, news: &RunChanges, text: &mut EventText);

    /// Writes that the log of an agent of the session has changed.
    fn paint_agents(&self, text: &mut EventText);

    /// Returns whether a reader that has missed this much should start over.
    fn gives_up(&self, messages: usize, bytes: u64) -> bool;
}

/// The stream of a session that a reader requests.
pub(crate) struct SessionFeed {
    /// The session.
    pub(crate) followed: Arc<FollowedSession>,
    /// The conversation of the session.
    pub(crate) target: FeedTarget,
    /// The position after which the stream begins.
    pub(crate) start: FeedStart,
    /// Writes the events.
    pub(crate) painter: Arc<dyn FeedPainter>,
}

/// Opens the session that a request names, and follows it.
pub(crate) async fn followed_session(
    call: &Arc<Call>,
) -> Result<Arc<FollowedSession>, RequestProblem> {
    let opening = Arc::clone(call);
    let session = call.state.pool.run(move || opening.session()).await??;
    let state = &call.state;
    Ok(state.followed.follow(&session, &state.watcher, &state.pool))
}

/// A connection that receives events of one session.
struct SessionConnection {
    /// The position of the reader; none while a step runs.
    cursor: Option<FeedCursor>,
    /// The events of the first step, which ran before the answer began.
    first: Option<EventText>,
    /// Whether there may be events that the reader does not have.
    has_more: bool,
    changes: watch::Receiver<u64>,
    /// How many changes of agents were reported.
    agents: u64,
    drive: RunFollower,
    painter: Arc<dyn FeedPainter>,
    ending: watch::Receiver<bool>,
    pool: WorkPool,
}

/// The position of a reader in a session.
struct FeedCursor {
    followed: Arc<FollowedSession>,
    reader: FeedReader,
    painter: Arc<dyn FeedPainter>,
}

/// The result of a step.
struct PaintedStep {
    text: EventText,
    is_last: bool,
}

/// Streams the events of a session. A problem with the request is returned before the answer begins.
pub(crate) async fn session_stream(
    call: &Call,
    feed: SessionFeed,
) -> Result<Response, RequestProblem> {
    // Subscribed before the first step, so that no change in between is missed.
    let changes = feed.followed.changes();
    let agents = feed.followed.agent_changes();
    let pool = call.state.pool.clone();
    let painter = Arc::clone(&feed.painter);
    let session = feed.followed.session().view().session().id.to_string();
    let mut drive = RunFollower::new(&call.state, session).await;
    let cursor = FeedCursor {
        reader: FeedReader::new(feed.target, feed.start),
        followed: feed.followed,
        painter: feed.painter,
    };
    let news = drive.news();
    let work = move || {
        let (cursor, step) = cursor.step();
        let news = news.map(|news| cursor.without_written(news));
        (cursor, step, news)
    };
    let (cursor, step, news) = pool.run(work).await?;
    let step = step?;
    let mut first = EventText::default();
    first.retry(1_000);
    first.append(&step.text);
    if let Some(news) = news {
        painter.paint_drive(&news, &mut first);
    }
    let connection = SessionConnection {
        cursor: Some(cursor),
        first: Some(first),
        has_more: !step.is_last,
        changes,
        agents,
        drive,
        painter,
        ending: call.state.ending.clone(),
        pool,
    };
    let events = stream::unfold(connection, |mut connection| async move {
        let text = connection.next().await?;
        Some((Ok::<_, Infallible>(text), connection))
    });
    Ok(sse::answer(events))
}

/// Returns the events that a reader has missed, without waiting for new ones.
pub(crate) fn session_events(feed: SessionFeed) -> Result<EventText, RequestProblem> {
    let mut cursor = FeedCursor {
        reader: FeedReader::new(feed.target, feed.start),
        followed: feed.followed,
        painter: feed.painter,
    };
    let mut all = EventText::default();
    loop {
        let (next, step) = cursor.step();
        let step = step?;
        all.append(&step.text);
        if step.is_last {
            return Ok(all);
        }
        cursor = next;
    }
}

impl SessionConnection {
    /// Waits for the next events; none when the server stops, or when the session cannot be read.
    async fn next(&mut self) -> Option<EventText> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            if self.has_more {
                let cursor = self.cursor.take()?;
                let (cursor, step) = self.pool.run_unbounded(move || cursor.step()).await.ok()?;
                self.cursor = Some(cursor);
                let step = step.ok()?;
                self.has_more = !step.is_last;
                if !step.text.is_empty() {
                    return Some(step.text);
                }
                continue;
            }
            match self.wait().await {
                Woken::Log => {
                    self.has_more = true;
                    self.drive.look_again().await;
                    if let Some(text) = self.agents_changed() {
                        return Some(text);
                    }
                }
                Woken::Drive => {
                    let Some(news) = self.drive.news() else {
                        continue;
                    };
                    let cursor = self.cursor.take()?;
                    let work = move || {
                        let news = cursor.without_written(news);
                        (cursor, news)
                    };
                    let (cursor, news) = self.pool.run_unbounded(work).await.ok()?;
                    self.cursor = Some(cursor);
                    let mut text = EventText::default();
                    self.painter.paint_drive(&news, &mut text);
                    if !text.is_empty() {
                        return Some(text);
                    }
                }
                Woken::Silence => {
                    let mut text = EventText::default();
                    text.comment();
                    return Some(text);
                }
                Woken::End => return None,
            }
        }
    }

    /// Writes an event if agents of the session have changed.
    fn agents_changed(&mut self) -> Option<EventText> {
        let changes = self.cursor.as_ref()?.followed.agent_changes();
        if changes == std::mem::replace(&mut self.agents, changes) {
            return None;
        }
        let mut text = EventText::default();
        self.painter.paint_agents(&mut text);
        (!text.is_empty()).then_some(text)
    }

    /// Waits for a reason to wake up.
    async fn wait(&mut self) -> Woken {
        tokio::select! {
            changed = self.changes.changed() => match changed {
                Ok(()) => Woken::Log,
                Err(_) => Woken::End,
            },
            () = self.drive.changed() => Woken::Drive,
            () = tokio::time::sleep(HEARTBEAT) => Woken::Silence,
            _ = self.ending.wait_for(|ending| *ending) => Woken::End,
        }
    }
}

/// The reason why a connection woke up.
enum Woken {
    /// The log changed.
    Log,
    /// The run that drives the session changed.
    Drive,
    /// Nothing has happened for the time of a heartbeat.
    Silence,
    /// The server stops, or the session is not followed any more.
    End,
}

impl FeedCursor {
    /// Removes texts that the log already contains: the last piece of a text may arrive after its
    /// message in the log, and then nothing would remove the text from the page again.
    fn without_written(&self, mut news: RunChanges) -> RunChanges {
        let view = self.followed.session().view();
        let target = FeedTarget::default();
        news.partials.retain(|partial| {
            let said = match partial.parent {
                None => view.feed_said(&target, &partial.message).ok().flatten(),
                // The messages of an agent are in its own log.
                Some(_) => None,
            };
            said.is_none_or(|said| !said.starts_with(&partial.text))
        });
        news
    }

    /// Reads and paints the next events.
    fn step(mut self) -> (Self, Result<PaintedStep, RequestProblem>) {
        let step = self.try_step();
        (self, step)
    }

    fn try_step(&mut self) -> Result<PaintedStep, RequestProblem> {
        let view = self.followed.session().view();
        let backlog = self.reader.backlog(&view)?;
        if self.painter.gives_up(backlog.messages, backlog.bytes) {
            self.reader.reset_to_now(&view)?;
        }
        let step = self.reader.step(&view, STEP)?;
        let mut text = EventText::default();
        let target = self.reader.target().clone();
        self.painter.paint(&view, &target, &step, &mut text)?;
        Ok(PaintedStep { text, is_last: step.is_last })
    }
}
