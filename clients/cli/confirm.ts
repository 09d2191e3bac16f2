// Asks before something is done that cannot be undone.
import { createInterface } from 'node:readline/promises'
import { type Console, UsageError } from './console.js'

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
