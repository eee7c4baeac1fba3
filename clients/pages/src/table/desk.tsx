/** The whole table. */
import type { ComponentType, VNode } from "preact";
import type { Shown } from "../board.js";
import { changes } from "../changes.js";
import { say } from "../given.js";
import { Contradiction, Receipts } from "../receipts.js";
import { Cases } from "./cases.js";
import { Problem, useDoing } from "./doing.js";
import { Invited, invited } from "./invited.js";
import { Judges } from "./judges.js";
import { NewKeys } from "./new_keys.js";
import { Now } from "./now.js";
import { Record } from "./record.js";
import { Renewal } from "./renewal.js";
import { Ruling } from "./ruling.js";
import { Rulings } from "./rulings.js";
import { Readers, Seats } from "./seats.js";
import { Limits, SignedIn, SignIn, Waiting } from "./signing.js";
import { desk, isOpen, readReceipts, seen, trying, type Desk } from "./state.js";

type Boards = { Board: ComponentType<Shown> };

/** Asks for the key, or shows what it opens. New keys to seats stay when that key has ended. */
export function Table({ Board }: Boards): VNode {
  return (
    <>
      <Opened Board={Board} />
      <NewKeys />
    </>
  );
}

function Opened({ Board }: Boards): VNode {
  if (invited.value !== null) return <Invited token={invited.value} />;
  if (trying.value !== null) return <Waiting />;
  if (!isOpen.value || desk.value === null) return <SignIn />;
  return (
    <>
      <SignedIn />
      <Contradiction kept={desk.value.kept} />
      <Limits />
      <Renewal />
      <div class="desk">
        <Now />
        <aside>
          <Seats />
          <Judges />
          <Readers />
          <Signed desk={desk.value} />
        </aside>
        <Seen Board={Board} />
        <Record />
      </div>
      <div class="decided">
        <Cases />
        <Rulings Board={Board} />
      </div>
      <Ruling Board={Board} />
    </>
  );
}

/** The receipts for what was ordered, from elsewhere too. */
function Signed({ desk: { kept, match } }: { desk: Desk }): VNode {
  const doing = useDoing();
  return (
    <>
      <Receipts kept={kept} unchecked={match.unchecked} onOpen={() => void doing.run(readReceipts)} />
      <Problem of={doing} />
    </>
  );
}

/** The board as who sits here sees it. */
function Seen({ Board }: Boards): VNode | null {
  if (seen.value === null) return null;
  const { view, before } = seen.value;
  return (
    <section class="board" aria-labelledby="board">
      <h2 id="board">{say(`table.board.${view.audience === "moderator" ? "moderator" : "public"}`)}</h2>
      {view.view === null ? (
        <p class="quiet">{say("match.not_begun")}</p>
      ) : (
        <Board {...view} view={view.view} changed={changes(before?.view, view.view)} />
      )}
    </section>
  );
}

