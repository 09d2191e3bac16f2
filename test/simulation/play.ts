// Plays simulations as processes, since each replaces the globals of its own.
import { execFile } from 'node:child_process'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, 'main.js')
const MOST_OUTPUT = 2 ** 28

export interface Played {
  readonly isFailed: boolean
  /** Both outputs. A violation that a receiver finds ends the process with an error. */
  readonly output: string
}

/** Plays one simulation with the options of `main.js`. */
export const play = (...args: readonly string[]): Promise<Played> =>
  new Promise(resolve => {
    execFile(process.execPath, [MAIN, ...args], { maxBuffer: MOST_OUTPUT }, (error, output, errors) =>
      resolve({ isFailed: error !== null, output: errors + output })
    )
  })

/** The last line of an output. */
export const summaryOf = ({ output }: Played): string => output.trimEnd().split('\n').at(-1) ?? ''
