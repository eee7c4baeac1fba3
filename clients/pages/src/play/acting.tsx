/** What the seat may do now: chosen, looked at once more, and sent. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "../given.js";
import type { Doing } from "./doings.js";
import { MenuEntry } from "./entry.js";
import type { Unanswered } from "./kept.js";
import type { Look, Seated } from "./seated.js";
import { confirmed, send, type Told } from "./sending.js";
import { Acted, type Speech } from "./words.js";

export function Acting({ seated, look, of }: { seated: Seated; look: Look; of: Speech }): VNode | null {
  const draft = useSignal<Doing | null>(null);
  const sending = useSignal<Unanswered | null>(null);
  const told = useSignal<Told | null>(null);
  const said = useRef<HTMLDivElement>(null);
  const offers = useRef<HTMLDivElement>(null);

  async function go(sent: Unanswered): Promise<void> {
    if (sending.peek() !== null) return;
    sending.value = sent;
    told.value = null;
    said.current?.focus();
    try {
      told.value = await send(seated, sent);
      if (told.value.kind !== "refused") draft.value = null;
    } finally {
      sending.value = null;
    }
  }
  function back(): void {
    draft.value = null;
    offers.current?.focus();
  }
  useEffect(() => {
    if (seated.kept.unanswered !== null) void go(seated.kept.unanswered);
  }, []);
  const unanswered = told.value?.kind === "unknown" ? seated.kept.unanswered : null;
  const { menu, view } = look;
  // A menu that says something else begins anew, with what it offers now.
  const entries = menu.actions.map((entry, index) => (
    <MenuEntry
      key={`${index} ${JSON.stringify(entry.schema)} ${entry.exact}`}
      entry={entry}
      {...{ of, view }}
      errors={told.value?.errors ?? {}}
      choose={(action) => {
        draft.value = action;
        told.value = null;
      }}
    />
  ));
  const busy = sending.value !== null || unanswered !== null;
  const offered = draft.value !== null && menu.actions.some(({ type }) => type === draft.value?.type);
  return (
    <>
      {offered && !busy && draft.value !== null && (
        <Draft of={of} action={draft.value} back={back} send={() => draft.value && void go(confirmed(draft.value, look.tag))} />
      )}
      <div role="status" class="told" tabIndex={-1} ref={said} data-kind={told.value?.kind}>
        {sending.value !== null ? say("play.sending") : told.value?.text}
      </div>
      {unanswered !== null && (
        <button type="button" onClick={() => void go(unanswered)}>
          {say("play.send_again")}
        </button>
      )}
      <div hidden={offered || busy} tabIndex={-1} ref={offers}>
        {entries.length === 0 && menu.standing === null && <p class="quiet">{say("play.nothing")}</p>}
        {menu.submitted && entries.length > 0 ? (
          <details class="more">
            <summary>{say("play.something_else")}</summary>
            {entries}
          </details>
        ) : (
          entries
        )}
      </div>
    </>
  );
}

/** What has been chosen, before it is sent: by a press of its own, and not by the second half of a
 * double click or by a key that is still held down. */
function Draft({ of, action, send, back }: { of: Speech; action: Doing; send(): void; back(): void }): VNode {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), [action]);
  return (
    <section class="draft" aria-labelledby="draft">
      <h3 id="draft">{say("play.draft")}</h3>
      <Acted of={of} action={action} />
      <p class="choices">
        <button type="button" ref={first} onClick={({ detail }) => detail > 1 || send()} onKeyDown={(event) => event.repeat && event.preventDefault()}>
          {say("play.send")}
        </button>
        <button type="button" class="plain" onClick={back}>
          {say("play.change")}
        </button>
      </p>
    </section>
  );
}
