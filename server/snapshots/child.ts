// The program that writes one snapshot or base snapshot. The server sends the order and receives the result over the IPC channel.
import 'reflect-metadata'
import { constants, setPriority } from 'node:os'
import type { FromChild, ToChild } from './child-process.js'
import { makeSnapshot } from './make-snapshot.js'
import { messageOf } from '../../events/errors.js'

const tell = (message: FromChild): Promise<void> =>
  new Promise(resolve => process.send?.(message, () => resolve()))

const run = async (message: ToChild): Promise<void> => {
  try {
    await tell(await makeSnapshot(message))
  } catch (error) {
    await tell({ failure: messageOf(error) })
  }
  process.disconnect()
}

// The server has ended, for any reason.
process.on('disconnect', () => process.exit())
setPriority(constants.priority.PRIORITY_LOW)
process.once('message', (message: ToChild) => void run(message))
