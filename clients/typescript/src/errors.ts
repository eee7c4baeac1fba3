/** What can go wrong: the service says no, the connection is lost, or history went back. */
import type { Line, Ordered, Problem } from "./types.js";

/** The service says no. `problem` is what it says; `code` is stable. */
export class ArbiterError extends Error {
  override readonly name: string = "ArbiterError";

  constructor(readonly problem: Problem) {
    super(sentence(problem));
  }

  /** Why, for programs. */
  get code(): string {
    return this.problem.code;
  }

  /** The status of the answer. */
  get status(): number {
    return this.problem.status;
  }

  /** Which parts of the request are wrong, and what would be right. */
  get errors(): NonNullable<Problem["errors"]> {
    return this.problem.errors ?? [];
  }

  /** For how many seconds to wait, if that is why. */
  get retryAfter(): number | null {
    return this.problem.retry_after ?? null;
  }
}

/** The operator has gone back to a backup: forget what you have of the match, and read it again. */
export class HistoryWentBack extends ArbiterError {
  override readonly name = "HistoryWentBack";
}

/** The connection could not be made, was cut, or has been silent for too long. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** What shows that a commitment was exchanged, or not signed. */
export interface Evidence {
  /** The signed note of the creation. */
  note: string | null;
  /** The signed receipt, if one was given. */
  receipt: Ordered | null;
  /** The commitment that was shown; null if the note has it. */
  event: Line | null;
}

/**
 * The service does not stand by the commitment to the seed that it has shown: it may have chosen another
 * seed since. Save the evidence.
 */
export class WrongCommitment extends Error {
  override readonly name: string = "WrongCommitment";
  readonly evidence: Evidence;

  constructor(reason: string, evidence: Partial<Evidence>) {
    super(reason);
    this.evidence = { note: null, receipt: null, event: null, ...evidence };
  }
}

/**
 * None of the keys that the service publishes has signed the receipt, or without one the note of the
 * creation: it binds the service to nothing.
 */
export class WrongSignature extends WrongCommitment {
  override readonly name = "WrongSignature";
}

/** The error that a problem document stands for. */
export function errorOf(problem: Problem): ArbiterError {
  return problem.code === "history_went_back" ? new HistoryWentBack(problem) : new ArbiterError(problem);
}

/** The error for a history that is not the one that was read before. */
export function historyWentBack(): HistoryWentBack {
  const title = "The match has gone back to a backup: read it again.";
  return new HistoryWentBack({ type: "urn:arbiter:history_went_back", title, status: 409, code: "history_went_back" });
}

/** The error for an answer without a problem document: of a proxy, for example, or to a HEAD. */
export function foreign(status: number, retryAfter: number | null): ArbiterError {
  const title = `The answer was ${status}, and did not say why.`;
  return new ArbiterError({ type: "about:blank", title, status, code: `http_${status}`, retry_after: retryAfter });
}

function sentence({ code, title, detail, errors }: Problem): string {
  const parts = (errors ?? []).map((one) => [one.pointer ?? one.name, one.detail].filter(Boolean).join(": "));
  return [`${code}: ${title}`, detail, ...parts].filter(Boolean).join(" | ");
}
