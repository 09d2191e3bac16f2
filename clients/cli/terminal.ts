import { createInterface } from 'node:readline/promises'
import { UsageError, type Console } from './console.js'
import { SingleBar } from 'cli-progress'

/** Returns true for the answer yes. */
export const ask = async ({ in: input, err }: Console, question: string): Promise<boolean> => {
  const lines = createInterface({ input, output: err })
  try {
    return /^y(es)?$/i.test(await lines.question(`${question} [y/N] `))
  } finally {
    lines.close()
  }
}

/** @throws UsageError without a terminal, where `--yes` is required */
export const confirm = async (console: Console, question: string): Promise<boolean> => {
  if (console.in.isTTY !== true) throw new UsageError('this cannot be undone: add --yes')
  return ask(console, `${question} This cannot be undone.`)
}

/** @param done in the unit of the total */
type Advance = (done: number) => void

/** Shows a progress bar on standard error while `use` runs. @param unit plural noun */
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
