"""Runs and results in threads tell what they tell in one: threads share Systems, Solutions and compiled code."""

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

from travellers import digest, mechanism, solution, tangle

import bricard as br


def end_of(what, **settings):
    """The bits of the last sample of a run; a bar of progress is asked for, which only the main thread may draw."""
    return br.simulate(what, 0.1, output=3, progress=True, **settings).q[-1].tobytes()


def test_many_threads_run_one_system():
    system = mechanism().build()
    settings = [{}, {"step": 1e-3}, {"formulation": "ggl", "integrator": "radau5"}, {"integrator": "rk4", "step": 1e-3}]
    alone = [end_of(system, **chosen) for chosen in settings]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: end_of(system, **settings[k % 4]), range(16)))
    assert found == 4 * alone


def test_each_thread_has_a_model_of_its_own():
    alone = [end_of(tangle(seed)) for seed in range(6)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda seed: end_of(tangle(seed)), range(6))) == alone


def test_many_threads_ask_one_solution():
    """Whatever is found only when it is asked for, its System too."""
    right, back = digest(solution()), pickle.loads(pickle.dumps(solution()))
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: digest(back), range(8))) == {right}


def test_runs_beside_an_event_loop():
    seeds = range(4)

    async def together():
        return await asyncio.gather(*(asyncio.to_thread(end_of, tangle(seed)) for seed in seeds))

    assert asyncio.run(together()) == [end_of(tangle(seed)) for seed in seeds]
