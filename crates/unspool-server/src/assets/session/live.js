// New messages and changes while the page is open.
//
// The stream is GET {base}/live?since=POSITION, with the parameters of the page (project, agent in
// the path; path only if the page shows a path other than the active one). Every event's data is an
// object with "schema": 1.
//
//   hello   {position, path, messages, assets}   the first event: the state before the next ones
//   message {ordinal, chunk, turn, html}         a new message; html has the form of a part:
//                                                the elements before it, and its turn with the message
//   change  {ordinal, chunk, turn, html}         a message that has changed: a call is done,
//                                                an agent is linked
//   status  {live, state, waiting_for}           whether a process owns the session, and its state
//   path    {path, keeps, position, way}         another path is the active one, or the path has
//                                                other messages from the ordinal "keeps" on
//   reset   {position}                           the log was truncated or replaced, or too much is new
//   gone    {}                                   the log does not exist any more
//   agents  {}                                   the log of an agent of the session changed
//   drive   {html}                               the current state of the run that drives the session
//   partial {message_id, text, parent}           a text that is being written: all of it so far
//
// message and change may have an id: the position of a reader that has them. Positions are opaque.
// Messages are identified by ordinal, and the page shows the last state of each: an event that
// comes twice changes nothing, and if a message in between is missing, its chunk is fetched. A
// reader is never moved: at the end the page follows, elsewhere it shows how many messages are new.
// Another path or another log is offered, and never replaces the one that is read.
//
// With poll=1 the pending events come in one answer, for tabs beyond the limit of connections.

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
let isOnPath = true; // Whether the stream is still about the shown path.
let follows = false; // Whether the reader has chosen to stay at the end.

// The end

const nearEnd = 64;
const calm = 150;
let touched = -calm;
// The dock at the lower edge of the window covers the end.
const dock = document.getElementById("drive");
for (const name of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  const touch = ({ target }) => {
    // Pressing a button of a card and writing a prompt are not scrolling.
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
  // A reader who goes to the end wants to stay there.
  touched = -calm;
  scrollBy({ top: below(), behavior: "instant" });
  remember();
};
const stays = () => follows || (isAtEnd() && performance.now() - touched > calm);

// A reader at the end stays there when the size of the window or of the dock changes.
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

// How many messages are new below

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

// Bars that offer another page

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
  // As a row of the grid the bar would move the transcript below the rail.
  keep(() => one(".sheet").prepend(bar));
  say(words);
};

// Messages

const find = (ordinal) => one('article[data-m="' + ordinal + '"]', transcript);

// Returns the elements between a message and the next one: branches, damaged lines.
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

// Appends a message to a chunk: to its turn, if that is open there.
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
    // An empty chunk gets the message when it is filled; a filled one that lacks it is fetched again.
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

// Messages that come together are inserted together, in their order.
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
  // A hidden page has no animation frames.
  if (!drawing) drawing = setTimeout(draw, 16);
};

// The rail and the panel are updated a little later.

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
    // The next change fetches them again.
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
  // A session that unspool drives has a card on this page, which says more.
  if (what && what !== waitsFor && !isDriven()) say("Needs input: " + what);
  waitsFor = what || "";
};

// Text that is being written, until the log has it

const writing = (text) => {
  const partial = one("#partial");
  if (!partial) return;
  partial.textContent = text;
  partial.hidden = !text;
};

// The prompt field says where a prompt continues, if that is not the newest branch: the note
// appears when another branch becomes the newest, and disappears when this one is the newest again.
// The draft and the choices stay.

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
    // The server reports it when a prompt is sent.
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
    // A branch that was not the newest may be the newest after this message.
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
  // The server leaves out texts that the log has, so a text after a message does not belong to it.
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
      // The shown path is the newest, maybe again.
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
  // A page of the active path follows whichever path is active, so that it learns of another one.
  if (!dataset.pinned) {
    way.searchParams.delete("path");
    way.searchParams.delete("links");
  }
  return way;
};

// Fetches the pending events, without a connection that stays open.
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

// A hidden page stays connected while its session is driven, as it may have to notify.
const isDriven = () => {
  const run = one("#drive-state");
  return isOn() && Boolean(run?.dataset.run) && !["ended", "lost"].includes(run.dataset.state);
};

export const beginLive = () => {
  if (!transcript || !position) return;
  openLink({ way: since, on, ask, state: paintState, staysHidden: isDriven });
  if (one("#drive")) offerNotices(waitingCards);
  // A person who sends a prompt wants to see the answer.
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
