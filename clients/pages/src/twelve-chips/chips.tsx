/** Chips, as they lie in front of somebody or in a hand. */
import type { Schemas } from "@arbiter/client";
import type { ComponentChildren, VNode } from "preact";
import { say } from "../given.js";

export type View = Schemas["TwelveChipsBoard"];
export type Colour = "red" | "blue";

/** Chips with a word for where they lie; `kept` says from whom they are hidden. */
export function Row(given: {
  label: ComponentChildren;
  note?: string | undefined;
  kept?: string | undefined;
  marked?: boolean;
  children: ComponentChildren;
}): VNode {
  return (
    <div class="row" data-kept={given.kept !== undefined} data-changed={given.marked ?? false}>
      <p class="label">
        <span>{given.label}</span> {given.note !== undefined && <span class="quiet">{given.note}</span>}
      </p>
      <ul class="chips">{given.children}</ul>
      {given.kept !== undefined && <p class="kept">{given.kept}</p>}
    </div>
  );
}

/** Chips of a list, face up. */
export function Chips({ chips, fresh = [] }: { chips: readonly number[]; fresh?: readonly boolean[] }): VNode {
  return (
    <>
      {chips.map((chip, place) => (
        <li key={place}>
          <Chip chip={chip} fresh={fresh[place]} />
        </li>
      ))}
    </>
  );
}

/** A chip, face up. */
export function Chip({ chip, fresh = false }: { chip: number; fresh?: boolean | undefined }): VNode {
  return (
    <span class="chip" data-colour={colour(chip)} data-new={fresh}>
      {chip}
    </span>
  );
}

/** Chips of a list that lie face down; a text beside them says how many. */
export function Backs({ number, colours }: { number: number; colours?: readonly Colour[] | undefined }): VNode {
  return (
    <>
      {Array.from({ length: number }, (_, place) => (
        <li key={place} aria-hidden="true">
          <span class="chip" data-back data-colour={colours?.[place]} />
        </li>
      ))}
    </>
  );
}

export function colour(chip: number): Colour {
  return chip >= 4 && chip <= 9 ? "red" : "blue";
}

export function sum(chips: readonly number[]): number {
  return chips.reduce((one, other) => one + other, 0);
}

/** A text of this board. */
export function words(name: string, values: Record<string, string | number> = {}): string {
  return say(`board.twelve-chips.${name}`, values);
}
