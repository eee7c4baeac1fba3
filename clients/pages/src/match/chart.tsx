/** How totals, chips or votes have run: as lines, and as the same numbers in a table. */
import type { View } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { BoardFile, Course } from "../board.js";
import { numeral, say } from "../given.js";
import { part } from "../part.js";
import { Seat } from "../parts.js";
import { jump } from "./timeline.js";
import { reading } from "./watch.js";

type CourseOf = NonNullable<BoardFile<unknown>["course"]>;

/** The whole course as far as it is known, with a mark where the view is that is shown. */
export function Chart({ view, courseOf }: { view: View; courseOf: CourseOf }): VNode | null {
  const newest = reading.value?.newest.value ?? view;
  const here = course(view, courseOf);
  const whole = course(newest, courseOf);
  // A rewind may have left what is shown.
  const drawn = whole !== null && (here === null || end(whole) >= end(here)) ? whole : here;
  if (drawn === null || drawn.x.length < 2) return null;
  return (
    <section class="match-course" aria-labelledby="course">
      <h2 id="course">{drawn.title}</h2>
      <Lines course={drawn} mark={here === null ? null : end(here)} courseOf={courseOf} names={view.seats} />
      <Numbers course={drawn} seats={view.seats} />
    </section>
  );
}

interface Drawn {
  course: Course;
  mark: number | null;
  courseOf: CourseOf;
  names: readonly string[];
}

function Lines({ course, mark, courseOf, names }: Drawn): VNode {
  const place = useRef<HTMLDivElement>(null);
  const shape = JSON.stringify([course, mark]);
  useEffect(() => {
    const leaving = new AbortController();
    void draw(place.current, course, mark, courseOf, leaving.signal);
    return () => leaving.abort();
  }, [shape]);
  return (
    <>
      <p class="seats">
        {course.lines.map(({ seat }) => (
          <Seat key={seat} number={seat} name={names[seat]} />
        ))}
      </p>
      <div class="match-plot" ref={place} aria-hidden="true" />
    </>
  );
}

/** Reads what draws charts only where there is one. */
async function draw(
  place: HTMLElement | null,
  course: Course,
  mark: number | null,
  courseOf: CourseOf,
  signal: AbortSignal,
): Promise<void> {
  const { plot } = await part(import("./plot.js"));
  if (place === null || signal.aborted) return;
  plot(place, course, mark, (x) => void positionOf(x, courseOf).then(jump), signal);
}

/** The first position whose course reaches `x`: it only grows, so the middle tells on which side it is. */
async function positionOf(x: number, courseOf: CourseOf): Promise<number> {
  const from = reading.peek();
  let low = 1;
  let high = from?.last.peek() ?? 1;
  while (from !== null && low < high) {
    const middle = Math.floor((low + high) / 2);
    const there = course(await from.at(middle), courseOf);
    if (there !== null && end(there) >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}

function Numbers({ course, seats }: { course: Course; seats: readonly string[] }): VNode {
  return (
    <details class="match-numbers">
      <summary>{say("match.as_table")}</summary>
      <div class="scrolled" tabIndex={0} role="group" aria-label={course.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{course.along}</th>
              {course.lines.map(({ seat }) => (
                <th key={seat} scope="col">
                  <bdi>{seats[seat]}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {course.x.map((x, index) => (
              <tr key={index}>
                <th scope="row">{numeral(x)}</th>
                {course.lines.map(({ seat, y }) => (
                  <td key={seat}>{y[index] == null ? "–" : numeral(y[index])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function course(view: View, courseOf: CourseOf): Course | null {
  const { seats, audience, result, seq } = view;
  const lines = reading.value?.until(seq);
  return view.view === null ? null : courseOf({ view: view.view, seats, audience, result, lines, changed: () => false });
}

function end(course: Course): number {
  return course.x.at(-1) ?? -Infinity;
}
