// The folder of a log as its writer finds it at a start, and what reads it from then on. Changes nothing.
import type { Disk } from '../disk-port.js'
import type { Report } from '../report.js'
import { checkEnds, readFolder, type Folder } from './folder.js'
import { IndexFiles } from './index-files.js'
import { SegmentReader } from './segment-reader.js'
import { recoverTail, reportCut, type Recovered } from './recovery.js'

export interface OpenedFolder extends Pick<Folder, 'identity' | 'lacksMeta'> {
  readonly indexes: IndexFiles
  readonly reader: SegmentReader
  readonly recovered: Recovered
  /** Whether it was left as an orderly end leaves it: the newest segment can be written on. */
  readonly isClean: boolean
}

/** @throws LogUnusable LogDamage */
export async function openFolder(disk: Disk, report: Report): Promise<OpenedFolder> {
  const { identity, lacksMeta, segments, proofs } = await readFolder(disk, report)
  const indexes = new IndexFiles(disk, false)
  const reader = new SegmentReader(disk, indexes)
  reader.sealed = segments.slice(0, -1)
  await checkEnds(disk, segments, reader)
  const recovered = await recoverTail(disk, segments, proofs)
  const { head, cut } = recovered
  reportCut(recovered, proofs, report)
  const isClean =
    !cut &&
    proofs.head?.clean === true &&
    proofs.head.index === head.index &&
    proofs.head.hash.equals(head.hash)
  return { identity, lacksMeta, indexes, reader, recovered, isClean }
}
