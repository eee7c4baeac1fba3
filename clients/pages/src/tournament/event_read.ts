/** What pages of an event that only show something read of it. */
import { signal, type Signal } from "@preact/signals";
import type { Schemas } from "@arbiter/client";
import { service } from "../service.js";
import { live } from "./live.js";
import { readStages, type KnownRounds, type StageRead } from "./stage_read.js";

export interface Event {
  shown: Schemas["TournamentAnswer"];
  names: string[];
  stages: StageRead[];
}

/** The event as everybody sees it, from now on; null until it is read. */
export function followed(id: string, seq: number): Signal<Event | null> {
  const event = signal<Event | null>(null);
  const closed: KnownRounds = new Map();
  async function read(): Promise<void> {
    const arbiter = service();
    const { data: shown } = await arbiter.request<Schemas["TournamentAnswer"]>(`/tournaments/${id}`);
    const stages = await readStages(arbiter, id, closed);
    event.value = { shown, names: shown.players.map((one) => one.name), stages };
  }
  live({ id, seq, read, isNear: () => false });
  return event;
}
