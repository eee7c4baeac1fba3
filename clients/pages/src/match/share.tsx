/** To pass a match on: a link to it, to this position, a picture, and its board for another site. And which keys lead through it. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { below } from "../root.js";
import { address } from "./timeline.js";
import { at, page, reading, wanted } from "./watch.js";

export function Share(): VNode {
  const match = location.origin + location.pathname;
  const here = at.value ?? wanted.value;
  const board = `${location.origin}${below(`/embed/${page.match.id}`)}`;
  return (
    <details class="match-share">
      <summary>{say("match.share")}</summary>
      {navigator.share !== undefined && (
        <p>
          <button type="button" onClick={() => void navigator.share({ title: document.title, url: match + address(here) }).catch(() => undefined)}>
            {say("match.share.send")}
          </button>
        </p>
      )}
      <Copied label={say("match.share.match")} text={match} />
      <Copied label={say("match.share.position")} text={match + address(here)} />
      <Picture of={match} here={here} />
      <Copied label={say("match.share.embed")} text={`<iframe src="${board}" width="600" height="600" title="Arbiter"></iframe>`} />
    </details>
  );
}

/** The board as everyone may see it, to look at, to save and to link to. */
function Picture({ of, here }: { of: string; here: number }): VNode | null {
  const lines = reading.value?.lines() ?? [];
  const at = lines.filter(({ seq, public_seq }) => seq <= here && public_seq !== null).at(-1)?.public_seq ?? null;
  if (at === null) return null;
  const address = `${of}/board.png?at=${at}`;
  return (
    <>
      <Copied label={say("match.share.picture")} text={address} />
      <p>
        <a href={address} download={`${page.match.id}.${at}.png`}>
          <img src={`${of}/board.svg?at=${at}`} alt={say("match.share.picture")} width="240" height="126" loading="lazy" />
          <br />
          {say("match.share.save")}
        </a>
      </p>
    </>
  );
}

/** Whether the keys are explained. */
const isExplained = signal(false);

const KEYS: readonly (readonly [string, string])[] = [
  ["→", "match.on"],
  ["←", "match.back"],
  ["match.shortcut.Home", "match.first"],
  ["match.shortcut.End", "match.last"],
  ["match.shortcut.Space", "match.play"],
  ["?", "match.keys"],
];

/** The keys, which `?` unfolds and folds. */
export function Keys(): VNode {
  const summary = useRef<HTMLElement>(null);
  useEffect(() => {
    const toggle = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input:not([type=range]), select, textarea, [contenteditable]") !== null;
      if (event.key !== "?" || isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
      isExplained.value = !isExplained.peek();
      if (isExplained.peek()) summary.current?.focus();
    };
    document.addEventListener("keydown", toggle);
    return () => document.removeEventListener("keydown", toggle);
  }, []);
  return (
    <details class="match-keys" open={isExplained.value} onToggle={(event) => (isExplained.value = event.currentTarget.open)}>
      <summary ref={summary}>{say("match.keys")}</summary>
      <dl>
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key.startsWith("match.") ? say(key) : key}</kbd>
            </dt>
            <dd>{say(does)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
