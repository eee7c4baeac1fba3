/** A player's card: what they have played round by round, and how their ties are broken. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "../given.js";
import { Notice } from "../parts.js";
import { below } from "../root.js";
import { reason } from "../trouble.js";
import { fraction, placeText } from "./stage_standings.js";
import { standingOf, type Placed } from "./standing_places.js";

interface Props {
  arbiter: Arbiter;
  /** Of the tournament. */
  id: string;
  player: number;
  names: readonly string[];
  /** The matches whose results rulings have given. */
  ruled: ReadonlySet<string>;
  /** The stages that have standings. */
  stages: readonly { number: number; name: string; isKnockout: boolean }[];
  close(): void;
}

interface Known {
  card: Schemas["PlayerCard"];
  explained: Map<number, Schemas["Explanation"][]>;
  /** Where they stand in each stage. */
  places: Map<number, Placed>;
}

export function Card({ arbiter, id, player, names, ruled, stages, close }: Props): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const known = useSignal<Known | null>(null);
  const trouble = useSignal("");
  useEffect(() => {
    dialog.current?.showModal();
    readCard(arbiter, id, player, stages).then(
      (found) => (known.value = found),
      (error: unknown) => (trouble.value = reason(error)),
    );
  }, []);
  return (
    <dialog ref={dialog} class="card-dialog" aria-labelledby="card-name" onClose={close}>
      <form method="dialog" class="round-head">
        <h2 id="card-name">
          <bdi>{names[player]}</bdi>
        </h2>
        <button type="submit" class="plain">
          {say("stage.card.close")}
        </button>
      </form>
      {trouble.value !== "" && <Notice>{trouble.value}</Notice>}
      {known.value !== null && <Content {...known.value} names={names} ruled={ruled} stages={stages} />}
    </dialog>
  );
}

async function readCard(arbiter: Arbiter, id: string, player: number, stages: Props["stages"]): Promise<Known> {
  const { data: card } = await arbiter.request<Schemas["PlayerCard"]>(`/tournaments/${id}/players/${player}`);
  const explained = new Map<number, Schemas["Explanation"][]>();
  const places = new Map<number, Placed>();
  for (const { stage } of card.stages.filter((one) => stages.some(({ number }) => number === one.stage))) {
    const { rows } = await arbiter.tournament(id).standings({ stage, explain: player });
    explained.set(stage, rows.find((one) => one.player === player)?.explained ?? []);
    places.set(stage, standingOf(rows, player)!);
  }
  return { card, explained, places };
}

function Content({ card, explained, places, names, ruled, stages }: Known & Pick<Props, "names" | "ruled" | "stages">): VNode {
  const about = [card.team, card.rating !== null && say("stage.card.rating", { rating: card.rating }), say(`stage.player.${card.status}`)];
  return (
    <>
      <p class="quiet">{about.filter(Boolean).join(" · ")}</p>
      {card.because !== null && (
        <p>
          <bdi class="says">{card.because}</bdi>
        </p>
      )}
      {card.stages.map(({ stage }) => {
        const { name, isKnockout } = stages.find((one) => one.number === stage)!;
        return (
          <section key={stage}>
            <h3>
              {name} <span class="quiet">{placeText(places.get(stage)!, isKnockout)}</span>
            </h3>
            <Results rounds={card.rounds.filter((one) => one.stage === stage)} names={names} ruled={ruled} isKnockout={isKnockout} />
            {(explained.get(stage) ?? []).map((one) => (
              <Explained key={one.tiebreak} explanation={one} names={names} />
            ))}
          </section>
        );
      })}
      {card.stages.length === 0 && <p class="quiet">{say("stage.card.nothing")}</p>}
    </>
  );
}

interface ResultsProps {
  rounds: Schemas["CardRound"][];
  names: Props["names"];
  ruled: Props["ruled"];
  /** Whether points say nothing, and rounds without a match are those behind the last one. */
  isKnockout: boolean;
  /** Opens a match at the player's own table, where their protests are answered; others look at it. */
  open?(match: string): void;
}

export function Results({ rounds, names, ruled, isKnockout, open }: ResultsProps): VNode {
  const heads = ["stage.card.round", "stage.card.opponents", "tournament.result", ...(isKnockout ? [] : ["stage.points", "stage.card.total"])];
  return (
    <table class="figures results">
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
        {rounds
          .filter((one) => !isKnockout || one.kind !== "absent")
          .map((one) => (
          <tr key={one.round}>
            <td>{one.round}</td>
            <td>
              <bdi>{one.opponents.map((other) => names[other]).join(", ")}</bdi>
            </td>
            <td>
              <ResultOf round={one} open={open} />
              {one.kind === "played" && one.matches.some((match) => ruled.has(match)) && <span class="quiet"> ({say("stage.ruled")})</span>}
            </td>
            {!isKnockout && <td>{fraction(one.points)}</td>}
            {!isKnockout && <td>{fraction(one.total)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ResultOf({ round: { kind, result, score, matches }, open }: { round: Schemas["CardRound"]; open: ResultsProps["open"] }): VNode {
  const isAnnulled = kind === "void" && result !== null;
  const shown = kind === "played" && result !== null ? say(`stage.card.${result}`) : say(isAnnulled ? "stage.card.annulled" : `stage.card.${kind}`);
  const text = score === null || isAnnulled ? shown : `${shown} (${score})`;
  const match = matches.at(-1);
  if (match !== undefined && open !== undefined) {
    return (
      <button type="button" class="as-link" onClick={() => open(match)}>
        {text}
      </button>
    );
  }
  return match === undefined ? <>{text}</> : <a href={below(`/m/${match}`)}>{text}</a>;
}

/** Where the value of a tiebreak comes from. */
function Explained({ explanation: { tiebreak, value, from }, names }: { explanation: Schemas["Explanation"]; names: Props["names"] }): VNode {
  return (
    <details>
      <summary>
        {say(`stage.tiebreak.${tiebreak}`)}: <b>{fraction(value)}</b>
      </summary>
      <p class="quiet">{say(`stage.tiebreak.${tiebreak}.about`)}</p>
      {from.length > 0 && (
        <ul>
          {from.map((one, index) => (
            <li key={index} class={one.counted ? "" : "quiet"}>
              {one.round !== null && say("tournament.round", { number: one.round })}
              {one.player !== null && (
                <>
                  , <bdi>{names[one.player]}</bdi>
                </>
              )}
              : {fraction(one.points)} {!one.counted && say("stage.tiebreak.cut")}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
