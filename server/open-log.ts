import { rm } from 'node:fs/promises'
import { messageOf } from '../events/errors.js'
import { LogUnusable } from '../events/log/log.js'
import { NodeDisk } from '../events/log/node-disk.js'
import {
  finishLogSwap,
  SegmentEventLog,
  type SegmentLogOptions
} from '../events/log/segments/segment-event-log.js'
import { copiesFolder, incomingLogFolder, logFolder, type Settings } from './settings/settings.js'

const makeDataFolder = async (path: string): Promise<void> => {
  try {
    await new NodeDisk(path).make()
  } catch (error) {
    throw new LogUnusable(`the data folder ${path} (data_dir) cannot be created: ${messageOf(error)}`, {
      cause: error
    })
  }
}

/** Opens the log of the data folder, as its writer unless `readOnly`. @throws LogUnusable */
export const openLog = async (
  { data_dir, encryption, log }: Settings,
  more: Pick<
    SegmentLogOptions,
    'report' | 'fatal' | 'readOnly' | 'isFed' | 'begunAs' | 'order' | 'feed' | 'patience'
  > = {}
): Promise<SegmentEventLog> => {
  if (!more.readOnly) {
    await makeDataFolder(data_dir)
    await finishLogSwap(logFolder(data_dir), incomingLogFolder(data_dir))
    // Copies that a crash has left may contain data that was erased from the log.
    await rm(copiesFolder(data_dir), { recursive: true, force: true })
  }
  return SegmentEventLog.open({
    path: logFolder(data_dir),
    sectorBytes: log.sector_bytes,
    scrubInterval: log.scrub_interval,
    compress: log.compress,
    allowNetworkFileSystem: log.allow_network_filesystem,
    ...more,
    ...(encryption.key === undefined ? {} : { key: Buffer.from(encryption.key, 'base64') })
  })
}
