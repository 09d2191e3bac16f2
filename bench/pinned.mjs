// Figures are of the version of Node that the project pins: a program that runs with another one runs itself anew.
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

const pinned = resolve(import.meta.dirname, '../node_modules/.bin/node')

/** Goes on only with the pinned version; else that has run the program when this ends. */
export const usePinnedNode = () => {
  if (realpathSync(pinned) === realpathSync(process.execPath)) return
  const { status } = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(status ?? 1)
}
