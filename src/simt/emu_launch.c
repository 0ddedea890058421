/* emu_launch.c - launches: what may be launched, how much is resident, and launches from a kernel.
 *
 * The device of profile BxT has B multiprocessors that hold T threads each, at most 32 blocks, and 228 KB of shared
 * memory; a block has at most T threads. The occupancy calls, cudaDeviceProp and the scheduler use the same numbers.
 *
 * I1 a cooperative grid is launched only when all its blocks are resident together;
 * I2 a child launched from a kernel runs when that kernel has ended, its own children first; tails after all children.
 *    A GPU may start a child earlier; a kernel may not rely on either.
 */
#include "simt/emu_impl.h"

const nf__emu_function *nf__emu_function_of(const nf__emu *dev, const void *function)
{
    for (unsigned i = 0; i < dev->function_count; i++)
        if (dev->functions[i].function == function)
            return &dev->functions[i];
    return NULL;
}

static int max_dynamic(const nf__emu *dev, const void *function)
{
    const nf__emu_function *known = nf__emu_function_of(dev, function);
    return known != NULL && known->max_dynamic > 0 ? known->max_dynamic : NF_EMU_SHARED_STATIC;
}

cudaError_t nf__emu_set_attribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (value < 0 || (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > NF_EMU_SHARED_OPTIN))
        return nf__emu_say(dev, cudaErrorInvalidValue);
    nf__emu_function *known = (nf__emu_function *)nf__emu_function_of(dev, function);
    if (known == NULL) {
        if (dev->function_count == NF_EMU_FUNCTIONS)
            return nf__emu_say(dev, cudaErrorMemoryAllocation);
        known = &dev->functions[dev->function_count++];
        memset(known, 0, sizeof *known);
        known->function = function;
    }
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        known->max_dynamic = value;
    else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        known->large_clusters = value != 0;
    return dev->sticky;
}

cudaError_t nf__emu_get_attributes(cudaFuncAttributes *out, const void *function)
{
    const nf__emu *dev = nf__emu_current();
    if (dev == NULL)
        return cudaErrorInitializationError;
    memset(out, 0, sizeof *out);
    out->maxThreadsPerBlock = (int)dev->set.sm_threads;
    out->numRegs = 32;
    out->ptxVersion = out->binaryVersion = 90;
    out->maxDynamicSharedSizeBytes = max_dynamic(dev, function);
    return dev->sticky;
}

static int resident_per_sm(const nf__emu *dev, unsigned threads, size_t shared)
{
    const unsigned whole = (threads + NF_EMU_LANES - 1) / NF_EMU_LANES * NF_EMU_LANES;
    size_t blocks = dev->set.sm_threads / whole;
    const size_t by_shared = NF_EMU_SHARED_SM / (shared + 1024);
    blocks = blocks > NF_EMU_BLOCKS_PER_SM ? NF_EMU_BLOCKS_PER_SM : blocks;
    return (int)(blocks > by_shared ? by_shared : blocks);
}

cudaError_t nf__emu_occupancy(int *blocks, const void *function, int threads, size_t shared)
{
    nf__emu *dev = nf__emu_current();
    *blocks = 0;
    if (dev == NULL)
        return cudaErrorInitializationError;
    if (threads <= 0)
        return nf__emu_say(dev, cudaErrorInvalidValue);
    if (shared <= (size_t)max_dynamic(dev, function))
        *blocks = resident_per_sm(dev, (unsigned)threads, shared);
    return dev->sticky;
}

/* Blocks of a cluster that a kernel may ask for. */
static unsigned max_cluster(const nf__emu *dev, const void *function)
{
    const nf__emu_function *known = nf__emu_function_of(dev, function);
    return known != NULL && known->large_clusters ? 16 : 8;
}

cudaError_t nf__emu_cluster_occupancy(int *clusters, const void *function, unsigned cluster, int threads, size_t shared)
{
    int blocks = 0;
    const nf__emu *dev = nf__emu_current();
    *clusters = 0;
    const cudaError_t error = nf__emu_occupancy(&blocks, function, threads, shared);
    if (error == cudaSuccess && cluster > 0 && cluster <= max_cluster(dev, function))
        *clusters = blocks * (int)dev->set.sms / (int)cluster;
    return error;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static bool fits(dim3 shape, uint64_t x, uint64_t yz)
{
    return shape.x >= 1 && shape.y >= 1 && shape.z >= 1 && shape.x <= x && shape.y <= yz && shape.z <= yz;
}

static cudaError_t check(const nf__emu *dev, const nf__emu_launch_spec *spec)
{
    const uint64_t threads = (uint64_t)spec->block.x * spec->block.y * spec->block.z;
    const uint64_t blocks = (uint64_t)spec->grid.x * spec->grid.y * spec->grid.z;
    int per_sm = 0;
    if (!fits(spec->grid, INT32_MAX, 65535) || !fits(spec->block, 1024, 1024) || threads > dev->set.sm_threads)
        return cudaErrorInvalidConfiguration;
    if (spec->argument_bytes > NF_EMU_ARGUMENTS || spec->shared > (size_t)max_dynamic(dev, spec->function))
        return cudaErrorInvalidValue;
    per_sm = resident_per_sm(dev, (unsigned)threads, spec->shared);
    if (per_sm == 0)
        return cudaErrorLaunchOutOfResources;
    if (spec->kind == NF_EMU_LAUNCH_CLUSTER
        && (spec->cluster == 0 || spec->cluster > max_cluster(dev, spec->function)
            || spec->grid.x % spec->cluster != 0))
        return cudaErrorInvalidClusterSize;
    if ((spec->kind == NF_EMU_LAUNCH_CLUSTER || spec->kind == NF_EMU_LAUNCH_COOPERATIVE)
        && blocks > (uint64_t)per_sm * dev->set.sms)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static void fill_op(nf__emu_op *op, const nf__emu_launch_spec *spec)
{
    op->kind = NF_EMU_OP_LAUNCH;
    op->stream = spec->stream;
    op->launch = *spec;
    op->launch.arguments = op->arguments;
    memcpy(op->arguments, spec->arguments, spec->argument_bytes);
}

/* From a kernel: the launch joins those that run when the kernel has ended. */
static cudaError_t launch_child(nf__emu *dev, const nf__emu_launch_spec *spec)
{
    nf__emu_grid *grid = &dev->grid;
    nf__emu_me()->site = spec->site;
    cudaError_t error = check(dev, spec);
    nf__emu_op *op = error == cudaSuccess && dev->child_count < NF_EMU_CHILDREN ? nf__emu_op_take(dev) : NULL;
    if (op == NULL)
        return error != cudaSuccess ? error : cudaErrorLaunchPendingCountExceeded;
    fill_op(op, spec);
    op->next = NULL;
    if (spec->kind == NF_EMU_LAUNCH_CHILD) {
        *grid->children_end = op;
        grid->children_end = &op->next;
    } else {
        *grid->tails_end = op;
        grid->tails_end = &op->next;
    }
    dev->child_count++;
    dev->count.child_launches++;
    return cudaSuccess;
}

static cudaError_t launch_planted(nf__emu *dev, const nf__emu_launch_spec *spec)
{
    dev->sticky = cudaErrorIllegalAddress;
    dev->text[0] = '\0';
    strncat(dev->text, "a fault planted by the setting fail_launch in kernel ", sizeof dev->text - 1);
    strncat(dev->text, spec->name, sizeof dev->text - 1 - strlen(dev->text));
    nf__emu_ops_reset(dev);
    return cudaSuccess;
}

cudaError_t nf__emu_launch(const nf__emu_launch_spec *spec)
{
    nf__emu *dev = nf__emu_now.device;
    if (dev == NULL)
        return cudaErrorInitializationError;
    const bool child = spec->kind == NF_EMU_LAUNCH_CHILD || spec->kind == NF_EMU_LAUNCH_TAIL;
    if (child && nf__emu_now.self != NULL)
        return launch_child(dev, spec);
    if (child || nf__emu_now.self != NULL)
        return cudaErrorNotSupported;
    if (dev->sticky != cudaSuccess)
        return dev->sticky;
    const cudaError_t error = check(dev, spec);
    if (error != cudaSuccess)
        return nf__emu_say(dev, error);
    dev->count.launches++;
    if (++dev->launches == dev->set.fail_launch)
        return launch_planted(dev, spec);
    nf__emu_op *op = nf__emu_op_take(dev);
    if (op == NULL) {
        const cudaError_t late = nf__emu_drain(dev, NULL, true, 1e9);
        if (late != cudaSuccess)
            return late;
        op = nf__emu_op_take(dev);
    }
    fill_op(op, spec);
    nf__emu_op_issue(dev, op);
    return cudaSuccess;
}
