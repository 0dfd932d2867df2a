// The outline: it marks the current turn, and is a drawer in a narrow window.
((unspool) => {
  "use strict";

  const { all, one, line } = unspool;
  const body = document.body;
  const outline = one("#outline");

  // The current turn

  let turns = null;
  let links = new Map();
  let current = null;
  const look = () => {
    turns = all("main .turn[id]");
    links = new Map();
    for (const link of all(".turns a", outline)) {
      const href = link.getAttribute("href");
      if (href.startsWith("#")) links.set(href.slice(1), link);
    }
  };
  const turnAt = (top) => {
    let now = null;
    let low = 0;
    let high = turns.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (turns[middle].getBoundingClientRect().top <= top) {
        now = turns[middle];
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return now;
  };
  const mark = () => {
    if (!turns) look();
    const now = turnAt(line() + 40);
    const link = (now && links.get(now.id)) || null;
    if (link === current) return;
    if (current) current.removeAttribute("aria-current");
    current = link;
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const place = link.getBoundingClientRect();
    const frame = outline.getBoundingClientRect();
    if (place.top < frame.top + 40 || place.bottom > frame.bottom - 40) {
      outline.scrollTop += place.top - frame.top - frame.height / 3;
    }
  };
  let waiting = false;
  const markSoon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  if (outline) {
    addEventListener("scroll", markSoon, { passive: true });
    unspool.adopting(() => {
      turns = null;
      markSoon();
    });
  }

  // The drawer

  const menu = one(".menu");
  const isOpen = () => body.classList.contains("outline-open");
  const open = (on) => {
    body.classList.toggle("outline-open", on);
    if (menu) menu.setAttribute("aria-expanded", String(on));
  };
  if (menu && outline) {
    menu.setAttribute("role", "button");
    menu.setAttribute("aria-controls", "outline");
    open(false);
    document.addEventListener("click", (event) => {
      const { target } = event;
      if (menu.contains(target)) {
        event.preventDefault();
        open(!isOpen());
      } else if (outline.contains(target)) {
        if (target.closest("a")) open(false);
        if (target.closest(".close")) event.preventDefault();
      } else if (target.closest("main")) {
        open(false);
      }
    });
    unspool.closing(() => {
      if (!isOpen()) return false;
      open(false);
      return true;
    });
  }
})(window.unspool);
