/** To pass a tournament on: its address, also as a QR code, that of its wall, and that of a player's own page. */
import type { VNode } from "preact";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { QrPicture } from "../qr_picture.js";
import { below } from "../root.js";

export function PassOn({ id, name, qr }: { id: string; name: string; qr: string }): VNode {
  const address = location.origin + below(`/t/${id}`);
  return (
    <details class="pass-on">
      <summary>{say("tournament.share")}</summary>
      {navigator.share !== undefined && (
        <p>
          <button type="button" onClick={() => void navigator.share({ title: name, url: address }).catch(() => undefined)}>
            {say("match.share.send")}
          </button>
        </p>
      )}
      <Copied label={say("tournament.share.page")} text={address} />
      <QrPicture svg={qr} name={say("tournament.share.page")} />
      <Copied label={say("tournament.share.wall")} text={`${address}?wall`} />
      <Copied label={say("tournament.share.me")} text={`${address}/me`} />
    </details>
  );
}
