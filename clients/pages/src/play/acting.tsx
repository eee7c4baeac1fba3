/** What the seat may do now: chosen, looked at once more, and sent. */
import type { Entry, Menu, View } from "@arbiter/client";
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "../given.js";
import { checkFirst } from "./check_first.js";
import type { Doing } from "./doings.js";
import { MenuEntry } from "./entry.js";
import type { Chosen, Kept, Unanswered } from "./kept.js";
import type { Look, Seated } from "./seated.js";
import { confirmed, send, undone, type Told } from "./sending.js";
import { Acted, type Speech } from "./words.js";

export function Acting({ seated, look, of }: { seated: Seated; look: Look; of: Speech }): VNode | null {
  const { draft, offered, sends, offers } = useDraft(look.menu, seated.kept);
  const sending = useSignal<Unanswered | null>(null);
  const told = useSignal<Told | null>(null);
  const said = useRef<HTMLDivElement>(null);
  /** Whether the match has waited for others since. */
  const waited = useRef(false);

  async function go(sent: Unanswered): Promise<void> {
    if (sending.peek() !== null) return;
    sending.value = sent;
    told.value = null;
    waited.current = false;
    said.current?.focus({ preventScroll: true });
    try {
      told.value = await send(seated, sent);
      if (told.value.kind !== "refused") draft.value = null;
    } finally {
      sending.value = null;
    }
  }
  useEffect(() => {
    if (seated.kept.unanswered !== null) void go(seated.kept.unanswered);
  }, []);
  // On the own next turn it is old news; a turn that only chance lies before goes on with it, and so does a pause: a
  // rewind, which pauses the match, may have undone what is said here.
  useEffect(() => {
    const isMine = look.menu.awaited && !look.menu.submitted && look.view.status === "running";
    if (isMine && waited.current && told.peek()?.kind === "counts") told.value = null;
    waited.current = !isMine && (waited.current || look.view.awaiting.seats.length > 0);
  }, [look]);
  const over = ["ended", "void"].includes(look.view.status);
  useFocusAtEnd(over, sending.value !== null);
  const news = undone(told.value, seated.course.value, over);
  const unanswered = told.value?.kind === "unknown" ? seated.kept.unanswered : null;
  const { menu, view } = look;
  // A menu that says something else begins anew, with what it offers now.
  const entries = covered(menu.actions, of.forms.whole ?? []).map(([entry, ...others], index) => (
    <MenuEntry
      key={`${index} ${[entry, ...others].map(saidOf).join(" ")}`}
      {...{ entry, others }}
      {...{ of, view }}
      alone={menu.actions.length === 1}
      errors={told.value?.errors ?? {}}
      oneTap={!checkFirst.value && of.forms.oneTap?.includes(entry.type) === true}
      send={(action) => void go(confirmed(action, look.tag))}
      choose={(action) => {
        draft.value = { action, entry: saidOf(entry) };
        told.value = null;
      }}
    />
  ));
  const busy = sending.value !== null || unanswered !== null;
  return (
    <>
      {offered && !busy && draft.value !== null && (
        <Draft
          {...{ of, view, sends }}
          action={draft.value.action}
          back={() => (draft.value = null)}
          send={() => draft.value && void go(confirmed(draft.value.action, look.tag))}
        />
      )}
      <div role="status" class="told" tabIndex={-1} ref={said} data-kind={news?.kind} lang={news?.in}>
        {sending.value !== null ? say("play.sending") : news?.text}
      </div>
      {unanswered !== null && (
        <button type="button" onClick={() => void go(unanswered)}>
          {say("play.send_again")}
        </button>
      )}
      <div class="offers" hidden={offered || busy} tabIndex={-1} ref={offers}>
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

/** At the end the answer to the last move, which had the focus, is gone: the focus is on how the match ended. */
function useFocusAtEnd(over: boolean, busy: boolean): void {
  const was = useRef(over);
  useEffect(() => {
    if (!over || busy || was.current) return;
    was.current = true;
    const focused = document.activeElement;
    const isLost = focused === document.body || focused?.getClientRects().length === 0;
    if (isLost) document.querySelector<HTMLElement>(".turn > [role=status]")?.focus({ preventScroll: true });
  }, [over, busy]);
}

/** What has been chosen, for as long as the menu offers it in the same way. */
function useDraft({ actions }: Menu, kept: Kept): {
  draft: Signal<Chosen | null>;
  offered: boolean;
  sends: RefObject<HTMLButtonElement | null>;
  offers: RefObject<HTMLDivElement | null>;
} {
  const draft = useSignal(kept.draft);
  const sends = useRef<HTMLButtonElement>(null);
  const offers = useRef<HTMLDivElement>(null);
  const offered = draft.value !== null && actions.some((entry) => saidOf(entry) === draft.value?.entry);
  useEffect(() => {
    if (!offered) draft.value = null;
  }, [offered, draft.value]);
  // The button has the focus right after the choice alone: later its reader may be typing elsewhere.
  useEffect(() => {
    kept.draft = draft.value;
    if (draft.value === null) return;
    sends.current?.focus();
    return () => {
      if (document.activeElement === document.body) offers.current?.focus({ preventScroll: true });
    };
  }, [draft.value]);
  return { draft, offered, sends, offers };
}

/** The entries of a menu, those together that one form covers. */
function covered(actions: readonly Entry[], whole: readonly string[]): [Entry, ...Entry[]][] {
  const parts: [Entry, ...Entry[]][] = [];
  for (const entry of actions) {
    const same = whole.includes(entry.type) ? parts.find(([{ type }]) => type === entry.type) : undefined;
    if (same === undefined) parts.push([entry]);
    else same.push(entry);
  }
  return parts;
}

/** What the menu says of an action. */
function saidOf({ type, schema, exact }: Entry): string {
  return JSON.stringify([type, schema, exact]);
}

interface DraftProps {
  of: Speech;
  view: View;
  action: Doing;
  /** The button that sends it. */
  sends: RefObject<HTMLButtonElement | null>;
  send(): void;
  back(): void;
}

/** What has been chosen, before it is sent: by a press of its own, and not by the second half of a
 * double click or by a key that is still held down. */
function Draft({ of, view, action, sends, send, back }: DraftProps): VNode {
  const About = of.forms.about?.[action.type];
  return (
    <section class="draft" aria-labelledby="draft">
      <h3 id="draft">{say("play.draft")}</h3>
      <Acted of={of} action={action} />
      {About !== undefined && <About view={view} />}
      <p class="choices">
        <button type="button" ref={sends} onClick={({ detail }) => detail > 1 || send()} onKeyDown={(event) => event.repeat && event.preventDefault()}>
          {say("play.send")}
        </button>
        <button type="button" class="plain" onClick={back}>
          {say("play.change")}
        </button>
      </p>
    </section>
  );
}
