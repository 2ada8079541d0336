"""Hypothesis profiles, and the folder of handed cases where there is one."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

# "ci" gives the same examples on every run; "deep" looks for new ones; "brief" is for
# instrumented builds, where every example costs several times as much.
settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=150,
    suppress_health_check=_SLOW,
)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=25)
settings.register_profile("deep", deadline=None, max_examples=5000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("TOOLSYNC_HYPOTHESIS", "ci"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed cases and real catalogues; tests that need it are skipped without."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("TOOLSYNC_SHARED", beside))
    if not folder.is_dir():
        pytest.skip("no ../shared folder beside the repository and no TOOLSYNC_SHARED")
    return folder


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The one event loop that the SDKs run on."""
    return "asyncio"
