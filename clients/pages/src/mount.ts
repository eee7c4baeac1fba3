/** Puts what a script draws into the page. */
import { render, type ComponentChild } from "preact";

/**
 * Takes a place over from what the service has written there, at the first time. What a script draws is not translated
 * by the browser, which replaces the texts that the script would change.
 */
export function mount(place: HTMLElement, drawn: ComponentChild): void {
  if (place.getAttribute("translate") !== "no") {
    place.translate = false;
    place.replaceChildren();
  }
  render(drawn, place);
}
