/** Evidence in a case: a file that stays with its owner. Its name and digest are put on record. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "./given.js";

/** Browsers make digests only on pages that came encrypted, or from this very machine. */
export const mayAttach = isSecureContext;

/** What a statement says of the file that was chosen in the field `file`, if one was. */
export async function attached(fields: FormData): Promise<{ attachment?: Schemas["Attachment"] }> {
  const file = fields.get("file");
  if (!(file instanceof File) || file.name === "") return {};
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { attachment: { name: file.name, sha256 } };
}

/** What is on record of a file. */
export function Attached({ file: { name, sha256 } }: { file: Schemas["Attachment"] }): VNode {
  return (
    <p class="quiet">
      {say("case.attached")} <bdi>{name}</bdi> <code class="digest">{sha256}</code>
    </p>
  );
}
