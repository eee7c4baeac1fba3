/** Sheets to print and hand out: each with a key or a link that is shown this once. */
import { signal, useSignal } from "@preact/signals";
import type { Arbiter } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "./given.js";
import { invite } from "./invite.js";
import { Moment } from "./parts.js";
import { QrPicture } from "./qr_picture.js";

interface Lost {
  /** The request by which an organiser issues another key. */
  request: string;
  /** What helps until then. */
  meanwhile?: string | undefined;
}

export interface Sheet {
  /** Whose it is. */
  name: string;
  /** As what they take part. */
  role: string;
  /** Of which tournament or match. */
  of: string;
  /** Where to go with it. */
  link: string;
  /** The link as a picture: an SVG document of the service. */
  qr?: string | null;
  /** A key, for those who have no invitation. */
  secret?: string | null;
  /** Until when the link is good. */
  until?: string;
  /** What to know of the key. */
  hint?: string | undefined;
  /** What to do without the key: the answer that had it was lost on its way. */
  lost?: Lost | undefined;
}

/** What is shown now. It is kept nowhere else. */
const sheets = signal<Sheet[]>([]);

/** Shows sheets, below those that have not been put away. A new link takes the place of the one before. */
export function handOut(...more: Sheet[]): void {
  sheets.value = [...sheets.value.filter((old) => !more.some((sheet) => isLinkFor(sheet, old))), ...more];
}

/** Whether both are links for the same person, as the same. */
function isLinkFor(one: Sheet, other: Sheet): boolean {
  const isLink = one.secret == null && other.secret == null;
  return isLink && one.name === other.name && one.role === other.role && one.of === other.of;
}

/** Puts all sheets away, if whoever has them agrees: with the key nobody keeps them. Whether they are away. */
export function putAway(): boolean {
  const may = sheets.value.length === 0 || confirm(say("organise.sheets.forget"));
  if (may) sheets.value = [];
  return may;
}

/** The sheet with which the holder of a seat is invited. */
export async function invitation(arbiter: Arbiter, match: string, seat: number, of: string): Promise<Sheet> {
  const made = await invite(arbiter, match, seat);
  const role = say("organise.sheet.seat", { seat: seat + 1 });
  return { name: made.name, role, of, link: made.link, qr: made.qr, until: made.expires };
}

/** All sheets, with what is to be known before they are gone. */
export function Sheets(): VNode | null {
  const heading = useRef<HTMLHeadingElement>(null);
  const there = sheets.value.length > 0;
  useEffect(() => heading.current?.focus(), [sheets.value]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (there) addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [there]);
  if (!there) return null;
  return (
    <section class="sheets" aria-labelledby="sheets">
      <h2 id="sheets" tabIndex={-1} ref={heading}>
        {say("organise.sheets")}
      </h2>
      <p class="notice">{say("organise.sheets.once")}</p>
      <p class="doors">
        <button type="button" onClick={() => print()}>
          {say("organise.sheets.print")}
        </button>
        <button type="button" class="plain" onClick={() => (sheets.value = [])}>
          {say("organise.sheets.done")}
        </button>
      </p>
      {sheets.value.map((sheet, index) => (
        <OneSheet key={index} {...sheet} />
      ))}
    </section>
  );
}

function OneSheet({ name, role, of, link, qr, secret, until, hint, lost }: Sheet): VNode {
  return (
    <article class="sheet">
      <div>
        <p class="quiet">
          <bdi>{of}</bdi>
        </p>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <p>{role}</p>
        {qr && <p>{say("organise.sheet.scan")}</p>}
        <dl class="facts">
          <div>
            <dt>{say("organise.sheet.link")}</dt>
            <dd class="code">{link}</dd>
            {navigator.clipboard !== undefined && (
              <dd>
                <Copy text={link} name={name} />
              </dd>
            )}
          </div>
          {secret && (
            <div>
              <dt>{say("organise.sheet.key")}</dt>
              <dd class="code">{secret}</dd>
              {navigator.clipboard !== undefined && (
                <dd>
                  <Copy text={secret} name={`${say("organise.sheet.key")}, ${name}`} />
                </dd>
              )}
            </div>
          )}
          {until !== undefined && (
            <div>
              <dt>{say("organise.sheet.until")}</dt>
              <dd>
                <Moment at={until} />
              </dd>
            </div>
          )}
        </dl>
        {hint !== undefined && <p class="quiet">{hint}</p>}
        {lost && <KeyLost {...lost} />}
      </div>
      {qr && <QrPicture svg={qr} name={say("organise.sheet.qr", { name })} />}
    </article>
  );
}

function Copy({ text, name }: { text: string; name: string }): VNode {
  const copied = useSignal(false);
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${say("copy")}: ${name}`}
      onClick={() => void navigator.clipboard.writeText(text).then(() => (copied.value = true))}
    >
      {say(copied.value ? "copied" : "copy")}
    </button>
  );
}

function KeyLost({ request, meanwhile }: Lost): VNode {
  return (
    <div class="notice">
      <p>{say("organise.sheet.lost")}</p>
      <p class="code">POST {request}</p>
      {meanwhile && <p>{meanwhile}</p>}
    </div>
  );
}
