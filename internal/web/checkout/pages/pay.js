// Keeps the payment page up to date and helps with copying. Without it the page reloads itself.
"use strict";

const parts = new Map(); // id -> as the server wrote it
const remember = () => {
  for (const part of document.querySelectorAll("[data-part]")) parts.set(part.id, part.innerHTML);
};
remember();

const main = () => document.getElementById("page");
const settled = () => "settled" in main().dataset;

// Times in the payer's own zone and language.
const localise = () => {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    const text = time.textContent.match(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    const today = when.toDateString() === new Date().toDateString() && time.closest(".left");
    const clock = { hour: "numeric", minute: "2-digit", timeZoneName: "short" };
    const own = when.toLocaleString(document.documentElement.lang, today ? clock : { year: "numeric", month: "short", day: "numeric", ...clock });
    if (text) time.textContent = time.textContent.replace(text[0], own);
  }
};

// The clock runs by what the server said is left: the payer's own clock may be wrong.
let ends = 0;
const wind = () => {
  ends = performance.now() + Number(main().dataset.left) * 1000;
};
const tick = () => {
  const clock = document.getElementById("clock");
  if (!clock) return;
  const left = Math.max(0, Math.round((ends - performance.now()) / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(left / 3600);
  const rest = `${two(left % 60)}`;
  const minutes = Math.floor(left / 60) % 60;
  clock.textContent = hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
  clock.classList.toggle("soon", left < 120);
};

// Some browsers let a page in a frame keep nothing: it is kept until the page is left.
const kept = (() => {
  try {
    sessionStorage.getItem("");
    return sessionStorage;
  } catch {
    const own = new Map();
    return { getItem: (key) => own.get(key) ?? null, setItem: (key, value) => own.set(key, value), removeItem: (key) => own.delete(key) };
  }
})();

// A click on "Pay now" is good once: the button waits until something has moved, also over a reload.
const paying = `paying ${document.body.dataset.live}`;
const rest = () => {
  const button = document.getElementById("pay-now");
  if (document.getElementById("wrong") || kept.getItem(paying) !== main().dataset.moved) kept.removeItem(paying);
  if (!button) return;
  button.dataset.text ??= button.textContent;
  button.disabled = kept.getItem(paying) !== null;
  button.textContent = button.disabled ? button.dataset.sent : button.dataset.text;
};
document.addEventListener("submit", (event) => {
  if (!event.target.querySelector("#pay-now")) return;
  if (kept.getItem(paying) !== null) return void event.preventDefault();
  kept.setItem(paying, main().dataset.moved);
  document.getElementById("wrong")?.remove();
  rest();
});

// The code that the payer chose stays chosen when the page changes.
let holds = "holds-amount";
const choose = () => {
  const chosen = document.getElementById(holds);
  if (chosen) chosen.checked = true;
};
document.addEventListener("change", (event) => {
  if (event.target.name === "holds") holds = event.target.id;
});

const dress = () => {
  rest();
  choose();
  wind();
  tick();
  localise();
  for (const button of document.querySelectorAll("#print")) button.hidden = false;
};

// show puts what is new into the page, part by part, and leaves the others and the focus alone.
const show = (html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const next = fresh.getElementById("page");
  if (!next || !next.dataset.state) throw new Error("not the page");
  const focused = document.activeElement && document.activeElement.id;
  for (const part of next.querySelectorAll("[data-part]")) {
    if (parts.get(part.id) === part.innerHTML) continue;
    const old = document.getElementById(part.id);
    if (old.querySelector("[aria-invalid]") && part.querySelector("form")) continue; // what was wrong stays to be read
    parts.set(part.id, part.innerHTML);
    old.innerHTML = part.innerHTML;
  }
  main().dataset.state = next.dataset.state;
  main().dataset.left = next.dataset.left;
  main().dataset.moved = next.dataset.moved;
  if ("settled" in next.dataset) main().dataset.settled = "";
  else delete main().dataset.settled;
  document.title = next.dataset.title;
  const again = focused && document.getElementById(focused);
  if (again && again !== document.activeElement) again.focus();
  dress();
};

const offline = (is) => {
  document.getElementById("offline").hidden = !is;
};

// Live state: events as they come; where they do not get through, the page is asked for every five seconds.
let source = null;
let waiting = 0;
let asked = 0;
const stop = () => {
  if (source) source.close();
  source = null;
  clearTimeout(waiting);
};
const listen = () => {
  stop();
  if (settled()) return;
  asked = 0;
  if (!window.EventSource) return void ask();
  source = new EventSource(document.body.dataset.live);
  source.addEventListener("state", (event) => {
    offline(false);
    show(event.data);
    if (settled()) stop();
  });
  source.onerror = () => {
    clearTimeout(waiting);
    if (source && source.readyState === EventSource.CLOSED) ask();
    else waiting = setTimeout(ask, 8000); // it has not come back by itself
  };
  source.onopen = () => clearTimeout(waiting);
};
const ask = async () => {
  stop();
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.status);
    show(await answer.text());
    offline(false);
  } catch {
    offline(true);
  }
  if (settled()) return;
  asked += 1;
  waiting = setTimeout(asked % 6 === 0 ? listen : ask, 5000);
};
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stop();
  else listen();
});
window.addEventListener("pagehide", stop);
window.addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});

const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea"); // without https there is no clipboard
  box.value = text;
  box.readOnly = true;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("not copied");
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "print") return void window.print();
  if (!button.dataset.copy) return;
  try {
    await copy(button.dataset.copy);
  } catch {
    const range = document.createRange(); // the payer copies it
    range.selectNodeContents(button.parentElement.querySelector(".value"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return;
  }
  const text = button.dataset.text || button.textContent;
  button.dataset.text = text;
  button.textContent = document.body.dataset.copied;
  button.classList.add("done");
  document.getElementById("said").textContent = `${button.getAttribute("aria-label")}: ${document.body.dataset.copied}`;
  setTimeout(() => {
    button.textContent = text;
    button.classList.remove("done");
  }, 1800);
});

// What is selected and copied by hand is the plain number, as the buttons copy it.
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  const within = selection.rangeCount > 0 && selection.getRangeAt(0).commonAncestorContainer;
  const value = within && (within.closest ? within : within.parentElement).closest("[data-plain]");
  if (!value || !selection.toString().trim()) return;
  event.clipboardData.setData("text/plain", value.dataset.plain);
  event.preventDefault();
});

document.documentElement.classList.add("scripted");
dress();
setInterval(tick, 1000);
if (!document.hidden) listen();
