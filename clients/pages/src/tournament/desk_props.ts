/** What all parts of the desk are given. */
import type { Bearer } from "./bearer.js";
import type { Cup } from "./cup.js";

export interface DeskProps {
  cup: Cup;
  by: Bearer;
  /** Reads the tournament anew: something has been done. */
  changed(): Promise<void>;
}
