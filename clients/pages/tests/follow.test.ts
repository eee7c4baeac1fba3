import { Arbiter } from "@arbiter/client";
import { expect, test } from "vitest";

test("an empty line of a stream only shows that it is open: nobody is told", async () => {
  const grown = { type: "match-grown", data: { match: "m", public_seq: 3 } };
  const line = { seq: 1, public_seq: 1, at: "2026-11-21T14:00:00Z", type: "tournament.created.1", data: {} };
  const body = ["", JSON.stringify(grown), "", JSON.stringify(line), JSON.stringify({ end: true }), ""].join("\n");
  const arbiter = new Arbiter({ url: "http://127.0.0.1", fetch: () => Promise.resolve(new Response(body)) });
  const told: unknown[] = [];
  for await (const one of arbiter.tournament("t").follow({ onGrown: (hint) => told.push(hint) })) told.push(one.seq);
  expect(told).toEqual([grown.data, 1]);
});
