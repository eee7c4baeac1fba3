import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Ordered } from "@arbiter/client";
import { Store } from "./browser.js";

const MATCH = "0190";
const PURPOSE = `match ${MATCH}` as const;

/** The modules as a page loads them, with these stores. */
async function loaded(session: unknown = new Store(), local: unknown = new Store()) {
  vi.resetModules();
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: () => opened(session) });
  Object.defineProperty(globalThis, "localStorage", { configurable: true, get: () => opened(local) });
  const [keys, storage, receipts] = await Promise.all([
    import("../src/keys.js"),
    import("../src/storage.js"),
    import("../src/kept_receipts.js"),
  ]);
  return { ...keys, ...storage, ...receipts };
}

function opened(store: unknown): unknown {
  if (store instanceof Error) throw store;
  return store;
}

function receipt(seq: number, note: string | null = `note ${seq}`): Ordered {
  return { seq, note } as unknown as Ordered;
}

describe("keys", () => {
  let page: Awaited<ReturnType<typeof loaded>>;

  beforeEach(async () => {
    page = await loaded();
  });

  test("are kept for the tab, or on the device by choice", () => {
    page.keep(PURPOSE, "key");
    expect(page.placeOf(PURPOSE)).toBe(page.tab);
    page.keep(PURPOSE, "key", true);
    expect([page.placeOf(PURPOSE), page.keyFor(PURPOSE)]).toEqual([page.device, "key"]);
    expect(page.tab.names()).toEqual([]);
  });

  test("move with what is kept beside them; another key begins anew", () => {
    page.keep(PURPOSE, "key");
    const kept = new page.KeptReceipts(MATCH, PURPOSE);
    kept.addReceipt(receipt(1));
    page.keep(PURPOSE, "key", true);
    expect(kept.receipts).toEqual([receipt(1)]);
    page.keep(PURPOSE, "another");
    expect(kept.receipts).toEqual([]);
  });

  test("of two seats on one device stand beside each other: one on the device, one in its tab", () => {
    page.keep(PURPOSE, "first", true);
    new page.KeptReceipts(MATCH, PURPOSE).addReceipt(receipt(1));
    page.keep(PURPOSE, "second");
    expect([page.keyFor(PURPOSE), page.device.get(`arbiter key: ${PURPOSE}`)]).toEqual(["second", "first"]);
    page.forget(PURPOSE);
    expect(page.keyFor(PURPOSE)).toBe("first");
    expect(new page.KeptReceipts(MATCH, PURPOSE).receipts).toEqual([receipt(1)]);
  });

  test("are forgotten wherever they are kept, and with what is beside them", () => {
    page.keep("tournament 7", "key", true);
    page.keep(PURPOSE, "key");
    new page.KeptReceipts(MATCH, PURPOSE).addReceipt(receipt(1));
    page.keep("organiser", "other");
    page.forget("tournament 7");
    expect([page.keyFor(PURPOSE), page.keyFor("tournament 7"), page.keyFor("organiser")]).toEqual([undefined, undefined, "other"]);
    expect(page.tab.names()).toEqual(["arbiter key: organiser"]);
  });

  test("of seats lead back to their matches, the latest first", () => {
    for (const match of ["0190", "0192", "0191"]) page.keep(`match ${match}`, `arb_s1_${match}`, match !== "0191");
    page.keep("match 0193", "arb_mod_key");
    page.keep("tournament 0194", "arb_p_key");
    expect(page.ownMatches()).toEqual(["0192", "0191", "0190"]);
  });

  test("that are renewed leave what is beside them", () => {
    page.keep(PURPOSE, "key", true);
    const kept = new page.KeptReceipts(MATCH, PURPOSE);
    kept.addReceipt(receipt(1));
    page.replace(PURPOSE, "renewed");
    expect([page.keyFor(PURPOSE), kept.receipts]).toEqual(["renewed", [receipt(1)]]);
  });
});

describe("receipts", () => {
  test("that come again are kept once; those of one key for several matches stay apart", async () => {
    const page = await loaded();
    page.keep("organiser", "key");
    const [kept, other] = [new page.KeptReceipts(MATCH, "organiser"), new page.KeptReceipts("0191", "organiser")];
    for (const one of [receipt(1), receipt(1), receipt(2, null), receipt(2, null), receipt(3, null)]) kept.addReceipt(one);
    expect(kept.receiptCount.value).toBe(3);
    expect(other.receiptCount.value).toBe(0);
  });

  test("of another tab are counted", async () => {
    const page = await loaded();
    page.keep(PURPOSE, "key");
    const [here, there] = [new page.KeptReceipts(MATCH, PURPOSE), new page.KeptReceipts(MATCH, PURPOSE)];
    there.addReceipt(receipt(1));
    here.countReceipts();
    expect(here.receiptCount.value).toBe(1);
  });

  test("an error that is no contradiction goes on", async () => {
    const page = await loaded();
    expect(() => new page.KeptReceipts(MATCH, PURPOSE).contradict(new Error("away"))).toThrow("away");
  });
});

describe("a browser that keeps nothing", () => {
  test.each([
    ["is full", new Store(0)],
    ["is blocked", new DOMException("denied", "SecurityError")],
  ])("%s: the page keeps it, and says that a reload loses it", async (_, store) => {
    const page = await loaded(store, store);
    expect(page.unkept.value).toBe(false);
    page.keep(PURPOSE, "key");
    expect([page.keyFor(PURPOSE), page.unkept.value]).toEqual(["key", true]);
    page.forget(PURPOSE);
    expect([page.keyFor(PURPOSE), page.tab.names()]).toEqual([undefined, []]);
  });
});
