/** Where to go from the end of a match: through it once more, on to others, and to its proof. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { below } from "../root.js";

export function AfterEnd({ match }: { match: string }): VNode {
  const page = below(`/m/${match}`);
  const url = location.origin + page;
  const copied = useSignal(false);
  const canShare = "share" in navigator;
  async function share(): Promise<void> {
    if (canShare) return navigator.share({ url }).catch(() => undefined);
    await navigator.clipboard.writeText(url);
    copied.value = true;
  }
  return (
    <p class="doors">
      <a class="door" href={page}>
        {say("play.end.replay")}
      </a>
      {(canShare || navigator.clipboard !== undefined) && (
        <button type="button" class="plain" onClick={() => void share()}>
          {say(copied.value ? "copied" : "play.end.share")}
        </button>
      )}
      <a href={`${page}/audit`}>{say("play.end.check")}</a>
    </p>
  );
}
