/** Grouping Black & White: tiles are exchanged between the groups, so that each keeps its size. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { only, type Filling } from "../game_form.js";
import { say } from "../given.js";
import { Field } from "../play/fields.js";

const GROUPS = ["a", "b", "c"] as const;

export const seats = ["name_starter.seat"];

export const forms = { group: Group };

function Group({ fields, values, set }: Filling): VNode {
  const lifted = useSignal<number | null>(null);
  const moved = useSignal<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  function press(tile: number): void {
    if (lifted.value === null || lifted.value === tile) {
      lifted.value = lifted.value === null ? tile : null;
      return;
    }
    set({ ...values, ...exchanged(values, lifted.value, tile) });
    lifted.value = null;
    moved.value = tile;
  }
  // In another group it is another button.
  useEffect(() => {
    if (moved.value !== null) place.current?.querySelector<HTMLButtonElement>(`[data-tile="${moved.value}"]`)?.focus();
    moved.value = null;
  }, [moved.value]);
  const others = Object.entries(fields).filter(([name, schema]) => !isGroup(name) && only(schema) === undefined);
  return (
    <div ref={place}>
      <p class="hint">{say("play.grouping-bw.group.how")}</p>
      {GROUPS.map((name) => (
        <fieldset key={name} class="field">
          <legend>{say(`play.grouping-bw.group.${name}`)}</legend>
          <div class="tiles">
            {tilesOf(values[name]).map((tile) => (
              <button
                key={tile}
                type="button"
                class="picked-tile"
                data-tile={tile}
                data-colour={tile % 2 === 0 ? "black" : "white"}
                aria-pressed={tile === lifted.value}
                onClick={() => press(tile)}
              >
                {tile}
              </button>
            ))}
          </div>
        </fieldset>
      ))}
      {others.map(([name, schema]) => (
        <Field
          key={name}
          label={say(`play.grouping-bw.group.${name}`)}
          hint={say(`play.grouping-bw.group.${name}.about`)}
          schema={schema}
          value={values[name]}
          set={(value) => set({ ...values, [name]: value })}
          shown={(value) => (typeof value === "boolean" ? say(value ? "yes" : "no") : String(value))}
        />
      ))}
    </div>
  );
}

function isGroup(name: string): boolean {
  return (GROUPS as readonly string[]).includes(name);
}

function tilesOf(value: unknown): number[] {
  return Array.isArray(value) ? (value as number[]) : [];
}

/** The groups with each of two tiles in the other's place. */
function exchanged(values: Record<string, unknown>, one: number, other: number): Record<string, number[]> {
  const swap = (tile: number) => (tile === one ? other : tile === other ? one : tile);
  return Object.fromEntries(GROUPS.map((name) => [name, tilesOf(values[name]).map(swap).sort((x, y) => x - y)]));
}
