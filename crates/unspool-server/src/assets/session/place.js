// The reader's position: the text that is read stays in place, whatever changes around it.
//
// Browsers differ in what they do when an element above the viewport changes its height, and one of them does
// nothing. So the page has overflow-anchor off and does it by itself: remember() stores the element at the
// line where reading begins, and restore() scrolls by the distance that it has moved.
//
//   keep(change)   runs a change of the page without moving the text that is read
//   chunks()       the chunks of the transcript, in order
//   chunkAt(y)     the first chunk whose lower edge is below a line of the window
//   readingAt()    the message at the line: its ordinal, and its distance from the line

const { unspool } = window;
const transcript = document.getElementById("transcript");

export const chunks = () => (transcript ? transcript.children : []);

// Returns the first chunk that ends below a line, by binary search.
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

// Returns the chunk that determines the position: the first visible one with messages. An empty
// chunk does not determine the position of the text below it, since its height is an estimate.
const chunkInSight = (y) => {
  const first = chunkAt(y);
  let chunk = first;
  while (chunk && isEmpty(chunk)) {
    chunk = chunk.nextElementSibling;
    if (chunk && chunk.getBoundingClientRect().top >= innerHeight) chunk = null;
  }
  return chunk || first;
};

// Returns the elements at the line, the innermost first: if one is replaced, the next one still
// determines the position.
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
    // An element that begins below the line is as good as the elements inside it.
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
  // The reader has scrolled in the meantime.
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

// Returns the message at the line.
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
  // Heights that change late: images, fonts, folds.
  new ResizeObserver(() => {
    if (!depth) restore();
  }).observe(transcript);
  remember();
}
