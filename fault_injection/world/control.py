"""How an experiment sets and opens gates and gives a run its script, over HTTP beside the servers."""

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .gates import Gates, GateSetting
from .model_server import ModelServer
from .script import Script

_SETTINGS = TypeAdapter(GateSetting)
_SCRIPTS: TypeAdapter[Script] = TypeAdapter(Script)


class Control:
    """Answers 404 for a gate that was never set, and 422 for a setting or a script that is not one."""

    def __init__(self, gates: Gates, model: ModelServer) -> None:
        self._gates = gates
        self._model = model
        self.routes = [
            Route("/gates", self.set_gate, methods=["POST"]),
            Route("/gates/{number:int}", self.see_gate, methods=["GET"]),
            Route("/gates/{number:int}/open", self.open_gate, methods=["POST"]),
            Route("/scripts/{run}", self.set_script, methods=["PUT"]),
        ]

    async def set_gate(self, request: Request) -> Response:
        try:
            setting = _SETTINGS.validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"gate": self._gates.set(setting)}, 201)

    async def see_gate(self, request: Request) -> Response:
        gate = self._gates.get(request.path_params["number"])
        if gate is None:
            return _NO_SUCH_GATE
        return JSONResponse({"reached": gate.reached.is_set(), "open": gate.opened.is_set()})

    async def open_gate(self, request: Request) -> Response:
        gate = self._gates.get(request.path_params["number"])
        if gate is None:
            return _NO_SUCH_GATE
        gate.opened.set()
        return JSONResponse({"open": True})

    async def set_script(self, request: Request) -> Response:
        try:
            self._model.scripts[request.path_params["run"]] = _SCRIPTS.validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": str(error)}, 422)
        return Response(status_code=204)


_NO_SUCH_GATE = JSONResponse({"error": "expected the number of a gate that was set"}, 404)
