//! Pieces of a page: the messages of a range, as the whole page has them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use unspool_text::html::{Html, Painting};

use super::host::{FragmentHost, PieceForm};
use super::outline::Outline;
use super::surface::{HtmlSurface, OpenSection, PageOptions};
use crate::document::{Playback, Roll, Stage};

/// The messages of a transcript as markup, a range of them at a time.
///
/// A piece has the same bytes, ids and links as those messages have on a page of the whole
/// transcript: pieces one after the other are what is on the page between its header and its
/// end, or the agents that no call is known for. A message is never cut. The `section` of a turn is
/// opened by the piece with its first message and closed by the piece with its last one, so a piece
/// of whole turns is balanced, and one from the middle of a turn belongs inside its `section`.
///
/// Work is in proportion to the range, apart from what the first range takes that does not start
/// at the beginning: it goes once over the tables of the log.
///
/// ```no_run
/// use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
/// use unspool_render::document::Stage;
/// use unspool_render::html::HtmlFragments;
/// # fn example(session: &unspool_store::session::Session) -> Result<(), Box<dyn std::error::Error>> {
/// let shown = Transcript::new(session, &TranscriptRequest::default())?;
/// let fragments = HtmlFragments::new(Stage::new(&shown));
/// let all = fragments.messages();
/// let last_hundred = fragments.html(all.end.saturating_sub(100)..all.end)?;
/// # Ok(())
/// # }
/// ```
pub struct HtmlFragments<'a> {
    playback: Playback<'a>,
    /// The models that spoke last before messages, as far as it is known: a page names a model
    /// where another one spoke before.
    models: RefCell<BTreeMap<u32, Option<String>>>,
    host: Option<&'a dyn FragmentHost>,
    form: PieceForm,
}

impl<'a> HtmlFragments<'a> {
    /// Prepares to paint a transcript piece by piece.
    pub fn new(stage: Stage<'a>) -> Self {
        Self {
            playback: Playback::new(stage),
            models: RefCell::default(),
            host: None,
            form: PieceForm::default(),
        }
    }

    /// Paints for a page that is served: the host says what is around messages and where long
    /// things are.
    #[must_use]
    pub fn served(self, host: &'a dyn FragmentHost, form: PieceForm) -> Self {
        Self { host: Some(host), form, ..self }
    }

    /// Returns the positions of all messages to paint.
    pub fn messages(&self) -> Range<u32> {
        self.playback.messages()
    }

    /// Paints the messages of a range; those that there are not are left out.
    pub fn html(&self, range: Range<u32>) -> io::Result<String> {
        Ok(self.piece(range)?.as_str().to_owned())
    }

    /// Paints the messages of a range, to be put into a page.
    pub fn piece(&self, range: Range<u32>) -> io::Result<Html> {
        let range = self.playback.within(range);
        if range.is_empty() {
            return Ok(Html::new());
        }
        let mut paper = Roll(io::sink());
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

    /// Tells whether no turn is open in front of a message.
    fn ends_before(&self, index: u32) -> bool {
        let all = self.messages();
        index == all.start || index == all.end || self.playback.turn_of(index).1
    }

    /// Returns the model that was named last before a message. After an agent that is shown in
    /// between, the next one is named again.
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
