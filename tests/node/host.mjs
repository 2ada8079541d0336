// A host in plain Node.js: two sessions, one plugin that changes, the engine as a child process.
// Started with the engine's command as its arguments; prints what it came to as JSON.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const engine = spawn(process.argv[2], process.argv.slice(3), { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
const sets = new Map();
const updates = {};
const closed = [];
let last = 0;

const send = (message) => engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    send({ id: last, method, params });
  });

// What the receiving end of an update does: a whole set, or a delta against what is held.
function take(update) {
  const held = sets.get(update.threadId);
  const again = update.revision === held?.revision && update.digest === held.digest;
  if (again || update.revision < held?.revision) return { outcome: "unchanged" };
  let tools;
  if ("base" in update) {
    if (held?.revision !== update.base) throw { code: -32001, message: "another base" };
    const known = new Map([...held.tools, ...update.changed].map((tool) => [tool.name, tool]));
    tools = update.order.map((name) => known.get(name));
  } else {
    tools = update.tools;
  }
  sets.set(update.threadId, { revision: update.revision, digest: update.digest, tools });
  return { outcome: "applied" };
}

const methods = {
  "thread/tools/update"(update) {
    updates[update.threadId] = (updates[update.threadId] ?? 0) + 1;
    return take(update);
  },
  "plugin/call": ({ name, arguments: given }) => `${name === "a" ? "echo" : name} ${given.text}`,
  "plugin/closed": ({ version }) => void closed.push(version),
};

createInterface({ input: engine.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  if (!message.method) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    return message.error ? reject(message.error) : resolve(message.result);
  }
  let answer;
  try {
    answer = { result: methods[message.method](message.params) };
  } catch (error) {
    answer = { error };
  }
  if ("id" in message) send({ id: message.id, ...answer });
});
const exit = new Promise((resolve) => engine.on("exit", resolve));

const tool = (name, type = "object", ...more) => ({
  name,
  inputSchema: { type, properties: Object.fromEntries(["text", ...more].map((key) => [key, {}])) },
});
const apply = (version, ...tools) => ask("plugin/apply", { plugin: "p", version, tools });

await ask("initialize", { protocol: 1, capabilities: { threadToolsUpdate: true } });
await apply("1", tool("a"), tool("gone"));
take(await ask("session/attach", { session: "s1" }));
take(await ask("session/attach", { session: "s2", ignore: ["a", "gone"] }));
await apply("2", tool("a", "object", "more"), tool("gone"));
await apply("3", tool("a", "object", "more"), tool("b"));
const refused = await apply("4", tool("a", "strin")).catch((error) => error.data.path);
const call = (name) => ask("session/call", { session: "s1", name, arguments: { text: "hello" } });
const called = await call("a");
const unknown = await call("gone").catch((error) => error.message);
const { revision } = await ask("catalog/get");
await ask("session/reconcile", { session: "s1" }); // what was under way has then arrived
await ask("session/reconcile", { session: "s2" });
await ask("plugin/remove", { plugin: "none" });
engine.stdin.end();
const names = ([session, set]) => [session, set.tools.map((each) => each.name)];
const code = await exit;
console.log(
  JSON.stringify({
    sets: Object.fromEntries([...sets].map(names)),
    updates, revision, refused, called, unknown, closed, exit: code,
  }),
);
