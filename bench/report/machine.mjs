// The machine of a run, without which figures have no meaning.
import { cpus, loadavg, release, totalmem, type } from 'node:os'

const GIBIBYTE = 2 ** 30

/** Returns the recent number of runnable processes. */
export const loadNow = () => loadavg()[0]

/** Returns a description of the machine. */
export const machineText = () => {
  const cores = cpus()
  const model = cores[0]?.model.trim() || 'unknown processor'
  return `${cores.length} cores (${model}), ${(totalmem() / GIBIBYTE).toFixed(0)} GiB of memory, ${type()} ${release()}, Node ${process.version}`
}

/**
 * Returns true if the machine was busy otherwise.
 * @param loads of the measurement, in order
 */
export const busyText = loads => {
  const cores = cpus().length
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map(load => load.toFixed(1))
  const seen = `its load average was between ${least} and ${most} while this was measured`
  return Number(most) > cores + 1
    ? `It was busy with other work: ${seen}, on ${cores} cores. The figures are lower than on a machine that does nothing else, and the ratios less sure.`
    : `It did little else: ${seen}, on ${cores} cores, the client's part included.`
}
