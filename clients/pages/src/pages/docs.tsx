/** The search of the documentation: every section by its words, as they are typed. */
import { signal } from "@preact/signals";
import MiniSearch from "minisearch";
import type { TargetedKeyboardEvent, VNode } from "preact";
import { given, say } from "../given.js";
import { mount } from "../mount.js";
import { below } from "../root.js";

/** A section of a page. */
interface Section {
  address: string;
  page: string;
  heading: string;
  text: string;
}

const MOST = 12;
const AROUND = 60;

const index = new MiniSearch<Section>({
  idField: "address",
  fields: ["heading", "page", "text"],
  storeFields: ["address", "page", "heading", "text"],
  searchOptions: { prefix: true, combineWith: "AND", boost: { heading: 4, page: 2 } },
});

const wanted = signal("");
const state = signal<"idle" | "reading" | "ready" | "away">("idle");

/** Reads what there is to be found, once somebody wants to search. */
async function prepare(): Promise<void> {
  if (state.value === "reading" || state.value === "ready") return;
  state.value = "reading";
  try {
    const answer = await fetch(below(given<string>()));
    if (!answer.ok) throw new Error(String(answer.status));
    index.addAll((await answer.json()) as Section[]);
    state.value = "ready";
  } catch {
    state.value = "away";
  }
}

function found(): { section: Section; terms: string[] }[] {
  if (state.value !== "ready" || wanted.value.trim() === "") return [];
  return index.search(wanted.value).map(({ terms, ...section }) => ({ section: section as unknown as Section, terms }));
}

function Search(): VNode {
  const all = found();
  return (
    <div class="search" role="search" onKeyDown={move}>
      <label for="wanted">{say("docs.search")}</label>
      <input
        id="wanted"
        type="search"
        autocomplete="off"
        placeholder={say("docs.hint")}
        value={wanted.value}
        onFocus={() => void prepare()}
        onInput={(event) => (wanted.value = event.currentTarget.value)}
      />
      <p class="quiet" role="status">
        {standing(all.length)}
      </p>
      {all.length > 0 && (
        <ol>
          {all.slice(0, MOST).map(({ section, terms }) => (
            <li key={section.address}>
              <a href={below(section.address)} onClick={() => (wanted.value = "")}>
                <b>{section.heading}</b>
                {section.heading !== section.page && <span class="quiet"> {section.page}</span>}
                <span class="words">
                  <Words text={section.text} terms={terms} />
                </span>
              </a>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function standing(count: number): string {
  if (state.value === "away") return say("docs.away");
  if (state.value !== "ready" || wanted.value.trim() === "") return "";
  return count === 0 ? say("docs.none") : say("docs.found", { count });
}

/** The words around the first one that was found. */
function Words({ text, terms }: { text: string; terms: string[] }): VNode {
  const small = text.toLowerCase();
  const term = terms.find((one) => small.includes(one));
  const at = term === undefined ? 0 : small.indexOf(term);
  const end = at + (term?.length ?? 0);
  const start = Math.max(0, at - AROUND);
  return (
    <>
      {start > 0 && "…"}
      {text.slice(start, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end, end + AROUND)}
      {end + AROUND < text.length && "…"}
    </>
  );
}

/** Arrow keys go through what was found, Escape back to the text. */
function move(event: TargetedKeyboardEvent<HTMLElement>): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, a")];
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : undefined;
  const next = step === undefined ? undefined : stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  if (event.key === "Escape") {
    wanted.value = "";
    stops[0]?.focus();
  } else if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
}

/** Whether what is typed is meant for something on the page. */
function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
}

const place = document.getElementById("search");
if (place !== null) {
  mount(place, <Search />);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    event.preventDefault();
    document.getElementById("wanted")?.focus();
  });
}
