#!/usr/bin/env node
import * as modules from 'node:module'
import { join } from 'node:path'

/** Missing before Node.js 22.1. */
const enableCompileCache: typeof modules.enableCompileCache | undefined = modules.enableCompileCache
// Beside the program, where only its owner can write. Later starts compile nothing.
enableCompileCache?.(join(import.meta.dirname, '../.compile-cache'))

// A reader that closes early, such as `head`, is no error.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit()
  console.error(`annals: the output cannot be written: ${error.message}`)
  process.exit(1)
})

const { run } = await import('./commands/run.js')
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  in: process.stdin,
  out: process.stdout,
  err: process.stderr
})
