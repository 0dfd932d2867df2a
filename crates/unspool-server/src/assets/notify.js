// Notifications of the browser when a session needs input.
//
// One tab at most shows them: the one that has the lock. What was shown once is remembered for all
// tabs, so that the next one that gets the lock does not show it again.

const { setting } = window.unspool;
const choice = setting("notify");
const notified = setting("notified");

let leads = false;

export const isLeading = () => leads;

const isPossible = () => typeof Notification === "function" && Boolean(navigator.locks);
const isOn = () => isPossible() && Notification.permission === "granted" && choice.get() === "on";

// Waits for the lock; has it until the tab is closed.
const lead = () => {
  if (leads || !isOn()) return;
  navigator.locks.request("unspool-notify", () => {
    leads = true;
    document.dispatchEvent(new CustomEvent("unspool:leads"));
    return new Promise(() => {});
  });
};

const shownKeys = () => (notified.get() || "").split("\n").filter(Boolean);

// Shows what waits and was not shown: elements with a key, a title and an address.
export const notify = (links) => {
  if (!leads || !isOn()) return;
  const shown = shownKeys();
  const news = links.filter((link) => !shown.includes(link.dataset.key));
  if (!news.length) return;
  notified.set([...shown, ...news.map((link) => link.dataset.key)].slice(-200).join("\n"));
  for (const link of news) {
    const notice = new Notification(link.dataset.title || "A session", {
      body: link.dataset.words || "needs input",
      tag: link.dataset.key,
    });
    notice.onclick = () => {
      window.focus();
      location.href = link.href;
    };
  }
};

const paint = (button) => {
  const isDenied = isPossible() && Notification.permission === "denied";
  button.hidden = !isPossible() || isDenied;
  button.setAttribute("aria-pressed", String(isOn()));
  button.querySelector(".words").textContent = isOn() ? "Notifications on" : "Notify me";
};

// Makes the button ask for permission, and turn notifications on and off.
export const offerNotices = (button, waiting) => {
  if (isOn()) lead();
  if (!button) return;
  paint(button);
  button.addEventListener("click", async () => {
    if (isOn()) {
      choice.set("off");
      paint(button);
      return;
    }
    if (Notification.permission !== "granted") await Notification.requestPermission();
    if (Notification.permission === "granted") {
      // What waits already is in sight: it is not news.
      const keys = waiting().map((link) => link.dataset.key);
      notified.set([...shownKeys(), ...keys].slice(-200).join("\n"));
      choice.set("on");
    }
    paint(button);
    lead();
  });
};
