// Where the program's files are. The build has a module below `dist`, and the bundle has all modules in chunks below `program`. Both are one
// folder below the root of their form, and two below the package, so that one path is right in both.
import { join } from 'node:path'

/** The folder of package.json. */
export const PACKAGE_FOLDER = join(import.meta.dirname, '../..')

/** The modules that run as a process or as a thread. The bundle has a file of the same path for each. */
export const PROGRAMS = {
  main: 'server/main.js',
  worker: 'server/cluster/workers/child.js',
  snapshot: 'server/snapshots/child.js',
  catchUp: 'http/stream/catch-up/thread.js',
  verification: 'http/routes/snapshot/verification-thread.js',
  impact: 'http/routes/acl/impact/thread.js',
  records: 'server/replica/record-thread.js'
} as const

/** Returns the path of a program in the form, build or bundle, that this process runs. */
export const programFile = (name: keyof typeof PROGRAMS): string =>
  join(import.meta.dirname, '..', PROGRAMS[name])
