// Opens a log for reading, wherever it is.
import { FilesLog, type FilesLogOptions } from './files-log.js'
import { ServerLog, type ServerLogOptions } from './server-log.js'

/**
 * Opens a log: the data folder of a server, whether one runs on it or not, or the address of a running one
 * (`http://` or `https://`). Nothing is ever written.
 * @throws LogUnusable for a folder, ServerRefused for an address
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
