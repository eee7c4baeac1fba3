/** A result that was entered by hand, where nothing was played on the board. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { say } from "../given.js";
import { joined, Notice } from "../parts.js";
import { service } from "../service.js";
import { page } from "./watch.js";

/** By whom, once everybody may know it. */
export function Entered(): VNode {
  const names = useSignal<string[]>([]);
  useEffect(() => void enteredBy().then((found) => (names.value = found), reportError), []);
  return <Notice>{names.value.length === 0 ? say("match.entered") : say("match.entered.by", { names: joined(names.value) })}</Notice>;
}

async function enteredBy(): Promise<string[]> {
  const pages = await service().pages<Schemas["RulingList"]>(`/matches/${page.match.id}/rulings`);
  const ruled = pages.flatMap((one) => one.rulings).filter((one) => one.kind === "result").at(-1);
  return [...new Set((ruled?.by ?? []).flatMap((name) => name ?? []))];
}
