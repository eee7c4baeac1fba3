/** A round before it is published: who meets whom and why, and what it changes to move somebody. */
import type { Arbiter } from "@arbiter/client";
import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { Field, Form, written } from "../form.js";
import { numeral, say } from "../given.js";
import { joined } from "../parts.js";
import { drafted, published, type Draft } from "./drafting.js";
import { matchName, type Slot } from "./bracket.js";
import { changedTables, exchanged, seatingOf, type Past, type Seating, type Weighed } from "./seating.js";

interface DraftProps {
  arbiter: Arbiter;
  /** Of the tournament. */
  id: string;
  draft: Draft;
  names: readonly string[];
  past: Past;
  /** The bracket so far, of a knockout. */
  slots?: readonly Slot[];
  done(): Promise<void>;
}

export function DraftedRound({ arbiter, id, draft, names, past, slots = [], done }: DraftProps): VNode {
  const own = seatingOf(draft.round);
  const seating = useSignal(own);
  const picked = useSignal<number | null>(null);
  // Without a tag there is no draft of the service: all are seated by hand.
  const isMoved = draft.tag === "" || JSON.stringify(seating.value) !== JSON.stringify(own);
  const { round } = draft.round;
  async function publish(fields: FormData): Promise<void> {
    let sent = draft;
    if (isMoved) {
      const { tables: pairings, byes } = seating.value;
      sent = await drafted(arbiter, id, draft.stage, { ...overlapOf(draft), pairings, byes, reason: written(fields, "reason") });
    }
    await published(arbiter, id, sent);
    await done();
  }
  return (
    <div class="draft">
      <p class="quiet">{say("stage.draft.move")}</p>
      <Tables draft={draft} names={names} slots={slots} seating={seating} picked={picked} />
      {isMoved && <Effect own={own} moved={seating.value} past={past} names={names} />}
      <Form label={say("stage.publish", { number: round })} send={publish} kept>
        {isMoved && (
          <>
            <Field label={say("stage.by_hand.reason")} hint={say("tournament.reason.hint")}>
              <input name="reason" required maxLength={200} autocomplete="off" />
            </Field>
            <button type="button" class="plain" onClick={() => (seating.value = own)}>
              {say("stage.draft.as_drafted")}
            </button>
          </>
        )}
      </Form>
    </div>
  );
}

function overlapOf({ wanted }: Draft): { overlap?: true } {
  return wanted.overlap === true ? { overlap: true } : {};
}

interface TablesProps {
  draft: Draft;
  names: readonly string[];
  slots: readonly Slot[];
  seating: Signal<Seating>;
  /** The player who is to change places with the next one. */
  picked: Signal<number | null>;
}

function Tables({ draft: { round }, names, slots, seating, picked }: TablesProps): VNode {
  function pick(player: number): void {
    const first = picked.value;
    picked.value = first === null ? player : null;
    if (first !== null && first !== player) seating.value = exchanged(seating.value, first, player);
  }
  const one = (player: number): VNode => (
    <button key={player} type="button" class="plain pick" aria-pressed={picked.value === player} onClick={() => pick(player)}>
      <bdi>{names[player]}</bdi>
    </button>
  );
  return (
    <ol class="draft-tables">
      {seating.value.tables.map((players, index) => (
        <li key={index} value={index + 1}>
          <span class="picks">{players.map(one)}</span> <MatchName slots={slots} players={players} />
          <Because codes={isSame(players, round.pairings[index]?.players) ? round.pairings[index]!.because : null} />
        </li>
      ))}
      {seating.value.byes.map((player, index) => (
        <li key={`bye-${index}`} class="bye">
          <span class="picks">{one(player)}</span>{" "}
          <span class="quiet">
            {say(`stage.bye.${round.byes[index]!.kind}`)}
            {player === round.byes[index]!.player && <ByeBecause codes={round.byes[index]!.because} />}
          </span>
        </li>
      ))}
    </ol>
  );
}

function isSame(players: readonly number[], drafted: readonly number[] | undefined): boolean {
  return players.every((player, seat) => player === drafted?.[seat]);
}

/** Why a table is as it is; null if somebody has moved there. */
export function Because({ codes }: { codes: readonly string[] | null }): VNode {
  if (codes === null) return <em class="quiet">{say("stage.because.by_hand")}</em>;
  return <span class="quiet">{becauseIn(codes)}</span>;
}

/** That a bracket says who meets everybody knows. */
export function becauseIn(codes: readonly string[]): string {
  return joined(codes.filter((code) => code !== "bracket").map((code) => say(`stage.because.${code}`)));
}

export function ByeBecause({ codes }: { codes: readonly string[] }): VNode | null {
  const because = becauseIn(codes);
  return because === "" ? null : <span class="quiet">: {because}</span>;
}

/** The final, a semi-final, and the match for the third place by their names. */
export function MatchName({ slots, players }: { slots: readonly Slot[]; players: readonly number[] }): VNode | null {
  const name = matchName(slots, players);
  return name && <b class="match-name">{say(`stage.bracket.${name}`)} </b>;
}

interface EffectProps {
  own: Seating;
  moved: Seating;
  past: Past;
  names: readonly string[];
}

/** What the changed tables were and would be. */
function Effect({ own, moved, past, names }: EffectProps): VNode {
  const weigh = ({ met, apart }: Weighed): string =>
    `${say("stage.met", { count: met })}, ${say("stage.apart", { count: apart, points: numeral(apart) })}`;
  const who = ({ players }: Weighed): VNode => <bdi>{players.map((player) => names[player]).join(" – ")}</bdi>;
  return (
    <div class="scrolled" role="group" tabIndex={0} aria-label={say("stage.effect")}>
      <table class="figures effect">
        <caption>{say("stage.effect")}</caption>
        <thead>
          <tr>
            {["stage.table", "stage.effect.before", "stage.effect.after"].map((head) => (
              <th key={head} scope="col">
                {say(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changedTables(own, moved, past).map(({ before, after }) => (
            <tr key={before.table}>
              <td>{before.table}</td>
              {[before, after].map((one, index) => (
                <td key={index}>
                  {who(one)} {past.tables.length > 0 && <span class="quiet">({weigh(one)})</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
