"""Memory limits, threads, progress, interrupts, and what happens to a process that has several of them."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

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
    assert zc.memory().threads == outside.threads and zc.memory().limit == 0
    assert (y + 1)[-1].item() == 2 * 10**6 - 1  # lives on
    for wrong in ({"memory_limit": "much"}, {"threads": -1}, {"memory_limit": -5}, {"cache_limit": -1}):
        with pytest.raises(ValueError):
            zc.config(**wrong)


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
