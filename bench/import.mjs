// Prints the duration of `annals import consul` from recorded responses to an empty server, and of a repetition.
// Usage: node bench/import.mjs [keys] [tokens]   (after a build; default: 100,000 keys and 10,000 tokens)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { consulAnswers } from '../dist/test/support/consul-responses.js'
import { program } from '../dist/test/support/process.js'
import { startBenched } from './server.mjs'

const [keys = 100_000, tokens = 10_000] = process.argv.slice(2).map(Number)
const releases = []
const scope = { teardown: release => releases.unshift(release) }

/** Runs the import. @returns seconds */
const importFrom = async (addr, { base, root }) => {
  const begun = performance.now()
  const env = { ...process.env, ANNALS_HTTP_ADDR: base, ANNALS_HTTP_TOKEN: root }
  const child = spawn(process.execPath, [program, 'import', 'consul', `--addr=${addr}`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  child.stdout.pipe(process.stdout)
  await once(child, 'exit')
  return (performance.now() - begun) / 1000
}

try {
  const addr = await consulAnswers(scope, { keys, tokens })
  const server = await startBenched(scope, {})
  const first = await importFrom(addr, server)
  const second = await importFrom(addr, server)
  console.log(`${keys} keys, ${tokens} tokens: ${first.toFixed(1)} s, again ${second.toFixed(1)} s`)
} finally {
  for (const release of releases) await release()
}
