/** The seat's key: shown, kept for longer and forgotten when its holder says so. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { ForgetKey, sureToForget } from "../key_form.js";
import type { Kept } from "./kept.js";
import { stop } from "./push.js";

/** The key once more, kept for longer by choice, and forgotten. */
export function KeyPanel({ kept }: { kept: Kept }): VNode {
  const shown = useSignal(false);
  const onDevice = useSignal(kept.onDevice);
  const key = kept.key ?? "";
  return (
    <details class="panel" onToggle={(event) => event.currentTarget.open || (shown.value = false)}>
      <summary>{say("play.key")}</summary>
      <p class="hint">{say("play.key.about")}</p>
      {shown.value && (
        <>
          <Copied label={say("play.key.yours")} text={key} />
          {kept.table !== null && <Copied label={say("play.gathering.recovery")} text={kept.table.recovery} />}
        </>
      )}
      <p class="choices">
        <button type="button" class="plain" aria-expanded={shown.value} onClick={() => (shown.value = !shown.value)}>
          {say(shown.value ? "play.key.hide" : "play.key.show")}
        </button>
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={onDevice.value}
          onChange={(event) => kept.keepKey(key, (onDevice.value = event.currentTarget.checked))}
        />
        {say("key.on_device")}
      </label>
    </details>
  );
}

/** Away with the key, and with all that was kept beside it. */
export function ForgetButton({ kept, table }: { kept: Kept; table: boolean }): VNode {
  return (
    <ForgetKey
      forget={() => {
        if (!sureToForget(table)) return;
        void stop(kept)
          .catch(() => undefined)
          .then(() => {
            kept.forget();
            location.reload();
          });
      }}
    />
  );
}
