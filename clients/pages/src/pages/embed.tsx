/** The board of a match in a frame of another site: what everybody may see, live. */
import { signal } from "@preact/signals";
import { HistoryWentBack, type View } from "@arbiter/client";
import type { VNode } from "preact";
import { boardFrom, type BoardFile } from "../board.js";
import { changes } from "../changes.js";
import { given, say } from "../given.js";
import { mount } from "../mount.js";
import { outcome, Status } from "../parts.js";
import { service } from "../service.js";

const { match: id, board } = given<{ match: string; board: string | null }>();
const match = service().match(id);
const shown = signal<{ view: View; before: View | null }>({ view: await match.view({ as: "public" }), before: null });

function Drawn({ Board }: BoardFile<unknown>): VNode {
  const { view, before } = shown.value;
  if (view.view === null) return <p class="quiet">{say("match.not_begun")}</p>;
  return <Board {...view} view={view.view} changed={changes(before?.view, view.view)} />;
}

function Standing(): VNode {
  const { status, result, seats } = shown.value.view;
  return (
    <>
      <Status name={status} /> {result !== null && <span class="outcome">{outcome(result, seats)}</span>}
      {result?.final === false && <span class="quiet"> ({say("match.provisional")})</span>}
    </>
  );
}

/** Takes a place over from what the service has written there. */
function take(place: string, drawn: VNode): void {
  const taken = document.getElementById(place);
  if (taken !== null) mount(taken, drawn);
}

const file = await boardFrom(board);
take("drawn", <Drawn {...file} />);
take("standing", <Standing />);
try {
  for await (const line of match.follow({ after: shown.value.view, as: "public" })) {
    shown.value = { view: await match.view({ as: "public", at: line.seq }), before: shown.value.view };
  }
} catch (error) {
  if (!(error instanceof HistoryWentBack)) throw error;
  location.reload();
}
