//! When the picker wants to be woken, and when rows may change their places.

use unspool_model::time::Time;

use super::PickerScreen;
use crate::screen::ScreenContext;

/// How long no key must have been pressed before rows change their order.
const SILENCE_MS: i64 = 1_000;

impl PickerScreen {
    /// Tells whether rows may change their places: the finger is on none of them.
    pub(super) fn may_arrange(&self, cx: &ScreenContext<'_>) -> bool {
        let silence = |key: Time| cx.now.as_millis() - key.as_millis() >= SILENCE_MS;
        self.list.is_at_first() || self.last_key.is_none_or(silence)
    }

    /// Asks to be woken when a time that is shown changes. Nothing runs while nothing changes.
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

    /// Asks to be woken when rows that wait may change their places.
    pub(super) fn wake_to_arrange(&self, cx: &mut ScreenContext<'_>) {
        if self.waits_to_arrange {
            let last = self.last_key.unwrap_or(cx.now);
            let at = (last.as_millis() + SILENCE_MS).max(cx.now.as_millis() + 1);
            cx.wake_at(Time::from_millis(at));
        }
    }
}
