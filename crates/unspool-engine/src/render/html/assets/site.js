// The search of a site. There is no server: words and places come as scripts, which are loaded when needed.
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
  window.unspoolPlaces = (number, groups) => {
    const places = [];
    for (const [title, project, day, turns] of groups) {
      for (const [way, headline] of turns) places.push({ title, project, day, way, headline });
    }
    done.set("p" + number, places);
  };

  // Words, cut as the site's builder cuts them

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
        if (new TextEncoder().encode(word).length > 1) words.push(word.slice(0, 32));
      }
    }
    return words;
  };

  // The builder orders words by their bytes.
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

  // Finds the places of a word, or of all words that begin with it.
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
    // A word that stands almost everywhere says little beside others.
    const rare = sets.filter((set) => !set.common);
    const used = (rare.length ? rare : sets).map((set) => set.found);
    used.sort((a, b) => a.size - b.size);
    const places = [...used[0]].filter((place) => used.every((set) => set.has(place)));
    places.sort((a, b) => a - b);
    return { index, places };
  };

  // Results

  const each = 40;
  let shown = { index: null, places: [], count: 0, asked: 0 };

  const line = ({ title, project, day, way, headline }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = "sessions/" + way;
    link.textContent = headline || title;
    const facts = document.createElement("p");
    for (const text of [day, project, headline && headline !== title ? title : ""]) {
      if (!text) continue;
      const fact = document.createElement("span");
      fact.textContent = text;
      facts.append(fact);
    }
    item.append(link, facts);
    return item;
  };

  const showMore = async () => {
    const { index, places, count, asked } = shown;
    const next = places.slice(count, count + each);
    const lines = [];
    for (const place of next) {
      const script = await load("p" + Math.floor(place / index.each));
      lines.push(line(script[place % index.each]));
    }
    if (asked !== shown.asked) return;
    results.append(...lines);
    shown.count += next.length;
    more.hidden = shown.count >= places.length;
  };

  let asked = 0;
  const search = async () => {
    asked += 1;
    const mine = asked;
    const text = box.value;
    if (!text.trim()) {
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
    shown = { ...found, count: 0, asked: mine };
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
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      box.value = "";
      search();
    }
  });
  if (location.hash === "#search") box.focus();
})();
