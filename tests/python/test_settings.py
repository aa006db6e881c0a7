"""Memory limits, threads, progress, interrupts, and what happens to a process that has several of them."""

import asyncio
import contextvars
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import zerocast as zc


def long_work(n=3000):
    x = zc.linspace(0, 1, n)
    return zc.sum(zc.sin(zc.exp(x[:, None, None] * x[None, :, None] + x)), axis=(1, 2))


def test_a_refused_plan_says_what_it_needs():
    with zc.config(memory_limit="1M"):
        x = zc.broadcast_to(zc.arange(1000), (1000, 1000)) * 2
        with pytest.raises(zc.BudgetError) as caught:
            x.materialize()
        assert isinstance(caught.value, MemoryError)
        assert caught.value.need >= 8_000_000 and caught.value.limit == 1 << 20 and caught.value.held == 0
        axis, count = caught.value.window
        assert caught.value.args == (str(caught.value),) and str(caught.value).startswith("materialize: a result of shape")
        assert pickle.loads(pickle.dumps(caught.value)).window == caught.value.window
        assert axis == 0 and x[:count].materialize().shape == (count, 1000)
        with pytest.raises(zc.BudgetError):
            x[: count + 1].materialize()
        assert zc.sum(x).item() == 2 * 499500 * 1000  # which takes none of that
    assert x.materialize().shape == (1000, 1000)


def test_settings_end_with_their_block():
    outside = zc.memory()
    with zc.config(threads=1, memory_limit="2G", cache_limit=0) as settings:
        assert settings is not None
        inside = zc.memory()
        assert inside.threads == 1 and inside.limit == 2 << 30
        y = (zc.arange(10**6) * 2).materialize()
        assert zc.memory().held_bytes == 8 * 10**6
    assert zc.memory().threads == outside.threads and zc.memory().limit == outside.limit
    assert (y + 1)[-1].item() == 2 * 10**6 - 1  # lives on
    for wrong in (
        {"memory_limit": "much"},
        {"memory_limit": "1e-9"},
        {"memory_limit": "inf"},
        {"memory_limit": -5},
        {"memory_limit": 1.5},
        {"memory_limit": "-4G"},
        {"cache_limit": -1},
        {"threads": -1},
        {"threads": 1025},
        {"threads": 2**32 + 1},
        {"threads": 2**70},
        {"threads": "2"},
    ):
        with pytest.raises(ValueError):
            zc.config(**wrong)


def process_limit():
    """What the kernel's files say, read here once more: the machine's memory, or that of a control group."""
    least = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, group = line.split(":", 2)
        if not (number == "0" and not controllers) and controllers != "memory":
            continue
        mount, name = ("memory", "memory.limit_in_bytes") if controllers else ("", "memory.max")
        lowest = Path("/sys/fs/cgroup", mount, group[1:])
        for folder in (lowest, *lowest.parents):
            text = (folder / name).read_text().strip() if (folder / name).exists() else ""
            least = min(least, int(text)) if text.isdigit() and int(text) > 0 else least
    return least


def test_what_the_process_may_use_is_the_limit():
    limit = zc.memory().limit
    assert abs(limit - process_limit() * 0.8) < 10
    x = zc.zeros((limit // 8, 3)) + zc.arange(3)
    with pytest.raises(zc.BudgetError) as caught:
        x.materialize()
    assert caught.value.limit == limit and caught.value.need >= 3 * (limit // 8) * 8
    axis, count = caught.value.window
    assert axis == 0 and 0 < count < limit // 8
    for given, told in ((None, limit), (0, 0), ("0", 0), (2**70, 2**63 - 1), (np.int64(5), 5), ("1.5K", 1536)):
        with zc.config(memory_limit=given):
            assert zc.memory().limit == told
    assert zc.memory().limit == limit


def test_settings_belong_to_the_task():
    told = []

    async def task(limit):
        with zc.config(memory_limit=limit):
            for _ in range(4):
                told.append((limit, zc.memory().limit))
                await asyncio.sleep(0)
            told.append((limit, await asyncio.to_thread(lambda: zc.memory().limit)))
            with zc.config(memory_limit=limit + 1):
                await asyncio.sleep(0)
                told.append((limit + 1, zc.memory().limit))
            told.append((limit, zc.memory().limit))

    async def run():
        await asyncio.gather(*(task(1000 * n) for n in range(1, 5)))

    outside = zc.memory().limit
    asyncio.run(run())
    assert len(told) == 4 * 7 and all(limit == found for limit, found in told)
    assert zc.memory().limit == outside


def test_a_block_ends_itself_and_no_other():
    def block(limit):
        with zc.config(memory_limit=limit):
            yield zc.memory().limit
            yield zc.memory().limit

    outside = zc.memory().limit
    first, second = block(1000), block(2000)
    assert (next(first), next(second)) == (1000, 2000)
    first.close()
    assert zc.memory().limit == 2000
    assert next(second) == 2000
    second.close()
    assert zc.memory().limit == outside
    setting = zc.config(memory_limit=3000)
    with setting:
        with setting:
            assert zc.memory().limit == 3000
        assert zc.memory().limit == 3000
    assert zc.memory().limit == outside


class Ends:
    """An integer, a sequence, a path and an array that end a block of settings when they are asked."""

    def __init__(self, number=3):
        self.number = number
        self.block = zc.config(threads=1)
        self.block.__enter__()

    def end(self):
        gc.collect()
        if self.block is not None:
            self.block.__exit__()
            self.block = None

    def __index__(self):
        self.end()
        return self.number

    def __fspath__(self):
        self.end()
        return "nowhere.npy"

    def __array__(self, dtype=None, copy=None):
        self.end()
        return np.ones(3)


class EndsAsSequence(Ends):
    __index__ = None

    def __iter__(self):
        yield zc.ones(3) * 2
        self.end()
        yield zc.ones(3)


@pytest.fixture
def few_objects():
    """Collections look at what the test makes, and not at the modules of a whole session."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("few_objects")
def test_a_block_may_end_while_a_call_reads_its_arguments():
    threads = zc.memory().threads
    for _ in range(50):
        assert zc.eye(Ends()).shape == (3, 3)
        assert zc.stack(EndsAsSequence()).tolist() == [[2.0] * 3, [1.0] * 3]
        assert zc.broadcast_to(1, Ends()).shape == (3,)
        assert zc.asarray(Ends()).tolist() == [1.0] * 3
        assert zc.roll(zc.arange(4), Ends()).tolist() == [1, 2, 3, 0]
        assert zc.sum(zc.arange(4), axis=(Ends(0),)).item() == 6
        with pytest.raises(FileNotFoundError):
            zc.open(Ends())
    assert zc.memory().threads == threads


@pytest.mark.usefixtures("few_objects")
def test_the_collector_may_end_a_block_within_a_call():
    def suspended():
        with zc.config(threads=1):
            yield

    class Arrays:
        def __iter__(self):
            self.generator = suspended()
            next(self.generator)
            yield zc.ones(3)
            cycle = [self.generator]
            cycle.append(cycle)
            self.generator = cycle = None
            gc.collect()
            yield zc.zeros(3)

    for _ in range(50):
        assert zc.stack(Arrays()).tolist() == [[1.0] * 3, [0.0] * 3]


def test_threads_and_settings_end_in_any_order():
    with zc.config(threads=1):
        contexts = [contextvars.copy_context() for _ in range(8)]
        results = []
        waiting, done = threading.Event(), threading.Event()

        def work(waits):
            results.append(contexts.pop().run(lambda: (zc.memory().threads, float(zc.sum(zc.ones(1000) * 2)))))
            if waits:
                waiting.set()
                done.wait()

        threads = [threading.Thread(target=work, args=(n == 7,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads[:7]:
            thread.join()
        waiting.wait()
    gc.collect()
    done.set()
    threads[7].join()
    assert results == [(1, 2000.0)] * 8


def test_one_interpreter():
    """Another one is refused, and does not harm the first."""
    program = """
import zerocast as zc
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
x = zc.arange(3)
inner = '''
try:
    import zerocast
except ImportError as error:
    assert "main interpreter" in str(error), error
else:
    raise AssertionError("it was imported")
'''
failed = interpreters.run_string(interpreters.create(isolated=False), inner)
assert failed is None, failed
assert (x + 1).tolist() == [1, 2, 3] and zc.sum(zc.ones(3)).item() == 3
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_bar_without_stderr():
    program = """
import sys, zerocast as zc
sys.stderr = None
x = zc.linspace(0, 1, 500)
with zc.config(progress=True, threads=1):
    zc.sum(zc.sin(zc.exp(x[:, None, None] * x[None, :, None] + x)), axis=(1, 2)).materialize()
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_free_memory_is_kept_and_given_back():
    zc.trim()
    x = zc.arange(10**6)
    (x * 2).materialize()
    assert zc.memory().cached_bytes >= 8 * 10**6
    zc.trim()
    assert zc.memory().cached_bytes == 0


def test_progress():
    calls = []
    with zc.config(progress=lambda done, total: calls.append((done, total)), threads=1):
        long_work(500).materialize()
    assert calls and all(0 <= done <= total for done, total in calls)

    def stop(done, total):
        raise RuntimeError("enough")

    with zc.config(progress=stop, threads=1), pytest.raises(RuntimeError, match="enough"):
        long_work().materialize()

    def meddle(done, total):
        zc.arange(3)

    with zc.config(progress=meddle, threads=1), pytest.raises(RuntimeError, match="computing"):
        long_work().materialize()


def test_bar(capsys):
    from zerocast._config import draw_bar

    draw_bar(1, 2)
    draw_bar(2, 2)
    assert "[###############               ]  50 %" in capsys.readouterr().err


def test_bar_in_a_notebook(monkeypatch):
    import types

    from zerocast._config import draw_bar

    shown = []
    bar = types.SimpleNamespace(update=shown.append)

    def display(html, display_id):
        shown.append(html)
        return bar if display_id else None

    ipython = types.ModuleType("IPython")
    shell = types.SimpleNamespace(kernel=None, execution_count=1)
    ipython.get_ipython = lambda: shell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.HTML, ipython.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    draw_bar(2, 2)
    assert shown == []
    for _ in range(2):
        draw_bar(1, 4)
        draw_bar(3, 4)
        draw_bar(4, 4)
    assert len(shown) == 6 and "25 %" in shown[0] and "75 %" in shown[1] and shown[2] == "" and "25 %" in shown[3]
    bars = []
    monkeypatch.setattr(ipython.display, "display", lambda html, display_id: bars.append(html) or bar)
    for part in (1, 2):  # in one cell; the run was stopped
        draw_bar(part, 4)
    draw_bar(1, 4)
    shell.execution_count = 2
    draw_bar(2, 4)
    assert len(bars) == 3 and len(shown) == 7


def test_ctrl_c_stops_and_leaves_all_as_it_was():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        check_ctrl_c()
    finally:
        signal.signal(signal.SIGINT, before)


def check_ctrl_c():
    y = long_work()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        y.materialize()
    assert time.monotonic() - start < 5
    assert y[:1].materialize().shape == (1,)
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        np.asarray(y)


def test_other_threads_run_while_one_computes():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    with zc.config(threads=1):
        long_work(600).materialize()
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_threads_share_arrays():
    shared = zc.arange(50_000) * 3
    base = zc.asarray(np.arange(50_000.0))
    failures = []

    def work(seed):
        try:
            for i in range(30):
                y = zc.sum(shared[i::7]).item() + float(zc.sum(base * seed + i))
                wanted = sum(range(i * 3, 150_000, 21)) + (np.arange(50_000.0) * seed + i).sum()
                assert abs(y - wanted) < 1e-6 * abs(wanted)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_an_array_outlives_the_thread_that_made_it():
    made = []
    for _ in range(20):
        thread = threading.Thread(target=lambda: made.append((zc.arange(1000) + len(made)).materialize() * 2))
        thread.start()
        thread.join()
    assert [x[0].item() for x in made] == [2 * i for i in range(20)]
    assert (made[3] + made[7])[1].item() == 2 * (1 + 3) + 2 * (1 + 7)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_computes():
    x = zc.arange(10**6) * 2
    long_work(300).materialize()  # with threads
    child = os.fork()
    if child == 0:
        os._exit(0 if zc.sum(x).item() == 10**6 * (10**6 - 1) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_arrays_at_the_end_of_the_process():
    program = """
import threading, zerocast as zc, numpy as np
keep = zc.asarray(np.arange(10.)) * 2
threading.Thread(target=lambda: globals().update(other=(keep + 1).materialize())).start()
view = np.asarray(keep)
class Late:
    def __del__(self): keep.tolist()
late = Late()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and "Segmentation" not in run.stderr


def test_a_plan_over_the_limit_says_so():
    import json

    with zc.config(memory_limit=10**5):
        x = zc.ones(10**5) * 2
        over = json.loads(x.explain("json"))["over_limit"]
        assert over["need"] == 8 * 10**5 and over["limit"] == 10**5 and over["window_axis"] == 0
        assert f"over the limit: {over['why']}\n" in x.explain() and over["why"] in x.explain("dot")
        with pytest.raises(zc.BudgetError) as refused:
            x.materialize()
        assert over["why"] in str(refused.value)
        assert json.loads(zc.sum(x).explain("json"))["over_limit"] is None and "over the limit" not in zc.sum(x).explain()


def test_contexts_in_turns_write_to_one_array() -> None:
    x = zc.asarray([float(i) for i in range(400)])
    for i in range(20):
        with zc.config(threads=1):
            x[200 + i] = 5.0
    assert float(zc.sum(x)) == 79800 - sum(range(200, 220)) + 100
