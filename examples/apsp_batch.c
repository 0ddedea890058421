/* apsp_batch.c - all pairs of many small graphs in one call: timetables of three events each, with the least and most
 * minutes between them. A timetable that no clock can keep has a negative cycle; the others are answered all the same.
 */
#include <nearfar.h>
#include <stdio.h>

enum { GRAPHS = 3, N = 3 };

int main(void)
{
    const int32_t no = NF_UNREACHED_I32;
    /* u -> v of weight w: v comes at most w minutes after u */
    const int32_t minutes[GRAPHS][N][N] = {
        {{0, 30, no}, {-20, 0, 15}, {no, -5, 0}},
        {{0, 30, no}, {-20, 0, 15}, {-50, -5, 0}},
        {{0, 30, 40}, {-20, 0, 15}, {-25, -5, 0}},
    };
    int32_t bounds[GRAPHS][N][N];
    nf_status statuses[GRAPHS];
    const nf_batch batch = {.count = GRAPHS, .n = N, .weight_type = NF_I32, .weights = minutes};
    const nf_batch_options options = {.size = sizeof options, .distance_type = NF_I32, .statuses = statuses};
    nf_batch_info info = {.size = sizeof info};

    const nf_status status = nf_apsp_batch(NULL, &batch, &options, bounds, &info);
    if (status != NF_OK && status != NF_ENEGCYCLE) {
        fprintf(stderr, "%s\n", nf_last_error());
        return 1;
    }
    for (int k = 0; k < GRAPHS; k++)
        if (statuses[k] == NF_OK)
            printf("%d: the last event is %d to %d minutes after the first\n", k, -bounds[k][2][0], bounds[k][0][2]);
        else
            printf("%d: no clock can keep it\n", k);
    printf("the first to fail is %d, by a cycle of %d arcs\n", (int)info.failed, (int)info.cycle_length);
    nf_free(info.cycle);
    return 0;
}
