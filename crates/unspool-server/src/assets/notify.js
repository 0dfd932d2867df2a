// Notifications of the browser when a session needs input.
//
// Any tab may notify about an item that waits (a session or an approval), and each item is notified
// once: a tab notifies only if it gets the item's lock, and the keys of notified items are stored
// for all tabs. A person is asked for permission only after a click. One list, the leading tab,
// stays connected while it is hidden, so that a tab can notify.

const { setting } = window.unspool;
const choice = setting("notify");
const notified = setting("notified");

let leads = false;

export const isLeading = () => leads;

const isPossible = () => typeof Notification === "function" && Boolean(navigator.locks);
export const isOn = () => isPossible() && Notification.permission === "granted" && choice.get() === "on";

// Waits for the lock, and keeps it until the tab is closed.
const lead = () => {
  if (leads || !isOn()) return;
  navigator.locks.request("unspool-notify", () => {
    leads = true;
    document.dispatchEvent(new CustomEvent("unspool:leads"));
    return new Promise(() => {});
  });
};

// Calls a function with an item if no tab has notified it, and stores its key. The tab keeps the
// lock of the item until it is closed: what another tab wrote into the storage may be visible a
// moment late, its lock is visible at once.
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

// Goes to an item: a card of this page, or another page.
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

// Notifies about links that no tab has notified: each has a key, a title and an address.
const itemOf = (link) => ({ key: link.dataset.key, title: link.dataset.title, words: link.dataset.words, way: link.href });
export const notify = (links) => {
  if (isOn() && links.length) claim(links.map(itemOf), show);
};

// Notifies about the cards of this page. A card in a window with the focus needs no notification.
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

// Makes the button ask for permission, and turn notifications on and off. Items that wait already
// are visible, so they are not notified.
export const offerNotices = (waiting, { canLead = false } = {}) => {
  if (isOn() && canLead) lead();
  paint();
  // The button is repainted with the part that contains it.
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

// Returns the cards of this page, with their keys.
export const waitingCards = () => [...document.querySelectorAll(".approval")].map(cardOf);
