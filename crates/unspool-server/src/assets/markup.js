// Markup from this server, and how it is inserted into the page.
//
// Input: the address of a part of a page. Output: the part in the page equals the one on the server. Elements
// that did not change stay the same, so focus, scroll position, selection and open folds stay too.

// The only maker of markup that the page's policy allows. It is used only for responses of this
// server, and the module does not export it.
const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("unspool", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// Parses a text that this server sent. Scripts in it do not run.
const parse = (text) => new DOMParser().parseFromString(policy.createHTML(text), "text/html");

// Parses markup from an event of this server's stream.
export const parsePart = (text) => parse(text);

// Fetches markup from this server. An answer that is not one of our pages is an error with its status.
export const load = async (way, { signal } = {}) => {
  const address = new URL(way, location.href);
  if (address.origin !== location.origin) throw new Error("not of this server");
  const response = await fetch(address, { signal, headers: { Accept: "text/html" } });
  const type = response.headers.get("content-type") || "";
  if (!response.ok || !type.startsWith("text/html")) {
    throw Object.assign(new Error("status " + response.status), { status: response.status });
  }
  return parse(await response.text());
};

const nameOf = (node) => node.id || (node.dataset && node.dataset.agent) || "";
const sameKind = (old, fresh) =>
  old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && nameOf(old) === nameOf(fresh);

// Attributes that belong to the reader or a script. An element with data-kept belongs to a script, and stays.
const own = new Set(["open", "data-shown", "data-filled"]);

const takeAttributes = (old, fresh) => {
  for (const { name } of [...old.attributes]) {
    if (!own.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (!own.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
};

const keyed = (parent) => {
  const known = new Map();
  for (const child of parent.children) if (child.id) known.set(child.id, child);
  return known;
};

const takeChildren = (old, fresh) => {
  const known = keyed(old);
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const match = wanted.id ? known.get(wanted.id) : null;
    if (match && sameKind(match, wanted)) {
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      known.delete(wanted.id);
      morph(match, wanted);
    } else if (!wanted.id && at && !at.id && sameKind(at, wanted)) {
      const next = at.nextSibling;
      morph(at, wanted);
      at = next;
    } else {
      old.insertBefore(document.adoptNode(wanted), at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    if (!at.hasAttribute?.("data-kept")) at.remove();
    at = next;
  }
};

// Makes an element equal to another one, with as few changes as possible.
export const morph = (old, fresh) => {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  // A text that a script wrote for the same instant stays.
  const isSameTime = old.nodeName === "TIME" && old.dateTime === fresh.dateTime && old.hasAttribute("data-shown");
  takeAttributes(old, fresh);
  if (isSameTime || old === document.activeElement && /^(INPUT|TEXTAREA)$/.test(old.nodeName)) return;
  takeChildren(old, fresh);
};

// Updates every part of the page that a document contains. The reader's position stays, even if
// elements above it grow.
export const patch = (fresh) => {
  const focused = document.activeElement;
  const anchor = firstInSight();
  const top = anchor ? anchor.getBoundingClientRect().top : 0;
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const old = part.id ? document.getElementById(part.id) : null;
    if (old) morph(old, part);
  }
  if (anchor && anchor.isConnected && scrollY > 0) scrollBy(0, anchor.getBoundingClientRect().top - top);
  // Moving an element takes the focus from it.
  if (focused && focused !== document.body && focused.isConnected && document.activeElement !== focused) {
    focused.focus({ preventScroll: true });
  }
  document.dispatchEvent(new CustomEvent("unspool:patched"));
};

const firstInSight = () => {
  for (const row of document.querySelectorAll("[data-part] [id]")) {
    const box = row.getBoundingClientRect();
    if (box.bottom > 60 && box.height > 0) return row;
  }
  return null;
};
