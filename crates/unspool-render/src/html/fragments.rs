//! Pieces of a page: ranges of messages, exactly as on the whole page.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use unspool_text::html::{Html, Painting};

use super::host::{FragmentHost, PieceForm};
use super::outline::Outline;
use super::surface::{HtmlSurface, OpenSection, PageOptions};
use crate::document::{Playback, PlaybackRequest, WriterPaper};

/// The messages of a transcript as markup, for one range at a time.
///
/// A piece has the same bytes, ids and links as its messages on a page of the whole transcript:
/// consecutive pieces are the content of the page between its header and its end, or the agents
/// that no call leads to. A message is never cut. The piece with the first message of a turn opens
/// the `section` of the turn, and the piece with its last message closes it, so a piece of whole
/// turns is balanced, and a piece from the middle of a turn belongs inside its `section`.
///
/// The work is proportional to the range; the first range that does not start at the beginning also
/// walks the tables of the log once.
///
/// ```no_run
/// use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
/// use unspool_render::document::PlaybackRequest;
/// use unspool_render::html::HtmlFragments;
/// # fn example(session: &unspool_store::session::Session) -> Result<(), Box<dyn std::error::Error>> {
/// let shown = Transcript::new(session, &TranscriptRequest::default())?;
/// let fragments = HtmlFragments::new(PlaybackRequest::new(&shown));
/// let all = fragments.messages();
/// let last_hundred = fragments.html(all.end.saturating_sub(100)..all.end)?;
/// # Ok(())
/// # }
/// ```
pub struct HtmlFragments<'a> {
    playback: Playback<'a>,
    /// The models that were named last before messages, as far as they are known: a page names a
    /// model if another one was named before.
    models: RefCell<BTreeMap<u32, Option<String>>>,
    host: Option<&'a dyn FragmentHost>,
    form: PieceForm,
}

impl<'a> HtmlFragments<'a> {
    /// Creates the pieces of a transcript.
    pub fn new(stage: PlaybackRequest<'a>) -> Self {
        Self {
            playback: Playback::new(stage),
            models: RefCell::default(),
            host: None,
            form: PieceForm::default(),
        }
    }

    /// Paints for a served page: the host writes what surrounds messages, and knows the addresses
    /// of long contents.
    #[must_use]
    pub fn served(self, host: &'a dyn FragmentHost, form: PieceForm) -> Self {
        Self { host: Some(host), form, ..self }
    }

    /// Returns the positions of all messages to paint.
    pub fn messages(&self) -> Range<u32> {
        self.playback.messages()
    }

    /// Paints the messages of a range; positions outside of [`Self::messages`] are ignored.
    pub fn html(&self, range: Range<u32>) -> io::Result<String> {
        Ok(self.piece(range)?.as_str().to_owned())
    }

    /// Paints the messages of a range, to be put into a page.
    pub fn piece(&self, range: Range<u32>) -> io::Result<Html> {
        let range = self.playback.within(range);
        if range.is_empty() {
            return Ok(Html::new());
        }
        let mut paper = WriterPaper(io::sink());
        let options = PageOptions { painting: Painting::Highlighted, site: None };
        let outline = Outline::of_turns(self.playback.turns(&range));
        let section = if self.ends_before(range.start) || self.form == PieceForm::Whole {
            OpenSection::None
        } else {
            OpenSection::Turn
        };
        let model = self.model_before(range.start)?;
        let mut surface = HtmlSurface::new(options, &mut paper)
            .of_piece(self.host, self.form)
            .resumed(outline, section, model);
        self.playback.play_range(range.clone(), &mut surface)?;
        if self.ends_before(range.end) || self.form == PieceForm::Whole {
            surface.close_section();
        }
        let (html, model) = surface.into_piece();
        self.models.borrow_mut().insert(range.end, model);
        Ok(html)
    }

    /// Returns whether no turn is open before a message.
    fn ends_before(&self, index: u32) -> bool {
        let all = self.messages();
        index == all.start || index == all.end || self.playback.turn_of(index).1
    }

    /// Returns the model that was named last before a message; `None` after a nested agent, since
    /// the next model is named again.
    fn model_before(&self, index: u32) -> io::Result<Option<String>> {
        let mut found = None;
        for index in (self.messages().start..=index).rev() {
            if let Some(known) = self.models.borrow().get(&index) {
                found.clone_from(known);
                break;
            }
            let Some(before) = index.checked_sub(1).filter(|i| self.messages().contains(i)) else {
                break;
            };
            let (passage, nests) = self.playback.passage(before)?;
            if nests || passage.model.is_some() {
                found = passage.model.filter(|_| !nests);
                break;
            }
        }
        self.models.borrow_mut().insert(index, found.clone());
        Ok(found)
    }
}
