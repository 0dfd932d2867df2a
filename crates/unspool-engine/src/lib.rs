//! The library that every surface calls, and the operations below it.
//!
//! Every feature is a function in [`ops`]: a request goes in, data comes out. A
//! [`library::Library`] calls the parts in order: walk the homes, update the index, query it. Homes,
//! time and settings are passed in; this crate paints nothing.
//!
//! ```
//! use std::time::SystemTime;
//! use unspool_store::progress::Unwatched;
//! use unspool_engine::library::{
//!     Library, LibraryClock, LibrarySettings, RowsRequest, SearchRequest, SessionRequest,
//! };
//! # let home = unspool_testkit::TestHome::new();
//! # let log = unspool_testkit::session("u1 user \"find the needle\"\na1 assistant \"here it is\"");
//! # home.add_session("/srv/demo", &unspool_testkit::uuid("one"), log);
//! # let home = home.path();
//!
//! // The index is in memory here; `LibrarySettings::index` can name a folder.
//! let clock = LibraryClock::new(SystemTime::now);
//! let library = Library::open(LibrarySettings::of_home(home, clock))?;
//!
//! let newest = library.rows(&RowsRequest::newest(200), &Unwatched)?;
//! assert_eq!(newest.rows[0].title.as_deref(), Some("find the needle"));
//!
//! let answer = library.search(&SearchRequest::ranked("needle"), &Unwatched)?;
//! assert_eq!(answer.hits[0].session, newest.rows[0].id);
//!
//! let opened = library.session(&SessionRequest::named("@"), &Unwatched)?;
//! let said: Vec<String> = opened
//!     .transcript(&Default::default())?
//!     .messages()
//!     .map(|message| Ok(message?.said()))
//!     .collect::<std::io::Result<_>>()?;
//! assert_eq!(said, ["find the needle", "here it is"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod library;
pub mod ops;
