/** Ids of elements that are unique in the whole page: `useId` begins anew in every part that is mounted by itself. */
import { useMemo } from "preact/hooks";

let count = 0;

export function useOwnId(): string {
  return useMemo(() => `own-${(count += 1)}`, []);
}
