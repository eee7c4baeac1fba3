/** The players of both groups: on the stage, off it, and beside their tokens. */
import type { ComponentChildren, VNode } from "preact";
import type { Shown } from "../board.js";
import { classes, seatColour } from "../drawing.js";
import { say } from "../given.js";
import { Seat } from "../parts.js";
import { Ending } from "./ending.js";
import { lastCounted, members, votesIn, type TogetherView } from "./view.js";

type Table = Shown<TogetherView>;

/** Group A: who is on the stage with the votes of the last round, and who has left it, and when. */
export function Stage(shown: Table): VNode {
  const { view, changed } = shown;
  const round = lastCounted(view);
  const left = members(view, "A").filter((seat) => view.stage[seat] === "on_stage");
  return (
    <section class="group" aria-labelledby="group-a">
      <h3 id="group-a" class={classes(changed("votes") && "changed")}>
        {say("board.together.stage", { count: left.length })}
      </h3>
      <Ending group="A" {...shown} />
      <div class="stage">
        {left.length === 0 && <p class="quiet">{say("board.together.stage.empty")}</p>}
        <ul class="players">
          {left.map((seat) => (
            <Player key={seat} seat={seat} {...shown}>
              {round !== null && <Votes count={votesIn(view, round, seat)} />}
            </Player>
          ))}
        </ul>
      </div>
      {round !== null && left.length > 0 && <p class="quiet">{say("board.together.votes_of", { round })}</p>}
      <Gone {...shown} />
    </section>
  );
}

/** Those who left the stage, the latest first. */
function Gone(shown: Table): VNode | null {
  const { view, changed } = shown;
  const rounds = view.kicked_out.map((one, index) => ({ ...one, index })).filter(({ seats }) => seats.length > 0);
  if (rounds.length === 0) return null;
  return (
    <div class="gone">
      <h4>{say("board.together.gone")}</h4>
      <ol reversed>
        {rounds.reverse().map(({ round, seats, index }) => (
          <li key={round} class={classes(changed("kicked_out", index) && "changed")}>
            <span class="gone-round">{say("board.together.round", { round })}</span>
            <ul class="players">
              {seats.map((seat) => (
                <Player key={seat} seat={seat} {...shown}>
                  <Votes count={votesIn(view, round, seat)} />
                </Player>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Group B, and the tokens that nobody sees before the end. */
export function Collectors(shown: Table): VNode {
  const { view, changed } = shown;
  const round = lastCounted(view);
  const collectors = members(view, "B");
  return (
    <section class="group" aria-labelledby="group-b">
      <h3 id="group-b" class={classes(changed("b_tokens") && "changed")}>
        {say("board.together.collectors", { count: collectors.length })}
      </h3>
      <Ending group="B" {...shown} />
      <ul class="players">
        {collectors.map((seat) => (
          <Player key={seat} seat={seat} {...shown}>
            {round !== null && <Votes count={votesIn(view, round, seat)} />}
            <Tokens count={view.b_tokens?.[seat] ?? null} />
          </Player>
        ))}
      </ul>
    </section>
  );
}

interface PlayerGiven extends Table {
  seat: number;
  children?: ComponentChildren;
}

/** A player, with everything that everybody knows of them. */
function Player({ seat, children, ...shown }: PlayerGiven): VNode {
  const { view, seats, changed } = shown;
  const group = view.groups[seat] ?? "A";
  const lives = view.tokens_of_life?.[seat] ?? 0;
  const garnets = view.garnets_awarded?.[seat] ?? 0;
  const isCandidate = view.candidates?.[group] === seat;
  const isNew =
    (lives > 0 && changed("tokens_of_life", seat)) ||
    (isCandidate && changed("candidates")) ||
    (garnets > 0 && changed("garnets_awarded"));
  return (
    <li class={classes("player", isNew && "changed")} style={seatColour(seat)}>
      <Seat number={seat} name={seats[seat]} />
      {children}
      {view.winners?.[group].includes(seat) && <b class="won">{say("board.together.winner")}</b>}
      {view.losers?.[group].includes(seat) && <b class="lost">{say("board.together.loser")}</b>}
      {lives > 0 && <span>{say("board.together.lives", { count: lives })}</span>}
      {isCandidate && <b class="candidate">{say("board.together.candidate")}</b>}
      {garnets > 0 && <span>{say("board.together.garnets", { count: garnets })}</span>}
    </li>
  );
}

const MOST_SLIPS = 8;

/** Ballots that a player received; nothing where that is not revealed. */
function Votes({ count }: { count: number | null }): VNode | null {
  if (count === null) return null;
  return (
    <span class="votes">
      {say("board.together.votes", { count })}
      <span class="slips" aria-hidden="true">
        {Array.from({ length: Math.min(count, MOST_SLIPS) }, (_, slip) => (
          <i key={slip} />
        ))}
      </span>
    </span>
  );
}

/** A player's tokens: face down, or counted. */
function Tokens({ count }: { count: number | null }): VNode {
  const label = count === null ? say("board.together.tokens.hidden") : say("board.together.tokens", { count });
  return (
    <span class={classes("tokens", count === null && "tokens-hidden")} role="img" aria-label={label}>
      <svg viewBox="0 0 40 26" aria-hidden="true">
        {[18, 13, 8].map((y) => (
          <ellipse key={y} cx="20" cy={y} rx="17" ry="6.5" />
        ))}
      </svg>
      <b>{count ?? "?"}</b>
    </span>
  );
}
