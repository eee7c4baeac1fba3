/** A tournament as it goes on, and what whoever has a key does there. */
import { ArbiterError } from "@arbiter/client";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { given, say } from "../given.js";
import { forget } from "../keys.js";
import { mount } from "../mount.js";
import { part } from "../part.js";
import { finishedRenewal } from "../renewal.js";
import { service } from "../service.js";
import { AskForKey } from "../tournament/ask_key.js";
import { bearer, known, type Bearer } from "../tournament/bearer.js";
import { readCup, type Cup } from "../tournament/cup.js";
import { live } from "../tournament/live.js";
import { madeOwn } from "../tournament/own_key.js";
import { Shown } from "../tournament/shown.js";
import { Part } from "../tournament/titled.js";
import type { KnownRounds } from "../tournament/stage_read.js";

const { tournament: id, seq, verifier, qr } = given<{ tournament: string; seq: number; verifier: string; qr: string }>();
const whose = signal<Bearer | null>(known(id));
const cup = signal<Cup | null>(null);

/** Rounds that are closed, until a ruling may have changed their results. */
let closed: KnownRounds = new Map();
let ruled = -1;

/** Reads as everybody, or with the key that there is; one that is good no longer is forgotten. */
async function read(): Promise<void> {
  const by = whose.peek();
  try {
    const found = await readCup(by?.arbiter ?? service(), id, closed);
    if (by === whose.peek()) cup.value = found;
    await readAgain(found);
  } catch (error) {
    if (by === null || !(error instanceof ArbiterError && error.status === 401)) throw error;
    // Renewed meanwhile, it is not forgotten.
    if (by !== whose.peek()) return read();
    // It may have been renewed by a request whose answer was lost.
    const made = await finishedRenewal(by.purpose, by.key);
    if (made === null) forget(by.purpose);
    madeOwn.value = made;
    whose.value = made === null ? null : bearer(id, made);
    await read();
  }
}

/** Reads closed rounds again behind a ruling. */
async function readAgain({ rulings }: Cup): Promise<void> {
  const carriedOut = rulings.filter((one) => one.status === "carried_out").length;
  const isNew = ruled !== -1 && carriedOut !== ruled;
  ruled = carriedOut;
  if (!isNew) return;
  closed = new Map();
  await read();
}

function Live(): VNode | null {
  return cup.value && <Shown cup={cup.value} arbiter={whose.value?.arbiter ?? service()} verifier={verifier} qr={qr} />;
}

/** The desk is for those who have a key: others do not load it. */
const desk = signal<typeof import("../tournament/desk.js") | null>(null);

async function loadDesk(): Promise<void> {
  desk.value ??= await part(import("../tournament/desk.js"));
}

function AtDesk(): VNode | null {
  const by = whose.value;
  if (cup.value === null || (by !== null && desk.value === null)) return null;
  return (
    <Part id="for-whom" title={say("tournament.desk")}>
      {by === null || desk.value === null ? (
        <AskForKey id={id} about={say("tournament.ledger.whose")} given={(found) => (whose.value = found)} />
      ) : (
        <desk.value.Desk cup={cup.value} by={by} whose={whose} changed={read} />
      )}
    </Part>
  );
}

/** What needs those who run the event comes before everything else. */
function NeedsNow(): VNode | null {
  const by = whose.value;
  if (cup.value === null || by === null || by.role === "player" || desk.value === null) return null;
  return <desk.value.Needs cup={cup.value} by={by} changed={read} />;
}

function show(place: string, part: VNode): void {
  mount(document.getElementById(place)!, part);
}

let begun = false;

/** Takes the place of what came without a script, once all is read. */
function begin(): void {
  if (begun) return;
  begun = true;
  show("shown", <Live />);
  show("needs-now", <NeedsNow />);
  show("desk", <AtDesk />);
  // With a key there is more to read, and without it less.
  whose.subscribe((by) => {
    if (by !== null) void loadDesk();
    void read();
  });
}

/** With so many matches at most everything that happens in them is read at once. */
const FEW = 32;

live({
  id,
  seq,
  isNear: () => (cup.peek()?.pairings.filter((one) => one.status === "running").length ?? 0) <= FEW,
  async read() {
    await read();
    begin();
  },
});
