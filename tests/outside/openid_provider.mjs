// A real OpenID provider on loopback, for tests: oidc-provider with its own development pages, where any name signs in.
// Takes a port, the folder with node_modules, and a file of keys; prints a line when it answers.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [port, folder, keys, callback] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));
const groups = { kim: ["shop-devs"], sam: ["shop-devs", "shop-leads"], eve: [], lee: ["shop-devs"] };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "hub", client_secret: "a-secret-of-the-client", redirect_uris: [callback] },
    { client_id: "other", client_secret: "a-secret-of-another", redirect_uris: [callback] }],
  jwks: JSON.parse(readFileSync(keys, "utf8")),
  cookies: { keys: ["a key of the provider for its own cookies"] },
  claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
  features: { devInteractions: { enabled: true } },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({ sub: `sub-${id}`, preferred_username: id.split("+")[0], groups: groups[id.split("+")[0]] ?? [],
      email: `${id}@example.com`, email_verified: id !== "eve" }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
