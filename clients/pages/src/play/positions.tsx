/** What a seat consents to, side by side: how the match stands, and how it would stand, as this seat may know it. */
import type { Result, View } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Shown } from "../board.js";
import { changes } from "../changes.js";
import { say } from "../given.js";
import { outcomeWithScores } from "../parts.js";
import { reason } from "../trouble.js";
import type { Asked } from "./doings.js";
import type { Look, Seated } from "./seated.js";

interface Props {
  seated: Seated;
  look: Look;
  asked: Asked;
  Board: ComponentType<Shown>;
}

/** Of a rewind both positions, of a result both results; of all else words say enough. */
export function Positions({ seated, look: { view }, asked: { before, result }, Board }: Props): VNode | null {
  if (before !== undefined) return <Rewound seated={seated} now={view} before={before} Board={Board} />;
  if (result === undefined) return null;
  return (
    <Compared
      now={<p class="outcome">{resultOf(view.result, view.seats)}</p>}
      after={<p class="outcome">{resultOf(result, view.seats)}</p>}
    />
  );
}

function resultOf(result: Result | View["result"], seats: readonly string[]): string {
  return result === null ? say("play.consent.no_result") : outcomeWithScores(result, seats);
}

/** This seat's own view of where the match would go back to: nobody else's is in it. */
function Rewound({ seated, now, before, Board }: Omit<Props, "look" | "asked"> & { now: View; before: number }): VNode {
  const point = useSignal<View | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    seated.match.view({ at: before - 1 }).then(
      (view) => (point.value = view),
      (error: unknown) => (problem.value = reason(error)),
    );
  }, [before]);
  if (point.value === null) return <p role="status">{problem.value}</p>;
  const differs = changes(now.view, point.value.view);
  const drawn = (view: View) =>
    view.view === null ? <p>{say("match.not_begun")}</p> : <Board {...view} view={view.view} changed={differs} />;
  return <Compared now={drawn(now)} after={drawn(point.value)} />;
}

function Compared({ now, after }: { now: ComponentChildren; after: ComponentChildren }): VNode {
  return (
    <div class="compared">
      <section>
        <h2>{say("play.consent.now")}</h2>
        {now}
      </section>
      <section>
        <h2>{say("play.consent.after")}</h2>
        {after}
      </section>
    </div>
  );
}
