// Driving: the field to write in, the queue, and the buttons of runs.
//
// The server paints runs; here clicks and forms become requests. Every request has an id made
// here, so one that is sent again changes nothing more. What became of it comes with the page's stream.

import { words } from "./cards.js";
import { complete } from "./complete.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";
import { limitOf } from "./limits.js";
import { confirmPlan, plans } from "./plan.js";
import { switches } from "./switches.js";

const one = (selector, from = document) => from.querySelector(selector);
const composer = one("#composer");

// What is missing: the client is not there

const missing = one("#no-client");
const lookAgain = async () => {
  try {
    const { client } = await ask("GET", "/api/status");
    missing.hidden = Boolean(client?.path);
    say(missing.hidden ? "Claude Code is there" : "Claude Code is still not there");
  } catch (error) {
    say(words(error));
  }
};
one("[data-look]", missing || document)?.addEventListener("click", lookAgain);

// Shows a notice with choices above the field; a screen reader reads it by its role.
const hold = (text, choices, list = []) => {
  const held = one("#held");
  held.replaceChildren();
  if (!text) return;
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  held.append(paragraph);
  if (list.length) {
    const items = document.createElement("ul");
    for (const line of list) {
      const item = document.createElement("li");
      item.textContent = line;
      items.append(item);
    }
    held.append(items);
  }
  const row = document.createElement("div");
  row.className = "acts";
  if (choices.length) held.append(row);
  for (const [name, act, hint] of choices) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    if (hint) button.title = hint;
    button.addEventListener("click", () => {
      hold("", []);
      act();
    });
    row.append(button);
  }
  held.scrollIntoView({ block: "nearest" });
};

// Asks whether a folder is trusted, with what in it runs code, and goes on if it is.
const askTrust = (trust, cwd, name, goOn) => {
  const lines = trust.sources.map(({ kind, what, file }) => kind + ": " + what + " (" + file + ")");
  lines.push(...trust.broken.map(({ file, reason }) => "cannot be understood: " + file + " (" + reason + ")"));
  const intro = "Is " + trust.folder + " a folder you trust? " + (lines.length ? "This in it runs code:" : "Nothing in it runs code by itself.");
  const trustIt = async () => {
    try {
      await ask("POST", "/api/trust", { cwd, print: trust.print });
      await goOn();
    } catch (again) {
      hold(words(again), []);
    }
  };
  hold(intro, [["Trust it and " + name, trustIt], ["Not now", () => {}]], lines);
};

// The run that the page shows

const state = () => one("#drive-state");
const running = () => {
  const board = state();
  const over = ["ended", "lost"].includes(board?.dataset.state);
  return board && board.dataset.run && !over ? board.dataset.run : "";
};

// Images

let images = [];
const paintImages = () => {
  const row = one(".images", composer);
  row.hidden = !images.length;
  row.replaceChildren(
    ...images.map((image, at) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = "image " + (at + 1) + " \u00d7";
      chip.setAttribute("aria-label", "Remove image " + (at + 1));
      chip.addEventListener("click", () => {
        images.splice(at, 1);
        paintImages();
      });
      return chip;
    }),
  );
};
const addImage = (file) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    const [, media_type, data] = /^data:([^;]+);base64,(.*)$/.exec(reader.result) || [];
    if (!data) return;
    images.push({ media_type, data });
    paintImages();
  });
  reader.readAsDataURL(file);
};

// Sending

const text = () => one("textarea", composer);
const draftName = "unspool-draft-" + (composer?.dataset.session || "new");
const keepDraft = () => {
  try {
    if (text().value) localStorage.setItem(draftName, text().value);
    else localStorage.removeItem(draftName);
  } catch {
    // A draft that cannot be kept is still in the field.
  }
};
const sent = () => {
  text().value = "";
  images = [];
  paintImages();
  keepDraft();
  pending = null;
};

// The request that is being made: it keeps its id while it is tried again.
let pending = null;

const folder = () => composer.dataset.cwd || one("#new-folder")?.value || "";

// The session and the folder that a prompt would be for.
const place = () => {
  const { session } = composer.dataset;
  return { cwd: folder(), ...(session ? { session } : {}) };
};

// What a run would be started with, without the prompt.
const startBody = () => {
  const { at, fork } = composer.dataset;
  const model = one("[name=model]", composer).value.trim();
  pending = pending || { id: newId() };
  return {
    id: pending.id,
    ...place(),
    permission_mode: one("[name=mode]", composer).value,
    ...(at ? { at } : {}),
    ...(fork ? { fork: true } : {}),
    ...(model ? { model } : {}),
    ...Object.fromEntries(["idle", "waiting", "budget"].map((name) => [name, limitOf(one("[name=" + name + "]", composer))])),
  };
};
let showPlan = async () => {};

const begin = async (more) => {
  const { session } = composer.dataset;
  // Whoever sends sees what is started.
  await showPlan();
  const body = { ...startBody(), prompt: text().value, images, ...more };
  // A run goes on from what the person has seen, or says what came since.
  const seen = body.session && !body.at && window.unspool?.position?.();
  const run = await ask("POST", "/api/runs", { ...body, ...(seen ? { seen } : {}) });
  sent();
  document.dispatchEvent(new CustomEvent("unspool:sent"));
  if (run.session !== session) await goTo(run);
  return run;
};

// Goes to the page of a session once the client has written a message into its log: a page without a conversation
// does not follow.
const goTo = async (run) => {
  say("Started");
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch("/s/" + run.session, { method: "GET", headers: { Accept: "text/html" } });
    if (response.ok && (await response.text()).includes('id="transcript"')) {
      location.href = "/s/" + run.session;
      return;
    }
    const now = await ask("GET", "/api/runs/" + run.run);
    if (now.ended) throw new Error(now.ended.message || "The client ended: " + now.ended.how);
    await new Promise((done) => setTimeout(done, 200));
  }
};

const put = async (run, more) => {
  pending = pending || { id: newId() };
  const seen = window.unspool?.position?.() || undefined;
  await ask("POST", "/api/runs/" + run + "/prompts", { id: pending.id, text: text().value, images, seen, ...more });
  sent();
  document.dispatchEvent(new CustomEvent("unspool:sent"));
};

const send = async (more = {}) => {
  if (!text().value.trim() && !images.length) return;
  const button = one("button[type=submit]", composer);
  button.disabled = true;
  try {
    const run = running();
    // A prompt on another branch than the newest starts a new one there, in a run of its own.
    if (run && !composer.dataset.at) await put(run, more);
    else await begin(more);
  } catch (error) {
    refused(error);
  } finally {
    button.disabled = false;
  }
};

const refused = (error) => {
  const { type, trust, count, messages, at } = error.problem || {};
  if (type === "not-installed" && missing) {
    missing.hidden = false;
    say(error.message);
    return;
  }
  if (type === "untrusted-folder" && trust) {
    askTrust(trust, folder(), "send", send);
    return;
  }
  if (type === "newer-messages") {
    const lines = (messages || []).map(({ message }) => message.role + ": " + (message.blocks || []).map((block) => block.text || block.type).join(" ").slice(0, 200));
    const came = count === 1 ? "1 message came" : count + " messages came";
    // A run has an id of its own, also if the prompt had one.
    const branch = () => {
      pending = null;
      return begin({ at, fork: true }).catch(refused);
    };
    hold(came + " since you looked, and your prompt was held:", [
      ["Send anyway", () => send({ force: true })],
      ...(at ? [["From there as a new branch", branch, "In a copy of the session that ends with what you had seen"]] : []),
      ["Discard", () => sent()],
    ], lines);
    return;
  }
  if (type === "session-owned") {
    hold(error.message, [["Go on in a copy", () => begin({ fork: true }).catch(refused)], ["Not now", () => {}]]);
    return;
  }
  hold(words(error), [["Try again", () => send()]]);
};

if (composer) {
  try {
    text().value = localStorage.getItem(draftName) || "";
  } catch {
    // Without a draft the field is empty.
  }
  complete(text(), running, place);
  switches(composer, running, place, words);
  // A prompt on another branch than the newest starts a run of its own.
  showPlan = plans(composer, () => (composer.dataset.at ? "" : running()), startBody, words);
  text().addEventListener("input", keepDraft);
  text().addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  });
  text().addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files || [])].filter((file) => file.type.startsWith("image/"));
    if (!files.length) return;
    event.preventDefault();
    files.forEach(addImage);
  });
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}

// Buttons

// Goes on with a run that is over, after a person saw how the client would be started.
const startNext = async (run, act, name) => {
  const body = { id: newId() };
  const plan = await ask("POST", "/api/runs/" + run + "/plan", body);
  if (!(await confirmPlan(plan, name))) return;
  const goOn = () => ask("POST", "/api/runs/" + run + "/" + act, body);
  try {
    await goOn();
  } catch (error) {
    const { type, trust } = error.problem || {};
    if (type !== "untrusted-folder" || !trust) throw error;
    askTrust(trust, plan.cwd, "go on", goOn);
  }
};

const acts = {
  interrupt: (run) => ask("POST", "/api/runs/" + run + "/interrupt", { id: newId() }),
  stop: (run) => ask("POST", "/api/runs/" + run + "/stop", { id: newId() }),
  release: (run) => ask("POST", "/api/runs/" + run + "/release", { id: newId() }),
  stay: (run) => ask("POST", "/api/runs/" + run + "/deadlines", { id: newId(), idle: null }),
  cancel: (run, button) => ask("DELETE", "/api/runs/" + run + "/prompts/" + button.closest("[data-prompt]").dataset.prompt),
  sooner: (run, button) => {
    const here = button.closest("[data-prompt]");
    const order = [...here.parentElement.children].map((item) => item.dataset.prompt);
    const at = order.indexOf(here.dataset.prompt);
    order.splice(at - 1, 2, order[at], order[at - 1]);
    return ask("POST", "/api/runs/" + run + "/queue", { id: newId(), order });
  },
  "go-on": (run) => startNext(run, "go-on", "Go on"),
  // In a run that goes on nothing is started.
  again: (run) => (running() === run ? ask("POST", "/api/runs/" + run + "/again", { id: newId() }) : startNext(run, "again", "Run the last prompt again")),
};

// Offers what helps when a button cannot do what it should.
const refusedAct = (error, run, button) => {
  const { type, program } = error.problem || {};
  if (type === "not-installed" && missing) {
    missing.hidden = false;
    if (program) one("code", missing).textContent = program;
    return;
  }
  if (type === "wrong-state" && button.dataset.act === "go-on") {
    const stopFirst = async () => {
      try {
        await acts.stop(run);
        await acts["go-on"](run);
      } catch (again) {
        hold(words(again), []);
      }
    };
    hold(words(error), [["End it, then go on", stopFirst], ["Not now", () => {}]]);
    return;
  }
  hold(words(error), []);
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-act]");
  const run = button?.closest("[data-run]")?.dataset.run;
  if (!run || !acts[button.dataset.act]) return;
  button.disabled = true;
  try {
    await acts[button.dataset.act](run, button);
    document.dispatchEvent(new CustomEvent("unspool:driven"));
  } catch (error) {
    say(words(error));
    if (composer) refusedAct(error, run, button);
  } finally {
    button.disabled = false;
  }
});
