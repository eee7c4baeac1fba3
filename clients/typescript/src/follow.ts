/** Following a match or a tournament: a stream that is opened again whenever it is cut. */
import { ConnectionLost } from "./errors.js";
import { History } from "./history.js";
import { query, type Http } from "./http.js";
import { lines } from "./lines.js";
import { Retries } from "./retries.js";
import type { Audience, Line, View } from "./types.js";

export interface FollowOptions {
  /** Begin behind this number, or behind a view of the match; by default with the first event. */
  after?: number | View;
  /** As which audience; by default the key's own. */
  as?: Audience;
  /** Is told when the stream is open, and when it was cut and will be opened again. */
  onConnection?: ((open: boolean) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Of what to read every event. */
export interface Source {
  http: Http;
  /** Of the match or the tournament. */
  path: string;
  after: number;
  history: History;
  as: Audience | undefined;
  /** Is given the lines without a number, but not the empty ones. */
  onHint?: ((line: unknown) => void) | undefined;
  onConnection?: ((open: boolean) => void) | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Every event of the audience behind `after`, once, to the end. Throws HistoryWentBack
 * if the operator has gone back to a backup.
 */
export async function* follow(source: Source): AsyncGenerator<Line, void> {
  const { http, path, after, history, as, onHint, onConnection, signal } = source;
  const retries = new Retries(signal);
  let seq = after;
  for (;;) {
    const hangUp = new AbortController();
    const either = signal ? AbortSignal.any([signal, hangUp.signal]) : hangUp.signal;
    try {
      const headers = { Accept: "application/x-ndjson", "Last-Event-ID": String(seq) };
      const answer = await http.open(`${path}/stream${query({ as })}`, { headers, signal: either });
      history.check(answer.headers);
      onConnection?.(true);
      if (answer.status === 204 || answer.body === null) return;
      for await (const line of lines(answer.body, either)) {
        retries.succeeded();
        if (isEnd(line)) return;
        if (line !== null && !isLine(line)) onHint?.(line);
        if (!isLine(line) || line.seq <= seq) continue;
        seq = line.seq;
        yield line;
      }
      throw new ConnectionLost("The stream was cut");
    } catch (error) {
      if (!signal?.aborted) onConnection?.(false);
      await retries.after(error);
    } finally {
      hangUp.abort();
    }
  }
}

function isEnd(line: unknown): boolean {
  return typeof line === "object" && line !== null && "end" in line;
}

/** Whether it is an event, be it one of a type that is not known yet. */
function isLine(line: unknown): line is Line {
  return typeof line === "object" && line !== null && "seq" in line && "type" in line;
}
