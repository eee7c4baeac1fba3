/** An invitation to moderate: its reader takes the key of the link when they say so, and nobody else has it from then on. */
import { ArbiterError, type Schemas } from "@arbiter/client";
import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { say } from "../given.js";
import { keyInLink, leaveLink } from "../key_link.js";
import { Notice } from "../parts.js";
import { service } from "../service.js";
import { Problem, useDoing } from "./doing.js";
import { about, signIn, signInWithKept, trying } from "./state.js";

/** The key of the link with which the page was opened, until it is taken or left. */
export const invited = signal(keyInLink());

/** Whose key it is, and who has issued it; "used" for one that has ended. */
type Whose = Pick<Schemas["MatchKey"], "name" | "issued_by"> | "used";

async function whose(key: string): Promise<Whose> {
  try {
    const pages = await service(key).pages<Schemas["MatchKeyList"]>(`/matches/${about.match}/keys`);
    return pages.flatMap((page) => page.keys).find((one) => one.own) ?? { name: null, issued_by: null };
  } catch (error) {
    if (error instanceof ArbiterError && error.status === 401) return "used";
    throw error;
  }
}

export function Invited({ token }: { token: string }): VNode {
  const [looking, taking] = [useDoing(), useDoing()];
  const found = useSignal<Whose | null>(null);
  const onDevice = useSignal(true);
  useEffect(() => {
    void looking.run(async () => {
      found.value = await whose(token);
    });
  }, []);
  function leave(): void {
    [invited.value, trying.value] = [null, null];
    leaveLink();
  }
  async function take(): Promise<void> {
    await signIn(token, onDevice.value, true);
    leave();
  }
  function goOn(): void {
    leave();
    signInWithKept();
  }
  const is = found.value;
  return (
    <section class="signing" aria-labelledby="signing">
      <h2 id="signing">{say("table.invited")}</h2>
      <Problem of={looking} />
      {is === "used" && <Notice>{say("table.invited.used")}</Notice>}
      {is !== null && is !== "used" && (
        <>
          <p>{say(is.issued_by === null ? "table.invited.as" : "table.invited.by", { name: is.name ?? say("table.readers.unnamed"), by: is.issued_by ?? "" })}</p>
          <p class="quiet">{say("table.invited.once")}</p>
          <label class="tick">
            <input type="checkbox" checked={onDevice} onChange={({ currentTarget }) => (onDevice.value = currentTarget.checked)} /> {say("key.on_device")}
          </label>
        </>
      )}
      <Problem of={taking} />
      <p class="row">
        {is !== null && is !== "used" && (
          <button type="button" aria-disabled={taking.busy} onClick={() => void taking.run(take)}>
            {say("table.invited.take")}
          </button>
        )}
        <button type="button" class="plain" onClick={goOn}>
          {say("table.invited.leave")}
        </button>
      </p>
    </section>
  );
}
