"""Programs that live on a later day: the C library's clock is set forward for them, in front of the real one.

Nothing of Holdfast or of an agent is changed. Files keep the times that the machine gives them, so what was written
today is a day old for a program that lives tomorrow.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

# Only the clock on the wall is set forward: what measures how long something takes must go on as it does.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long later(void) {
    const char *said = getenv("SECONDS_LATER");
    return said ? atol(said) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += later();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (kept) *kept = exact.tv_sec;
    return exact.tv_sec;
}
"""


def environment(folder: Path, days: int) -> dict[str, str]:
    """Return what makes a program live so many days later; nothing where no compiler can make the clock."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    library = folder / "later.so"
    if not library.exists():
        words = [compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library), "-ldl"]
        subprocess.run(words, input=SOURCE, text=True, check=True, timeout=300)
    return {"LD_PRELOAD": str(library), "SECONDS_LATER": str(days * 86_400)}
