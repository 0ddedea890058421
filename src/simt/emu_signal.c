/* emu_signal.c - the watchdog: a thread that never calls the runtime, and one that touches memory that is not there.
 *
 * With the setting watchdog=SECONDS, a timer on the host thread's processor time looks whether anything has happened
 * since it last rang, and SIGSEGV, SIGBUS and SIGFPE are caught, while a kernel runs and no longer. Either ends the
 * kernel with an error that names the thread; its fiber is left as it stands. Off by default: a program's signals are
 * its own business. Under ASan only the timer is set: ASan reports bad addresses itself.
 *
 * I1 what was installed is put back before the host's call returns;
 * I2 a signal that did not come from a kernel's thread is given back to what was there before.
 */
#include "simt/emu_impl.h"

#include <signal.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING SIGALRM

static const int caught[NF_EMU_SIGNALS] = {RING, SIGSEGV, SIGBUS, SIGFPE};

/* Everything a running thread does with the runtime's help changes this sum. */
static uint64_t life_signs(const nf__emu *dev)
{
    return dev->count.switches + dev->count.sync_points + dev->count.spins + dev->count.atomics + dev->count.relaxed
           + dev->grid.finished + dev->count.accesses + dev->ticks;
}

static void on_ring(nf__emu *dev)
{
    const uint64_t signs = life_signs(dev);
    if (signs != dev->seen_signs) {
        dev->seen_signs = signs;
        dev->silent = 0;
        return;
    }
    if (++dev->silent < 2 || nf__emu_now.self == NULL)
        return;
    nf__emu_fault(dev, cudaErrorLaunchTimeout, nf__emu_me()->site,
                  "no call of the runtime for %g s of processor time after this one; a loop that waits for another "
                  "thread must call simt_spin",
                  dev->set.watchdog);
}

static void on_bad_address(nf__emu *dev, int number, const void *address)
{
    const char *what = number == SIGFPE ? "a division by zero or the like" : "an access to memory that is not there";
    if (nf__emu_in_guard(dev, address))
        what = "stack overflow (64 KB a thread), touching";
    else if (nf__emu_is_device(dev, address))
        what = "an access to device memory outside of every allocation";
    nf__emu_fault(dev, cudaErrorIllegalAddress, nf__emu_me()->site, "%s at address %p, after this call of the runtime",
                  what, address);
}

static void handle(int number, siginfo_t *info, void *context)
{
    nf__emu *dev = nf__emu_now.device;
    (void)context;
    if (number == RING) {
        if (dev != NULL && dev->timer_set)
            on_ring(dev);
    } else if (dev != NULL && nf__emu_now.self != NULL) {
        on_bad_address(dev, number, info->si_addr);
    } else if (dev != NULL) {
        nf__emu_signals_off(dev); /* I2: the instruction is tried again */
    } else {
        (void)signal(number, SIG_DFL);
    }
}

static bool is_caught(int number)
{
    return number == RING || !NF_EMU_ASAN;
}

static void set_timer(nf__emu *dev)
{
    struct sigevent event;
    struct itimerspec when;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = RING;
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    const double period = dev->set.watchdog / 2;
    when.it_interval.tv_sec = (time_t)period;
    when.it_interval.tv_nsec = (long)((period - (double)(time_t)period) * 1e9) + 1;
    when.it_value = when.it_interval;
    dev->timer_set = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &dev->timer) == 0;
    if (dev->timer_set)
        (void)timer_settime(dev->timer, 0, &when, NULL);
}

void nf__emu_signals_on(nf__emu *dev)
{
    struct sigaction action;
    if (dev->set.watchdog <= 0 || dev->signals_on)
        return;
    dev->signals_on = true;
    dev->seen_signs = dev->silent = 0;
    stack_t alt = {.ss_sp = dev->alt_stack, .ss_size = NF_EMU_ALT_STACK};
    if (!NF_EMU_ASAN)
        (void)sigaltstack(&alt, &dev->alt_before);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < NF_EMU_SIGNALS; i++)
        if (is_caught(caught[i]))
            (void)sigaction(caught[i], &action, &dev->before[i]);
    set_timer(dev);
}

void nf__emu_signals_off(nf__emu *dev)
{
    if (!dev->signals_on)
        return;
    if (dev->timer_set)
        (void)timer_delete(dev->timer);
    dev->timer_set = false;
    for (int i = 0; i < NF_EMU_SIGNALS; i++)
        if (is_caught(caught[i]))
            (void)sigaction(caught[i], &dev->before[i], NULL);
    if (!NF_EMU_ASAN)
        (void)sigaltstack(&dev->alt_before, NULL);
    dev->signals_on = false;
}
