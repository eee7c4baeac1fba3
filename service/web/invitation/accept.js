// Accepts the invitation when its reader says so, and never by itself: programs open links, too.
"use strict";

const token = location.hash.slice(1);
const match = location.pathname.split("/").at(-1);
const accept = document.getElementById("accept");
const said = document.getElementById("said");

/** The idempotency key of this tab: with it the same key is shown again, also after a reload. */
function idempotencyKey() {
  const name = `invitation ${match} ${token}`;
  const known = sessionStorage.getItem(name);
  if (known !== null) return known;
  const drawn = [...crypto.getRandomValues(new Uint8Array(16))];
  const fresh = drawn.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(name, fresh);
  return fresh;
}

async function send() {
  const answer = await fetch(`../v1/matches/${match}/invitations/accept`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey() },
    body: JSON.stringify({ token }),
  });
  return [answer.ok, await answer.json()];
}

function show(taken) {
  said.textContent = `You are ${taken.name}, at seat ${taken.seat}.`;
  document.getElementById("key").value = taken.key;
  document.getElementById("taken").hidden = false;
}

accept.addEventListener("click", async () => {
  accept.disabled = true;
  said.textContent = "…";
  try {
    const [taken, body] = await send();
    if (taken) show(body);
    else said.textContent = body.title;
    accept.disabled = taken;
  } catch {
    said.textContent = "The service did not answer: try again.";
    accept.disabled = false;
  }
});

if (!token) {
  accept.disabled = true;
  said.textContent = "This link is not complete: what stands behind its # is missing.";
}
