import { existsSync } from 'node:fs'
import { formatTime } from '../../events/time.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import { repair, type Loss } from '../../events/log/segments/repair.js'
import { removeStateDigestAbove } from '../snapshots/state-digest.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { confirm } from '../../clients/cli/terminal.js'
import { type Console, UsageError } from '../../clients/cli/console.js'

const textOf = ({ first, last, times, copy, erasures }: Loss): string => {
  const commits = first === last ? `commit ${first}` : `commits ${first} to ${last}`
  const when = times === undefined ? 'nothing of it can be read' : `${times[0]} to ${times[1]}`
  return last < first
    ? `No commit is known above ${first - 1}.\n`
    : `Cut off: ${commits} (${when}).\nA copy of what is cut off: ${copy}\n${erasedAgain(erasures, first - 1)}`
}

const erasedAgain = (erasures: number, end: number): string =>
  erasures === 0
    ? ''
    : `Orders to erase among it: ${erasures}, which are given again, about the commits up to ${end}. What is true again has to be deleted, and erased by a new order.\n`

/**
 * Removes everything after a commit from the log, after reporting what is lost.
 * @param isSure the user has already agreed
 * @throws UsageError without a terminal to ask on; LogUnusable if a server runs, or the log is damaged before that commit
 */
export const logRepair = async (
  settings: Settings,
  console: Console,
  { to, isSure }: { readonly to: number; readonly isSure: boolean }
): Promise<void> => {
  const { data_dir } = settings
  const path = logFolder(data_dir)
  if (!existsSync(path)) throw new UsageError(`there is no log in ${data_dir} (see --data-dir)`)
  const begun = await repair(new NodeDisk(path), {
    to,
    time: formatTime(Date.now()),
    confirm: async loss => {
      console.out.write(textOf(loss))
      return isSure || confirm(console, 'Cut it off?')
    }
  })
  if (!begun) {
    console.out.write('Nothing was changed.\n')
    return
  }
  await removeStateDigestAbove(data_dir, to)
  console.out.write(
    `The log ends with commit ${to}. It continues under a new incarnation with commit ${begun.index}, which names the old end.\n`
  )
}
