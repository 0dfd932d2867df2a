// The reader's place: what is read stays where it is, whatever changes around it.
//
// Browsers differ in what they do when something above the fold gets another height, and one of
// them does nothing, so the page has overflow-anchor off and does it by itself: remember() notes
// the element at the line where reading begins, and restore() scrolls by what it was moved.
//
//   keep(change)   runs a change of the page; what is read does not move by it
//   chunks()       the chunks of the transcript, in order
//   chunkAt(y)     the first chunk whose lower edge is below a line of the window
//   readingAt()    the message at the line: its ordinal, and how far it is from the line

const { unspool } = window;
const transcript = document.getElementById("transcript");

export const chunks = () => (transcript ? transcript.children : []);

// The first chunk that ends below a line. They are in order, so few are looked at.
export const chunkAt = (y) => {
  const all = chunks();
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].getBoundingClientRect().bottom > y) high = middle;
    else low = middle + 1;
  }
  return all[low] || null;
};

export const isEmpty = (chunk) => chunk.hasAttribute("data-h");

// The chunk that tells the place: the first in sight that has messages. One that is empty says nothing
// about what is below it, since its height is a guess.
const chunkInSight = (y) => {
  const first = chunkAt(y);
  let chunk = first;
  while (chunk && isEmpty(chunk)) {
    chunk = chunk.nextElementSibling;
    if (chunk && chunk.getBoundingClientRect().top >= innerHeight) chunk = null;
  }
  return chunk || first;
};

// The elements at the line, the innermost first: if one is replaced, the next one still tells.
const elementsAt = (y) => {
  const found = [];
  let at = chunkInSight(y);
  while (at) {
    found.unshift(at);
    let inner = null;
    for (const child of at.children) {
      const box = child.getBoundingClientRect();
      if (box.height > 0 && box.bottom > y) {
        inner = child;
        break;
      }
    }
    // What begins below the line is as good as what is in it.
    at = inner && at.getBoundingClientRect().top <= y && found.length < 9 ? inner : null;
  }
  return found;
};

let places = [];
let scrolled = 0;

export const remember = () => {
  places = elementsAt(unspool.line()).map((element) => [element, element.getBoundingClientRect().top]);
  scrolled = scrollY;
};

export const restore = () => {
  // The reader went elsewhere meanwhile.
  if (Math.abs(scrollY - scrolled) > 1) {
    remember();
    return;
  }
  for (const [element, top] of places) {
    const box = element.getBoundingClientRect();
    if (!element.isConnected || (!box.height && !box.width)) continue;
    const moved = box.top - top;
    if (Math.abs(moved) >= 0.5) scrollBy({ top: moved, behavior: "instant" });
    scrolled = scrollY;
    return;
  }
  remember();
};

let depth = 0;
export const keep = (change) => {
  if (!depth && (!places.length || Math.abs(scrollY - scrolled) > 1)) remember();
  depth += 1;
  try {
    return change();
  } finally {
    depth -= 1;
    if (!depth) restore();
  }
};

// Which message is at the line.
export const readingAt = () => {
  const y = unspool.line();
  const chunk = chunkAt(y);
  if (!chunk) return null;
  if (!isEmpty(chunk)) {
    for (const message of chunk.querySelectorAll("article[data-m]")) {
      const box = message.getBoundingClientRect();
      if (box.bottom > y) return { ordinal: Number(message.dataset.m), top: box.top - y, message };
    }
  }
  return { ordinal: Number(chunk.dataset.from), top: chunk.getBoundingClientRect().top - y, message: null };
};

if (transcript) {
  addEventListener("scroll", remember, { passive: true });
  addEventListener("resize", remember);
  // Heights that change late: pictures, type, folds.
  new ResizeObserver(() => {
    if (!depth) restore();
  }).observe(transcript);
  remember();
}
