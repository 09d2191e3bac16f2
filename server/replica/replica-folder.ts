// Marks the data folder of a replica, so that no server continues its log under the name of the source.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../events/errors.js'
import { createFolders } from '../../events/log/node-disk.js'
import { logFolder, SettingsError, type Settings } from '../settings/settings.js'

const markOf = (dataDir: string): string => join(dataDir, 'replica')

export const isReplicaFolder = (dataDir: string): boolean => existsSync(markOf(dataDir))

/** @throws SettingsError for the data folder of a replica */
export const refuseReplicaFolder = ({ data_dir: dataDir }: Pick<Settings, 'data_dir'>): void => {
  if (isReplicaFolder(dataDir))
    throw new SettingsError(
      `data_dir must not be the folder of a replica: ${dataDir} has the log of another server`
    )
}

/** Marks a new data folder as that of a replica. @throws SettingsError for the folder of a server, and if it cannot be created */
export const claimReplicaFolder = async ({
  data_dir: dataDir
}: Pick<Settings, 'data_dir'>): Promise<void> => {
  if (isReplicaFolder(dataDir)) return
  if (existsSync(logFolder(dataDir)))
    throw new SettingsError(
      `data_dir must be the folder of a replica, or new: ${dataDir} has the log of a server`
    )
  try {
    await createFolders(dataDir, 0o700)
    await writeFile(markOf(dataDir), '', { flush: true })
  } catch (error) {
    throw new SettingsError(`data_dir ${dataDir} cannot be created: ${messageOf(error)}`)
  }
}
