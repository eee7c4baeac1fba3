/** Forms that send something to the service, and say what has become of it. */
import { useSignal } from "@preact/signals";
import { cloneElement, type ComponentChildren, type SelectHTMLAttributes, type VNode } from "preact";
import { useOwnId } from "./own_id.js";
import { Notice } from "./parts.js";
import { reason } from "./trouble.js";

interface FormProps {
  /** What its button says. */
  label: string;
  /** Whether what it does can hardly be undone. */
  grave?: boolean;
  /** Whether what was filled in stays when it is done. */
  kept?: boolean;
  /** Whether it can be sent now. */
  ready?: boolean;
  /** What was filled in is gone: it was sent. */
  emptied?(): void;
  /** Something is filled in otherwise. */
  changed?(): void;
  /** Does it; a text is said when it is done. */
  send(fields: FormData): Promise<string | void>;
  children?: ComponentChildren;
}

/** A form that sends once at a time. */
export function Form({ label, grave = false, kept = false, ready = true, emptied, changed, send, children }: FormProps): VNode {
  const busy = useSignal(false);
  const said = useSignal("");
  const failed = useSignal(false);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy.value || !ready) return;
    const form = event.currentTarget as HTMLFormElement;
    busy.value = true;
    said.value = "";
    try {
      said.value = (await send(new FormData(form))) ?? "";
      failed.value = false;
      if (!kept) {
        form.reset();
        emptied?.();
      }
    } catch (error) {
      said.value = reason(error);
      failed.value = true;
    } finally {
      busy.value = false;
    }
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)} onInvalidCapture={unfold} onInput={changed}>
      {children}
      <p class="doors">
        <button type="submit" class={grave ? "grave" : ""} aria-disabled={busy.value || !ready}>
          {label}
        </button>
        <span role="status" class="quiet">
          {!failed.value && said.value}
        </span>
      </p>
      {failed.value && <Notice>{said.value}</Notice>}
    </form>
  );
}

/** Unfolds what hides a field that is not right: the browser says so only where it can be seen. */
function unfold({ target }: Event): void {
  let part = (target as Element).closest("details");
  while (part !== null) {
    part.open = true;
    part = part.parentElement?.closest("details") ?? null;
  }
}

/** What a field tells its control: its own id, and that of the hint. */
export interface ControlAttributes {
  id?: string;
  "aria-describedby"?: string;
}

interface FieldProps {
  label: string;
  /** What to know before it is filled in. */
  hint?: string | undefined;
  /** The language of the hint, if it is another than the page's. */
  hintIn?: string | undefined;
  /** What is filled in. */
  children: VNode<ControlAttributes>;
}

/** Something to fill in, with its name above and what to know about it below. */
export function Field({ label, hint, hintIn, children }: FieldProps): VNode {
  const id = useOwnId();
  const told = hint === undefined ? {} : { "aria-describedby": `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, ...told })}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet" lang={hintIn}>
          {hint}
        </small>
      )}
    </div>
  );
}

/** One of several, by their values and names; at first the one that is `chosen`. */
export function Choice({ of, chosen, ...more }: { of: [string, string][]; chosen?: string | undefined } & SelectHTMLAttributes): VNode {
  return (
    <select {...more}>
      {of.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** What was written into a field, without spaces around it. */
export function written(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** The lines of a field that say something. */
export function lines(fields: FormData, name: string): string[] {
  return linesOf(written(fields, name));
}

/** The lines of a text that say something. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
