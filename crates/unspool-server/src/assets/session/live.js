// What comes while the page is open.
//
// The stream is GET {base}/live?since=POSITION, with the parameters of the page (project, agent in
// the path; path only if the page shows a path that is not the active one). Every event's data is an
// object with "schema": 1.
//
//   hello   {position, path, messages, assets}   the first event: the state that the next ones follow
//   message {ordinal, chunk, turn, html}         a message that is new; html is as a part has it:
//                                                what comes before it, and its turn with the message
//   change  {ordinal, chunk, turn, html}         a message that is another one now: a call is done,
//                                                an agent is linked
//   status  {live, state, waiting_for}           whether a process owns the session, and what it does
//   path    {path, keeps, position, way}         another path is the active one, or the path has
//                                                other messages from the ordinal "keeps" on
//   reset   {position}                           the log was cut off or replaced, or too much is new
//   gone    {}                                   the log is no longer there
//   agents  {}                                   the log of an agent of the session changed
//   drive   {html}                               the run that drives the session, as it is now
//   partial {message_id, text, parent}           text that is being written: all of it so far
//
// message and change may have an id: the position of a reader that has them. Positions are opaque.
// Messages come by ordinal, and the page is a function of what was said last about each: what comes
// twice changes nothing, and where one is missing in between, its chunk is fetched. A reader is
// never moved: at the end the page follows, elsewhere it says how much is new, and another path or
// another log is offered and never put in place of what is read.
//
// With poll=1 the same events come as a whole, for tabs beyond those that may keep a connection.

import { refreshAgents } from "./agents.js";
import { chunkOf, refill, watch, wayTo } from "./chunks.js";
import { say } from "./frame.js";
import { eventsIn, openLink } from "./link.js";
import { load, morph, parsePart } from "./markup.js";
import { isOn, notifyCards, offerNotices, waitingCards } from "./notify.js";
import { isEmpty, keep, remember } from "./place.js";
import { refreshRail } from "./rail.js";
import { paintState } from "./state.js";
import { writeTimes } from "./times.js";

const { unspool } = window;
const { dataset } = document.body;
const transcript = document.getElementById("transcript");
const end = document.getElementById("end");
const one = (selector, from = document) => from.querySelector(selector);

let position = dataset.position || "";
let count = Number(dataset.messages) || 0;
let isOnPath = true; // Whether the stream is still about what the page shows.
let follows = false; // Whether the reader asked to stay at the end.

// The end

const nearEnd = 64;
const calm = 150;
let touched = -calm;
// What is at the lower edge of the window covers the end.
const dock = document.getElementById("drive");
for (const name of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  const touch = ({ target }) => {
    // Who presses a button of a card or writes a prompt does not scroll.
    const isAnswer = (name === "keydown" || name === "pointerdown") && dock?.contains(target);
    if (!isAnswer) touched = performance.now();
  };
  addEventListener(name, touch, { passive: true });
}
const room = 24;
const covered = () => room + (dock ? dock.offsetHeight : 0);
const below = () => (end ? end.getBoundingClientRect().top : transcript.getBoundingClientRect().bottom) + covered() - innerHeight;
export const isAtEnd = () => below() <= nearEnd;
export const goToEnd = () => {
  // Who goes to the end wants to stay there.
  touched = -calm;
  scrollBy({ top: below(), behavior: "instant" });
  remember();
};
const stays = () => follows || (isAtEnd() && performance.now() - touched > calm);

// Who is at the end stays there when the window or what covers its lower edge gets another size.
let wasAtEnd = false;
let size = "";
const windowSize = () => innerWidth + "x" + innerHeight;
const noteEnd = () => {
  if (size === windowSize()) wasAtEnd = isAtEnd();
};
const stayAtEnd = () => {
  size = windowSize();
  if (wasAtEnd && !isAtEnd()) goToEnd();
};
if (transcript) {
  size = windowSize();
  addEventListener("scroll", noteEnd, { passive: true });
  addEventListener("resize", stayAtEnd);
  new ResizeObserver(noteEnd).observe(transcript);
}
if (dock) {
  const tell = () => {
    document.documentElement.style.setProperty("--dock", dock.offsetHeight + "px");
    stayAtEnd();
  };
  new ResizeObserver(tell).observe(dock);
}

// How much is new below

let fresh = 0;
const pill = document.createElement("button");
pill.type = "button";
pill.id = "new";
pill.hidden = true;
pill.dataset.do = "last";
document.body.append(pill);
const paintPill = () => {
  pill.hidden = !fresh;
  pill.textContent = "\u2193 " + fresh + " new";
};
addEventListener(
  "scroll",
  () => {
    if (fresh && isAtEnd()) {
      fresh = 0;
      paintPill();
    }
  },
  { passive: true },
);

let saying = 0;
let unsaid = 0;
const sayNew = () => {
  unsaid += 1;
  if (saying) return;
  saying = setTimeout(() => {
    saying = 0;
    say(unsaid === 1 ? "1 new message" : unsaid + " new messages");
    unsaid = 0;
  }, 2000);
};

// Bars: what the reader may want to go to

const offer = (kind, words, link, way) => {
  const old = one(".offer[data-kind=" + kind + "]");
  if (old) old.remove();
  const bar = document.createElement("p");
  bar.className = "offer";
  bar.dataset.kind = kind;
  bar.setAttribute("role", "status");
  const go = document.createElement("a");
  go.href = way;
  go.textContent = link;
  bar.append(words + " ", go);
  // Between the rows of the grid it would move the transcript below the rail.
  keep(() => one(".sheet").prepend(bar));
  say(words);
};

// Messages

const find = (ordinal) => one('article[data-m="' + ordinal + '"]', transcript);

// What comes after a message and before the next: branches, damaged lines.
const tailOf = (message) => {
  const tail = [];
  for (let next = message.nextElementSibling; next && !next.matches("article"); next = next.nextElementSibling) tail.push(next);
  return tail;
};

const replace = (old, part) => {
  const fresh = one("article", part.body);
  const tail = tailOf(fresh);
  for (const gone of tailOf(old)) if (gone.matches(".fork, .damaged")) gone.remove();
  old.after(...tail.map((node) => document.adoptNode(node)));
  morph(old, fresh);
  unspool.adopt(old);
  writeTimes(old);
};

const newChunk = (from) => {
  const chunk = document.createElement("div");
  chunk.className = "chunk";
  chunk.id = "m" + from;
  chunk.dataset.from = from;
  chunk.dataset.to = from;
  transcript.append(chunk);
  watch(chunk);
  return chunk;
};

// Puts a message at the end of a chunk: into its turn, if that is open there.
const append = (chunk, part) => {
  const nodes = [...part.body.childNodes].map((node) => document.adoptNode(node));
  const section = nodes.find((node) => node.nodeName === "SECTION");
  const open = chunk.lastElementChild;
  const goesOn = section && !section.id && open && open.matches("section.turn");
  if (goesOn) {
    const before = nodes.slice(0, nodes.indexOf(section)).filter((node) => node.nodeType === Node.ELEMENT_NODE);
    const inside = [...section.children].filter((child) => child.nodeName !== "H2");
    open.append(...before, ...inside);
  } else {
    chunk.append(...nodes);
  }
  unspool.adopt(chunk);
  writeTimes(chunk);
};

const take = ({ ordinal, chunk: from, html }) => {
  const old = find(ordinal);
  if (old) {
    replace(old, parsePart(html));
    return false;
  }
  const known = chunkOf(ordinal);
  if (known) {
    // A chunk that is not filled gets it when it is; one that lacks a message is fetched again.
    if (!isEmpty(known)) refill(known);
    return false;
  }
  let last = transcript.lastElementChild;
  const isNext = ordinal === count;
  if (!last || from > Number(last.dataset.from)) last = newChunk(isNext ? ordinal : count);
  last.dataset.to = Math.max(Number(last.dataset.to), ordinal + 1);
  if (!isNext) refill(last);
  else if (!isEmpty(last)) append(last, parsePart(html));
  count = Math.max(count, ordinal + 1);
  return true;
};

// Messages of one moment are put into the page together, in their order.
let waiting = [];
let drawing = 0;
const draw = () => {
  clearTimeout(drawing);
  drawing = 0;
  const events = waiting;
  waiting = [];
  if (!events.length) return;
  const follow = stays();
  let added = 0;
  let turns = false;
  keep(() => {
    for (const event of events) {
      if (take(event)) added += 1;
      if (event.html.includes('data-role="assistant"') || added) writing("");
      turns = turns || event.html.includes('id="turn-');
    }
  });
  document.dispatchEvent(new CustomEvent("unspool:live"));
  if (turns) railSoon();
  factsSoon();
  if (!added) return;
  if (follow) {
    goToEnd();
  } else if (!isAtEnd()) {
    fresh += added;
    paintPill();
  }
  for (let each = 0; each < added; each += 1) sayNew();
};
const soon = (event) => {
  waiting.push(event);
  // A page that is not looked at has no frames.
  if (!drawing) drawing = setTimeout(draw, 16);
};

// The rail and the panel follow a little later.

const later = (act, wait) => {
  let timer = 0;
  return () => {
    if (!timer) {
      timer = setTimeout(() => {
        timer = 0;
        act();
      }, wait);
    }
  };
};
const railSoon = later(refreshRail, 800);
const agentsSoon = later(() => {
  refreshAgents((change) => {
    const follow = stays();
    keep(change);
    if (follow) goToEnd();
  });
}, 200);
const refreshFacts = async () => {
  try {
    const panel = (await load(wayTo("panel"))).getElementById("panel-facts");
    if (panel) morph(document.getElementById("panel-facts"), panel);
    writeTimes(document.getElementById("panel"));
  } catch {
    // They come with the next change.
  }
};
const factsSoon = later(refreshFacts, 4000);

// The state of the session

const states = { busy: "working", idle: "idle", waiting: "needs input" };
let waitsFor = "";
const paintStatus = ({ live, state, waiting_for: what }) => {
  const mark = document.getElementById("state");
  if (!mark) return;
  const word = live ? states[state] || state || "live" : "";
  mark.className = "state" + (live ? " live" : "") + (state === "waiting" ? " waits" : "");
  mark.textContent = word + (what ? ": " + what : "");
  mark.hidden = !live;
  // What unspool drives has a card on this page, which says more.
  if (what && what !== waitsFor && !isDriven()) say("Needs input: " + what);
  waitsFor = what || "";
};

// What is being written, until the log has it

const writing = (text) => {
  const partial = one("#partial");
  if (!partial) return;
  partial.textContent = text;
  partial.hidden = !text;
};

// The field to write in says where a prompt goes on: not at the newest place once another branch is the newest, and
// there again once this one is. What was written and chosen in it stays.

const composerSoon = later(async () => {
  const composer = one("#composer");
  try {
    const fresh = composer && (await load(wayTo("composer"))).getElementById("composer");
    if (!fresh) return;
    for (const name of ["at", "fork"]) {
      if (fresh.dataset[name] === undefined) delete composer.dataset[name];
      else composer.dataset[name] = fresh.dataset[name];
    }
    one("#goes-on").textContent = one("#goes-on", fresh).textContent;
  } catch {
    // The server says it when a prompt is sent.
  }
}, 200);

// The stream

const on = {
  hello: (hello) => {
    position = hello.position;
    agentsSoon();
    if (hello.assets && dataset.assets && hello.assets !== dataset.assets) one("#stale")?.removeAttribute("hidden");
  },
  message: (event, id) => {
    if (!isOnPath) return;
    soon(event);
    if (id) position = id;
    // A branch that was not the newest and goes on may be it now.
    if (one("#composer")?.dataset.at) composerSoon();
  },
  change: (event, id) => on.message(event, id),
  status: paintStatus,
  agents: agentsSoon,
  drive: ({ html }) => {
    const board = one("#drive-state");
    const fresh = parsePart(html).getElementById("drive-state");
    if (!board || !fresh) return;
    const follow = stays();
    const waited = board.querySelectorAll(".approval").length;
    morph(board, fresh);
    writeTimes(board);
    if (!["running", "waiting", "starting"].includes(board.dataset.state)) writing("");
    if (board.querySelectorAll(".approval").length > waited) say("Needs your answer");
    notifyCards();
    document.dispatchEvent(new CustomEvent("unspool:patched"));
    if (follow) goToEnd();
  },
  // The server leaves out what the log has, so a text that comes after its message is not of it.
  partial: ({ text, parent }) => {
    if (parent) return;
    const follow = stays();
    writing(text);
    if (follow) goToEnd();
  },
  path: (event) => {
    position = event.position;
    composerSoon();
    const isSame = String(event.path) === dataset.path;
    if (isSame && event.keeps >= count) {
      // What is shown is on the newest path, maybe again.
      const left = one(".offer[data-kind=path]");
      left?.remove();
      isOnPath = isOnPath || Boolean(left);
      return;
    }
    isOnPath = false;
    if (isSame) offer("path", "The conversation was changed from message " + (event.keeps + 1) + " on.", "Load it again", event.way);
    else offer("path", "The conversation went on from another place.", "Go there", event.way);
  },
  reset: (event) => {
    position = event.position || position;
    isOnPath = false;
    offer("reset", "The log of this session was replaced, or very much is new.", "Load it again", location.pathname + location.search);
  },
  gone: () => offer("gone", "The log of this session is no longer there.", "See what is left", location.pathname),
};

const since = () => {
  const query = { since: position };
  const way = new URL(wayTo("live", query), location.href);
  // A page of the active path follows whichever path is active, to learn of another one.
  if (!dataset.pinned) {
    way.searchParams.delete("path");
    way.searchParams.delete("links");
  }
  return way;
};

// Asks for what is new, without a connection that stays.
const ask = async () => {
  const way = since();
  way.searchParams.set("poll", "1");
  const response = await fetch(way, { headers: { Accept: "text/event-stream" }, cache: "no-store" });
  if (!response.ok) throw Object.assign(new Error("status " + response.status), { status: response.status });
  const { events } = eventsIn((await response.text()) + "\n\n");
  for (const { name, data, id } of events) if (on[name]) on[name](JSON.parse(data), id);
  if (one("#drive-state")) {
    const fresh = (await load(wayTo("drive"))).getElementById("drive-state");
    if (fresh) on.drive({ html: fresh.outerHTML });
  }
};
unspool.position = () => position;

// A page that is not looked at stays connected while its session is driven and may have to tell.
const isDriven = () => {
  const run = one("#drive-state");
  return isOn() && Boolean(run?.dataset.run) && !["ended", "lost"].includes(run.dataset.state);
};

export const beginLive = () => {
  if (!transcript || !position) return;
  openLink({ way: since, on, ask, state: paintState, staysHidden: isDriven });
  if (one("#drive")) offerNotices(waitingCards);
  // Who sends a prompt wants to see what comes of it.
  document.addEventListener("unspool:sent", goToEnd);
  unspool.define("follow", () => {
    follows = !follows;
    say(follows ? "Following the end" : "Not following any more");
    document.documentElement.classList.toggle("follows", follows);
    if (follows) goToEnd();
  });
  // A reader who scrolls away does not want to be taken back.
  addEventListener("wheel", (event) => {
    if (event.deltaY >= 0 || !follows) return;
    follows = false;
    document.documentElement.classList.remove("follows");
  }, { passive: true });
};
