/** What happened: how the match ended, and the course of a dispute, in sentences. */
import type { Schemas } from "@arbiter/client";
import { computed } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { Happened, inWords } from "../events.js";
import { say } from "../given.js";
import { instant, joined, outcomeWithScores } from "../parts.js";
import { about, brief, called, doer, seatOf, type Line } from "./about.js";
import { correctedBy, makersOf, type Corrected, type Made } from "./people.js";
import { bySeq, cases, course, lineOf, lines, numbers, reads, rulings } from "./reading.js";
import { storyOf, type Step } from "./story.js";

const story = computed(() => storyOf({ cases: cases.value, rulings: rulings.value, reads: reads.value }));

export function Story(): VNode {
  const { status, result } = course.value;
  return (
    <>
      <p class="audit-outcome">{result === null ? say(`status.${status}`) : outcomeWithScores(result, about.seats)}</p>
      {story.value.length === 0 && <p class="quiet">{say("audit.story.none")}</p>}
      {story.value.length > 0 && (
        <ol class="audit-story">
          {story.value.map((step, index) => (
            <li key={index} data-kind={step.kind}>
              <time class="quiet" dateTime={step.at} title={instant(step.at)}>
                {brief(step.at)}
              </time>
              <Told step={step} />
            </li>
          ))}
        </ol>
      )}
      {story.value.length > 0 && reads.value === null && <p class="quiet">{say("audit.reads.not_told")}</p>}
    </>
  );
}

function Told({ step }: { step: Step }): VNode {
  switch (step.kind) {
    case "said":
      return (
        <Quoted who={speaker(step.said)} does={say(step.opens ? "audit.story.opens" : "audit.story.says")} quote={step.said.says}>
          {step.opens && <ToCase id={step.case} />}
        </Quoted>
      );
    case "decided":
      return (
        <Quoted who={step.closing.person ?? null} does={say("audit.story.closes")} quote={step.closing.note ?? ""}>
          <ToCase id={step.case} />
        </Quoted>
      );
    case "looked":
      return (
        <p>
          <bdi class="who">{step.person ?? say("audit.report.unnamed")}</bdi> ({doer(step.role)}) {say("audit.story.looks")}
        </p>
      );
    default:
      return <Ruled step={step} />;
  }
}

interface QuotedProps {
  who: string | null;
  does: string;
  quote: string;
  children?: ComponentChildren;
}

function Quoted({ who, does, quote, children }: QuotedProps): VNode {
  return (
    <>
      <p>
        {who !== null && <bdi class="who">{who}</bdi>} {does} {children}
      </p>
      {quote !== "" && (
        <p class="audit-says">
          <bdi>{quote}</bdi>
        </p>
      )}
    </>
  );
}

function ToCase({ id }: { id: string }): VNode {
  return <a href={`#case-${id}`}>{say("audit.report.short")}</a>;
}

export function speaker({ from, person }: Schemas["Statement"]): string {
  const who = seatOf(from) === null ? doer(from) : called(from);
  return person == null ? who : `${person} (${who})`;
}

/** The first of its people has proposed it, and the last has carried it out. */
function Ruled({ step: { kind, ruling } }: { step: Step & { kind: "proposed" | "ruled" } }): VNode {
  const who = peopleOf(ruling).slice(0, 1);
  const does = who.length === 0 ? say(`audit.story.${kind}.unnamed`) : say(`audit.story.${kind}`, { count: who.length });
  return (
    <>
      <Quoted
        who={who.length === 0 ? null : joined(who)}
        does={`${does} ${rulingName(ruling)}${kind === "ruled" ? agreement(ruling) : ""}`}
        quote={kind === "ruled" && ruling.proposed !== undefined ? "" : ruling.reason}
      />
      {kind === "proposed" && ruling.status !== "carried_out" && <p class="quiet">{say(`audit.story.${ruling.status}`)}</p>}
      {kind === "ruled" && <Effects ruling={ruling} />}
    </>
  );
}

/** Who proposed a ruling, and who seconded it: as the list of rulings says, or else the record. */
export function peopleOf(ruling: Schemas["RulingShown"]): string[] {
  const asker = ruling.asker === undefined ? [] : [about.seats[ruling.asker] ?? ""];
  const { proposed, seconded } = makers(ruling);
  const found = ruling.by ?? [proposed, seconded].filter((one) => one !== undefined);
  return [...asker, ...found.slice(asker.length).map((name) => name ?? say("audit.report.unnamed"))];
}

function makers(ruling: Schemas["RulingShown"]): Made {
  const line = lineOfRuling(ruling);
  return line === undefined ? { consents: [] } : makersOf(lines.value ?? [], line);
}

/** The event by which everybody is told that a ruling is carried out. */
function lineOfRuling({ n }: Schemas["RulingShown"]): Line | undefined {
  return n === null ? undefined : lines.value?.find(({ type, data }) => type === "match.ruled.1" && data.n === n);
}

/** Who has agreed to a ruling: the person who seconded it, or the seats. */
function agreement(ruling: Schemas["RulingShown"]): string {
  const [, second] = peopleOf(ruling);
  if (second !== undefined) return `, ${say("audit.story.seconded", { name: second })}`;
  const seats = ruling.proposed === undefined && ruling.by !== undefined ? [] : (ruling.consents ?? makers(ruling).consents);
  return seats.length === 0 ? "" : `, ${say("audit.story.consented", { names: joined(seats.map((seat) => about.seats[seat] ?? "")) })}`;
}

/** What is ruled, with its number in the public's count. */
export function rulingName({ kind, n }: Schemas["RulingShown"]): string {
  return n === null ? say(`event.kind.${kind}`) : `${say(`event.kind.${kind}`)} (${n})`;
}

/** What a ruling did, in words, and how much it has undone. */
export function Effects({ ruling }: { ruling: Schemas["RulingShown"] }): VNode {
  const line = lineOfRuling(ruling);
  const corrected = line === undefined ? [] : correctedBy(lines.value ?? [], line);
  const { effects } = ruling;
  return (
    <ul class="audit-effects">
      {corrected.map((one) => (
        <li key={one.id}>
          <Redrawn {...one} />
        </li>
      ))}
      {effects.map((effect, index) => (
        <li key={index}>
          <Happened line={effect} seats={about.seats} cite={cite} />
          <Undone effect={effect} />
        </li>
      ))}
    </ul>
  );
}

/** A draw as it was, and as it is now. */
function Redrawn({ id, labels, was, is }: Corrected): VNode {
  return (
    <>
      {say("audit.story.draw", { draw: id })}{" "}
      {was.map((before, part) => (
        <span key={part}>
          {part > 0 && ", "}
          {labels[part] && `${labels[part].split(" ").map(inWords).join(" ")}: `}
          <del>{inWords(before)}</del> → <ins>{inWords(is[part])}</ins>
        </span>
      ))}
    </>
  );
}

/** An event is named in a ruling by its number in the count of the key's own audience. */
function cite(seq: number): string {
  const line = lineOf(seq);
  return line === undefined ? String(seq) : numbers(line.seq);
}

function Undone({ effect }: { effect: Schemas["RulingShown"]["effects"][number] }): VNode | null {
  if (!effect.type.startsWith("match.rewound.")) return null;
  const { before } = effect.data as Record<string, unknown>;
  const first = lineOf(Number(before));
  const by = first?.undone_by ?? null;
  if (by === null) return null;
  const undone = (lines.value ?? []).filter((line) => line.undone_by === by && !line.housekeeping);
  return (
    <span>
      {" "}
      – {say("audit.story.undone", { count: undone.length })} <a href={`#s${by}`}>{numbers(bySeq.value.get(by)?.seq ?? by)}</a>
    </span>
  );
}
