// What a page does beyond being read. Without it everything is still there.
(() => {
  "use strict";

  const root = document.documentElement;
  const body = document.body;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector) => document.querySelector(selector);

  // What a reader chose is kept where the browser allows it; pages from a disk may have no such place.
  const kept = {
    get(name) {
      try {
        return localStorage.getItem("unspool-" + name);
      } catch {
        return null;
      }
    },
    set(name, value) {
      try {
        localStorage.setItem("unspool-" + name, value);
      } catch {
        // The choice holds for this page.
      }
    },
  };

  // Small letters without accents, each where it was, so that places found in it are places of the text.
  const plain = (text) => {
    const bare = (letter) => {
      const base = letter.normalize("NFKD").replace(/\p{M}/gu, "");
      return base.length === 1 ? base : letter;
    };
    return text.replace(/[^\x00-\x7f]/g, bare).toLowerCase();
  };
  window.unspoolPlain = plain;

  root.classList.add("js");
  for (const part of all(".tools .find, .tools .buttons")) part.hidden = false;

  // Light and dark

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  const setTheme = (name) => {
    root.dataset.theme = name;
    kept.set("theme", name);
  };
  const known = kept.get("theme");
  if (known === "dark" || known === "light") root.dataset.theme = known;

  // What folds

  const foldable = () => all("main details");
  const reveal = (element) => {
    for (let at = element; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      if (at.classList.contains("quiet")) at.classList.add("shown");
    }
  };
  const unfold = () => {
    const button = one("[data-do=unfold]");
    const open = button.getAttribute("aria-pressed") !== "true";
    for (const details of foldable()) details.open = open;
    root.classList.toggle("everything", open);
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Fold" : "Unfold";
  };

  let closedForPrint = [];
  addEventListener("beforeprint", () => {
    closedForPrint = foldable().filter((details) => !details.open);
    for (const details of closedForPrint) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closedForPrint) details.open = false;
  });

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const show = (element, block = "start") => {
    reveal(element);
    const scroll = () => {
      element.scrollIntoView({ block, behavior: calm.matches ? "auto" : "instant" });
    };
    scroll();
    // Turns that come into sight get their real height, which moves what stands below.
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  };

  // Links into the page open what they lead to.

  const target = () => {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // Not a name that anything here has.
    }
    return name ? document.getElementById(name) : null;
  };
  const goToTarget = () => {
    const element = target();
    if (element && element.closest("main") && element.tagName !== "MAIN") {
      if (element.tagName === "DETAILS") element.open = true;
      show(element);
    }
  };
  addEventListener("hashchange", goToTarget);

  // Changes side by side: an unchanged line stands on both sides, written twice only when asked for.

  const sides = (on) => {
    if (on) {
      for (const row of all(".diff > .row:not(.note):not(.both)")) {
        const twin = row.querySelector("code").cloneNode(true);
        twin.className = "twin";
        twin.setAttribute("aria-hidden", "true");
        row.classList.add("both");
        row.append(twin);
      }
    }
    root.classList.toggle("sides", on);
    const button = one("[data-do=sides]");
    if (button) button.setAttribute("aria-pressed", String(on));
    kept.set("sides", on ? "1" : "");
  };

  // Moving by keys

  const bar = () => {
    const tools = one(".tools");
    return tools ? tools.getBoundingClientRect().bottom + 8 : 0;
  };
  const step = (elements, way) => {
    const line = bar() + 4;
    const tops = elements.map((element) => element.getBoundingClientRect().top);
    let index;
    if (way > 0) {
      index = tops.findIndex((top) => top > line + 2);
    } else {
      index = tops.findLastIndex((top) => top < line - 6);
    }
    if (index >= 0) {
      elements[index].scrollIntoView({ block: "start" });
      scrollBy(0, elements[index].getBoundingClientRect().top - line);
      const focus = elements[index].querySelector(":scope > summary, :scope > h2 a");
      if (focus) focus.focus({ preventScroll: true });
    }
  };
  const seen = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (at.tagName === "DETAILS" && !at.open) return false;
    }
    return true;
  };

  // Search in the page. Matches are drawn by the browser, not put into the page.

  const find = { words: "", ranges: [], at: -1 };
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

  // Places of words in a text, from left to right. Of several, only where one begins.
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
    let behind = 0;
    for (const [at, end] of placesIn(text, words)) {
      if (at < behind) continue;
      behind = end;
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

  // What was typed is looked for as it stands, and if it stands nowhere, word by word.
  const search = (text, from = one("main")) => {
    find.words = text;
    find.ranges = [];
    find.at = -1;
    const wanted = plain(text).trim();
    if (wanted) find.ranges = rangesOf([plain(text)], from);
    const words = wanted.split(/\s+/);
    if (wanted && !find.ranges.length) find.ranges = rangesOf(words.length > 1 ? words : [wanted], from);
    draw();
  };

  const draw = () => {
    const { ranges, at, words } = find;
    if (painted) {
      CSS.highlights.set("found", new Highlight(...ranges));
      CSS.highlights.set("found-now", new Highlight(...(ranges[at] ? [ranges[at]] : [])));
      CSS.highlights.get("found-now").priority = 1;
    }
    const some = ranges.length >= most ? most + "+" : String(ranges.length);
    const place = at < 0 ? some : at + 1 + " / " + some;
    one("#found").textContent = words.trim() ? (ranges.length ? place : "none") : "";
  };

  const findStep = (way) => {
    const input = one("#find");
    if (input && input.value !== find.words) search(input.value);
    const count = find.ranges.length;
    if (!count) return;
    if (find.at < 0) {
      const line = bar();
      const near = find.ranges.findIndex((range) => range.getBoundingClientRect().top >= line);
      const next = way > 0 ? Math.max(near, 0) : (near < 0 ? count : near) - 1;
      goTo((next + count) % count);
    } else {
      goTo((find.at + way + count) % count);
    }
  };

  const goTo = (at) => {
    find.at = at;
    const range = find.ranges[at];
    const element = range.startContainer.parentElement;
    show(element, "center");
    const box = range.getBoundingClientRect();
    if (box.top < bar() || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 2);
    if (!painted) getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    draw();
  };

  // A search of the site leads here with its words: they are marked, and the first of the turn is shown.
  const land = (text) => {
    const section = target();
    const inside = (range) => !section || section.contains(range.startContainer);
    input.value = text;
    search(text);
    if (!find.ranges.some(inside)) search(text, section);
    const at = find.ranges.findIndex(inside);
    if (at >= 0) goTo(at);
    else if (location.hash) goToTarget();
  };

  const input = one("#find");
  if (input) {
    let waiting = 0;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => search(input.value), 120);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        findStep(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        input.value = "";
        search("");
        input.blur();
      }
    });
  }

  // Copying

  const copy = async (button) => {
    const code = button.parentElement.querySelector("code");
    const text = code ? code.textContent : "";
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      const selection = getSelection();
      selection.selectAllChildren(code);
      done = document.execCommand("copy");
      selection.removeAllRanges();
    }
    button.textContent = done ? "Copied" : "Failed";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  };
  const addCopyButton = (block) => {
    if (block.querySelector(":scope > .copy")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    block.append(button);
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        addCopyButton(entry.target);
      }
    },
    { rootMargin: "400px" },
  );
  for (const block of all(".code")) near.observe(block);

  // The outline

  const outline = one("#outline");
  const links = new Map();
  if (outline) {
    for (const link of all(".turns a", outline)) {
      const href = link.getAttribute("href");
      if (href.startsWith("#")) links.set(href.slice(1), link);
    }
    let current = null;
    const turns = all(".turn[id]");
    let waiting = false;
    const mark = () => {
      waiting = false;
      const line = bar() + 40;
      let now = null;
      let low = 0;
      let high = turns.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        if (turns[middle].getBoundingClientRect().top <= line) {
          now = turns[middle];
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      const link = now ? links.get(now.id) : null;
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
    addEventListener(
      "scroll",
      () => {
        if (!waiting) requestAnimationFrame(mark);
        waiting = true;
      },
      { passive: true },
    );
    mark();
  }
  const menu = one(".menu");
  const setOutline = (open) => {
    body.classList.toggle("outline-open", open);
    if (menu) menu.setAttribute("aria-expanded", String(open));
  };
  if (menu) {
    menu.setAttribute("role", "button");
    menu.setAttribute("aria-controls", "outline");
    setOutline(false);
    menu.addEventListener("click", (event) => {
      event.preventDefault();
      setOutline(!body.classList.contains("outline-open"));
    });
    outline.addEventListener("click", (event) => {
      if (event.target.closest("a")) setOutline(false);
      if (event.target.closest(".close")) event.preventDefault();
    });
    one("main").addEventListener("click", () => setOutline(false));
  }

  // Help

  const keys = [
    ["j / k", "next, previous turn"],
    ["n / p", "next, previous call, or match of a search"],
    ["/", "search in the page"],
    ["o", "open or close everything"],
    ["s", "changes side by side"],
    ["t", "light or dark"],
    ["?", "these keys"],
  ];
  const help = () => {
    let dialog = one(".keys");
    if (!dialog) {
      dialog = document.createElement("dialog");
      dialog.className = "keys";
      dialog.setAttribute("aria-label", "Keys");
      const title = document.createElement("h2");
      title.textContent = "Keys";
      const list = document.createElement("dl");
      for (const [key, what] of keys) {
        const name = document.createElement("dt");
        for (const [index, part] of key.split(" / ").entries()) {
          if (index) name.append(" ");
          const letter = document.createElement("kbd");
          letter.textContent = part;
          name.append(letter);
        }
        const text = document.createElement("dd");
        text.textContent = what;
        list.append(name, text);
      }
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "Close";
      close.addEventListener("click", () => dialog.close());
      dialog.append(title, list, close);
      body.append(dialog);
    }
    if (dialog.open) dialog.close();
    else dialog.showModal();
  };

  const actions = {
    theme: () => setTheme(theme() === "dark" ? "light" : "dark"),
    unfold,
    sides: () => sides(!root.classList.contains("sides")),
    help,
    "find-next": () => findStep(1),
    "find-previous": () => findStep(-1),
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("copy")) copy(button);
    else if (actions[button.dataset.do]) actions[button.dataset.do]();
  });

  const move = (way) => {
    if (find.ranges.length) findStep(way);
    else step(all("main details.call").filter(seen), way);
  };
  const onKey = {
    j: () => step(all(".turn"), 1),
    k: () => step(all(".turn"), -1),
    n: () => move(1),
    p: () => move(-1),
    o: unfold,
    s: actions.sides,
    t: actions.theme,
    "?": help,
    "/": () => {
      const box = one("#find") || one("#search");
      const front = one(".front .place a");
      if (box) {
        box.focus();
        box.select();
      } else if (front) {
        // The search of a site is on its first page.
        location.href = front.href + "#search";
      }
    },
    Escape: () => setOutline(false),
  };
  const lists = body.classList.contains("lists");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, dialog") && event.key !== "?") return;
    if (event.target.closest("input, textarea")) return;
    if (lists && !["t", "/"].includes(event.key)) return;
    const action = onKey[event.key];
    if (!action) return;
    if (event.key !== "Escape") event.preventDefault();
    action();
  });

  if (kept.get("sides") && one("[data-do=sides]")) sides(true);
  const asked = new URLSearchParams(location.search).get("find");
  if (asked && input) land(asked);
  else if (location.hash) goToTarget();
})();
