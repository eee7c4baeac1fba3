/** A message of the browser's own at this seat's turn, for those who ask for it, also while no page is open. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { service } from "../service.js";
import { reason } from "../trouble.js";
import type { Kept } from "./kept.js";

const WEBHOOKS = "/webhooks";

/** Where the worker finds which matches it tells of. */
const TURNS = "turns";

export function Push({ kept, seat }: { kept: Kept; seat: number | null }): VNode | null {
  const isOn = useSignal(kept.push !== null);
  const told = useSignal("");
  if (seat === null || !("PushManager" in window) || navigator.serviceWorker === undefined) return null;
  async function choose(on: boolean): Promise<void> {
    told.value = "";
    try {
      await (on ? ask(kept, seat as number) : stop(kept));
    } catch (error) {
      told.value = error instanceof DOMException ? say("play.push.refused") : reason(error);
    }
    isOn.value = kept.push !== null;
  }
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isOn.value} onChange={(event) => void choose(event.currentTarget.checked)} />
        {say("play.push")}
      </label>
      <p class="wrong" role="status">
        {told.value}
      </p>
    </>
  );
}

/** Subscribes this browser, and has the service tell it of the turns of the seat. Throws DOMException where its reader does not allow it. */
async function ask(kept: Kept, seat: number): Promise<void> {
  const holder = service(kept.key);
  const { push_key } = (await holder.request<Schemas["WebhookList"]>(WEBHOOKS)).data;
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  const options = { userVisibleOnly: true, applicationServerKey: push_key };
  // One that was made with a key of before is worth nothing any more.
  const { endpoint } = await pushManager.subscribe(options).catch(async (error: unknown) => {
    if (before === null || !(await before.unsubscribe())) throw error;
    return pushManager.subscribe(options);
  });
  const body = { url: endpoint, match: kept.match, seat, push: true };
  await (await caches.open(TURNS)).put(location.pathname, new Response());
  kept.push = (await holder.request<Schemas["RegisteredWebhook"]>(WEBHOOKS, { method: "POST", body })).data.id;
}

/** Has the service tell this browser no more of the seat. */
export async function stop(kept: Kept): Promise<void> {
  const { push, key } = kept;
  if (push === null) return;
  kept.push = null;
  await (await caches.open(TURNS)).delete(location.pathname);
  await service(key).request(`${WEBHOOKS}/${push}`, { method: "DELETE" });
}
