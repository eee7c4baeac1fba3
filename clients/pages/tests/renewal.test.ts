import { expect, test, vi } from "vitest";

const KEYS = "/v1/keys/renew";

/** What is asked while a renewal of the key `old` is not answered, by the keys with which it is sent. */
async function askedMeanwhile(status: number, body: object): Promise<string[]> {
  const asked: string[] = [];
  let answered: (answer: Response) => void = () => undefined;
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("fetch", async (address: string, { headers }: RequestInit) => {
    if (address.endsWith(KEYS)) return new Promise<Response>((resolve) => (answered = resolve));
    asked.push(new Headers(headers).get("Authorization") ?? "nobody");
    return Response.json([]);
  });
  vi.resetModules();
  const { service, renewKey } = await import("../src/service.js");
  const renewal = renewKey("old", "request").catch(() => undefined);
  const games = [service("old"), service("other"), service()].map((one) => one.request("/x"));
  await Promise.all(games.slice(1));
  expect(asked).toEqual(["Bearer other", "nobody"]);
  answered(Response.json(body, { status }));
  await Promise.all([renewal, ...games]);
  return asked.slice(2);
}

test("what is asked with a key that is being renewed is asked with the new one", async () => {
  expect(await askedMeanwhile(201, { key: "new" })).toEqual(["Bearer new"]);
});

test("or with the same one if nothing came of it", async () => {
  expect(await askedMeanwhile(403, { code: "not_allowed" })).toEqual(["Bearer old"]);
});
