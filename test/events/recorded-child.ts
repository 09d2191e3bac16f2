// A process that fills a log through a recording disk: `node recorded-child.js <folder>`. Prints the calls as JSON when it ends.
import { NodeDisk } from '../../events/log/node-disk.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { RecordingDisk, type Recorded } from '../support/recording-disk.js'
import { commitOf } from './commits.js'

/** The least size of a segment, so that several are filled. */
const SEGMENT = 1024 * 1024
const COMMITS = 40
const [path = ''] = process.argv.slice(2)

const calls: Recorded[] = []
const disk = new RecordingDisk(new NodeDisk(path), call => calls.push(call))
for (let life = 0; life < 2; life++) {
  const log = await SegmentEventLog.open({ path, disk, segmentBytes: SEGMENT })
  for (let left = COMMITS; left > 0; left--)
    await log.append([commitOf(log.durableIndex + 1, { size: left % 2 === 0 ? 100 : 100_000 })])
  await log.close()
}
console.log(JSON.stringify(calls))
