/** The game of a match that is to be created, and how many seats it is to have. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { batch, signal } from "@preact/signals";
import { reason } from "./trouble.js";

export class ChosenGame {
  readonly games = signal<Schemas["GameSummary"][]>([]);
  /** The id of the one that is chosen. */
  readonly id = signal("");
  /** Its rules; while they load, those of the game before. */
  readonly rules = signal<Schemas["GameAnswer"] | null>(null);
  readonly seats = signal(0);
  /** The number of seats as it stands in its field: for a moment it may be none. */
  readonly typed = signal("");
  /** Why there are no rules of the one that was chosen last. */
  readonly trouble = signal("");

  constructor(readonly arbiter: Arbiter) {}

  /** Whether what is shown is of the game that is chosen. */
  get ready(): boolean {
    return this.rules.value?.id === this.id.value;
  }

  async begin(): Promise<void> {
    try {
      this.games.value = await this.arbiter.games();
    } catch (error) {
      this.trouble.value = reason(error);
      return;
    }
    await this.choose(this.games.value[0]!.id);
  }

  /** Goes back to the game before if the rules cannot be had. */
  async choose(id: string): Promise<void> {
    this.id.value = id;
    this.trouble.value = "";
    try {
      const found = await this.arbiter.game(id);
      // Meanwhile another may have been chosen.
      if (this.id.peek() === id) this.#take(found);
    } catch (error) {
      if (this.id.peek() !== id) return;
      this.id.value = this.rules.peek()?.id ?? id;
      this.trouble.value = reason(error);
    }
  }

  #take(found: Schemas["GameAnswer"]): void {
    const [least, most] = found.seats;
    batch(() => {
      this.rules.value = found;
      this.seats.value = Math.min(Math.max(this.seats.peek(), least), most);
      this.typed.value = String(this.seats.peek());
    });
  }

  /** Takes the number of seats if the game can have so many. */
  type(text: string): void {
    this.typed.value = text;
    const [least, most] = this.rules.peek()?.seats ?? [0, 0];
    const wanted = Number(text);
    if (Number.isInteger(wanted) && wanted >= least && wanted <= most) this.seats.value = wanted;
  }
}
