/** A tile: its face as far as it is known here, or its back. */
import type { VNode } from "preact";
import { classes } from "../drawing.js";
import { say } from "../given.js";
import { colourOf, type Tile } from "./view.js";

/** A tile; `kind` names further classes. */
export function TileDrawn({ tile, kind = "" }: { tile: Tile; kind?: string }): VNode {
  const { colour, number, isPrivate } = tile;
  const name = classes("tile", `tile-${colour ?? "back"}`, isPrivate && "tile-private", kind);
  return (
    <span class={name} role="img" aria-label={inWords(tile)}>
      {number ?? (colour === null ? "" : "?")}
    </span>
  );
}

/** A tile whose number is known. */
export function NumberedTile({ number, isPrivate = false }: { number: number; isPrivate?: boolean }): VNode {
  return <TileDrawn tile={{ colour: colourOf(number), number, isPrivate }} />;
}

function inWords({ colour, number }: Tile): string {
  if (colour === null) return say("board.grouping-bw.tile.back");
  const name = number === null ? "hidden" : "shown";
  return say(`board.grouping-bw.tile.${colour}.${name}`, { number: number ?? "" });
}
