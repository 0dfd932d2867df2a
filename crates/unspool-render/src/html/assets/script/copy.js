// Copying code.
((unspool) => {
  "use strict";

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
  unspool.adopting((from) => {
    for (const block of unspool.all(".code", from)) near.observe(block);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });
})(window.unspool);
