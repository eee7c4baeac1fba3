/** The stages of a tournament, the one that is played now first. */
import type { Arbiter } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { BracketDrawn } from "./bracket_drawn.js";
import { Card } from "./card.js";
import { hasCrosstable } from "./crosstable.js";
import { Crosstable } from "./crosstable_drawn.js";
import type { Cup } from "./cup.js";
import { Cast } from "./episode.js";
import { roundName } from "./round_names.js";
import { PublishedRound } from "./rounds.js";
import { stageName } from "./stage_names.js";
import { lastRound, lastStage, roundsStanding, type StageRead } from "./stage_read.js";
import { ruledMatches, ruledPlayers } from "./ruled.js";
import { StageTable } from "./stage_standings.js";

export function Stages({ cup, arbiter }: { cup: Cup; arbiter: Arbiter }): VNode {
  const card = useSignal<number | null>(null);
  const now = lastStage(cup.stages);
  const others = cup.stages.filter((one) => one !== now).reverse();
  const names = cup.shown.players.map((one) => one.name);
  const open = (player: number): void => void (card.value = player);
  return (
    <>
      {now !== undefined && <OneStage read={now} names={names} open={open} titles={cup.titles} />}
      {others.map((one) => (
        <details key={one.stage.stage} class="other-stage">
          <summary>
            <Title read={one} />
          </summary>
          <OneStage read={one} names={names} open={open} titles={cup.titles} isFolded />
        </details>
      ))}
      {card.value !== null && (
        <Card
          arbiter={arbiter}
          id={cup.shown.id}
          player={card.value}
          names={names}
          ruled={ruledMatches(cup.stages)}
          stages={cup.stages.filter((one) => one.standings !== null).map(({ stage }) => ({ number: stage.stage, name: stageName(stage.name), isKnockout: KNOCKOUTS.includes(stage.format) }))}
          close={() => (card.value = null)}
        />
      )}
    </>
  );
}

/** Stages in which places are where somebody went out: points say nothing. */
const KNOCKOUTS = ["elimination", "show", "shootout"];

/** A stage by its name, with how far it has come. */
function Title({ read }: { read: StageRead }): VNode {
  const { name, status, published, rounds } = read.stage;
  const state = status === "open" && rounds !== null ? say("stage.state.of", { published, rounds }) : say(`stage.state.${status}`);
  return (
    <>
      <bdi>{stageName(name)}</bdi> <span class="quiet">{state}</span>
    </>
  );
}

interface StageProps {
  read: StageRead;
  names: readonly string[];
  open(player: number): void;
  titles: ReadonlyMap<string, string>;
  isFolded?: boolean;
}

function OneStage({ read, names, open, titles, isFolded = false }: StageProps): VNode {
  const { stage, rounds, standings, slots } = read;
  const now = lastRound(read);
  const before = rounds.filter((one) => one !== now).reverse();
  // The bracket of a knockout, and the story of a show, say it all.
  const isKnockout = slots.length > 0 || stage.format === "show";
  const annulled = new Set(standings?.rows.filter((one) => one.annulled === true).map((one) => one.player));
  return (
    <div class="stage">
      {!isFolded && (
        <h2 id={`stage-${stage.stage}`}>
          <Title read={read} />
        </h2>
      )}
      {now === undefined && <p class="quiet">{say("stage.nothing_yet")}</p>}
      {now !== undefined && (
        <>
          <h3>{roundName(now, slots)}</h3>
          <PublishedRound round={now} names={names} titles={titles} slots={slots} bestOf={stage.best_of} annulled={annulled} />
          {now.show !== null && rounds.length > 1 && (
            <>
              <h3>{say("show.cast")}</h3>
              <Cast rounds={roundsStanding(read)} names={names} />
            </>
          )}
        </>
      )}
      {slots.length > 0 && (
        <>
          <h3>{say("stage.bracket")}</h3>
          <BracketDrawn read={read} names={names} />
        </>
      )}
      {standings !== null && (
        <Standings isKnockout={isKnockout}>
          <StageTable standings={standings} slots={slots} ruled={ruledPlayers(read)} open={open} />
        </Standings>
      )}
      {standings !== null && hasCrosstable(stage, standings.rows.length) && (
        <details>
          <summary>{say("stage.crosstable")}</summary>
          <Crosstable read={read} />
        </details>
      )}
      {before.map((round) => (
        <details key={round.round}>
          <summary>
            {roundName(round, slots)}
            {round.status === "withdrawn" && <span class="quiet"> {say("stage.withdrawn")}</span>}
          </summary>
          <PublishedRound round={round} names={names} titles={titles} slots={slots} bestOf={stage.best_of} annulled={annulled} />
        </details>
      ))}
    </div>
  );
}

/** The bracket says it all; the table is for those who look for it. */
function Standings({ isKnockout, children }: { isKnockout: boolean; children: VNode }): VNode {
  if (isKnockout) {
    return (
      <details>
        <summary>{say("tournament.standings")}</summary>
        {children}
      </details>
    );
  }
  return (
    <>
      <h3>{say("tournament.standings")}</h3>
      {children}
    </>
  );
}
