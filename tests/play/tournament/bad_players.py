"""Players that do whatever a player should not, as text of a file that a user may have written."""

from __future__ import annotations

BAD_PLAYERS = '''\
import os
import signal
import sys
import time

import fogspiel


class Good(fogspiel.Player):
    """Makes the first legal move."""

    def choose(self, view, legal, clock):
        return legal[0]


class Lucky(fogspiel.Player):
    """Draws by three generators."""

    def choose(self, view, legal, clock):
        import random

        import numpy

        drawn = random.random() + numpy.random.random() + self.random.random()
        return legal[int(drawn * 1000) % len(legal)]


class Raises(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[1 // 0]


class Sleeps(fogspiel.Player):
    def choose(self, view, legal, clock):
        time.sleep(60)


class Stubborn(fogspiel.Player):
    """Cannot be interrupted."""

    def choose(self, view, legal, clock):
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass


class Babbles(fogspiel.Player):
    def choose(self, view, legal, clock):
        return "nonsense"


class Prints(fogspiel.Player):
    def choose(self, view, legal, clock):
        print('{"players": []}' * 1000, flush=True)
        os.system("echo shell; echo shell >&2")
        return legal[0]


class Asks(fogspiel.Player):
    def choose(self, view, legal, clock):
        return input("which move? ")


class Forks(fogspiel.Player):
    """Starts processes, one of which leaves the group and its parent."""

    def choose(self, view, legal, clock):
        if not os.fork():
            time.sleep(120)
        if not os.fork():
            os.setsid()
            if not os.fork():
                time.sleep(120)
            os._exit(0)
        return legal[0]


class Eats(fogspiel.Player):
    def choose(self, view, legal, clock):
        self.food = []
        while True:
            self.food.append(bytearray(1 << 24))


class Exits(fogspiel.Player):
    def choose(self, view, legal, clock):
        sys.exit("bye")


class Dies(fogspiel.Player):
    def choose(self, view, legal, clock):
        os._exit(3)


class Crashes(fogspiel.Player):
    def choose(self, view, legal, clock):
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(fogspiel.Player):
    def start(self, game, role, clock):
        while True:
            pass

    def choose(self, view, legal, clock):
        return legal[0]


class Scribbles(fogspiel.Player):
    """Writes where it should not."""

    def choose(self, view, legal, clock):
        for file in range(3, 20):
            try:
                os.write(file, b"not a document\\n")
            except OSError:
                pass
        return legal[0]


class Forges(fogspiel.Player):
    """Answers in the place of its process, with what is no move."""

    def choose(self, view, legal, clock):
        for file in range(3, 20):
            try:
                os.write(file, b'{"move": [[]]}\\n')
            except OSError:
                pass
        time.sleep(60)


class Once(fogspiel.Player):
    """Dies in its first choice, and writes down what it knows in the second one."""

    def choose(self, view, legal, clock):
        if not len(view):
            os._exit(4)
        if len(view) == 2:
            open("seen", "w").write(str(view))
        return legal[0]


class Thinks(fogspiel.Player):
    """Looks for the seeds that it could reach."""

    def choose(self, view, legal, clock):
        import gc

        told = [vars(thing) for thing in gc.get_objects() if type(thing).__name__ == "Referee"]
        seed = self.random.bit_generator.seed_seq.entropy
        open("told", "a").write(f"{len(told)} {seed}\\n")
        return legal[0]
'''
