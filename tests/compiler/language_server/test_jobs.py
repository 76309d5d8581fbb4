"""Work beside an editor ends with its process once nobody waits for it."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest

from gridlang.compiler.language_server.checks import Failed, Jobs

FOR_EVER = 10**6


def test_a_job_that_is_cancelled_ends_with_its_process_and_the_next_is_done() -> None:
    async def typed_on() -> None:
        jobs = Jobs()
        waiting = asyncio.create_task(jobs.run(time.sleep, FOR_EVER, seconds=FOR_EVER))
        while not jobs._busy:
            await asyncio.sleep(0)
        (worker,) = jobs._busy
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        worker.process.join()
        assert worker.process.exitcode == -signal.SIGKILL
        assert await jobs.run(abs, -1, seconds=FOR_EVER) == 1
        with pytest.raises(Failed, match="takes too long"):
            await jobs.run(time.sleep, FOR_EVER, seconds=0.01)
        jobs.end()

    asyncio.run(typed_on())
