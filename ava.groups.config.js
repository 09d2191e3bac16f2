// `npm test`: the files of an area share a thread.
import { relative } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import common from './ava.config.js'
import { writeGroups } from './dist/test/support/groups.js'

const files = writeGroups()

const FLAGS = [
  // What a thread has loaded stays: to look through it again and again takes a tenth of the processor time.
  'min-semi-space-size=16',
  'max-semi-space-size=64',
  'initial-old-space-size=1024',
  // The other groups use the other processors, so helpers of the collector only wait for each other.
  'single-threaded-gc',
  // Few functions run often enough to make up for the time of the last compiler.
  'invocation-count-for-turbofan=20000'
]
for (const flag of FLAGS) setFlagsFromString(`--${flag}`)

export default {
  ...common,
  files: files.map(file => relative(import.meta.dirname, file)),
  // Four threads, of which some wait for disks and processes most of the time.
  concurrency: 4,
  require: [...common.require, './dist/test/support/group-hooks.js'],
  sortTestFiles: (one, other) => files.indexOf(one) - files.indexOf(other)
}
