/** The evidence: the verdict of the browser's verifier, and the bundle to take away. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { Notice } from "../parts.js";
import { reason } from "../trouble.js";
import { about, called, number } from "./about.js";
import { audience, course, own } from "./reading.js";
import { bundle, check, judged, judging, trouble } from "./verdict.js";
import type { Report } from "./verifier.js";
import { below } from "../root.js";

const CLAIMS = [
  "container", "signatures", "log", "checkpoints", "openings", "receipts", "chance", "rules", "result",
]; // prettier-ignore

/** Before the end a bundle counts hidden events: it is for moderators. */
export const mayExport = (): boolean => course.value.over || own.value === "moderator";

export function Evidence(): VNode {
  const keys = useSignal("");
  const saving = useSignal<string | null>(null);
  if (!mayExport()) return <p class="quiet">{say("audit.evidence.later")}</p>;
  return (
    <>
      <div role="status">
        {judging.value !== null && <p>{say("audit.evidence.judging", { claim: say(`audit.claim.${judging.value}`) })}</p>}
        {trouble.value !== null && <p class="notice">{trouble.value}</p>}
        {judged.value !== null && <Verdict report={judged.value.report} ownKeys={judged.value.ownKeys} />}
      </div>
      <form
        class="audit-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (judging.value === null) void check(keys.value.split(/\s+/).filter(Boolean));
        }}
      >
        <details>
          <summary>{say("audit.evidence.trust")}</summary>
          <p class="quiet">{say("audit.evidence.about", { name: called(audience.value) })}</p>
          <label>
            <span>{say("audit.evidence.keys")}</span>
            <textarea
              rows={3}
              spellcheck={false}
              autocomplete="off"
              value={keys.value}
              onInput={(event) => {
                keys.value = event.currentTarget.value;
              }}
            />
          </label>
        </details>
        <p class="doors">
          <button type="submit" class={judged.value === null ? "" : "plain"} aria-disabled={judging.value !== null}>
            {say("audit.evidence.check")}
          </button>
          <button type="button" class="plain" onClick={() => void save((text) => (saving.value = text))}>
            {say("audit.evidence.download")}
          </button>
          <a href={below("/verify")}>{say("audit.evidence.elsewhere")}</a>
        </p>
      </form>
      {saving.value !== null && <Notice>{saving.value}</Notice>}
    </>
  );
}

function Verdict({ report, ownKeys }: { report: Report; ownKeys: boolean }): VNode {
  const { verdict, finding, claims, size, sealed } = report;
  // Draws that were entered by hand are held against nothing.
  const means = verdict === "HOLDS" && claims.some(({ status }) => status === "MANUAL") ? "MANUAL" : verdict;
  return (
    <>
      <div class="audit-verdict" data-status={verdict}>
        <strong>{say(`audit.verdict.${verdict}`)}</strong>
        <p>{say(`audit.verdict.${means}.means`)}</p>
        <p>
          {say("audit.verdict.rules")} <a href={below("/docs/evidence#afterwards")}>{say("audit.verdict.rules.how")}</a>
        </p>
        <p>{say("audit.verdict.stranger")}</p>
        {finding !== null && <p lang="en">{finding.text}</p>}
        {size !== null && (
          <p>{say("audit.verdict.size", { size: number(size), sealed: number(sealed ?? 0) })}</p>
        )}
        {ownKeys && <p class="quiet">{say("audit.verdict.own_keys")}</p>}
      </div>
      <details open={verdict === "FAIL"}>
        <summary>{say("audit.claims")}</summary>
        <ol class="audit-claims">
          {CLAIMS.map((name) => {
            const claim = claims.find((one) => one.claim === name);
            return (
              <li key={name}>
                <span class="audit-said" data-status={claim?.status}>
                  {claim === undefined || claim.status === "NOT JUDGED" ? say("audit.claim.not_judged") : claim.status}
                </span>
                <span>
                  {say(`audit.claim.${name}`)}
                  <small class="quiet" lang="en">
                    {claim?.text}
                  </small>
                </span>
              </li>
            );
          })}
        </ol>
      </details>
    </>
  );
}

/** Hands the bundle to the browser to be saved. */
async function save(say: (trouble: string | null) => void): Promise<void> {
  try {
    const bytes = await bundle();
    const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/zip" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${about.match}.${audience.value.replace(":", "")}.arb`;
    link.click();
    URL.revokeObjectURL(address);
    say(null);
  } catch (error) {
    say(reason(error));
  }
}
