#!/usr/bin/env node
// The program `annals`: the server and the tools around its log.
import 'reflect-metadata'
import { run } from './cli/run.js'

// A reader that has enough, such as `head`, is no error.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit()
  throw error
})

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr
})
