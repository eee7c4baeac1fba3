/** With which key the page reads, and as which audience. */
import type { Audience } from "@arbiter/client";
import type { VNode } from "preact";
import { Form } from "../form.js";
import { say } from "../given.js";
import { KeyForm, KeyInUse } from "../key_form.js";
import { Unkept } from "../unkept.js";
import { called } from "./about.js";
import { allowed, audience, forgetKey, key, load, look, mayLook, own, readAs, use, wanted } from "./reading.js";

export function KeyPanel(): VNode {
  return (
    <div class="audit-panel">
      <Unkept />
      {key.value === undefined ? <Give /> : <KeyInUse says={say("audit.key.in_use", { name: called(own.value) })} forget={() => void forgetKey()} />}
      <div class="audit-as">
        <label>
          <span>{say("audit.as")}</span>
          <select value={wanted.value ?? audience.value} onChange={(event) => void readAs(event.currentTarget.value as Audience)}>
            {allowed.value.map((one) => (
              <option key={one} value={one}>
                {called(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="plain" onClick={() => void load()}>
          {say("audit.again")}
        </button>
        <span role="status" class="quiet">
          {wanted.value !== null && say("audit.loading")}
        </span>
      </div>
    </div>
  );
}

function Give(): VNode {
  return (
    <div>
      {mayLook() && (
        <Form label={say("audit.key.look")} send={look}>
          <p class="quiet">{say("audit.key.look.counts")}</p>
        </Form>
      )}
      <details>
        <summary>{say("audit.key.give")}</summary>
        <KeyForm hint={say("audit.key.hint")} use={use} />
      </details>
    </div>
  );
}
