// Measurements use the version of Node that the project pins. Under another version, a program starts itself again with the pinned one.
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

const pinned = resolve(import.meta.dirname, '../node_modules/.bin/node')

/** Continues only under the pinned version. Under another one it runs the program with the pinned version and exits. */
export const usePinnedNode = () => {
  if (realpathSync(pinned) === realpathSync(process.execPath)) return
  const { status } = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(status ?? 1)
}
