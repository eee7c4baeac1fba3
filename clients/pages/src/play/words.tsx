/** Actions, their fields and values, in the reader's words. */
import type { VNode } from "preact";
import { isSaid, pieces, say } from "../given.js";
import { Seat, words } from "../parts.js";
import type { FormFile } from "../game_form.js";
import type { Schema } from "../schema.js";
import type { Doing } from "./doings.js";

/** What is said of a game's actions: its id, the names at its seats, and which fields are seats. */
export interface Speech {
  game: string;
  seats: readonly string[];
  forms: FormFile;
}

/** A text of this game about one of its actions, or what the menu says in English. */
export function worded(game: string, path: string, given?: string): string {
  const name = `play.${game}.${path}`;
  return isSaid(name) ? say(name) : (given ?? words(path.split(".").at(-1) ?? path));
}

export function titleOf(game: string, { type, title }: { type: string; title?: string }): string {
  return worded(game, type, title);
}

export function labelOf(game: string, type: string, field: string, schema?: Schema): string {
  return worded(game, `${type}.${field}`, schema?.title);
}

/** A text with `{why}`, as the rules say it: in English. */
export function because(name: string, why: string): VNode {
  const [before, , behind] = pieces(name);
  return (
    <>
      {before}
      <span lang="en">{why}</span>
      {behind}
    </>
  );
}

/** One value of a field. */
export function Chosen({ of, field, value }: { of: Speech; field: string; value: unknown }): VNode {
  if (value === null || value === undefined) return <span class="quiet">{say("nothing")}</span>;
  if (Array.isArray(value)) return <Several of={of} field={field} value={value} />;
  if (typeof value === "boolean") return <>{say(value ? "yes" : "no")}</>;
  if (typeof value === "number" && of.forms.seats?.includes(field)) return <Seat number={value} name={of.seats[value]} />;
  const drawn = of.forms.drawn?.[field];
  if (drawn !== undefined) return drawn(value as never);
  const name = `play.${of.game}.value.${String(value)}`;
  return <bdi>{typeof value === "string" ? (isSaid(name) ? say(name) : words(value)) : String(value)}</bdi>;
}

function Several({ of, field, value }: { of: Speech; field: string; value: unknown[] }): VNode {
  if (value.length === 0) return <Chosen of={of} field={field} value={null} />;
  return (
    <span class="several">
      {value.map((one, index) => (
        <span key={index}>
          <Chosen of={of} field={field} value={one} />
        </span>
      ))}
    </span>
  );
}

/** A whole action: what it is called, and its fields. */
export function Acted({ of, action }: { of: Speech; action: Doing }): VNode {
  const { type, ...values } = action;
  const named = Object.entries(values).filter(([, value]) => value !== null && value !== false);
  return (
    <div class="acted">
      <b>{titleOf(of.game, { type })}</b>
      {named.length > 0 && (
        <dl>
          {named.map(([name, value]) => (
            <div key={name}>
              <dt>{labelOf(of.game, type, name)}</dt>
              <dd>
                <Chosen of={of} field={`${type}.${name}`} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
