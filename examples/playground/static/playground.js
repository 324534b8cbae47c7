"use strict";

// Asks again while one types, and copies. Without it the form and its button do the same.

const form = document.querySelector("#ask");
let turn = 0;
let timer = 0;

async function refresh() {
  const mine = ++turn;
  const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
  const old = document.querySelector("#result");
  old.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== turn) return;
    // Scripts in a parsed document never run, and everything in it was escaped.
    const fresh = document.adoptNode(page.querySelector("#result"));
    document.querySelector("#result").replaceWith(fresh);
    history.replaceState(null, "", address);
    enliven();
  } catch {
    if (mine === turn) old.removeAttribute("aria-busy");
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
    refresh();
  });
}
document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
});
enliven();
