/** What everybody sees of a tournament, as the page shows it without a script. */
import type { Arbiter, Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Away } from "../away.js";
import { say } from "../given.js";
import { joined, Mark, Moment, outcome, Status } from "../parts.js";
import { Champions } from "./champions.js";
import { besideStages, places, type Cup, type Pairing } from "./cup.js";
import { below } from "../root.js";
import { Left } from "./left.js";
import { PassOn } from "./pass_on.js";
import { Proof } from "./proof.js";
import { Stages } from "./stages.js";
import { Part } from "./titled.js";

interface Props {
  cup: Cup;
  arbiter: Arbiter;
  verifier: string;
  /** The address of the tournament's page. */
  qr: string;
}

export function Shown({ cup, arbiter, verifier, qr }: Props): VNode {
  const { shown, stages } = cup;
  return (
    <>
      <div>
        <Away />
        <Champions champions={shown.champions} stages={stages} names={shown.players.map((one) => one.name)} />
        <PassOn id={shown.id} name={shown.name} qr={qr} />
        {cup.stages.length > 0 ? <Stages cup={cup} arbiter={arbiter} /> : <SeatedByHand cup={cup} />}
        <Beside cup={cup} />
        <Left players={shown.players} />
        <Rulings cup={cup} />
        {shown.status === "closed" && <Proof id={shown.id} verifier={verifier} />}
      </div>
      <aside>
        <Part id="due" title={say("tournament.deadlines")}>
          <Deadlines pairings={cup.pairings} />
        </Part>
        <People id="players" names={cup.shown.players.map((one) => one.name)} />
        <People id="moderators" names={cup.shown.moderators.map((one) => one.name)} />
      </aside>
    </>
  );
}

/** A tournament without stages: every match counts in one table. */
function SeatedByHand({ cup }: { cup: Cup }): VNode {
  const rounds = [...new Set(cup.pairings.map((one) => one.round))].sort((one, other) => one - other);
  return (
    <>
      <Part id="standings" title={say("tournament.standings")}>
        <div class="scrolled" tabIndex={0} role="group" aria-labelledby="standings">
          <Standings rows={cup.shown.standings} />
        </div>
      </Part>
      {rounds.map((round) => (
        <Round key={round} round={round} cup={cup} />
      ))}
      {rounds.length === 0 && <p class="quiet">{say("tournament.no_matches")}</p>}
    </>
  );
}

/** Matches that were seated by hand beside the stages. */
function Beside({ cup }: { cup: Cup }): VNode | null {
  const pairings = cup.stages.length === 0 ? [] : besideStages(cup);
  if (pairings.length === 0) return null;
  return (
    <Part id="beside" title={say("stage.beside")}>
      <ul class="pairings">
        {pairings.map((one) => (
          <OnePairing key={one.match} pairing={one} title={cup.titles.get(one.game) ?? one.game} />
        ))}
      </ul>
    </Part>
  );
}

/** Who has won how many matches. */
export function Standings({ rows }: { rows: readonly Schemas["Standing"][] }): VNode {
  const place = places(rows);
  const heads = ["place", "player", "played", "won", "shared.short", "lost"];
  return (
    <table class="figures standings">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {say(`tournament.${head}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.player}>
            <td>{place[index]}</td>
            <th scope="row">
              <bdi>{row.name}</bdi>
            </th>
            <td>{row.played}</td>
            <td>{row.won}</td>
            <td>{row.shared}</td>
            <td>{row.lost}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Round({ round, cup }: { round: number; cup: Cup }): VNode {
  const announcement = below(`/v1/tournaments/${cup.shown.id}/rounds/${round}/announcement`);
  return (
    <section aria-labelledby={`round-${round}`}>
      <div class="round-head">
        <h2 id={`round-${round}`}>{say("tournament.round", { number: round })}</h2>{" "}
        <a href={announcement}>{say("tournament.announcement")}</a>
      </div>
      <ul class="pairings">
        {cup.pairings
          .filter((one) => one.round === round)
          .map((one) => (
            <OnePairing key={one.match} pairing={one} title={cup.titles.get(one.game) ?? one.game} />
          ))}
      </ul>
    </section>
  );
}

function OnePairing({ pairing: { match, seats, status, result, ...more }, title }: { pairing: Pairing; title: string }): VNode {
  return (
    <li class="pairing" id={`match-${match}`}>
      <p class="pairing-head">
        <a href={below(`/m/${match}`)}>{title}</a> <Status name={status} />
      </p>
      <ol class="sides">
        {seats.map((name, seat) => (
          <li key={seat} class={result?.winners.includes(seat) ? "won" : ""}>
            <Mark seat={seat} /> <bdi>{name}</bdi> {result && <span class="score">{result.scores[seat]}</span>}
          </li>
        ))}
      </ol>
      {result !== null && result.winners.length > 0 && (
        <p class="quiet">
          {outcome(result, seats)} {more.row.result?.final === false && `(${say("match.provisional")})`}{" "}
          {more.ruled && `(${say("stage.ruled")})`}{" "}
          {!more.counts && say("tournament.not_counted")}
        </p>
      )}
      {more.deadline !== null && (
        <p class="quiet">
          {say("tournament.until")} <Moment at={more.deadline} />
        </p>
      )}
      {more.moderators.length > 0 && (
        <p class="quiet">{say("tournament.moderated", { names: joined(more.moderators) })}</p>
      )}
    </li>
  );
}

/** A link to a match, by those who play in it. */
export function Between({ match, seats, at = "m" }: { match: string; seats: readonly string[]; at?: "m" | "table" }): VNode {
  return (
    <a href={below(`/${at}/${match}`)}>
      <bdi>{seats.join(" – ")}</bdi>
    </a>
  );
}

/** The deadlines in force, the earliest first, those of the reader's today by themselves. */
function Deadlines({ pairings }: { pairings: readonly Pairing[] }): VNode {
  const due = pairings.filter((one) => one.deadline !== null);
  due.sort((one, other) => one.deadline!.localeCompare(other.deadline!));
  const today = due.filter((one) => new Date(one.deadline!).toDateString() === new Date().toDateString());
  if (due.length === 0) return <p class="quiet">{say("tournament.deadlines.none")}</p>;
  return (
    <>
      <h3>{say("tournament.deadlines.today")}</h3>
      <Due pairings={today} />
      {due.length > today.length && (
        <>
          <h3>{say("tournament.deadlines.later")}</h3>
          <Due pairings={due.filter((one) => !today.includes(one))} />
        </>
      )}
    </>
  );
}

function Due({ pairings }: { pairings: readonly Pairing[] }): VNode {
  if (pairings.length === 0) return <p class="quiet">{say("nothing")}</p>;
  return (
    <ul class="rows">
      {pairings.map((one) => (
        <li key={one.match}>
          <b>
            <Moment at={one.deadline!} />
          </b>
          <br />
          <Between {...one} />
        </li>
      ))}
    </ul>
  );
}

function Rulings({ cup }: { cup: Cup }): VNode | null {
  const done = cup.rulings.filter((one) => one.status === "carried_out");
  if (done.length === 0) return null;
  return (
    <Part id="rulings" title={say("tournament.rulings")}>
      <ul class="rows">
        {done.map((one) => (
          <li key={one.n}>
            <Ruled cup={cup} ruling={one} />{" "}
            <bdi class="says">{one.reason}</bdi>{" "}
            <span class="quiet">
              <Moment at={one.at} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What is ruled on a match, on a player, or on all. */
export function Ruled({ cup, ruling }: { cup: Cup; ruling: Cup["rulings"][number] }): VNode {
  const { kind, match, result, ordered, effects } = ruling;
  const corrected = result === null ? "tournament.taken_out" : "tournament.corrected";
  const text = say(kind === "correct" ? corrected : `tournament.ruled.${kind}`);
  if (match !== null) {
    return (
      <>
        <Between match={match} seats={seatsOf(cup, match)} />: {text}
      </>
    );
  }
  const name = cup.shown.players[Number((ordered ?? effects?.[0]?.data)?.player)]?.name;
  return <>{name === undefined ? text : <><bdi>{name}</bdi>: {text}</>}</>;
}

/** Who plays in a match of the tournament. */
export function seatsOf(cup: Cup, match: string): string[] {
  return cup.pairings.find((one) => one.match === match)?.seats ?? [];
}

function People({ id, names }: { id: "players" | "moderators"; names: readonly string[] }): VNode {
  const title = (
    <>
      {say(`tournament.${id}`)} <span class="quiet">{names.length}</span>
    </>
  );
  return (
    <Part id={id} title={title}>
      {names.length === 0 ? (
        <p class="quiet">{say("nothing")}</p>
      ) : (
        <ul class="names">
          {names.map((name) => (
            <li key={name}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
