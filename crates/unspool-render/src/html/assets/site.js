// The search of a site. There is no server: scripts contain words and places, and are loaded when needed.
(() => {
  "use strict";

  const box = document.querySelector("#search");
  if (!box) return;
  const results = document.querySelector("#results");
  const hits = document.querySelector("#hits");
  const more = document.querySelector("#more");
  box.closest(".search").hidden = false;

  // Scripts, each loaded once

  const waiting = new Map();
  const done = new Map();
  const load = (name) => {
    if (!waiting.has(name)) {
      waiting.set(
        name,
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = "search/" + name + ".js";
          script.onload = () => resolve(done.get(name));
          script.onerror = () => reject(new Error(name));
          document.head.append(script);
        }),
      );
    }
    return waiting.get(name);
  };
  window.unspoolIndex = (index) => done.set("index", index);
  window.unspoolWords = (number, words) => done.set("w" + number, new Map(Object.entries(words)));
  window.unspoolTexts = (number, texts) => done.set("t" + number, texts);
  window.unspoolPlaces = (number, groups) => {
    const places = [];
    for (const [title, project, day, turns] of groups) {
      for (const [way, headline] of turns) places.push({ title, project, day, way, headline });
    }
    done.set("p" + number, places);
  };

  // Words, split as the builder of the site does

  const spaceless = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+/gu;
  const wordsOf = (text) => {
    const words = [];
    const bare = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    for (const piece of bare.match(/[\p{L}\p{N}]+/gu) || []) {
      for (const run of piece.match(spaceless) || []) {
        if (run.length === 1) words.push(run);
        for (let at = 0; at + 2 <= run.length; at += 1) words.push(run.slice(at, at + 2));
      }
      for (const word of piece.replace(spaceless, " ").split(" ")) {
        if (new TextEncoder().encode(word).length > 1) words.push([...word].slice(0, 32).join(""));
      }
    }
    return words;
  };

  // The builder sorts words by their bytes.
  const encoder = new TextEncoder();
  const before = (a, b) => {
    const left = encoder.encode(a);
    const right = encoder.encode(b);
    for (let at = 0; at < left.length && at < right.length; at += 1) {
      if (left[at] !== right[at]) return left[at] < right[at];
    }
    return left.length < right.length;
  };

  const numbers = (text) => {
    let last = 0;
    return text.split(" ").map((step) => (last += parseInt(step, 16)));
  };

  // Returns the places of a word, or of all words that begin with it.
  const placesOf = async (index, word, begins) => {
    let first = 0;
    while (first + 1 < index.words.length && !before(word, index.words[first + 1])) first += 1;
    const found = new Set();
    let common = false;
    const most = begins ? 6 : 1;
    for (let at = first; at < index.words.length && at < first + most; at += 1) {
      if (at > first && !index.words[at].startsWith(word)) break;
      const words = await load("w" + at);
      const take = (text) => {
        if (text.startsWith("*")) common = true;
        for (const place of numbers(text.replace("*", ""))) found.add(place);
      };
      if (begins) {
        for (const [other, text] of words) if (other.startsWith(word)) take(text);
      } else if (words.has(word)) {
        take(words.get(word));
      }
    }
    return { found, common };
  };

  const lookUp = async (text) => {
    const index = await load("index");
    const words = [...new Set(wordsOf(text))];
    if (!words.length || !index.words.length) return { index, places: [] };
    const sets = [];
    for (const [at, word] of words.entries()) {
      const last = at === words.length - 1 && !/\s$/.test(text);
      let set = await placesOf(index, word, last);
      if (!set.found.size) set = await placesOf(index, word, true);
      sets.push(set);
    }
    // Only the newest places of a common word are known, so rarer words decide if there are any.
    const rare = sets.filter((set) => !set.common);
    const used = (rare.length ? rare : sets).map((set) => set.found);
    used.sort((a, b) => a.size - b.size);
    const places = [...used[0]].filter((place) => used.every((set) => set.has(place)));
    places.sort((a, b) => a - b);
    return { index, places };
  };

  // Snippets

  const plain = window.unspool.plain;
  const isLetter = (letter) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

  // Returns the places of words in a text, from left to right, as [start, end, word].
  const marksIn = (text, words) => {
    const low = plain(text);
    const marks = [];
    for (const [number, word] of words.entries()) {
      for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + 1)) {
        if (!isLetter(low[at - 1]) || /[^\x00-\x7f]/.test(word)) marks.push([at, at + word.length, number]);
      }
    }
    return marks.sort((a, b) => a[0] - b[0]);
  };

  // Returns the start of the stretch with the most words, the first of equal ones.
  const wide = 240;
  const stretch = (marks) => {
    let best = 0;
    let most = 0;
    for (let at = 0; at < marks.length; at += 1) {
      const near = new Set();
      for (let to = at; to < marks.length && marks[to][1] < marks[at][0] + wide; to += 1) near.add(marks[to][2]);
      if (near.size > most) [best, most] = [at, near.size];
    }
    return marks[best][0];
  };

  const snippet = (text, words) => {
    const line = document.createElement("p");
    line.className = "snippet";
    const marks = marksIn(text, words);
    if (!marks.length) {
      line.textContent = "In what a call was given or brought back.";
      return line;
    }
    const first = Math.max(stretch(marks) - 60, 0);
    let start = first;
    if (first > 0) start = Math.max(text.indexOf(" ", first) + 1, 0) || first;
    let end = Math.min(start + wide + 60, text.length);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), start + wide);
    let at = start;
    line.append(start > 0 ? "\u2026 " : "");
    for (const [from, to] of marks) {
      if (from < at || to > end) continue;
      const mark = document.createElement("mark");
      mark.textContent = text.slice(from, to);
      line.append(text.slice(at, from), mark);
      at = to;
    }
    line.append(text.slice(at, end), end < text.length ? " \u2026" : "");
    return line;
  };

  const textOf = async (index, place) => {
    let low = 0;
    let high = index.texts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (index.texts[middle] <= place) low = middle;
      else high = middle - 1;
    }
    const texts = await load("t" + low);
    return texts[place - index.texts[low]] || "";
  };

  // Results

  const each = 20;
  let shown = { index: null, places: [], words: [], text: "", count: 0, asked: 0 };

  const lead = (way, text) => {
    const [page, hash] = way.split("#");
    const turn = hash ? "#" + hash : "";
    return "sessions/" + page + "?find=" + encodeURIComponent(text.trim()) + turn;
  };

  const line = ({ title, project, day, way, headline }, said) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = lead(way, shown.text);
    link.textContent = headline || title;
    const facts = document.createElement("p");
    // The title of a session without its own title is the first prompt.
    const isNamed = headline && !title.startsWith(headline.replace(/\u2026$/, ""));
    for (const text of [day, project, isNamed ? title : ""]) {
      if (!text) continue;
      const fact = document.createElement("span");
      fact.textContent = text;
      facts.append(fact);
    }
    item.append(link, facts, snippet(said, shown.words));
    return item;
  };

  const showMore = async () => {
    const { index, places, count, asked } = shown;
    const next = places.slice(count, count + each);
    const lines = [];
    for (const place of next) {
      const script = await load("p" + Math.floor(place / index.each));
      const said = await textOf(index, place);
      if (asked !== shown.asked) return;
      lines.push(line(script[place % index.each], said));
    }
    if (asked !== shown.asked) return;
    results.append(...lines);
    shown.count += next.length;
    more.hidden = shown.count >= places.length;
  };

  // The query is in the address, so that going back leads to the same results.
  const remember = (text) => {
    const hash = text.trim() ? "#q=" + encodeURIComponent(text.trim()) : "#search";
    if (location.hash !== hash) location.replace(hash);
  };

  let asked = 0;
  const search = async () => {
    asked += 1;
    const mine = asked;
    const text = box.value;
    remember(text);
    if (!text.trim()) {
      shown = { index: null, places: [], words: [], text: "", count: 0, asked: mine };
      results.replaceChildren();
      hits.textContent = "";
      more.hidden = true;
      return;
    }
    let found;
    try {
      found = await lookUp(text);
    } catch (error) {
      hits.textContent = "The search could not be loaded: " + error.message;
      return;
    }
    if (mine !== asked) return;
    shown = { ...found, words: [...new Set(wordsOf(text))], text, count: 0, asked: mine };
    results.replaceChildren();
    const count = found.places.length;
    hits.textContent = count === 0 ? "Nothing found" : count === 1 ? "1 turn" : count + " turns";
    await showMore();
  };

  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  });
  more.addEventListener("click", showMore);

  // Keys: arrows walk the results, Enter opens one, Escape returns to the box and then ends the search.

  const links = () => Array.from(results.querySelectorAll("a"));
  const move = (way) => {
    const all = links();
    const next = all.indexOf(document.activeElement) + way;
    if (next < 0) box.focus();
    else if (all[next]) all[next].focus();
    if (next === all.length - 1 && !more.hidden) showMore();
  };
  const open = async () => {
    clearTimeout(timer);
    if (box.value !== shown.text) await search();
    const [first] = links();
    if (first) first.click();
  };
  const close = () => {
    if (document.activeElement !== box) {
      box.focus();
      return;
    }
    box.value = "";
    search();
  };
  box.closest(".search").addEventListener("keydown", (event) => {
    const inBox = event.target === box;
    const inResults = results.contains(event.target);
    if (!inBox && !inResults) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && inBox) open();
    else return;
    event.preventDefault();
  });

  const known = /^#q=(.+)$/.exec(location.hash);
  if (known) {
    box.value = decodeURIComponent(known[1]);
    search();
  }
  if (location.hash === "#search") box.focus();
})();
