"use strict";

// Sends the form as the visitor types, and copies texts. Without the script, the button sends the form.

const form = document.querySelector("#ask");
let turn = 0;
let timer = 0;
let isTyping = false; // While the visitor types, the history gets no new entries.

// Returns the address for the text in the form. A long text is cut, as the page would do, since servers refuse long addresses.
function addressOf(form) {
  const fields = new URLSearchParams();
  let cut = 0;
  for (const [name, value] of new FormData(form)) {
    const characters = [...value];
    cut += Math.max(0, characters.length - form.dataset.longest);
    fields.append(name, characters.slice(0, form.dataset.longest).join(""));
  }
  if (cut) fields.append("cut", cut);
  return `${form.getAttribute("action")}?${fields}`;
}

async function refresh() {
  const mine = ++turn;
  const address = addressOf(form);
  const old = document.querySelector("#result");
  old.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== turn) return;
    // Scripts in a parsed document never run, and everything in it was escaped.
    const fresh = document.adoptNode(page.querySelector("#result"));
    document.querySelector("#result").replaceWith(fresh);
    if (address !== location.pathname + location.search) {
      if (isTyping) history.replaceState(null, "", address);
      else history.pushState(null, "", address);
    }
    isTyping = true;
    enliven();
  } catch {
    if (mine !== turn) return;
    old.removeAttribute("aria-busy");
    const warning = document.createElement("p");
    warning.className = "warning";
    warning.setAttribute("role", "alert");
    warning.textContent = `No answer (${navigator.onLine ? "is the playground still running?" : "offline"})`;
    old.replaceChildren(warning);
  }
}

function enliven() {
  for (const button of document.querySelectorAll(".copy")) button.hidden = false;
}

async function copy(button) {
  const text = button.dataset.copy;
  const whole = button.previousElementSibling?.matches("a") ? location.origin + text : text;
  const label = button.firstChild;
  try {
    await navigator.clipboard.writeText(whole);
    label.data = "Copied";
  } catch {
    label.data = "Not allowed";
  }
  setTimeout(() => { label.data = "Copy"; }, 1600);
}

if (form) {
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, () => {
      clearTimeout(timer);
      timer = setTimeout(refresh, 120);
    });
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    refresh().then(() => { isTyping = false; });
  });
  form.addEventListener("focusout", () => { isTyping = false; });
  addEventListener("popstate", () => location.reload());
}
document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
});
enliven();
