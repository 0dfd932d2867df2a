// Keys that go from turn to turn, message to message, and so on.
((unspool) => {
  "use strict";

  const { all, one, line } = unspool;

  // Returns the outermost closed fold around an element.
  const foldOf = (element) => {
    let fold = null;
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (at.tagName === "DETAILS" && !at.open) fold = at;
    }
    return fold;
  };
  // Returns the top of an element. A folded element is below the summary of its fold.
  const topOf = (element) => {
    const fold = foldOf(element);
    return fold ? fold.getBoundingClientRect().bottom : element.getBoundingClientRect().top;
  };

  const focusable = ":scope > summary, :scope > h2 a, :scope > header a, :scope > details > summary, :scope > a";
  const focusOn = (element) => {
    const focus = element.matches("a, button, summary") ? element : element.querySelector(focusable);
    if (focus) focus.focus({ preventScroll: true });
    else if (document.activeElement) document.activeElement.blur();
  };

  // The element that the last step went to. The next step starts from it, unless the reader scrolls: near the
  // end of a page no element can be scrolled up to the line.
  let last = null;
  const forget = () => {
    last = null;
  };
  for (const name of ["wheel", "touchmove", "pointerdown", "hashchange"]) {
    addEventListener(name, forget, { passive: true });
  }
  const scrolling = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];
  document.addEventListener("keydown", (event) => {
    if (scrolling.includes(event.key)) forget();
  });
  const isInSight = (element) => {
    const box = element.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  };

  const goTo = (element) => {
    last = element;
    unspool.reveal(element.parentElement);
    const scroll = () => {
      if (element !== last) return;
      element.scrollIntoView({ block: "start", behavior: "instant" });
      scrollBy(0, element.getBoundingClientRect().top - line() - 4);
    };
    scroll();
    focusOn(element);
    // Elements that come into view get their real height, which moves everything below them.
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  };

  const nextOf = (elements, way) => {
    if (last && last.isConnected && isInSight(last)) {
      const side = way > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
      const isNext = (other) => other !== last && last.compareDocumentPosition(other) & side;
      return way > 0 ? elements.find(isNext) : elements.findLast(isNext);
    }
    const place = line() + 4;
    const tops = elements.map(topOf);
    if (way > 0) return elements[tops.findIndex((top) => top > place + 2)];
    return elements[tops.findLastIndex((top) => top < place - 6)];
  };

  unspool.step = (elements, way) => {
    const next = nextOf(elements, way);
    if (next) goTo(next);
    return Boolean(next);
  };

  // Lists have rows where transcripts have turns.
  const stepRow = (way) => {
    const rows = all("main .rows > li").filter((row) => row.querySelector("a"));
    const now = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[now < 0 ? (way > 0 ? 0 : rows.length - 1) : now + way];
    if (next) next.querySelector("a").focus();
  };
  const turn = (way) => {
    const turns = all("main .turn");
    if (turns.length) unspool.step(turns, way);
    else stepRow(way);
  };
  const seen = (element) => !foldOf(element) && element.checkVisibility();
  // Folded elements count, since they are unfolded; hidden ones do not.
  const shown = (selector) => all(selector).filter((element) => foldOf(element) || element.checkVisibility());
  const match = (way) => {
    if (unspool.find.ranges.length) unspool.find.step(way);
    else unspool.step(all("main details.call").filter(seen), way);
  };
  const ways = [
    ["next-", 1],
    ["previous-", -1],
  ];
  for (const [word, way] of ways) {
    unspool.define(word + "turn", () => turn(way));
    unspool.define(word + "message", () => unspool.step(all("main .msg").filter(seen), way));
    unspool.define(word + "match", () => match(way));
    unspool.define(word + "error", () => unspool.step(shown("main .call.failed, main .msg.error"), way));
    unspool.define(word + "change", () => unspool.step(shown("main .call.change"), way));
  }

  // Turns that come into view get their real height, so the end of the page moves for a while.
  const scrollToEnd = (top) => {
    forget();
    const scroll = () => scrollTo({ top: top(), behavior: "instant" });
    scroll();
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  };
  unspool.define("first", () => scrollToEnd(() => 0));
  unspool.define("last", () => scrollToEnd(() => document.documentElement.scrollHeight));

  unspool.define("paths", () => {
    const paths = one("#paths");
    if (!paths) return;
    forget();
    unspool.show(paths, "center");
    const link = one("a", paths);
    if (link) link.focus({ preventScroll: true });
  });
})(window.unspool);
