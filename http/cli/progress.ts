// A bar that shows how far a long command is. Only people on a terminal see it: it goes to standard error.
import { SingleBar } from 'cli-progress'
import type { Console } from './console.js'

/** Told how much is done by now, in the unit of the total. */
type Advance = (done: number) => void

/**
 * Shows a bar while `use` runs, and takes it away afterwards, so that what is printed then stands alone.
 * @param unit what is counted, in the plural
 */
export const withProgress = async <T>(
  { err }: Console,
  { task, total, unit }: { readonly task: string; readonly total: number; readonly unit: string },
  use: (advance: Advance) => Promise<T>
): Promise<T> => {
  const bar = new SingleBar({
    stream: err,
    clearOnComplete: true,
    format: `${task} [{bar}] {percentage} %, {value} of {total} ${unit}, {eta_formatted} left`
  })
  bar.start(total, 0)
  try {
    return await use(done => bar.update(done))
  } finally {
    bar.stop()
  }
}
