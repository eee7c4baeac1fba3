/** What the service sends and takes, by the names of its description. */
import type { components } from "./schema.js";

/** Every schema of the description, by its name. */
export type Schemas = components["schemas"];

/** What a seat does, by `type`. */
export type Action = Schemas["Action"];

/** A menu: what a seat may do now. */
export type Menu = Schemas["MenuAnswer"];

/** One kind of action in a menu. */
export type Entry = Schemas["Entry"];

/**
 * An event as an audience sees it, by `type`. New releases bring new types: ignore those that you do
 * not know.
 */
export type Line = Schemas["Line"];

/** What an audience knows of a match; `view` is the game's own, by `game`. */
export type View = Schemas["View"];

export type Receipt = Schemas["Receipt"];

/** A receipt for what a moderator or an organiser has ordered: what is signed, at least. */
export type Ordered = Pick<Receipt, "note"> & Partial<Receipt>;

/** What a recorded action is answered, with its view: this client never asks for a minimal answer. */
export type Taken = Required<Schemas["Taken"]>;

/** An error of the service (RFC 9457); `code` is for programs. */
export type Problem = Schemas["Problem"];

export type Result = NonNullable<View["result"]>;

/** `public`, `moderator`, or a seat by its number. */
export type Audience = "public" | "moderator" | `seat:${number}`;

/** A pair of quotes with what stands in an `ETag`, or a view, which has one. */
export type IfMatch = string | View;

export interface Options {
  signal?: AbortSignal | undefined;
}

export interface ActOptions extends Options {
  /** Only if the seat has seen nothing since this view; otherwise it is 412 `stale`. */
  ifMatch?: IfMatch | undefined;
  /** By default a new one for each call; with the same one the action counts once. */
  idempotencyKey?: string;
}
