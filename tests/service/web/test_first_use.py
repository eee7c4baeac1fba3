"""What is made at first use."""

from threading import Barrier, Thread

from service.web.first_use import made_at_first_use

THREADS = 4


def test_it_is_made_at_first_use_and_once_for_all_threads() -> None:
    together, made, used = Barrier(THREADS), list[object](), list[object]()

    @made_at_first_use
    def page() -> object:
        made.append(object())
        return made[-1]

    def use() -> None:
        together.wait()
        used.append(page())

    assert made == [], "nobody has used it"
    users = [Thread(target=use) for _ in range(THREADS)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert len(made) == 1 and used == made * THREADS
