/** Asking for the key to the table, and forgetting it. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { ForgetKey, KeyForm } from "../key_form.js";
import { Notice, Status } from "../parts.js";
import { Problem, useDoing } from "./doing.js";
import { putAway } from "./new_keys.js";
import { about, desk, keyEnded, ownName, peek, peeked, seen, signIn, signOut } from "./state.js";
import { below } from "../root.js";

/** Says that the keys that the browser keeps could not be tried. */
export function Waiting(): VNode {
  return <Notice>{say("table.key.waits")}</Notice>;
}

/** Asks for a key. */
export function SignIn(): VNode {
  return (
    <section class="signing" aria-labelledby="signing">
      <h2 id="signing">{say("table.key.title")}</h2>
      {keyEnded.value && <Notice>{say("trouble.key_unknown")}</Notice>}
      <p>{say("table.key.why")}</p>
      <KeyForm hint={say("table.key.noted")} action={say("table.key.open")} use={signIn} />
    </section>
  );
}

/** As whom somebody sits here, and how to leave. */
export function SignedIn(): VNode | null {
  if (desk.value === null) return null;
  return (
    <p class="row signed">
      {seen.value !== null && <Status name={seen.value.view.status} />}
      <span class="quiet">{ownName.value == null ? say(`table.as.${desk.value.role}`) : say("table.as.named", { name: ownName.value })}</span>
      <a href={below(`/m/${about.match}`)}>{say("table.public")}</a>
      <a href={below(`/m/${about.match}/audit`)}>{say("table.audit")}</a>
      <ForgetKey forget={() => putAway() && signOut()} />
    </p>
  );
}

/** What an organiser does not see from here, or not without a look. */
export function Limits(): VNode | null {
  const doing = useDoing();
  if (desk.value?.role !== "organiser") return null;
  return (
    <>
      <Notice>{say("table.as.organiser.limits")}</Notice>
      {!peeked.value && (
        <p class="row">
          <button type="button" class="plain" aria-disabled={doing.busy} onClick={() => doing.run(peek)}>
            {say("table.peek")}
          </button>
          <span class="quiet">{say("table.peek.counts")}</span>
        </p>
      )}
      <Problem of={doing} />
    </>
  );
}
