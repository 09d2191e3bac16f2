// What work costs this thread: a machine that is busy with something else does not make it more.

/**
 * The CPU time of this thread, in ms, that `run` takes: the least of some tries.
 * @param enough a time that proves what is asked: below it there is no further try
 */
export function leastCpu(run: () => void, enough: number, tries = 5): number {
  let least = Infinity
  for (let left = tries; left > 0 && least >= enough; left--) {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
