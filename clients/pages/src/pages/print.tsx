/** An event on paper: pairings by table and by name, standings, and a slip with a link for each player. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { Away } from "../away.js";
import { Form } from "../form.js";
import { given, language, say } from "../given.js";
import { joined } from "../parts.js";
import { mount } from "../mount.js";
import { handOut, Sheets } from "../sheets.js";
import { known } from "../tournament/bearer.js";
import { placesByName } from "../tournament/by_name.js";
import { followed, type Event } from "../tournament/event_read.js";
import { linkSheets } from "../tournament/slips.js";
import { lastRound, lastStage, type Round, type StageRead } from "../tournament/stage_read.js";
import { roundName } from "../tournament/round_names.js";
import { stageName } from "../tournament/stage_names.js";
import { fraction, groupName } from "../tournament/stage_standings.js";
import { byGroup, type Placed } from "../tournament/standing_places.js";
import { Part } from "../tournament/titled.js";

const LISTS = ["tables", "names", "standings"] as const;
type List = (typeof LISTS)[number];

const page = given<{ tournament: string; seq: number }>();
const event = followed(page.tournament, page.seq);
const chosen = signal<List>("tables");
const organiser = known(page.tournament);

function Printed(): VNode | null {
  if (event.value === null) return null;
  const read = lastStage(event.value.stages);
  const round = read === undefined ? undefined : lastRound(read);
  return (
    <>
      <Away />
      <Sheets />
      <div class="screen-only">
        <fieldset class="choices">
          <legend>{say("print.what")}</legend>
          {LISTS.map((one) => (
            <label key={one} class="tick">
              <input type="radio" name="list" checked={one === chosen.value} onChange={() => (chosen.value = one)} /> {say(`print.${one}`)}
            </label>
          ))}
        </fieldset>
        <p class="doors">
          <button type="button" onClick={() => print()}>
            {say("print.print")}
          </button>
        </p>
        {organiser?.role === "organiser" && <Slips event={event.value} />}
      </div>
      {read === undefined || round === undefined ? (
        <p>{say("stage.nothing_yet")}</p>
      ) : (
        <Part id="list" title={`${stageName(read.stage.name)}, ${roundName(round, read.slots)}`}>
          <ListOf list={chosen.value} read={read} round={round} names={event.value.names} />
        </Part>
      )}
    </>
  );
}

/** A link for everybody who plays: what was handed out before ends when the new one is taken. */
function Slips({ event: { shown } }: { event: Event }): VNode {
  const made = signal(0);
  const playing = shown.players.filter((one) => one.status === "entered" || one.status === "checked_in");
  async function slips(): Promise<void> {
    const players = playing.map((one) => one.player);
    handOut(...(await linkSheets(organiser!.arbiter, { id: page.tournament, name: shown.name }, players, (count) => (made.value = count))));
  }
  return (
    <details class="task">
      <summary>{say("print.slips")}</summary>
      <div class="task-body">
        <p class="quiet">{say("print.slips.about")}</p>
        <Form label={say("organise.links", { count: playing.length })} send={slips} />
      </div>
    </details>
  );
}

interface ListProps {
  read: StageRead;
  round: Round;
  names: readonly string[];
}

function ListOf({ list, ...props }: ListProps & { list: List }): VNode {
  switch (list) {
    case "tables":
      return <ByTable {...props} />;
    case "names":
      return <ByName {...props} />;
    case "standings":
      return <InOrder {...props} />;
  }
}

function ByTable({ round, names }: ListProps): VNode {
  const named = (players: readonly number[]): string => players.map((player) => names[player]).join(" – ");
  return (
    <PrintedTable
      heads={["stage.table", "print.players", "tournament.result"]}
      rows={[
        ...round.pairings.map(({ table, players, result }) => [table, named(players), result === null ? "" : result.scores.join(" : ")]),
        ...round.byes.map(({ player, kind }) => ["", names[player] ?? "", say(`stage.bye.${kind}`)]),
      ]}
    />
  );
}

function ByName({ round, names }: ListProps): VNode {
  return (
    <PrintedTable
      heads={["tournament.player", "stage.table", "stage.card.opponents"]}
      rows={placesByName(round, names, language).map((one) => [
        one.name,
        one.table ?? "",
        one.bye === null ? joined(one.opponents) : say(`stage.bye.${one.bye}`),
      ])}
    />
  );
}

/** A table for each group; in a knockout points say nothing. */
function InOrder({ read: { standings, slots } }: ListProps): VNode {
  const isKnockout = slots.length > 0;
  const tiebreaks = isKnockout ? [] : (standings?.tiebreaks ?? []);
  const points = isKnockout ? [] : ["stage.points"];
  const heads = ["tournament.place", "tournament.player", ...points, ...tiebreaks.map((one) => `stage.tiebreak.${one}.short`)];
  const cells = ({ row, place }: Placed): (string | number)[] =>
    isKnockout ? [place, row.name] : [place, row.name, fraction(row.points), ...row.tiebreaks.map(fraction)];
  return (
    <>
      {byGroup(standings?.rows ?? []).map(({ group, rows }) => (
        <PrintedTable key={group} caption={group === null ? undefined : groupName(group)} heads={heads} rows={rows.map(cells)} />
      ))}
    </>
  );
}

interface PrintedProps {
  caption?: string | undefined;
  heads: string[];
  rows: (string | number)[][];
}

function PrintedTable({ caption, heads, rows }: PrintedProps): VNode {
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-labelledby="list">
      <table class="figures printed">
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {say(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, column) => (
                <td key={column}>
                  <bdi>{cell}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

mount(document.getElementById("print")!, <Printed />);
