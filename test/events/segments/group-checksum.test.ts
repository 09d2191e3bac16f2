// The one checksum of all records of a group, which spares looking at those of each.
import test, { type ExecutionContext } from 'ava'
import { crc32 } from 'node:zlib'
import { ERASED_BYTE } from '../../../events/log/record-format.js'
import { GROUPS_AT, readGroupHeader } from '../../../events/log/segments/format.js'
import { withSegment } from '../../../events/log/segments/segment-files.js'
import { readSegments, type Segment } from '../../../events/log/segments/segment.js'
import { GroupScanner, type ScanOptions } from '../../../events/log/segments/group-scanner.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { commitOf } from '../commits.js'
import { openOn } from './workload.js'

const COMMITS = 4

/** A segment with a group of some commits. */
async function written(): Promise<{ readonly disk: SimulatedDisk; readonly segment: Segment }> {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await log.append(Array.from({ length: COMMITS }, (_, i) => commitOf(i + 1)))
  await log.close()
  const [segment] = await readSegments(disk, await disk.list(), undefined)
  if (!segment) throw new Error('there is no segment')
  return { disk, segment }
}

/** What a walk finds: its first group, and at which commit it stopped. */
const walked = (
  { disk, segment }: Awaited<ReturnType<typeof written>>,
  options: ScanOptions = {}
): Promise<{
  readonly checked: readonly (readonly [index: number, isChecked: boolean])[]
  readonly fault: number
}> =>
  withSegment(disk, segment.name, async file => {
    const walk = new GroupScanner(file, segment, options)
    const [group] = await walk.groups()
    return {
      checked: group?.records.map(({ index, isChecked }) => [index, isChecked] as const) ?? [],
      fault: walk.fault
    }
  })

/** Changes the bytes of the segment. */
function change(
  t: ExecutionContext,
  { disk, segment }: Awaited<ReturnType<typeof written>>,
  how: (bytes: Buffer) => void
): void {
  const content = disk.content(segment.name)
  if (!content) return t.fail('the segment is gone')
  const bytes = Buffer.from(content)
  how(bytes)
  disk.put(segment.name, bytes)
}

const all = (isChecked: boolean) => Array.from({ length: COMMITS }, (_, i) => [i + 1, isChecked] as const)

test('records are checked by the checksum of their group', async t => {
  const log = await written()
  t.deepEqual((await walked(log)).checked, all(true))
  t.deepEqual((await walked(log, { withParts: false })).checked, all(true))
})

test('where only some of them are wanted, those are checked by their own', async t => {
  const log = await written()
  t.deepEqual((await walked(log, { wanted: 3 })).checked, all(false).slice(2))
  t.deepEqual((await walked(log, { upTo: 2 })).checked, all(false).slice(0, 2))
})

test('a changed byte is reported with its commit', async t => {
  const log = await written()
  change(t, log, bytes => {
    const at = bytes.indexOf('key-3')
    bytes[at] = 0
  })
  const { checked, fault } = await walked(log)
  t.deepEqual(checked, [])
  t.is(fault, 3)
})

test('an erased part is no damage', async t => {
  const log = await written()
  change(t, log, bytes => {
    const text = bytes.indexOf('{"ID":"key-3"')
    const end = bytes.indexOf('"}', text) + 2
    bytes.fill(ERASED_BYTE, text - 16, end)
  })
  t.deepEqual((await walked(log)).checked, all(false))
})

test('groups without it are read as before', async t => {
  const log = await written()
  change(t, log, bytes => {
    const header = readGroupHeader(bytes, log.segment, GROUPS_AT)
    t.not(header?.contents, 0)
    bytes.writeUInt32BE(0, GROUPS_AT + 56)
    t.is(readGroupHeader(bytes, log.segment, GROUPS_AT), undefined, 'the header has a checksum of its own')
    bytes.writeUInt32BE(crc32(bytes.subarray(GROUPS_AT + 8, GROUPS_AT + 64)), GROUPS_AT + 4)
  })
  t.deepEqual((await walked(log)).checked, all(false))
})
