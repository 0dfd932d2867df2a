//! The picker's wake-ups, and the moments at which rows may change order.

use unspool_model::time::Time;

use super::PickerScreen;
use crate::screen::ScreenContext;

/// How long no key must be pressed before rows change order.
const SILENCE_MS: i64 = 1_000;

impl PickerScreen {
    /// Tells whether rows may change order: no key was pressed lately, or the selection is on the first
    /// row.
    pub(super) fn may_arrange(&self, cx: &ScreenContext<'_>) -> bool {
        let silence = |key: Time| cx.now.as_millis() - key.as_millis() >= SILENCE_MS;
        self.list.is_at_first() || self.last_key.is_none_or(silence)
    }

    /// Schedules a wake-up for the next change of a shown time.
    pub(super) fn wake(&mut self, cx: &mut ScreenContext<'_>) {
        if self.is_covered {
            return;
        }
        let newest = self.list.rows.all().first();
        let newest = newest.map(|row| cx.now.as_millis() - row.active.as_millis());
        let youngest = self.live.youngest(cx.now).into_iter().chain(newest).min();
        let step = match youngest {
            Some(0..60_000) if self.live.youngest(cx.now).is_some() => 1_000,
            Some(0..3_600_000) => 60_000,
            _ => 3_600_000,
        };
        cx.wake_at(Time::from_millis(cx.now.as_millis() + step));
    }

    pub(super) fn note_key(&mut self, cx: &mut ScreenContext<'_>) {
        self.last_key = Some(cx.now);
    }

    /// Schedules a wake-up for the moment when waiting rows may change order.
    pub(super) fn wake_to_arrange(&self, cx: &mut ScreenContext<'_>) {
        if self.waits_to_arrange {
            let last = self.last_key.unwrap_or(cx.now);
            let at = (last.as_millis() + SILENCE_MS).max(cx.now.as_millis() + 1);
            cx.wake_at(Time::from_millis(at));
        }
    }
}
