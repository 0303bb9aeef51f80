// Opens payers' pages in a window of the shop's page. Where it cannot, its links stay links.
"use strict";

(() => {
  const script = document.currentScript;
  if (!script || window.causeway || !window.HTMLDialogElement || !document.adoptedStyleSheets) return;
  const base = script.src.replace(/(files\/[0-9a-f]+\/)?embed\.js([?#].*)?$/, "");
  const home = new URL(base).origin;
  const words = { title: script.dataset.title || "Payment", close: script.dataset.close || "Close" };
  const patience = { loading: 20000, greeting: 2000 }; // until a page that says nothing is shown in a tab of its own
  const least = 240; // pixels

  const sheet = (text) => {
    const out = new CSSStyleSheet();
    out.replaceSync(text);
    return out;
  };
  const outside = sheet(`a[data-causeway="button"] { display: inline-block; padding: .65rem 1.1rem; border-radius: .6rem; background: #0f766e; color: #fff;
    font: 600 1rem/1.5 system-ui, sans-serif; text-decoration: none; cursor: pointer; }
    a[data-causeway="button"]:focus-visible { outline: 3px solid #0f766e; outline-offset: 2px; }`);
  const inside = sheet(`dialog { box-sizing: border-box; width: min(32rem, 100vw); height: min(calc(var(--height, 36rem) + 3rem), calc(100dvh - 2rem)); max-width: none; max-height: none;
    padding: 0; border: 0; border-radius: 1rem; overflow: hidden; background: #f3f5f7; color: #131b24; }
    dialog::backdrop { background: rgb(0 0 0 / 55%); }
    header { display: flex; justify-content: flex-end; height: 3rem; }
    button { width: 3rem; height: 3rem; border: 0; background: none; color: inherit; font: 1.5rem/1 system-ui, sans-serif; cursor: pointer; }
    button:focus-visible { outline: 3px solid #0f766e; outline-offset: -3px; }
    iframe { display: block; width: 100%; height: calc(100% - 3rem); border: 0; }
    @media (max-width: 40rem) { dialog { width: 100vw; height: 100dvh; margin: 0; border-radius: 0; } }
    @media (prefers-color-scheme: dark) { dialog { background: #0c1115; color: #e8edf1; } }`);
  document.adoptedStyleSheets.push(outside);

  // page returns the address of a page of ours that can be opened; null for any other address.
  const page = (address) => {
    let url;
    try {
      url = new URL(address, document.baseURI);
    } catch {
      return null;
    }
    const below = url.href.startsWith(base) ? url.href.slice(base.length).split(/[?#]/)[0] : "";
    return /^((request|link)\/)?[0-9a-z]+(-[0-9a-z]+)*$/.test(below) ? url.href : null;
  };

  const make = (tag, attributes) => {
    const out = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, value);
    return out;
  };

  let shut = null; // closes the window that is open

  // show opens a page. What happens in it is told by events of the link, or of the document.
  const show = (address, link) => {
    shut?.();
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [inside];
    const dialog = make("dialog", { "aria-modal": "true", "aria-label": words.title });
    const button = make("button", { type: "button", "aria-label": words.close });
    const frame = make("iframe", { src: address, title: words.title, allow: "clipboard-write" });
    button.textContent = "\u00d7";
    const header = document.createElement("header");
    header.append(button);
    dialog.append(header, frame);
    root.append(dialog);

    const scroll = document.documentElement.style.overflow;
    let paid = false;
    let silent = 0;
    const emit = (name, detail) => (link?.isConnected ? link : document).dispatchEvent(new CustomEvent(`causeway:${name}`, { bubbles: true, detail }));
    const close = () => {
      if (shut !== close) return;
      shut = null;
      clearTimeout(silent);
      window.removeEventListener("message", hear);
      document.documentElement.style.overflow = scroll;
      dialog.close();
      host.remove();
      emit("closed", { address, paid });
    };
    const alone = () => window.location.assign(address); // nobody frames it: it may be another site's, or away
    const hear = (event) => {
      if (event.origin !== home || event.source !== frame.contentWindow) return;
      const { causeway, height, reference } = event.data ?? {};
      clearTimeout(silent);
      if (causeway === "height" && Number.isFinite(height)) dialog.style.setProperty("--height", `${Math.max(least, height)}px`);
      if (causeway === "closed") close();
      if (causeway !== "paid" || paid || typeof reference !== "string") return;
      paid = true;
      emit("paid", { address, reference });
    };
    window.addEventListener("message", hear);
    frame.addEventListener("load", () => {
      clearTimeout(silent);
      silent = setTimeout(alone, patience.greeting);
      frame.contentWindow.postMessage({ causeway: "hello" }, home);
    });
    button.addEventListener("click", close);
    dialog.addEventListener("close", close);

    shut = close;
    silent = setTimeout(alone, patience.loading);
    document.body.append(host);
    document.documentElement.style.overflow = "hidden";
    dialog.showModal();
  };

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element && event.target.closest("a[data-causeway]");
    const address = link && page(link.href);
    if (!address) return;
    event.preventDefault();
    show(address, link);
  });

  window.causeway = Object.freeze({
    open(address) {
      const found = page(address);
      if (!found) throw new TypeError(`${address} is no page for payers of ${base}`);
      show(found, null);
    },
    close() {
      shut?.();
    },
  });
})();
