/** Making the moderator's key theirs: whoever issued it may have kept it, and it then seconds nothing of theirs. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { say } from "../given.js";
import { Notice } from "../parts.js";
import { Problem, useDoing } from "./doing.js";
import { madeMine, mine, putNewKeyAway, renew } from "./state.js";

export function Renewal(): VNode | null {
  const doing = useDoing();
  const shown = madeMine.value;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (shown !== null) addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [shown]);
  if (shown !== null) {
    return (
      <div class="notice">
        <p>
          {say("key.mine.new")} <code class="secret">{shown}</code>
        </p>
        <p class="row">
          <button type="button" class="plain" onClick={putNewKeyAway}>
            {say("table.new_key.done")}
          </button>
        </p>
      </div>
    );
  }
  if (mine.value) return null;
  return (
    <>
      <Notice>{say("key.mine.why")}</Notice>
      <p class="row">
        <button type="button" aria-disabled={doing.busy} onClick={() => doing.run(renew)}>
          {say("key.mine.renew")}
        </button>
      </p>
      <Problem of={doing} />
    </>
  );
}
