"""The MCP server: tools, resources and prompts over one space, whatever carries the messages."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)
from mcp_types import Prompt as ListedPrompt
from mcp_types import Tool as ListedTool

from engram.doors.mcp_calls import CallFailed, Calls
from engram.doors.mcp_reading import PLAIN, PROMPTS, read, resources, templates
from engram.doors.mcp_tools import Tool
from engram.doors.mcp_words import INSTRUCTIONS
from engram.memory import Engram
from engram.text import inert

_CALLERS = {"invalid_input", "not_found"}
"""Codes of failures that are the caller's."""
T = TypeVar("T")
Context = ServerRequestContext[Any, Any]


class Front:
    """Answers the protocol's requests from one memory."""

    def __init__(self, calls: Calls, tools: Mapping[str, Tool[Any]]) -> None:
        self._calls = calls
        self._tools = tools

    def server(self) -> Server[Any]:
        """Return the server that a transport drives."""
        return Server(
            "engram",
            title="Engram",
            version=version("engram-neo4j"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def _list_tools(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_listed(tool) for tool in self._tools.values()])

    async def _call_tool(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {inert(params.name)!r}.")
        try:
            answer = await self._calls.run(lambda memory: tool.call(memory, params.arguments or {}))
        except CallFailed as failed:
            return CallToolResult(
                content=[_text(failed.failure.words())],
                structured_content=failed.failure.model_dump(mode="json"),
                is_error=True,
            )
        return CallToolResult(
            content=[_text(answer.words())], structured_content=answer.model_dump(mode="json")
        )

    async def _list_resources(self, _: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=await self._reading(resources))

    async def _list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=templates())

    async def _read_resource(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        text = await self._reading(lambda memory: read(memory, params.uri))
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, text=text, mime_type=PLAIN)])

    async def _list_prompts(self, _: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=[
                ListedPrompt(
                    name=each.name,
                    title=each.title,
                    description=each.description,
                    arguments=list(each.arguments),
                )
                for each in PROMPTS.values()
            ]
        )

    async def _get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise MCPError(INVALID_PARAMS, f"There is no prompt {inert(params.name)!r}.")
        text = await self._reading(lambda memory: prompt.fill(memory, params.arguments or {}))
        return GetPromptResult(
            description=prompt.description, messages=[PromptMessage(role="user", content=_text(text))]
        )

    async def _reading(self, work: Callable[[Engram], T]) -> T:
        """Return what `work` returns; a failure becomes the protocol's error, its code and remedy in `data`."""
        try:
            return await self._calls.run(work)
        except CallFailed as failed:
            failure = failed.failure
            code = INVALID_PARAMS if failure.code in _CALLERS else INTERNAL_ERROR
            raise MCPError(
                code, failure.words(), data={"code": failure.code, "remedy": failure.remedy}
            ) from None


def _listed(tool: Tool[Any]) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization"),
        annotations=tool.annotations,
    )


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
