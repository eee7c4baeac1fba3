/** The service that this page comes from. */
import { Arbiter } from "@arbiter/client";

/** As everybody, or with a key. */
export function service(key?: string): Arbiter {
  return new Arbiter({ url: location.origin, key });
}
