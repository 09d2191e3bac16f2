// What crashes leave in a folder: files that were being made, or whose segment has gone. Nothing in them counts.
import { unlinkAll, type Disk } from '../disk-port.js'
import { indexName, packName, secretsName } from './pack-format.js'
import { segmentsIn } from './segment-files.js'
import { PREALLOCATED_FILE } from './preallocation.js'

const BEGUN = /\.new$/
const DERIVED = /\.(?:idx|secrets)$/

/** Removes them. For the writer, before it makes files of its own. */
export async function removeOrphanFiles(disk: Disk): Promise<void> {
  const names = await disk.list()
  const belonging = new Set(
    segmentsIn(names).flatMap(name => [
      indexName(name),
      ...(names.includes(packName(name)) ? [secretsName(name)] : [])
    ])
  )
  const isLeft = (name: string): boolean =>
    PREALLOCATED_FILE.test(name) || BEGUN.test(name) || (DERIVED.test(name) && !belonging.has(name))
  await unlinkAll(disk, names.filter(isLeft))
}
