/** Doing something that the service may refuse, and asking back before it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { say } from "../given.js";
import { reason } from "../trouble.js";

export interface Doing {
  busy: boolean;
  /** Why it was not done, in words; null if nothing went wrong. */
  problem: string | null;
  /** Does something; whether it was done. */
  run(task: () => Promise<void>): Promise<boolean>;
}

/** Does one thing at a time, and keeps what went wrong with the last one. */
export function useDoing(): Doing {
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  async function run(task: () => Promise<void>): Promise<boolean> {
    if (busy.value) return false;
    const giveBack = focusHere();
    [busy.value, problem.value] = [true, null];
    try {
      await task();
      return true;
    } catch (error) {
      problem.value = reason(error);
      return false;
    } finally {
      busy.value = false;
      // When what has become of it is shown.
      setTimeout(giveBack);
    }
  }
  return { busy: busy.value, problem: problem.value, run };
}

/** Remembers where the focus is. What is returned gives it to the nearest heading if what had it is gone. */
function focusHere(): () => void {
  const headings: (HTMLElement | null)[] = [];
  for (let at = document.activeElement?.closest("section"); at != null; at = at.parentElement?.closest("section")) {
    headings.push(at.querySelector("h2"));
  }
  return () => {
    const heading = headings.find((one) => one?.isConnected);
    if (document.activeElement !== document.body || heading == null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
}

/** Why something was not done; read out when it changes. */
export function Problem({ of: { problem } }: { of: Doing }): VNode {
  return <div role="alert">{problem !== null && <p class="notice">{problem}</p>}</div>;
}

/** Shows a dialog. What is returned closes it, and gives the focus back. */
function shownIn(dialog: HTMLDialogElement | null): () => void {
  const giveBack = focusHere();
  dialog?.showModal();
  return () => {
    dialog?.close();
    giveBack();
  };
}

interface Asked {
  title: string;
  /** What the button says that does it. */
  action: string;
  doing: Doing;
  onYes(): void;
  onNo(): void;
  children: ComponentChildren;
}

/** Asks back; Escape is no. */
export function AskBack({ title, action, doing, onYes, onNo, children }: Asked): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => shownIn(dialog.current), []);
  function yes(event: Event): void {
    event.preventDefault();
    onYes();
  }
  /** Gives the focus back and says no at once: a press of the same button may come next. */
  function no(): void {
    dialog.current?.close();
    onNo();
  }
  /** A dialog that was taken away hears of its closing a frame later, when another may be open. */
  function closed({ currentTarget }: Event): void {
    if ((currentTarget as Element).isConnected) onNo();
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={no} onClose={closed}>
      <form onSubmit={yes}>
        <h2 id={id}>{title}</h2>
        {children}
        <Problem of={doing} />
        <p class="row">
          <button aria-disabled={doing.busy}>{action}</button>
          <button type="button" class="plain" onClick={no}>
            {say("table.cancel")}
          </button>
        </p>
      </form>
    </dialog>
  );
}
