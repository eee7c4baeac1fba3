/** A tournament that is over, judged in the browser, and its record to take away. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { judge, type Report } from "../audit/verifier.js";
import { Form } from "../form.js";
import { say } from "../given.js";
import { below } from "../root.js";
import { service } from "../service.js";
import { Part } from "./titled.js";

const CLAIMS = ["container", "signatures", "log", "openings", "matches", "results", "lots"] as const;

interface Props {
  /** Of the tournament. */
  id: string;
  /** The address of the verifier's modules. */
  verifier: string;
}

export function Proof({ id, verifier }: Props): VNode {
  const found = useSignal<Report | null>(null);
  const judging = useSignal("");
  async function check(): Promise<void> {
    found.value = null;
    judging.value = "container";
    try {
      const answer = await fetch(below(`/v1/tournaments/${id}/bundle?as=public`));
      if (!answer.ok) throw new TypeError(`the bundle is answered with ${answer.status}`);
      const bundle = new Uint8Array(await answer.arrayBuffer());
      const { keys } = (await service().request<Schemas["KeyList"]>("/keys")).data;
      const { report } = await judge(verifier, bundle, keys.map((one) => one.key), (claim) => (judging.value = claim));
      found.value = report;
    } finally {
      judging.value = "";
    }
  }
  return (
    <Part id="proof" title={say("tournament.proof")}>
      <p class="quiet">{say("tournament.proof.about")}</p>
      <Form label={say("tournament.proof.check")} send={check} />
      <p class="links">
        <a href={below(`/v1/tournaments/${id}/bundle?as=public`)} download={`${id}.public.arb`}>
          {say("tournament.proof.download")}
        </a>{" "}
        <a href={below("/verify")}>{say("tournament.proof.elsewhere")}</a>
      </p>
      <div role="status">
        {judging.value !== "" && <p>{say("tournament.proof.judging")}</p>}
        {found.value !== null && <Verdict report={found.value} />}
      </div>
    </Part>
  );
}

function Verdict({ report: { verdict, finding, claims } }: { report: Report }): VNode {
  return (
    <div class="proof-verdict" data-status={verdict}>
      <p>
        <strong>{say(`tournament.proof.${verdict}`)}</strong>
      </p>
      {finding !== null && <p lang="en">{finding.text}</p>}
      <ul>
        {CLAIMS.filter((name) => claims.some((one) => one.claim === name && one.status === "PASS")).map((name) => (
          <li key={name}>✓ {say(`tournament.proof.claim.${name}`)}</li>
        ))}
      </ul>
      <p class="quiet">
        {say("tournament.proof.rules")} <a href={below("/docs/evidence#afterwards")}>{say("tournament.proof.how")}</a>
      </p>
    </div>
  );
}
