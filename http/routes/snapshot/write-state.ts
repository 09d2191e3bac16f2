// Writes what a log has made as an archive, without what led to it.
import type { Writable } from 'node:stream'
import type { SignedFile } from '../../../actors/snapshot/log-files.js'
import type { Commit } from '../../../events/envelope.js'
import { historyErased } from '../../../events/erasure.js'
import { formatTime } from '../../../events/time.js'
import { viewSettings } from '../../../server/settings/view-settings.js'
import { logFolder, type Settings } from '../../../server/settings/settings.js'
import type { Writer } from './meta.js'
import { ThreadArchive } from './thread-archive.js'
import { writeArchive } from './write-archive.js'

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'SaveState' }

/**
 * Writes the last events of everything that exists, in commits numbered from 1, and the orders to erase. A thread reads the log for it, and holds them meanwhile.
 * @throws Refusal `too-large` when they do not fit into its memory
 */
export const writeState = async (
  settings: Settings,
  signed: SignedFile,
  by: Writer,
  out: Writable
): Promise<void> => {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  const task = {
    archive: undefined,
    folder: logFolder(settings.data_dir),
    encryptionKey: settings.encryption.key,
    settings: viewSettings(settings)
  }
  const state = await ThreadArchive.prove(task, gone.signal)
  const Time = formatTime(by.at)
  const pages = async function* (): AsyncGenerator<readonly Commit[]> {
    let Index = 0
    for await (const Events of state.events()) yield [{ Index: ++Index, Time, By, Events }]
    // By them a restore tells that what it brings was made after them.
    if (state.erasures.length > 0) {
      const Events = state.erasures.map((erasure, number) =>
        historyErased(`${Index + 1}.${number + 1}`, erasure)
      )
      yield [{ Index: ++Index, Time, By, Events }]
    }
  }
  try {
    await writeArchive({ pages, last: Infinity, signed }, by, out)
  } finally {
    await state.close()
  }
}
