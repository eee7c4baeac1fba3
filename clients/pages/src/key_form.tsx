/** Where somebody gives the page a key, and where it is forgotten. */
import type { RefObject, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Field, Form, written } from "./form.js";
import { say } from "./given.js";

/** Whether a key has just been given or forgotten here: then what follows has the focus. */
let acted = false;

/** Takes the focus if its reader has just acted on the key. */
function useFocus<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    if (acted) element.current?.focus({ preventScroll: true });
    acted = false;
  }, []);
  return element;
}

interface KeyFormProps {
  label?: string;
  hint?: string;
  /** What its button says. */
  action?: string;
  /** Tries the key, keeps it and goes on with it. Throws if it is not the right one. */
  use(key: string, onDevice: boolean): Promise<void>;
  /** Whether it is kept on the device unless its reader says otherwise. */
  stays?: boolean;
  /** Whether it may be a code that was written down: it is seen while it is typed. */
  typed?: boolean;
}

/** Asks for a key. One that was tried does not stay in the field. */
export function KeyForm({ label = say("key"), hint = say("key.hint"), action = say("key.use"), use, stays = false, typed = false }: KeyFormProps): VNode {
  const input = useFocus<HTMLInputElement>();
  async function send(fields: FormData): Promise<void> {
    if (input.current !== null) input.current.value = "";
    acted = true;
    try {
      await use(written(fields, "key"), fields.has("on-device"));
    } catch (error) {
      acted = false;
      throw error;
    }
  }
  return (
    <Form label={action} send={send} kept>
      <Field label={label} hint={hint}>
        {typed ? (
          <input ref={input} type="text" name="key" autocomplete="off" autocapitalize="characters" spellcheck={false} required />
        ) : (
          <input ref={input} type="password" name="key" autocomplete="off" spellcheck={false} required />
        )}
      </Field>
      <label class="tick">
        <input type="checkbox" name="on-device" defaultChecked={stays} /> {say("key.on_device")}
      </label>
    </Form>
  );
}

/** Asks whoever forgets the key of a seat whether they mean it; a seat of an open table comes back by its code alone. */
export function sureToForget(table: boolean): boolean {
  return confirm(say(table ? "key.forget.table" : "key.forget.seat"));
}

/** Forgets the key. */
export function ForgetKey({ forget }: { forget(): void }): VNode {
  const button = useFocus<HTMLButtonElement>();
  return (
    <button
      ref={button}
      type="button"
      class="plain"
      onClick={() => {
        acted = true;
        forget();
      }}
    >
      {say("key.forget")}
    </button>
  );
}

/** Says which key is used, and forgets it. */
export function KeyInUse({ says, forget }: { says: string; forget(): void }): VNode {
  return (
    <p class="key-in-use">
      <span>{says}</span> <ForgetKey forget={forget} />
    </p>
  );
}
