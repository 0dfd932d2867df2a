//! Where the parts of the picker are on a screen of a size.

use ratatui::layout::Rect;

use crate::event::ScreenSize;
use crate::work::picker::kept::PreviewPlace;
use crate::work::picker::preview::PreviewCard;

/// From so many columns on, the preview can be next to the list.
const SIDE_BY_SIDE: u16 = 100;
/// From so many columns on, the list has all columns.
const WIDE: u16 = 180;
/// How many columns the list has next to a preview, and on a wide screen.
const LIST: u16 = 58;
const WIDE_LIST: u16 = 108;
/// Below so many rows there is no preview below the list.
const LEAST_ROWS: u16 = 24;
/// How many rows the preview below the list has at least, with the line over it.
const LEAST_PREVIEW: u16 = 7;

/// The parts of the picker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PickerLayout {
    pub(crate) shape: PickerShape,
    /// The rows of the list.
    pub(crate) list: Rect,
    /// The lines of the preview.
    pub(crate) preview: Option<Rect>,
}

/// How the parts are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PickerShape {
    /// Header, query, list, perhaps a preview, counts.
    Stacked,
    /// Two frames.
    Framed {
        /// The frame around the list.
        list: Rect,
        /// The frame around the preview.
        preview: Rect,
    },
}

impl PickerLayout {
    /// Lays the parts out.
    pub(crate) fn of(size: ScreenSize, place: Option<PreviewPlace>) -> Self {
        let columns = size.columns;
        // The last row has the hints.
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
                // Header, query and counts have a row each.
                let list = Rect::new(0, 2, columns, rows.saturating_sub(3 + height));
                let preview = Rect::new(0, list.bottom() + 1, columns, height.saturating_sub(1));
                Self { shape: PickerShape::Stacked, list, preview: is_shown.then_some(preview) }
            }
        }
    }

    /// Returns how many rows of the screen the list has.
    pub(crate) fn height(&self) -> usize {
        usize::from(self.list.height)
    }

    /// Tells whether the card of a session fits above its last turn.
    pub(crate) fn card(&self) -> PreviewCard {
        match self.shape {
            PickerShape::Framed { .. } => PreviewCard::Shown,
            PickerShape::Stacked => PreviewCard::Left,
        }
    }
}

/// Returns where the preview is: to the right only where there is room.
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
