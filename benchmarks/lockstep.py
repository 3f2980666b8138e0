"""Lockstep steps per second beside a bare commit loop, on the same server in the same run."""

import time

from keepfact.conformance.choices import Choices
from keepfact.conformance.judge import Judge
from keepfact.conformance.recorder import Move
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.trial import Trial
