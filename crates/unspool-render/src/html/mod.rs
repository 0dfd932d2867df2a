//! Transcripts as pages, and pages as a site.
//!
//! [`HtmlSurface`] paints what an export tells it (see [`Surface`]) as HTML: one page that
//! contains everything it needs, or several that lead to each other. [`HtmlFragments`] paints a range
//! of messages as such a page has them. [`SiteBuilder`] puts pages of many sessions under one roof,
//! with lists and a search. [`key_help`] paints the keys of a page, from the table of
//! [`keys`](crate::keys), and [`assets`] has the style sheet and the script; pages of a server use all of
//! them.
//!
//! Everything from a log goes through [`Html::text`], which escapes it; markup is made of
//! string literals of this program. A page loads nothing, and a policy in its head says so to the
//! browser. What goes out depends on what comes in and on nothing else: no clock, no random
//! number, no order of a hash table.
//!
//! Nothing here opens a log or knows the folders of a home. The site is the one part that writes
//! files, into the folder that it is given.
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
