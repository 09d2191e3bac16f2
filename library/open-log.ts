import { FilesLog, type FilesLogOptions } from './files-log.js'
import { ServerLog, type ServerLogOptions } from './server-log.js'

/**
 * Opens the log in a data folder, also of a running server, or at the address of a server (`http://` or `https://`). Never writes.
 * @throws LogUnusable for a folder; ServerRefused for an address
 */
export function openLog(
  url: `http://${string}` | `https://${string}` | URL,
  options?: ServerLogOptions
): Promise<ServerLog>
export function openLog(folder: string, options?: FilesLogOptions): Promise<FilesLog>
export async function openLog(
  place: string | URL,
  options: FilesLogOptions & ServerLogOptions = {}
): Promise<FilesLog | ServerLog> {
  const text = String(place)
  return /^https?:\/\//i.test(text) ? ServerLog.open(text, options) : FilesLog.open(text, options)
}
