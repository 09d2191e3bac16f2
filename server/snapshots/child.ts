// The program that makes one snapshot or base beside a running server, which starts it, gives it its settings over the
// channel between them, and hears over the same what came of it.
import 'reflect-metadata'
import { constants, setPriority } from 'node:os'
import { besideLog } from '../../projections/beside-log.js'
import { openLog } from '../compose.js'
import type { FromChild, ToChild } from './child-messages.js'
import { makeBase } from './make-base.js'
import { makeSnapshot } from './make-snapshot.js'
import { messageOf } from '../../events/errors.js'

const tell = (message: FromChild): Promise<void> =>
  new Promise(resolve => process.send?.(message, () => resolve()))

const make = async ({ settings, base }: ToChild): Promise<FromChild> => {
  const unsound: string[] = []
  const log = await openLog(settings, { readOnly: true })
  try {
    const beside = { ...besideLog(log), comesLater: settings.cluster.enabled }
    if (base !== undefined)
      return { index: base, digest: await makeBase(settings, log, beside, base), unsound }
    const { index } = await makeSnapshot(settings, log, beside, (file, reason) => {
      unsound.push(`${file}: ${reason}`)
    })
    return { index, unsound }
  } finally {
    await log.close()
  }
}

const run = async (message: ToChild): Promise<void> => {
  try {
    await tell(await make(message))
  } catch (error) {
    await tell({ failure: messageOf(error) })
  }
  process.disconnect()
}

// The server has ended, however it did.
process.on('disconnect', () => process.exit())
setPriority(constants.priority.PRIORITY_LOW)
process.once('message', (message: ToChild) => void run(message))
