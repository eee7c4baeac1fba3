/** The time line: where in the match one is, and the ways through it, by hand or by keys. */
import { effect } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { say } from "../given.js";
import { pace, PACES, playing, toggle } from "./player.js";
import { anyLine } from "../table/lines.js";
import { turningPoints, type Moves } from "./moves.js";
import { below } from "../root.js";
import { at, go, left, numbers, page, reading, wanted } from "./watch.js";

const FIRST = "M5 4v16M19 5 8 12l11 7z";
const BACK = "M16 5 6 12l10 7z";
const PLAY = "M7 4v16l13-8z";
const PAUSE = "M7 4h4v16H7zM14 4h4v16h-4z";
const ON = "m8 5 10 7-10 7z";
const LATEST = "M19 4v16M5 5l11 7-11 7z";

/** Keys that are written in every language in the same way. */
const SIGNS: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→" };

/** The marks of where a match turned. */
const TURNS = "match-turns";

export function TimeLine({ moves }: { moves: Moves | undefined }): VNode | null {
  const last = reading.value?.last.value ?? 0;
  if (last === 0) return null;
  const here = wanted.value;
  const isLive = at.value === null;
  const turned = turns(moves);
  return (
    <nav class="timeline" aria-label={say("match.position")}>
      <div class="match-ways">
        <Way name="first" shape={FIRST} shortcut="Home" off={here <= 1} go={() => jump(1)} />
        <Way name="back" shape={BACK} shortcut="ArrowLeft" off={here <= 1} go={() => jump(here - 1)} />
        <Way name={playing.value ? "pause" : "play"} shape={playing.value ? PAUSE : PLAY} shortcut="Space" go={toggle} main />
        <Way name="on" shape={ON} shortcut="ArrowRight" off={here >= last} go={() => jump(here + 1)} />
        <Way name="last" shape={LATEST} shortcut="End" off={isLive} go={() => jump(null)} />
      </div>
      <label class="match-slide">
        <span class="unseen">{say("match.position")}</span>
        <input
          type="range"
          min={1}
          max={last}
          value={here}
          list={TURNS}
          aria-valuetext={say("match.position.of", { count: here, last })}
          onInput={(event) => jump(event.currentTarget.valueAsNumber)}
        />
        <datalist id={TURNS}>
          {turned.map((seq) => (
            <option key={seq} value={seq} />
          ))}
        </datalist>
      </label>
      <span class="match-where">{say("match.position.of", { count: here, last })}</span>
      <Pace />
      {reading.value?.audience === "public" && turned.length > 0 && <Pictures turned={turned} />}
    </nav>
  );
}

/** Where the match turned, as far as it has been read and stands. */
function turns(moves: Moves | undefined): number[] {
  const lines = (reading.value?.lines() ?? []).map(anyLine);
  return turningPoints(lines.filter(({ seq }) => !left.value.has(seq)), moves);
}

/** The board at each turning point, as a way there. */
function Pictures({ turned }: { turned: number[] }): VNode {
  return (
    <details class="match-pictures">
      <summary>{say("match.turns.all", { count: turned.length })}</summary>
      <ol class="scrolled">
        {turned.map((seq) => (
          <li key={seq}>
            <Link to={seq} current={seq === wanted.value}>
              <img src={below(`/m/${page.match.id}/board.svg?at=${seq}`)} alt="" width="160" height="84" loading="lazy" />
              {numbers(seq)}
            </Link>
          </li>
        ))}
      </ol>
    </details>
  );
}

interface WayProps {
  name: string;
  shape: string;
  /** The key that does the same. */
  shortcut: string;
  off?: boolean;
  main?: boolean;
  go: () => void;
}

function Way({ name, shape, shortcut, off = false, main = false, go }: WayProps): VNode {
  const text = say(`match.${name}`);
  // `aria-disabled` keeps the focus where it is at either end.
  return (
    <button
      type="button"
      class={main ? "match-way main" : "match-way"}
      aria-label={text}
      aria-keyshortcuts={shortcut}
      aria-disabled={off}
      title={say("match.by_shortcut", { what: text, key: SIGNS[shortcut] ?? say(`match.shortcut.${shortcut}`) })}
      onClick={() => off || go()}
    >
      <Icon shape={shape} />
    </button>
  );
}

function Icon({ shape }: { shape: string }): VNode {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={shape} fill="currentColor" stroke="currentColor" stroke-width="2" stroke-linejoin="round" />
    </svg>
  );
}

function Pace(): VNode {
  return (
    <label class="match-pace">
      <span class="unseen">{say("match.pace")}</span>
      <select value={pace.value} onChange={(event) => (pace.value = Number(event.currentTarget.value))}>
        {PACES.map((one) => (
          <option key={one} value={one}>
            {say("match.pace.of", { pace: one })}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Goes there by hand: what was played stops. */
export function jump(to: number | null): void {
  playing.value = false;
  go(to);
}

/** A link to a position, which goes there without reading the page again. */
export function Link(props: { to: number; class?: string; current?: boolean; children: ComponentChildren }): VNode {
  const { to, current = false, children } = props;
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    jump(to);
  };
  return (
    <a class={props.class} href={address(to)} aria-current={current ? "step" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

/** The address of a position, of what is seen as this audience; null of where the match is. */
export function address(to: number | null): string {
  const as = reading.value?.audience ?? "public";
  const asked = new URLSearchParams();
  if (to !== null) asked.set("at", String(to));
  if (to !== null || as !== "public") asked.set("as", as);
  return `?${asked.toString().replaceAll("%3A", ":")}`;
}

/** Keeps the address that of what is shown, once the reader stays there. */
export function keepAddress(): void {
  effect(() => {
    const here = address(at.value);
    if (reading.value === null) return;
    const keeping = setTimeout(() => history.replaceState(null, "", here === "?" ? location.pathname : here), 150);
    return () => clearTimeout(keeping);
  });
}

const KEYS: Record<string, () => void> = {
  ArrowLeft: () => jump(wanted.peek() - 1),
  ArrowRight: () => wanted.peek() < (reading.peek()?.last.peek() ?? 0) && jump(wanted.peek() + 1),
  Home: () => jump(1),
  End: () => jump(null),
  " ": toggle,
};

/** Goes by keys, unless the reader types, chooses, or presses what has the focus. */
export function listen(): void {
  document.addEventListener("keydown", (event) => {
    const does = KEYS[event.key];
    if (does === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (isUsed(event.target, event.key)) return;
    event.preventDefault();
    does();
  });
}

function isUsed(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input[type=range]")) return false;
  if (target.closest("input, select, textarea, [contenteditable]")) return true;
  if (key.startsWith("Arrow") && isScrolled(target)) return true;
  return key === " " && target.closest("a, button, summary") !== null;
}

/** Whether it is in a part of the page that is moved sideways by these keys. */
function isScrolled(target: HTMLElement): boolean {
  const part = target.closest(".scrolled");
  return part !== null && part.scrollWidth > part.clientWidth;
}
