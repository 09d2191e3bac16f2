// `npm test`: the files of an area share a thread.
import { relative } from 'node:path'
import common from './ava.config.js'
import { writeGroups } from './dist/test/support/groups.js'

const files = writeGroups()

export default {
  ...common,
  files: files.map(file => relative(import.meta.dirname, file)),
  require: [...common.require, './dist/test/support/group-hooks.js'],
  sortTestFiles: (one, other) => files.indexOf(one) - files.indexOf(other)
}
