// A client on the TypeScript SDK, which obeys orders and tells what it hears, a JSON line each.
// Arguments: the folder with the SDK in its node_modules, then an address, or a command.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.argv[2]), "client.cjs"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require(
  "@modelcontextprotocol/sdk/client/streamableHttp.js",
);
const { ToolListChangedNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

const [target, ...rest] = process.argv.slice(3);
const tell = (line) => process.stdout.write(JSON.stringify(line) + "\n");

const client = new Client({ name: "foreign", version: "0" });
client.setNotificationHandler(ToolListChangedNotificationSchema, async () => tell({ told: true }));
client.onerror = (error) => tell({ error: String(error) });

const transport = target.startsWith("http://")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, env: process.env });
await client.connect(transport);

async function obey(order) {
  if (order.list) {
    const { tools } = await client.listTools();
    return { tools: tools.map((tool) => tool.name) };
  }
  try {
    return { result: await client.callTool(order.call) };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

tell({ ready: client.getServerCapabilities() });
for await (const line of createInterface({ input: process.stdin })) tell(await obey(JSON.parse(line)));
await client.close();
process.exit(0);
