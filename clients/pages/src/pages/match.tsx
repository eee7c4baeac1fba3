/** A match as it is played. */
import { signal } from "@preact/signals";
import type { View } from "@arbiter/client";
import { render, type VNode } from "preact";
import { boardFrom, type BoardFile } from "../board.js";
import { changes } from "../changes.js";
import { given } from "../given.js";
import { service } from "../service.js";

const { match: id, board } = given<{ match: string; board: string | null }>();
const shown = signal<{ view: View; before: View | null } | null>(null);

function Match({ Board }: BoardFile<unknown>): VNode | null {
  if (shown.value === null || shown.value.view.view === null) return null;
  const { view, before } = shown.value;
  return <Board {...view} view={view.view} changed={changes(before?.view, view.view)} />;
}

async function follow(): Promise<void> {
  const match = service().match(id);
  const first = await match.view({ as: "public" });
  shown.value = { view: first, before: null };
  for await (const line of match.follow({ after: first, as: "public" })) {
    const view = await match.view({ as: "public", at: line.seq });
    shown.value = { view, before: shown.value.view };
  }
}

const file = await boardFrom(board);
const place = document.getElementById("drawn");
if (place !== null) {
  place.replaceChildren();
  render(<Match {...file} />, place);
}
await follow();
