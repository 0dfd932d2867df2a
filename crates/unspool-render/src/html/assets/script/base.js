// The script of a page. Without it a page still shows everything.
//
// The script consists of these files in order: base, theme, folds, find, moves, copy, sides, outline, keys,
// start. Exported pages contain it, server pages load it. Listeners are on the document, so markup that is
// added later works like the first markup; adopt() does the little preparation that is needed.
//
// The files, and other scripts of a page, share window.unspool:
//
//   define(name, run)   defines an action, or replaces it. Keys and elements with data-do="name" run it.
//   run(name)           runs an action; returns whether there is one.
//   adopt(root)         prepares the content of an element that was added to the page or filled.
//   adopting(prepare)   registers prepare(root), which is called at the start and for everything adopted.
//   closing(close)      registers close(), which Escape calls, the newest first, until one returns true.
//   setting(name)       a stored choice of the reader: get(), set(value), and on(listen).
//   all(selector, from), one(selector, from)
//   plain(text)         lower case without accents; every letter keeps its index.
//   reveal(element)     unfolds everything around an element; show(element, block) scrolls to it too.
//   line()              the top of the visible text: the lower edge of the toolbar.
//   step(elements, way) goes to the next (1) or previous (-1) of elements, from the current one.
//   find                search(text, from), step(way), goTo(index), and the result: text, ranges, at.
window.unspool = (() => {
  "use strict";

  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector, from = document) => from.querySelector(selector);

  // Stored if the browser allows it; pages on a disk may have no storage.
  const setting = (name) => {
    const key = "unspool-" + name;
    let here = null;
    return {
      get() {
        try {
          return localStorage.getItem(key);
        } catch {
          return here;
        }
      },
      set(value) {
        here = value;
        try {
          localStorage.setItem(key, value);
        } catch {
          // The choice applies to this page only.
        }
      },
      // A choice in another window of the browser applies here too.
      on(listen) {
        addEventListener("storage", (event) => {
          if (event.key === key) listen(event.newValue);
        });
      },
    };
  };

  // An index into the result is an index into the text.
  const plain = (text) => {
    const bare = (letter) => {
      const base = letter.normalize("NFKD").replace(/\p{M}/gu, "");
      return base.length === 1 ? base : letter;
    };
    return text.replace(/[^\x00-\x7f]/g, bare).toLowerCase();
  };

  const line = () => {
    const tools = one(".tools");
    return tools ? tools.getBoundingClientRect().bottom + 8 : 0;
  };

  const actions = new Map();
  const define = (name, run) => actions.set(name, run);
  const run = (name) => {
    const action = actions.get(name);
    if (action) action();
    return Boolean(action);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) run(button.dataset.do);
  });

  const adopters = [];
  const adopting = (prepare) => adopters.push(prepare);
  const adopt = (from) => {
    for (const prepare of adopters) prepare(from);
  };

  const closers = [];
  const closing = (close) => closers.unshift(close);
  define("close", () => closers.some((close) => close() === true));

  root.classList.add("js");
  for (const part of all(".tools .find, .tools .buttons")) part.hidden = false;

  return { define, run, adopt, adopting, closing, setting, all, one, plain, line };
})();
