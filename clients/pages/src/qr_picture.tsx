/** A QR code, as the service draws it. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** An SVG document of the service. */
export function QrPicture({ svg, name }: { svg: string; name: string }): VNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    drawn.setAttribute("viewBox", `0 0 ${drawn.getAttribute("width")} ${drawn.getAttribute("height")}`);
    place.current?.replaceChildren(document.importNode(drawn, true));
  }, [svg]);
  return <div class="qr" role="img" aria-label={name} ref={place} />;
}
