/** What counts of the seat in a sealed phase, and all that it has sent. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import type { Course, Doing, Done } from "./doings.js";
import type { Look, Seated } from "./seated.js";
import { sentence } from "./sending.js";
import { Acted, because, type Speech } from "./words.js";

/** In a sealed phase: this is what counts now. */
export function Standing({ look: { menu }, of }: { look: Look; of: Speech }): VNode | null {
  if (!menu.awaited || menu.standing === null) return null;
  return (
    <section class="standing" aria-labelledby="standing">
      <h3 id="standing">{say("play.standing")}</h3>
      <Acted of={of} action={menu.standing as unknown as Doing} />
    </section>
  );
}

/** Every action as it stands on record, the latest first; those of the phase that is open are unfolded. */
export function Sent({ seated, course, of }: { seated: Seated; course: Course; of: Speech }): VNode | null {
  if (course.done.length === 0) return null;
  const { undone } = course;
  const latest = [...course.done].reverse();
  const here = course.phase === null ? [] : latest.filter(({ phase }) => phase === course.phase);
  const earlier = latest.filter((done) => !here.includes(done));
  return (
    <section class="sent" aria-labelledby="sent">
      <h2 id="sent">{say("play.sent")}</h2>
      <List {...{ seated, of, undone }} done={here} />
      {earlier.length > 0 && (
        <details>
          <summary>{say("play.sent.earlier", { count: earlier.length })}</summary>
          <List {...{ seated, of, undone }} done={earlier} />
        </details>
      )}
    </section>
  );
}

interface ListProps {
  seated: Seated;
  of: Speech;
  done: readonly Done[];
  undone: ReadonlySet<number>;
}

function List({ seated, of, done, undone }: ListProps): VNode | null {
  if (done.length === 0) return null;
  return (
    <ol class="doings" reversed>
      {done.map((one) => (
        <li key={one.seq} data-counts={one.code === null && !undone.has(one.seq)}>
          <Acted of={of} action={one.action} />
          <p class="quiet">
            <Moment at={one.at} /> · {say("play.number", { number: one.seq })}
          </p>
          {undone.has(one.seq) && <p class="wrong">{say("play.was_undone")}</p>}
          {one.code !== null && (
            <p class="wrong">{because(one.refused ? "play.was_refused" : "play.was_invalid", sentence(one.code, seated))}</p>
          )}
        </li>
      ))}
    </ol>
  );
}
