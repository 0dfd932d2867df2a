// Driving: the prompt field, the queue, and the buttons of runs.
//
// The server paints runs; this script turns clicks and forms into requests. Every request has an id
// made here, so a repeated one changes nothing more. Its result comes with the page's stream.

import { words } from "./cards.js";
import { complete } from "./complete.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";
import { limitOf } from "./limits.js";
import { confirmPlan, plans } from "./plan.js";
import { switches } from "./switches.js";

const one = (selector, from = document) => from.querySelector(selector);
const composer = one("#composer");

// The notice that the client is not installed

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

// Shows a notice with choices above the field; a screen reader reads it because of its role.
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

// Asks whether a folder is trusted, listing what in it runs code, and continues if it is.
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

// The request that is being sent: it keeps its id when it is retried.
let pending = null;

const folder = () => composer.dataset.cwd || one("#new-folder")?.value || "";

// Returns the session and the folder of a prompt.
const place = () => {
  const { session } = composer.dataset;
  return { cwd: folder(), ...(session ? { session } : {}) };
};

// Returns the body of a request that starts a run, without the prompt.
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
  // A person sees the plan before anything is started.
  await showPlan();
  const body = { ...startBody(), prompt: text().value, images, ...more };
  // The server refuses the prompt if there are messages that the person has not seen.
  const seen = body.session && !body.at && window.unspool?.position?.();
  const run = await ask("POST", "/api/runs", { ...body, ...(seen ? { seen } : {}) });
  sent();
  document.dispatchEvent(new CustomEvent("unspool:sent"));
  if (run.session !== session) await goTo(run);
  return run;
};

// Opens the page of a session once the client has written a message to its log: a page without a
// conversation does not follow the session.
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
    // A prompt on a branch that is not the newest starts a new branch there, in its own run.
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
    // The new run needs its own id, even if the prompt had one.
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
  // A prompt on a branch that is not the newest starts its own run.
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

// Continues a run that is over, after a person has confirmed the plan.
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
  // In an open run nothing has to be started.
  again: (run) => (running() === run ? ask("POST", "/api/runs/" + run + "/again", { id: newId() }) : startNext(run, "again", "Run the last prompt again")),
};

// Shows why a button failed, with a way out if there is one.
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
