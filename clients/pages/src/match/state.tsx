/** How the match stands: whom it waits for, what has just happened, how it ended. */
import type { View } from "@arbiter/client";
import type { VNode } from "preact";
import { Countdown } from "../clock.js";
import { Happened } from "../events.js";
import { numeral, say } from "../given.js";
import { Mark, Moment, Notice, outcome, outcomeWithScores, Seat, Status, waitsFor } from "../parts.js";
import { KeyChoice } from "./audience.js";
import { Cause } from "./cause.js";
import { playing } from "./player.js";
import { Link } from "./timeline.js";
import { at, begin, info, isOver, left, numbers, own, page, problem, reading, shown, spectators, wentBack } from "./watch.js";
import { below } from "../root.js";

/** The seats, and how far the match has come. */
export function Seats({ view }: { view: View }): VNode {
  const awaited = view.status === "running" ? view.awaiting.seats : [];
  return (
    <ul class="match-players">
      {view.seats.map((name, seat) => (
        <li key={seat} data-awaited={awaited.includes(seat)}>
          <Seat number={seat} name={name} />
        </li>
      ))}
    </ul>
  );
}

/** Whom the match waits for, and how long yet. Nothing of it is more than the view of the audience has. */
export function Awaited({ view }: { view: View }): VNode {
  const { seats, draw, deadline } = view.awaiting;
  const names = seats.map((seat) => view.seats[seat] ?? String(seat));
  const isLive = at.value === null;
  if (!isLive && isOver.value && view.status !== info.value.status) return <p class="awaited">{say("match.back_then", { at: numbers(view.seq) })}</p>;
  return (
    <p class="awaited">
      <Status name={view.status} />
      {view.status === "running" && draw !== null && <span>{say("match.awaits.draw")}</span>}
      {view.status === "running" && draw === null && names.length > 0 && (
        <span>{waitsFor(names)}</span>
      )}
      {view.status === "running" && deadline !== null && (isLive ? <Countdown until={deadline} /> : <Until at={deadline} />)}
      <Watching />
      {own.value?.startsWith("seat:") === true && !isOver.value && <a href={below(`/play/${page.match.id}`)}>{say("match.play_on")}</a>}
    </p>
  );
}

/** How many others watch, as long as there is something to watch. */
function Watching(): VNode | null {
  const others = spectators.value - 1;
  if (isOver.value || others < 1) return null;
  return <span class="quiet">{say("match.watching", { count: others })}</span>;
}

function Until({ at }: { at: string }): VNode {
  return (
    <span>
      {say("match.until")} <Moment at={at} />
    </span>
  );
}

/** The event by which this position was reached; behind the end, who has won. */
export function Step({ view }: { view: View }): VNode {
  const line = reading.value?.line(view.seq);
  const rewound = left.value.get(view.seq);
  return (
    <div class="match-step" aria-live={playing.value ? "off" : "polite"}>
      <p>
        <span class="number">{numbers(view.seq)}</span>{" "}
        {view.result !== null && outcome(view.result, view.seats)}
        {view.result === null && line !== undefined && <Happened line={line} seats={view.seats} cite={numbers} />}
      </p>
      {line !== undefined && (
        <p class="quiet">
          <Moment at={line.at} />
        </p>
      )}
      {rewound !== undefined && (
        <p class="match-left-behind">
          {say("match.left_behind")} <Link to={rewound}>{say("match.left_behind.at", { at: numbers(rewound) })}</Link>
        </p>
      )}
    </div>
  );
}

/** Winners and scores, and whether that can still change. */
export function Outcome({ view }: { view: View }): VNode | null {
  const { result } = view;
  if (result === null) return null;
  return (
    <section class="match-result" aria-labelledby="result">
      <h2 id="result">{outcome(result, view.seats)}</h2>
      <ol class="match-scores">
        {result.scores.map((score, seat) => (
          <li key={seat} data-won={result.winners.includes(seat)}>
            <Mark seat={seat} /> <bdi>{view.seats[seat]}</bdi> <b>{numeral(score)}</b>
          </li>
        ))}
      </ol>
      <How view={view} />
      <Corrected />
    </section>
  );
}

/** How the match counts otherwise in its tournament. */
function Corrected(): VNode | null {
  const { corrected, seats } = info.value;
  if (corrected === null) return null;
  const { result } = corrected;
  return <Notice>{result === null ? say("match.corrected.not") : say("match.corrected", { outcome: outcomeWithScores(result, seats) })}</Notice>;
}

/** How the result came about, and until when it can be protested. */
function How({ view }: { view: View }): VNode | null {
  const until = info.value.protests_until;
  return (
    <>
      <Cause view={view} />
      {view.result?.final === false && (
        <p>
          {say("match.provisional.why")} {until !== null && at.value === null && <Countdown until={until} />}
        </p>
      )}
    </>
  );
}

/** What a reader has to know before all else. */
export function Notices(): VNode {
  const { status, replaced_by } = info.value;
  const view = shown.value?.view;
  return (
    <>
      {status === "void" && (
        <Notice>
          {say("match.void")} {replaced_by !== null && <a href={below(`/m/${replaced_by}`)}>{say("match.replaced")}</a>}
        </Notice>
      )}
      {status === "void" && <Corrected />}
      {view?.status === "paused" && at.value === null && <Notice>{say("match.paused")}</Notice>}
      {wentBack.value && <Notice>{say("match.went_back")}</Notice>}
      {reading.value?.connected.value === false && <Notice>{say("match.cut")}</Notice>}
      {problem.value !== null && <Trouble name={problem.value} />}
      {problem.value !== null && view === undefined && <KeyChoice />}
    </>
  );
}

function Trouble({ name }: { name: string }): VNode {
  const again = () => void begin(reading.peek()?.audience ?? page.as);
  return (
    <Notice>
      {say(name)} {name === "match.unreachable" && <button onClick={again}>{say("match.again")}</button>}
      {(name === "match.not_allowed" || name === "match.key_unknown") && <a href="?">{say("match.as_public")}</a>}
    </Notice>
  );
}
