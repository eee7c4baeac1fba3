/** Where a moderator makes their key of the tournament their own: until then it seconds nothing of whoever issued it. */
import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { Form } from "../form.js";
import { say } from "../given.js";
import { Notice } from "../parts.js";
import { isOwn, renewed } from "../renewal.js";
import { bearer, type Bearer } from "./bearer.js";

/** The new key, until the page is left: it is shown this once. */
export const madeOwn = signal<string | null>(null);

interface Props {
  tournament: string;
  by: Bearer;
  whose: Signal<Bearer | null>;
}

export function OwnKey({ tournament, by, whose }: Props): VNode | null {
  async function renew(): Promise<void> {
    const key = await renewed(by.purpose, by.key);
    madeOwn.value = key;
    whose.value = bearer(tournament, key);
  }
  if (madeOwn.value !== null) {
    return (
      <Notice>
        {say("key.mine.new")} <code class="secret">{madeOwn.value}</code>
      </Notice>
    );
  }
  if (isOwn(by.purpose)) return null;
  return (
    <>
      <Notice>{say("key.mine.why")}</Notice>
      <Form label={say("key.mine.renew")} send={renew} />
    </>
  );
}
