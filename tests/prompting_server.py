"""An MCP server with prompts, standard library only; a call to its one tool is an order.

    python prompting_server.py FILE

The names of its prompts stand in FILE, one a line. The arguments of a call: `prompts` are
written there, `announce` is how often a change is then announced, whether there was one
or not; `tools` are added and announced; so many `progress` reports are sent; `log` lines go
to standard error. The answer says how often the prompts were listed by then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

NAMES = Path(sys.argv[1])
TOOLS = ["obey"]
LOOKS = [0]


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def obey(order: dict[str, Any], token: Any) -> None:
    for line in order.get("log", []):
        sys.stderr.write(f"{line}\n")
    if "prompts" in order:
        NAMES.write_text("\n".join(order["prompts"]), "utf-8")
    for _ in range(order.get("announce", 0)):
        send(method="notifications/prompts/list_changed")
    if "tools" in order:
        TOOLS.extend(order["tools"])
        send(method="notifications/tools/list_changed")
    for step in range(order.get("progress", 0)):
        params = {"progressToken": token, "progress": step + 1, "total": order["progress"]}
        send(method="notifications/progress", params=params)


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}}
        return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
                "instructions": "Obeys.",
                "serverInfo": {"name": "prompting", "version": "0"}}  # fmt: skip
    if method == "tools/list":
        return {"tools": [{"name": each, "inputSchema": {"type": "object"}} for each in TOOLS]}
    if method == "prompts/list":
        LOOKS[0] += 1
        return {"prompts": [{"name": each} for each in NAMES.read_text("utf-8").split()]}
    if method == "prompts/get":
        content = {"type": "text", "text": f"This is {params['name']}."}
        return {"messages": [{"role": "user", "content": content}]}
    if method == "tools/call":
        obey(params["arguments"], (params.get("_meta") or {}).get("progressToken"))
        return {"content": [{"type": "text", "text": str(LOOKS[0])}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request["method"], request.get("params") or {})
    if result is None:
        send(id=request["id"], error={"code": -32601, "message": "Method not found"})
    else:
        send(id=request["id"], result=result)
