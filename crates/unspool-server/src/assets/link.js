// The one live connection of a page.
//
// Input: the address of a stream of events, and functions for the events. Output: calls of those functions,
// and the state of the connection for the bar. This module does not know what the events mean.
//
// The stream is read with fetch and not with EventSource: that one hides heartbeats, does not
// report why it failed, and calls a dead connection open after a phone has slept. A browser opens
// at most six connections to a server, so only three of its tabs stream, by the browser's locks;
// the others poll every two seconds. A hidden tab does neither, unless staysHidden() returns true.

const silence = 15000; // The server sends a heartbeat every 10 s.
const patience = 2000; // How long the bar does not show that a connection is broken.
const poll = 2000;
const hiddenFor = 30000;
const retries = { first: 500, most: 10000 };
const seats = ["unspool-stream-1", "unspool-stream-2", "unspool-stream-3"];

// Takes a free seat; returns a function that releases it, or null if all are taken.
const takeSeat = async () => {
  if (!navigator.locks) return () => {};
  for (const name of seats) {
    const free = await new Promise((resolve) => {
      const keep = (lock) => {
        if (!lock) return resolve(null);
        return new Promise((release) => resolve(release));
      };
      navigator.locks.request(name, { ifAvailable: true }, keep).catch(() => resolve(null));
    });
    if (free) return free;
  }
  return null;
};

// Parses the complete events in the text of a stream; returns them and the rest of the text.
export const eventsIn = (text) => {
  const events = [];
  const end = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\r\n\r\n"));
  if (end < 0) return { events, rest: text };
  for (const block of text.slice(0, end).split(/\r?\n\r?\n/)) {
    const event = { name: "message", data: "", id: null, retry: null };
    let has = false;
    for (const line of block.split(/\r?\n/)) {
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
      if (field === "event") event.name = value;
      else if (field === "data") event.data += (has ? "\n" : "") + value;
      else if (field === "id") event.id = value;
      has = has || field === "data";
    }
    if (has) events.push(event);
  }
  return { events, rest: text.slice(end).replace(/^(\r?\n)+/, "") };
};

// Opens the connection of this page.
//   way(): the address of the stream, with the position after which it begins
//   on: functions by event name, called with (data, id)
//   ask(): updates the page without a stream
//   state(name, since): shows a state: "live", "asking", "trying" or "refused"
//   staysHidden(): whether the stream stays open in a hidden tab
export const openLink = ({ way, on, ask, state = () => {}, staysHidden = () => false }) => {
  let current = null; // The connection that is open or being opened.
  let seat = null;
  let failures = 0;
  let lostAt = 0;
  let timer = 0;
  let hiddenTimer = 0;
  let said = "";

  const say = (name) => {
    if (name === said) return;
    said = name;
    state(name, lostAt || Date.now());
  };
  const isWanted = () => !document.hidden || staysHidden() || hiddenTimer !== 0;

  const close = () => {
    clearTimeout(timer);
    if (current) current.abort();
    current = null;
    if (seat) seat();
    seat = null;
  };

  const lost = (status) => {
    if (!lostAt) lostAt = Date.now();
    failures += 1;
    const most = Math.min(retries.first * 2 ** (failures - 1), retries.most);
    const wait = most / 2 + Math.random() * (most / 2);
    clearTimeout(timer);
    timer = setTimeout(begin, wait);
    const tell = () => {
      if (lostAt) say(status === 401 ? "refused" : "trying");
    };
    if (Date.now() - lostAt >= patience) tell();
    else setTimeout(tell, patience - (Date.now() - lostAt));
  };

  const found = (name) => {
    failures = 0;
    lostAt = 0;
    say(name);
  };

  const take = ({ name, data, id }) => {
    const act = on[name];
    if (!act) return;
    let value = null;
    try {
      value = data ? JSON.parse(data) : null;
    } catch {
      return;
    }
    act(value, id);
  };

  const read = async (mine) => {
    const watch = { timer: 0 };
    const heard = () => {
      clearTimeout(watch.timer);
      watch.timer = setTimeout(() => mine.abort(), silence);
    };
    let status = 0;
    try {
      heard();
      const response = await fetch(way(), { signal: mine.signal, headers: { Accept: "text/event-stream" }, cache: "no-store" });
      status = response.status;
      if (!response.ok || !response.body) throw new Error("status " + status);
      found("live");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        heard();
        const { events, rest } = eventsIn(text + value);
        text = rest;
        for (const event of events) if (current === mine) take(event);
      }
    } catch {
      // The code below reconnects after every error.
    }
    clearTimeout(watch.timer);
    if (current !== mine) return;
    current = null;
    if (seat) seat();
    seat = null;
    lost(status);
  };

  const askAgain = async (mine) => {
    try {
      await ask();
      if (current !== mine) return;
      found("asking");
      clearTimeout(timer);
      timer = setTimeout(begin, poll);
    } catch (error) {
      if (current === mine) lost(error.status || 0);
    }
    if (current === mine) current = null;
  };

  const begin = async () => {
    clearTimeout(timer);
    if (current) current.abort();
    if (!isWanted()) return close();
    const mine = new AbortController();
    current = mine;
    if (!seat) {
      const taken = await takeSeat();
      if (current !== mine) {
        if (taken) taken();
        return;
      }
      seat = taken;
    }
    if (seat) await read(mine);
    else await askAgain(mine);
  };

  // A browser may call a dead connection open, so it is opened again in any case.
  const again = () => {
    clearTimeout(hiddenTimer);
    hiddenTimer = 0;
    if (!document.hidden || staysHidden()) begin();
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return again();
    clearTimeout(hiddenTimer);
    hiddenTimer = setTimeout(() => {
      hiddenTimer = 0;
      if (!isWanted()) close();
    }, hiddenFor);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) again();
  });
  document.addEventListener("resume", again);
  addEventListener("online", again);
  addEventListener("offline", () => {
    if (current) current.abort();
  });
  addEventListener("pagehide", close);

  begin();
  return { again, close };
};
