// Keeps a page up to date while it is looked at. Without it, the page reloads itself.
"use strict";

const fetchPage = async (address) => {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(answer.status);
  return answer.status === 204 ? "" : answer.text();
};

// every repeats work while the page is visible; a failure is shown and tried again.
const every = (ms, work) => {
  const turn = async () => {
    if (!document.hidden) {
      try {
        await work();
        document.body.classList.remove("stale");
      } catch {
        document.body.classList.add("stale");
      }
    }
    setTimeout(turn, ms);
  };
  setTimeout(turn, ms);
};

// data-replace: the element is replaced by the newest one of the same address.
for (const part of document.querySelectorAll("[data-replace]")) {
  every(Number(part.dataset.replace), async () => {
    const page = new DOMParser().parseFromString(await fetchPage(location.href), "text/html");
    const fresh = page.getElementById(part.id);
    if (fresh && fresh.innerHTML !== part.innerHTML) part.innerHTML = fresh.innerHTML;
  });
}

// data-grow: new items are put before the ones that are there, which stay as they were opened.
for (const list of document.querySelectorAll("[data-grow]")) {
  if (list.firstElementChild) list.firstElementChild.querySelector("details").open = true;
  every(Number(list.dataset.grow), async () => {
    const piece = await fetchPage(`${list.dataset.source}?after=${list.dataset.newest}`);
    if (!piece) return;
    const page = new DOMParser().parseFromString(`<ol>${piece}</ol>`, "text/html");
    const items = [...page.querySelectorAll("li[data-id]")];
    for (const item of items) item.classList.add("new");
    list.prepend(...items);
    list.dataset.newest = items[0].dataset.id;
    while (list.children.length > 500) list.lastElementChild.remove();
    for (const hint of document.querySelectorAll(".empty")) hint.hidden = true;
  });
}

for (const text of document.querySelectorAll("[data-copy]")) {
  text.title = "Copy";
  text.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    text.classList.add("copied");
    setTimeout(() => text.classList.remove("copied"), 1200);
  });
}
