/** A text to pass on or to write down, with a button that copies it where the browser can. An address stands in one line; what is written down is seen whole. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "./given.js";
import { useOwnId } from "./own_id.js";

export function Copied({ label, text }: { label: string; text: string }): VNode {
  const copied = useSignal(false);
  const id = useOwnId();
  return (
    <div class="copied">
      <label class="labelled">
        <span id={id}>{label}</span>
        {text.startsWith("http") ? (
          <input readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
        ) : (
          <textarea readOnly rows={text.length > 60 ? 3 : 1} value={text} onFocus={(event) => event.currentTarget.select()} />
        )}
      </label>
      {navigator.clipboard !== undefined && (
        <button
          type="button"
          class="plain"
          aria-describedby={id}
          onClick={() => void navigator.clipboard.writeText(text).then(() => (copied.value = true))}
        >
          {say(copied.value ? "copied" : "copy")}
        </button>
      )}
    </div>
  );
}
