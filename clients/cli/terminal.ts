// Asks before something is done that cannot be undone.
import { createInterface } from 'node:readline/promises'
import { UsageError, type Console } from './console.js'
import { SingleBar } from 'cli-progress'

/** Asks on a terminal. @throws UsageError without one: the user then agrees beforehand, with `--yes` */
export const confirm = async ({ in: input, err }: Console, question: string): Promise<boolean> => {
  if (input.isTTY !== true) throw new UsageError('this cannot be undone: add --yes')
  const lines = createInterface({ input, output: err })
  try {
    return /^y(es)?$/i.test(await lines.question(`${question} This cannot be undone. [y/N] `))
  } finally {
    lines.close()
  }
}

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
