import { join } from 'node:path'

// Every test file is a thread that loads the server anew, and some start it as a process: what the first of them compiled
// serves all. Where coverage is measured, it needs all compiled afresh.
if (process.env.NODE_V8_COVERAGE === undefined)
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compile-cache')

export default {
  files: [
    'dist/test/**/*.test.js',
    'dist/examples/**/*.test.js',
    '!dist/test/crash/**',
    '!dist/test/cluster/faults/**',
    '!dist/test/cluster/quick.test.js'
  ],
  require: ['reflect-metadata'],
  nodeArguments: ['--enable-source-maps'],
  // Nothing in the tests counts time: this ends a run that hangs.
  timeout: '10m',
  concurrency: 2
}
