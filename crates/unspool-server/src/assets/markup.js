// Markup from this server, and how it gets into the page that is shown.
//
// In: a way to a part of a page. Out: the part in the page is as the server has it now. What did
// not change stays the same element, so focus, scroll position, selection and open folds stay too.

// The one maker of markup that the page's policy allows. It is used for responses of this server
// and for nothing else, and the module keeps it to itself.
const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("unspool", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// Makes a document of a text that this server sent. Scripts in it would not run.
const parse = (text) => new DOMParser().parseFromString(policy.createHTML(text), "text/html");

// Makes a document of markup that came in an event of this server's stream.
export const parsePart = (text) => parse(text);

// Fetches markup from this server. An answer that is not a page of ours is an error with its status.
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

// Attributes that the reader or a script owns. An element with data-kept is a script's own, and stays.
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

// Makes an element like another one, with as few changes as that takes.
export const morph = (old, fresh) => {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  // What a script wrote for the same instant stays.
  const isSameTime = old.nodeName === "TIME" && old.dateTime === fresh.dateTime && old.hasAttribute("data-shown");
  takeAttributes(old, fresh);
  if (isSameTime || old === document.activeElement && /^(INPUT|TEXTAREA)$/.test(old.nodeName)) return;
  takeChildren(old, fresh);
};

// Puts every part of a document that has a name in the page into it. The reader's place stays: what
// is above the fold may grow.
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
