// Opening segment files and reporting their damage.
import { join } from 'node:path'
import type { Disk, DiskFile } from '../disk-port.js'
import { LogDamage } from '../log.js'

/** A damaged file, for errors. */
export const damageError = (
  disk: Disk,
  name: string,
  offset: number,
  index: number,
  reason: string
): LogDamage => new LogDamage({ file: join(disk.path, name), offset, index, reason })

/** Opens a segment for reading, gives it to `use`, and closes it. */
export async function withFile<T>(disk: Disk, name: string, use: (file: DiskFile) => Promise<T>): Promise<T> {
  const file = await disk.open(name, 'read')
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}
