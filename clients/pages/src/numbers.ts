/** Numbers of events: the public's, like p6, by which everybody can cite one, and the reader's own. */

/** An event, or a view after it. */
export interface Numbered {
  seq: number;
  /** Its number in the public's count; null if the public has not got it. */
  public_seq: number | null;
}

/** One number: the public's, if there is one and the reader counts otherwise. */
export function brief({ seq, public_seq }: Numbered, isPublic: boolean): string {
  return isPublic || public_seq === null ? String(seq) : `p${public_seq}`;
}

/** All numbers: the public's first, if the reader counts otherwise, then the reader's own. */
export function cited({ seq, public_seq }: Numbered, isPublic: boolean): string {
  return isPublic || public_seq === null ? String(seq) : `p${public_seq} (${seq})`;
}

/** The number in the public's count that was typed as `p6` or as `6`; null if it was none. */
export function publicNumber(typed: string): number | null {
  const found = /^p?([1-9]\d{0,8})$/.exec(typed.trim());
  return found === null ? null : Number(found[1]);
}
