/** The verifier of `/verify`, loaded when a match is judged in place. */
import { part } from "../part.js";
import { below } from "../root.js";

export type Status = "PASS" | "FAIL" | "SEALED" | "MANUAL" | "NOT JUDGED";

export interface Report {
  /** Of the evidence alone: the verifier judges no rules. */
  verdict: "HOLDS" | "FAIL" | "SEALED";
  finding: { claim: string; text: string } | null;
  claims: { claim: string; status: Status; text: string }[];
  size: number | null;
  sealed: number | null;
}

/** An event as a verifier reads it; null if it is sealed. */
type Stored = { event: { type: string; seats?: number } } | null;

interface Drawn {
  index: number;
  event: { id: string };
}

interface Epoch {
  committed: { epoch: number };
  seed: Uint8Array | null;
  drawn: Drawn[];
}

interface Modules {
  judge(
    bundle: Uint8Array,
    keys: string[],
    besides: { onClaim(judged: { claim: string }): Promise<void> | void },
  ): Promise<{ report: Report; records: Stored[] }>;
  seeds: {
    epochsOf(events: { index: number; event: object }[], seats: number): Epoch[];
    /** Throws for a draw that does not follow from its seed. */
    checkDraw(epoch: Epoch, drawn: Drawn): void;
  };
}

/** Whether a draw follows from its seed, which may not be revealed; `wrong` says why it does not. */
export interface DrawVerdict {
  seed: boolean;
  wrong: string | null;
}

export interface Judged {
  report: Report;
  /** By the numbers that the bundle's audience has for the draws. */
  draws: Map<number, DrawVerdict>;
}

/** Judges a bundle by these public keys with the modules at an address; `onClaim` is told each claim that was judged. */
export async function judge(address: string, bundle: Uint8Array, keys: string[], onClaim: (claim: string) => void): Promise<Judged> {
  const modules = await loaded(address);
  const told = async ({ claim }: { claim: string }): Promise<void> => {
    onClaim(claim);
    // What was said is shown before the next claim is judged.
    await new Promise(requestAnimationFrame);
  };
  const { report, records } = await modules.judge(bundle, keys, { onClaim: told });
  return { report, draws: drawsOf(modules, records) };
}

async function loaded(address: string): Promise<Modules> {
  await part(import(below(address)));
  return (globalThis as unknown as { Arbiter: Modules }).Arbiter;
}

function drawsOf({ seeds }: Modules, records: Stored[]): Map<number, DrawVerdict> {
  const events = records.flatMap((record, index) => (record === null ? [] : [{ index, event: record.event }]));
  const numbers = new Map(events.map(({ index }, place) => [index, place + 1]));
  const verdicts = new Map<number, DrawVerdict>();
  for (const epoch of epochs(seeds, events)) {
    for (const drawn of epoch.drawn) {
      verdicts.set(numbers.get(drawn.index) ?? 0, { seed: epoch.seed !== null, wrong: wrong(seeds, epoch, drawn) });
    }
  }
  return verdicts;
}

/** None where what is on record of seeds does not fit together: the report says so. */
function epochs(seeds: Modules["seeds"], events: { index: number; event: { seats?: number } }[]): Epoch[] {
  try {
    return seeds.epochsOf(events, events[0]?.event.seats ?? 0);
  } catch {
    return [];
  }
}

function wrong(seeds: Modules["seeds"], epoch: Epoch, drawn: Drawn): string | null {
  try {
    seeds.checkDraw(epoch, drawn);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
