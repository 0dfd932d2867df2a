//! Transcripts as pages, and pages as a site.
//!
//! [`HtmlSurface`] paints a transcript (see [`Surface`]) as HTML: one page that contains everything
//! it needs, or several pages that link to each other. [`HtmlFragments`] paints a range of messages
//! as on such a page. [`SiteBuilder`] combines pages of many sessions into a site with lists and a
//! search. [`key_help`] paints the keys of a page from the table of [`keys`](crate::keys), and
//! [`assets`] contains style sheets and scripts; pages of a server use them too.
//!
//! All text of a log goes through [`Html::text`], which escapes it; markup consists of string literals of
//! this program. A page loads nothing, and a policy in its head makes the browser enforce this. The output
//! depends only on the input: not on a clock, random numbers or the order of a hash table.
//!
//! This module opens no log and does not know the folders of a home. Only the site writes files,
//! into the folder that it is given.
//!
//! [`Surface`]: crate::document::Surface
//! [`Html::text`]: unspool_text::html::Html::text

pub mod assets;
mod call;
mod fragments;
mod header;
mod help;
mod host;
mod media;
mod message;
mod moment;
mod outline;
mod plan;
mod site;
mod surface;

pub use self::call::whole_detail;
pub use self::fragments::HtmlFragments;
pub use self::header::heading;
pub use self::help::{ButtonKind, action_button, key_help};
pub use self::host::{FragmentHost, INLINE_BYTES, INLINE_LINES, PieceForm};
pub use self::site::{Neighbours, SITE_START, SiteBuilder, SiteSession, Words};
pub use self::surface::{HtmlSurface, PageOptions, agent_name};
