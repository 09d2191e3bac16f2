#!/usr/bin/env node
// The program `annals`: the server and the tools around its log.
import 'reflect-metadata'
import { run } from './cli/run.js'

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr
})
