/** Instants as the service writes them: with six digits after whole seconds, or none. */

/** Microseconds since 1970, by which instants are compared: a browser's own have milliseconds. */
export function micros(at: string): number {
  const fraction = /\.(\d{1,6})/.exec(at)?.[1] ?? "";
  return Date.parse(at.replace(/\.\d+/, "")) * 1000 + Number(fraction.padEnd(6, "0"));
}
