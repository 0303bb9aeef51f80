// Passkeys: a form with a field of one is sent once the browser has asked for the passkey. Without this script there is no passkey, and
// a person logs in with password and code.
"use strict";

const able = window.PublicKeyCredential?.parseRequestOptionsFromJSON && PublicKeyCredential.parseCreationOptionsFromJSON;
for (const form of document.querySelectorAll("form[data-passkeys]")) form.hidden = !able;

// ask returns what is to be signed. The field has it, or the address that has it.
async function ask(form, field) {
  if (field.dataset.passkey.startsWith("{")) return JSON.parse(field.dataset.passkey);
  const answer = await fetch(field.dataset.passkey, { method: "POST", body: new URLSearchParams({ csrf: form.elements.csrf?.value ?? "" }) });
  if (!answer.ok) throw new Error("The service did not answer. Reload the page and try again.");
  return answer.json();
}

async function sign({ id, options: { publicKey } }) {
  const made = publicKey.user
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
  return JSON.stringify({ id, answer: made.toJSON() });
}

// say tells why there is no passkey.
function say(form, problem) {
  const said = form.querySelector("[data-passkey-said]");
  if (problem.name === "InvalidStateError") said.textContent = "This device has a passkey of yours already.";
  else if (problem instanceof DOMException) said.textContent = "No passkey was given. Try again.";
  else said.textContent = problem.message;
}

document.addEventListener("submit", async (event) => {
  const form = event.target, field = form.querySelector("[data-passkey]");
  if (!field || field.value) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form.dataset.asking) return;
  form.dataset.asking = "yes";
  try {
    if (!able) throw new Error("This browser has no passkeys. Log in with your password and a code.");
    field.value = await sign(await ask(form, field));
    form.requestSubmit();
  } catch (problem) {
    say(form, problem);
  }
  delete form.dataset.asking;
}, true);
