// A progress bar for long commands, on standard error if that is a terminal.
import { SingleBar } from 'cli-progress'
import type { Console } from './console.js'

/** Takes how much is done so far, in the unit of the total. */
type Advance = (done: number) => void

/**
 * Shows a bar while `use` runs, and clears it afterwards.
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
