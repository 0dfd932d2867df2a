// Notifications of the browser when a session needs input.
//
// Any tab that sees something that waits may tell it, and each thing is told once: a tab tells it only if it
// gets the lock of the thing, and what was told is remembered for all tabs under one name. A person is
// asked for permission by a click, and never otherwise. One list stays connected while it is not looked
// at, so that something tells: the tab that leads.

const { setting } = window.unspool;
const choice = setting("notify");
const notified = setting("notified");

let leads = false;

export const isLeading = () => leads;

const isPossible = () => typeof Notification === "function" && Boolean(navigator.locks);
export const isOn = () => isPossible() && Notification.permission === "granted" && choice.get() === "on";

// Waits for the lock; has it until the tab is closed.
const lead = () => {
  if (leads || !isOn()) return;
  navigator.locks.request("unspool-notify", () => {
    leads = true;
    document.dispatchEvent(new CustomEvent("unspool:leads"));
    return new Promise(() => {});
  });
};

// Calls a function with a thing if no tab told it, and remembers that it was told. The tab keeps the lock of
// the thing until it is closed: what another tab wrote into the storage may be seen a moment late, the lock of
// another tab is seen at once.
const claimOne = (item, act) =>
  new Promise((done) => {
    navigator.locks.request("unspool-told " + item.key, { ifAvailable: true }, (lock) => {
      const told = (notified.get() || "").split("\n").filter(Boolean);
      if (lock && !told.includes(item.key)) {
        notified.set([...told, item.key].slice(-200).join("\n"));
        act(item);
      }
      done();
      return lock ? new Promise(() => {}) : undefined;
    });
  });

const claim = (items, act) => Promise.all(items.map((item) => claimOne(item, act)));

// Goes to what waits: a card of this page, or another page.
const goTo = ({ key, way }) => {
  window.focus();
  const card = document.getElementById(key);
  if (!card) {
    location.href = way;
    return;
  }
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
};

const show = (item) => {
  const notice = new Notification(item.title || "A session", { body: item.words || "needs input", tag: item.key });
  notice.onclick = () => {
    notice.close?.();
    goTo(item);
  };
};

// Tells what waits and was not told: links with a key, a title and an address.
const itemOf = (link) => ({ key: link.dataset.key, title: link.dataset.title, words: link.dataset.words, way: link.href });
export const notify = (links) => {
  if (isOn() && links.length) claim(links.map(itemOf), show);
};

// Tells of the cards of this page. A card that a person looks at is not news.
const cardOf = (card) => ({ key: card.id, title: card.dataset.title, words: card.dataset.words, way: "#" + card.id });
export const notifyCards = () => {
  const cards = [...document.querySelectorAll(".approval")].map(cardOf);
  if (!isOn() || !cards.length) return;
  const isSeen = !document.hidden && document.hasFocus();
  claim(cards, isSeen ? () => {} : show);
};

const paint = () => {
  const button = document.getElementById("notify");
  if (!button) return;
  const isDenied = isPossible() && Notification.permission === "denied";
  button.hidden = !isPossible() || isDenied;
  button.setAttribute("aria-pressed", String(isOn()));
  button.querySelector(".words").textContent = isOn() ? "Notifications on" : "Notify me";
};

// Makes the button ask for permission, and turn notifications on and off. What waits already is in
// sight, and is not told.
export const offerNotices = (waiting, { canLead = false } = {}) => {
  if (isOn() && canLead) lead();
  paint();
  // The button comes and goes with what it is next to.
  document.addEventListener("unspool:patched", paint);
  document.addEventListener("click", async (event) => {
    if (!event.target.closest("#notify")) return;
    if (isOn()) {
      choice.set("off");
      paint();
      return;
    }
    if (Notification.permission !== "granted") await Notification.requestPermission();
    if (Notification.permission === "granted") {
      await claim(waiting(), () => {});
      choice.set("on");
    }
    paint();
    if (canLead) lead();
  });
};

// What waits on this page, by its keys.
export const waitingCards = () => [...document.querySelectorAll(".approval")].map(cardOf);
