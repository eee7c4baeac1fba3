/** The seat's key and receipts: shown, handed out and forgotten when its holder says so. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { ForgetKey } from "../key_form.js";
import type { Kept } from "./kept.js";
import type { Seated } from "./seated.js";

/** The service does not stand by the commitment to the seed that it has shown. */
export function Contradiction({ seated: { contradiction, kept } }: { seated: Seated }): VNode {
  const evidence = contradiction.value;
  return (
    <div role="alert">
      {evidence !== null && (
        <section class="notice">
          <p>
            <b>{say("play.commitment")}</b>
          </p>
          <p>{say("play.commitment.about")}</p>
          <button type="button" onClick={() => save(`evidence-${kept.match}.json`, { match: kept.match, ...evidence })}>
            {say("play.commitment.save")}
          </button>
        </section>
      )}
    </div>
  );
}

/** The key once more, kept for longer by choice, and forgotten. */
export function KeyPanel({ kept }: { kept: Kept }): VNode {
  const shown = useSignal(false);
  const copied = useSignal(false);
  const onDevice = useSignal(kept.onDevice);
  const key = kept.key ?? "";
  return (
    <details class="panel" onToggle={(event) => event.currentTarget.open || (shown.value = false)}>
      <summary>{say("play.key")}</summary>
      <p class="hint">{say("play.key.about")}</p>
      {shown.value && (
        <label class="labelled">
          {say("play.key.yours")}
          <textarea readOnly rows={3} value={key} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <p class="choices">
        <button type="button" class="plain" aria-expanded={shown.value} onClick={() => (shown.value = !shown.value)}>
          {say(shown.value ? "play.key.hide" : "play.key.show")}
        </button>
        {shown.value && navigator.clipboard !== undefined && (
          <button type="button" class="plain" onClick={() => void navigator.clipboard.writeText(key).then(() => (copied.value = true))}>
            {say(copied.value ? "play.key.copied" : "play.key.copy")}
          </button>
        )}
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
export function ForgetButton({ kept }: { kept: Kept }): VNode {
  return (
    <ForgetKey
      forget={() => {
        kept.forget();
        location.reload();
      }}
    />
  );
}

/** What the service has signed, to be saved: `arbiter verify --receipt` takes the file. */
export function Receipts({ kept }: { kept: Kept }): VNode {
  const count = kept.receiptCount.value;
  return (
    <details class="panel" onToggle={() => kept.countReceipts()}>
      <summary>{say("play.receipts")}</summary>
      <p class="hint">{say("play.receipts.about")}</p>
      <p>{say("play.receipts.count", { count })}</p>
      <button type="button" class="plain" disabled={count === 0} onClick={() => save(`receipts-${kept.match}.json`, { match: kept.match, receipts: kept.receipts })}>
        {say("play.receipts.download")}
      </button>
    </details>
  );
}

function save(name: string, content: unknown): void {
  const text = JSON.stringify(content, null, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
