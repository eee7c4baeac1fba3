/** How a game is played, on any page: what the game's own page explains, read when its reader asks. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { say } from "./given.js";
import { below } from "./root.js";

export function HowToPlay({ game }: { game: string }): VNode {
  const place = useRef<HTMLDivElement>(null);
  const failed = useSignal(false);
  async function read(): Promise<void> {
    if (place.current === null || place.current.childElementCount > 0) return;
    const found = await explained(game);
    failed.value = found === null;
    if (found !== null) place.current.replaceChildren(found);
  }
  return (
    <details class="how-to-play" onToggle={(event) => event.currentTarget.open && void read()}>
      <summary>{say("game.how")}</summary>
      {failed.value && <p role="status">{say("game.none")}</p>}
      <div class="rules" ref={place} />
      <p>
        <a href={below(`/games/${game}`)} target="_blank">
          {say("game.page")}
        </a>
      </p>
    </details>
  );
}

/** The explanation, as the service has written it; null where it cannot be read now. */
async function explained(game: string): Promise<Node | null> {
  const answer = await fetch(below(`/games/${game}`)).catch(() => null);
  if (answer?.ok !== true) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const rules = page.getElementById("rules");
  if (rules === null) return null;
  const found = document.createDocumentFragment();
  found.append(...document.importNode(rules, true).childNodes);
  return found;
}
