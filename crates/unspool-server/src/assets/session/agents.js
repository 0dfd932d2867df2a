// The conversations of agents, in the place where the agents were started.
//
// An unfolded agent gets its conversation in pieces. While the agent works, its last piece is
// fetched again and updated, and when that piece is full, the next one is added: a message that
// comes twice changes nothing, and a changed message is updated in place. If a conversation was
// longer than one piece when it was unfolded, only its beginning is shown, with a link to the rest.

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

// Inserts or updates a piece.
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
  // The agent's messages are not messages of this conversation.
  for (const message of wanted.querySelectorAll("article[data-m]")) message.removeAttribute("data-m");
  morph(piece, wanted);
  unspool.adopt(piece);
  writeTimes(piece);
};

const fill = async (fold, change) => {
  const inside = fold.querySelector(":scope > .inside");
  const last = piecesOf(inside).pop();
  // Whether the whole conversation is shown, so that new messages are shown too.
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

// Folds that are being filled, and whether they have changed in the meantime.
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

// Shows new messages of unfolded agents. The caller changes the page, since it knows the reader's position.
export const refreshAgents = async (change) => {
  const folds = document.querySelectorAll("details.agent[data-agent][data-filled]");
  // A fetch that fails is repeated with the next change.
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
