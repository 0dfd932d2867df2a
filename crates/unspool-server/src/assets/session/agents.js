// The conversations of agents, where they were started.
//
// An agent that is unfolded gets its conversation in pieces. While it goes on, its last piece is fetched
// again and made as the server has it, and where that is full the next one is added: what comes twice
// changes nothing, and a message that is another one now is changed in its place. A conversation that was
// longer than a piece when it was unfolded stays a beginning, with a link to the rest.

import { say } from "./frame.js";
import { load, morph } from "./markup.js";
import { keep } from "./place.js";
import { writeTimes } from "./times.js";

const { unspool } = window;
const inPiece = 60;

const fetchPiece = async (fold, from) => {
  const way = new URL(fold.dataset.agent, location.href);
  way.pathname += "/part";
  way.searchParams.set("form", "bare");
  way.searchParams.set("from", from);
  way.searchParams.set("to", from + inPiece);
  return (await load(way)).body;
};

const piecesOf = (inside) => [...inside.children].filter((child) => child.hasAttribute("data-kept"));
const restOf = (element) => element.querySelector(":scope > .rest");

// Makes a piece as the server has it now.
const put = (inside, from, fresh) => {
  let piece = piecesOf(inside).find((known) => Number(known.dataset.from) === from);
  if (!piece) {
    piece = document.createElement("div");
    piece.dataset.kept = "";
    piece.dataset.from = from;
    inside.append(piece);
  }
  const wanted = piece.cloneNode(false);
  wanted.append(...[...fresh.childNodes].map((node) => document.adoptNode(node)));
  // Its messages are not messages of this conversation.
  for (const message of wanted.querySelectorAll("article[data-m]")) message.removeAttribute("data-m");
  morph(piece, wanted);
  unspool.adopt(piece);
  writeTimes(piece);
};

const fill = async (fold, change) => {
  const inside = fold.querySelector(":scope > .inside");
  const last = piecesOf(inside).pop();
  // Whether everything that there was is shown, and what is new is shown too.
  const isWhole = Boolean(last) && !restOf(last);
  let from = last ? Number(last.dataset.from) : 0;
  for (;;) {
    const fresh = await fetchPiece(fold, from);
    const more = isWhole && restOf(fresh);
    if (more) more.remove();
    const at = from;
    change(() => put(inside, at, fresh));
    if (!more) return;
    from += inPiece;
  }
};

// Folds that are being filled, and whether something changed meanwhile.
const filling = new Map();
const refresh = async (fold, change) => {
  if (filling.has(fold)) {
    filling.set(fold, true);
    return;
  }
  try {
    do {
      filling.set(fold, false);
      await fill(fold, change);
    } while (filling.get(fold));
  } finally {
    filling.delete(fold);
  }
};

// Shows what is new of the agents that are unfolded. A change of the page is made by the caller, who knows
// where the reader is.
export const refreshAgents = async (change) => {
  const folds = document.querySelectorAll("details.agent[data-agent][data-filled]");
  // What cannot be fetched now comes with the next change.
  await Promise.allSettled([...folds].map((fold) => refresh(fold, change)));
};

const unfold = async (fold) => {
  if (fold.hasAttribute("data-filled")) return;
  fold.dataset.filled = "";
  try {
    await refresh(fold, keep);
  } catch {
    fold.removeAttribute("data-filled");
    say("The conversation of the agent could not be loaded");
  }
};
document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches?.("details.agent[data-agent]") && event.target.open) unfold(event.target);
  },
  true,
);
