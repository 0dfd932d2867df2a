// Cards: answers to requests of the client.
//
// The server paints the cards; this script turns clicks, forms and keys into answers. A request
// that is longer than its box can be allowed only after its end was visible. Keys work while a card
// has the focus; data-press of a button or field names its key.

import { say } from "./frame.js";
import { ask } from "./key.js";

const { define, closing, all, one } = window.unspool;

// Error messages

export const words = (error) => {
  const { type } = error.problem || {};
  if (type === "no-token") return "This browser may read and not drive. Open a link that `unspool serve --link` prints.";
  return error.message;
};

// The end of a request

// The ids of cards whose request was seen to its end, and of cards that are being answered: a card
// may be repainted in between.
const seen = new Set();
const answering = new Set();

const isSeen = (card) => {
  const request = one(".request", card);
  if (!request || seen.has(card.id)) return true;
  const left = request.scrollHeight - request.clientHeight - request.scrollTop;
  // A box without a layout shows nothing.
  if (!request.clientHeight || left > 2 || one("details:not([open])", request)) return false;
  seen.add(card.id);
  return true;
};

const hold = (card) => {
  const held = !isSeen(card);
  const notice = one(".hold", card);
  if (notice) notice.hidden = !held;
  for (const button of all("button", card)) {
    const waits = held && button.dataset.decide === "allow";
    button.disabled = waits || answering.has(card.id);
  }
};

export const holdAll = () => all(".approval").forEach(hold);

// Neither event bubbles, so both are captured.
for (const name of ["scroll", "toggle"]) {
  document.addEventListener(name, (event) => {
    const card = event.target.closest?.(".approval");
    if (card) hold(card);
  }, true);
}
addEventListener("resize", holdAll);
document.addEventListener("unspool:patched", holdAll);

const goToEnd = (card) => {
  const request = one(".request", card);
  for (const fold of all("details", request)) fold.open = true;
  request.scrollTop = request.scrollHeight;
  one(".end", request).focus({ preventScroll: true });
  hold(card);
};

// Answers

const tell = (where, text) => {
  if (where) where.textContent = text;
  say(text);
};

const answer = async (card, body) => {
  if (answering.has(card.id) || (body.decision === "allow" && !isSeen(card))) return;
  const outcome = one(".outcome", card);
  answering.add(card.id);
  hold(card);
  try {
    const given = await ask("POST", "/api/approvals/" + encodeURIComponent(card.dataset.approval), body);
    tell(outcome, given.decision === "allow" ? "Allowed" : "Denied");
  } catch (error) {
    const { first } = error.problem || {};
    tell(outcome, first ? "Answered before: " + first.decision + ", by " + first.by : words(error));
    answering.delete(card.id);
    hold(card);
  }
};

// Returns the value of a field by its type; undefined if the field is empty, which omits it.
const valueOf = (field) => {
  const chosen = () => all("input:checked", field).map((input) => input.value);
  const written = () => one("input, select", field).value.trim();
  switch (field.dataset.type) {
    case "switch":
      return one("input", field).checked;
    case "any":
      return chosen();
    case "one":
      return one("select", field) ? written() || undefined : chosen()[0];
    case "number":
      return written() === "" ? undefined : Number(written());
    case "json":
      return written() === "" ? undefined : JSON.parse(written());
    default:
      return written() || undefined;
  }
};
const filledIn = (form) => {
  const input = {};
  for (const field of all("[data-field]", form)) {
    const value = valueOf(field);
    if (value !== undefined) input[field.dataset.field] = value;
  }
  return input;
};

const answersOf = (form) => {
  const answers = {};
  for (const field of all("fieldset[data-question]", form)) {
    const chosen = all("input:checked", field).map((input) => input.value);
    const other = one("input[type=text]", field).value.trim();
    if (other) chosen.push(other);
    if (chosen.length) answers[field.dataset.question] = chosen.join(", ");
  }
  return answers;
};

document.addEventListener("submit", (event) => {
  const card = event.target.closest(".approval");
  if (!card) return;
  event.preventDefault();
  if (event.target.matches("[data-answers]")) {
    answer(card, { decision: "allow", answers: answersOf(event.target) });
  } else if (event.target.matches("[data-form]")) {
    let input;
    try {
      input = filledIn(event.target);
    } catch {
      tell(one(".outcome", card), "A field that wants JSON has something else");
      return;
    }
    answer(card, { decision: "allow", input });
  } else if (event.target.matches("[data-deny]")) {
    const said = one("[name=words]", event.target).value.trim();
    answer(card, { decision: "deny", ...(said ? { message: said } : {}) });
  }
});

document.addEventListener("click", (event) => {
  const card = event.target.closest(".approval");
  if (!card) return;
  if (event.target.closest("[data-to-end]")) goToEnd(card);
  const decide = event.target.closest("[data-decide]");
  if (!decide) return;
  const { suggestion, mode } = decide.dataset;
  answer(card, {
    decision: decide.dataset.decide,
    ...(suggestion === undefined ? {} : { suggestions: [Number(suggestion)] }),
    ...(mode ? { permission_mode: mode } : {}),
  });
});

// Keys

const focused = () => document.activeElement?.closest(".approval");

const press = (key) => {
  const card = focused();
  const target = card && one('[data-press="' + key + '"]', card);
  if (!target) return;
  if (target.matches("input")) target.focus();
  else if (target.disabled) say("Read it to its end first");
  else target.click();
};
for (const [name, key] of [["allow-once", "1"], ["allow-session", "2"], ["deny", "3"]]) define(name, () => press(key));

// The help of a server that only reads does not list these keys.
if (!one('a[href="/runs"]')) one('dialog.keys [data-action="allow-once"]')?.closest("dl > div")?.setAttribute("hidden", "");

// Escape moves from the reason of a denial back to the card, and from the card to the page: it can wait.
closing(() => {
  const card = focused();
  if (!card) return false;
  document.activeElement.blur();
  return true;
});
document.addEventListener("keydown", (event) => {
  const card = event.key === "Escape" && event.target.matches?.("input") && event.target.closest(".approval");
  if (!card) return;
  event.stopPropagation();
  card.focus({ preventScroll: true });
});

// The card that the address names: from a link or a notification.

const focusCard = () => {
  const card = location.hash.startsWith("#approval-") && document.getElementById(location.hash.slice(1));
  if (!card) return;
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
};
addEventListener("hashchange", focusCard);
focusCard();
holdAll();
