/** The latest events, as they were recorded: where a correction begins. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { OpenCase } from "./cases.js";
import { begin, correctionOf } from "./draft.js";
import { isHousekeeping, type AnyLine } from "./lines.js";
import { desk, entered, isPublic, lines, undone } from "./state.js";
import { Recorded } from "./words.js";

const FEW = 12;
const MANY = 300;

/** The record, newest first. */
export function Record(): VNode {
  const all = useSignal(false);
  const told = lines.value.filter((line) => !isHousekeeping(line)).reverse();
  return (
    <section aria-labelledby="record">
      <h2 id="record">{say("table.record")}</h2>
      <ol class="record" reversed>
        {told.slice(0, all.value ? MANY : FEW).map((line) => (
          <li key={line.seq} data-undone={undone.value.has(line.seq)}>
            <Recorded line={line} />
            {undone.value.has(line.seq) ? <span class="quiet">{say("table.record.undone")}</span> : <Corrections line={line} />}
          </li>
        ))}
      </ol>
      {told.length > FEW && !all.value && (
        <p class="row">
          <button type="button" class="plain" onClick={() => (all.value = true)}>
            {say("table.record.more")}
          </button>
        </p>
      )}
    </section>
  );
}

/** How an event can be corrected. */
function Corrections({ line }: { line: AnyLine }): VNode | null {
  if (desk.value?.role !== "moderator" || line.type.startsWith("match.ruled")) return null;
  const drawn = entered.value.some((one) => one.seq === line.seq);
  if (!drawn && (!isPublic(line) || line.type.startsWith("match."))) return null;
  const fields = () => (drawn ? correctionOf(line.seq) : { before: line.seq });
  return (
    <>
      <button type="button" class="small" onClick={() => begin("rewind", fields())}>
        {say(drawn ? "table.record.wrong" : "table.record.back")}
      </button>
      <OpenCase about={line.seq} />
    </>
  );
}
