/** The next round of a stage: what it is drafted from, its draft, and its publication. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import type { DeskProps } from "./desk_props.js";
import { DraftedRound } from "./draft.js";
import { drafted, wantsLots, type Draft } from "./drafting.js";
import { exact, type Past } from "./seating.js";
import { roundsStanding, type StageRead } from "./stage_read.js";

interface Props extends DeskProps {
  read: StageRead;
  number: number;
  /** Whether it is drafted though the last one is not closed yet. */
  overlap?: boolean;
}

export function NextRound({ cup, by, changed, read, number, overlap = false }: Props): VNode {
  const draft = useSignal<Draft | null>(null);
  const { stage } = read;
  const names = cup.shown.players.map((one) => one.name);
  const active = cup.shown.players.filter((one) => one.status === "entered" || one.status === "checked_in").map((one) => one.player);
  const here = active.filter((player) => standsIn(read, player));
  async function look(fields: FormData): Promise<void> {
    const wanted = { ...wantedOf(fields), ...(overlap && { overlap }) };
    draft.value = stage.format === "by_hand" ? seatedInOrder(stage, number, here, wanted) : await drafted(by.arbiter, cup.shown.id, stage.stage, wanted, stage.published === 0 && wantsLots(stage));
  }
  async function done(): Promise<void> {
    draft.value = null;
    await changed();
  }
  return (
    <>
      <h3>
        <bdi>{stage.name}</bdi>: {draft.value === null ? say("desk.draft", { number }) : say("stage.drafted", { number })}
      </h3>
      {draft.value === null ? (
        <Form label={say("desk.draft.send", { number })} send={look}>
          {stage.format === "show" && <Episode by={by} players={here.length} />}
        </Form>
      ) : (
        <DraftedRound
          key={draft.value.tag}
          arbiter={by.arbiter}
          id={cup.shown.id}
          draft={draft.value}
          names={names}
          past={pastOf(read)}
          slots={read.slots}
          done={done}
        />
      )}
    </>
  );
}

/** Before its first round a stage has no standings: everybody may be in it. */
function standsIn({ standings, stage }: StageRead, player: number): boolean {
  if (standings !== null) return standings.rows.some((one) => one.player === player);
  return !Array.isArray(stage.entrants) || stage.entrants.includes(player);
}

function pastOf(read: StageRead): Past {
  const rows = read.standings?.rows ?? [];
  return {
    points: new Map(rows.map((one) => [one.player, exact(one.points)])),
    tables: roundsStanding(read).flatMap((round) => round.pairings.map((one) => one.players)),
  };
}

/** A stage by hand: all in the order of the roster, to be moved. */
function seatedInOrder(stage: Schemas["ShownStage"], number: number, players: readonly number[], wanted: Schemas["NewRound"]): Draft {
  const count = Math.floor(players.length / stage.seats);
  const pairings = Array.from({ length: count }, (_, index) => ({
    table: index + 1,
    players: players.slice(index * stage.seats, (index + 1) * stage.seats),
    because: [],
  }));
  const byes = players.slice(count * stage.seats).map((player) => ({ player, kind: "bye", because: [] }));
  const round = { stage: stage.stage, round: number, pairings, byes } as unknown as Schemas["ShownRound"];
  return { stage: stage.stage, round, tag: "", wanted };
}

/** Of a show: what all play, and what the two play of whom one goes home. */
function Episode({ by, players }: { by: DeskProps["by"]; players: number }): VNode {
  const games = useSignal<Schemas["GameSummary"][]>([]);
  useEffect(() => void by.arbiter.games().then((found) => (games.value = found), reportError), [by]);
  const fitting = (seats: number): [string, string][] =>
    games.value.filter(({ seats: [least, most] }) => least <= seats && seats <= most).map((one) => [one.id, one.title]);
  const death = fitting(2).sort(([one], [other]) => Number(other === DEATH) - Number(one === DEATH));
  return (
    <div class="fields-of">
      <Field label={say("desk.main", { count: players })}>
        <Choice name="main" required of={fitting(players)} />
      </Field>
      <Field label={say("desk.death")}>
        <Choice name="death" required of={death} />
      </Field>
      <Field label={say("desk.best_of")}>
        <Choice name="best_of" of={["1", "3", "5"].map((one) => [one, one])} />
      </Field>
    </div>
  );
}

/** What a death match is of by default. */
const DEATH = "grouping-bw";

function wantedOf(fields: FormData): Schemas["NewRound"] {
  const main = written(fields, "main");
  if (main === "") return {};
  const best = Number(written(fields, "best_of")) as 1 | 3 | 5;
  return { main: { game: main }, death: { game: written(fields, "death"), best_of: best } };
}
