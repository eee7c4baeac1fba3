// A match as one audience sees it, for a page of your own. It has no rules in it.

const PAUSE = 1000; // milliseconds before a stream that was cut is opened again

const LATER = [429, 503]; // answers that say: ask again later

function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Refused extends Error {
  /** @param problem the body of an error: `code` is for programs, `title` for people. */
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }
}

export class Match {
  /** @param key a seat's or a moderator's key; without one this is what the public sees. */
  constructor(api, id, key) {
    this.url = `${api}/matches/${id}`;
    this.headers = key ? { Authorization: `Bearer ${key}` } : {};
  }

  async fetch(path, options = {}) {
    const headers = { ...this.headers, ...options.headers };
    const answer = await fetch(this.url + path, { ...options, headers });
    if (!answer.ok) throw new Refused(await answer.json());
    return answer;
  }

  /** What this audience sees now, or after its first `at` events. */
  async view(at) {
    return (await this.fetch(at === undefined ? "/view" : `/view?at=${at}`)).json();
  }

  /** What the seat may do now. */
  async menu() {
    return (await (await this.fetch("/actions")).json()).actions;
  }

  /** Sends an action. Use the same `name` when you send it again: then it counts once. */
  async act(action, name = newName()) {
    const headers = { "Idempotency-Key": name };
    const body = JSON.stringify(action);
    return (await this.fetch("/actions", { method: "POST", headers, body })).json();
  }

  /** Every event after number `seq`, as it happens, to the end of the match. */
  async *events(seq) {
    for (;;) {
      try {
        for await (const event of this.lines(seq)) {
          seq = event.seq;
          yield event;
        }
        if (["ended", "void"].includes((await this.view()).status)) return;
      } catch (error) {
        if (error instanceof Refused && !LATER.includes(error.problem.status)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async *lines(seq) {
    const headers = { Accept: "application/x-ndjson" };
    const answer = await this.fetch(`/stream?after=${seq}`, { headers });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) yield JSON.parse(line);
      }
    } finally {
      await reader.cancel();
    }
  }
}

/** The form for a menu entry: the fields to ask for, each with its JSON Schema and an example. */
export function fields(entry) {
  return Object.entries(entry.schema.properties)
    .filter(([name]) => name !== "type")
    .map(([name, schema]) => ({ name, schema, example: entry.examples[0][name] }));
}
