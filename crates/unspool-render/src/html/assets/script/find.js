// Search in the page. The browser highlights matches, so the page is not changed.
((unspool) => {
  "use strict";

  const { one, plain, line } = unspool;
  const painted = typeof Highlight === "function" && CSS.highlights;
  const blocks = "p, li, h1, h2, h3, h4, h5, h6, td, th, dd, pre, summary, .typed, .row, .path, figcaption";

  const most = 5000;

  const textsOf = (from) => {
    const groups = new Map();
    const walker = document.createTreeWalker(from, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest("button, .twin, .steps")) continue;
      const block = parent.closest(blocks) || parent;
      const group = groups.get(block);
      if (group) group.push(node);
      else groups.set(block, [node]);
    }
    return groups.values();
  };

  const isLetter = (letter) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

  // Returns the places of words in a text, from left to right. If there are several words, only places where
  // a word begins count.
  const placesIn = (text, words) => {
    const places = [];
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        if (words.length === 1 || !isLetter(text[at - 1])) places.push([at, at + word.length]);
        if (places.length >= most) break;
      }
    }
    return places.sort((a, b) => a[0] - b[0]);
  };

  const rangesIn = (nodes, words, out) => {
    const text = plain(nodes.map((node) => node.data).join(""));
    let length = 0;
    for (const node of nodes) length += node.data.length;
    if (text.length !== length) return;
    let index = 0;
    let start = 0;
    let covered = 0;
    for (const [at, end] of placesIn(text, words)) {
      if (at < covered) continue;
      covered = end;
      while (at >= start + nodes[index].data.length) start += nodes[index++].data.length;
      let last = index;
      let lastStart = start;
      while (end > lastStart + nodes[last].data.length) lastStart += nodes[last++].data.length;
      const range = document.createRange();
      range.setStart(nodes[index], at - start);
      range.setEnd(nodes[last], end - lastStart);
      out.push(range);
      if (out.length >= most) return;
    }
  };

  const rangesOf = (words, from) => {
    const ranges = [];
    for (const nodes of textsOf(from)) {
      rangesIn(nodes, words, ranges);
      if (ranges.length >= most) break;
    }
    return ranges;
  };

  const find = {
    text: "",
    ranges: [],
    at: -1,

    // Searches for the whole text, and if it does not occur, for its words.
    search(text, from = one("main")) {
      find.text = text;
      find.ranges = [];
      find.at = -1;
      const wanted = plain(text).trim();
      if (wanted) find.ranges = rangesOf([plain(text)], from);
      const words = wanted.split(/\s+/);
      if (wanted && !find.ranges.length) find.ranges = rangesOf(words.length > 1 ? words : [wanted], from);
      draw();
    },

    step(way) {
      const input = one("#find");
      if (input && input.value !== find.text) find.search(input.value);
      const count = find.ranges.length;
      if (!count) return;
      if (find.at < 0) {
        const top = line();
        const near = find.ranges.findIndex((range) => range.getBoundingClientRect().top >= top);
        const next = way > 0 ? Math.max(near, 0) : (near < 0 ? count : near) - 1;
        find.goTo((next + count) % count);
      } else {
        find.goTo((find.at + way + count) % count);
      }
    },

    goTo(at) {
      find.at = at;
      const range = find.ranges[at];
      unspool.show(range.startContainer.parentElement, "center");
      const box = range.getBoundingClientRect();
      if (box.top < line() || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 2);
      if (!painted) {
        const { startContainer, startOffset, endContainer, endOffset } = range;
        getSelection().setBaseAndExtent(startContainer, startOffset, endContainer, endOffset);
      }
      draw();
    },
  };
  unspool.find = find;

  const draw = () => {
    const { ranges, at, text } = find;
    if (painted) {
      CSS.highlights.set("found", new Highlight(...ranges));
      CSS.highlights.set("found-now", new Highlight(...(ranges[at] ? [ranges[at]] : [])));
      CSS.highlights.get("found-now").priority = 1;
    }
    const some = ranges.length >= most ? most + "+" : String(ranges.length);
    const place = at < 0 ? some : at + 1 + " / " + some;
    const note = one("#found");
    if (note) note.textContent = text.trim() ? (ranges.length ? place : "none") : "";
  };

  // Shows a result of the search of the site: marks its words, and goes to the first one in the turn.
  unspool.land = (text) => {
    const section = unspool.target();
    const inside = (range) => !section || section.contains(range.startContainer);
    one("#find").value = text;
    find.search(text);
    if (section && !find.ranges.some(inside)) find.search(text, section);
    const at = find.ranges.findIndex(inside);
    if (at >= 0) find.goTo(at);
    else if (location.hash) unspool.goToTarget();
  };

  let waiting = 0;
  document.addEventListener("input", (event) => {
    const input = event.target;
    if (input.id !== "find") return;
    clearTimeout(waiting);
    waiting = setTimeout(() => find.search(input.value), 120);
  });
  document.addEventListener("keydown", (event) => {
    const input = event.target;
    if (input.id !== "find") return;
    if (event.key === "Enter") {
      event.preventDefault();
      find.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      clearTimeout(waiting);
      input.value = "";
      find.search("");
      input.blur();
    }
  });

  unspool.define("find-next", () => find.step(1));
  unspool.define("find-previous", () => find.step(-1));
  unspool.define("search", () => {
    const box = one("#find") || one("#search");
    const front = one(".front .place a");
    if (box) {
      box.focus();
      box.select();
    } else if (front) {
      // The first page of a site contains its search.
      location.href = front.href + "#search";
    }
  });
})(window.unspool);
