/** What a step changed. */

/** Whether two values that came as JSON differ. */
export function differ(one: unknown, other: unknown): boolean {
  if (one === other) return false;
  if (!isHolder(one) || !isHolder(other)) return true;
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].some((field) => differ(one[field], other[field]));
}

/** Says of each path whether it differs between two views; of none if one is not there. */
export function changes(before: unknown, after: unknown): (...path: (string | number)[]) => boolean {
  if (!isHolder(before) || !isHolder(after)) return () => false;
  return (...path) => differ(at(before, path), at(after, path));
}

/** For each value of a list whether it is one more than were there before; of equal ones the last. */
export function added<One>(before: readonly One[], after: readonly One[]): boolean[] {
  const left = before.map((one) => JSON.stringify(one));
  return after.map((one) => {
    const found = left.indexOf(JSON.stringify(one));
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
}

function at(value: unknown, path: (string | number)[]): unknown {
  return path.reduce<unknown>((held, step) => (isHolder(held) ? held[step] : undefined), value);
}

function isHolder(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}
