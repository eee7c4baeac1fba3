/** What the service has signed, to be saved, and the alarm when it does not stand by it. */
import type { VNode } from "preact";
import { say } from "./given.js";
import type { KeptReceipts } from "./kept_receipts.js";

/** The service does not stand by the commitment to the seed that it has shown, or does not sign what it says. */
export function Contradiction({ kept }: { kept: KeptReceipts }): VNode {
  const alarm = kept.alarm.value;
  // Of what was kept before signatures were checked, only commitments were wrong.
  const what = alarm?.signed === false ? "unsigned" : "commitment";
  return (
    <div role="alert">
      {alarm !== null && (
        <section class="notice">
          <p>
            <b>{say(`receipts.${what}`)}</b>
          </p>
          <p>{say(`receipts.${what}.about`)}</p>
          <button type="button" onClick={() => save(`evidence-${kept.match}.json`, { match: kept.match, ...alarm })}>
            {say("receipts.evidence.save")}
          </button>
        </section>
      )}
    </div>
  );
}

interface ReceiptsProps {
  kept: KeptReceipts;
  /** Whether this browser cannot check what is signed. */
  unchecked: boolean;
  onOpen?: () => void;
}

/** The receipts, to be saved: `arbiter verify --receipt` takes the file. */
export function Receipts({ kept, unchecked, onOpen }: ReceiptsProps): VNode {
  const count = kept.receiptCount.value;
  function toggled(open: boolean): void {
    kept.countReceipts();
    if (open) onOpen?.();
  }
  return (
    <details class="panel" onToggle={(event) => toggled(event.currentTarget.open)}>
      <summary>{say("receipts.title")}</summary>
      <p class="hint">{say("receipts.about")}</p>
      {unchecked && <p class="hint">{say("receipts.unchecked")}</p>}
      <p>{say("receipts.count", { count })}</p>
      <button type="button" class="plain" disabled={count === 0} onClick={() => save(`receipts-${kept.match}.json`, { match: kept.match, receipts: kept.receipts })}>
        {say("receipts.download")}
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
