/** Where the service begins: below its host, or below a prefix of a proxy's. Scripts lie three folders deep. */
export const root = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "");

/** The address of a path of the service. */
export function below(path: string): string {
  return root + path;
}
