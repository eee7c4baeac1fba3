/** What has been submitted, for those who may see it. */
import type { VNode } from "preact";
import type { Shown } from "../board.js";
import { classes, Private, Unseen } from "../drawing.js";
import { say } from "../given.js";
import { Mark, Moment, Seat, words } from "../parts.js";
import type { Submitted, TogetherView } from "./view.js";

type Table = Shown<TogetherView>;

/** What a seat has, what counts of it now, and everything that it has sent. */
export function Own({ view, seats, audience, changed }: Table): VNode {
  const submissions = view.submissions ?? [];
  const isOpen = view.phase === "submission" || view.phase === "vote";
  return (
    <Private audience={audience}>
      <dl class="own">
        <div class={classes(changed("tokens") && "changed")}>
          <dt>{say("board.together.own.tokens")}</dt>
          <dd>{view.tokens}</dd>
        </div>
        <div class={classes(changed("garnets") && "changed")}>
          <dt>{say("board.together.own.garnets")}</dt>
          <dd>{view.garnets}</dd>
        </div>
        {isOpen && (
          <div class={classes("own-standing", changed("standing") && "changed")}>
            <dt>{say("board.together.counts_now")}</dt>
            <dd>
              <Statement submitted={view.standing ?? null} seats={seats} />
            </dd>
          </div>
        )}
      </dl>
      {submissions.length > 0 && (
        <details>
          <summary>{say("board.together.submissions", { count: submissions.length })}</summary>
          <ol class="submissions" reversed>
            {[...submissions].reverse().map((one, index) => (
              <li key={submissions.length - index}>
                <Moment at={one.at} /> <b>{verdict(one)}</b>
                <Statement submitted={one} seats={seats} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </Private>
  );
}

function verdict({ status, code }: Submitted): string {
  const said = say(`board.together.status.${status}`);
  return code === null || code === status ? said : `${said}: ${words(code)}`;
}

/** What every seat has, and what counts of it now. */
export function Sealed({ view, seats, audience, changed }: Table): VNode {
  return (
    <Private audience={audience}>
      <ul class="sealed" aria-label={say("board.together.counts_now")}>
        {seats.map((name, seat) => (
          <li key={seat} class={classes(changed("standing_by_seat", seat) && "changed")}>
            <Seat number={seat} name={name} />
            <span>{say("board.together.tokens", { count: view.tokens_by_seat?.[seat] ?? 0 })}</span>
            <span>{say("board.together.garnets", { count: view.garnets_by_seat?.[seat] ?? 0 })}</span>
            <Statement submitted={view.standing_by_seat?.[seat] ?? null} seats={seats} />
          </li>
        ))}
      </ul>
    </Private>
  );
}

/** What a submission says. */
function Statement({ submitted, seats }: { submitted: Submitted | null; seats: readonly string[] }): VNode {
  if (submitted === null) return <span class="quiet">{say("board.together.nothing")}</span>;
  const { body } = submitted;
  if (body.type === "vote") return <VotedFor name="for" of={[body.for]} seats={seats} />;
  if (body.type !== "submit") return <span>{words(body.type)}</span>;
  const a = body.a ?? [];
  const b = body.b ?? [];
  if (a.length + b.length === 0) return <span class="quiet">{say("board.together.withdrawn")}</span>;
  return (
    <span class="statement">
      {a.length > 0 && <VotedFor name="a" of={a} seats={seats} />}
      {b.length > 0 && <VotedFor name="b" of={b} seats={seats} />}
      {body.pay_garnet && <span>{say("board.together.pays_garnet")}</span>}
    </span>
  );
}

interface Voted {
  name: "a" | "b" | "for";
  of: readonly number[];
  seats: readonly string[];
}

/** The seats that votes of a kind are for, with a number where there are several for one. */
function VotedFor({ name, of, seats }: Voted): VNode {
  const different = [...new Set(of)];
  return (
    <span class="voted-for">
      {say(`board.together.voted.${name}`)}
      {different.map((seat) => (
        <span key={seat} title={seats[seat]}>
          <Mark seat={seat} />
          <Unseen>{seats[seat]}</Unseen>
          {times(of, seat) > 1 && <> × {times(of, seat)}</>}
        </span>
      ))}
    </span>
  );
}

function times(of: readonly number[], seat: number): number {
  return of.filter((one) => one === seat).length;
}
