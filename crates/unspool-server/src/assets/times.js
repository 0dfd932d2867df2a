// Times in the time zone of the browser. Without this script they are in UTC, and say so.
//
// <time datetime data-as>: "ago" (5 min ago), "for" (how long since), "left" (how long until then),
// "minute", "clock", "day".

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const sameYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const anyYear = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

const date = (time, now) => (time.getFullYear() === now.getFullYear() ? sameYear : anyYear).format(time);

const span = (seconds) => {
  if (seconds < minute) return Math.max(0, Math.floor(seconds)) + " s";
  if (seconds < hour) return Math.floor(seconds / minute) + " min";
  if (seconds < day) {
    const minutes = Math.floor((seconds % hour) / minute);
    return Math.floor(seconds / hour) + " h" + (minutes ? " " + minutes + " min" : "");
  }
  return Math.floor(seconds / day) + " d";
};

// The time that is left, to the second.
const left = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor(whole / minute);
  if (whole < minute) return "in " + whole + " s";
  if (whole < hour) return "in " + minutes + " min " + (whole % minute) + " s";
  return "in " + Math.floor(whole / hour) + " h " + (minutes % 60) + " min";
};

const ago = (time, now) => {
  const seconds = (now - time) / 1000;
  if (seconds < 0) return date(time, now) + ", " + clock.format(time);
  if (seconds < minute) return "just now";
  if (seconds < hour) return Math.floor(seconds / minute) + " min ago";
  if (seconds < day) return Math.floor(seconds / hour) + " h ago";
  if (seconds < 7 * day) {
    const days = Math.floor(seconds / day);
    return days === 1 ? "1 day ago" : days + " days ago";
  }
  return date(time, now);
};

const writers = {
  ago: (time, now) => (connected ? ago(time, now) : date(time, now) + ", " + clock.format(time)),
  for: (time, now) => (connected ? span((now - time) / 1000) : "since " + clock.format(time)),
  minute: (time, now) => date(time, now) + ", " + clock.format(time),
  left: (time, now) => (connected ? left((time - now) / 1000) : "at " + clock.format(time)),
  clock: (time) => clock.format(time),
  day: (time, now) => date(time, now),
};

// Without a connection "5 min ago" would be out of date, so the time itself is shown.
let connected = true;

const write = (element, now) => {
  const time = new Date(element.dateTime);
  const writer = writers[element.dataset.as];
  if (!writer || Number.isNaN(time.getTime())) return;
  const text = writer(time, now);
  if (element.textContent !== text) element.textContent = text;
  if (element.dataset.shown !== element.dateTime) {
    element.title = full.format(time);
    element.dataset.shown = element.dateTime;
  }
};

// Writes all times of a part of the page.
export const writeTimes = (from = document) => {
  const now = new Date();
  for (const element of from.querySelectorAll("time[data-as]")) write(element, now);
};

export const setConnected = (is) => {
  if (connected === is) return;
  connected = is;
  writeTimes();
};

// Sends the time zone to the server, which computes days and weeks in it; returns whether the page
// was made with another one.
export const tellZone = () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  document.cookie = "unspool-zone=" + encodeURIComponent(zone) + "; path=/; max-age=31536000; samesite=strict";
  const used = document.body.dataset.zone;
  return Boolean(used) && used !== zone;
};

// Countdowns are updated every second, while there are any and the page is visible.
let counting = 0;
const count = () => {
  clearTimeout(counting);
  counting = 0;
  const times = [...document.querySelectorAll('time[data-as="left"]')];
  if (document.hidden || !times.length) return;
  const now = new Date();
  for (const element of times) write(element, now);
  counting = setTimeout(count, 1000 - (now % 1000));
};

export const keepTimes = () => {
  writeTimes();
  count();
  document.addEventListener("unspool:patched", () => {
    writeTimes();
    count();
  });
  setInterval(() => {
    if (!document.hidden) writeTimes();
  }, 10000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) writeTimes();
    count();
  });
};
