// Finds out at a start how much of the tree's files is right: as much as a checkpoint says that was signed of it and kept.
import { recover, recovery } from '../../errors.js'
import { readFile, replaceFile, type Disk } from '../disk-port.js'
import { checkpointText, originOf, parseCheckpoint, type TreeHead } from '../evidence/signed-checkpoint.js'
import { MalformedNote } from '../evidence/note-keys.js'
import { parseNote } from '../evidence/note.js'
import { LogUnusable } from '../log.js'
import { prefetch } from '../resource-history.js'
import type { StoredTree } from '../provable-log.js'
import type { Report } from '../report.js'
import type { LogIdentity } from '../segments/format.js'
import { CheckpointFiles, type CheckpointName, type IsDamaged } from './checkpoint-files.js'
import { LevelFiles } from './level-files.js'
import { LogTree, type TreeLog } from './log-tree.js'
import { countAt, TILE_WIDTH } from './tiles.js'
import { MerkleTree, TreeDamage } from './tree.js'

/** Tiles of a source that are requested ahead. */
const TILES_AHEAD = 8

/** Folder in that of the log. */
export const TREE = 'tree'
/** The text of a checkpoint without signatures, over the hashes that a log began with: those of its source, which were verified. */
const BEGUN = 'begun'

/** Writes the hashes of the commits before a log that begins with a base snapshot; durable when it resolves. @param tree verified */
export async function writeBegunTree(
  disk: Disk,
  tree: Pick<MerkleTree, 'hashes' | 'rootAt'>,
  { identity, size }: { readonly identity: LogIdentity; readonly size: number }
): Promise<void> {
  await disk.make()
  const files = new LevelFiles(disk, 'write')
  try {
    const levels: number[] = []
    for (let level = 0; countAt(level, size) > 0; level++) {
      levels.push(level)
      const tiles = Array.from(
        { length: Math.ceil(countAt(level, size) / TILE_WIDTH) },
        (_, number) => number
      )
      let first = 0
      for await (const hashes of prefetch(tiles, TILES_AHEAD, number =>
        tree.hashes(level, number * TILE_WIDTH, Math.min((number + 1) * TILE_WIDTH, countAt(level, size)))
      )) {
        await files.write(level, first, hashes)
        first += TILE_WIDTH
      }
    }
    await files.flush(levels)
  } finally {
    await files.close()
  }
  const text = checkpointText({ origin: originOf(identity), size, root: await tree.rootAt(size) })
  await replaceFile(disk, BEGUN, Buffer.from(text))
}

interface TreeOptions {
  readonly identity: LogIdentity
  /** False for somebody who reads beside the one that writes: nothing is changed. */
  readonly isWriter: boolean
  readonly report: Report
  /** Detects a text that differs from the signed checkpoint. */
  readonly isDamaged: IsDamaged
}

interface Place extends TreeOptions {
  /** Where the files are, for messages. */
  readonly path: string
  readonly files: LevelFiles
  readonly checkpoints: CheckpointFiles
  /** See `BEGUN`. */
  readonly begun: Buffer | undefined
}

/** What is known of a tree that was signed. */
type Signed = Pick<TreeHead, 'size' | 'root'>

/**
 * Opens the tree of a log from its files. What is missing is read from the records when it is first asked for; only where the files do
 * not fit a checkpoint that was signed is all of it read at once.
 * @throws LogUnusable when the log is not the one that was signed, or the hashes of pruned commits are missing
 */
export async function openStoredTree(
  log: TreeLog,
  disk: Disk,
  options: TreeOptions
): Promise<Omit<StoredTree, 'bundles'>> {
  if (options.isWriter) await disk.make()
  const checkpoints = await CheckpointFiles.open(disk)
  await passOverDamaged(checkpoints, disk.path, options)
  const files = new LevelFiles(disk, options.isWriter ? 'write' : 'read')
  try {
    const begun = await readFile(disk, BEGUN)
    const tree = await openTree(log, { ...options, path: disk.path, files, checkpoints, begun })
    if (options.isWriter) await checkpoints.setAside()
    return { tree, checkpoints }
  } catch (error) {
    await files.close()
    throw error
  }
}

/** A damaged checkpoint is skipped in favour of an earlier one, and a new one is signed. */
async function passOverDamaged(
  checkpoints: CheckpointFiles,
  path: string,
  { isDamaged, report }: TreeOptions
): Promise<void> {
  for (const name of checkpoints.names) {
    const text = await checkpoints.read(name)
    if (text === undefined || !isDamaged(text, name.incarnation)) continue
    checkpoints.passOver(name)
    report({
      level: 'error',
      text: `the checkpoint of ${name.size} commits in ${path} is damaged, and is passed over: another one is made`
    })
  }
}

async function openTree(log: TreeLog, place: Place): Promise<LogTree | undefined> {
  const { identity, path, files, checkpoints, isWriter, report } = place
  const { newest } = checkpoints
  const signed = newest?.incarnation === identity.incarnation ? await signedBy(place, newest) : undefined
  if (signed && signed.size > log.durableIndex) throw unlike(place, signed, `the log has ${log.durableIndex}`)
  const known = (await fittingTree(log, place)) ?? (await begunTree(log, place))
  if (!known && log.firstIndex > 1) {
    if (checkpoints.names.length + checkpoints.passedOver.length > 0) throw lacking(place, log)
    await files.close()
    return undefined
  }
  const tree = new LogTree(log, known ?? new MerkleTree(files), { files, isWriter })
  if (!signed) return tree
  if (tree.size < signed.size) {
    const text = `the hashes in ${path} do not fit the checkpoint of ${signed.size} commits there, and are made again from commit ${tree.size + 1} on`
    report({ level: 'warn', text })
    await tree.catchUp()
  }
  if (!(await tree.tree.rootAt(signed.size)).equals(signed.root))
    throw unlike(
      place,
      signed,
      'one of these commits was changed, or the checkpoint was, which `annals log verify --key VKEY` tells'
    )
  return tree
}

const lacking = ({ path }: Place, { firstIndex }: TreeLog): LogUnusable =>
  new LogUnusable(
    `the hashes in ${path} of the commits up to ${firstIndex - 1}, which were pruned, do not fit the checkpoints there: ` +
      'put the folder back from a backup; without the folder the log can be used, but nothing of it can be proved'
  )

const unlike = ({ path }: Place, { size }: Signed, reason: string): LogUnusable =>
  new LogUnusable(
    `the log is not the one of which a checkpoint of ${size} commits was signed, which is in ${path}: ${reason}; ` +
      'put the log back from a backup, or continue under a new incarnation with `annals log repair --to INDEX`'
  )

const unreadable = recovery(TreeDamage, () => undefined)

/** The largest tree in the files that a kept checkpoint proves, as far as the log has the same commits. */
async function fittingTree(log: TreeLog, place: Place): Promise<MerkleTree | undefined> {
  for (const name of place.checkpoints.names.toReversed()) {
    const signed = await signedBy(place, name)
    const tree = signed && (await treeOf(place.files, signed).catch(unreadable))
    const common = tree && (await commonCommits(tree, log).catch(unreadable))
    if (common === undefined || common < log.firstIndex - 1) continue
    return common === tree?.size ? tree : tree?.cutTo(common)
  }
  return undefined
}

/** The tree that the log began with. */
async function begunTree(log: TreeLog, { files, begun, identity }: Place): Promise<MerkleTree | undefined> {
  const head = begun && checkpointIn(begun.toString())
  if (head?.origin !== originOf(identity)) return undefined
  const tree = await treeOf(files, head).catch(unreadable)
  const common = tree && (await commonCommits(tree, log).catch(unreadable))
  return common === head.size ? tree : undefined
}

const checkpointIn = (text: string): TreeHead | undefined =>
  recover(
    () => parseCheckpoint(text),
    MalformedNote,
    () => undefined
  )

/** What a kept checkpoint says, if it is of this log; its signature is not looked at. */
async function signedBy(
  { identity: { id }, checkpoints }: Place,
  name: CheckpointName
): Promise<Signed | undefined> {
  const text = await checkpoints.read(name)
  if (text === undefined) return undefined
  const head = recover(
    () => parseCheckpoint(parseNote(Buffer.from(text)).text),
    MalformedNote,
    () => undefined
  )
  const isThis = head?.origin === originOf({ id, incarnation: name.incarnation }) && head.size === name.size
  return isThis ? head : undefined
}

async function treeOf(files: LevelFiles, { size, root }: Signed): Promise<MerkleTree | undefined> {
  const tree = await MerkleTree.open(files, size)
  return (await tree.rootAt(size)).equals(root) ? tree : undefined
}

/** Counts the common commits. Records name the previous hash, so one match proves all before it. @throws TreeDamage */
async function commonCommits(tree: MerkleTree, log: TreeLog): Promise<number | undefined> {
  const isSame = async (index: number): Promise<boolean> =>
    index === 0 || (await tree.leafHash(index - 1)).toString('hex') === (await log.hashAt(index))
  let least = log.firstIndex - 1
  let most = Math.min(tree.size, log.durableIndex)
  if (most < least || !(await isSame(least))) return undefined
  if (await isSame(most)) return most
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (await isSame(middle)) least = middle
    else most = middle
  }
  return least
}
