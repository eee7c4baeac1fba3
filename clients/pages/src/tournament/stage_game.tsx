/** The game of the matches of a template, and the house rules by which they are played. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Field } from "../form.js";
import { say } from "../given.js";
import type { Schema } from "../schema.js";
import { SchemaFields } from "../schema_form.js";
import { SEATS, type Launch } from "./launch.js";
import { FEWEST, type Template } from "./templates.js";

export function StageGame({ launch, template, players }: { launch: Launch; template: Template; players: number }): VNode {
  const chosen = useSignal("");
  const isShow = template === "show";
  const seats = isShow ? Math.max(players, FEWEST.show) : SEATS;
  const fitting = launch.games.value.filter(({ seats: [least, most] }) => least <= seats && seats <= most);
  const usual = fitting.find((one) => one.id === (isShow ? "together" : "twelve-chips")) ?? fitting[0];
  const id = fitting.some((one) => one.id === chosen.value) ? chosen.value : usual?.id;
  useEffect(() => void launch.readGames(), [launch]);
  useEffect(() => {
    if (id !== undefined) void launch.readRules(id).catch(reportError);
  }, [id]);
  const rules = launch.rules.value;
  return (
    <>
      <Field label={say(isShow ? "organise.game.main" : "organise.game.matches")}>
        <select name="game" required value={id} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {fitting.map((one) => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
        </select>
      </Field>
      {!isShow && rules !== null && rules.id === id && (
        <details>
          <summary>{say("organise.options")}</summary>
          <SchemaFields key={id} schema={rules.options as Schema} length={SEATS} />
        </details>
      )}
    </>
  );
}
