/** One event, with what led to it and what it led to. */
import type { Schemas } from "@arbiter/client";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { Value } from "../board.js";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { reason } from "../trouble.js";
import { called, type Line } from "./about.js";
import { KnownCell } from "./known_cell.js";
import { ask, audience, lines, number, numbers, path } from "./reading.js";
import { Fact } from "./fact.js";
import { What } from "./what.js";

const MOST_LINKS = 40;

/** Who could know an event, as it was read last; a text says why that could not be read. */
const known = signal<{ line: Line; by: Schemas["KnownShown"][] | string } | null>(null);

export function Detail({ line }: { line: Line | undefined }): VNode {
  if (line === undefined) return <p class="audit-detail quiet">{say("audit.detail.none")}</p>;
  return (
    <div class="audit-detail">
      <h3>{say("audit.event", { seq: numbers(line.seq) })}</h3>
      <p>
        <What line={line} />
      </p>
      <Facts line={line} />
      <h4>{say("audit.data")}</h4>
      <Value given={line.data} />
      <KnownBy line={line} />
    </div>
  );
}

function Facts({ line }: { line: Line }): VNode {
  const effects = (lines.value ?? []).filter((one) => one.cause === line.seq).map((one) => one.seq);
  return (
    <dl class="audit-facts">
      <Fact name="received">
        <Moment at={line.at} />
      </Fact>
      {line.recorded !== line.at && (
        <Fact name="recorded">
          <Moment at={line.recorded} />
        </Fact>
      )}
      <Fact name="kind">
        <code>{line.type}</code>
      </Fact>
      <Fact name="seen_by">
        <bdi>{called(line.seen_by)}</bdi>
      </Fact>
      {line.cause !== null && (
        <Fact name="cause">
          <To seq={line.cause} />
        </Fact>
      )}
      {effects.length > 0 && (
        <Fact name="effects">
          <span class="audit-links">
            {effects.slice(0, MOST_LINKS).map((seq) => (
              <To key={seq} seq={seq} />
            ))}
          </span>
        </Fact>
      )}
      {line.code !== null && (
        <Fact name="code">
          <code>{line.code}</code> <span lang="en">{line.rule}</span>
        </Fact>
      )}
      {line.undone_by !== null && (
        <Fact name="undone_by">
          <To seq={line.undone_by} />
        </Fact>
      )}
    </dl>
  );
}

/** A link to an event. */
export function To({ seq }: { seq: number }): VNode {
  return (
    <a href={`#s${seq}`} aria-label={say("audit.event", { seq: numbers(seq) })}>
      {number(seq)}
    </a>
  );
}

function KnownBy({ line }: { line: Line }): VNode {
  if (known.value?.line !== line) {
    return (
      <p>
        <button type="button" class="plain" onClick={() => void find(line)}>
          {say("audit.known.ask")}
        </button>
      </p>
    );
  }
  const { by } = known.value;
  if (typeof by === "string") return <p role="status">{by}</p>;
  return <KnownList ways={by} />;
}

/** Each reader with the ways in which they could know something. */
export function KnownList({ ways, when }: { ways: Schemas["KnownShown"][]; when?: (at: string) => string }): VNode {
  const readers = [...new Set(ways.map((way) => way.reader))];
  return (
    <dl class="audit-facts">
      {readers.map((reader) => (
        <div key={reader}>
          <dt>
            <bdi>{called(reader)}</bdi>
          </dt>
          <dd>
            <KnownCell ways={ways.filter((way) => way.reader === reader)} when={when} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

async function find(line: Line): Promise<void> {
  try {
    known.value = { line, by: await waysToKnow(line.seq) };
  } catch (error) {
    known.value = { line, by: reason(error) };
  }
}

/** How each reader could know the event of this number. */
export async function waysToKnow(seq: number): Promise<Schemas["KnownShown"][]> {
  const address = `${path}/knowledge?as=${audience.value}&after=${seq - 1}&limit=1`;
  return (await ask<Schemas["KnowledgePage"]>(address)).facts.flatMap((fact) => fact.known);
}
