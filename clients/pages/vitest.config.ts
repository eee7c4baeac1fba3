import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const client = fileURLToPath(new URL("../typescript/src/index.ts", import.meta.url));

export default defineConfig({
  resolve: { alias: { "@arbiter/client": client } },
  test: { include: ["tests/**/*.test.ts"], setupFiles: ["tests/browser.ts"], restoreMocks: true },
});
