import { join } from 'node:path'

// Every test file is a thread that loads the server, and some start it as a process. They share compiled code. Coverage
// measurement needs each file compiled again.
if (process.env.NODE_V8_COVERAGE === undefined)
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compile-cache')

/** Take longest, and are begun first: nothing long is left for one thread at the end. */
const longest = [
  'cluster/quick',
  'datacenters/quick',
  'conformance/conformance',
  'deploy/npm-package',
  'deploy/bundle',
  'server/retention',
  'server/crash',
  'docs/pages',
  'server/process',
  'server/cluster/workers/clients',
  'server/cluster/workers/processes',
  'events/etcd/membership',
  'events/log.segments',
  'server/cluster/members/leadership',
  'server/commands/log-copies'
].map(name => join(import.meta.dirname, 'dist/test', `${name}.test.js`))

const rank = file => (longest.includes(file) ? longest.indexOf(file) : longest.length)

export default {
  files: [
    'dist/test/**/*.test.js',
    'dist/library/examples/**/*.test.js',
    '!dist/test/crash/**',
    '!dist/test/cluster/faults/**',
    // Browsers break off what they load when a network of the machine changes.
    '!dist/test/cluster/machines/**',
    '!dist/test/datacenters/faults/**'
  ],
  require: ['reflect-metadata'],
  // A file is a thread that loads some 2,000 modules: a third of that is to look for symbolic links in their paths.
  nodeArguments: ['--enable-source-maps', '--preserve-symlinks'],
  // Nothing in the tests counts time: this ends a run that hangs.
  timeout: '10m',
  // Some files wait for disks and other processes most of the time.
  concurrency: 3,
  sortTestFiles: (one, other) => rank(one) - rank(other)
}
