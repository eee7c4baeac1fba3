/** What happened, in the words of the other pages; what they have none for, in those of the service, in English. */
import type { VNode } from "preact";
import { happened, Happened } from "../events.js";
import { isSaid } from "../given.js";
import { about, type Line } from "./about.js";
import { numbers } from "./reading.js";

function isTranslated({ type }: Line): boolean {
  return isSaid(`event.${type}`);
}

interface WhatProps {
  line: Line;
}

/** An event in words. */
export function What({ line }: WhatProps): VNode {
  if (isTranslated(line)) return <Happened line={line} seats={about.seats} cite={numbers} />;
  return (
    <span lang="en">
      <bdi>{line.what}</bdi>
    </span>
  );
}

/** An event in words, where only text can stand. */
export function what(line: Line): string {
  return isTranslated(line) ? happened(line, about.seats, numbers) : line.what;
}
