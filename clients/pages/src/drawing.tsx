/** What the boards of several games draw in the same way. */
import type { ComponentChildren, VNode } from "preact";
import type { Shown } from "./board.js";
import { say } from "./given.js";

/** The names of those classes that apply. */
export function classes(...names: (string | false)[]): string {
  return names.filter(Boolean).join(" ");
}

/** The seat as which a board is read; null for the public and moderators. */
export function ownSeat(audience: string): number | null {
  return audience.startsWith("seat:") ? Number(audience.slice("seat:".length)) : null;
}

/** Who has to act, as a text says it of others; to that seat itself the text `….you` says it. */
export function whoActs(text: string, seat: number | null, { seats, audience }: Pick<Shown, "seats" | "audience">, values: Record<string, string | number> = {}): string {
  const isOwn = seat !== null && ownSeat(audience) === seat;
  return say(isOwn ? `${text}.you` : text, { ...values, name: seat === null ? "" : (seats[seat] ?? "") });
}

/** The colour of a seat, as a property of a style. */
export function seatColour(seat: number): Record<string, string> {
  return { "--seat": `var(--seat-${seat % 6})` };
}

/** What only this audience sees, in a frame. For moderators `PrivateLegend` says so once. */
export function Private({ audience, children }: { audience: string; children: ComponentChildren }): VNode {
  const isOwn = ownSeat(audience) !== null;
  const name = say(isOwn ? "board.only_you" : "board.only_moderators");
  return (
    <div class="private" role="group" aria-label={name}>
      {isOwn && (
        <p class="private-note" aria-hidden="true">
          {name}
        </p>
      )}
      {children}
    </div>
  );
}

/** What the frames of a moderator's board mean. */
export function PrivateLegend({ audience }: { audience: string }): VNode | null {
  if (audience !== "moderator") return null;
  return (
    <p class="private-legend">
      <span class="private">{say("board.only_moderators")}</span>
    </p>
  );
}

/** Read aloud only: what others see from a drawing. */
export function Unseen({ children }: { children: ComponentChildren }): VNode {
  return <span class="unseen">{children}</span>;
}

/** What came of the round before, in one line above the board until the next has got going. A game brings its words. */
export function RoundOver({ text, isNew }: { text: string; isNew: boolean }): VNode {
  return (
    <p class="round-over" role="status" data-changed={isNew}>
      {text}
    </p>
  );
}
