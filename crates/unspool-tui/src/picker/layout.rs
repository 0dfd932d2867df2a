//! The layout of the picker for each size of the screen.

use ratatui::layout::Rect;

use crate::event::ScreenSize;
use crate::work::picker::preview::PreviewCard;
use crate::work::picker::saved::PreviewPlace;

/// The least width for a preview next to the list.
const SIDE_BY_SIDE: u16 = 100;
/// The least width for all columns of the list.
const WIDE: u16 = 180;
/// The width of the list next to a preview, and that on a wide screen.
const LIST: u16 = 58;
const WIDE_LIST: u16 = 108;
/// The least height for a preview below the list.
const LEAST_ROWS: u16 = 24;
/// The least height of the preview below the list, including the rule over it.
const LEAST_PREVIEW: u16 = 7;

/// The parts of the picker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PickerLayout {
    pub(crate) shape: PickerShape,
    /// The area of the list's rows.
    pub(crate) list: Rect,
    /// The area of the preview's lines.
    pub(crate) preview: Option<Rect>,
}

/// The arrangement of the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PickerShape {
    /// Header, query, list, counts, and a preview if there is room.
    Stacked,
    /// Two frames next to each other.
    Framed {
        /// The frame of the list.
        list: Rect,
        /// The frame of the preview.
        preview: Rect,
    },
}

impl PickerLayout {
    /// Computes the layout.
    pub(crate) fn of(size: ScreenSize, place: Option<PreviewPlace>) -> Self {
        let columns = size.columns;
        // The last row shows the hints.
        let rows = size.rows.saturating_sub(1);
        match effective(size, place) {
            PreviewPlace::Right => {
                let width = if columns >= WIDE { WIDE_LIST } else { LIST };
                let list = Rect::new(0, 0, width, rows);
                let preview = Rect::new(width, 0, columns - width, rows);
                Self {
                    shape: PickerShape::Framed { list, preview },
                    list: inside(list),
                    preview: Some(inside(preview)),
                }
            }
            place => {
                let is_shown = place == PreviewPlace::Below && size.rows >= LEAST_ROWS;
                let height = if is_shown { LEAST_PREVIEW.max(size.rows / 3) } else { 0 };
                // Header, query and counts have one row each.
                let list = Rect::new(0, 2, columns, rows.saturating_sub(3 + height));
                let preview = Rect::new(0, list.bottom() + 1, columns, height.saturating_sub(1));
                Self { shape: PickerShape::Stacked, list, preview: is_shown.then_some(preview) }
            }
        }
    }

    /// Returns the number of rows of the list.
    pub(crate) fn height(&self) -> usize {
        usize::from(self.list.height)
    }

    /// Tells whether the session's card fits above the last turn.
    pub(crate) fn card(&self) -> PreviewCard {
        match self.shape {
            PickerShape::Framed { .. } => PreviewCard::Shown,
            PickerShape::Stacked => PreviewCard::Hidden,
        }
    }
}

/// Returns the place of the preview: on the right only where it fits.
pub(crate) fn effective(size: ScreenSize, place: Option<PreviewPlace>) -> PreviewPlace {
    let is_wide = size.columns >= SIDE_BY_SIDE;
    match place {
        None if is_wide => PreviewPlace::Right,
        None => PreviewPlace::Below,
        Some(PreviewPlace::Right) if !is_wide => PreviewPlace::Below,
        Some(place) => place,
    }
}

fn inside(frame: Rect) -> Rect {
    Rect {
        x: frame.x + 1,
        y: frame.y + 1,
        width: frame.width.saturating_sub(2),
        height: frame.height.saturating_sub(2),
    }
}
