/** Keys to seats that somebody has taken over: shown once, and until each is put away. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "../given.js";

interface NewKey {
  ruling: string;
  /** Who takes the seat over. */
  name: string;
  /** Null if it was in an answer that was lost. */
  key: string | null;
}

/** What is shown now. It is kept nowhere else. */
const held = signal<NewKey[]>([]);

/** Shows a key, below those that have not been put away. */
export function hold(one: NewKey): void {
  held.value = [...held.value, one];
}

/** Puts all of them away, if whoever has them agrees. Whether they are away. */
export function putAway(): boolean {
  const may = held.value.every(({ key }) => key === null) || confirm(say("table.new_keys.forget"));
  if (may) held.value = [];
  return may;
}

export function NewKeys(): VNode | null {
  const heading = useRef<HTMLHeadingElement>(null);
  const count = held.value.length;
  const secret = held.value.some(({ key }) => key !== null);
  useEffect(() => heading.current?.focus(), [count]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (secret) addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [secret]);
  if (count === 0) return null;
  return (
    <section aria-labelledby="new-keys">
      <h2 id="new-keys" tabIndex={-1} ref={heading}>
        {say("table.new_keys")}
      </h2>
      {held.value.map((one) => (
        <OneKey key={one.ruling} of={one} />
      ))}
    </section>
  );
}

function OneKey({ of: one }: { of: NewKey }): VNode {
  function away(): void {
    held.value = held.value.filter((other) => other !== one);
    // Else the focus would be lost with the last of them.
    document.getElementById("ruling")?.focus();
  }
  return (
    <div class="notice">
      {one.key === null ? (
        <p>{say("table.new_key.lost", { name: one.name })}</p>
      ) : (
        <p>
          {say("table.new_key", { name: one.name })} <code class="secret">{one.key}</code>
        </p>
      )}
      <p class="row">
        <button type="button" class="plain" onClick={away}>
          {say(one.key === null ? "table.new_key.read" : "table.new_key.done")}
        </button>
      </p>
    </div>
  );
}
