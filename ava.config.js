import { join } from 'node:path'

// Runs a test file by its path, in a thread of its own: ava.groups.config.js is the one of `npm test`. Threads and the servers that they start
// share compiled code, except with coverage, which needs each file compiled again.
if (process.env.NODE_V8_COVERAGE === undefined)
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compile-cache')

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
  require: ['reflect-metadata', './dist/test/support/property-settings.js'],
  // A file is a thread that loads some 2,000 modules: a third of that is to look for symbolic links in their paths.
  nodeArguments: ['--enable-source-maps', '--preserve-symlinks'],
  // Nothing in the tests counts time: this ends a run that hangs.
  timeout: '10m',
  // Some files wait for disks and other processes most of the time.
  concurrency: 3
}
