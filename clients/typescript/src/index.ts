export { Arbiter, type ArbiterOptions, type ListOptions } from "./arbiter.js";
export type { BotOptions, Choose } from "./bot.js";
export { ArbiterError, ConnectionLost, HistoryWentBack, WrongCommitment, WrongSignature, type Evidence } from "./errors.js";
export type { FollowOptions } from "./follow.js";
export { newKey, query, type Answer, type Sent } from "./http.js";
export { Match, type EventsOptions, type TicketOptions, type ViewOptions } from "./match.js";
export { Play, type PlayOptions } from "./play.js";
export { Tournament, type Drafted, type StandingsOptions, type TournamentFollowOptions } from "./tournament.js";
export type { ActOptions, Action, Audience, Entry, IfMatch, Line, Menu, Options, Ordered, Problem, Receipt, Result, Schemas, Taken, View } from "./types.js";
