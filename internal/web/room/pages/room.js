// What a page does beyond links and forms. Without it everything works, only nothing is asked first.
"use strict";

// data-confirm: the form is sent once it was said yes to. The question repeats what follows from it, and is red where the form is.
const sure = document.getElementById("sure");
document.addEventListener("submit", (event) => {
  const form = event.target;
  const question = form.dataset.confirm;
  if (!question || form.dataset.sure || !sure) {
    if (form.method === "post") {
      for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
      if (form.dataset.sent) event.preventDefault(); // once
      form.dataset.sent = "yes";
    }
    return;
  }
  event.preventDefault();
  document.getElementById("sure-text").textContent = question;
  document.getElementById("sure-note").textContent = form.dataset.note ?? "";
  const act = form.querySelector("button:not([type=button])"), yes = sure.querySelector("[value=yes]");
  yes.textContent = act.textContent;
  yes.classList.toggle("danger", act.classList.contains("danger"));
  sure.returnValue = "no";
  sure.onclose = () => {
    if (sure.returnValue !== "yes") return;
    form.dataset.sure = "yes";
    form.requestSubmit();
  };
  sure.showModal();
});

// data-copy: a click copies the whole text.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1200);
});

// A filter is applied as soon as something is chosen.
for (const select of document.querySelectorAll(".filter select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

// data-live: what the page shows is replaced by what it shows now, while somebody looks and types nothing.
const main = document.querySelector("main[data-live]");
if (main) {
  const turn = async () => {
    try {
      if (!document.hidden && !main.contains(document.activeElement) && !sure.open) {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (!answer.ok || answer.redirected) throw new Error(answer.status);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        main.querySelector(".parts").innerHTML = page.querySelector(".parts").innerHTML;
      }
      document.body.classList.remove("stale");
    } catch {
      document.body.classList.add("stale");
    }
    setTimeout(turn, Number(main.dataset.live));
  };
  setTimeout(turn, Number(main.dataset.live));
}
