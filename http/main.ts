#!/usr/bin/env node
// The program `annals`: the server and the tools around its log.
import 'reflect-metadata'
import * as modules from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** Missing before Node 22.1. */
const enableCompileCache: typeof modules.enableCompileCache | undefined = modules.enableCompileCache
// Beside the program, where only who may change the program can write: a second start compiles nothing again.
enableCompileCache?.(join(import.meta.dirname, '../.compile-cache'))

// V8 puts what is made at one place of the code into its old space right away once most of that has lived long, as with
// ten thousand blocking queries. What later requests make there would lie beside them until the next major collection.
setFlagsFromString('--no-allocation-site-pretenuring')

// A reader that has enough, such as `head`, is no error.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit()
  throw error
})

const { run } = await import('./cli/run.js')
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr
})
