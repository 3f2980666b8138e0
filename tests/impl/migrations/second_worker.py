"""What a worker of the second release has that the first has not; given to it as KEEPFACT_RELEASE."""

from dataclasses import replace

from keepfact.impl.commands import COMMANDS
from keepfact.impl.release import Release

PUBLISH = COMMANDS["publish"]
COMMANDS["publish"] = replace(PUBLISH, types={**PUBLISH.types, "title": "text"}, defaults={"title": "by the second"})

RELEASE = Release(schema=2)
